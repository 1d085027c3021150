//! PutItem, GetItem, UpdateItem, DeleteItem.

use super::{conditional, placeholders, request};
use crate::parameters::Parameters;
use crate::reply::{Output, Reply};
use crate::{Database, Error, IntoItem, Item};

request! {
    /// Puts an item in the place of the one with its key; made by [`Database::put_item`].
    PutItem, "PutItem" => WriteItemOutput
}

request! {
    /// Reads the item with a key; made by [`Database::get_item`].
    GetItem, "GetItem" => GetItemOutput
}

request! {
    /// Changes attributes of an item, which is made if it is not there; made by [`Database::update_item`].
    UpdateItem, "UpdateItem" => WriteItemOutput
}

request! {
    /// Deletes the item with a key; made by [`Database::delete_item`].
    DeleteItem, "DeleteItem" => WriteItemOutput
}

placeholders!(PutItem, UpdateItem, DeleteItem);
conditional!(PutItem, UpdateItem, DeleteItem);

/// What a write gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReturnValues {
    /// The item as it was.
    AllOld,
    /// The item as it is; of an update only.
    AllNew,
    /// What the changed attributes were; of an update only.
    UpdatedOld,
    /// What the changed attributes are; of an update only.
    UpdatedNew,
}

impl ReturnValues {
    fn word(self) -> &'static str {
        match self {
            ReturnValues::AllOld => "ALL_OLD",
            ReturnValues::AllNew => "ALL_NEW",
            ReturnValues::UpdatedOld => "UPDATED_OLD",
            ReturnValues::UpdatedNew => "UPDATED_NEW",
        }
    }
}

macro_rules! returning {
    ($($name:ident),+) => {$(
        impl $name {
            /// What the answer gives back; without this, nothing.
            pub fn return_values(mut self, values: ReturnValues) -> Self {
                self.parameters.string("ReturnValues", values.word());
                self
            }
        }
    )+};
}

returning!(PutItem, UpdateItem, DeleteItem);

impl Database {
    /// Puts an item in the place of the one with its key, if there is one.
    ///
    /// ```
    /// use keyplan::{AttributeType, AttributeValue, Database};
    ///
    /// let database = Database::in_memory();
    /// database.create_table("Orders").partition_key("id", AttributeType::S).send()?;
    /// let order = [("id", AttributeValue::from("o1")), ("amount", 5.into())];
    /// database.put_item("Orders", order.clone()).send()?;
    ///
    /// let again = database.put_item("Orders", order).condition("attribute_not_exists(id)").send();
    /// assert!(again.unwrap_err().is_conditional_check_failed());
    /// # Ok::<(), keyplan::Error>(())
    /// ```
    pub fn put_item(&self, table: &str, item: impl IntoItem) -> PutItem {
        let mut parameters = Parameters::of_table(table);
        parameters.item("Item", item.into_item());
        PutItem { database: self.clone(), parameters }
    }

    /// Reads the item with a key. The item is lazy: an attribute is read from its stored form by name, and
    /// the others are not decoded.
    ///
    /// ```
    /// # use keyplan::{AttributeType, AttributeValue, Database};
    /// # let database = Database::in_memory();
    /// # database.create_table("Orders").partition_key("id", AttributeType::S).send()?;
    /// # database.put_item("Orders", [("id", AttributeValue::from("o1")), ("amount", 5.into())]).send()?;
    /// let found = database.get_item("Orders", [("id", "o1")]).consistent_read(true).send()?;
    /// let item = found.item.expect("it is there");
    /// assert_eq!(item.get("amount").and_then(|amount| amount.number()), Some(5.into()));
    /// assert_eq!(item.to_json(), r#"{"amount":{"N":"5"},"id":{"S":"o1"}}"#);
    /// # Ok::<(), keyplan::Error>(())
    /// ```
    pub fn get_item(&self, table: &str, key: impl IntoItem) -> GetItem {
        let mut parameters = Parameters::of_table(table);
        parameters.item("Key", key.into_item());
        GetItem { database: self.clone(), parameters }
    }

    /// Changes attributes of the item with a key; the item is made if it is not there.
    ///
    /// ```
    /// # use keyplan::{AttributeType, Database, ReturnValues};
    /// # let database = Database::in_memory();
    /// # database.create_table("Counters").partition_key("id", AttributeType::S).send()?;
    /// let counted = database
    ///     .update_item("Counters", [("id", "visits")])
    ///     .update("ADD n :one")
    ///     .value(":one", 1)
    ///     .return_values(ReturnValues::UpdatedNew)
    ///     .send()?;
    /// let n = counted.attributes.and_then(|attributes| attributes.get("n")?.number());
    /// assert_eq!(n, Some(1.into()));
    /// # Ok::<(), keyplan::Error>(())
    /// ```
    pub fn update_item(&self, table: &str, key: impl IntoItem) -> UpdateItem {
        let mut parameters = Parameters::of_table(table);
        parameters.item("Key", key.into_item());
        UpdateItem { database: self.clone(), parameters }
    }

    /// Deletes the item with a key, if it is there.
    pub fn delete_item(&self, table: &str, key: impl IntoItem) -> DeleteItem {
        let mut parameters = Parameters::of_table(table);
        parameters.item("Key", key.into_item());
        DeleteItem { database: self.clone(), parameters }
    }
}

impl GetItem {
    /// Reads what the last write left, at twice the cost.
    pub fn consistent_read(mut self, consistent: bool) -> Self {
        self.parameters.boolean("ConsistentRead", consistent);
        self
    }

    /// Gives only the attributes of this projection expression.
    pub fn projection(mut self, expression: &str) -> Self {
        self.parameters.string("ProjectionExpression", expression);
        self
    }

    /// Says which attribute a placeholder such as `#s` names.
    pub fn name(mut self, placeholder: &str, attribute: &str) -> Self {
        self.parameters.name(placeholder, attribute);
        self
    }
}

impl UpdateItem {
    /// The update expression, such as `SET amount = amount + :price`.
    pub fn update(mut self, expression: &str) -> Self {
        self.parameters.string("UpdateExpression", expression);
        self
    }
}

/// The answer of a GetItem.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GetItemOutput {
    /// The item, if there is one with that key.
    pub item: Option<Item>,
}

impl Output for GetItemOutput {
    fn read(reply: Reply<'_, '_>) -> Result<Self, Error> {
        Ok(GetItemOutput { item: reply.item("Item")? })
    }
}

/// The answer of a PutItem, an UpdateItem or a DeleteItem.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WriteItemOutput {
    /// What was asked for with `return_values`, if it is there.
    pub attributes: Option<Item>,
}

impl Output for WriteItemOutput {
    fn read(reply: Reply<'_, '_>) -> Result<Self, Error> {
        Ok(WriteItemOutput { attributes: reply.item("Attributes")? })
    }
}
