//! [`Writes`]: which keys each id has written.
//!
//! Two questions need it: what to take away when an id is aborted, and where to look for garbage when it has committed.
//!
//! ```text
//!   first write              commit                       horizon has passed it
//!   ───────────► open ──────────────────► retired ───────────────────────────► forgotten
//!                  │ abort: undone, then forgotten            its keys collected
//! ```
//!
//! Nothing here grows for ever: `open` has the ids that run and have written, `retired` those that have committed at or above
//! the last horizon that somebody collected by.

use std::{
    collections::{BTreeMap, HashMap},
    mem,
    sync::Arc,
};

use snapshot_api::{
    Xid,
    sync::{Mutex, Padded},
};

const PARTS: usize = 16;

/// The keys of one id. Its transaction adds to it; whoever ends it reads it.
pub(crate) type WriteSet<K> = Arc<Mutex<Vec<K>>>;

type Part<K> = Mutex<HashMap<Xid, WriteSet<K>>>;

pub(crate) struct Writes<K> {
    open: [Padded<Part<K>>; PARTS],
    retired: Mutex<BTreeMap<Xid, WriteSet<K>>>,
}

impl<K: Clone> Writes<K> {
    pub(crate) fn new() -> Self {
        Writes {
            open: std::array::from_fn(|_| Padded(Mutex::default())),
            retired: Mutex::default(),
        }
    }

    /// Where `writer` notes its keys, each before the version stands.
    pub(crate) fn open(&self, writer: Xid) -> WriteSet<K> {
        Arc::clone(self.part(writer).lock().entry(writer).or_default())
    }

    /// The keys of an id that runs.
    pub(crate) fn keys(&self, writer: Xid) -> Vec<K> {
        let set = self.part(writer).lock().get(&writer).map(Arc::clone);
        set.map_or(Vec::new(), |set| set.lock().clone())
    }

    /// It has been undone.
    pub(crate) fn forget(&self, writer: Xid) {
        self.part(writer).lock().remove(&writer);
    }

    /// It is about to be committed. Runs none of the keys' own code, so that it cannot stop half way.
    pub(crate) fn retire(&self, writer: Xid) {
        let set = self.part(writer).lock().remove(&writer);
        if let Some(set) = set {
            self.retired.lock().insert(writer, set);
        }
    }

    /// Hands out those that committed below the horizon.
    pub(crate) fn take_below(&self, horizon: Xid) -> Vec<WriteSet<K>> {
        let mut retired = self.retired.lock();
        let later = retired.split_off(&horizon);
        mem::replace(&mut *retired, later).into_values().collect()
    }

    /// How many ids are open, and how many retired.
    pub(crate) fn len(&self) -> (usize, usize) {
        let open = self.open.iter().map(|part| part.lock().len()).sum();
        (open, self.retired.lock().len())
    }

    fn part(&self, writer: Xid) -> &Part<K> {
        &self.open[writer.get() as usize % PARTS]
    }
}
