//! A record of the journal, and its bytes.

use keyplan_store::SharedBytes;
use keyplan_value::Item;

use super::{CommitTime, MALFORMED};
use crate::error::InternalError;

/// The form of a record: this byte, the cause, the time, how long the item before is, and the two items in
/// their stored form, of which one may be missing.
const FORMAT: u8 = 1;

/// What stands before the two items.
const HEAD_BYTES: usize = 14;

/// Why an item changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A request, or the taking back of one.
    Request,
    /// Its time had come.
    Expiry,
    /// It changed in another region.
    Replication,
}

impl Cause {
    fn code(self) -> u8 {
        match self {
            Cause::Request => 0,
            Cause::Expiry => 1,
            Cause::Replication => 2,
        }
    }
}

/// The change of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// When it was committed.
    pub time: CommitTime,
    /// Why it changed.
    pub cause: Cause,
    /// The item before.
    pub before: Option<Item>,
    /// The item after.
    pub after: Option<Item>,
}

impl Record {
    /// The bytes of a record.
    pub(super) fn encode(
        time: CommitTime,
        cause: Cause,
        before: Option<&Item>,
        after: Option<&Item>,
    ) -> Result<Vec<u8>, InternalError> {
        let stored = |item: Option<&Item>| item.map(|item| item.stored().clone()).unwrap_or_default();
        let (before, after) = (stored(before), stored(after));
        let mut bytes = Vec::with_capacity(HEAD_BYTES + before.len() + after.len());
        bytes.extend([FORMAT, cause.code()]);
        bytes.extend(time.0.to_be_bytes());
        bytes.extend(u32::try_from(before.len()).map_err(|_| MALFORMED)?.to_be_bytes());
        bytes.extend_from_slice(&before);
        bytes.extend_from_slice(&after);
        Ok(bytes)
    }

    /// The record's own bytes.
    ///
    /// # Errors
    /// When an item is too long for any.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, InternalError> {
        Record::encode(self.time, self.cause, self.before.as_ref(), self.after.as_ref())
    }

    /// This change and a later one of the same item as one.
    pub(crate) fn then(self, later: Record) -> Record {
        Record { before: self.before, ..later }
    }

    /// The record of bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Record, InternalError> {
        let time = Record::time_of(bytes).ok_or(MALFORMED)?;
        let cause = match bytes.get(1) {
            Some(0) => Cause::Request,
            Some(1) => Cause::Expiry,
            Some(2) => Cause::Replication,
            _ => return Err(MALFORMED),
        };
        let length = bytes.get(10..HEAD_BYTES).and_then(|length| length.try_into().ok());
        let length = length.map(u32::from_be_bytes).and_then(|length| usize::try_from(length).ok());
        let items = bytes.get(HEAD_BYTES..).zip(length).and_then(|(rest, at)| rest.split_at_checked(at));
        let (before, after) = items.ok_or(MALFORMED)?;
        let item = |stored: &[u8]| match stored {
            [] => Ok(None),
            stored => Item::from_stored(SharedBytes::from(stored)).map(Some),
        };
        Ok(Record { time, cause, before: item(before)?, after: item(after)? })
    }

    /// The time of the record of bytes.
    pub(super) fn time_of(bytes: &[u8]) -> Option<CommitTime> {
        let (&[format, _], rest) = bytes.split_first_chunk()?;
        let time = rest.first_chunk().filter(|_| format == FORMAT)?;
        Some(CommitTime(u64::from_be_bytes(*time)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let item = |n: i32| Some(Item::from_attributes([("n", n.into())]).expect("an item"));
        for (before, after) in [(None, item(1)), (item(1), item(2)), (item(2), None)] {
            for cause in [Cause::Request, Cause::Expiry, Cause::Replication] {
                let record = Record {
                    time: CommitTime(u64::MAX),
                    cause,
                    before: before.clone(),
                    after: after.clone(),
                };
                let bytes =
                    Record::encode(record.time, cause, before.as_ref(), after.as_ref()).expect("short");
                assert_eq!(Record::decode(&bytes).expect("it is whole"), record);
                for length in 0..HEAD_BYTES {
                    assert!(Record::decode(&bytes[..length]).is_err(), "{length} bytes are none");
                }
            }
        }
    }
}
