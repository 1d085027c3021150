//! How figures and counted nouns are written; the browser code writes them alike.

/// `25,184`
pub(crate) fn grouped(figure: u64) -> String {
    let digits = figure.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `25,184 B`
pub(crate) fn bytes(figure: u64) -> String {
    format!("{} B", grouped(figure))
}

/// `1 item`, `4 items`
pub(crate) fn counted(figure: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(figure), if figure == 1 { "" } else { "s" })
}

/// How many times as much `much` is as `little`: `7`, `2.5`; nothing where there is nothing to divide by.
/// Rounded to one decimal.
pub(crate) fn times(much: u128, little: u128) -> Option<String> {
    let tenths = much.checked_mul(10)?.checked_add(little / 2)?.checked_div(little)?;
    Some(match tenths % 10 {
        0 => (tenths / 10).to_string(),
        tenth => format!("{}.{tenth}", tenths / 10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_groups_of_three() {
        for (figure, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (25_184, "25,184"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(figure), text);
        }
    }

    #[test]
    fn a_factor_has_at_most_one_decimal() {
        for (much, little, text) in
            [(14, 2, "7"), (5, 2, "2.5"), (10, 3, "3.3"), (20, 3, "6.7"), (1, 2, "0.5")]
        {
            assert_eq!(times(much, little).as_deref(), Some(text));
        }
        assert_eq!(times(1, 0), None);
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "item"), "1 item");
        assert_eq!(counted(0, "item"), "0 items");
    }
}
