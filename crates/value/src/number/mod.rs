//! Exact decimal numbers of 38 significant digits.

mod arithmetic;
mod convert;
mod ordered;
mod parse;

use std::cmp::Ordering;
use std::fmt;

use crate::limits::NUMBER_DIGITS_MAX;

pub(crate) use convert::ordered_to_f32;
pub(crate) use ordered::{ordered_exponent, ordered_length, ordered_size};

/// A DynamoDB number: exact, decimal, up to 38 significant digits, zero or of a magnitude from 1E-130 to
/// 9.9…E+125.
///
/// Numbers are compared by value: `1`, `1.0` and `1e0` are one number. It is shown in the service's
/// normal form, without exponent and without superfluous zeros.
///
/// ```
/// use keyplan_value::{Number, NumberError};
///
/// let price: Number = "1.50".parse()?;
/// assert_eq!(price.to_string(), "1.5");
/// assert_eq!(price.checked_add(&Number::from(2))?.to_string(), "3.5");
/// assert_eq!("1E+3".parse::<Number>()?, Number::from(1000));
/// assert_eq!("1e126".parse::<Number>(), Err(NumberError::Overflow));
/// # Ok::<(), NumberError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    /// The power of ten of the first digit; 0 for zero.
    exponent: i16,
    /// How many digits there are; 0 for zero.
    length: u8,
    /// The significant digits 0..=9, neither starting nor ending in zero, then zeros.
    digits: [u8; NUMBER_DIGITS_MAX],
}

/// Why a text or a result is no number that can be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberError {
    /// The text is not a decimal number.
    NotANumber,
    /// More than 38 significant digits.
    TooManyDigits,
    /// Magnitude beyond 9.9…E+125.
    Overflow,
    /// Magnitude below 1E-130 but not zero.
    Underflow,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::messages::number(*self))
    }
}

impl std::error::Error for NumberError {}

impl Number {
    /// Zero.
    pub const ZERO: Number =
        Number { negative: false, exponent: 0, length: 0, digits: [0; NUMBER_DIGITS_MAX] };

    /// Reads the text form: an optional sign, digits with at most one point, an optional exponent.
    ///
    /// # Errors
    /// If the text is not of this form, is out of range (judged before the digits are counted), or has
    /// more than 38 digits after leading and trailing zeros are taken away.
    pub fn parse(text: &str) -> Result<Number, NumberError> {
        parse::parse(text.as_bytes())
    }

    /// True for zero.
    pub fn is_zero(&self) -> bool {
        self.length == 0
    }

    /// True below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The size that DynamoDB counts: one byte, one for two digits before the point, one for two after
    /// it, and one for a minus sign. Leading and trailing zeros do not count, wherever the point is.
    ///
    /// ```
    /// use keyplan_value::Number;
    ///
    /// assert_eq!(Number::from(42).size(), 2);
    /// assert_eq!(Number::from(-42).size(), 3);
    /// assert_eq!(Number::from(1000).size(), 2);
    /// ```
    pub fn size(&self) -> u64 {
        size_of(self.negative, i32::from(self.exponent), i32::from(self.length))
    }

    /// Appends the normal form: plain decimal, no exponent, no superfluous zeros.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        if self.is_zero() || self.exponent < 0 {
            out.push(b'0');
        }
        let digits = self.significant();
        let before_point = usize::try_from(i32::from(self.exponent) + 1).unwrap_or(0);
        let (integer, fraction) = digits.split_at(before_point.min(digits.len()));
        out.extend(integer.iter().map(|digit| b'0' + digit));
        if self.exponent >= 0 && !self.is_zero() {
            out.resize(out.len() + before_point - integer.len(), b'0');
        }
        if !fraction.is_empty() {
            out.push(b'.');
            if self.exponent < 0 {
                out.resize(out.len() + usize::from((-1 - self.exponent).unsigned_abs()), b'0');
            }
            out.extend(fraction.iter().map(|digit| b'0' + digit));
        }
    }

    fn significant(&self) -> &[u8] {
        self.digits.get(..usize::from(self.length)).unwrap_or(&self.digits)
    }

    fn sign(&self) -> i8 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }
}

/// The size of a number with so many digits, the first of which stands for this power of ten.
fn size_of(negative: bool, exponent: i32, digits: i32) -> u64 {
    let before_point = (exponent + 1).clamp(0, digits);
    let pairs = (before_point + 1) / 2 + (digits - before_point + 1) / 2;
    1 + u64::from(pairs.unsigned_abs()) + u64::from(negative)
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = || self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits));
        self.sign().cmp(&other.sign()).then_with(|| match self.negative {
            true => magnitude().reverse(),
            false => magnitude(),
        })
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(40);
        self.write_text(&mut text);
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

#[cfg(test)]
mod tests;
