//! What a table is: the engine's own form of a table's definition.

use keyplan_store::Space;
use keyplan_value::ValueKind;

use crate::call::Timestamp;

/// A table, as CreateTable made it.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDefinition {
    /// The table's name.
    pub name: String,
    /// New for every incarnation of a name; a UUID on the wire.
    pub id: u128,
    /// Counts the changes of the definition; with the id it names one state of the table.
    pub revision: u64,
    /// The keyspace of the table's items.
    pub space: Space,
    /// The primary key.
    pub key_schema: KeySchema,
    /// The types of the key attributes, in the order they were sent.
    pub attribute_definitions: Vec<KeyAttribute>,
    /// How throughput is charged.
    pub billing_mode: BillingMode,
    /// Provisioned units; zeros when on demand.
    pub provisioned_throughput: Throughput,
    /// The most units an on-demand table may use.
    pub on_demand_maxima: Maxima,
    /// Units that are ready at once, where the request said so.
    pub warm_throughput: Option<Throughput>,
    /// The table class, where the request said so.
    pub table_class: Option<TableClass>,
    /// Whether DeleteTable is refused.
    pub deletion_protection: bool,
    /// The key that encrypts the table, where it isn't the service's own.
    pub encryption_key: Option<String>,
    /// Tags, in the order they were sent.
    pub tags: Vec<(String, String)>,
    /// When CreateTable ran.
    pub created_at: Timestamp,
}

/// A primary key: a partition key and perhaps a sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySchema {
    /// The attribute whose hash places an item.
    pub partition: KeyAttribute,
    /// The attribute that orders a partition.
    pub sort: Option<KeyAttribute>,
}

impl KeySchema {
    /// The key attributes, partition key first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(self.sort.as_ref())
    }

    /// How many attributes the key has: 1 or 2.
    pub fn attribute_count(&self) -> usize {
        1 + usize::from(self.sort.is_some())
    }
}

/// A key attribute: its name and its type, one of S, N and B.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// The attribute's name.
    pub name: String,
    /// Its type.
    pub kind: ValueKind,
}

/// How a table's throughput is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BillingMode {
    /// Units reserved ahead.
    Provisioned,
    /// Units as used.
    PayPerRequest,
}

impl BillingMode {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            BillingMode::Provisioned => "PROVISIONED",
            BillingMode::PayPerRequest => "PAY_PER_REQUEST",
        }
    }

    /// The mode of a word.
    pub fn from_word(word: &str) -> Option<BillingMode> {
        [BillingMode::Provisioned, BillingMode::PayPerRequest].into_iter().find(|mode| mode.word() == word)
    }
}

/// Read and write capacity units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Throughput {
    /// Read units.
    pub read: u64,
    /// Write units.
    pub write: u64,
}

/// The most request units a second, where there is a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Maxima {
    /// Read request units.
    pub read: Option<u64>,
    /// Write request units.
    pub write: Option<u64>,
}

impl Maxima {
    /// Whether there is no bound at all.
    pub fn is_empty(self) -> bool {
        self.read.is_none() && self.write.is_none()
    }
}

/// The table class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableClass {
    /// The default.
    Standard,
    /// Cheap storage, dear requests.
    InfrequentAccess,
}

impl TableClass {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            TableClass::Standard => "STANDARD",
            TableClass::InfrequentAccess => "STANDARD_INFREQUENT_ACCESS",
        }
    }

    /// The class of a word.
    pub fn from_word(word: &str) -> Option<TableClass> {
        [TableClass::Standard, TableClass::InfrequentAccess].into_iter().find(|class| class.word() == word)
    }
}

/// The state a description shows. Lifecycle times are nil, so only the answers of the changing
/// requests themselves show anything but Active; no table is stored with a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableStatus {
    /// The answer of CreateTable.
    Creating,
    /// Ready.
    Active,
    /// The answer of DeleteTable.
    Deleting,
}

impl TableStatus {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            TableStatus::Creating => "CREATING",
            TableStatus::Active => "ACTIVE",
            TableStatus::Deleting => "DELETING",
        }
    }
}

/// A random identifier (UUID version 4) from chance.
pub fn random_uuid(chance: u128) -> u128 {
    (chance & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62)
}

/// An identifier in the usual form, 8-4-4-4-12 hexadecimal digits.
pub fn uuid_text(id: u128) -> String {
    let digits = format!("{id:032x}");
    let mut text = String::with_capacity(36);
    for (at, digit) in digits.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(digit);
    }
    text
}

/// Reads [`uuid_text`].
pub(super) fn parse_uuid(text: &str) -> Option<u128> {
    let digits: String = text.chars().filter(|&digit| digit != '-').collect();
    u128::from_str_radix(&digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{parse_uuid, random_uuid, uuid_text};

    #[test]
    fn an_identifier_is_a_random_uuid() {
        for (chance, text) in
            [(0, "00000000-0000-4000-8000-000000000000"), (u128::MAX, "ffffffff-ffff-4fff-bfff-ffffffffffff")]
        {
            let id = random_uuid(chance);
            assert_eq!(uuid_text(id), text);
            assert_eq!(parse_uuid(text), Some(id), "what is written can be read");
        }
    }
}
