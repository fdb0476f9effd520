//! The transaction manager, from begin to horizon, over the plain strategies of the law book.

mod guards;
mod holders;
mod numbered;
mod old_snapshots;
mod prepared;
mod savepoints;
mod sessions;
mod snapshots;

use std::sync::{Arc, Mutex};

use snapshot_api::{
    Ending, ManagerOptions, Off, Outcome, Restore, Snapshot, ThresholdStrategy, TransactionManager,
    Xid, dev::models::LockedSet,
};

snapshot_api::counting_allocator!();

type Manager = TransactionManager<LockedSet, Off>;

/// An empty database.
fn with(options: ManagerOptions) -> Manager {
    Manager::restore(&(), Xid::FROZEN, &[], Off, options).expect("an empty state")
}

fn manager() -> Manager {
    with(ManagerOptions::new())
}

/// What the engine was told, in order.
type Told = Arc<Mutex<Vec<(Outcome, Vec<u64>)>>>;

/// Options that write down what the engine is told.
fn telling(options: ManagerOptions) -> (ManagerOptions, Told) {
    let told = Told::default();
    let to = Arc::clone(&told);
    let hook = move |ending: &Ending<'_>| {
        let ids = ending.ids.iter().map(|xid| xid.get()).collect();
        to.lock().expect("no panic").push((ending.outcome, ids));
    };
    (options.before_end(hook), told)
}

/// What runs in the strategy below xmax, and xmax.
fn running<S: Restore, T: ThresholdStrategy>(
    manager: &TransactionManager<S, T>,
) -> (Vec<u64>, u64) {
    let mut snapshot = manager.strategy().snapshot();
    manager.strategy().take(&mut snapshot);
    (snapshot.running().map(Xid::get).collect(), snapshot.xmax().get())
}
