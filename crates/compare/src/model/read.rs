//! Reads: of items by key, of partitions, and of everything.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::capacity::{Consumed, ConsumedByTable, read_halves};
use super::write::by_table;
use super::{Fault, Key, Model, Table};
use crate::expression::{Path, compares, project};
use crate::order::Order;
use crate::request::{Detail, GetBlock, Index, KeySchema, Projection, Read, Shown, SortTest};
use crate::value::{Item, Value, size, to_json};

/// How many bytes of items fill a page.
const PAGE_BYTES: u64 = 1_024 * 1_024;

/// What a Query or Scan comes to.
struct Entry<'t> {
    /// Its place: in the order of the source, then by the table's key.
    partition: Value,
    sort: Option<Value>,
    key: &'t Key,
    /// What the source has of the item.
    view: Item,
    item: &'t Item,
}

impl Model {
    /// GetItem.
    pub(super) fn get(
        &self,
        table: &str,
        key: &Item,
        paths: Option<&[Path]>,
        is_consistent: bool,
        detail: Detail,
    ) -> Result<Json, Fault> {
        let found = self.table(table)?;
        let item = found.items.get(&found.key(key)?);
        let mut body = json!({});
        if let Some(item) = item {
            body["Item"] = shown(item, paths);
        }
        if detail != Detail::None {
            let consumed = Consumed::of_table(read_halves(item.map_or(0, size), is_consistent));
            body["ConsumedCapacity"] = consumed.to_json(table, detail, None);
        }
        Ok(body)
    }

    /// BatchGetItem.
    pub(super) fn batch_get(&self, blocks: &[GetBlock], detail: Detail) -> Result<Json, Fault> {
        let mut seen = BTreeSet::new();
        let mut keys = blocks.iter().flat_map(|block| block.keys.iter().map(|key| (&block.table, key)));
        if !keys.all(|key| seen.insert(key)) {
            return Err(Fault::invalid("Provided list of item keys contains duplicates"));
        }
        for block in blocks {
            self.table(&block.table)?;
        }
        let (mut responses, mut consumed) = (Vec::new(), ConsumedByTable::default());
        for GetBlock { table: name, keys, paths, is_consistent } in blocks {
            let table = self.table(name)?;
            let mut found = Vec::new();
            for key in keys {
                let item = table.items.get(&table.key(key)?);
                let halves = read_halves(item.map_or(0, size), *is_consistent);
                consumed.add(name, Consumed::of_table(halves));
                found.extend(item.map(|item| shown(item, paths.as_deref())));
            }
            responses.push((name.clone(), found));
        }
        let mut body = json!({ "Responses": by_table(responses.into_iter()), "UnprocessedKeys": {} });
        consumed.tell(&mut body, detail, None);
        Ok(body)
    }

    /// TransactGetItems.
    pub(super) fn transact_get(
        &self,
        gets: &[(String, Item, Option<Vec<Path>>)],
        detail: Detail,
    ) -> Result<Json, Fault> {
        let mut keys = Vec::new();
        for (table, key, _) in gets {
            keys.push(self.table(table)?.key(key));
        }
        if keys.iter().any(Result::is_err) {
            return Err(Fault::Cancelled(keys.into_iter().map(Result::err).collect()));
        }
        let keys: Vec<Key> = keys.into_iter().flatten().collect();
        let mut seen = BTreeSet::new();
        if !gets.iter().zip(&keys).all(|((table, ..), key)| seen.insert((table, key))) {
            return Err(Fault::invalid("Transaction request cannot include multiple operations on one item"));
        }
        let (mut responses, mut consumed) = (Vec::new(), ConsumedByTable::default());
        for ((name, _, paths), key) in gets.iter().zip(&keys) {
            let item = self.table(name)?.items.get(key);
            consumed.add(name, Consumed::of_table(2 * read_halves(item.map_or(0, size), true)));
            let mut response = Map::new();
            if let Some(item) = item {
                let item = shown(item, paths.as_deref());
                // Unlike GetItem, this shows no item of which the projection leaves nothing.
                if paths.is_none() || item != json!({}) {
                    response.insert("Item".to_owned(), item);
                }
            }
            responses.push(response);
        }
        let mut body = json!({ "Responses": responses });
        consumed.tell(&mut body, detail, Some("ReadCapacityUnits"));
        Ok(body)
    }

