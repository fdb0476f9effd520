impl Restore for SortedVec {
    type Config = ();

    fn restore(_config: &(), latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest, running)?;
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        Ok(SortedVec {
            state: Mutex::new(State { running, latest_completed, last }),
            version: AtomicU64::new(0),
            instance: InstanceId::unique(),
        })
    }
}
