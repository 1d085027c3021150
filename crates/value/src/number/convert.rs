//! Numbers from and to Rust's integers.

use super::ordered::ordered_parts;
use super::{Number, NumberError};
use crate::limits::NUMBER_DIGITS_MAX;

/// Digits, `e`, a sign and an exponent of three digits.
const F32_TEXT_BYTES_MAX: usize = NUMBER_DIGITS_MAX + 5;

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Number {
                let value = i128::from(value);
                // A 64-bit integer has at most 20 digits, so this cannot fail.
                Number::from_coefficient(value < 0, value.unsigned_abs(), 0).unwrap_or(Number::ZERO)
            }
        }
    )*};
}

from_integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl std::str::FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Number, NumberError> {
        Number::parse(text)
    }
}

impl Number {
    /// The number as a 64-bit integer, if it is one.
    ///
    /// ```
    /// use keyplan_value::Number;
    ///
    /// assert_eq!(Number::from(1000).to_i64(), Some(1000));
    /// assert_eq!("1.5".parse::<Number>()?.to_i64(), None);
    /// # Ok::<(), keyplan_value::NumberError>(())
    /// ```
    pub fn to_i64(&self) -> Option<i64> {
        self.integer()?.try_into().ok()
    }

    /// The number as an unsigned 64-bit integer, if it is one.
    pub fn to_u64(&self) -> Option<u64> {
        self.integer()?.try_into().ok()
    }

    /// The nearest 32-bit floating-point number; nothing beyond the largest. What is too small becomes zero.
    ///
    /// ```
    /// use keyplan_value::Number;
    ///
    /// assert_eq!("0.1".parse::<Number>()?.to_f32(), Some(0.1));
    /// assert_eq!("1e39".parse::<Number>()?.to_f32(), None);
    /// # Ok::<(), keyplan_value::NumberError>(())
    /// ```
    pub fn to_f32(&self) -> Option<f32> {
        // The digits with an exponent, which is shorter than the normal form.
        let mut text = [b'0'; F32_TEXT_BYTES_MAX];
        let digits = self.significant();
        text.get_mut(..digits.len())?.copy_from_slice(digits);
        for digit in text.get_mut(..digits.len())? {
            *digit += b'0';
        }
        let power = self.last_power();
        let mut length = digits.len().max(1);
        let mut push = |byte: u8| {
            if let Some(place) = text.get_mut(length) {
                *place = byte;
                length += 1;
            }
        };
        push(b'e');
        push(if power < 0 { b'-' } else { b'+' });
        let magnitude = power.unsigned_abs();
        for divisor in [100, 10, 1] {
            push(b'0' + (magnitude / divisor % 10) as u8);
        }
        let value: f32 = std::str::from_utf8(text.get(..length)?).ok()?.parse().ok()?;
        value.is_finite().then_some(if self.negative { -value } else { value })
    }

    fn integer(&self) -> Option<i128> {
        let power = u32::try_from(self.last_power()).ok()?;
        let magnitude = self.coefficient().checked_mul(10_u128.checked_pow(power)?)?;
        let magnitude = i128::try_from(magnitude).ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }
}

/// The f32 nearest to the number encoded as `bytes`; nothing beyond the largest.
pub(crate) fn ordered_to_f32(bytes: &[u8]) -> Option<f32> {
    match ordered_parts(bytes).and_then(|(negative, digits, power)| quick_f32(negative, digits, power)) {
        Some(quick) => Some(quick),
        None => Number::read_ordered(bytes)?.0.to_f32(),
    }
}

/// Powers of ten that an f64 holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The f32 nearest to `digits` times a power of ten, where one operation on exact values gives the nearest f64 and
/// that one's own error can't matter: it isn't near the middle of two neighbouring f32.
fn quick_f32(negative: bool, digits: u64, power: i32) -> Option<f32> {
    const LOWER_BITS: u64 = (1 << 29) - 1;
    const MIDDLE: u64 = 1 << 28;
    let exact_power = EXACT_POWERS.get(usize::try_from(power.unsigned_abs()).ok()?)?;
    let exact = digits < 1 << 53;
    let value = if power < 0 { digits as f64 / exact_power } else { digits as f64 * exact_power };
    let is_normal = value == 0.0 || (f64::from(f32::MIN_POSITIVE)..f64::from(f32::MAX)).contains(&value);
    let is_clear = (value.to_bits() & LOWER_BITS).abs_diff(MIDDLE) > 1;
    (exact && is_normal && is_clear).then_some(if negative { -(value as f32) } else { value as f32 })
}
