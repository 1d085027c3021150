//! Whose each keyspace is, and whether the engine's own records are of something that is there.

use std::collections::{BTreeMap, BTreeSet};

use keyplan_store::{Bounds, Snapshot, Space};

use super::text::{hexadecimal, table_name, table_named};
use super::{Look, each};
use crate::backups::{self, Listing};
use crate::call::Timestamp;
use crate::catalog::{self, StreamDefinition, TableDefinition, counters};
use crate::error::InternalError;
use crate::jobs::{self, Work};
use crate::journal;
use crate::spaces::{CATALOG, COUNTERS, EXPIRY_TABLES, JOURNALS};
use crate::transfers;

/// What the engine's records say of a keyspace.
#[derive(Default)]
struct Owned {
    /// Whose it is.
    by: Vec<String>,
    /// Whether it holds what is counted.
    is_counted: bool,
    /// Whether it is a journal.
    is_journal: bool,
}

/// The keyspaces that have an owner.
#[derive(Default)]
struct Owners(BTreeMap<Space, Owned>);

impl Owners {
    fn add(&mut self, space: Space, by: String) -> &mut Owned {
        let owned = self.0.entry(space).or_default();
        owned.by.push(by);
        owned
    }

    /// Adds one who shares the keyspace, or has it alone.
    fn share(&mut self, space: Space, by: String) -> &mut Owned {
        let owned = self.0.entry(space).or_default();
        if owned.by.is_empty() {
            owned.by.push(by);
        }
        owned
    }
}

/// What the records of work are about.
#[derive(Default)]
struct Works {
    freed: BTreeSet<Space>,
    tended: BTreeSet<Space>,
    copied_into: BTreeSet<Space>,
    filled: BTreeSet<Space>,
    unknown: Vec<Vec<u8>>,
}

impl Works {
    fn of(snapshot: &dyn Snapshot) -> Result<Works, InternalError> {
        let mut works = Works::default();
        jobs::records(snapshot, &mut |key, work| match work {
            Some(Work::FreeSpace(space)) => drop(works.freed.insert(space)),
            Some(Work::TendJournal(space)) => drop(works.tended.insert(space)),
            Some(Work::Copy(space)) => drop(works.copied_into.insert(space)),
            Some(Work::Fill(space)) => drop(works.filled.insert(space)),
            Some(Work::ForgetToken(_) | Work::ExpireBackup(_) | Work::Transfer(..)) => {}
            None => works.unknown.push(key.to_vec()),
        })?;
        Ok(works)
    }
}

