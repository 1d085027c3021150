//! TagResource: tags added to a table's, or put in the place of those with their keys.

use keyplan_value::json::Node;

use super::{change, check_number, refused, resource, tags};
use crate::context::Context;
use crate::error::TagError;
use crate::operations::{Answer, Failure};

/// Runs one TagResource; the answer has no body.
pub(in crate::operations) fn tag_resource(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let resource = resource(ctx, request)?;
    let added = tags(request).map_err(refused)?;
    if added.is_empty() {
        return Err(refused(TagError::NoTags).into());
    }
    change(ctx, &resource, move |tags| {
        for (key, value) in &added {
            match tags.iter_mut().find(|(other, _)| other == key) {
                Some((_, held)) => held.clone_from(value),
                None => tags.push((key.clone(), value.clone())),
            }
        }
        check_number(tags)
    })?;
    Ok(Answer::default())
}
