//! [`Grace`]: tells when everybody who was inside has left. crossbeam-epoch; in models a counted set under a lock, since
//! that crate does not know this project's models.
//!
//! A caller is *inside* while it holds an [`Inside`]. A writer asks with a ticket, and some time later
//! [`is_over`](Grace::is_over) says that each caller who was inside when it asked has left. Whoever enters after that sees
//! all that the writer did before it asked, and what callers did inside happens before what the writer does when it is
//! told so.

#[cfg(snapshot_loom)]
mod counted;
#[cfg(not(snapshot_loom))]
mod epoch;

#[cfg(snapshot_loom)]
pub(super) use counted::{Grace, Inside};
#[cfg(not(snapshot_loom))]
pub(super) use epoch::{Grace, Inside};
