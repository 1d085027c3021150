//! Errors by rule.

use std::borrow::Cow;

use keyplan_value::Item;
use keyplan_value::json::Node;

use super::Rate;
use crate::arn::TableReference;
use crate::catalog::KeySchema;
use crate::context::Context;
use crate::error::{Limited, ServiceError, Throttled};
use crate::validate::{present, string};

/// An error that requests meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRule {
    /// Which.
    pub trouble: Trouble,
    /// How often.
    pub rate: Rate,
    /// The operation it is for; without one, all.
    pub operation: Option<String>,
    /// The table it is for; without one, all requests, those without a table too.
    pub table: Option<String>,
    /// What the partition key of an item must begin with: text, or a number as it is written.
    pub key: Option<String>,
    /// Whether the request is carried out, and only its answer is lost.
    pub after: bool,
    /// How often at most, if there is a bound.
    pub times: Option<u64>,
}

/// The errors that a rule can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// A fault of the service: status 500.
    InternalServerError,
    /// The service can't be reached: status 503.
    ServiceUnavailable,
    /// A table on demand, or too many requests to tables themselves.
    ThrottlingException,
    /// A table with provisioned units.
    ProvisionedThroughputExceededException,
    /// The account's quota.
    RequestLimitExceeded,
    /// Too many operations on tables at once.
    LimitExceededException,
    /// A transaction holds the item.
    TransactionConflictException,
    /// Another region writes the item.
    ReplicatedWriteConflictException,
}

impl Trouble {
    /// All of them.
    pub const ALL: [Trouble; 8] = [
        Trouble::InternalServerError,
        Trouble::ServiceUnavailable,
        Trouble::ThrottlingException,
        Trouble::ProvisionedThroughputExceededException,
        Trouble::RequestLimitExceeded,
        Trouble::LimitExceededException,
        Trouble::TransactionConflictException,
        Trouble::ReplicatedWriteConflictException,
    ];

    /// The error's name, as the service writes it.
    pub fn name(self) -> &'static str {
        match self {
            Trouble::InternalServerError => "InternalServerError",
            Trouble::ServiceUnavailable => "ServiceUnavailable",
            Trouble::ThrottlingException => "ThrottlingException",
            Trouble::ProvisionedThroughputExceededException => "ProvisionedThroughputExceededException",
            Trouble::RequestLimitExceeded => "RequestLimitExceeded",
            Trouble::LimitExceededException => "LimitExceededException",
            Trouble::TransactionConflictException => "TransactionConflictException",
            Trouble::ReplicatedWriteConflictException => "ReplicatedWriteConflictException",
        }
    }

    /// The error of a name.
    pub fn from_name(name: &str) -> Option<Trouble> {
        Trouble::ALL.into_iter().find(|trouble| trouble.name() == name)
    }

    pub(crate) fn status(self) -> u16 {
        match self {
            Trouble::InternalServerError => 500,
            Trouble::ServiceUnavailable => 503,
            _ => 400,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Trouble::InternalServerError => "Internal server error",
            Trouble::LimitExceededException => "Too many operations for a given subscriber",
            Trouble::ReplicatedWriteConflictException => {
                "One or more items in this request are being modified by a request in another Region."
            }
            // The others have errors of their own.
            _ => "The service is unavailable",
        }
    }

    pub(super) fn error(self) -> ServiceError {
        let throttled =
            |limited| ServiceError::Throttled(Box::new(Throttled { limited, reasons: Vec::new() }));
        match self {
            Trouble::ThrottlingException => throttled(Limited::OnDemand { index: false }),
            Trouble::ProvisionedThroughputExceededException => {
                throttled(Limited::Provisioned { index: false })
            }
            Trouble::RequestLimitExceeded => throttled(Limited::Account),
            Trouble::TransactionConflictException => ServiceError::TransactionConflict,
            other => ServiceError::Weather(other),
        }
    }
}

impl ErrorRule {
    /// Whether the rule is about such a request.
    pub(super) fn is_about(&self, ctx: &Context<'_>, request: Node<'_, '_>) -> bool {
        if self.operation.as_ref().is_some_and(|operation| operation != ctx.operation().name) {
            return false;
        }
        if self.table.is_none() && self.key.is_none() {
            return true;
        }
        let mut matches = false;
        each_item(request, &mut |table, item| matches = matches || self.is_about_item(ctx, table, item));
        matches
    }

    fn is_about_item(&self, ctx: &Context<'_>, table: Cow<'_, str>, item: Option<Node<'_, '_>>) -> bool {
        let Ok(reference) = TableReference::parse(table) else { return false };
        if self.table.as_ref().is_some_and(|table| table != reference.name()) {
            return false;
        }
        let Some(prefix) = &self.key else { return true };
        let Some(item) = item.and_then(|item| Item::from_json(item).ok()) else { return false };
        let definition = ctx.catalog().table(ctx.store(), reference.name());
        definition.ok().flatten().is_some_and(|table| begins_with(&table.key_schema, &item, prefix))
    }
}

/// Whether the partition key of an item or a key begins with a text.
fn begins_with(schema: &KeySchema, item: &Item, prefix: &str) -> bool {
    let Some(first) = schema.partition.first().and_then(|first| item.as_ref().get(&first.name)) else {
        return false;
    };
    match first.number() {
        Some(number) => number.to_string().starts_with(prefix),
        None => first.as_bytes().is_some_and(|bytes| bytes.starts_with(prefix.as_bytes())),
    }
}

/// Calls `visit` for each table that a request names, with each item or key that it names of it.
fn each_item<'t, 'a>(request: Node<'t, 'a>, visit: &mut dyn FnMut(Cow<'a, str>, Option<Node<'t, 'a>>)) {
    visit_item(request, visit);
    for action in present(request, "TransactItems").iter().flat_map(|actions| actions.elements()) {
        action.members().for_each(|(_, action)| visit_item(action, visit));
    }
    for (table, of_table) in present(request, "RequestItems").iter().flat_map(|tables| tables.members()) {
        for key in present(of_table, "Keys").iter().flat_map(|keys| keys.elements()) {
            visit(table.to_str(), Some(key));
        }
        for write in of_table.elements() {
            write.members().for_each(|(_, write)| visit(table.to_str(), subject(write)));
        }
    }
}

fn visit_item<'t, 'a>(node: Node<'t, 'a>, visit: &mut dyn FnMut(Cow<'a, str>, Option<Node<'t, 'a>>)) {
    if let Some(table) = string(node, "TableName") {
        visit(table, subject(node));
    }
}

fn subject<'t, 'a>(node: Node<'t, 'a>) -> Option<Node<'t, 'a>> {
    present(node, "Key").or_else(|| present(node, "Item"))
}
