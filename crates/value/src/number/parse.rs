//! Numbers from text.

use super::{Number, NumberError};
use crate::limits::{NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN};

/// Reads `text`. Digits are taken one by one without limit, so that a long text is refused for what is
/// wrong with it and not for its length.
pub(super) fn parse(text: &[u8]) -> Result<Number, NumberError> {
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let mut digits = Digits::new();
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b'0'..=b'9' => digits.push(byte - b'0'),
            b'.' if digits.before_point.is_none() => digits.before_point = Some(digits.seen),
            b'e' | b'E' => break,
            _ => return Err(NumberError::NotANumber),
        }
        rest = after;
    }
    let written_exponent = match rest {
        [] => 0,
        [_, exponent @ ..] => parse_exponent(exponent)?,
    };
    if digits.seen == 0 {
        return Err(NumberError::NotANumber);
    }
    // Zero is judged as though its last digit were 1: `0e126` overflows.
    let first = digits.first.unwrap_or(digits.seen - 1);
    let before_point = digits.before_point.unwrap_or(digits.seen);
    let exponent = i128::from(before_point) - i128::from(first) - 1 + i128::from(written_exponent);
    if exponent > i128::from(NUMBER_EXPONENT_MAX) {
        return Err(NumberError::Overflow);
    }
    if exponent < i128::from(NUMBER_EXPONENT_MIN) {
        return Err(NumberError::Underflow);
    }
    if digits.too_many {
        return Err(NumberError::TooManyDigits);
    }
    if digits.first.is_none() {
        return Ok(Number::ZERO);
    }
    Ok(Number { negative, exponent: exponent as i16, length: digits.length as u8, digits: digits.kept })
}

/// The number behind `e`. Beyond 64 bits the text is no number, as the service sees it.
fn parse_exponent(text: &[u8]) -> Result<i64, NumberError> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return Err(NumberError::NotANumber);
    }
    let mut exponent: i64 = 0;
    for byte in digits {
        let digit = match byte {
            b'0'..=b'9' => i64::from(byte - b'0'),
            _ => return Err(NumberError::NotANumber),
        };
        let signed = if negative { -digit } else { digit };
        exponent = exponent
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(signed))
            .ok_or(NumberError::NotANumber)?;
    }
    Ok(exponent)
}

struct Digits {
    kept: [u8; NUMBER_DIGITS_MAX],
    /// Digits kept so far, up to the last one that is not zero.
    length: usize,
    /// Zeros since then: they count only if another digit follows.
    zeros: usize,
    too_many: bool,
    /// All digits read, leading zeros included.
    seen: u64,
    /// How many digits stood before the first one that is not zero.
    first: Option<u64>,
    /// How many digits stood before the point.
    before_point: Option<u64>,
}

impl Digits {
    fn new() -> Self {
        Self {
            kept: [0; NUMBER_DIGITS_MAX],
            length: 0,
            zeros: 0,
            too_many: false,
            seen: 0,
            first: None,
            before_point: None,
        }
    }

    fn push(&mut self, digit: u8) {
        if digit == 0 {
            self.zeros += 1;
        } else {
            if self.first.is_none() {
                self.first = Some(self.seen);
                self.zeros = 0;
            }
            let place = self.length.saturating_add(self.zeros);
            match self.kept.get_mut(place) {
                Some(kept) => {
                    *kept = digit;
                    self.length = place + 1;
                }
                None => self.too_many = true,
            }
            self.zeros = 0;
        }
        self.seen += 1;
    }
}
