//! Shard iterators: a place in a shard, as a text that is good for a quarter of an hour.

use keyplan_value::base64;
use twox_hash::XxHash3_64;

use crate::call::Timestamp;
use crate::limits::SHARD_ITERATOR_LIFE_MILLISECONDS;

/// The bytes of an iterator: three numbers, and what tells a text that was made here from another.
const BYTES: usize = 32;

/// A place in a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShardIterator {
    /// The stream's ARN.
    pub(crate) stream: String,
    /// When the shard was opened.
    pub(crate) shard: Timestamp,
    /// The number of the next record, or a lower one.
    pub(crate) number: u64,
    /// When the iterator was made.
    pub(crate) made: Timestamp,
}

impl ShardIterator {
    /// The iterator as a text.
    pub(crate) fn text(&self) -> String {
        let mut bytes = Vec::with_capacity(BYTES);
        for part in [self.shard.0, self.number, self.made.0] {
            bytes.extend(part.to_be_bytes());
        }
        bytes.extend(self.check(&bytes).to_be_bytes());
        [&self.stream, "|1|", &base64::text(&bytes)].concat()
    }

    /// The iterator of a text; nothing if it is none.
    pub(crate) fn parse(text: &str) -> Option<ShardIterator> {
        let mut parts = text.splitn(3, '|');
        let (stream, version, encoded) = (parts.next()?, parts.next()?, parts.next()?);
        let mut bytes = Vec::new();
        base64::decode(encoded, &mut bytes).ok()?;
        let (numbers, check) = bytes.split_at_checked(BYTES - 8).filter(|_| version == "1")?;
        let number = |at: usize| Some(u64::from_be_bytes(numbers.get(at..at + 8)?.try_into().ok()?));
        let iterator = ShardIterator {
            stream: stream.to_owned(),
            shard: Timestamp(number(0)?),
            number: number(8)?,
            made: Timestamp(number(16)?),
        };
        (check == iterator.check(numbers).to_be_bytes()).then_some(iterator)
    }

    /// Whether it is too old.
    pub(crate) fn has_expired(&self, now: Timestamp) -> bool {
        now.0.saturating_sub(self.made.0) > SHARD_ITERATOR_LIFE_MILLISECONDS
    }

    fn check(&self, numbers: &[u8]) -> u64 {
        XxHash3_64::oneshot(&[self.stream.as_bytes(), numbers].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iterator() -> ShardIterator {
        let stream = "arn:aws:dynamodb:us-east-1:123456789012:table/T/stream/2026-11-30T21:05:00.123";
        ShardIterator { stream: stream.to_owned(), shard: Timestamp(5), number: u64::MAX, made: Timestamp(7) }
    }

    #[test]
    fn an_iterator_comes_back_from_its_text_alone() {
        let text = iterator().text();
        assert_eq!(ShardIterator::parse(&text), Some(iterator()));
        for other in ["", "|", "||", "a|1|", &text[1..], &text[..text.len() - 4], &text.replace("|1|", "|2|")]
        {
            assert_eq!(ShardIterator::parse(other), None, "{other}");
        }
    }

    #[test]
    fn it_expires_after_a_quarter_of_an_hour() {
        assert!(!iterator().has_expired(Timestamp(7 + 15 * 60_000)));
        assert!(iterator().has_expired(Timestamp(8 + 15 * 60_000)));
    }
}