    /// Query.
    pub(super) fn query(
        &self,
        read: &Read,
        partition: &Value,
        sort: Option<&SortTest>,
        is_forward: bool,
    ) -> Result<Json, Fault> {
        let (table, index) = self.source(read)?;
        let schema = index.map_or(&table.spec.key, |index| &index.key);
        let start = read.start.as_ref().map(|start| start_place(table, schema, start)).transpose()?;
        check_kinds(schema, partition, sort)?;
        check_lengths(schema, partition, sort)?;
        check_projected(read, table, index)?;
        let mut entries = table.entries(index);
        entries.retain(|entry| entry.partition == *partition && passes(sort, entry.sort.as_ref()));
        entries.sort_by(|one, other| (&one.sort, one.key).cmp(&(&other.sort, other.key)));
        if !is_forward {
            entries.reverse();
        }
        if let Some(((_, start_sort), key)) = &start {
            let place = (start_sort, key);
            entries.retain(|entry| {
                let entry = (&entry.sort, entry.key);
                if is_forward { entry > place } else { entry < place }
            });
        }
        Ok(page(read, table, index, entries))
    }

    /// Scan.
    pub(super) fn scan(
        &self,
        read: &Read,
        segment: Option<(u64, u64)>,
        order: &mut Order,
    ) -> Result<Json, Fault> {
        let (table, index) = self.source(read)?;
        let schema = index.map_or(&table.spec.key, |index| &index.key);
        let start = read.start.as_ref().map(|start| start_place(table, schema, start)).transpose()?;
        order.meet(start.iter().map(|(place, _)| &place.0));
        if let (Some(start), Some((number, total))) = (&start, segment)
            && order.segment(&start.0.0, total) != number
        {
            return Err(Fault::Invalid(format!(
                "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey \
                 with correct Segment. TotalSegments: {total} Segment: {number}"
            )));
        }
        check_projected(read, table, index)?;
        let entries = table.entries(index);
        order.meet(entries.iter().map(|entry| &entry.partition));
        let mut ranked: Vec<(u64, Entry)> = Vec::new();
        for entry in entries {
            if segment.is_none_or(|(number, total)| order.segment(&entry.partition, total) == number) {
                ranked.push((order.rank(&entry.partition), entry));
            }
        }
        if let Some(((partition, sort), key)) = &start {
            let place = (order.rank(partition), sort, key);
            ranked.retain(|(rank, entry)| (*rank, &entry.sort, entry.key) > place);
        }
        ranked.sort_by(|(one_rank, one), (other_rank, other)| {
            (one_rank, &one.sort, one.key).cmp(&(other_rank, &other.sort, other.key))
        });
        Ok(page(read, table, index, ranked.into_iter().map(|(_, entry)| entry).collect()))
    }

    fn source(&self, read: &Read) -> Result<(&Table, Option<&Index>), Fault> {
        let table = self.table(&read.table)?;
        let Some(name) = &read.index else { return Ok((table, None)) };
        let index = table.index(name);
        let index = index
            .ok_or_else(|| Fault::Invalid(format!("The table does not have the specified index: {name}")))?;
        if index.is_global && read.is_consistent {
            return Err(Fault::invalid("Consistent reads are not supported on global secondary indexes"));
        }
        Ok((table, Some(index)))
    }
}

impl Table {
    fn entries(&self, index: Option<&Index>) -> Vec<Entry<'_>> {
        let entry = |(key, item)| match index {
            None => {
                let (partition, sort): Key = Clone::clone(key);
                Some(Entry { partition, sort, key, view: Clone::clone(item), item })
            }
            Some(index) => {
                let ((partition, sort), view) = self.entry(index, item)?;
                Some(Entry { partition, sort, key, view, item })
            }
        };
        self.items.iter().filter_map(entry).collect()
    }

    /// Whether the entries of an index have an attribute.
    fn projects(&self, index: &Index, name: &str) -> bool {
        let is_included = match &index.projection {
            Projection::All => true,
            Projection::KeysOnly => false,
            Projection::Include(names) => names.iter().any(|included| included == name),
        };
        is_included || index.key.has(name) || self.spec.key.has(name)
    }
}

fn shown(item: &Item, paths: Option<&[Path]>) -> Json {
    match paths {
        None => to_json(item),
        Some(paths) => to_json(&project(item, paths)),
    }
}

/// Where a start key lies in a source, and which item of the table it is about.
fn start_place(table: &Table, schema: &KeySchema, start: &Item) -> Result<(Key, Key), Fault> {
    let invalid = || Fault::invalid("The provided starting key is invalid");
    let place = super::key_in(schema, start).ok_or_else(invalid)?;
    let key = super::key_in(&table.spec.key, start).ok_or_else(invalid)?;
    Ok((place, key))
}

fn check_kinds(schema: &KeySchema, partition: &Value, sort: Option<&SortTest>) -> Result<(), Fault> {
    let tested = match sort {
        Some(SortTest::Compare(_, value) | SortTest::BeginsWith(value) | SortTest::Between(value, _)) => {
            Some(value)
        }
        None => None,
    };
    let sort_kind = schema.sort.as_ref().map(|(_, kind)| *kind);
    if partition.kind() != schema.partition.1 || tested.is_some_and(|value| Some(value.kind()) != sort_kind) {
        return Err(Fault::parameter("Condition parameter type does not match schema type"));
    }
    Ok(())
}

