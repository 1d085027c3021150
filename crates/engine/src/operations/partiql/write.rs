//! Statements that write, as mutations.

use std::sync::Arc;

use keyplan_partiql::{Returning, Statement};
use keyplan_value::Item;
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;

use super::key_branches::{check_kind, check_value};
use super::key_of_item::{Conjuncts, NamedItem, there_is};
use crate::catalog::TableDefinition;
use crate::error::{ItemFault, ServiceError, StatementFault};
use crate::write::{Action, Mutation, Outcome};

/// The mutation that a write is, for its table.
///
/// # Errors
/// In this order: a key that the condition doesn't name, changes of the key, values that are no keys.
pub(super) fn mutation(
    table: &Arc<TableDefinition>,
    statement: &Statement,
) -> Result<Mutation, ServiceError> {
    let schema = &table.key_schema;
    let (NamedItem { key, rest }, action) = match statement {
        Statement::Insert(insert) => {
            for attribute in schema.attributes() {
                let value = insert.item.get(&attribute.name);
                let name = || attribute.name.clone();
                check_kind(attribute, value.ok_or_else(|| StatementFault::MissingKey { name: name() })?)?;
            }
            return Ok(insertion(table, &insert.item)?);
        }
        Statement::Update(update) => {
            let named = Conjuncts::of(update.condition.as_ref()).of_write(schema)?;
            (named, Action::Update(Some(Arc::clone(&update.update))))
        }
        Statement::Delete(delete) => {
            (Conjuncts::of(delete.condition.as_ref()).of_write(schema)?, Action::Delete)
        }
        Statement::Exists(_) | Statement::Select(_) => return Err(StatementFault::ExistsElsewhere.into()),
    };
    check_targets(table, statement)?;
    for attribute in schema.attributes() {
        if let Some(value) = key.get(&attribute.name) {
            check_value(attribute, value)?;
        }
    }
    let named = NamedItem { key, rest };
    Ok(of_item(table, named, action)?)
}

/// The mutation that puts an item where there is none.
pub(super) fn insertion(table: &Arc<TableDefinition>, item: &Item) -> Result<Mutation, ItemFault> {
    if item.as_ref().size() > ITEM_SIZE_BYTES_MAX {
        return Err(ItemFault::ItemTooLarge);
    }
    let condition = there_is(&table.key_schema).map(|there_is| Arc::new(there_is.negated()));
    Mutation::put(table, item, condition)
}

/// The mutation of an item that a condition names. A missing item isn't updated, and deleting it is no fault.
pub(super) fn of_item(
    table: &Arc<TableDefinition>,
    named: NamedItem,
    action: Action,
) -> Result<Mutation, ItemFault> {
    let NamedItem { key, rest } = named;
    let there_is = there_is(&table.key_schema);
    let condition = match (&action, there_is, rest) {
        (Action::Update(_), Some(there_is), Some(rest)) => Some(there_is.and(rest)),
        (Action::Update(_), there_is, None) => there_is,
        (Action::Delete, Some(there_is), Some(rest)) => Some(there_is.negated().or(rest)),
        (_, _, rest) => rest,
    };
    Mutation::of_key(table, key.as_ref(), action, condition.map(Arc::new))
}

/// An update changes no key attribute; that is looked at before the item is read.
///
/// # Errors
/// The first that it does.
pub(super) fn check_targets(table: &TableDefinition, statement: &Statement) -> Result<(), ItemFault> {
    let Statement::Update(update) = statement else { return Ok(()) };
    let mut targets = update.update.targets().map(|target| target.attribute());
    match targets.find(|target| table.key_schema.has(target)) {
        Some(target) => Err(ItemFault::KeyTarget { name: target.to_string() }),
        None => Ok(()),
    }
}

/// Appends what RETURNING asks for; `false` if there is nothing.
pub(super) fn write_returned(statement: &Statement, outcome: &Outcome, out: &mut Vec<u8>) -> bool {
    let whole = |item: &Option<Item>, out: &mut Vec<u8>| match item {
        Some(item) => {
            item.as_ref().write_json(out);
            true
        }
        None => false,
    };
    match statement {
        Statement::Delete(delete) if delete.returns_old => whole(&outcome.before, out),
        Statement::Update(update) => match (update.returning, &outcome.before, &outcome.after) {
            (Some(Returning::AllOld), before, _) => whole(before, out),
            (Some(Returning::AllNew), _, after) => whole(after, out),
            (Some(Returning::ModifiedOld), Some(item), _) => {
                update.update.write_updated_old(item.as_ref(), out)
            }
            (Some(Returning::ModifiedNew), _, Some(item)) => {
                update.update.write_updated_new(item.as_ref(), out)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The error of a write as statements have it: what an INSERT finds in its place is a duplicate.
pub(super) fn error_of(statement: &Statement, error: ServiceError) -> ServiceError {
    match (statement, error) {
        (Statement::Insert(_), ServiceError::ConditionalCheckFailed { .. }) => ServiceError::DuplicateItem,
        (_, error) => error,
    }
}
