//! What a table is: the engine's own form of a table's definition.

use keyplan_store::Space;
use keyplan_value::ValueKind;

use super::index::{IndexDefinition, IndexScope};
use super::stored::MALFORMED;
use super::stream::TableStream;
use super::throughput::ThroughputSettings;
use crate::call::Timestamp;
use crate::error::InternalError;

/// A table, as CreateTable made it and UpdateTable changed it.
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
    /// The keyspace of the sizes of the table's item collections; only a table with local secondary
    /// indexes has any to tell.
    pub collections: Option<Space>,
    /// The primary key.
    pub key_schema: KeySchema,
    /// The types of the key attributes, in the order they were sent.
    pub attribute_definitions: Vec<KeyAttribute>,
    /// The secondary indexes of both kinds, those of a kind in the order they were sent.
    pub indexes: Vec<IndexDefinition>,
    /// How throughput is charged.
    pub billing_mode: BillingMode,
    /// When the table last became one on demand, if it ever was.
    pub on_demand_since: Option<Timestamp>,
    /// The units it may use.
    pub throughput: ThroughputSettings,
    /// The table class, where a request said so.
    pub table_class: Option<TableClass>,
    /// Whether DeleteTable is refused.
    pub deletion_protection: bool,
    /// The key that encrypts the table, where it isn't the service's own.
    pub encryption_key: Option<String>,
    /// Tags, in the order they were sent.
    pub tags: Vec<(String, String)>,
    /// The keyspace of the table's journal, while something reads it.
    pub journal: Option<Space>,
    /// The newest stream, if the table ever had one.
    pub stream: Option<TableStream>,
    /// Which attribute says when an item expires, if one does.
    pub time_to_live: Option<TimeToLive>,
    /// When CreateTable ran.
    pub created_at: Timestamp,
}

impl TableDefinition {
    /// The index of a name.
    pub fn index(&self, name: &str) -> Option<&IndexDefinition> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The indexes of one kind.
    pub fn indexes_of(&self, scope: IndexScope) -> impl Iterator<Item = &IndexDefinition> {
        self.indexes.iter().filter(move |index| index.scope == scope)
    }

    /// Every keyspace that goes with the table. Its journal doesn't: streams can be read when the table is
    /// gone.
    pub fn spaces(&self) -> impl Iterator<Item = Space> {
        let of_indexes = self.indexes.iter().map(|index| index.space);
        let of_expiry = self.time_to_live.iter().map(|time_to_live| time_to_live.space);
        std::iter::once(self.space).chain(self.collections).chain(of_indexes).chain(of_expiry)
    }

    /// The revision of the state after this one.
    ///
    /// # Errors
    /// When there is none: the record is damaged, for no table is changed so often.
    pub fn next_revision(&self) -> Result<u64, InternalError> {
        self.revision.checked_add(1).ok_or(MALFORMED)
    }
}

/// When a table's items expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeToLive {
    /// The attribute whose number is the time, in epoch seconds.
    pub attribute: String,
    /// The keyspace of the items' places in the order of those times.
    pub space: Space,
}

/// The key of a table or an index: what places an item, and what orders the items in one place. A table
/// has one partition key attribute and at most one for sorting; a global secondary index may have several
/// of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySchema {
    /// The attributes whose hash places an item; at least one.
    pub partition: Vec<KeyAttribute>,
    /// The attributes that order a partition, the most significant first.
    pub sort: Vec<KeyAttribute>,
}

impl KeySchema {
    /// The key attributes, those of the partition key first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// Whether an attribute is one of the key.
    pub fn has(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
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
    /// The answer of an UpdateTable that the service takes time for.
    Updating,
    /// The answer of DeleteTable.
    Deleting,
}

impl TableStatus {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            TableStatus::Creating => "CREATING",
            TableStatus::Active => "ACTIVE",
            TableStatus::Updating => "UPDATING",
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
