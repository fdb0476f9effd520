//! Runs of lines of `events.txt` that differ in their digits alone, read four at a time.
//!
//! Nearly all lines of a log are `0/33000190 assign 292800` and `0/330001A8 commit 292799`, and for a long time all have the same
//! length: positions gain a digit rarely, ids too. So the line read last is a pattern for those behind it:
//!
//! ```text
//!              first half ──────────────────────▼ second half ─────────────────▼
//!  line         \n 0 / 3 3 0 0 0 1 9 0 ␣ a s s i g n ␣ 2 9 2 8 0 0 \n 0 / 3 3 0
//!  pattern       · 0 / x x x x x x x x ␣ a s s i g n ␣ 2 9 d d d d \n · · · · ·      if the letter is an a
//!                · 0 / x x x x x x x x ␣ c o m m i t ␣ 2 9 d d d d \n · · · · ·      if it is a c
//! ```
//!
//! `·` may be anything, `x` must be an uppercase hexadecimal digit and `d` a decimal one, all else must be equal. Where
//! lines begin is known without having read the one before, nothing depends on what is as good as random (which kind
//! comes next), and four lines share each step in 16-byte vectors: differences to the pattern, digits to values, pairs,
//! fours. Positions and ids of four lines come out as one vector each; one branch asks whether all was right.
//!
//! A line that does not fit in, right or wrong, ends the run and is for [`native`](super::native) to judge, so that there
//! is one place that knows what is wrong with a line.
//!
//! Costs for lines of 25 bytes, most of them in runs (`cargo bench -p harness --bench parse`): 3.5 ns a line with an event handed
//! out for each, where one by one it is 23 ns and counting line ends, as fast as the caches deliver text, 1.2 ns. Kernels that
//! were tried on the way and not kept, events left out, once each: one line at a time by this pattern with a branch on the
//! kind 9.3 ns, without it 5.0 ns; two lines at a time in 64-bit words 4.1 ns; four in vectors, as here, 2.7 ns.

use std::ops::ControlFlow;

use wide::{bytemuck::cast, i16x8, i32x4, u8x16, u16x8, u32x4};

use super::{
    Lsn,
    event::{Kind, Tree},
};

/// Where the blank behind the position stands in a line's two halves: as many bytes as fit into them before it.
const BLANK: usize = 12;

/// No line of a pattern is longer.
const LONGEST: usize = 31;

/// How much text the last of four lines may touch.
const AHEAD: usize = 4 * 32;

/// What the lines of a run have in common.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// What stands in the first halves of an `assign` and of a `commit`; '0' for digits.
    left: [[u8; 16]; 2],
    /// The same for the second halves.
    right: [[u8; 16]; 2],
    /// Ones where both have to stand.
    fixed: [[u8; 16]; 2],
    /// The position without its lower 32 bits.
    high: u64,
    /// The id without its last four digits.
    xid: u32,
    /// Bytes before the blank behind the position.
    blank: usize,
    /// Digits of the id.
    digits: usize,
    /// Bytes of a line with its end.
    length: usize,
}

/// Four lines.
struct Four {
    /// Lower halves of their positions.
    lsns: [u32; 4],
    xids: [u32; 4],
    /// 1 for commits.
    commits: [u8; 4],
}

impl Pattern {
    /// The pattern of lines like this one, an `assign` or a `commit` of this id and no other. `None` unless it has the
    /// room for what varies: positions from 1 MiB, ids from 10,000.
    pub(crate) fn of(line: &[u8], lsn: Lsn, xid: u32) -> Option<Pattern> {
        let digits = xid.checked_ilog10()? as usize + 1;
        let blank = line.len().checked_sub(b" assign \n".len() + digits)?;
        let base = xid / 10_000 * 10_000;
        // With the last digits all 9 it must still be an id.
        if base == 0 || base.checked_add(9_999).is_none() || !(8..=BLANK).contains(&blank) {
            return None;
        }
        // Anything else where a zero leads.
        let named = |name: &[u8]| line[blank..].starts_with(name);
        if !named(b" assign ") && !named(b" commit ") {
            return None;
        }
        let slash = line[..blank].iter().position(|&byte| byte == b'/')?;
        let before = BLANK - blank;
        let mut lines = [[0; 32]; 2];
        let mut fixed = [0; 32];
        fixed[before..before + line.len()].fill(0xFF);
        let vary = [before + slash + 1..BLANK, BLANK + 4 + digits..BLANK + 8 + digits];
        for digits in vary.clone() {
            fixed[digits].fill(0);
        }
        for (text, name) in lines.iter_mut().zip([b" assign ", b" commit "]) {
            text[before..before + line.len()].copy_from_slice(line);
            text[BLANK..BLANK + 8].copy_from_slice(name);
            for digits in vary.clone() {
                text[digits].fill(b'0');
            }
        }
        let [assign, commit] = lines.map(halves);
        Some(Pattern {
            left: [assign[0], commit[0]],
            right: [assign[1], commit[1]],
            fixed: halves(fixed),
            high: lsn.get() >> 32 << 32,
            xid: base,
            blank,
            digits,
            length: line.len(),
        })
    }

