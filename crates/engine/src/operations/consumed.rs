//! What a request of many items consumed, table by table.

use keyplan_value::json::Writer;

use crate::capacity::{CapacityDetail, Units, write_consumed_of_table};

/// Units by table, in the order in which the request names the tables.
#[derive(Debug)]
pub(super) struct ConsumedByTable {
    /// The name under which transactions repeat each figure.
    repeated_as: Option<&'static str>,
    tables: Vec<(String, Units)>,
}

impl ConsumedByTable {
    /// Nothing yet, outside of transactions.
    pub(super) fn new() -> ConsumedByTable {
        ConsumedByTable { repeated_as: None, tables: Vec::new() }
    }

    /// Nothing yet, of what a transaction reads.
    pub(super) fn read_by_transaction() -> ConsumedByTable {
        ConsumedByTable { repeated_as: Some("ReadCapacityUnits"), ..ConsumedByTable::new() }
    }

    /// Nothing yet, of what a transaction writes.
    pub(super) fn written_by_transaction() -> ConsumedByTable {
        ConsumedByTable { repeated_as: Some("WriteCapacityUnits"), ..ConsumedByTable::new() }
    }

    /// Adds what one item cost. `table` is the table as the request named it.
    pub(super) fn add(&mut self, table: &str, units: Units) {
        match self.tables.iter_mut().find(|(name, _)| name == table) {
            Some((_, sum)) => *sum = *sum + units,
            None => self.tables.push((table.to_owned(), units)),
        }
    }

    /// Writes the list `ConsumedCapacity`, if it is wanted.
    pub(super) fn write(&self, detail: CapacityDetail, json: &mut Writer<'_>) {
        if detail == CapacityDetail::None {
            return;
        }
        json.name("ConsumedCapacity").begin_array();
        for (table, units) in &self.tables {
            write_consumed_of_table(detail, table, *units, self.repeated_as, json);
        }
        json.end_array();
    }
}
