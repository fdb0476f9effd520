//! [`Asks`]: one transaction as it asks for one thing after another.

use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use fastrand::Rng;
use snapshot_api::{Restore, ThresholdStrategy};
use snapshot_kv::{Error, Tx};

use crate::record::{Element, Key, Op, Stopwatch};

/// Moments that a slow transaction lets pass before it goes on: others come and go, and its snapshot may get too old.
const SLOW: u64 = 60;

/// It gives up waiting after so many turns, where nobody is left to wait for.
const TURNS: u32 = 100;

/// One transaction as it asks for one thing after another.
pub(super) struct Asks<'t, 'c, S: Restore, T: ThresholdStrategy> {
    pub(super) tx: Tx<'c, Key, Vec<Element>, S, T>,
    pub(super) random: &'t mut Rng,
    pub(super) next_element: &'t AtomicU64,
    pub(super) keys: Range<Key>,
    pub(super) watch: &'t Stopwatch,
    pub(super) slow: bool,
    pub(super) refresh: bool,
    pub(super) ops: Vec<Op>,
}

impl<'c, S: Restore, T: ThresholdStrategy> Asks<'_, 'c, S, T> {
    pub(super) fn some(&mut self) -> Result<(), Error<Key>> {
        for _ in 0..self.random.u8(1..6) {
            if self.slow && !self.ops.is_empty() {
                self.dawdle();
                self.slow = false;
            }
            if self.random.u8(..6) == 0 {
                self.with_savepoint()?;
            } else {
                self.one()?;
            }
        }
        Ok(())
    }

    fn dawdle(&self) {
        let until = self.watch.last() + SLOW;
        for _ in 0..TURNS {
            if self.watch.last() >= until {
                return;
            }
            thread::yield_now();
        }
    }

    pub(super) fn end(self) -> (Tx<'c, Key, Vec<Element>, S, T>, Vec<Op>) {
        (self.tx, self.ops)
    }

    /// What does not succeed inside is rolled back, and the transaction goes on.
    fn with_savepoint(&mut self) -> Result<(), Error<Key>> {
        let savepoint = self.tx.savepoint();
        self.ops.push(Op::Savepoint);
        let mut result = Ok(());
        for _ in 0..self.random.u8(1..3) {
            result = result.and_then(|()| self.one());
        }
        if result.is_err() || self.random.bool() {
            self.tx.rollback_to(&savepoint)?;
            self.ops.push(Op::RollBack);
            self.tx.release(savepoint)
        } else {
            self.ops.push(Op::Release);
            self.tx.release(savepoint)
        }
    }

    fn one(&mut self) -> Result<(), Error<Key>> {
        if self.random.u8(..4) == 0 {
            // Lets others in between, also where there are more threads than cores.
            thread::yield_now();
        }
        if self.refresh {
            self.tx.refresh();
        }
        let key = self.random.u64(self.keys.clone());
        match self.random.u8(..10) {
            0..5 => {
                let list = self.tx.get(&key)?.unwrap_or_default();
                self.ops.push(Op::Read { key, list });
            }
            5 => {
                let mut lists = self.tx.scan(self.keys.clone())?.into_iter().peekable();
                for key in self.keys.clone() {
                    let list = lists.next_if(|(found, _)| *found == key);
                    let list = list.map(|(_, list)| list).unwrap_or_default();
                    self.ops.push(Op::Read { key, list });
                }
            }
            _ => {
                let element = self.next_element.fetch_add(1, Ordering::Relaxed);
                let mut list = self.tx.get(&key)?.unwrap_or_default();
                list.push(element);
                self.tx.put(&key, list)?;
                self.ops.push(Op::Append { key, element });
            }
        }
        Ok(())
    }
}
