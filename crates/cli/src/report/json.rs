//! The report as JSON, for other programs.

use keyplan_engine::trace::Tally;
use keyplan_value::json::Writer;

use super::{Request, Sum, Sums};
use crate::clock;

/// The form of the report; it changes when a member changes its meaning or goes.
const FORM: i128 = 1;

pub(super) fn write(sums: &Sums) -> Vec<u8> {
    let mut out = Vec::new();
    let mut json = Writer::new(&mut out);
    json.begin_object().name("keyplanCostReport").integer(FORM);
    json.name("since").integer(sums.since).name("until").integer(clock::now().0);
    json.name("requests").integer(sums.requests).name("failed").integer(sums.failed);
    json.name("units").begin_object().name("read").float(sums.read.as_f64());
    json.name("write").float(sums.write.as_f64()).end_object();
    json.name("uses").begin_array();
    let mut uses: Vec<_> = sums.uses.iter().collect();
    uses.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.units()));
    for (used, sum) in uses {
        json.begin_object().name("operation").string(used.operation);
        optional("table", used.table.as_deref(), &mut json);
        optional("index", used.index.as_deref(), &mut json);
        json.name("caller").string(&used.caller);
        write_sum(sum, &mut json);
        json.end_object();
    }
    json.end_array();
    json.name("otherUses").begin_object();
    write_sum(&sums.other, &mut json);
    json.end_object();
    json.name("dearest").begin_array();
    sums.dearest.iter().for_each(|request| write_request(request, &mut json));
    json.end_array();
    json.name("scans").begin_object().name("count").integer(sums.scans);
    json.name("listed").begin_array();
    sums.scans_listed.iter().for_each(|request| write_request(request, &mut json));
    json.end_array().end_object().end_object();
    out.push(b'\n');
    out
}

fn write_sum(sum: &Sum, json: &mut Writer<'_>) {
    json.name("requests").integer(sum.requests).name("failed").integer(sum.failed);
    json.name("readUnits").float(sum.read.as_f64()).name("writeUnits").float(sum.write.as_f64());
    tally("examined", sum.examined, json);
    tally("returned", sum.returned, json);
}

fn write_request(request: &Request, json: &mut Writer<'_>) {
    json.begin_object().name("number").integer(request.number);
    json.name("atMilliseconds").integer(request.at);
    json.name("operation").string(request.operation).name("caller").string(&request.caller);
    optional("namespace", Some(&*request.namespace).filter(|name| !name.is_empty()), json);
    json.name("status").integer(request.status);
    json.name("readUnits").float(request.read.as_f64()).name("writeUnits").float(request.write.as_f64());
    json.name("accesses").begin_array();
    for access in &request.accesses {
        json.begin_object().name("table").string(&access.table);
        optional("index", access.index.as_deref(), json);
        json.name("units").float(access.units.as_f64());
        tally("examined", access.examined, json);
        tally("returned", access.returned, json);
        json.end_object();
    }
    json.end_array().name("request").string(&request.body).end_object();
}

fn tally(name: &str, tally: Tally, json: &mut Writer<'_>) {
    json.name(name).begin_object().name("items").integer(tally.items);
    json.name("bytes").integer(tally.bytes).end_object();
}

fn optional(name: &str, value: Option<&str>, json: &mut Writer<'_>) {
    json.name(name);
    match value {
        Some(value) => json.string(value),
        None => json.null(),
    };
}
