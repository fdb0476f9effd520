//! [`Spread`]: a hash of ids for the writer's index.

use std::hash::Hasher;

/// Spreads ids over the index: they are close together, and a table takes its place from the low bits and a tag from the
/// high ones.
#[derive(Debug, Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    #[inline]
    fn write_u64(&mut self, id: u64) {
        // 2⁶⁴ divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(26);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
