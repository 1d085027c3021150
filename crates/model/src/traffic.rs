//! How often patterns are asked.

/// How often a pattern is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// The pattern.
    pub pattern: String,
    /// The average rate.
    pub average: Rate,
    /// The highest rate that is expected.
    pub peak: Option<Rate>,
}

/// So many requests in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many requests.
    pub requests: u64,
    /// In how many seconds.
    pub seconds: u32,
}

impl Rate {
    /// Reads `40/s`, `12/min`, `3/h` or `1/day`.
    pub fn parse(text: &str) -> Option<Rate> {
        let (requests, unit) = text.split_once('/')?;
        let seconds = match unit.trim() {
            "s" => 1,
            "min" => 60,
            "h" => 3_600,
            "day" => 86_400,
            _ => return None,
        };
        Some(Rate { requests: requests.trim().parse().ok()?, seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_name_their_time() {
        assert_eq!(Rate::parse("40/s"), Some(Rate { requests: 40, seconds: 1 }));
        assert_eq!(Rate::parse("3 / h"), Some(Rate { requests: 3, seconds: 3_600 }));
        for text in ["40", "40/week", "x/s", "-1/s", "1.5/s"] {
            assert_eq!(Rate::parse(text), None, "{text}");
        }
    }
}
