//! ListTagsOfResource: the tags of a table or stream. All that one may have come at once, so a token to go on with is
//! never handed out, and one that is sent is ignored.

use keyplan_store::StoreExt;
use keyplan_value::json::{Node, Writer};

use super::{Subject, not_found, resource, stream_tags, subject};
use crate::context::Context;
use crate::operations::{Answer, Failure};

/// Runs one ListTagsOfResource.
pub(in crate::operations) fn list_tags_of_resource(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let resource = resource(ctx, request)?;
    let tags = match subject(ctx, &resource)? {
        Subject { stream: Some(place), .. } => {
            ctx.store().view(|snapshot| stream_tags(snapshot, &place))??
        }
        Subject { table, stream: None } => {
            let table = ctx.catalog().table(ctx.store(), &table)?.filter(|table| table.is_usable());
            table.ok_or_else(|| not_found(&resource))?.tags.clone()
        }
    };
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Tags").begin_array();
    for (key, value) in &tags {
        json.begin_object().name("Key").string(key).name("Value").string(value).end_object();
    }
    json.end_array();
    json.end_object();
    Ok(body.into())
}
