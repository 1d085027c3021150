//! Exact sums and differences.

use super::{Number, NumberError};
use crate::limits::{NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN};

/// 10^38: one more than the largest coefficient.
const COEFFICIENT_END: u128 = 10_u128.pow(38);

impl Number {
    /// The exact sum.
    ///
    /// # Errors
    /// If the sum is out of range or needs more than 38 digits; it is never rounded.
    pub fn checked_add(&self, other: &Number) -> Result<Number, NumberError> {
        if self.is_zero() {
            return Ok(*other);
        }
        if other.is_zero() {
            return Ok(*self);
        }
        let (high, low) = if self.last_power() >= other.last_power() { (self, other) } else { (other, self) };
        let power = low.last_power();
        // Neither coefficient ends in zero. So if the higher one, scaled to the lower one's power, leaves
        // the 128 bits, the sum has 39 digits or more that all count, and it lies in range.
        let scaled = 10_u128
            .checked_pow((high.last_power() - power).unsigned_abs())
            .and_then(|scale| high.coefficient().checked_mul(scale))
            .ok_or(NumberError::TooManyDigits)?;
        let addend = low.coefficient();
        if high.negative == low.negative {
            let sum = scaled.checked_add(addend).ok_or(NumberError::TooManyDigits)?;
            Number::from_coefficient(high.negative, sum, power)
        } else {
            let negative = if scaled >= addend { high.negative } else { low.negative };
            Number::from_coefficient(negative, scaled.abs_diff(addend), power)
        }
    }

    /// The exact difference.
    ///
    /// # Errors
    /// As [`checked_add`](Self::checked_add).
    pub fn checked_sub(&self, other: &Number) -> Result<Number, NumberError> {
        self.checked_add(&other.negated())
    }

    /// The number with the other sign.
    pub fn negated(&self) -> Number {
        Number { negative: !self.negative && !self.is_zero(), ..*self }
    }

    /// The number `magnitude` × 10^`power` with a sign, if it can be stored.
    pub(super) fn from_coefficient(
        negative: bool,
        mut magnitude: u128,
        mut power: i32,
    ) -> Result<Number, NumberError> {
        if magnitude == 0 {
            return Ok(Number::ZERO);
        }
        let mut too_many = false;
        if magnitude >= COEFFICIENT_END {
            too_many = !magnitude.is_multiple_of(10);
            magnitude /= 10;
            power += 1;
        }
        let mut number = Number::ZERO;
        // Now below 10^38, so each half fits into 64 bits.
        let (upper, lower) = (magnitude / 10_u128.pow(19), magnitude % 10_u128.pow(19));
        let mut all = [0_u8; 38];
        let (upper_digits, lower_digits) = all.split_at_mut(19);
        write_digits(upper as u64, upper_digits);
        write_digits(lower as u64, lower_digits);
        let first = all.iter().position(|&digit| digit != 0).unwrap_or(0);
        let end = all.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1);
        for (kept, digit) in number.digits.iter_mut().zip(all.iter().take(end).skip(first)) {
            *kept = *digit;
        }
        number.length = (end - first) as u8;
        number.negative = negative;
        let exponent = power + 37 - first as i32;
        number.exponent = in_range(exponent)?;
        if too_many { Err(NumberError::TooManyDigits) } else { Ok(number) }
    }

    /// The digits as an integer.
    pub(super) fn coefficient(&self) -> u128 {
        let (upper, lower) = self.significant().split_at(usize::from(self.length).min(19));
        let value = |digits: &[u8]| digits.iter().fold(0_u64, |value, digit| value * 10 + u64::from(*digit));
        u128::from(value(upper)) * 10_u128.pow(lower.len() as u32) + u128::from(value(lower))
    }

    /// The power of ten of the last digit.
    pub(super) fn last_power(&self) -> i32 {
        i32::from(self.exponent) - i32::from(self.length) + 1
    }
}

fn in_range(exponent: i32) -> Result<i16, NumberError> {
    if exponent > i32::from(NUMBER_EXPONENT_MAX) {
        Err(NumberError::Overflow)
    } else if exponent < i32::from(NUMBER_EXPONENT_MIN) {
        Err(NumberError::Underflow)
    } else {
        Ok(exponent as i16)
    }
}

fn write_digits(mut value: u64, out: &mut [u8]) {
    for place in out.iter_mut().rev() {
        *place = (value % 10) as u8;
        value /= 10;
    }
}
