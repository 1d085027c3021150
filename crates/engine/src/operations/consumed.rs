//! What a request of many items consumed and changed, table by table.

use keyplan_value::json::{Node, Writer};

use crate::capacity::{CapacityDetail, Consumption};
use crate::indexes::ItemCollection;
use crate::validate::string;

/// What was consumed of each table, in the order in which the request names the tables.
#[derive(Debug)]
pub(super) struct ConsumedByTable<'t> {
    /// The name under which transactions repeat each figure.
    repeated_as: Option<&'static str>,
    tables: Vec<(String, Consumption<'t>)>,
}

impl<'t> ConsumedByTable<'t> {
    /// Nothing yet, outside of transactions.
    pub(super) fn new() -> ConsumedByTable<'t> {
        ConsumedByTable { repeated_as: None, tables: Vec::new() }
    }

    /// Nothing yet, of what a transaction reads.
    pub(super) fn read_by_transaction() -> ConsumedByTable<'t> {
        ConsumedByTable { repeated_as: Some("ReadCapacityUnits"), ..ConsumedByTable::new() }
    }

    /// Nothing yet, of what a transaction writes.
    pub(super) fn written_by_transaction() -> ConsumedByTable<'t> {
        ConsumedByTable { repeated_as: Some("WriteCapacityUnits"), ..ConsumedByTable::new() }
    }

    /// Adds what one item consumed. `table` is the table as the request named it.
    pub(super) fn add(&mut self, table: &str, consumed: Consumption<'t>) {
        match self.tables.iter_mut().find(|(name, _)| name == table) {
            Some((_, sum)) => sum.add(consumed),
            None => self.tables.push((table.to_owned(), consumed)),
        }
    }

    /// Adds what else was consumed of a table, if anything of it was added before.
    pub(super) fn add_to(&mut self, table: &str, consumed: Consumption<'t>) {
        if let Some((_, sum)) = self.tables.iter_mut().find(|(name, _)| name == table) {
            sum.add(consumed);
        }
    }

    /// Whether nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Writes the list `ConsumedCapacity`, if it is wanted.
    pub(super) fn write(&self, detail: CapacityDetail, json: &mut Writer<'_>) {
        if detail == CapacityDetail::None {
            return;
        }
        json.name("ConsumedCapacity").begin_array();
        for (table, consumed) in &self.tables {
            consumed.write_object(detail, table, self.repeated_as, json);
        }
        json.end_array();
    }
}

/// The item collections that were changed of each table with local secondary indexes, each once.
#[derive(Debug, Default)]
pub(super) struct CollectionsByTable<'o> {
    tables: Vec<(String, Vec<&'o ItemCollection>)>,
}

impl<'o> CollectionsByTable<'o> {
    /// Adds the collection of one item that was written, if its table has local secondary indexes. `table`
    /// is the table as the request named it.
    pub(super) fn add(&mut self, table: &str, collection: Option<&'o ItemCollection>) {
        let Some(collection) = collection else { return };
        let Some((_, changed)) = self.tables.iter_mut().find(|(name, _)| name == table) else {
            self.tables.push((table.to_owned(), vec![collection]));
            return;
        };
        match changed.iter_mut().find(|known| known.key == collection.key) {
            // What was written later knows what was written before.
            Some(known) => *known = collection,
            None => changed.push(collection),
        }
    }

    /// Writes the map `ItemCollectionMetrics`, if the request wants it and there is anything to tell.
    pub(super) fn write(&self, request: Node<'_, '_>, json: &mut Writer<'_>) {
        if self.tables.is_empty() || string(request, "ReturnItemCollectionMetrics").as_deref() != Some("SIZE")
        {
            return;
        }
        json.name("ItemCollectionMetrics").begin_object();
        for (table, changed) in &self.tables {
            json.name(table).begin_array();
            for collection in changed {
                collection.write_metrics(json);
            }
            json.end_array();
        }
        json.end_object();
    }
}
