//! The encoding of numbers whose order as bytes is the order of the numbers.
//!
//! Zero is one byte. Any other number is a byte for its sign, a byte for the power of ten of its first
//! digit, and a byte for each two digits: twice their value, plus one if another pair follows. Below zero
//! all but the sign is complemented. So no encoding is the beginning of another one, and a longer number
//! sorts behind the shorter one it extends. At most 21 bytes.

use super::{Number, size_of};
use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MIN};

const NEGATIVE: u8 = 0x40;
const ZERO: u8 = 0x80;
const POSITIVE: u8 = 0xC0;

impl Number {
    /// Appends the order-keeping encoding.
    pub fn write_ordered(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            out.push(ZERO);
            return;
        }
        let (sign, flip) = if self.negative { (NEGATIVE, 0xFF) } else { (POSITIVE, 0) };
        out.push(sign);
        out.push((self.exponent - NUMBER_EXPONENT_MIN) as u8 ^ flip);
        let pairs = usize::from(self.length).div_ceil(2);
        let (all, _) = self.digits.as_chunks::<2>();
        for (index, [tens, units]) in all.iter().take(pairs).enumerate() {
            let more = u8::from(index + 1 < pairs);
            out.push((2 * (10 * tens + units) + more) ^ flip);
        }
    }

    /// Reads an encoding at the start of `bytes`; gives the number and the length of its encoding. None
    /// if no number's encoding stands there.
    pub fn read_ordered(bytes: &[u8]) -> Option<(Number, usize)> {
        let (&sign, rest) = bytes.split_first()?;
        let flip = match sign {
            ZERO => return Some((Number::ZERO, 1)),
            POSITIVE => 0,
            NEGATIVE => 0xFF,
            _ => return None,
        };
        let (&exponent, pairs) = rest.split_first()?;
        let mut number = Number {
            negative: sign == NEGATIVE,
            exponent: i16::from(exponent ^ flip) + NUMBER_EXPONENT_MIN,
            ..Number::ZERO
        };
        let (places, _) = number.digits.as_chunks_mut::<2>();
        let mut places = places.iter_mut();
        for (index, &byte) in pairs.iter().enumerate() {
            let byte = byte ^ flip;
            let pair = byte / 2;
            let place = places.next()?;
            *place = [pair / 10, pair % 10];
            if pair > 99 || index == 0 && pair < 10 {
                return None;
            }
            if byte.is_multiple_of(2) {
                if pair == 0 {
                    return None;
                }
                let digits = 2 * (index + 1) - usize::from(pair.is_multiple_of(10));
                number.length = digits.min(NUMBER_DIGITS_MAX) as u8;
                return Some((number, index + 3));
            }
        }
        None
    }
}

/// How long the encoding at the start of `bytes` is, without reading the number. None if it does not end.
pub(crate) fn ordered_length(bytes: &[u8]) -> Option<usize> {
    let flip = match *bytes.first()? {
        ZERO => return Some(1),
        NEGATIVE => 1,
        _ => 0,
    };
    let last = bytes.get(2..)?.iter().position(|byte| (byte ^ flip) & 1 == 0)?;
    Some(last + 3)
}

/// The size of the number encoded as `bytes`, without reading its digits. None if it is no number's encoding.
pub(crate) fn ordered_size(bytes: &[u8]) -> Option<u64> {
    let (negative, flip) = match *bytes.first()? {
        ZERO => return Some(1),
        NEGATIVE => (true, 0xFF),
        POSITIVE => (false, 0),
        _ => return None,
    };
    let exponent = i32::from(bytes.get(1)? ^ flip) + i32::from(NUMBER_EXPONENT_MIN);
    let pairs = i32::try_from(bytes.len()).ok()? - 2;
    // The last pair of digits ends in a zero that isn't significant, or doesn't.
    let last = bytes.last()? ^ flip;
    let digits = 2 * pairs - i32::from((last / 2).is_multiple_of(10));
    (pairs > 0).then(|| size_of(negative, exponent, digits))
}

/// The power of ten of the first digit of the number encoded as `bytes`; that of zero is the least.
pub(crate) fn ordered_exponent(bytes: &[u8]) -> Option<i32> {
    let flip = match *bytes.first()? {
        ZERO => return Some(i32::from(NUMBER_EXPONENT_MIN)),
        NEGATIVE => 0xFF,
        POSITIVE => 0,
        _ => return None,
    };
    Some(i32::from(bytes.get(1)? ^ flip) + i32::from(NUMBER_EXPONENT_MIN))
}

/// The sign of the number encoded as `bytes`, its digits as a whole number, and the power of ten of the last of
/// them. None where the digits are too many.
pub(super) fn ordered_parts(bytes: &[u8]) -> Option<(bool, u64, i32)> {
    /// Nine pairs of digits are a number below 10^18.
    const PAIRS_MAX: usize = 9;
    let exponent = ordered_exponent(bytes)?;
    let (negative, flip) = match *bytes.first()? {
        ZERO => return Some((false, 0, 0)),
        NEGATIVE => (true, 0xFF),
        _ => (false, 0),
    };
    let pairs = bytes.get(2..).filter(|pairs| (1..=PAIRS_MAX).contains(&pairs.len()))?;
    let digits = pairs.iter().fold(0_u64, |digits, byte| digits * 100 + u64::from((byte ^ flip) / 2));
    let count = i32::try_from(pairs.len()).ok()?;
    Some((negative, digits, exponent - (2 * count - 1)))
}
