//! What a global table is: a table with replicas in other regions.

use std::borrow::Cow;

use keyplan_store::Space;

use super::definition::TableDefinition;
use crate::call::Timestamp;

/// What parts a table's name from a replica's region in the catalog; neither has it.
const BETWEEN: char = '@';

/// A table and its replicas, as the record of the table that was there first tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobalTable {
    /// The region of that table.
    pub home: String,
    /// The others, in the order in which they came.
    pub replicas: Vec<Replica>,
    /// The region of the witness, where there is one: it holds no items.
    pub witness: Option<String>,
    /// Whether changes wait to be replicated until they are let go on.
    pub paused: bool,
}

/// A replica of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    /// Its region.
    pub region: String,
    /// The region whose endpoint was asked for it.
    pub source: String,
    /// When it was.
    pub added_at: Timestamp,
}

/// How a table takes part in a global table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// What it is told of others' changes, it is told later; of two changes of an item the later counts.
    Eventual {
        /// The keyspace of the times of changes that not all members know yet, by their items' places.
        times: Space,
    },
    /// A change is made everywhere at once.
    Strong,
}

/// Whether settings follow those of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsReplication {
    /// They do.
    Enabled,
    /// They don't.
    Disabled,
}

impl SettingsReplication {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            SettingsReplication::Enabled => "ENABLED",
            SettingsReplication::Disabled => "DISABLED",
        }
    }

    /// The mode of a word.
    pub fn from_word(word: &str) -> Option<SettingsReplication> {
        [SettingsReplication::Enabled, SettingsReplication::Disabled]
            .into_iter()
            .find(|mode| mode.word() == word)
    }
}

impl GlobalTable {
    /// Whether a region has a member.
    pub fn has(&self, region: &str) -> bool {
        self.home == region || self.replica(region).is_some()
    }

    /// The replica in a region.
    pub fn replica(&self, region: &str) -> Option<&Replica> {
        self.replicas.iter().find(|replica| replica.region == region)
    }

    /// The regions of all members, the home's first.
    pub fn regions(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.home.as_str()).chain(self.replicas.iter().map(|replica| replica.region.as_str()))
    }

    /// The places in the catalog of all members of the table of this name, the home's first.
    pub fn keys<'s>(&'s self, name: &'s str) -> impl Iterator<Item = Cow<'s, str>> {
        let replicas = self.replicas.iter().map(|replica| Cow::Owned(replica_key(name, &replica.region)));
        std::iter::once(Cow::Borrowed(name)).chain(replicas)
    }

    /// The place in the catalog of the member that a region's requests speak to: a region without one speaks
    /// to the home, as it does where a table has no replicas at all.
    pub fn key_in<'n>(&self, name: &'n str, region: &str) -> Cow<'n, str> {
        match self.replica(region) {
            Some(replica) => Cow::Owned(replica_key(name, &replica.region)),
            None => Cow::Borrowed(name),
        }
    }
}

impl TableDefinition {
    /// Whether other regions are told of its changes later.
    pub fn is_replicated_later(&self) -> bool {
        matches!(self.membership, Some(Membership::Eventual { .. }))
    }

    /// The table's place in the catalog: its name, and behind that a replica's region.
    pub fn key(&self) -> Cow<'_, str> {
        match &self.region {
            Some(region) => Cow::Owned(replica_key(&self.name, region)),
            None => Cow::Borrowed(&self.name),
        }
    }
}

/// The place in the catalog of a table's replica.
pub fn replica_key(name: &str, region: &str) -> String {
    let mut key = String::with_capacity(name.len() + 1 + region.len());
    key.push_str(name);
    key.push(BETWEEN);
    key.push_str(region);
    key
}

/// The table's name in a place of the catalog.
pub fn name_of_key(key: &str) -> &str {
    key.split(BETWEEN).next().unwrap_or(key)
}

/// The region in a replica's place in the catalog.
pub fn region_of_key(key: &str) -> Option<&str> {
    key.split_once(BETWEEN).map(|(_, region)| region)
}

/// Whether a place in the catalog is a replica's.
pub(super) fn is_replica_key(key: &[u8]) -> bool {
    key.contains(&(BETWEEN as u8))
}
