//! Exports, imports and bulk puts: how they are begun, described and listed. The work itself is a job; see
//! the module `transfers` of the engine.

mod bulk;
mod export;
mod filter;
mod import;

use keyplan_store::{Batch, SharedBytes, Snapshot, StoreExt};
use keyplan_value::json::{Limits, Node, Tape, Writer};

pub(super) use bulk::{
    cancel_bulk_operation, describe_bulk_operation, list_bulk_operations, start_bulk_put_items,
};
pub(super) use export::{describe_export, export_table_to_point_in_time, list_exports};
pub(super) use import::{describe_import, import_table, list_imports};

use super::{Answer, Failure};
use crate::arn::ACCOUNT;
use crate::catalog::{random_uuid, uuid_text};
use crate::context::Context;
use crate::error::{InternalError, ServiceError, TransferError, TransferFault, ValidationError};
use crate::shapes::Kind as ShapeKind;
use crate::transfers::{Asked, Failed, Kind, Stored, Token, Transfer, find, newest_first};
use crate::validate::{present, string};
use crate::write::transaction::RequestToken;

const UNREADABLE: InternalError = InternalError::Malformed("the request of a transfer");

/// The token of a request, or a new one, and what tells the request from others.
fn token(ctx: &Context<'_>, request: Node<'_, '_>, kind: Kind) -> Token {
    let text = string(request, "ClientToken").map(|token| token.into_owned());
    let text = text.unwrap_or_else(|| uuid_text(random_uuid(ctx.random().rotate_left(64))));
    let members = match &ctx.operation().input.shape().kind {
        ShapeKind::Structure(structure) => structure.members,
        _ => &[],
    };
    let compared = members.iter().filter(|member| member.name != "ClientToken");
    let parameters =
        compared.filter_map(|member| Some((present(request, member.name)?, member.shape.shape())));
    let fingerprint = RequestToken::new(ctx.operation().name, &text, parameters).fingerprint();
    Token { kind, text, fingerprint }
}

/// Why a transfer isn't begun.
enum Refusal {
    /// Another request came with the same token.
    Conflict,
    Service(Box<ServiceError>),
    Internal(InternalError),
}

impl<E: Into<InternalError>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Internal(error.into())
    }
}

fn refused(error: impl Into<ServiceError>) -> Refusal {
    Refusal::Service(Box::new(error.into()))
}

/// Begins a transfer in one transaction, unless the same request came before: `begin` checks what must be
/// so, and adds what goes with the transfer.
fn begin(
    ctx: &Context<'_>,
    token: &Token,
    conflict: ServiceError,
    begin: impl Fn(&dyn Snapshot, &mut Batch) -> Result<Transfer, Refusal> + Send + 'static,
) -> Result<Transfer, ServiceError> {
    let (kept, now) = (token.clone(), ctx.now());
    let begun = ctx.store().transact(move |snapshot| -> Result<_, Refusal> {
        let mut batch = Batch::new();
        match kept.find(snapshot, now)? {
            Asked::Before(stored) => return Ok((batch, stored.transfer)),
            Asked::Otherwise => return Err(Refusal::Conflict),
            Asked::New => {}
        }
        let transfer = begin(snapshot, &mut batch)?;
        kept.keep(&mut batch, &transfer.id);
        transfer.put(&mut batch)?;
        Ok((batch, transfer))
    })?;
    match begun {
        Ok((transfer, _)) => {
            ctx.catalog_changed();
            Ok(transfer)
        }
        Err(Refusal::Conflict) => Err(conflict),
        Err(Refusal::Service(error)) => Err(*error),
        Err(Refusal::Internal(error)) => Err(error.into()),
    }
}

/// The table and the last part of a transfer's ARN.
fn reference<'a>(ctx: &Context<'_>, arn: &'a str, kind: Kind) -> Result<(&'a str, &'a str), ServiceError> {
    let invalid = || ServiceError::from(TransferFault::Arn(kind.word()));
    let parts: Vec<&str> = arn.splitn(6, ':').collect();
    let [lead, _, service, region, account, resource] = parts.as_slice() else { return Err(invalid()) };
    let steps: Vec<&str> = resource.split('/').collect();
    let [table, name, word, id] = steps.as_slice() else { return Err(invalid()) };
    let is_one = *lead == "arn" && *service == "dynamodb" && *table == "table" && *word == kind.word();
    if !is_one || name.is_empty() || id.is_empty() || *region != ctx.region() {
        return Err(invalid());
    }
    if *account != ACCOUNT {
        return Err(ServiceError::AccessDenied { operation: ctx.operation().name, resource: arn.to_owned() });
    }
    Ok((name, id))
}

/// The transfer that a request names by its ARN, and the request that it came with.
fn named(ctx: &Context<'_>, arn: &str, kind: Kind) -> Result<(Stored, SharedBytes), ServiceError> {
    let (table, id) = reference(ctx, arn, kind)?;
    let found = ctx.store().view(|snapshot| find(snapshot, kind, id))??;
    let found = found.filter(|(stored, _)| stored.transfer.table == table);
    found.ok_or_else(|| TransferError::NotFound { kind: kind.word(), arn: arn.to_owned() }.into())
}

