//! PartiQL: ExecuteStatement, BatchExecuteStatement, ExecuteTransaction.
//!
//! `keyplan_partiql` makes a statement of a text. Here it is fitted to its table: a SELECT becomes read plans
//! (`key_branches` finds the stretches that its condition names), a write becomes a mutation of the one item
//! that its condition names (`key_of_item`). From there on it goes the way of all reads and writes.

mod batch_execute_statement;
mod execute_statement;
mod execute_transaction;
mod key_branches;
mod key_of_item;
mod next_token;
mod request;
mod select;
mod write;

pub(super) use batch_execute_statement::batch_execute_statement;
pub(super) use execute_statement::execute_statement;
pub(super) use execute_transaction::execute_transaction;
