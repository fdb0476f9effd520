//! [`Running`]: ids of a hidden iterator, many at each dynamic call.

use crate::Xid;

/// How many ids one dynamic call brings.
const CHUNK: usize = 32;

/// An iterator over ids that hands them out in chunks. Made for every iterator.
trait Chunks {
    /// Fills the chunk from its start; how many ids came.
    fn fill(&mut self, chunk: &mut [Xid; CHUNK]) -> usize;
}

impl<I: Iterator<Item = Xid>> Chunks for I {
    fn fill(&mut self, chunk: &mut [Xid; CHUNK]) -> usize {
        let places = chunk.iter_mut();
        // The place leads: an id is drawn only where there is one for it.
        places.zip(self).map(|(place, xid)| *place = xid).count()
    }
}

/// The running ids of a snapshot whose type is hidden: one allocation, one dynamic call for each chunk.
pub(super) struct Running<'a> {
    rest: Box<dyn Chunks + 'a>,
    chunk: [Xid; CHUNK],
    /// The ids of the chunk not handed out yet: from `next` to `end`.
    next: usize,
    end: usize,
}

impl<'a> Running<'a> {
    pub(super) fn new(ids: impl Iterator<Item = Xid> + 'a) -> Self {
        // Fused: after the last chunk it is asked once more.
        Running { rest: Box::new(ids.fuse()), chunk: [Xid::INVALID; CHUNK], next: 0, end: 0 }
    }
}

impl Iterator for Running<'_> {
    type Item = Xid;

    #[inline]
    fn next(&mut self) -> Option<Xid> {
        if self.next == self.end {
            (self.next, self.end) = (0, self.rest.fill(&mut self.chunk));
        }
        let xid = self.chunk[..self.end].get(self.next).copied();
        self.next += usize::from(xid.is_some());
        xid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts on after its end, as an iterator may.
    struct Restarts(u64, u64);

    impl Iterator for Restarts {
        type Item = Xid;

        fn next(&mut self) -> Option<Xid> {
            self.0 += 1;
            (!self.0.is_multiple_of(self.1 + 1)).then_some(Xid::new(self.0))
        }
    }

    #[test]
    fn every_length_once_and_in_order() {
        for length in [0, 1, 31, 32, 33, 64, 65, 200] {
            let mut running = Running::new(Restarts(0, length));
            let ids: Vec<u64> = running.by_ref().map(Xid::get).collect();
            assert_eq!(ids, (1..=length).collect::<Vec<_>>());
            assert_eq!(running.next(), None, "after its end");
        }
    }
}
