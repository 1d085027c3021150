//! BatchWriteItem: puts and deletes of some tables, each for itself.
//!
//! The service promises nothing about the batch as a whole; here all of it is one commit.

use std::collections::HashSet;

use keyplan_value::json::{Node, Writer};
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;
use keyplan_value::{Item, ValueError};

use super::consumed::{CollectionsByTable, ConsumedByTable};
use super::parameters::{self, Layer, entries, required};
use super::{Answer, Failure};
use crate::arn::TableReference;
use crate::capacity::CapacityDetail;
use crate::context::Context;
use crate::error::{ItemFault, ManyFault, ServiceError, ValidationError};
use crate::validate::{present, string};
use crate::write::{self, Action, Mutation, Outcome};

const LAYER: Layer = Layer::Older;

/// One put or delete.
enum Write {
    Put(Item),
    Delete(Item),
}

impl Write {
    /// The key of a delete.
    fn key(&self) -> Option<&Item> {
        match self {
            Write::Put(_) => None,
            Write::Delete(key) => Some(key),
        }
    }
}

/// Runs one BatchWriteItem.
pub(super) fn batch_write_item(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let mut tables = Vec::new();
    for (table, requests) in entries(required(request, "RequestItems")?) {
        let table = TableReference::parse(table).map_err(ValidationError::Arn)?;
        tables.push((table, requests));
    }
    let tables = read_writes(tables)?;

    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    let mut tracer = ctx.tracer();
    let outcomes = write::commit_some(ctx, &mut tracer, || {
        let mut mutations = Vec::new();
        // A table that isn't there is told before any item that doesn't fit.
        let found =
            tables.iter().map(|(reference, _)| ctx.table(reference)).collect::<Result<Vec<_>, _>>()?;
        for ((_, writes), table) in tables.iter().zip(found) {
            for write in writes {
                mutations.push(match write {
                    Write::Put(item) => Mutation::put(&table, item, None).map_err(put_fault)?,
                    Write::Delete(key) => Mutation::of_key(&table, key.as_ref(), Action::Delete, None)?,
                });
            }
        }
        let mut seen = HashSet::new();
        if mutations.iter().any(|mutation| !seen.insert(mutation.place())) {
            return Err(ManyFault::ItemTwiceInBatch.into());
        }
        Ok(mutations)
    })?;

    let (mut consumed, mut collections) = (ConsumedByTable::new(), CollectionsByTable::default());
    let written = tables.iter().flat_map(|(table, writes)| writes.iter().map(|_| table.sent()));
    for (table, outcome) in written.zip(&outcomes) {
        let Some(outcome) = outcome else { continue };
        consumed.add(table, outcome.consumed());
        collections.add(table, outcome.collection.as_ref());
    }
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    write_unprocessed(request, &outcomes, &mut json)?;
    collections.write(request, &mut json);
    consumed.write(detail, &mut json);
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}

/// Writes the requests that were left, in the form in which they were sent.
fn write_unprocessed(
    request: Node<'_, '_>,
    outcomes: &[Option<Outcome>],
    json: &mut Writer<'_>,
) -> Result<(), ServiceError> {
    json.name("UnprocessedItems").begin_object();
    if outcomes.iter().any(Option::is_none) {
        let mut outcomes = outcomes.iter();
        for (table, requests) in entries(required(request, "RequestItems")?) {
            let of_table = requests.elements().zip(outcomes.by_ref());
            let left: Vec<_> = of_table.filter(|(_, outcome)| outcome.is_none()).collect();
            if left.is_empty() {
                continue;
            }
            json.name(&table).begin_array();
            for (request, _) in left {
                json.value_with(|out| out.extend(request.raw().as_bytes()));
            }
            json.end_array();
        }
    }
    json.end_object();
    Ok(())
}

/// A put that doesn't fit its table: here the service doesn't say how.
fn put_fault(fault: ItemFault) -> ItemFault {
    match fault {
        ItemFault::MissingKey { .. } | ItemFault::KeyType { .. } => ItemFault::KeyMismatch,
        fault => fault,
    }
}

/// Reads the writes of each table.
///
/// # Errors
/// In this order, each over all tables: empty names; requests that are not one; values that are none;
/// items that are too large; keys that are deleted twice.
fn read_writes<'a>(
    tables: Vec<(TableReference<'a>, Node<'_, 'a>)>,
) -> Result<Vec<(TableReference<'a>, Vec<Write>)>, ServiceError> {
    let decoded: Vec<(TableReference<'a>, Vec<_>)> = tables
        .into_iter()
        .map(|(table, requests)| (table, requests.elements().map(read_write).collect()))
        .collect();
    let requests = || decoded.iter().flat_map(|(_, requests)| requests);
    let errors = requests().flatten().filter_map(|write| write.as_ref().err());
    parameters::check_first_faults(LAYER, errors)?;
    if requests().any(Option::is_none) {
        return Err(ManyFault::NotOneRequest.into());
    }
    let mut tables = Vec::with_capacity(decoded.len());
    for (table, requests) in decoded {
        let writes = requests.into_iter().flatten().collect::<Result<Vec<_>, _>>();
        tables.push((table, writes.map_err(|error| LAYER.value(error))?));
    }
    let is_too_large =
        |write: &Write| matches!(write, Write::Put(item) if item.as_ref().size() > ITEM_SIZE_BYTES_MAX);
    if tables.iter().flat_map(|(_, writes)| writes).any(is_too_large) {
        return Err(ItemFault::ItemTooLarge.into());
    }
    // Before the tables are looked up; an item to put says nothing yet of its key.
    let mut seen = HashSet::new();
    let mut keys = tables.iter().flat_map(|(table, writes)| {
        writes.iter().filter_map(|write| Some((table.name(), write.key()?.stored())))
    });
    if keys.any(|key| !seen.insert(key)) {
        return Err(ManyFault::ItemTwiceInBatch.into());
    }
    Ok(tables)
}

/// The one write that a request is.
fn read_write(request: Node<'_, '_>) -> Option<Result<Write, ValueError>> {
    match (present(request, "PutRequest"), present(request, "DeleteRequest")) {
        (Some(put), None) => Some(Item::from_json(present(put, "Item")?).map(Write::Put)),
        (None, Some(delete)) => Some(Item::from_json(present(delete, "Key")?).map(Write::Delete)),
        _ => None,
    }
}
