//! BatchExecuteStatement: up to 25 statements, each for itself, all of them reads by key or all writes.

use std::sync::Arc;

use keyplan_partiql::{Select, Statement};
use keyplan_value::Item;
use keyplan_value::json::{Node, Writer};

use super::key_branches;
use super::key_of_item::Conjuncts;
use super::request::{SentStatement, table_of};
use super::write;
use crate::arn::TableReference;
use crate::capacity::{CapacityDetail, Charge, Consistency, Consumption};
use crate::catalog::TableDefinition;
use crate::context::Context;
use crate::error::{ItemFault, ManyFault, ServiceError, StatementFault, ValidationError};
use crate::keys::ItemKey;
use crate::operations::consumed::ConsumedByTable;
use crate::operations::parameters::{consistency, required};
use crate::operations::{Answer, Failure};
use crate::read::{self, write_columns, write_item};
use crate::trace::Tracer;
use crate::validate::string;
use crate::write::Outcome;

/// A statement of the batch that can be run.
struct Member {
    statement: Statement,
    consistency: Consistency,
    returns_item: bool,
}

/// What became of one.
enum Done {
    Read(Option<Item>, Charge),
    Written(Outcome),
}

/// Why one failed, and what it is charged for its attempt.
struct Failed {
    error: ServiceError,
    /// Whether it got as far as its item.
    attempted: Option<Charge>,
}

impl<E: Into<ServiceError>> From<E> for Failed {
    fn from(error: E) -> Failed {
        Failed { error: error.into(), attempted: None }
    }
}

/// Runs one BatchExecuteStatement.
pub(in crate::operations) fn batch_execute_statement(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let members: Vec<Result<Member, ServiceError>> =
        required(request, "Statements")?.elements().map(read_member).collect();
    let reads = members.iter().flatten().filter(|member| member.statement.is_read()).count();
    if reads > 0 && members.iter().flatten().count() > reads {
        return Err(StatementFault::MixedBatch.into());
    }
    check_apart(ctx, &members)?;

    let mut tracer = ctx.tracer();
    let mut answered = Vec::with_capacity(members.len());
    for member in members {
        let (member, done) = match member {
            Ok(member) => {
                let done = run(ctx, &mut tracer, &member);
                (Some(member), done)
            }
            Err(error) => (None, Err(error.into())),
        };
        match done {
            // These are no fault of one statement.
            Err(Failed {
                error: error @ (ServiceError::Internal(_) | ServiceError::Serialization(_)),
                ..
            }) => {
                return Err(Failure { error, trace: tracer.finish() });
            }
            done => answered.push((member, done)),
        }
    }

    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    let consumed = consumed(&answered);
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Responses").begin_array();
    for (member, done) in &answered {
        let statement = member.as_ref().map(|member| &member.statement);
        json.begin_object();
        match done {
            Ok(done) => {
                if let Some(statement) = statement {
                    json.name("TableName").string(statement.table());
                    write_item_of(ctx, statement, done, &mut json);
                }
            }
            Err(failed) => {
                write_error(failed, member.as_ref().is_some_and(|member| member.returns_item), &mut json);
                if let Some(statement) = statement.filter(|_| names_table(failed)) {
                    json.name("TableName").string(statement.table());
                }
            }
        }
        json.end_object();
    }
    json.end_array();
    if !consumed.is_empty() {
        consumed.write(detail, &mut json);
    }
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}

fn read_member(node: Node<'_, '_>) -> Result<Member, ServiceError> {
    let sent = SentStatement::read(node)?;
    let statement = sent.bind()?;
    if let Statement::Exists(_) = statement {
        return Err(StatementFault::ExistsElsewhere.into());
    }
    Ok(Member { statement, consistency: consistency(node), returns_item: sent.returns_item })
}

/// No item is in two statements. Statements that don't fit their tables are left to themselves.
fn check_apart(ctx: &Context<'_>, members: &[Result<Member, ServiceError>]) -> Result<(), ServiceError> {
    let mut seen: Vec<(u64, Vec<u8>)> = Vec::with_capacity(members.len());
    for Member { statement, .. } in members.iter().flatten() {
        let Ok(table) = table_of(statement).and_then(|reference| ctx.table(&reference)) else { continue };
        let place = match statement {
            Statement::Select(select) => place_of(&table, select).ok().map(ItemKey::into_bytes),
            statement => {
                let mutation = write::mutation(&table, statement).ok();
                mutation.map(|mutation| mutation.key.into_bytes())
            }
        };
        let Some(place) = place.map(|place| (table.space.0, place)) else { continue };
        if seen.contains(&place) {
            return Err(ManyFault::ItemTwiceInBatch.into());
        }
        seen.push(place);
    }
    Ok(())
}

