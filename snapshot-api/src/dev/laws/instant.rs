//! Laws 1, 2, 3 and 5: what a snapshot beside ends may say. All four judge the same kinds of history.

use super::{
    history::History,
    law::Law,
    recorder::{every_interleaving, free_running},
};
use crate::Restore;

fn hold<S: Restore>(config: &S::Config, law: Law, verdict: fn(&History) -> Result<(), String>) {
    every_interleaving::<S>(config, |history| law.decide(verdict(history)));
    free_running::<S>(config, |history| law.decide(verdict(history)));
}

/// Law 1: a snapshot equals the state at one moment between the call and the return of `take`.
///
/// Reported as: number and root captured separately (redb 1432); the list read before xmax (memflux 10).
pub fn one_instant<S: Restore>(config: &S::Config) {
    hold::<S>(config, Law::new("law 1", "one instant"), History::one_instant);
}

/// Law 2: of the ids of one `end`, a snapshot sees all as running or none.
///
/// Reported as: a commit that stamps the ids of its tree one by one (turso 5136, 5660).
pub fn whole_trees<S: Restore>(config: &S::Config) {
    hold::<S>(config, Law::new("law 2", "whole trees"), History::whole_trees);
}

/// Law 3: xmax is latest completed + 1 of the snapshot's instant, exact when nothing runs beside it.
pub fn xmax<S: Restore>(config: &S::Config) {
    hold::<S>(config, Law::new("law 3", "xmax"), History::xmax);
}

/// Law 5: what one thread saw ended never runs again in its later snapshots; its bounds never go back.
pub fn monotone_per_observer<S: Restore>(config: &S::Config) {
    hold::<S>(config, Law::new("law 5", "monotone per observer"), History::monotone_per_observer);
}
