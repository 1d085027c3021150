//! Tags: what they may be, and the change of a table's.

mod list_tags_of_resource;
mod tag_resource;
mod untag_resource;

use std::collections::BTreeSet;

use keyplan_store::Batch;
use keyplan_value::json::Node;

pub(super) use list_tags_of_resource::list_tags_of_resource;
pub(super) use tag_resource::tag_resource;
pub(super) use untag_resource::untag_resource;

use crate::arn::ResourceReference;
use crate::catalog;
use crate::context::Context;
use crate::error::{DefinitionError, InternalError, NotFound, ServiceError, TagError, ValidationError};
use crate::limits::{TAG_KEY_CHARACTERS_MAX, TAG_VALUE_CHARACTERS_MAX, TAGS_MAX};
use crate::undo::WriteLabel;
use crate::validate::{present, string};

/// A table's tags: keys and values, in the order in which they came.
type Tags = Vec<(String, String)>;

/// Reads and checks the tags of a request.
///
/// # Errors
/// The first tag that is none, then a key that comes twice, then their number.
pub(super) fn tags(request: Node<'_, '_>) -> Result<Tags, TagError> {
    let list = present(request, "Tags");
    let mut tags = Vec::new();
    for tag in list.into_iter().flat_map(|list| list.elements()) {
        let key = string(tag, "Key").unwrap_or_default().into_owned();
        check_key(&key)?;
        match string(tag, "Value") {
            Some(value) if fits(&value, TAG_VALUE_CHARACTERS_MAX) => tags.push((key, value.into_owned())),
            value => return Err(TagError::Value(value.map(|value| value.into_owned()))),
        }
    }
    let mut seen = BTreeSet::new();
    if let Some((twice, _)) = tags.iter().find(|(key, _)| !seen.insert(key)) {
        return Err(TagError::KeyTwice(twice.clone()));
    }
    check_number(&tags)?;
    Ok(tags)
}

fn check_key(key: &str) -> Result<(), TagError> {
    if key.is_empty() || !fits(key, TAG_KEY_CHARACTERS_MAX) {
        return Err(TagError::Key(key.to_owned()));
    }
    if key.get(..4).is_some_and(|lead| lead.eq_ignore_ascii_case("aws:")) {
        return Err(TagError::ReservedKey(key.to_owned()));
    }
    Ok(())
}

fn check_number<T>(tags: &[T]) -> Result<(), TagError> {
    if tags.len() > TAGS_MAX { Err(TagError::TooMany) } else { Ok(()) }
}

fn fits(text: &str, characters: usize) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || c.is_whitespace() || "+-=._:/@".contains(c);
    text.chars().count() <= characters && text.chars().all(allowed)
}

/// The table that a request's ResourceArn names.
///
/// # Errors
/// When it names nothing that can have tags, or belongs to another account.
fn resource<'a>(ctx: &Context<'_>, request: Node<'_, 'a>) -> Result<ResourceReference<'a>, ServiceError> {
    let sent = string(request, "ResourceArn").unwrap_or_default();
    let resource = ResourceReference::parse(sent).map_err(ValidationError::ResourceArn)?;
    // Another account's resource is refused whatever its region: the service asks who may before where.
    ctx.own_resource(&resource)?;
    resource.within(ctx.region()).map_err(ValidationError::ResourceArn)?;
    Ok(resource)
}

fn not_found(resource: &ResourceReference<'_>) -> ServiceError {
    ServiceError::ResourceNotFound(NotFound::Arn(resource.sent().to_owned()))
}

fn refused(error: TagError) -> ServiceError {
    DefinitionError::from(error).into()
}

/// Why tags stay as they are.
enum Refusal {
    NotFound,
    Tags(TagError),
    Internal(InternalError),
}

impl<E: Into<InternalError>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Internal(error.into())
    }
}

/// Changes the tags of a table, all or none.
///
/// # Errors
/// When there is no such table, or `change` refuses.
fn change(
    ctx: &Context<'_>,
    resource: &ResourceReference<'_>,
    change: impl Fn(&mut Tags) -> Result<(), TagError> + Send + 'static,
) -> Result<(), ServiceError> {
    let Some(name) = resource.table() else { return Err(not_found(resource)) };
    let label = WriteLabel { operation: ctx.operation().name, table: name, now: ctx.now() };
    let name = name.to_owned();
    let changed = ctx.undo().transact(ctx.store(), label, move |snapshot| {
        let mut table = catalog::table_in(snapshot, &name)?.ok_or(Refusal::NotFound)?;
        let before = table.tags.clone();
        change(&mut table.tags).map_err(Refusal::Tags)?;
        let mut batch = Batch::new();
        if table.tags != before {
            table.revision = table.next_revision()?;
            catalog::put(&mut batch, &table)?;
        }
        Ok((batch, ()))
    })?;
    changed.map_err(|refusal| match refusal {
        Refusal::NotFound => not_found(resource),
        Refusal::Tags(error) => refused(error),
        Refusal::Internal(error) => error.into(),
    })?;
    ctx.catalog_changed();
    Ok(())
}
