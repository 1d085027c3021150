//! Random tables and what changes them.

use super::{EXPIRES, Generator, TABLES};
use crate::model::Model;
use crate::request::{Index, KeySchema, Projection, Request, TableSpec, View};

/// The keys that global secondary indexes have. The name of an index says its key.
const GLOBAL_KEYS: [(&str, &str); 7] =
    [("g1", ""), ("g2", ""), ("g1", "g2"), ("g2", "g1"), ("g3", "g2"), ("g1", "pk"), ("l1", "g3")];

/// The sort keys that local secondary indexes have.
const LOCAL_KEYS: [&str; 3] = ["l1", "l2", "g3"];

impl Generator {
    /// A table of any shape.
    pub(super) fn table_spec(&mut self, name: &str) -> TableSpec {
        let kinds = ["S", "N", "B"];
        let partition = ("pk".to_owned(), self.one_of(&kinds));
        let sort = (!self.one_in(4)).then(|| ("sk".to_owned(), self.one_of(&kinds)));
        let key = KeySchema { partition, sort };
        let mut indexes: Vec<Index> = Vec::new();
        for _ in 0..self.rng.usize(0..4) {
            let index = self.global_index(&key);
            if indexes.iter().all(|known| known.name != index.name) {
                indexes.push(index);
            }
        }
        // The bytes of local indexes count with those of the items, so large items leave room for one.
        let most = if self.has_large_items { 1 } else { 2 };
        for _ in 0..if key.sort.is_some() { self.rng.usize(0..=most) } else { 0 } {
            let index = self.local_index(&key);
            if indexes.iter().all(|known| known.name != index.name) {
                indexes.push(index);
            }
        }
        let views = [View::KeysOnly, View::NewImage, View::OldImage, View::NewAndOldImages];
        let stream = (!self.one_in(4)).then(|| self.one_of(&views));
        TableSpec { name: name.to_owned(), key, indexes, stream }
    }

    fn global_index(&mut self, table: &KeySchema) -> Index {
        let (partition, sort) = self.one_of(&GLOBAL_KEYS);
        let attribute = |name: &str| (name.to_owned(), kind_of(name, table));
        let sort = (!sort.is_empty()).then(|| attribute(sort));
        let key = KeySchema { partition: attribute(partition), sort };
        Index { name: name("g", &key), key, is_global: true, projection: self.projection() }
    }

    fn local_index(&mut self, table: &KeySchema) -> Index {
        let sort = self.one_of(&LOCAL_KEYS);
        let sort = Some((sort.to_owned(), kind_of(sort, table)));
        let key = KeySchema { partition: table.partition.clone(), sort };
        Index { name: name("l", &key), key, is_global: false, projection: self.projection() }
    }

    fn projection(&mut self) -> Projection {
        match self.rng.u32(0..3) {
            0 => Projection::All,
            1 => Projection::KeysOnly,
            _ => Projection::Include(vec!["a".to_owned(), "doc".to_owned()]),
        }
    }

    /// A global secondary index comes or goes.
    pub(super) fn change_of_indexes(&mut self, model: &Model) -> Request {
        let table = self.any_table(model);
        let name = table.spec.name.clone();
        let globals: Vec<&Index> = table.spec.indexes.iter().filter(|index| index.is_global).collect();
        if !globals.is_empty() && (self.rng.bool() || globals.len() > 3) {
            return Request::RemoveIndex(name, self.one_of(&globals).name.clone());
        }
        let index = self.global_index(&table.spec.key);
        Request::AddIndex(name, index)
    }

    /// A stream is enabled or disabled.
    pub(super) fn change_of_stream(&mut self, model: &Model) -> Request {
        let table = self.any_table(model);
        let view = match (table.spec.stream, self.one_in(5)) {
            (Some(_), false) | (None, true) => None,
            _ => Some(self.one_of(&[View::KeysOnly, View::NewImage, View::OldImage, View::NewAndOldImages])),
        };
        Request::Stream(table.spec.name.clone(), view)
    }

    /// A table goes, or one that went comes again, of another shape.
    pub(super) fn come_and_go(&mut self, model: &Model) -> Request {
        match TABLES.into_iter().find(|name| !model.tables.contains_key(*name)) {
            Some(missing) => Request::Create(self.table_spec(missing)),
            None if self.one_in(3) => Request::Drop(self.any_table(model).spec.name.clone()),
            None => Request::Describe(self.any_table(model).spec.name.clone()),
        }
    }

    /// Items begin to expire.
    pub(super) fn expire(&mut self, model: &Model) -> Request {
        let table = self.any_table(model);
        match &table.expires {
            // A second time within the hour would be refused for that.
            Some(_) => Request::Describe(table.spec.name.clone()),
            None => Request::Expire(table.spec.name.clone(), EXPIRES.to_owned()),
        }
    }
}

fn kind_of(name: &str, table: &KeySchema) -> &'static str {
    match name {
        "g2" | "l2" => "N",
        "g3" => "B",
        "pk" => table.partition.1,
        _ => "S",
    }
}

fn name(scope: &str, key: &KeySchema) -> String {
    let names: Vec<&str> = key.attributes().map(|(name, _)| name.as_str()).collect();
    format!("{scope}x.{}", names.join("."))
}
