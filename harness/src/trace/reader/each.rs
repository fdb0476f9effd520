//! Handing events to a closure, which is several times faster than asking for one after the other.

use std::ops::ControlFlow;

use super::{Format, TraceReader};
use crate::trace::{Event, Kind, Lsn, TraceError, Tree, alike::Pattern};

/// At most so many lines are read one by one before the next try to read four at a time.
const PATIENCE: u32 = 63;

impl TraceReader {
    /// Hands out all events that are left, or those up to the one at which `f` breaks off.
    ///
    /// The same events and errors as those of [`next_event`](Self::next_event), to which one may go back after a break.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use harness::trace::{Kind, TraceReader};
    ///
    /// let text = "0/28 init 100 100\n0/60 assign 100\n0/A8 commit 100\n";
    /// let mut reader = TraceReader::new(text.as_bytes(), "example")?;
    /// let first = reader.each(|event| match event.kind {
    ///     Kind::Assign(xid) => ControlFlow::Break(xid),
    ///     _ => ControlFlow::Continue(()),
    /// })?;
    /// assert_eq!(first, ControlFlow::Break(100));
    /// # Ok::<(), harness::trace::TraceError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`next_event`](Self::next_event).
    #[inline]
    pub fn each<B>(
        &mut self,
        mut f: impl FnMut(&Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TraceError> {
        // Where lines of one form are rare, tries are rare as well.
        let (mut wait, mut pause) = (0, 0);
        loop {
            let Some(event) = self.next_event()? else { return Ok(ControlFlow::Continue(())) };
            if let ControlFlow::Break(value) = f(&event) {
                return Ok(ControlFlow::Break(value));
            }
            let (Kind::Assign(xid) | Kind::Commit(Tree { xid, subxids: [] })) = event.kind else {
                continue;
            };
            let lsn = event.lsn;
            if wait > 0 {
                wait -= 1;
                continue;
            }
            match self.run(lsn, xid, &mut f) {
                (_, ControlFlow::Break(value)) => return Ok(ControlFlow::Break(value)),
                (Some(0), _) => pause = (2 * pause + 1).min(PATIENCE),
                (Some(_), _) => pause = 0,
                (None, _) => {}
            }
            wait = pause;
        }
    }

    /// Hands out lines of the form of the last one, an `assign` or a `commit` of this id. Returns how many, `None` where
    /// the text to look at is too short.
    #[inline]
    fn run<B>(
        &mut self,
        lsn: Lsn,
        xid: u32,
        mut f: impl FnMut(&Event<'_>) -> ControlFlow<B>,
    ) -> (Option<usize>, ControlFlow<B>) {
        let pattern = match self.format {
            Some(Format::Events) => Pattern::of(self.lines.last_line(), lsn, xid),
            _ => None,
        };
        let Some(pattern) = pattern else { return (Some(0), ControlFlow::Continue(())) };
        let Some(text) = self.lines.window_from(pattern.back()).filter(|text| Pattern::fits(text))
        else {
            return (None, ControlFlow::Continue(()));
        };
        let (lines, flow) = pattern.run(text, &mut self.last, |lsn, kind| f(&Event { lsn, kind }));
        self.lines.advance_by(lines, pattern.length());
        (Some(lines), flow)
    }
}
