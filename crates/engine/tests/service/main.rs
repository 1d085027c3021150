//! The engine as an adaptor meets it: requests in, exact answers out.

mod every_operation;
mod requests;
mod tables;
mod update_indexes;
mod update_table;
