//! The project's own manager, in both of its styles, as a tracker among others.

use snapshot_api::{
    ManagerOptions, NumberedManager, Off, Restore, SharedSnapshot, Snapshot, TransactionManager,
    Xid,
    dev::{
        models::LockedSet,
        tracker::{Refused, SnapshotTracker},
    },
};

const SESSIONS: u32 = 32;

fn manager<S: Restore<Config = ()>>() -> TransactionManager<S, Off> {
    let options = ManagerOptions::new().sessions(SESSIONS);
    TransactionManager::restore(&(), Xid::FROZEN, &[], Off, options).expect("an empty state")
}

/// Rows carry the number of the commit.
pub(crate) struct Numbered(NumberedManager<LockedSet, Off>);

impl Default for Numbered {
    fn default() -> Self {
        Numbered(NumberedManager::new(manager()))
    }
}

impl SnapshotTracker for Numbered {
    type Snapshot<'a> = SharedSnapshot<LockedSet, Off>;

    fn commit(&self, stamp: impl FnOnce(u64)) -> u64 {
        let mut session = self.0.session().expect("fewer threads than sessions");
        session.begin().commit(stamp).expect("no limit").0
    }

    fn open(&self) -> Result<Self::Snapshot<'_>, Refused> {
        Ok(self.0.session()?.begin().share())
    }

    fn sees(&self, snapshot: &Self::Snapshot<'_>, number: u64) -> bool {
        !snapshot.is_running(Xid::new(number))
    }

    fn horizon(&self) -> u64 {
        self.0.manager().horizon().get()
    }
}

/// Rows carry the id of the transaction.
pub(crate) struct ById(TransactionManager<LockedSet, Off>);

impl Default for ById {
    fn default() -> Self {
        ById(manager())
    }
}

impl SnapshotTracker for ById {
    type Snapshot<'a> = SharedSnapshot<LockedSet, Off>;

    fn commit(&self, stamp: impl FnOnce(u64)) -> u64 {
        let mut session = self.0.session().expect("fewer threads than sessions");
        let mut transaction = session.begin();
        let id = transaction.id().expect("no limit").get();
        stamp(id);
        transaction.commit();
        id
    }

    fn open(&self) -> Result<Self::Snapshot<'_>, Refused> {
        Ok(self.0.session()?.begin().share())
    }

    fn sees(&self, snapshot: &Self::Snapshot<'_>, number: u64) -> bool {
        !snapshot.is_running(Xid::new(number))
    }

    fn horizon(&self) -> u64 {
        self.0.horizon().get()
    }

    fn rollback(&self) {
        let mut session = self.0.session().expect("fewer threads than sessions");
        let mut transaction = session.begin();
        transaction.id().expect("no limit");
        transaction.abort();
    }
}
