//! Throughput, as a part of stored items.

use keyplan_value::{AttributeValue, ValueRef};

use super::{map, whole};
use crate::call::Timestamp;
use crate::catalog::{Maxima, Throughput, ThroughputChanges, ThroughputSettings};

fn throughput(throughput: Throughput) -> AttributeValue {
    map([("Read", throughput.read.into()), ("Write", throughput.write.into())])
}

fn read_throughput(value: ValueRef<'_>) -> Option<Throughput> {
    Some(Throughput { read: whole(value.get("Read")?)?, write: whole(value.get("Write")?)? })
}

pub(super) fn settings(settings: &ThroughputSettings) -> AttributeValue {
    let ThroughputSettings { provisioned, changes, on_demand_maxima: maxima, warm } = settings;
    let mut members = vec![("Provisioned", throughput(*provisioned))];
    let numbers = [
        ("MaxReadRequestUnits", maxima.read),
        ("MaxWriteRequestUnits", maxima.write),
        ("IncreasedAt", changes.increased_at.map(|at| at.0)),
        ("DecreasedAt", changes.decreased_at.map(|at| at.0)),
        ("Decreases", Some(changes.decreases).filter(|count| *count > 0)),
    ];
    for (name, number) in numbers {
        members.extend(number.map(|number| (name, number.into())));
    }
    members.extend(warm.map(|warm| ("Warm", throughput(warm))));
    map(members)
}

pub(super) fn read_settings(value: ValueRef<'_>) -> Option<ThroughputSettings> {
    let number = |name: &str| value.get(name).and_then(whole);
    Some(ThroughputSettings {
        provisioned: read_throughput(value.get("Provisioned")?)?,
        changes: ThroughputChanges {
            increased_at: number("IncreasedAt").map(Timestamp),
            decreased_at: number("DecreasedAt").map(Timestamp),
            decreases: number("Decreases").unwrap_or_default(),
        },
        on_demand_maxima: Maxima {
            read: number("MaxReadRequestUnits"),
            write: number("MaxWriteRequestUnits"),
        },
        warm: value.get("Warm").and_then(read_throughput),
    })
}
