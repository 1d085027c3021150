//! Capacity units as model files write them.

use keyplan_engine::capacity::Units;

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
    Some(Units::halves(halves))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_in_halves() {
        for (text, halves) in [("0.5", 1), ("1", 2), ("1.0", 2), ("2.50", 5), ("0", 0)] {
            assert_eq!(parse(text), Some(Units::halves(halves)), "{text}");
        }
        for text in ["", ".5", "0.25", "-1", "1.", "1e3", "99999999999999999999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
