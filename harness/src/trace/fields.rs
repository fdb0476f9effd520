//! Numbers and words out of a line's bytes, without a copy.
//!
//! Numbers are read eight digits at a time where eight bytes are at hand:
//!
//! ```text
//!  bytes   '2' '6' '0' '4' '7' '8' ' ' '2'      one word
//!  digit?   y   y   y   y   y   y   n   y       a bit a byte, by adding and masking
//!  count    6 = position of the first n
//!  shift    drops what follows and fills zeros in front, three multiplications join digits, pairs, fours
//! ```

use super::Lsn;

/// What stood at the cursor was not this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) what: &'static str,
    /// Bytes from the end of the text that the cursor was made for.
    pub(crate) bytes_left: usize,
}

pub(crate) type Parsed<T> = Result<T, Expected>;

pub(crate) const LSN: &str =
    "an LSN, two hexadecimal numbers of at most eight digits like 0/3104D908";
const XID: &str = "a transaction id from 3 to 4294967295";
const FULL_XID: &str =
    "a 64-bit transaction id (epoch * 2^32 + id) whose low half is no reserved id";
const NUMBER: &str = "a decimal number";

/// The place in a line up to which it has been read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Cursor { rest: text }
    }

    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[cold]
    pub(crate) fn expected<T>(&self, what: &'static str) -> Parsed<T> {
        Err(Expected { what, bytes_left: self.rest.len() })
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Steps over `word` if it stands here.
    #[inline]
    pub(crate) fn skip(&mut self, word: &[u8]) -> bool {
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Steps over `word`, which must stand here.
    #[inline]
    pub(crate) fn literal(&mut self, word: &'static str) -> Parsed<()> {
        if self.skip(word.as_bytes()) { Ok(()) } else { self.expected(word) }
    }

    /// Steps over blanks.
    #[inline]
    pub(crate) fn blanks(&mut self) {
        while let Some(eight) = self.rest.first_chunk::<8>() {
            let others = u64::from_le_bytes(*eight) ^ 0x2020_2020_2020_2020;
            let count = (others.trailing_zeros() / 8) as usize;
            self.rest = &self.rest[count..];
            if count < 8 {
                return;
            }
        }
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Steps over a word of bytes above the blank.
    pub(crate) fn word(&mut self) {
        let length = self.rest.iter().take_while(|&&byte| byte > b' ').count();
        self.rest = &self.rest[length..];
    }

    #[inline]
    pub(crate) fn lsn(&mut self) -> Parsed<Lsn> {
        let before = *self;
        // The high half is a single digit for the first 64 GiB of a log.
        let high = match self.rest {
            [digit, b'/', ..] if HEX[usize::from(*digit)] < 16 => {
                self.rest = &self.rest[1..];
                Some(u32::from(HEX[usize::from(*digit)]))
            }
            _ => self.long_half(),
        };
        let (Some(high), true, Some(low)) = (high, self.skip(b"/"), self.hex32()) else {
            return before.expected(LSN);
        };
        Ok(Lsn::new(u64::from(high) << 32 | u64::from(low)))
    }

    #[cold]
    fn long_half(&mut self) -> Option<u32> {
        self.hex32()
    }

    #[inline(always)]
    fn hex32(&mut self) -> Option<u32> {
        if let Some(eight) = self.rest.first_chunk::<8>() {
            let (value, count) = leading_hex_digits(u64::from_le_bytes(*eight));
            self.rest = &self.rest[count..];
            let more = count == 8 && self.peek().is_some_and(|byte| HEX[usize::from(byte)] < 16);
            return (count > 0 && !more).then_some(value);
        }
        self.hex_near_end()
    }

    /// Where fewer than eight bytes are left.
    #[cold]
    fn hex_near_end(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        let mut digits = 0;
        while let Some(&byte) = self.rest.get(digits) {
            let digit = HEX[usize::from(byte)];
            if digit > 15 {
                break;
            }
            value = value << 4 | u32::from(digit);
            digits += 1;
        }
        self.rest = &self.rest[digits..];
        (1..=8).contains(&digits).then_some(value)
    }

    /// A 32-bit id that a transaction can have.
    #[inline]
    pub(crate) fn xid(&mut self) -> Parsed<u32> {
        let before = *self;
        match self.decimal(10) {
            Some(xid @ 3..=0xFFFF_FFFF) => Ok(xid as u32),
            _ => before.expected(XID),
        }
    }

    /// A 32-bit id or 0, which stands for none.
    #[inline]
    pub(crate) fn xid_or_none(&mut self) -> Parsed<Option<u32>> {
        let before = *self;
        match self.decimal(10) {
            Some(0) => Ok(None),
            Some(xid @ 3..=0xFFFF_FFFF) => Ok(Some(xid as u32)),
            _ => before.expected("a transaction id from 3 to 4294967295, or 0 for none"),
        }
    }

    /// A 64-bit id that a transaction can have.
    pub(crate) fn full_xid(&mut self) -> Parsed<snapshot_api::FullXid> {
        let before = *self;
        match self.decimal(20).map(snapshot_api::FullXid::new) {
            Some(xid) if xid.is_normal() => Ok(xid),
            _ => before.expected(FULL_XID),
        }
    }

    /// A plain number that fits in 32 bits.
    pub(crate) fn number(&mut self) -> Parsed<u32> {
        let before = *self;
        match self.decimal(10).map(u32::try_from) {
            Some(Ok(number)) => Ok(number),
            _ => before.expected(NUMBER),
        }
    }

    /// A number of at most `most` digits that fits in 64 bits.
    #[inline(always)]
    fn decimal(&mut self, most: usize) -> Option<u64> {
        if let Some(eight) = self.rest.first_chunk::<8>() {
            let (number, count) = leading_digits(u64::from_le_bytes(*eight));
            if count < 8 {
                self.rest = &self.rest[count..];
                return (count > 0).then_some(number);
            }
            return self.long_decimal(number, 8, most);
        }
        self.long_decimal(0, 0, most)
    }

    /// Digit by digit, from the one after `digits` that make `value`.
    #[inline(never)]
    fn long_decimal(&mut self, mut value: u64, mut digits: usize, most: usize) -> Option<u64> {
        while let Some(&byte) = self.rest.get(digits) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
            digits += 1;
        }
        self.rest = &self.rest[digits..];
        (1..=most).contains(&digits).then_some(value)
    }
}

/// The number that a word's leading digits make, the first one in the lowest byte, and how many they are.
#[inline(always)]
pub(crate) fn leading_digits(word: u64) -> (u64, usize) {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    // '0'..='9' become 0..=9; what lies outside gets a bit in its high half, by itself or after adding 6. A carry out of
    // a byte can only come from a byte that is no digit, so that the lowest marked byte is right.
    let values = word ^ ZEROS;
    let marks = (values | values.wrapping_add(0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0;
    let count = (marks.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // The digits move to the top; zeros, which stand for leading zeros, come in below.
    let digits = values << (64 - 8 * count);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF;
    (eight, count)
}

/// The same for hexadecimal digits.
#[inline(always)]
pub(crate) fn leading_hex_digits(word: u64) -> (u32, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x80 * ONES;
    // A byte's top bit tells, for bytes below 128, whether it is at least `least`: no sum reaches the next byte.
    let low = word & !TOPS;
    let at_least = |bytes: u64, least: u8| bytes + u64::from(0x80 - least) * ONES;
    let small = low | (0x20 * ONES);
    let digit = at_least(low, b'0') & !at_least(low, b'9' + 1);
    let letter = at_least(small, b'a') & !at_least(small, b'f' + 1);
    let others = !((digit | letter) & !word) & TOPS;
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // Letters have bit 6 and count from 1.
    let values = (word & (0x0F * ONES)) + 9 * ((word >> 6) & ONES);
    let digits = values << (64 - 8 * count);
    let pairs = (digits << 4 | digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs << 8 | pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    ((fours << 16 | fours >> 32) as u32, count)
}

/// The value of a hexadecimal digit; 255 for every other byte.
pub(crate) static HEX: [u8; 256] = {
    let mut table = [255; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789ABCDEF"[value] as usize] = value as u8;
        table[b"0123456789abcdef"[value] as usize] = value as u8;
        value += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_before_every_byte() {
        for text in
            ["3", "42", "123", "1234", "98765", "290042", "4294967", "12345678", "429496729"]
        {
            for after in 0..=255_u8 {
                if after.is_ascii_digit() {
                    continue;
                }
                for filler in [&b""[..], b"0123456789", b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"] {
                    let mut line = text.as_bytes().to_vec();
                    line.push(after);
                    line.extend_from_slice(filler);
                    let mut cursor = Cursor::new(&line);
                    assert_eq!(cursor.xid().ok(), text.parse().ok(), "{line:?}");
                    assert_eq!(cursor.peek(), Some(after));
                }
            }
        }
    }

    #[test]
    fn ids_out_of_range() {
        for text in
            ["0", "1", "2", "4294967296", "00000000003", "99999999999999999999999", "", "-5", "x"]
        {
            assert!(Cursor::new(text.as_bytes()).xid().is_err(), "{text}");
        }
        for text in ["0", "2", "4294967297", "18446744073709551616", "x"] {
            assert!(Cursor::new(text.as_bytes()).full_xid().is_err(), "{text}");
        }
        assert_eq!(Cursor::new(b"4294967295").xid().ok(), Some(u32::MAX));
        assert_eq!(Cursor::new(b"0").xid_or_none().ok(), Some(None));
        assert!(Cursor::new(b"1").xid_or_none().is_err());
    }

    #[test]
    fn positions() {
        for low in [0x7, 0xAB, 0x123, 0xCDEF, 0x98765, 0xABCDEF, 0x7654321, 0x89AB_CDEF_u64] {
            for text in
                [format!("0/{low:X} xxxxxxxx"), format!("{low:x}/1 "), format!("1/{low:08X},")]
            {
                let mut cursor = Cursor::new(text.as_bytes());
                let lsn = cursor.lsn().ok().map(Lsn::get);
                let high = text.starts_with(&format!("{low:x}/"));
                let first = u64::from(text.starts_with("1/"));
                assert_eq!(
                    lsn,
                    Some(if high { low << 32 | 1 } else { first << 32 | low }),
                    "{text}"
                );
                assert!(!cursor.rest().is_empty());
            }
        }
        for byte in (0..=255_u8).filter(|byte| !byte.is_ascii_hexdigit()) {
            let line = [b'0', b'/', b'A', b'9', byte, b'f', b'F', b'0', b'0', b'0', b'0'];
            let mut cursor = Cursor::new(&line);
            assert_eq!(cursor.lsn().ok(), Some(Lsn::new(0xA9)), "{byte}");
            assert_eq!(cursor.peek(), Some(byte));
        }
        assert_eq!("FF/a".parse(), Ok(Lsn::new(0xFF_0000_000A)));
        assert_eq!("0/0000000A".parse(), Ok(Lsn::new(10)));
        for text in ["", "/", "0/", "/0", "0/000000001", "000000001/0", "0-1", "0/1 ", "0/G"] {
            assert_eq!(text.parse::<Lsn>(), Err(LSN), "{text}");
        }
    }
}
