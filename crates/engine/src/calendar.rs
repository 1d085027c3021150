//! Days and moments of the calendar, in UTC.

use crate::call::Timestamp;

/// A moment as a stream's label writes it: `2026-11-30T21:05:00.123`.
pub(crate) fn iso_text(moment: Timestamp) -> String {
    let ([year, month, day], [hour, minute, second]) = parts(moment);
    let millisecond = moment.0 % 1_000;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}")
}

/// A moment as signatures write it: `20261130T210500Z`.
pub(crate) fn basic_text(moment: Timestamp) -> String {
    let ([year, month, day], [hour, minute, second]) = parts(moment);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// Year, month and day, both from 1; hour, minute and second.
fn parts(moment: Timestamp) -> ([u64; 3], [u64; 3]) {
    let seconds = moment.0 / 1_000;
    let (year, month, day) = date(seconds / 86_400);
    let of_day = seconds % 86_400;
    ([year, month + 1, day], [of_day / 3_600, of_day / 60 % 60, of_day % 60])
}

/// The year, the month from 0 and the day from 1 of a day counted from 1 January 1970.
pub(crate) fn date(days: u64) -> (u64, u64, u64) {
    // Counted from 1 March of the year 0, so that a leap day is the last of its year; an era is the 400
    // years after which the calendar repeats itself.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let year = 400 * era + year + u64::from(month >= 10);
    (year, (month + 2) % 12, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_its_text() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00.000"),
            (951_782_400_007, "2000-02-29T00:00:00.007"),
            (1_764_536_700_120, "2025-11-30T21:05:00.120"),
        ] {
            assert_eq!(iso_text(Timestamp(milliseconds)), text);
        }
        assert_eq!(basic_text(Timestamp(951_782_400_007)), "20000229T000000Z");
    }
}
