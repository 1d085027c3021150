//! Writes: of one item, of batches and of transactions.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::capacity::{Consumed, ConsumedByTable, read_halves};
use super::faults::empty_word;
use super::{Fault, Key, Model, TOKEN_MILLISECONDS, Table, key_in};
use crate::request::{Detail, Effect, Index, Returned, Write};
use crate::update::WRONG_TYPE;
use crate::value::{Item, Value, size, to_json};

/// What a write makes of an item.
struct Outcome {
    key: Key,
    before: Option<Item>,
    after: Option<Item>,
}

impl Model {
    /// PutItem, UpdateItem and DeleteItem.
    pub(super) fn write(
        &mut self,
        write: &Write,
        returned: Returned,
        detail: Detail,
        metrics: bool,
        now: u64,
    ) -> Result<Json, Fault> {
        let table = self.table(&write.table)?;
        let outcome = table.outcome(write)?;
        let Outcome { key, before, after } = &outcome;
        let mut body = json!({});
        let attributes = match (returned, &write.effect) {
            (Returned::None, _) => None,
            (Returned::AllOld, _) => before.clone(),
            (Returned::AllNew, _) => after.clone(),
            (Returned::UpdatedOld, Effect::Update(_, Some(update))) => {
                before.as_ref().map(|item| update.updated_old(item))
            }
            (Returned::UpdatedNew, Effect::Update(_, Some(update))) => {
                after.as_ref().map(|item| update.updated_new(item))
            }
            (Returned::UpdatedOld | Returned::UpdatedNew, _) => None,
        };
        if let Some(attributes) = attributes.filter(|attributes| !attributes.is_empty()) {
            body["Attributes"] = to_json(&attributes);
        }
        if detail != Detail::None {
            let consumed = Consumed::of_write(table, before.as_ref(), after.as_ref(), 1);
            body["ConsumedCapacity"] = consumed.to_json(&write.table, detail, None);
        }
        if metrics && table.spec.indexes.iter().any(|index| !index.is_global) {
            let (name, _) = &table.spec.key.partition;
            body["ItemCollectionMetrics"] = json!({
                "ItemCollectionKey": { name: key.0.to_json() },
                "SizeEstimateRangeGB": [0.0, 1.0],
            });
        }
        self.table_mut(&write.table)?.put(key, after.as_ref(), now, false);
        Ok(body)
    }

    /// BatchWriteItem.
    pub(super) fn batch_write(
        &mut self,
        tables: &[(String, Vec<Effect>)],
        detail: Detail,
        now: u64,
    ) -> Result<Json, Fault> {
        const TWICE: &str = "Provided list of item keys contains duplicates";
        let mut outcomes: Vec<(String, Outcome)> = Vec::new();
        for (name, _) in tables {
            self.table(name)?;
        }
        for (name, effects) in tables {
            let table = self.table(name)?;
            for effect in effects {
                let write = Write {
                    table: name.clone(),
                    effect: effect.clone(),
                    condition: None,
                    tells_item: false,
                    is_legacy: false,
                };
                // Here the service doesn't say how the key of an item that is put is wrong.
                if let Effect::Put(item) = effect
                    && table.put_key(item).is_err_and(|fault| !is_about_a_value(&fault))
                {
                    return Err(Fault::key());
                }
                outcomes.push((name.clone(), table.outcome(&write)?));
            }
        }
        let mut seen = BTreeSet::new();
        if !outcomes.iter().all(|(name, outcome)| seen.insert((name, &outcome.key))) {
            return Err(Fault::invalid(TWICE));
        }
        let mut consumed = ConsumedByTable::default();
        for (name, outcome) in &outcomes {
            let (before, after) = (outcome.before.as_ref(), outcome.after.as_ref());
            consumed.add(name, Consumed::of_write(self.table(name)?, before, after, 1));
        }
        for (name, outcome) in &outcomes {
            self.table_mut(name)?.put(&outcome.key, outcome.after.as_ref(), now, false);
        }
        let mut body = json!({ "UnprocessedItems": {} });
        consumed.tell(&mut body, detail, None);
        Ok(body)
    }

