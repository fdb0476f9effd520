//! Is it snapshot isolation? Clients write down what they saw, and a checker looks for a contradiction.
//!
//! | | |
//! |---|---|
//! | [`record`] | what a client can tell of a transaction |
//! | [`workload`] | the clients, and the collector beside them |
//! | [`checker`] | which anomalies a history has |
//! | [`examples`] | a history by hand for each anomaly: the checker finds it by name |
//! | [`exact`] | small histories: it finds something forbidden if and only if no order explains them |
//! | [`pairings`] | the store over seven pairings: none is found |
//! | [`write_skew`] | what is permitted is found as well |
//! | [`seeded`] | with a seeded bug each: it is found, by name |
//!
//! `SNAPSHOT_LAWS_SCALE=n` multiplies the transactions of a history by n.

mod checker;
mod exact;
mod examples;
mod pairings;
mod record;
mod seeded;
mod workload;
mod write_skew;

use std::env;

/// `base` times the factor in `SNAPSHOT_LAWS_SCALE`.
fn scaled(base: u64) -> u64 {
    let factor = env::var("SNAPSHOT_LAWS_SCALE").ok().and_then(|text| text.parse().ok());
    base * factor.unwrap_or(1).max(1)
}
