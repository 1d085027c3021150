//! ExecuteTransaction: up to a hundred statements, all reads by key or all writes, all or none.

use std::collections::HashSet;
use std::sync::Arc;

use keyplan_partiql::{Select, Statement};
use keyplan_value::Item;
use keyplan_value::json::{Node, Writer};

use super::key_branches::{self, check_kind};
use super::key_of_item::{Conjuncts, NamedItem};
use super::request::{SentStatement, table_of};
use super::write;
use crate::capacity::{CapacityDetail, Charge, Consistency, Consumption};
use crate::catalog::TableDefinition;
use crate::context::Context;
use crate::error::{CancellationReason, ItemFault, ManyFault, ServiceError, StatementFault, ValidationError};
use crate::keys::ItemKey;
use crate::operations::consumed::ConsumedByTable;
use crate::operations::parameters::required;
use crate::operations::transact_get_items::get_together;
use crate::operations::{Answer, Failure};
use crate::read::{self, Read, Wanted, write_columns, write_item};
use crate::validate::string;
use crate::write::transaction::{self, Action, Blamed, RequestToken, Transacted};
use crate::write::{self as mutations, Mutation};

/// Runs one ExecuteTransaction.
pub(in crate::operations) fn execute_transaction(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let mut sent = Vec::new();
    for node in required(request, "TransactStatements")?.elements() {
        sent.push(SentStatement::read(node)?);
    }
    let mut statements = Vec::with_capacity(sent.len());
    for (position, sent) in sent.iter().enumerate() {
        statements.push(sent.bind().map_err(|fault| in_statement(position, fault))?);
    }
    let reads = statements.iter().filter(|statement| statement.is_read()).count();
    if reads == statements.len() {
        run_reads(ctx, request, &statements)
    } else if reads > 0 {
        Err(StatementFault::MixedTransaction.into())
    } else {
        run_writes(ctx, request, &sent, &statements)
    }
}

/// What is wrong with one of the statements by itself.
fn in_statement(position: usize, error: impl Into<ServiceError>) -> ServiceError {
    match error.into() {
        ServiceError::Validation(error) => ValidationError::InStatement { position, error }.into(),
        error => error,
    }
}

/// The table of each statement, after all were looked at with `check`.
///
/// # Errors
/// What `check` finds; then tables that aren't there, as the reasons why the transaction was given up.
fn tables(
    ctx: &Context<'_>,
    statements: &[Statement],
    check: impl Fn(&TableDefinition, &Statement) -> Result<(), StatementFault>,
) -> Result<Vec<Arc<TableDefinition>>, ServiceError> {
    let mut tables = Vec::with_capacity(statements.len());
    for (position, statement) in statements.iter().enumerate() {
        let reference = table_of(statement).map_err(|error| in_statement(position, error))?;
        tables.push(match ctx.table(&reference) {
            Ok(table) => {
                check(&table, statement).map_err(|fault| in_statement(position, fault))?;
                Some(table)
            }
            Err(ServiceError::ResourceNotFound(_)) => None,
            Err(error) => return Err(error),
        });
    }
    if tables.iter().any(Option::is_none) {
        let reason = |table: &Option<_>| match table {
            Some(_) => CancellationReason::None,
            None => CancellationReason::NoSuchTable,
        };
        return Err(ServiceError::TransactionCanceled(tables.iter().map(reason).collect()));
    }
    Ok(tables.into_iter().flatten().collect())
}

fn detail(request: Node<'_, '_>) -> CapacityDetail {
    CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref())
}

fn select_of(statement: &Statement) -> Option<&Select> {
    match statement {
        Statement::Select(select) | Statement::Exists(select) => Some(select),
        _ => None,
    }
}

/// A SELECT is by the key and by nothing else.
fn check_read(table: &TableDefinition, statement: &Statement) -> Result<(), StatementFault> {
    let Some(select) = select_of(statement) else { return Ok(()) };
    if select.index.is_some() {
        return Err(StatementFault::TransactionIndex);
    }
    if let Err(ServiceError::Validation(error)) =
        key_branches::branches(select.condition.as_ref(), &table.key_schema)
        && let ValidationError::Statement(
            fault @ (StatementFault::Overlapping | StatementFault::TooManyReads),
        ) = *error
    {
        return Err(fault);
    }
    match Conjuncts::of(select.condition.as_ref()).of_read(&table.key_schema) {
        Some(_) => Ok(()),
        None => Err(StatementFault::TransactionRead),
    }
}