    /// TransactWriteItems.
    pub(super) fn transact_write(
        &mut self,
        writes: &[Write],
        token: Option<&str>,
        detail: Detail,
        now: u64,
    ) -> Result<Json, Fault> {
        let key_of = |effect: &Effect| match effect {
            Effect::Update(key, _) | Effect::Delete(key) | Effect::Check(key) => Some(key.clone()),
            Effect::Put(_) => None,
        };
        const TWICE: &str = "Transaction request cannot include multiple operations on one item";
        let mut seen = BTreeSet::new();
        if !writes
            .iter()
            .filter_map(|write| Some((&write.table, key_of(&write.effect)?)))
            .all(|key| seen.insert(key))
        {
            return Err(Fault::invalid(TWICE));
        }
        for write in writes {
            self.table(&write.table)?;
        }
        for write in writes {
            self.table(&write.table)?.check_not_empty(&write.effect)?;
        }
        // Once the tables are known, so is the key of what is put, if it fits.
        let mut seen = BTreeSet::new();
        for write in writes {
            let table = self.table(&write.table)?;
            let key = match &write.effect {
                Effect::Put(item) => {
                    let key = item.iter().filter(|(name, _)| table.spec.key.has(name));
                    Some(key.map(|(name, value)| (name.clone(), value.clone())).collect())
                }
                effect => key_of(effect),
            };
            if table.check_fits(&write.effect).is_ok() && !seen.insert((&write.table, key)) {
                return Err(Fault::invalid(TWICE));
            }
        }
        if let Some((at, before, sizes)) = token.and_then(|token| self.tokens.get(token))
            && now < at + TOKEN_MILLISECONDS
        {
            if before != writes {
                return Err(Fault::OtherTransaction);
            }
            let mut consumed = ConsumedByTable::default();
            for (write, bytes) in writes.iter().zip(sizes) {
                consumed.add(&write.table, Consumed::of_table(2 * read_halves(*bytes, true)));
            }
            let mut body = json!({});
            consumed.tell(&mut body, detail, Some("ReadCapacityUnits"));
            return Ok(body);
        }
        // What doesn't fit its table is found before anything runs, and no more than the first.
        for (at, write) in writes.iter().enumerate() {
            if let Err(fault) = self.table(&write.table)?.check_fits(&write.effect) {
                let mut reasons = vec![None; writes.len()];
                reasons[at] = Some(fault);
                return Err(Fault::Cancelled(reasons));
            }
        }
        let mut outcomes = Vec::new();
        for write in writes {
            outcomes.push(self.table(&write.table)?.outcome(write));
        }
        if outcomes.iter().any(Result::is_err) {
            return Err(Fault::Cancelled(outcomes.into_iter().map(Result::err).collect()));
        }
        let outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
        let (mut consumed, mut sizes) = (ConsumedByTable::default(), Vec::new());
        for (write, outcome) in writes.iter().zip(&outcomes) {
            let (before, after) = (outcome.before.as_ref(), outcome.after.as_ref());
            consumed.add(&write.table, Consumed::of_write(self.table(&write.table)?, before, after, 2));
            sizes.push(after.or(before).map_or(0, size));
        }
        for (write, outcome) in writes.iter().zip(&outcomes) {
            self.table_mut(&write.table)?.put(&outcome.key, outcome.after.as_ref(), now, false);
        }
        if let Some(token) = token {
            self.tokens.insert(token.to_owned(), (now, writes.to_vec(), sizes));
        }
        let mut body = json!({});
        consumed.tell(&mut body, detail, Some("WriteCapacityUnits"));
        Ok(body)
    }
}

fn is_about_a_value(fault: &Fault) -> bool {
    matches!(fault, Fault::Invalid(message) if message.contains("empty") || message.contains("size limit"))
}

impl Table {
    /// What a write makes of its item, if it can be done.
    fn outcome(&self, write: &Write) -> Result<Outcome, Fault> {
        let key = match &write.effect {
            Effect::Put(item) => {
                let key = self.put_key(item)?;
                self.check_indexes(item, None)?;
                key
            }
            Effect::Update(key, _) | Effect::Delete(key) | Effect::Check(key) => self.key(key)?,
        };
        let before = self.items.get(&key).cloned();
        if write.condition.as_ref().is_some_and(|condition| !condition.holds(before.as_ref())) {
            return Err(Fault::ConditionFailed(before.filter(|_| write.tells_item)));
        }
        let after = match &write.effect {
            Effect::Put(item) => Some(item.clone()),
            Effect::Delete(_) => None,
            Effect::Check(_) => before.clone(),
            Effect::Update(named, update) => {
                let old = before.as_ref().unwrap_or(named);
                match update {
                    None => Some(old.clone()),
                    Some(update) => {
                        let is_key =
                            |action: &&crate::update::Action| self.spec.key.has(&action.target.attribute);
                        if let Some(action) = update.0.iter().find(is_key) {
                            let name = &action.target.attribute;
                            return Err(Fault::parameter(&format!(
                                "Cannot update attribute {name}. This attribute is part of the key"
                            )));
                        }
                        // Where there is no item nothing is taken away, wherever the paths lead.
                        if before.is_none() && update.only_takes_away() {
                            return Ok(Outcome { key, before, after: None });
                        }
                        // The parameters from before expressions have words of their own.
                        let words = |refusal| match refusal {
                            WRONG_TYPE if write.is_legacy => "Type mismatch for attribute to update",
                            refusal => refusal,
                        };
                        let after = update.apply(old).map_err(|refusal| Fault::invalid(words(refusal)))?;
                        self.check_indexes(&after, Some(before.as_ref()))?;
                        Some(after)
                    }
                }
            }
        };
        Ok(Outcome { key, before, after })
    }

