//! The typed requests: one builder an operation, sent, explained or paged through.

mod batches;
mod items;
mod reads;
mod tables;
mod transactions;

pub use batches::{BatchGetItem, BatchGetItemOutput, BatchWriteItem};
pub use items::{DeleteItem, GetItem, GetItemOutput, PutItem, ReturnValues, UpdateItem, WriteItemOutput};
pub use reads::{Items, Page, Pages, Query, Scan};
pub use tables::{
    AttributeType, CreateTable, DeleteTable, DescribeTable, IndexDescription, ListTables, ListTablesOutput,
    Projection, SecondaryIndex, TableDescription, TableStatus,
};
pub use transactions::{
    ConditionCheck, Delete, Put, TransactGetItems, TransactGetItemsOutput, TransactWriteItems, Update,
};

/// A request that is given its parameters one after the other.
macro_rules! request {
    ($(#[$about:meta])* $name:ident, $operation:literal => $output:ty) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        #[must_use = "a request does nothing until it is sent"]
        pub struct $name {
            database: $crate::Database,
            parameters: $crate::parameters::Parameters,
        }

        impl $name {
            /// Sends the request.
            ///
            /// # Errors
            /// Those of the service.
            pub fn send(self) -> Result<$output, $crate::Error> {
                $crate::reply::send(
                    &self.database,
                    concat!("DynamoDB_20120810.", $operation),
                    self.parameters.finish(),
                )
            }

            /// Sends the request, and says what it read, wrote and cost.
            pub fn explain(self) -> $crate::Explained<$output> {
                $crate::reply::run(
                    &self.database,
                    concat!("DynamoDB_20120810.", $operation),
                    self.parameters.finish(),
                    true,
                )
            }
        }
    };
}

/// Placeholders of the expressions.
macro_rules! placeholders {
    ($($name:ident),+) => {$(
        impl $name {
            /// Says which attribute a placeholder such as `#s` names.
            pub fn name(mut self, placeholder: &str, attribute: &str) -> Self {
                self.parameters.name(placeholder, attribute);
                self
            }

            /// Says which value a placeholder such as `:s` stands for.
            pub fn value(mut self, placeholder: &str, value: impl Into<$crate::AttributeValue>) -> Self {
                self.parameters.value(placeholder, &value.into());
                self
            }
        }
    )+};
}

/// The condition of a write.
macro_rules! conditional {
    ($($name:ident),+) => {$(
        impl $name {
            /// Writes only if this condition expression holds of the item as it stands.
            pub fn condition(mut self, expression: &str) -> Self {
                self.parameters.string("ConditionExpression", expression);
                self
            }

            /// Has the error of a failed condition hand back the item as it stands.
            pub fn return_item_on_condition_check_failure(mut self) -> Self {
                self.parameters.string("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
                self
            }
        }
    )+};
}

use {conditional, placeholders, request};
