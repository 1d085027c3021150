//! The one item that the condition of a write, or of a read by key, names.

use std::sync::Arc;

use keyplan_expression::{Condition, KeyTest, Part, PartId};
use keyplan_value::{Item, ItemBuilder, Value};

use crate::catalog::KeySchema;
use crate::error::StatementFault;

/// The parts of a condition that all must hold, and what they say of the key.
pub(super) struct Conjuncts<'c> {
    condition: Option<&'c Condition>,
    parts: Vec<PartId>,
}

/// The key, and what else is asked of the item.
pub(super) struct NamedItem {
    /// The key attributes.
    pub(super) key: Item,
    /// The rest of the condition.
    pub(super) rest: Option<Condition>,
}

impl<'c> Conjuncts<'c> {
    /// Those of a condition, as written.
    pub(super) fn of(condition: Option<&'c Condition>) -> Conjuncts<'c> {
        let mut conjuncts = Conjuncts { condition, parts: Vec::new() };
        let mut left: Vec<PartId> = condition.and_then(Condition::root).into_iter().collect();
        while let (Some(id), Some(condition)) = (left.pop(), condition) {
            match condition.part(id) {
                Part::And(one, other) => left.extend([other, one]),
                _ => conjuncts.parts.push(id),
            }
        }
        conjuncts
    }

    /// The value that a part says an attribute must have. The list of an IN may have one value, where
    /// `lists` allows that.
    fn equality(&self, id: PartId, name: &str, lists: bool) -> Option<Value> {
        match self.condition?.part(id) {
            Part::Test { attribute, tests, listed } if **attribute == *name && (lists || !listed) => {
                match <[KeyTest; 1]>::try_from(tests) {
                    Ok([KeyTest::Equal(value)]) => Some(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The values that the parts say an attribute must have.
    fn values(&self, name: &str, lists: bool) -> Vec<Value> {
        self.parts.iter().filter_map(|id| self.equality(*id, name, lists)).collect()
    }

    /// The item that a write names.
    ///
    /// # Errors
    /// A key attribute without a value, or with two.
    pub(super) fn of_write(&self, schema: &KeySchema) -> Result<NamedItem, StatementFault> {
        let mut key = Vec::new();
        for attribute in schema.attributes() {
            let values = self.values(&attribute.name, false);
            let first = values.first().ok_or(StatementFault::NoItem)?;
            if values.iter().any(|value| value != first) {
                return Err(StatementFault::TwoKeyValues { name: attribute.name.clone() });
            }
            key.push((attribute.name.as_str(), first.clone()));
        }
        let is_of_key = |id: PartId| key.iter().any(|(name, _)| self.equality(id, name, false).is_some());
        Ok(NamedItem { key: built(&key), rest: self.all_but(is_of_key) })
    }

    /// The item that EXISTS names: the first value of each key attribute, what else there is being asked of it.
    ///
    /// # Errors
    /// That it names none, or asks nothing of it.
    pub(super) fn of_check(&self, schema: &KeySchema) -> Result<NamedItem, StatementFault> {
        let mut key = Vec::new();
        let mut taken = Vec::new();
        for attribute in schema.attributes() {
            let found =
                self.parts.iter().find_map(|id| Some((*id, self.equality(*id, &attribute.name, false)?)));
            let (id, value) = found.ok_or(StatementFault::ExistsForm)?;
            taken.push(id);
            key.push((attribute.name.as_str(), value));
        }
        let rest = self.all_but(|id| taken.contains(&id)).ok_or(StatementFault::ExistsForm)?;
        Ok(NamedItem { key: built(&key), rest: Some(rest) })
    }

    /// The key that a read names, if it names one and says nothing else.
    pub(super) fn of_read(&self, schema: &KeySchema) -> Option<Item> {
        let mut key = Vec::new();
        let mut tests = 0;
        for attribute in schema.attributes() {
            let values = self.values(&attribute.name, true);
            let first = values.first()?;
            if values.iter().any(|value| value != first) {
                return None;
            }
            tests += values.len();
            key.push((attribute.name.as_str(), first.clone()));
        }
        (tests == self.parts.len()).then(|| built(&key))
    }

    fn all_but(&self, left_out: impl Fn(PartId) -> bool) -> Option<Condition> {
        let condition = self.condition?;
        let parts = self.parts.iter().filter(|id| !left_out(**id)).map(|id| condition.only(*id));
        parts.reduce(Condition::and)
    }
}

fn built(key: &[(&str, Value)]) -> Item {
    let mut builder = ItemBuilder::new();
    for (name, value) in key {
        builder.insert(name, value.as_ref());
    }
    builder.finish()
}

/// That there is an item, told by a key attribute.
pub(super) fn there_is(schema: &KeySchema) -> Option<Condition> {
    let attribute = schema.partition.first()?;
    let name = Arc::from(attribute.name.as_str());
    Some(Condition::exists(keyplan_expression::DocumentPath::new(name, [])))
}
