/// The guide's strategy with another `end`.
macro_rules! mistaken {
    ($(#[$doc:meta])* $name:ident: $($end:tt)*) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(SortedVec);

        impl SnapshotStrategy for $name {
            type Snapshot = ListSnapshot;

            $($end)*

            fn facts(&self) -> Facts {
                self.0.facts()
            }
            fn snapshot(&self) -> ListSnapshot {
                self.0.snapshot()
            }
            fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
                self.0.begin(session, xid)
            }
            fn take(&self, snapshot: &mut ListSnapshot) {
                self.0.take(snapshot);
            }
            fn lock_waits(&self) -> u64 {
                self.0.lock_waits()
            }
        }

        impl Restore for $name {
            type Config = ();

            fn restore(config: &(), latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
                Ok($name(SortedVec::restore(config, latest, running)?))
            }
        }

        impl std::ops::Deref for $name {
            type Target = SortedVec;

            fn deref(&self) -> &SortedVec {
                &self.0
            }
        }
    };
}

mistaken! {
    /// Ends the next id where the one that it was given does not run.
    EndsTheNext:
    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let mut state = self.state.lock();
        for xid in tree {
            let place = state.running.partition_point(|running| running < xid);
            if place < state.running.len() {
                state.running.remove(place);
            }
        }
        state.complete(tree);
        self.version.fetch_add(1, Ordering::Relaxed);
    }
}

mistaken! {
    /// Raises the version when others have already seen the new state under the old one.
    VersionTooLate:
    fn end(&self, _session: SessionId, tree: &[Xid]) {
        self.state.lock().end(tree);
        self.version.fetch_add(1, Ordering::Relaxed);
    }
}