    /// How many bytes before the next line it has to look at.
    pub(crate) fn back(&self) -> usize {
        BLANK - self.blank
    }

    /// Bytes of a line with its end.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Whether there is enough text, from [`back`](Self::back) on, to look at.
    pub(crate) fn fits(text: &[u8]) -> bool {
        text.len() >= AHEAD
    }

    /// Hands out lines at the beginning of `text` as long as they fit in and are not before `last`, which it keeps up to
    /// date. Returns how many, the one that `f` broke off at included.
    ///
    /// A function of its own: among all that surrounds it, it would have too few registers.
    #[inline(never)]
    pub(crate) fn run<B>(
        &self,
        mut text: &[u8],
        last: &mut Lsn,
        mut f: impl FnMut(Lsn, Kind<'static>) -> ControlFlow<B>,
    ) -> (usize, ControlFlow<B>) {
        let mut lines = 0;
        // It is the position of the line that the pattern was made of, or of one like it: lower halves tell the order.
        debug_assert_eq!(last.get() >> 32 << 32, self.high);
        let mut low = last.get() as u32;
        while let Some(block) = text.first_chunk()
            && let Some(four) = self.four(block, low)
        {
            low = four.lsns[3];
            for line in 0..4 {
                let lsn = Lsn::new(self.high | u64::from(four.lsns[line]));
                let xid = four.xids[line];
                let kind = if four.commits[line] == 1 {
                    Kind::Commit(Tree { xid, subxids: &[] })
                } else {
                    Kind::Assign(xid)
                };
                if let ControlFlow::Break(value) = f(lsn, kind) {
                    *last = lsn;
                    return (lines + line + 1, ControlFlow::Break(value));
                }
            }
            lines += 4;
            text = &text[4 * (self.length & LONGEST)..];
        }
        *last = Lsn::new(self.high | u64::from(low));
        (lines, ControlFlow::Continue(()))
    }

    /// The next four lines, if all of them fit in and go forward.
    #[inline(always)]
    fn four(&self, text: &[u8; AHEAD], last: u32) -> Option<Four> {
        // Both are in these ranges anyway; said so, no access needs a check.
        let (length, digits) = (self.length & LONGEST, self.digits & 15);
        let [mut left, mut right] = [u8x16::ZERO; 2];
        let [mut upper, mut lower, mut ids] = [[0_u32; 4]; 3];
        let mut commits = [0; 4];
        for line in 0..4 {
            let (halves, _) = text[line * length..].as_chunks::<16>();
            // The letters of the two kinds differ in this bit.
            let commit = halves[0][BLANK + 1] >> 1 & 1;
            commits[line] = commit;
            let first = u8x16::new(halves[0]) ^ u8x16::new(self.left[usize::from(commit)]);
            left |= first;
            right |= u8x16::new(halves[1]) ^ u8x16::new(self.right[usize::from(commit)]);
            let words: [u32; 4] = cast(first);
            [upper[line], lower[line]] = [words[1], words[2]];
            let at = line * length + BLANK + 4 + digits;
            ids[line] = u32::from_le_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]]);
        }
        let [fixed_left, fixed_right] = self.fixed.map(u8x16::new);
        let differ = left & fixed_left | right & fixed_right;
        let (upper_right, upper) = hexadecimal(cast(upper));
        let (lower_right, lower) = hexadecimal(cast(lower));
        let (ids_right, ids) = decimal(cast(ids));
        let lsns = upper << 16_u32 | lower;
        // Vectors compare signed numbers: without the top bit's meaning the order is the same.
        let signed: [i32; 4] = cast(lsns ^ u32x4::splat(1 << 31));
        let before = i32x4::new([(last ^ 1 << 31) as i32, signed[0], signed[1], signed[2]]);
        let back: u8x16 = cast(before.simd_gt(i32x4::new(signed)));
        let right = upper_right & lower_right & ids_right & differ.simd_eq(u8x16::ZERO) & !back;
        (right.to_bitmask() == 0xFFFF).then(|| Four {
            lsns: lsns.to_array(),
            xids: (ids + u32x4::splat(self.xid)).to_array(),
            commits,
        })
    }
}

