//! Capacity units.

use std::fmt;

use serde_json::Value;

/// Capacity units, which come in halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Units {
    halves: u64,
}

impl Units {
    /// So many halves of a unit.
    pub fn from_halves(halves: u64) -> Units {
        Units { halves }
    }

    /// Reads `2`, `2.0` or `0.5`; anything finer is no number of units.
    pub fn parse(text: &str) -> Option<Units> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let half = match fraction.trim_end_matches('0') {
            "" if !fraction.is_empty() => 0,
            "5" => 1,
            _ => return None,
        };
        if !whole.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let halves = whole.parse::<u64>().ok()?.checked_mul(2)?.checked_add(half)?;
        Some(Units { halves })
    }

    /// How many halves of a unit these are.
    pub fn halves(self) -> u64 {
        self.halves
    }

    /// The units as a JSON number.
    pub(crate) fn to_json(self) -> Value {
        if self.halves.is_multiple_of(2) {
            Value::from(self.halves / 2)
        } else {
            Value::from(self.halves as f64 / 2.0)
        }
    }
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.halves / 2, if self.halves.is_multiple_of(2) { "" } else { ".5" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_in_halves() {
        for (text, halves) in [("0.5", 1), ("1", 2), ("1.0", 2), ("2.50", 5), ("0", 0)] {
            assert_eq!(Units::parse(text).map(Units::halves), Some(halves), "{text}");
        }
        for text in ["", ".5", "0.25", "-1", "1.", "1e3", "99999999999999999999"] {
            assert_eq!(Units::parse(text), None, "{text}");
        }
        assert_eq!(Units::from_halves(3).to_string(), "1.5");
        assert_eq!(Units::from_halves(4).to_string(), "2");
    }
}
