//! A log that starts from known state.

use std::sync::Arc;

use snapshot_api::{Xid, sync::AtomicU64};

use crate::{
    arena,
    core::{Bounds, Core, Head, OLDEST},
    page,
    ring::Rings,
    word::Word,
    writer::Writer,
};

/// A log in which `running`, in rising order, run, and every other id up to the highest of them and up to `latest` has
/// ended. `None` where the window is wider than any ring.
pub(crate) fn restore(latest: u64, running: &[Xid]) -> Option<Core> {
    let first = running.first().map_or(latest + 1, |xid| xid.get().min(latest + 1));
    let last = running.last().map_or(latest, |xid| xid.get().max(latest));
    let (floor, newest) = (page::of(first), page::of(last).max(page::of(first)));
    let rings = Rings::new(floor, newest - floor + 1)?;
    let head = Head {
        oldest: Word::new(first),
        number: Word::new(OLDEST),
        latest: [latest; 2].map(Word::new),
    };
    let bounds = Bounds { floor: Word::new(floor), high: AtomicU64::new(newest) };
    let writer = Writer::new(Arc::clone(rings.current()), floor, latest, last);
    let core = Core::new(head, bounds, rings, writer);
    let mut running = running.iter().map(|xid| xid.get()).peekable();
    let mut writer = core.writer.lock();
    for page in floor..newest {
        writer.kept.clear();
        while let Some(id) = running.next_if(|&id| id < page::end(page)) {
            writer.kept.push(arena::exception(page::offset(id), 0));
        }
        writer.keep(&core, page);
    }
    // The newest page has ids that are not begun yet.
    writer.open(&core, newest);
    for id in page::start(newest)..=last {
        if running.next_if_eq(&id).is_none() {
            core.dense(id).set(OLDEST);
        }
    }
    drop(writer);
    Some(core)
}
