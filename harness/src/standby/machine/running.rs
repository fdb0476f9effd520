//! What runs, as the primary says: lists of running transactions, shutdown checkpoints, new instances made from them.

use std::sync::Arc;

use snapshot_api::{FullXid, Snapshot, Standby, Xid};

use super::{Machine, Phase, Refused, contradiction};
use crate::{
    standby::{Rule, Watch},
    trace::RunningXacts,
};

impl<S: Standby, W: Watch<S>> Machine<S, W> {
    pub(super) fn running_xacts(&mut self, running: &RunningXacts<'_>) -> Result<(), Refused> {
        let full_next = FullXid::widen(running.next, self.next);
        let next = full_next.dense();
        let oldest = self.widen(running.oldest_running);
        let latest = self.widen(running.latest_completed);
        self.check_leap(next, self.next.dense())?;
        self.check_running(running, oldest, next, latest)?;
        self.expire(oldest);
        self.next = self.next.max(full_next);
        match self.phase {
            Phase::Pending if running.overflowed && !running.xids.is_empty() => {
                if oldest > self.pending {
                    self.watch.before_step();
                    self.ready();
                    self.watch.after_step();
                }
                Ok(())
            }
            Phase::Initialized | Phase::Pending => {
                let ids = running.xids.iter().chain(running.subxids);
                let ids = ids.map(|&xid| self.widen(xid));
                let ids: Vec<Xid> = ids.filter(|&xid| !self.ended.contains(xid)).collect();
                self.observed = self.observed.max(next.prev());
                if running.overflowed {
                    self.phase = Phase::Pending;
                    self.pending = self.observed;
                    self.overflowed = self.observed;
                    self.restore(latest, &ids)
                } else {
                    self.overflowed = Xid::INVALID;
                    self.restore_ready(latest, &ids)
                }
            }
            Phase::Start | Phase::Ready => Ok(()),
        }
    }

    pub(super) fn check_running(
        &self,
        running: &RunningXacts<'_>,
        oldest: Xid,
        next: Xid,
        latest: Xid,
    ) -> Result<(), Refused> {
        let ids = running.xids.iter().chain(running.subxids);
        if oldest > next || latest >= next {
            return contradiction(Rule::RunningInRange, || {
                format!("the oldest running id and the latest completed one below {}", running.next)
            });
        }
        for &xid in ids {
            let dense = self.widen(xid);
            if dense < oldest || dense >= next {
                return contradiction(Rule::RunningInRange, || {
                    format!(
                        "ids from {} to before {}, not {xid}",
                        running.oldest_running, running.next
                    )
                });
            }
        }
        Ok(())
    }

    /// Nothing below `oldest` is running (`ExpireOldKnownAssignedTransactionIds`): victims of a crash go.
    pub(super) fn expire(&mut self, oldest: Xid) {
        if oldest > Xid::FIRST_NORMAL {
            self.watch.before_step();
            self.instance.complete(oldest.prev());
            self.watch.after_step();
        }
        if self.overflowed < oldest {
            self.overflowed = Xid::INVALID;
        }
        self.watch.before_step();
        self.instance.prune(oldest);
        self.watch.after_step();
        self.oldest = self.oldest.max(oldest);
        self.ended.forget_before(oldest);
        // Ids from the observed one on may still come to life late.
        let keep = oldest.min(self.observed.next());
        if self.parents.first_key_value().is_some_and(|(&sub, _)| sub < keep) {
            self.parents = self.parents.split_off(&keep);
        }
    }

    pub(super) fn checkpoint_shutdown(&mut self, next: FullXid) -> Result<(), Refused> {
        self.check_leap(next.dense(), self.next.dense())?;
        let least = self.observed.next().max(self.oldest);
        if next.dense() < least {
            return contradiction(Rule::NextIsNext, || {
                let least = FullXid::from_dense(least).unwrap_or_default();
                format!("a next id not below {least}: all before that were handed out")
            });
        }
        self.next = next;
        let oldest = self.prepared.first_key_value().map_or(next.dense(), |(&xid, _)| xid);
        self.expire(oldest);
        if self.phase == Phase::Ready {
            return Ok(());
        }
        self.observed = self.observed.max(next.dense().prev());
        self.overflowed = self.observed;
        for (&xid, subs) in &self.prepared {
            self.parents.extend(subs.iter().map(|&sub| (sub, xid)));
        }
        let prepared: Vec<Xid> = self.prepared.keys().copied().collect();
        self.restore_ready(next.dense().prev(), &prepared)
    }

    /// Brings ids below xmax to life.
    pub(super) fn revive(&mut self, ids: &[Xid]) -> Result<(), Refused> {
        self.instance.take(&mut self.taken);
        let mut running: Vec<Xid> = self.taken.running().collect();
        running.extend_from_slice(ids);
        self.restore(Xid::FROZEN, &running)
    }

    /// A new instance, in which these run. Latest completed is at least that of the old one.
    pub(super) fn restore(&mut self, latest: Xid, running: &[Xid]) -> Result<(), Refused> {
        self.watch.before_step();
        self.renew(latest, running)?;
        self.watch.after_step();
        Ok(())
    }

    /// The same, and queries are accepted from now on: one step.
    pub(super) fn restore_ready(&mut self, latest: Xid, running: &[Xid]) -> Result<(), Refused> {
        self.watch.before_step();
        self.renew(latest, running)?;
        self.ready();
        self.watch.after_step();
        Ok(())
    }

    pub(super) fn renew(&mut self, latest: Xid, running: &[Xid]) -> Result<(), Refused> {
        self.instance.take(&mut self.taken);
        let latest = self.taken.xmax().prev().max(latest);
        self.instance = Arc::new(S::restore(&self.config, latest, running)?);
        if self.phase == Phase::Ready {
            self.watch.share(&self.instance);
        }
        Ok(())
    }

    pub(super) fn ready(&mut self) {
        self.phase = Phase::Ready;
        self.watch.share(&self.instance);
    }
}
