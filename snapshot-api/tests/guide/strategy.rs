impl SnapshotStrategy for SortedVec {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "sorted-vec".into(),
            source: "the guide",
            costs: Costs {
                take: "O(running)",
                begin: "O(1)",
                end: "O(running)",
                is_running: "O(log running)",
            },
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        // No new version: xid lies at or above every xmax so far, so that no snapshot changes.
        self.state.lock().begin(xid)
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let mut state = self.state.lock();
        state.end(tree);
        // Relaxed: the lock orders those who write it; `take` says why readers need no more.
        // Before the lock is given back: whoever copies the new state finds the new version.
        self.version.fetch_add(1, Ordering::Relaxed);
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        // Relaxed: it is compared, and nothing is read on its account: what the value holds was
        // copied under the lock. An end that returned before this call, in whatever way the
        // caller knows of it, left a version below which no later load of this word can fall.
        if snapshot.is_from(self.instance, self.version.load(Ordering::Relaxed)) {
            return;
        }
        let state = self.state.lock();
        let xmax = state.latest_completed.next();
        let below = state.running.partition_point(|&xid| xid < xmax);
        snapshot.refill(xmax).extend_from_slice(&state.running[..below]);
        // Relaxed: nobody writes while we hold the lock.
        snapshot.stamp(self.instance, self.version.load(Ordering::Relaxed));
    }

    fn lock_waits(&self) -> u64 {
        self.state.waits()
    }
}