fn run_reads(ctx: &Context<'_>, request: Node<'_, '_>, statements: &[Statement]) -> Result<Answer, Failure> {
    let mut tracer = ctx.tracer();
    let found = read::on_current_tables(ctx, || {
        let mut places = Vec::with_capacity(statements.len());
        for (table, statement) in tables(ctx, statements, check_read)?.into_iter().zip(statements) {
            let condition = select_of(statement).and_then(|select| select.condition.as_ref());
            let key = Conjuncts::of(condition).of_read(&table.key_schema);
            let place = key
                .ok_or(ItemFault::KeyMismatch)
                .and_then(|key| ItemKey::of_key(&table.key_schema, key.as_ref()));
            places.push(place.map(|place| Wanted { table, place }));
        }
        get_together(ctx, &mut tracer, places)
    })?;

    let mut consumed = ConsumedByTable::read_by_transaction();
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Responses").begin_array();
    for (statement, (item, charge)) in statements.iter().zip(&found) {
        consumed.add(statement.table(), Consumption::of_table(charge.units()));
        json.begin_object();
        if let Some(item) = item {
            let mut shown = Vec::new();
            let columns = select_of(statement).and_then(|select| select.columns.as_deref());
            match columns {
                Some(columns) => write_columns(item.as_ref(), columns, &mut shown),
                None => write_item(ctx.kept(), item.as_ref(), None, &mut shown),
            }
            if columns.is_none() || shown != b"{}" {
                json.name("Item").value_with(|out| out.append(&mut shown));
            }
        }
        json.end_object();
    }
    json.end_array();
    consumed.write(detail(request), &mut json);
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}

