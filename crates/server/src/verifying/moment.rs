//! The moment at which a request was signed, as it is written: `20261130T210500Z`.

use keyplan_engine::Timestamp;

/// The moment of a text of exactly that form.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u64>().ok()).flatten()
    };
    if text.len() != 16 || text.get(8..9) != Some("T") || text.get(15..) != Some("Z") {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(4, 6)?, number(6, 8)?);
    let (hour, minute, second) = (number(9, 11)?, number(11, 13)?, number(13, 15)?);
    let is_one = year >= 1970 && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_one || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(Timestamp(seconds * 1_000))
}

/// The days from the start of 1970.
fn days(year: u64, month: u64, day: u64) -> u64 {
    // A year begins in March, so that its leap day is its last; every fifth month has the same lengths again.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_and_anything_else_is_not() {
        for (text, seconds) in [
            ("19700101T000000Z", 0),
            ("20000229T000000Z", 951_782_400),
            ("20150830T123600Z", 1_440_938_160),
            ("20261231T235960Z", 1_798_761_600),
        ] {
            assert_eq!(read(text), Some(Timestamp(seconds * 1_000)), "{text}");
        }
        for text in [
            "",
            "201",
            "20150830T123600",
            "20150830 123600Z",
            "2015083٠T12360Z",
            "+0150830T123600Z",
            "20151330T123600Z",
            "20150800T123600Z",
            "20150830T243600Z",
            "Sun, 30 Aug 2015",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
