//! Destinations of changes, as parts of a table's stored item.

use keyplan_value::{AttributeValue, ValueRef};

use super::{map, whole};
use crate::call::Timestamp;
use crate::catalog::{Destination, DestinationStatus, TimePrecision};

pub(super) fn stored(destination: &Destination) -> AttributeValue {
    let mut members = vec![
        ("Arn", destination.arn.as_str().into()),
        ("Status", destination.status.code().into()),
        ("Since", destination.since.0.into()),
    ];
    members.extend(destination.precision.map(|precision| ("Precision", precision.word().into())));
    map(members)
}

pub(super) fn read(value: ValueRef<'_>) -> Option<Destination> {
    let number = |name: &str| value.get(name).and_then(whole);
    Some(Destination {
        arn: value.get("Arn")?.as_str()?.to_owned(),
        status: DestinationStatus::from_code(number("Status")?)?,
        precision: match value.get("Precision") {
            Some(word) => Some(TimePrecision::from_word(word.as_str()?)?),
            None => None,
        },
        since: Timestamp(number("Since")?),
    })
}