fn halves(bytes: [u8; 32]) -> [[u8; 16]; 2] {
    cast(bytes)
}

/// Four hexadecimal digits in each word, every one xor '0'. Ones where that is so, and the numbers.
#[inline(always)]
fn hexadecimal(bytes: u8x16) -> (u8x16, u32x4) {
    const A: u8 = b'A' ^ b'0';
    let figure = bytes.min(u8x16::splat(9)).simd_eq(bytes);
    let above_a = bytes - u8x16::splat(A);
    let letter = above_a.min(u8x16::splat(5)).simd_eq(above_a);
    let values: u16x8 = cast(bytes - (letter & u8x16::splat(A - 10)));
    // The first digit lies in the lower byte.
    let pairs = (values & u16x8::splat(0xFF)) << 4_u16 | values >> 8_u16;
    (figure | letter, join(pairs, 256))
}

/// The same for decimal digits as they stand in the text.
#[inline(always)]
fn decimal(bytes: u8x16) -> (u8x16, u32x4) {
    let bytes = bytes - u8x16::splat(b'0');
    let figure = bytes.min(u8x16::splat(9)).simd_eq(bytes);
    let values: u16x8 = cast(bytes);
    let pairs = (values & u16x8::splat(0xFF)) * u16x8::splat(10) + (values >> 8_u16);
    (figure, join(pairs, 100))
}

/// Numbers out of two pairs of digits each.
#[inline(always)]
fn join(pairs: u16x8, base: i16) -> u32x4 {
    let pairs: i16x8 = cast(pairs);
    cast(pairs.dot(i16x8::new([base, 1, base, 1, base, 1, base, 1])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of these lines, behind the first, are read as being like it.
    fn like_the_first(text: &str) -> usize {
        let (first, _) = text.split_once('\n').unwrap();
        let fields: Vec<&str> = first.split(' ').collect();
        let (mut last, xid) = (fields[0].parse().unwrap(), fields[2].parse().unwrap());
        let length = first.len() + 1;
        let pattern = Pattern::of(&text.as_bytes()[..length], last, xid).unwrap();
        let text = &text.as_bytes()[length - pattern.back()..];
        pattern.run(text, &mut last, |_, _| ControlFlow::<()>::Continue(())).0
    }

    #[test]
    fn lines_alike_are_read_in_fours() {
        for first in
            ["0/12345678 assign 12345", "F/123456 commit 123456", "ABC/00000000 assign 4294959999"]
        {
            let other = first.replace("assign", "other").replace("commit", "assign");
            let other = other.replace("other", "commit");
            let text = format!("{first}\n{other}\n{other}\n{first}\n").repeat(4);
            // The last of the sixteen lines have too little behind them.
            assert!(matches!(like_the_first(&text), 8 | 12), "{first}");
            let (five, rest) = text.split_at(5 * (first.len() + 1));
            assert_eq!(like_the_first(&format!("{five}{}", rest.replacen('\n', "x\n", 1))), 4);
        }
    }

    #[test]
    fn no_pattern_without_room_for_what_varies() {
        let pattern = |line: &str, xid| Pattern::of(line.as_bytes(), Lsn::new(0x1234_5678), xid);
        assert!(pattern("0/12345678 assign 10000\n", 10_000).is_some());
        for (line, xid) in [
            ("0/12345678 assign 9999\n", 9_999),
            ("0/12345678 assign 4294967295\n", u32::MAX),
            ("0/12345678 assign 010000\n", 10_000),
            ("0/12345678 abort 10000\n", 10_000),
            ("0/12345 assign 10000\n", 10_000),
            ("1234/12345678 assign 10000\n", 10_000),
        ] {
            assert!(pattern(line, xid).is_none(), "{line}");
        }
    }
}