/// The place of the one item that a SELECT reads.
fn place_of(table: &TableDefinition, select: &Select) -> Result<ItemKey, ServiceError> {
    let schema = &table.key_schema;
    if select.index.is_some() {
        return Err(StatementFault::BatchRead.into());
    }
    key_branches::branches(select.condition.as_ref(), schema)?;
    let key = Conjuncts::of(select.condition.as_ref()).of_read(schema).ok_or(StatementFault::BatchRead)?;
    Ok(ItemKey::of_key(schema, key.as_ref())?)
}

fn run(ctx: &Context<'_>, tracer: &mut Tracer, member: &Member) -> Result<Done, Failed> {
    let Member { statement, consistency, returns_item: _ } = member;
    let reference: TableReference<'_> = table_of(statement)?;
    let select = match statement {
        Statement::Select(select) => select,
        statement => return run_write(ctx, tracer, &reference, statement),
    };
    let (item, charge) = read::on_current_table(
        ctx,
        || ctx.table(&reference),
        |table| read::get(ctx, tracer, table, &place_of(table, select)?, *consistency),
    )?;
    Ok(Done::Read(item, charge))
}

fn run_write(
    ctx: &Context<'_>,
    tracer: &mut Tracer,
    reference: &TableReference<'_>,
    statement: &Statement,
) -> Result<Done, Failed> {
    let table = ctx.table(reference)?;
    // What doesn't fit the table costs nothing; what is found out at the item does.
    write::mutation(&table, statement)?;
    let written = crate::write::commit_one(
        ctx,
        tracer,
        || ctx.table(reference),
        |table: &Arc<TableDefinition>| Ok(write::mutation(table, statement)?.returning_on_failure(true)),
    );
    match written {
        Ok(outcome) => Ok(Done::Written(outcome)),
        Err(error) => {
            let stored = match &error {
                ServiceError::ConditionalCheckFailed { item: Some(item) } => item.as_ref().size(),
                _ => 0,
            };
            let put = match statement {
                Statement::Insert(insert) => insert.item.as_ref().size(),
                _ => 0,
            };
            let attempted = Some(Charge::write(stored, put));
            Err(Failed { error: write::error_of(statement, error), attempted })
        }
    }
}

/// What the batch consumed. What a write that failed was charged for is told with the rest of its table, and not
/// at all where there is none.
fn consumed(answered: &[(Option<Member>, Result<Done, Failed>)]) -> ConsumedByTable<'_> {
    let mut consumed = ConsumedByTable::new();
    let tables =
        || answered.iter().filter_map(|(member, done)| Some((member.as_ref()?.statement.table(), done)));
    for (table, done) in tables() {
        match done {
            Ok(Done::Read(_, charge)) => consumed.add(table, Consumption::of_table(charge.units())),
            Ok(Done::Written(outcome)) => consumed.add(table, outcome.consumed()),
            Err(_) => {}
        }
    }
    for (table, done) in tables() {
        if let Err(Failed { attempted: Some(charge), .. }) = done {
            consumed.add_to(table, Consumption::apart(charge.units()));
        }
    }
    consumed
}

fn write_item_of(ctx: &Context<'_>, statement: &Statement, done: &Done, json: &mut Writer<'_>) {
    let mut item = Vec::new();
    let is_there = match (done, statement) {
        (Done::Read(Some(found), _), Statement::Select(select)) => {
            match &select.columns {
                Some(columns) => write_columns(found.as_ref(), columns, &mut item),
                None => write_item(ctx.kept(), found.as_ref(), None, &mut item),
            }
            true
        }
        (Done::Written(outcome), statement) => write::write_returned(statement, outcome, &mut item),
        _ => false,
    };
    if is_there {
        json.name("Item").value_with(|out| out.append(&mut item));
    }
}

fn write_error(failed: &Failed, returns_item: bool, json: &mut Writer<'_>) {
    let (code, text) = failed.error.of_member();
    json.name("Error").begin_object().name("Code").string(code).name("Message").string(&text);
    if let ServiceError::ConditionalCheckFailed { item: Some(item) } = &failed.error
        && returns_item
    {
        json.name("Item").value_with(|out| item.as_ref().write_json(out));
    }
    json.end_object();
}

/// Whether a failure's answer names the table: that of a statement which is refused by itself doesn't.
fn names_table(failed: &Failed) -> bool {
    if failed.attempted.is_some() {
        return true;
    }
    match &failed.error {
        ServiceError::Validation(error) => matches!(
            **error,
            ValidationError::Item(
                ItemFault::KeyTarget { .. } | ItemFault::PartitionKeyTooLarge | ItemFault::SortKeyTooLarge
            )
        ),
        _ => true,
    }
}