/// What can be found out about a write before its key is looked at.
fn check_write(table: &TableDefinition, statement: &Statement) -> Result<(), StatementFault> {
    if statement.has_returning() {
        return Err(StatementFault::TransactionReturning);
    }
    match statement {
        Statement::Exists(select) if select.index.is_some() => Err(StatementFault::ExistsOfIndex),
        Statement::Exists(select) => {
            Conjuncts::of(select.condition.as_ref()).of_check(&table.key_schema).map(drop)
        }
        Statement::Update(_) | Statement::Delete(_) => {
            let Ok(NamedItem { key, .. }) = named(table, statement) else { return Ok(()) };
            for attribute in table.key_schema.attributes() {
                let Some(value) = key.get(&attribute.name) else { continue };
                match check_kind(attribute, value) {
                    Err(fault @ StatementFault::NoKeyType { .. }) => return Err(fault),
                    // A key of another type is a reason, and none to refuse the request.
                    _ => continue,
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn named(table: &TableDefinition, statement: &Statement) -> Result<NamedItem, StatementFault> {
    let schema = &table.key_schema;
    match statement {
        Statement::Update(update) => Conjuncts::of(update.condition.as_ref()).of_write(schema),
        Statement::Delete(delete) => Conjuncts::of(delete.condition.as_ref()).of_write(schema),
        Statement::Exists(select) => Conjuncts::of(select.condition.as_ref()).of_check(schema),
        Statement::Insert(_) | Statement::Select(_) => Err(StatementFault::NoItem),
    }
}

/// The action that a write is, or the reason why it can't be one.
fn action(table: &Arc<TableDefinition>, statement: &Statement, returns_item: bool) -> Action {
    let action = match statement {
        Statement::Insert(insert) => return write::insertion(table, &insert.item),
        Statement::Update(update) => mutations::Action::Update(Some(Arc::clone(&update.update))),
        Statement::Delete(_) => mutations::Action::Delete,
        Statement::Exists(_) | Statement::Select(_) => mutations::Action::Check,
    };
    let named = named(table, statement).map_err(|_| ItemFault::KeyMismatch)?;
    write::check_targets(table, statement)?;
    Ok(write::of_item(table, named, action)?.returning_on_failure(returns_item))
}

fn run_writes(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    sent: &[SentStatement<'_>],
    statements: &[Statement],
) -> Result<Answer, Failure> {
    let token = token(ctx, request, sent);
    let mut tracer = ctx.tracer();
    let transacted = transaction::transact(ctx, &mut tracer, token.as_ref(), Blamed::Each, || {
        let tables = tables(ctx, statements, check_write)?;
        let mut planned: Vec<Action> = Vec::with_capacity(statements.len());
        for ((table, statement), sent) in tables.iter().zip(statements).zip(sent) {
            planned.push(match action(table, statement, sent.returns_item) {
                // As in other transactions, these alone are not left to the reasons.
                Err(
                    fault @ (ItemFault::EmptyKey { .. }
                    | ItemFault::EmptyIndexKey { .. }
                    | ItemFault::ItemTooLarge),
                ) => return Err(fault.into()),
                planned => planned,
            });
        }
        let mut seen = HashSet::new();
        if planned.iter().flatten().any(|mutation: &Mutation| !seen.insert(mutation.place())) {
            return Err(ManyFault::ItemTwiceInTransaction.into());
        }
        Ok(planned)
    });
    let transacted = match transacted {
        Ok(transacted) => transacted,
        Err(ServiceError::TransactionCanceled(reasons)) => {
            let error = ServiceError::TransactionCanceled(worded(ctx, statements, reasons)?);
            return Err(Failure { error, trace: tracer.finish() });
        }
        Err(error) => return Err(Failure { error, trace: tracer.finish() }),
    };

    let tables = statements.iter().map(Statement::table);
    let consumed = match &transacted {
        Transacted::Written(outcomes) => {
            let mut consumed = ConsumedByTable::written_by_transaction();
            for (table, outcome) in tables.zip(outcomes) {
                consumed.add(table, transaction::consumed(outcome));
            }
            consumed
        }
        Transacted::Repeated(charges) => {
            let mut consumed = ConsumedByTable::read_by_transaction();
            for (table, charge) in tables.zip(charges) {
                consumed.add(table, Consumption::of_table(charge.units()));
            }
            consumed
        }
    };
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Responses").begin_array().end_array();
    consumed.write(detail(request), &mut json);
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}

/// The reasons as statements have them: an INSERT found a duplicate, and a DELETE with a condition found
/// nothing, which is no fault unless the transaction is given up.
fn worded(
    ctx: &Context<'_>,
    statements: &[Statement],
    reasons: Vec<CancellationReason>,
) -> Result<Vec<CancellationReason>, ServiceError> {
    let mut worded = Vec::with_capacity(reasons.len());
    for (statement, reason) in statements.iter().zip(reasons) {
        worded.push(match (statement, reason) {
            (Statement::Insert(_), CancellationReason::ConditionalCheckFailed { .. }) => {
                CancellationReason::DuplicateItem
            }
            (Statement::Delete(_), CancellationReason::None) if finds_nothing(ctx, statement)? => {
                CancellationReason::ConditionalCheckFailed { item: None }
            }
            (_, reason) => reason,
        });
    }
    Ok(worded)
}

/// Whether a DELETE with a condition names an item that isn't there.
fn finds_nothing(ctx: &Context<'_>, statement: &Statement) -> Result<bool, ServiceError> {
    let Ok(table) = table_of(statement).and_then(|reference| ctx.table(&reference)) else { return Ok(false) };
    let Ok(NamedItem { key, rest: Some(_) }) = named(&table, statement) else { return Ok(false) };
    let Ok(place) = ItemKey::of_key(&table.key_schema, key.as_ref()) else { return Ok(false) };
    // The look is the transaction's own, which has told its cost.
    let mut untold = crate::trace::Tracer::untold(ctx.operation().name);
    let found: Read<(Option<Item>, Charge)> =
        read::get(ctx, &mut untold, &table, &place, Consistency::Strong)?;
    Ok(matches!(found, Read::Done((None, _))))
}

/// ClientRequestToken, with what must not differ when it comes again.
fn token(ctx: &Context<'_>, request: Node<'_, '_>, sent: &[SentStatement<'_>]) -> Option<RequestToken> {
    let token = string(request, "ClientRequestToken")?;
    let mut compared = Vec::new();
    let mut push = |part: &[u8]| {
        compared.extend((part.len() as u64).to_be_bytes());
        compared.extend_from_slice(part);
    };
    for SentStatement { text, parameters, returns_item } in sent {
        push(text.as_bytes());
        push(&[u8::from(*returns_item)]);
        push(&(parameters.len() as u64).to_be_bytes());
        for parameter in parameters {
            let mut json = Vec::new();
            parameter.as_ref().as_ref().write_json(&mut json);
            push(&json);
        }
    }
    Some(RequestToken::of_bytes(ctx.operation().name, &token, &compared))
}
