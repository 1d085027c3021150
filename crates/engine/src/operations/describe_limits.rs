//! DescribeLimits: how much provisioned throughput there can be.

use keyplan_value::json::{Node, Writer};

use super::{Answer, Failure};
use crate::context::Context;
use crate::limits::{PROVISIONED_UNITS_OF_ACCOUNT_MAX, PROVISIONED_UNITS_OF_TABLE_MAX};

/// Runs one DescribeLimits.
pub(super) fn describe_limits(_: &Context<'_>, _: Node<'_, '_>) -> Result<Answer, Failure> {
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    for (name, units) in [
        ("AccountMaxReadCapacityUnits", PROVISIONED_UNITS_OF_ACCOUNT_MAX),
        ("AccountMaxWriteCapacityUnits", PROVISIONED_UNITS_OF_ACCOUNT_MAX),
        ("TableMaxReadCapacityUnits", PROVISIONED_UNITS_OF_TABLE_MAX),
        ("TableMaxWriteCapacityUnits", PROVISIONED_UNITS_OF_TABLE_MAX),
    ] {
        json.name(name).integer(units);
    }
    json.end_object();
    Ok(body.into())
}
