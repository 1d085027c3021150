//! TransactWriteItems and TransactGetItems.

use super::{conditional, placeholders};
use crate::parameters::{Body, Parameters};
use crate::reply::{self, Output, Reply};
use crate::{Database, Error, Explained, IntoItem, Item};

macro_rules! action {
    ($(#[$about:meta])* $name:ident, $member:literal, $what:ident: $given:literal) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        #[must_use = "an action does nothing outside a transaction"]
        pub struct $name {
            parameters: Parameters,
        }

        impl $name {
            #[doc = concat!("The action, by its table and its ", $given, ".")]
            pub fn new(table: &str, $what: impl IntoItem) -> $name {
                let mut parameters = Parameters::of_table(table);
                parameters.item($member, $what.into_item());
                $name { parameters }
            }
        }
    };
}

action! {
    /// A transaction's action: put an item.
    Put, "Item", item: "item"
}

action! {
    /// A transaction's action: change attributes of an item.
    Update, "Key", key: "key"
}

action! {
    /// A transaction's action: delete an item.
    Delete, "Key", key: "key"
}

action! {
    /// A transaction's action: change nothing, but have a condition hold.
    ConditionCheck, "Key", key: "key"
}

placeholders!(Put, Update, Delete, ConditionCheck);
conditional!(Put, Update, Delete, ConditionCheck);

impl Update {
    /// The update expression, such as `SET amount = amount + :price`.
    pub fn update(mut self, expression: &str) -> Self {
        self.parameters.string("UpdateExpression", expression);
        self
    }
}

/// Writes up to 100 items, all or none; made by [`Database::transact_write_items`].
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct TransactWriteItems {
    database: Database,
    actions: Vec<(&'static str, Parameters)>,
    parameters: Parameters,
}

/// Reads up to 100 items of one moment; made by [`Database::transact_get_items`].
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct TransactGetItems {
    database: Database,
    gets: Vec<(&'static str, Parameters)>,
}

impl Database {
    /// Writes up to 100 items of any tables, all or none.
    ///
    /// ```
    /// use keyplan::{AttributeType, AttributeValue, Database, ErrorCode, Put, Update};
    ///
    /// let database = Database::in_memory();
    /// database.create_table("Accounts").partition_key("id", AttributeType::S).send()?;
    /// database.put_item("Accounts", [("id", AttributeValue::from("a")), ("balance", 5.into())]).send()?;
    ///
    /// let canceled = database
    ///     .transact_write_items()
    ///     .put(Put::new("Accounts", [("id", AttributeValue::from("b")), ("balance", 10.into())]))
    ///     .update(
    ///         Update::new("Accounts", [("id", "a")])
    ///             .update("SET balance = balance - :amount")
    ///             .condition("balance >= :amount")
    ///             .value(":amount", 10),
    ///     )
    ///     .send()
    ///     .unwrap_err();
    /// assert_eq!(canceled.code(), &ErrorCode::TransactionCanceled);
    /// let reasons: Vec<_> = canceled.cancellation_reasons().iter().map(|reason| &*reason.code).collect();
    /// assert_eq!(reasons, ["None", "ConditionalCheckFailed"]);
    /// # Ok::<(), keyplan::Error>(())
    /// ```
    pub fn transact_write_items(&self) -> TransactWriteItems {
        TransactWriteItems { database: self.clone(), actions: Vec::new(), parameters: Parameters::new() }
    }

    /// Reads up to 100 items of any tables by their keys, all as of one moment.
    pub fn transact_get_items(&self) -> TransactGetItems {
        TransactGetItems { database: self.clone(), gets: Vec::new() }
    }
}

impl TransactWriteItems {
    /// One more item to put.
    pub fn put(self, put: Put) -> Self {
        self.action("Put", put.parameters)
    }

    /// One more item to change.
    pub fn update(self, update: Update) -> Self {
        self.action("Update", update.parameters)
    }

    /// One more item to delete.
    pub fn delete(self, delete: Delete) -> Self {
        self.action("Delete", delete.parameters)
    }

    /// One more condition that must hold.
    pub fn condition_check(self, check: ConditionCheck) -> Self {
        self.action("ConditionCheck", check.parameters)
    }

    fn action(mut self, kind: &'static str, parameters: Parameters) -> Self {
        self.actions.push((kind, parameters));
        self
    }

    /// Makes the request one that does nothing when it is sent again with this token.
    pub fn client_request_token(mut self, token: &str) -> Self {
        self.parameters.string("ClientRequestToken", token);
        self
    }

    /// Sends the request.
    ///
    /// # Errors
    /// Those of the service; one that was given up has
    /// [`cancellation_reasons`](Error::cancellation_reasons).
    pub fn send(self) -> Result<(), Error> {
        let body = body(self.parameters, self.actions);
        reply::send(&self.database, "DynamoDB_20120810.TransactWriteItems", body)
    }

    /// Sends the request, and says what it wrote and cost.
    pub fn explain(self) -> Explained<()> {
        let body = body(self.parameters, self.actions);
        reply::run(&self.database, "DynamoDB_20120810.TransactWriteItems", body, true)
    }
}

impl TransactGetItems {
    /// One more item to read.
    pub fn get(mut self, table: &str, key: impl IntoItem) -> Self {
        let mut parameters = Parameters::of_table(table);
        parameters.item("Key", key.into_item());
        self.gets.push(("Get", parameters));
        self
    }

    /// Sends the request.
    ///
    /// # Errors
    /// Those of the service.
    pub fn send(self) -> Result<TransactGetItemsOutput, Error> {
        let body = body(Parameters::new(), self.gets);
        reply::send(&self.database, "DynamoDB_20120810.TransactGetItems", body)
    }

    /// Sends the request, and says what it read and cost.
    pub fn explain(self) -> Explained<TransactGetItemsOutput> {
        let body = body(Parameters::new(), self.gets);
        reply::run(&self.database, "DynamoDB_20120810.TransactGetItems", body, true)
    }
}

/// The parameters with the actions as `TransactItems`.
fn body(mut parameters: Parameters, actions: Vec<(&'static str, Parameters)>) -> Result<Body, Error> {
    let mut given = Vec::new();
    let mut bodies = Vec::with_capacity(actions.len());
    for (kind, action) in actions {
        bodies.push((kind, action.finish_into(&mut given)?));
    }
    parameters.member("TransactItems", |out| {
        out.push(b'[');
        for (position, (kind, body)) in bodies.iter().enumerate() {
            out.extend_from_slice(if position > 0 { b",{\"" } else { b"{\"" });
            out.extend_from_slice(kind.as_bytes());
            out.extend_from_slice(b"\":");
            out.extend_from_slice(body);
            out.push(b'}');
        }
        out.push(b']');
    });
    let text = parameters.finish_into(&mut given)?;
    Ok(Body { text, given })
}

/// The answer of a TransactGetItems.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TransactGetItemsOutput {
    /// For each key, in their order, the item if it is there.
    pub items: Vec<Option<Item>>,
}

impl Output for TransactGetItemsOutput {
    fn read(reply: Reply<'_, '_>) -> Result<Self, Error> {
        let responses = reply.root().get("Responses").into_iter().flat_map(|all| all.elements());
        let items = responses.map(|one| one.get("Item").map(|item| reply.item_at(item)).transpose());
        Ok(TransactGetItemsOutput { items: items.collect::<Result<_, _>>()? })
    }
}
