//! A record of the journal, as a stream shows it.

use keyplan_value::Item;
use keyplan_value::json::Writer;
use twox_hash::XxHash3_128;

use crate::catalog::StreamDefinition;
use crate::journal::{Cause, Record};
use crate::keys::attributes_of;

/// What stands before a number in a sequence number: the journal's shard, counted from a hundred, so that the
/// text has at least the 21 digits that clients expect.
const SEQUENCE_LEAD: &str = "100";

/// The digits of a number in a sequence number.
const NUMBER_DIGITS: usize = 20;

/// A number of the journal as a sequence number.
pub(crate) fn sequence_number(number: u64) -> String {
    format!("{SEQUENCE_LEAD}{number:0NUMBER_DIGITS$}")
}

/// The number of a sequence number; nothing if no record can have that.
pub(crate) fn parse_sequence_number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix(SEQUENCE_LEAD).filter(|digits| digits.len() == NUMBER_DIGITS)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// What a stream shows of a record.
pub(crate) struct RecordView<'s> {
    stream: &'s StreamDefinition,
    number: u64,
    event: &'static str,
    seconds: u64,
    is_expiry: bool,
    keys: Item,
    new: Option<Item>,
    old: Option<Item>,
}

impl<'s> RecordView<'s> {
    /// The view of a record; nothing if it is of no item.
    pub(crate) fn new(stream: &'s StreamDefinition, number: u64, record: Record) -> Option<RecordView<'s>> {
        let event = match (&record.before, &record.after) {
            (None, _) => "INSERT",
            (Some(_), Some(_)) => "MODIFY",
            (Some(_), None) => "REMOVE",
        };
        let item = record.after.as_ref().or(record.before.as_ref())?;
        Some(RecordView {
            stream,
            number,
            event,
            seconds: record.time.0 / 1_000_000,
            is_expiry: record.cause == Cause::Expiry,
            keys: attributes_of(stream.key_schema.attributes(), item.as_ref()),
            new: record.after.filter(|_| stream.view.shows_new()),
            old: record.before.filter(|_| stream.view.shows_old()),
        })
    }

    /// The bytes that the record counts: those of the key and of the images it shows.
    pub(crate) fn bytes(&self) -> u64 {
        let shown = [Some(&self.keys), self.new.as_ref(), self.old.as_ref()];
        shown.into_iter().flatten().map(|item| item.as_ref().size()).sum()
    }

    /// Writes the record, for a request to `region`.
    pub(crate) fn write(&self, region: &str, out: &mut Writer<'_>) {
        let sequence_number = sequence_number(self.number);
        let StreamDefinition { table, label, .. } = self.stream;
        let id = XxHash3_128::oneshot([table, "/", label, "/", &sequence_number].concat().as_bytes());
        out.begin_object();
        out.name("eventID").string(&format!("{id:032x}"));
        out.name("eventName").string(self.event);
        out.name("eventVersion").string("1.1");
        out.name("eventSource").string("aws:dynamodb");
        out.name("awsRegion").string(region);
        out.name("dynamodb").begin_object();
        out.name("ApproximateCreationDateTime").integer(self.seconds);
        let images =
            [("Keys", Some(&self.keys)), ("NewImage", self.new.as_ref()), ("OldImage", self.old.as_ref())];
        for (name, image) in images {
            if let Some(image) = image {
                out.name(name).value_with(|out| image.as_ref().write_json(out));
            }
        }
        out.name("SequenceNumber").string(&sequence_number);
        out.name("SizeBytes").integer(self.bytes());
        out.name("StreamViewType").string(self.stream.view.word());
        out.end_object();
        if self.is_expiry {
            out.name("userIdentity").begin_object();
            out.name("PrincipalId").string("dynamodb.amazonaws.com");
            out.name("Type").string("Service").end_object();
        }
        out.end_object();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_is_read_back_and_no_other() {
        for number in [1, 42, u64::MAX] {
            let text = sequence_number(number);
            assert_eq!(text.len(), 23);
            assert_eq!(parse_sequence_number(&text), Some(number));
        }
        for other in
            ["", "100", "10000000000000000000+1", "200000000000000000000000", "10099999999999999999999"]
        {
            assert_eq!(parse_sequence_number(other), None, "{other}");
        }
    }
}