/// What an answer is written from: the transfer and the request that it came with.
fn described(
    member: &str,
    request: &[u8],
    write: impl FnOnce(&mut Writer<'_>, Node<'_, '_>),
) -> Result<Answer, ServiceError> {
    let tape = parsed(request)?;
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name(member).begin_object();
    write(&mut json, tape.root());
    json.end_object().end_object();
    Ok(body.into())
}

/// The request that a transfer came with.
fn find_request(ctx: &Context<'_>, transfer: &Transfer) -> Result<SharedBytes, ServiceError> {
    let found = ctx.store().view(|snapshot| find(snapshot, transfer.kind, &transfer.id))??;
    let (_, request) = found.ok_or(UNREADABLE)?;
    Ok(request)
}

fn parsed(request: &[u8]) -> Result<Tape<'_>, ServiceError> {
    Tape::parse(request, &Limits::default()).map_err(|_| UNREADABLE.into())
}

/// Members of the request as they were sent.
fn echo(json: &mut Writer<'_>, request: Node<'_, '_>, names: &[&str]) {
    for name in names {
        if let Some(member) = present(request, name) {
            match member.string() {
                Some(text) => json.name(name).string(&text),
                None => json.name(name).value_with(|out| out.extend(member.raw().as_bytes())),
            };
        }
    }
}

/// When it began and ended.
fn times(json: &mut Writer<'_>, transfer: &Transfer) {
    json.name("StartTime").float(transfer.started.seconds());
    if let Some(ended) = transfer.ended {
        json.name("EndTime").float(ended.seconds());
    }
}

fn failure(json: &mut Writer<'_>, transfer: &Transfer) {
    if let Some(Failed { code, message }) = &transfer.failure {
        json.name("FailureCode").string(code);
        json.name("FailureMessage").string(message);
    }
}

/// The next transfers of a kind, the newest first, and the token of the page behind them.
fn page(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    kind: Kind,
    limit: usize,
) -> Result<(Vec<Transfer>, Option<String>), ServiceError> {
    let table = string(request, "TableArn").map(|arn| table_of(arn.into_owned())).transpose()?;
    let after = string(request, "NextToken").map(|token| page_position(&token)).transpose()?;
    let (found, more) = ctx
        .store()
        .view(|snapshot| newest_first(snapshot, kind, after.as_deref(), table.as_deref(), limit))??;
    let next = found.last().filter(|_| more).map(|last| page_token(&last.id));
    Ok((found, next))
}

/// Answers a list of transfers, page by page: `write` says of each what its summary holds.
fn listed(
    ctx: &Context<'_>,
    request: Node<'_, '_>,
    kind: Kind,
    (member, limit): (&str, usize),
    write: impl Fn(&mut Writer<'_>, &Transfer) -> Result<(), ServiceError>,
) -> Result<Answer, Failure> {
    let (transfers, next) = page(ctx, request, kind, limit)?;
    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object().name(member).begin_array();
    for transfer in &transfers {
        json.begin_object();
        write(&mut json, transfer)?;
        json.end_object();
    }
    json.end_array();
    if let Some(next) = next {
        json.name("NextToken").string(&next);
    }
    json.end_object();
    Ok(body.into())
}

/// The table that an ARN names.
fn table_of(arn: String) -> Result<String, ServiceError> {
    let invalid = ServiceError::from(TransferFault::TableArn);
    let name = crate::arn::TableReference::parse(arn.clone().into()).map(|table| table.name().to_owned());
    match name {
        Ok(name) if arn.starts_with("arn:") => Ok(name),
        Ok(_) | Err(_) => Err(invalid),
    }
}

/// The least digits of a page's token, which the service's model bounds.
const PAGE_TOKEN_DIGITS: usize = 128;

fn page_token(id: &str) -> String {
    let mut token = String::with_capacity(PAGE_TOKEN_DIGITS);
    for byte in id.bytes() {
        token.extend([byte >> 4, byte & 15].iter().filter_map(|half| char::from_digit((*half).into(), 16)));
    }
    while token.len() < PAGE_TOKEN_DIGITS {
        token.push('0');
    }
    token
}

fn page_position(token: &str) -> Result<String, ServiceError> {
    let invalid = || ServiceError::from(ValidationError::Transfer(TransferFault::NextToken));
    let digits = token.strip_suffix("00").map_or(token, |_| token.trim_end_matches("00"));
    let digits = if digits.len() % 2 == 1 { token.get(..digits.len() + 1).unwrap_or(token) } else { digits };
    let mut id = String::new();
    let mut rest = digits;
    while !rest.is_empty() {
        let (byte, more) = rest.split_at_checked(2).ok_or_else(invalid)?;
        let byte = u8::from_str_radix(byte, 16).ok().filter(u8::is_ascii_graphic).ok_or_else(invalid)?;
        id.push(char::from(byte));
        rest = more;
    }
    if id.is_empty() { Err(invalid()) } else { Ok(id) }
}

/// How many transfers a page has.
fn limit(request: Node<'_, '_>, member: &str, default: usize) -> usize {
    // The constraints of the shape hold it between 1 and the maximum.
    crate::validate::integer(request, member).and_then(|limit| usize::try_from(limit).ok()).unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_goes_on_where_its_token_says() {
        for id in ["01796040000001-0a1b2c3d", "01796040000000-00000000", "a"] {
            let token = page_token(id);
            assert!(token.len().is_multiple_of(16) && token.len() >= 112, "{token}");
            assert_eq!(page_position(&token).ok().as_deref(), Some(id));
        }
        for wrong in ["", "00", "zz", "616", "é1"] {
            assert!(page_position(wrong).is_err(), "{wrong}");
        }
    }
}
