//! Numbers from and to Rust's integers.

use super::{Number, NumberError};

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

    fn integer(&self) -> Option<i128> {
        let power = u32::try_from(self.last_power()).ok()?;
        let magnitude = self.coefficient().checked_mul(10_u128.checked_pow(power)?)?;
        let magnitude = i128::try_from(magnitude).ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }
}
