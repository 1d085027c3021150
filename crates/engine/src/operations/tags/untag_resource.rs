//! UntagResource: tags taken away from a table, whether or not it has them.

use keyplan_value::json::Node;

use super::{change, check_key, check_number, refused, resource};
use crate::context::Context;
use crate::error::TagError;
use crate::operations::parameters::required;
use crate::operations::{Answer, Failure};

/// Runs one UntagResource; the answer has no body.
pub(in crate::operations) fn untag_resource(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let resource = resource(ctx, request)?;
    let keys = required(request, "TagKeys")?.elements().filter_map(|key| key.string());
    let keys: Vec<String> = keys.map(|key| key.into_owned()).collect();
    if keys.is_empty() {
        return Err(refused(TagError::NoKeys).into());
    }
    keys.iter().try_for_each(|key| check_key(key)).map_err(refused)?;
    check_number(&keys).map_err(refused)?;
    change(ctx, &resource, move |tags| {
        tags.retain(|(key, _)| !keys.contains(key));
        Ok(())
    })?;
    Ok(Answer::default())
}
