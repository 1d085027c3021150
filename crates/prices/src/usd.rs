//! Amounts of money.

use std::iter::Sum;
use std::ops::Add;

/// Parts of a dollar that an amount is counted in.
const PARTS: u128 = 1_000_000_000_000;

/// Decimals that an amount may have in the file: half of it is exact still.
const DECIMALS_MAX: usize = 11;

/// Digits before the point; a price is no larger.
const WHOLE_DIGITS_MAX: usize = 9;

/// An amount in US dollars, exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Usd {
    parts: u128,
}

impl Usd {
    /// Nothing.
    pub const ZERO: Usd = Usd { parts: 0 };

    /// Reads a decimal number such as `0.125`; nothing for what is none, or is too long.
    pub fn parse(text: &str) -> Option<Usd> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        let whole_fits = (1..=WHOLE_DIGITS_MAX).contains(&whole.len()) && digits(whole);
        let decimals_fit = decimals.len() <= DECIMALS_MAX && digits(decimals);
        if !whole_fits || !decimals_fit || text.ends_with('.') {
            return None;
        }
        let whole: u128 = whole.parse().ok()?;
        let decimals: u128 = format!("{decimals:0<12}").parse().ok()?;
        Some(Usd { parts: whole * PARTS + decimals })
    }

    /// The amount in millionths of a millionth of a dollar, to compare amounts by.
    pub const fn parts(self) -> u128 {
        self.parts
    }

    /// So many halves of the amount.
    #[must_use]
    pub fn halves(self, halves: u64) -> Usd {
        Usd { parts: self.parts.saturating_mul(u128::from(halves)) / 2 }
    }

    /// The amount for show: at least two decimals and at most four, rounded half up.
    pub fn shown(self) -> String {
        let ten_thousandth = PARTS / 10_000;
        let rounded = self.parts.saturating_add(ten_thousandth / 2) / ten_thousandth;
        let mut text = format!("{}.{:04}", rounded / 10_000, rounded % 10_000);
        for _ in 0..2 {
            if text.ends_with('0') {
                text.pop();
            }
        }
        text
    }
}

impl Add for Usd {
    type Output = Usd;

    fn add(self, other: Usd) -> Usd {
        Usd { parts: self.parts.saturating_add(other.parts) }
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Usd>>(amounts: I) -> Usd {
        amounts.fold(Usd::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_shown_with_two_to_four_decimals() {
        for (text, halves, shown) in [
            ("0.125", 1, "0.0625"),
            ("0.125", 2, "0.125"),
            ("0.625", 2, "0.625"),
            ("0.625", 4, "1.25"),
            ("0.125", 16, "1.00"),
            ("0.00013", 2, "0.0001"),
            ("0.00015", 2, "0.0002"),
            ("250", 2, "250.00"),
            ("0", 2, "0.00"),
        ] {
            assert_eq!(Usd::parse(text).unwrap().halves(halves).shown(), shown, "{text} x {halves}/2");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", ".", "1.", ".5", "-1", "1e3", "0,5", "1.123456789012", "1234567890"] {
            assert_eq!(Usd::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn two_halves_are_one(text in "[0-9]{1,9}\\.[0-9]{1,11}") {
            let usd = Usd::parse(&text).unwrap();
            prop_assert_eq!(usd.halves(1) + usd.halves(1), usd);
            prop_assert_eq!(usd.halves(2), usd);
        }
    }
}
