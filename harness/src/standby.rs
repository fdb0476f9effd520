//! The standby: what PostgreSQL's startup process does to a strategy when it replays the log.
//!
//! [`Machine`] plays it, [`Watch`] looks on, [`View`] is a snapshot as a query on the standby sees it. A record that
//! contradicts the ones before it is a [`Contradiction`] of a named [`Rule`].

mod ended;
pub mod machine;
mod rule;
mod view;
mod watch;

pub use machine::{Machine, Options, Phase, Refusal, Refused, Start};
pub use rule::{Contradiction, Rule};
pub use view::View;
pub use watch::Watch;