/// A condition's values are none that are empty or too long for a key.
fn check_lengths(schema: &KeySchema, partition: &Value, sort: Option<&SortTest>) -> Result<(), Fault> {
    let mut item = Item::from([(schema.partition.0.clone(), partition.clone())]);
    if let (Some((name, _)), Some(SortTest::Compare(_, value) | SortTest::BeginsWith(value))) =
        (&schema.sort, sort)
    {
        item.insert(name.clone(), value.clone());
    }
    for (name, _) in schema.attributes() {
        if let Some(value) = item.get(name).filter(|value| value.is_empty_text()) {
            return Err(Fault::empty_key(name, value));
        }
    }
    Fault::too_long(schema, &item).map_or(Ok(()), Err)
}

/// A global secondary index is only asked for what it has.
fn check_projected(read: &Read, table: &Table, index: Option<&Index>) -> Result<(), Fault> {
    let Some(index) = index.filter(|index| index.is_global) else { return Ok(()) };
    if read.shown == Shown::All && index.projection != Projection::All {
        return Err(Fault::parameter(&format!(
            "Select type ALL_ATTRIBUTES is not supported for global secondary index {} because its projection \
             type is not ALL",
            index.name
        )));
    }
    let lacking = lacking(read, table, index);
    if !lacking.is_empty() {
        return Err(Fault::parameter(&format!(
            "Global secondary index {} does not project [{}]",
            index.name,
            lacking.join(", ")
        )));
    }
    Ok(())
}

/// The attributes of a projection that an index doesn't have, each once.
fn lacking(read: &Read, table: &Table, index: &Index) -> Vec<String> {
    let Shown::Paths(paths) = &read.shown else { return Vec::new() };
    let mut lacking: Vec<String> = Vec::new();
    for path in paths {
        if !table.projects(index, &path.attribute) && !lacking.contains(&path.attribute) {
            lacking.push(path.attribute.clone());
        }
    }
    lacking
}

fn passes(test: Option<&SortTest>, sort: Option<&Value>) -> bool {
    let (Some(test), Some(sort)) = (test, sort) else { return true };
    match (test, sort) {
        (SortTest::Compare(comparator, value), sort) => compares(*comparator, sort, value),
        (SortTest::Between(low, high), sort) => low <= sort && sort <= high,
        (SortTest::BeginsWith(Value::S(start)), Value::S(text)) => text.starts_with(start),
        (SortTest::BeginsWith(Value::B(start)), Value::B(bytes)) => bytes.starts_with(start),
        (SortTest::BeginsWith(_), _) => false,
    }
}

/// Reads entries until a bound, and says what that cost.
fn page(read: &Read, table: &Table, index: Option<&Index>, entries: Vec<Entry<'_>>) -> Json {
    // A local secondary index that lacks what is asked for has the table's items fetched.
    let fetches = index.is_some_and(|index| {
        let wants_more = read.shown == Shown::All || !lacking(read, table, index).is_empty();
        index.projection != Projection::All && wants_more
    });
    let (mut examined, mut bytes, mut fetched_bytes, mut fetched_halves) = (0_u64, 0, 0, 0);
    let (mut items, mut count, mut last) = (Vec::new(), 0_u64, None);
    for entry in entries {
        examined += 1;
        bytes += size(&entry.view);
        let item = if fetches {
            fetched_bytes += size(entry.item);
            fetched_halves += read_halves(size(entry.item), read.is_consistent);
            entry.item
        } else {
            &entry.view
        };
        if read.filter.as_ref().is_none_or(|filter| filter.holds(Some(item))) {
            count += 1;
            items.push(match &read.shown {
                Shown::Paths(paths) => to_json(&project(item, paths)),
                _ => to_json(item),
            });
        }
        if read.limit.is_some_and(|limit| examined >= limit) || bytes + fetched_bytes >= PAGE_BYTES {
            let is_key =
                |name: &str| table.spec.key.has(name) || index.is_some_and(|index| index.key.has(name));
            let key: Item = entry
                .item
                .iter()
                .filter(|(name, _)| is_key(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            last = Some(key);
            break;
        }
    }
    let mut body = json!({ "Count": count, "ScannedCount": examined });
    if read.shown != Shown::Count {
        body["Items"] = items.into();
    }
    if let Some(key) = last {
        body["LastEvaluatedKey"] = to_json(&key);
    }
    if read.detail != Detail::None {
        let halves = read_halves(bytes, read.is_consistent);
        let consumed = match index {
            None => Consumed::of_table(halves),
            Some(index) => {
                let mut consumed = Consumed::of_table(fetched_halves);
                consumed.add_index(&index.name, index.is_global, halves);
                consumed
            }
        };
        body["ConsumedCapacity"] = consumed.to_json(&read.table, read.detail, None);
    }
    body
}
