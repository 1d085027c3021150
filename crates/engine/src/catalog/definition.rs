//! What a table is: the engine's own form of a table's definition.

use keyplan_store::Space;
use keyplan_value::{ItemRef, ValueKind};

use super::destination::{Destination, DestinationStatus};
use super::global::{GlobalTable, Membership, SettingsReplication};
use super::index::{IndexDefinition, IndexScope};
use super::stored::MALFORMED;
use super::stream::TableStream;
use super::throughput::ThroughputSettings;
use super::vector_index::VectorIndexDefinition;
use crate::call::Timestamp;
use crate::error::InternalError;
use crate::journal::Reader;

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
    /// The vector indexes, in the order they were sent.
    pub vector_indexes: Vec<VectorIndexDefinition>,
    /// How throughput is charged.
    pub billing_mode: BillingMode,
    /// When the table last became one on demand, if it ever was.
    pub on_demand_since: Option<Timestamp>,
    /// The units it may use.
    pub throughput: ThroughputSettings,
    /// The table class, where a request said so.
    pub table_class: Option<TableClass>,
    /// When UpdateTable last changed the class, if it ever did.
    pub class_changed_at: Option<Timestamp>,
    /// Whether DeleteTable is refused.
    pub deletion_protection: bool,
    /// The key that encrypts the table, where it isn't the service's own.
    pub encryption_key: Option<String>,
    /// Tags, in the order they were sent.
    pub tags: Vec<(String, String)>,
    /// The keyspace of the table's journal, as long as it has one. It is written while something
    /// [reads](TableDefinition::readers) it.
    pub journal: Option<Space>,
    /// The keyspaces into which jobs are copying the table's items; see [`crate::history`].
    pub copies: Vec<Space>,
    /// Recovery to a point in time, while that is enabled.
    pub recovery: Option<Recovery>,
    /// What the table is being restored from, until that is done: it can't be used yet.
    pub restored_from: Option<RestoreSource>,
    /// Whether an import is filling it: it can't be used yet.
    pub importing: bool,
    /// The newest stream, if the table ever had one.
    pub stream: Option<TableStream>,
    /// The Kinesis data streams that it was told of, the newest first.
    pub destinations: Vec<Destination>,
    /// Which attribute says when an item expires, if one does.
    pub time_to_live: Option<TimeToLive>,
    /// The region of a replica; the table that was there first, and one without replicas, has none.
    pub region: Option<String>,
    /// The replicas of the table that was there first.
    pub global: Option<GlobalTable>,
    /// How it takes part in a global table, if it does.
    pub membership: Option<Membership>,
    /// Whether a replica's items are still being copied.
    pub is_filling: bool,
    /// Whether its settings follow those of others, where a request said so.
    pub settings_replication: Option<SettingsReplication>,
    /// Whether it may be taken out of its global table, where a request said so.
    pub disassociation_protection: Option<bool>,
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

    /// The vector index of a name.
    pub fn vector_index(&self, name: &str) -> Option<&VectorIndexDefinition> {
        self.vector_indexes.iter().find(|index| index.name == name)
    }

    /// The bytes that the service bills for an item of the table: its size, but for vectors, of which each
    /// number counts four bytes.
    pub fn billed_bytes(&self, item: ItemRef<'_>) -> u64 {
        let mut bytes = item.size();
        for (at, index) in self.vector_indexes.iter().enumerate() {
            let is_first = |earlier: &VectorIndexDefinition| earlier.attribute != index.attribute;
            if self.vector_indexes.iter().take(at).all(is_first)
                && let Some(vector) = item.get(&index.attribute)
                && vector.kind() == ValueKind::L
                && vector.member_count() as u64 == u64::from(index.dimensions)
            {
                bytes = bytes.saturating_sub(vector.size()).saturating_add(index.vector_bytes());
            }
        }
        bytes
    }

    /// Every keyspace that goes with the table. Its journal doesn't: streams can be read when the table is
    /// gone.
    pub fn spaces(&self) -> impl Iterator<Item = Space> {
        let of_indexes = self.indexes.iter().map(|index| index.space);
        let of_vectors = self.vector_indexes.iter().map(|index| index.space);
        let of_expiry = self.time_to_live.iter().map(|time_to_live| time_to_live.space);
        let of_membership = match self.membership {
            Some(Membership::Eventual { times }) => Some(times),
            Some(Membership::Strong) | None => None,
        };
        std::iter::once(self.space)
            .chain(self.collections)
            .chain(of_indexes)
            .chain(of_vectors)
            .chain(of_expiry)
            .chain(of_membership)
    }

    /// Whether its items can be read and written: it is not one that is being restored, imported or copied.
    pub fn is_usable(&self) -> bool {
        self.restored_from.is_none() && !self.importing && !self.is_filling
    }

    /// Drops the definitions of attributes that are no key any more.
    pub fn drop_unused_definitions(&mut self) {
        let (key, indexes, vector_indexes) = (&self.key_schema, &self.indexes, &self.vector_indexes);
        self.attribute_definitions.retain(|KeyAttribute { name, .. }| {
            key.has(name)
                || indexes.iter().any(|index| index.key_schema.has(name))
                || vector_indexes.iter().any(|index| index.searches_by(name))
        });
    }

    /// What reads the table's journal.
    pub fn readers(&self) -> impl Iterator<Item = Reader> {
        let has_stream = self.stream.as_ref().is_some_and(|stream| stream.view.is_some());
        let recovery = self.recovery.as_ref().map(|recovery| Reader::Recovery { days: recovery.days });
        let copies = (!self.copies.is_empty()).then_some(Reader::Copy);
        let destination = self.active_destination().map(|_| Reader::Destination);
        has_stream.then_some(Reader::Stream).into_iter().chain(recovery).chain(copies).chain(destination)
    }

    /// The journal, if it is to be written.
    pub fn written_journal(&self) -> Option<Space> {
        self.journal.filter(|_| self.readers().next().is_some())
    }

    /// The data stream that changes go to; there is at most one.
    pub fn active_destination(&self) -> Option<&Destination> {
        self.destinations.iter().find(|destination| destination.status == DestinationStatus::Active)
    }

    /// The revision of the state after this one.
    ///
    /// # Errors
    /// When there is none: the record is damaged, for no table is changed so often.
    pub fn next_revision(&self) -> Result<u64, InternalError> {
        self.revision.checked_add(1).ok_or(MALFORMED)
    }
}

/// How far back a table can be recovered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// Nothing before this moment is known.
    pub since: Timestamp,
    /// The days that lie within reach.
    pub days: u64,
}

/// What a table is restored from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreSource {
    /// The name of the table it was made of.
    pub table: String,
    /// The last part of the backup's ARN, where it is a backup.
    pub backup: Option<String>,
    /// The moment to which it is restored: that of the backup, or the one asked for.
    pub moment: Timestamp,
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
