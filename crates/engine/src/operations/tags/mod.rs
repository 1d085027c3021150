//! Tags: what they may be, and the change of a table's or a stream's.

mod list_tags_of_resource;
mod tag_resource;
mod untag_resource;

use std::collections::BTreeSet;

use keyplan_store::{Batch, Snapshot, StoreExt};
use keyplan_value::json::Node;
use keyplan_value::{AttributeValue, Item, ItemRef, ValueRef};

pub(super) use list_tags_of_resource::list_tags_of_resource;
pub(super) use tag_resource::tag_resource;
pub(super) use untag_resource::untag_resource;

use crate::arn::ResourceReference;
use crate::catalog::{self, TableDefinition};
use crate::context::Context;
use crate::error::{DefinitionError, InternalError, NotFound, ServiceError, TagError, ValidationError};
use crate::limits::{TAG_KEY_CHARACTERS_MAX, TAG_VALUE_CHARACTERS_MAX, TAGS_MAX};
use crate::spaces::{SETTINGS, Setting};
use crate::streams;
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
    if let Some(table) = resource.table()
        && ctx.is_being_made(table)?
    {
        return Err(not_found(&resource));
    }
    Ok(resource)
}

fn not_found(resource: &ResourceReference<'_>) -> ServiceError {
    ServiceError::ResourceNotFound(NotFound::Arn(resource.sent().to_owned()))
}

fn refused(error: TagError) -> ServiceError {
    DefinitionError::from(error).into()
}

/// What has the tags of a request's resource.
#[derive(Debug, Clone)]
struct Subject {
    /// The table's place in the catalog.
    table: String,
    /// The stream's place, if it is one that has them.
    stream: Option<Vec<u8>>,
}

/// Finds what a resource names.
///
/// # Errors
/// When there is no such stream; that there is no such table is found later.
fn subject(ctx: &Context<'_>, resource: &ResourceReference<'_>) -> Result<Subject, ServiceError> {
    if let Some(table) = resource.table() {
        return Ok(Subject { table: ctx.table_key(table)?, stream: None });
    }
    let found = ctx.store().view(|snapshot| streams::stream_of(snapshot, resource, ctx.now()))??;
    let stream = found.ok_or_else(|| not_found(resource))?;
    Ok(Subject { stream: Some(streams::key(&stream.table, &stream.label)), table: stream.table })
}

const MALFORMED: InternalError = InternalError::Malformed("a stream's tags");

/// The tags of a stream. They are kept beside its record: that follows the journal, which never goes back.
fn stream_tags(snapshot: &dyn Snapshot, place: &[u8]) -> Result<Tags, InternalError> {
    let Some(record) = snapshot.get(SETTINGS, &Setting::StreamTags.key(place))? else {
        return Ok(Vec::new());
    };
    let item = ItemRef::from_stored(&record)?;
    let pair = |tag: ValueRef<'_>| {
        Some((tag.get("Key")?.as_str()?.to_owned(), tag.get("Value")?.as_str()?.to_owned()))
    };
    let tags = item.get("Tags").into_iter().flat_map(|list| list.elements());
    tags.map(pair).collect::<Option<_>>().ok_or(MALFORMED)
}

fn put_stream_tags(batch: &mut Batch, place: &[u8], tags: &Tags) -> Result<(), InternalError> {
    if tags.is_empty() {
        batch.delete(SETTINGS, Setting::StreamTags.key(place));
        return Ok(());
    }
    let pair = |(key, value): &(String, String)| {
        let members = [("Key".to_owned(), key.as_str().into()), ("Value".to_owned(), value.as_str().into())];
        AttributeValue::M(members.into_iter().collect())
    };
    let tags = AttributeValue::L(tags.iter().map(pair).collect());
    let item = Item::from_attributes([("Tags", tags)]).map_err(|_| MALFORMED)?;
    batch.put(SETTINGS, Setting::StreamTags.key(place), item.into_stored());
    Ok(())
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

/// Changes the tags of a table or stream, all or none.
///
/// # Errors
/// When there is no such resource, or `change` refuses.
fn change(
    ctx: &Context<'_>,
    resource: &ResourceReference<'_>,
    change: impl Fn(&mut Tags) -> Result<(), TagError> + Send + 'static,
) -> Result<(), ServiceError> {
    let subject = subject(ctx, resource)?;
    let label = WriteLabel { operation: ctx.operation().name, table: &subject.table, now: ctx.now() };
    let Subject { table: name, stream } = subject.clone();
    let changed = ctx.undo().transact(ctx.store(), label, move |snapshot| {
        if let Some(place) = &stream {
            let before = stream_tags(snapshot, place)?;
            let mut tags = before.clone();
            change(&mut tags).map_err(Refusal::Tags)?;
            let mut batch = Batch::new();
            if tags != before {
                put_stream_tags(&mut batch, place, &tags)?;
            }
            return Ok((batch, ()));
        }
        let found = catalog::table_in(snapshot, &name)?;
        let mut table = found.filter(TableDefinition::is_usable).ok_or(Refusal::NotFound)?;
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
