//! [`Connection`]: one transaction after another.

use std::{fmt, sync::Arc, thread, time::Duration};

use snapshot_api::{ForeignSnapshot, Session, SharedSnapshot, SnapshotStrategy, ThresholdStrategy};

use crate::{Error, Key, Tx, Value, rows::Rows};

/// One client's place in a [`Store`](crate::Store). Runs one transaction at a time; may move from thread to thread.
pub struct Connection<K, V, S: SnapshotStrategy, T: ThresholdStrategy> {
    session: Session<S, T>,
    rows: Arc<Rows<K, V>>,
}

/// What [`Connection::run`] made of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ran<R> {
    /// What it returned.
    pub result: R,
    /// How often it had to be begun once more.
    pub retries: u32,
}

impl<K: Key, V: Value, S: SnapshotStrategy, T: ThresholdStrategy> Connection<K, V, S, T> {
    pub(crate) fn new(session: Session<S, T>, rows: Arc<Rows<K, V>>) -> Self {
        Connection { session, rows }
    }

    /// Begins a transaction. Its snapshot is taken when it first reads or writes.
    pub fn begin(&mut self) -> Tx<'_, K, V, S, T> {
        Tx::new(self.session.begin(), &self.rows)
    }

    /// Begins a transaction that reads by the snapshot of another one: several workers, one state.
    ///
    /// # Errors
    ///
    /// It is of another store.
    pub fn begin_with(
        &mut self,
        snapshot: &SharedSnapshot<S, T>,
    ) -> Result<Tx<'_, K, V, S, T>, ForeignSnapshot> {
        Ok(Tx::new(self.session.begin_with(snapshot)?, &self.rows))
    }

    /// Runs a transaction and commits it. Where it meets a conflict, or a snapshot that is too old, it is aborted and begun
    /// again, up to `attempts` times in all, after a pause: short at first, of a millisecond in the end.
    ///
    /// # Errors
    ///
    /// That of the last attempt, or the first one that another attempt would not mend.
    pub fn run<R>(
        &mut self,
        attempts: u32,
        mut body: impl FnMut(&mut Tx<'_, K, V, S, T>) -> Result<R, Error<K>>,
    ) -> Result<Ran<R>, Error<K>> {
        let mut retries = 0;
        loop {
            let mut transaction = self.begin();
            match body(&mut transaction) {
                Ok(result) => {
                    transaction.commit();
                    return Ok(Ran { result, retries });
                }
                Err(why) if why.is_transient() && retries + 1 < attempts => {
                    drop(transaction);
                    pause(retries);
                    retries += 1;
                }
                Err(why) => return Err(why),
            }
        }
    }

    /// How it calls itself where somebody asks who holds the horizon back.
    pub fn set_label(&mut self, label: &str) {
        self.session.set_label(label);
    }
}

/// Lets the other one come to its end. Nobody waits for anybody here, so whoever tries again at once, while the other one has no
/// processor, uses up a thousand attempts within its time slice.
fn pause(retries: u32) {
    const YIELDS: u32 = 4;
    const LONGEST: u32 = 10;
    match retries.checked_sub(YIELDS) {
        None => thread::yield_now(),
        Some(doublings) => thread::sleep(Duration::from_micros(1 << doublings.min(LONGEST))),
    }
}

impl<K, V, S: SnapshotStrategy, T: ThresholdStrategy> fmt::Debug for Connection<K, V, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("session", &self.session).finish_non_exhaustive()
    }
}
