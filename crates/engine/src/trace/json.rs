//! A trace as JSON, for the page and for the endpoint's header.

use keyplan_value::Item;
use keyplan_value::json::Writer;

use super::{Access, Partition, Run, Stopped, Tally, Trace};
use crate::capacity::{Step, Units, Work};

pub(super) fn write_trace(trace: &Trace, out: &mut Vec<u8>) {
    let mut json = Writer::new(out);
    json.begin_object().name("operation").string(trace.operation);
    json.name("accesses").begin_array();
    for access in &trace.accesses {
        write_access(access, &mut json);
    }
    json.end_array();
    json.name("units");
    write_units(trace.read_units(), trace.write_units(), &mut json);
    json.end_object();
}

fn write_access(access: &Access, json: &mut Writer<'_>) {
    json.begin_object().name("table").string(&access.table);
    json.name("index");
    match &access.index {
        Some(index) => json.string(index),
        None => json.null(),
    };
    json.name("kind").string(match access.charge.work() {
        Work::Read(_) | Work::VectorSearch => "read",
        Work::Write | Work::VectorWrite => "write",
    });
    json.name("partitions").begin_array();
    for partition in &access.partitions {
        write_partition(partition, json);
    }
    json.end_array();
    write_tally("examined", access.examined, json);
    write_tally("returned", access.returned, json);
    json.name("stopped");
    match access.stopped {
        Some(Stopped::End) => json.string("end"),
        Some(Stopped::Limit) => json.string("limit"),
        Some(Stopped::Size) => json.string("size"),
        None => json.null(),
    };
    if let Some(change) = access.change {
        json.name("before").integer(change.before).name("after").integer(change.after);
    }
    write_arithmetic(access, json);
    json.end_object();
}

fn write_partition(partition: &Partition, json: &mut Writer<'_>) {
    json.begin_object().name("hash").string(&hash_text(partition.hash));
    write_item("partitionKey", &partition.partition_key, json);
    json.name("runs").begin_array();
    for Run { first, last, items, bytes } in &partition.runs {
        json.begin_object();
        write_item("first", first, json);
        write_item("last", last, json);
        json.name("items").integer(*items).name("bytes").integer(*bytes).end_object();
    }
    json.end_array();
    json.name("returned").begin_array();
    for key in &partition.returned {
        json.value_with(|out| key.as_ref().write_json(out));
    }
    json.end_array();
    json.name("returnedBytes").integer(partition.returned_bytes).end_object();
}

fn write_arithmetic(access: &Access, json: &mut Writer<'_>) {
    let charge = access.charge;
    json.name("arithmetic").begin_array();
    for step in charge.steps() {
        json.begin_object().name("step");
        match step {
            Step::Bytes(bytes) => json.string("bytes").name("value").integer(bytes),
            Step::Divide { by, ten_thousandths } => {
                json.string("divide").name("by").integer(by);
                // Four decimals are enough to see which way it will be rounded.
                json.name("value").float(ten_thousandths as f64 / 10_000.0)
            }
            Step::RoundUp { parts, value } => {
                json.string("round-up");
                if parts > 1 {
                    json.name("parts").integer(parts);
                }
                json.name("value").integer(value)
            }
            Step::Minimum(value) => json.string("minimum").name("value").integer(value),
            Step::Factor { by, because, value } => {
                json.string("factor").name("by").float(by.as_f64());
                json.name("because").string(because).name("value").float(value.as_f64())
            }
        };
        json.end_object();
    }
    json.end_array();
    let charged = charge.charged_bytes();
    json.name("charged").begin_object().name("bytes").integer(charged);
    json.name("hidden").integer(charged.saturating_sub(charge.bytes())).end_object();
    if let Some(bytes) = charge.request_bytes() {
        json.name("requestBytes").integer(bytes);
    }
    json.name("units");
    write_units(access.read_units(), access.write_units(), json);
}

fn write_units(read: Units, write: Units, json: &mut Writer<'_>) {
    json.begin_object().name("read").float(read.as_f64());
    json.name("write").float(write.as_f64()).end_object();
}

fn write_tally(name: &str, tally: Tally, json: &mut Writer<'_>) {
    json.name(name).begin_object().name("items").integer(tally.items);
    json.name("bytes").integer(tally.bytes).end_object();
}

fn write_item(name: &str, item: &Item, json: &mut Writer<'_>) {
    json.name(name).value_with(|out| item.as_ref().write_json(out));
}

/// A partition's hash as it is shown: eight hexadecimal digits, the first two of them its badge.
pub(crate) fn hash_text(hash: u32) -> String {
    format!("{hash:08x}")
}
