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
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    #[inline]
    pub(crate) fn lsn(&mut self) -> Parsed<Lsn> {
        let before = *self;
        let (Some(high), true, Some(low)) = (self.hex32(), self.skip(b"/"), self.hex32()) else {
            return before.expected(LSN);
        };
        Ok(Lsn::new(u64::from(high) << 32 | u64::from(low)))
    }

    #[inline]
    fn hex32(&mut self) -> Option<u32> {
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
    #[inline]
    fn decimal(&mut self, most: usize) -> Option<u64> {
        let mut value = 0_u64;
        let mut digits = 0;
        if let Some(eight) = self.rest.first_chunk::<8>() {
            let (number, count) = leading_digits(u64::from_le_bytes(*eight));
            if count < 8 {
                self.rest = &self.rest[count..];
                return (count > 0).then_some(number);
            }
            (value, digits) = (number, 8);
        }
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
#[inline]
fn leading_digits(word: u64) -> (u64, usize) {
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

/// The value of a hexadecimal digit; 255 for every other byte.
const HEX: [u8; 256] = {
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
        assert_eq!("FF/a".parse(), Ok(Lsn::new(0xFF_0000_000A)));
        assert_eq!("0/0000000A".parse(), Ok(Lsn::new(10)));
        for text in ["", "/", "0/", "/0", "0/000000001", "000000001/0", "0-1", "0/1 ", "0/G"] {
            assert_eq!(text.parse::<Lsn>(), Err(LSN), "{text}");
        }
    }
}
