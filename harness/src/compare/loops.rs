//! [`Loops`]: the two loops that know both types of a pairing.
//!
//! All other code of a load knows one of them, or none: a pairing more is two loops more to compile, not four loads.

use snapshot_api::{SessionId, ThresholdStrategy};

use super::{course::Course, page_scan::Scanner, part::Part, session::Work};

/// What a session does: its work, its number and slot, the course, and what it writes down.
type Session<'a, S> = &'a (dyn Fn(&Work<'_, S>, (usize, SessionId), &Course, &mut Part) + Sync);
/// What a scanner does.
type Scan<'a, S> = &'a (dyn Fn(&Scanner<'_, S>, usize, &Course, &mut Part) + Sync);

/// The loops of a pairing, with its threshold.
pub(super) struct Loops<'a, S> {
    /// For who does not look at it in a loop: the writer, the counter of waits.
    pub(super) threshold: &'a dyn ThresholdStrategy,
    pub(super) session: Session<'a, S>,
    pub(super) scan: Scan<'a, S>,
}
