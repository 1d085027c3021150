//! ExecuteStatement: one statement, with pages if it is a SELECT.

use keyplan_partiql::{Select, Statement};
use keyplan_value::json::{Node, Writer};

use super::next_token::{Binding, Position};
use super::request::{SentStatement, table_of};
use super::{select, write};
use crate::capacity::CapacityDetail;
use crate::context::Context;
use crate::error::{ServiceError, StatementFault};
use crate::operations::parameters::consistency;
use crate::operations::{Answer, Failure};
use crate::read::{self, Read};
use crate::validate::{integer, string};

/// Runs one ExecuteStatement.
pub(in crate::operations) fn execute_statement(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
) -> Result<Answer, Failure> {
    let sent = SentStatement::read(request)?;
    let statement = sent.bind()?;
    match &statement {
        Statement::Select(select) => run_select(ctx, request, &statement, select),
        Statement::Exists(_) => Err(StatementFault::ExistsElsewhere.into()),
        _ if string(request, "NextToken").is_some() => Err(StatementFault::TokenOfWrite.into()),
        _ => run_write(ctx, request, &statement, sent.returns_item),
    }
}

fn detail(request: Node<'_, '_>) -> CapacityDetail {
    CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref())
}

fn run_select(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    statement: &Statement,
    select: &Select,
) -> Result<Answer, Failure> {
    if select.condition.is_none() && !select.order.is_empty() {
        return Err(StatementFault::OrderWithoutCondition.into());
    }
    let binding = Binding::of(request);
    let position = match string(request, "NextToken") {
        Some(token) => binding.position(&token, ctx.now())?,
        None => Position::default(),
    };
    let limit = integer(request, "Limit").and_then(|limit| u64::try_from(limit).ok());
    let reference = table_of(statement)?;
    let mut tracer = ctx.tracer();
    let body = read::on_current_table(
        ctx,
        || ctx.table(&reference),
        |table| {
            let consistency = consistency(request);
            let page = select::page(ctx, &mut tracer, table, select, &position, limit, consistency)?;
            let Read::Done(mut page) = page else { return Ok(Read::TableChanged) };
            let mut body = Vec::new();
            let mut json = Writer::new(&mut body);
            json.begin_object().name("Items").begin_array();
            if !page.items.is_empty() {
                json.value_with(|out| out.append(&mut page.items));
            }
            json.end_array();
            if let Some(next) = &page.next {
                json.name("NextToken").string(&binding.token(next, ctx.now()));
                if let Some(key) = &next.after {
                    json.name("LastEvaluatedKey").value_with(|out| key.as_ref().write_json(out));
                }
            }
            page.consumed.write(detail(request), reference.sent(), &mut json);
            json.end_object();
            Ok(Read::Done(body))
        },
    )?;
    Ok(Answer { body, trace: tracer.finish() })
}

fn run_write(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    statement: &Statement,
    returns_item: bool,
) -> Result<Answer, Failure> {
    let reference = table_of(statement)?;
    let mut tracer = ctx.tracer();
    let written = crate::write::commit_one(
        ctx,
        &mut tracer,
        || ctx.table(&reference),
        |table| Ok(write::mutation(table, statement)?.returning_on_failure(returns_item)),
    );
    let outcome = match written.map_err(|error| write::error_of(statement, error)) {
        Ok(outcome) => outcome,
        // A failed condition has a cost, so its trace goes along.
        Err(ServiceError::ConditionalCheckFailed { item: Some(item) }) => {
            let error = ServiceError::StatementConditionFailed { item };
            return Err(Failure { error, trace: tracer.finish() });
        }
        Err(error) => return Err(Failure { error, trace: tracer.finish() }),
    };
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name("Items").begin_array();
    let mut returned = Vec::new();
    if write::write_returned(statement, &outcome, &mut returned) {
        json.value_with(|out| out.append(&mut returned));
    }
    json.end_array();
    outcome.consumed().write(detail(request), reference.sent(), &mut json);
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}