    /// The key of an item that is put.
    fn put_key(&self, item: &Item) -> Result<Key, Fault> {
        for (name, kind) in self.spec.key.attributes() {
            match item.get(name) {
                None => return Err(Fault::parameter(&format!("Missing the key {name} in the item"))),
                Some(value) if value.kind() != *kind => {
                    let actual = value.kind();
                    let what = format!("Type mismatch for key {name} expected: {kind} actual: {actual}");
                    return Err(Fault::parameter(&what));
                }
                Some(_) => {}
            }
        }
        self.check_key_values(item)?;
        key_in(&self.spec.key, item).ok_or_else(Fault::key)
    }

    /// The key that a request names.
    pub(super) fn key(&self, key: &Item) -> Result<Key, Fault> {
        let fits = |(name, kind): &(String, &str)| key.get(name).is_some_and(|value| value.kind() == *kind);
        if key.len() != self.spec.key.attributes().count() || !self.spec.key.attributes().all(fits) {
            return Err(Fault::key());
        }
        self.check_key_values(key)?;
        key_in(&self.spec.key, key).ok_or_else(Fault::key)
    }

    fn check_key_values(&self, item: &Item) -> Result<(), Fault> {
        let values = self.spec.key.attributes().filter_map(|(name, _)| Some((name, item.get(name)?)));
        match values.into_iter().find(|(_, value)| value.is_empty_text()) {
            Some((name, value)) => Err(Fault::empty_key(name, value)),
            None => Fault::too_long(&self.spec.key, item).map_or(Ok(()), Err),
        }
    }

    /// Whether the key or the item that a request names fits the table.
    fn check_fits(&self, effect: &Effect) -> Result<(), Fault> {
        match effect {
            Effect::Put(item) => self.put_key(item).and_then(|_| self.check_indexes(item, None)),
            Effect::Update(key, _) | Effect::Delete(key) | Effect::Check(key) => self.key(key).map(|_| ()),
        }
    }

    /// In a transaction, an empty key is no reason for cancelling it: the request itself is refused.
    fn check_not_empty(&self, effect: &Effect) -> Result<(), Fault> {
        match self.check_fits(effect) {
            Err(Fault::Invalid(message)) if message.contains("cannot contain an empty") => {
                Err(Fault::Invalid(message))
            }
            _ => Ok(()),
        }
    }

    /// Whether an item fits the indexes. Of an update's result, only what it changed is looked at; `before` is
    /// then the item before, if there was one.
    fn check_indexes(&self, item: &Item, before: Option<Option<&Item>>) -> Result<(), Fault> {
        let mut indexes: Vec<&Index> = self.spec.indexes.iter().collect();
        indexes.sort_unstable_by_key(|index| &index.name);
        for index in indexes {
            let looked_at = |(name, _): &&(String, &'static str)| match before {
                None => true,
                Some(before) => before.and_then(|before| before.get(name)) != item.get(name),
            };
            let values: Vec<(&String, &str, &Value)> = index
                .key
                .attributes()
                .filter(looked_at)
                .filter_map(|(name, kind)| Some((name, *kind, item.get(name)?)))
                .collect();
            if let Some((name, kind, value)) = values.iter().find(|(_, kind, value)| value.kind() != *kind) {
                let actual = value.kind();
                let what = format!(
                    "Type mismatch for Index Key {name} Expected: {kind} Actual: {actual} IndexName: {}",
                    index.name
                );
                return Err(Fault::parameter(&what));
            }
            if let Some((name, _, value)) = values.iter().find(|(_, _, value)| value.is_empty_text()) {
                return Err(empty_index_key(before.is_some(), name, value, index));
            }
            let changed: Item =
                values.iter().map(|(name, _, value)| (Clone::clone(*name), Clone::clone(*value))).collect();
            if let Some(fault) = Fault::too_long(&index.key, &changed) {
                return Err(fault);
            }
        }
        Ok(())
    }
}

fn empty_index_key(is_update: bool, name: &str, value: &Value, index: &Index) -> Fault {
    let empty = format!("contain an empty {} value.", empty_word(value));
    Fault::Invalid(if is_update {
        format!(
            "One or more parameter values are not valid. The update expression attempted to update a secondary \
             index key to a value that is not supported. The AttributeValue for a key attribute cannot {empty}"
        )
    } else {
        format!(
            "One or more parameter values are not valid. A value specified for a secondary index key is not \
             supported. The AttributeValue for a key attribute cannot {empty} IndexName: {}, IndexKey: {name}",
            index.name
        )
    })
}

/// The map of an answer by table.
pub(super) fn by_table<T>(tables: impl Iterator<Item = (String, T)>) -> Json
where
    Json: From<T>,
{
    Json::Object(tables.map(|(table, part)| (table, Json::from(part))).collect::<Map<String, Json>>())
}