impl Look<'_> {
    /// The tables of the catalog.
    pub(super) fn tables(&mut self) -> Result<Vec<TableDefinition>, InternalError> {
        let mut tables = Vec::new();
        each(self.snapshot, CATALOG, Bounds::ALL, |key, record| {
            let name = String::from_utf8_lossy(key).into_owned();
            match catalog::decode(&record) {
                Ok(table) if table.key() == name => tables.push(table),
                Ok(table) => {
                    let found = format!("the definition of {}", table_name(&table));
                    self.tell("the catalog", table_named(&name), found, "its own definition");
                }
                Err(_) => {
                    self.tell("the catalog", table_named(&name), "a damaged record", "a table's definition");
                }
            }
            Ok(())
        })?;
        Ok(tables)
    }

    /// Holds keyspaces, counters and records of work against those who own them.
    pub(super) fn owners(
        &mut self,
        tables: &[TableDefinition],
        streams: &[StreamDefinition],
        keyspaces: Option<&[Space]>,
    ) -> Result<(), InternalError> {
        let works = Works::of(self.snapshot)?;
        for key in &works.unknown {
            let key = format!("bytes {}", hexadecimal(key));
            self.tell("the records of work", key, "work of an unknown kind", "work that this version knows");
        }
        let mut owners = Owners::default();
        for table in tables {
            let name = table_name(table);
            for space in table.spaces() {
                owners.add(space, name.clone()).is_counted = true;
            }
            if let Some(journal) = table.journal {
                owners.add(journal, format!("the journal of {name}")).is_journal = true;
            }
        }
        for stream in streams {
            let name = format!("the journal of {}", table_named(&stream.table));
            owners.share(stream.journal, name).is_journal = true;
        }
        for space in &works.tended {
            owners.share(*space, "a journal".to_owned()).is_journal = true;
        }
        let (backups, _) = backups::list(self.snapshot, &Listing::default(), usize::MAX, Timestamp(0))?;
        for backup in backups {
            owners.add(backup.space, format!("backup {}", backup.id.text())).is_counted = true;
        }
        for space in transfers::keyspaces(self.snapshot)? {
            owners.add(space, "an export".to_owned());
        }
        for space in &works.copied_into {
            owners.share(*space, "a copy".to_owned());
        }
        for space in &works.freed {
            owners.add(*space, "what was deleted".to_owned());
        }
        for (space, owned) in &owners.0 {
            if owned.by.len() > 1 {
                let owned = owned.by.join(" and ");
                self.tell(
                    "the keyspaces",
                    format!("keyspace {}", space.0),
                    format!("one of {owned}"),
                    "one of either",
                );
            }
        }
        self.owned_keyspaces(&owners, &works, keyspaces)?;
        self.records_of_owners(&owners, &works, tables)
    }

    /// A keyspace that exists has an owner, and one that has an owner exists.
    fn owned_keyspaces(
        &mut self,
        owners: &Owners,
        works: &Works,
        keyspaces: Option<&[Space]>,
    ) -> Result<(), InternalError> {
        let Some(keyspaces) = keyspaces else { return Ok(()) };
        for (space, owned) in &owners.0 {
            // Freeing drops the keyspace before its record goes, and a kill may come between.
            if !keyspaces.contains(space) && !works.freed.contains(space) {
                let key = format!("keyspace {} of {}", space.0, owned.by.join(" and "));
                self.tell("the keyspaces", key, "nothing", "a keyspace");
            }
        }
        for space in keyspaces.iter().filter(|space| !owners.0.contains_key(space)) {
            match super::entries::count(self.snapshot, *space)? {
                0 => self.verified.unused += 1,
                count => {
                    let key = format!("keyspace {}", space.0);
                    self.tell(
                        "the keyspaces",
                        key,
                        format!("{count} entries that belong to nothing"),
                        "nothing",
                    );
                }
            }
        }
        Ok(())
    }

    /// Counters, next numbers and expiring tables are of keyspaces that are in use, and what is tended is there.
    fn records_of_owners(
        &mut self,
        owners: &Owners,
        works: &Works,
        tables: &[TableDefinition],
    ) -> Result<(), InternalError> {
        let snapshot = self.snapshot;
        each(snapshot, COUNTERS, Bounds::ALL, |key, _| {
            let space = counters::counted(key);
            if !space.is_some_and(|space| owners.0.get(&space).is_some_and(|owned| owned.is_counted)) {
                let key = space.map_or_else(|| hexadecimal(key), |space| format!("of keyspace {}", space.0));
                self.tell("the counters", key, "a counter", "nothing, for there is no such table or index");
            }
            Ok(())
        })?;
        let mut journals = BTreeSet::new();
        each(snapshot, JOURNALS, Bounds::ALL, |key, _| {
            let space = journal::counted(key);
            if space.is_none_or(|space| !owners.0.get(&space).is_some_and(|owned| owned.is_journal)) {
                let key = space.map_or_else(|| hexadecimal(key), |space| format!("of keyspace {}", space.0));
                self.tell("the journals", key, "a next number", "nothing, for there is no such journal");
            }
            journals.extend(space);
            Ok(())
        })?;
        for (space, owned) in owners.0.iter().filter(|(_, owned)| owned.is_journal) {
            let key = owned.by.join(" and ");
            if !journals.contains(space) {
                self.tell("the journals", key.clone(), "nothing", "the number of its next record");
            }
            if !works.tended.contains(space) {
                self.tell("the records of work", key, "nothing", "one that tends it");
            }
        }
        let mut expiring = BTreeMap::new();
        each(snapshot, EXPIRY_TABLES, Bounds::ALL, |key, name| {
            let space = key.try_into().ok().map(u64::from_be_bytes).map(Space);
            expiring.insert(space, String::from_utf8_lossy(&name).into_owned());
            Ok(())
        })?;
        for table in tables {
            let Some(time_to_live) = &table.time_to_live else { continue };
            let found = expiring.remove(&Some(time_to_live.space));
            if found.as_deref() != Some(&*table.key()) {
                let found = found.map_or_else(|| "nothing".to_owned(), |name| table_named(&name));
                self.tell("the tables whose items expire", table_name(table), found, "the table");
            }
        }
        for name in expiring.values() {
            self.tell("the tables whose items expire", table_named(name), "a record", "nothing, for none do");
        }
        self.filled(works, tables)
    }

    /// What is filled belongs to a table, or the job finds that it doesn't any more.
    fn filled(&mut self, works: &Works, tables: &[TableDefinition]) -> Result<(), InternalError> {
        for space in &works.filled {
            if jobs::Backfill::of(self.snapshot, *space).is_err() {
                let key = format!("filling keyspace {}", space.0);
                self.tell("the records of work", key, "a damaged record", "how far it is");
                continue;
            }
            let is_added = tables.iter().any(|table| {
                let indexes = table.indexes.iter().map(|index| (index.space, index.added));
                let vectors = table.vector_indexes.iter().map(|index| (index.space, index.added));
                let expiry = table.time_to_live.iter().map(|time_to_live| (time_to_live.space, true));
                indexes.chain(vectors).chain(expiry).any(|(of, added)| of == *space && added)
            });
            let is_owned = tables.iter().any(|table| table.spaces().any(|of| of == *space));
            if is_owned && !is_added {
                let key = format!("filling keyspace {}", space.0);
                self.tell("the records of work", key, "a job", "none, for it was made with its table");
            }
        }
        Ok(())
    }
}
