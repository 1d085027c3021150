//! The engine as an adaptor meets it: requests in, exact answers out.

mod beside_definitions;
mod every_operation;
mod regions;
mod requests;
mod tables;
mod update_indexes;
mod update_table;
