//! DescribeEndpoints: the service's own address for the region, whatever the address of this endpoint.

use keyplan_value::json::{Node, Writer};

use super::{Answer, Failure};
use crate::context::Context;
use crate::limits::ENDPOINT_CACHE_MINUTES;

/// Runs one DescribeEndpoints.
pub(super) fn describe_endpoints(ctx: &Context<'_>, _: Node<'_, '_>) -> Result<Answer, Failure> {
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Endpoints").begin_array().begin_object();
    json.name("Address").string(&format!("dynamodb.{}.amazonaws.com", ctx.region()));
    json.name("CachePeriodInMinutes").integer(ENDPOINT_CACHE_MINUTES);
    json.end_object().end_array().end_object();
    Ok(body.into())
}
