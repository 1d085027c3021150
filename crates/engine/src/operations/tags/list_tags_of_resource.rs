//! ListTagsOfResource: a table's tags, page by page.

use keyplan_value::base64;
use keyplan_value::json::{Node, Writer};

use super::{not_found, resource};
use crate::context::Context;
use crate::limits::TAGS_OF_PAGE_MAX;
use crate::operations::{Answer, Failure};
use crate::validate::string;

/// Runs one ListTagsOfResource.
pub(in crate::operations) fn list_tags_of_resource(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let resource = resource(ctx, request)?;
    let table = match resource.table() {
        Some(name) => ctx.catalog().table(ctx.store(), name)?,
        None => None,
    };
    let table = table.ok_or_else(|| not_found(&resource))?;
    // A token that fits no tag is ignored, as the service does.
    let after = string(request, "NextToken");
    let start = after.and_then(|token| table.tags.iter().position(|(key, _)| page_token(key) == token));
    let left = table.tags.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
    let page = left.get(..TAGS_OF_PAGE_MAX).unwrap_or(left);

    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Tags").begin_array();
    for (key, value) in page {
        json.begin_object().name("Key").string(key).name("Value").string(value).end_object();
    }
    json.end_array();
    if let Some((last, _)) = page.last().filter(|_| page.len() < left.len()) {
        json.name("NextToken").string(&page_token(last));
    }
    json.end_object();
    Ok(body.into())
}

/// The token of the page after a tag.
fn page_token(key: &str) -> String {
    let mut token = Vec::new();
    base64::encode(key.as_bytes(), &mut token);
    String::from_utf8_lossy(&token).into_owned()
}
