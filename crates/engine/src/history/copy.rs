//! The record of a copy.

use keyplan_store::{Batch, Snapshot, Space};
use keyplan_value::{AttributeValue, Item, ItemRef};

use crate::catalog::{self, KeySchema, TableDefinition, key_schema, read_key_schema};
use crate::error::InternalError;
use crate::jobs::copying_key;
use crate::journal::{self, is_held_by};
use crate::spaces::JOBS;

const MALFORMED: InternalError = InternalError::Malformed("the record of a copy");

/// A copy in the making.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Copy {
    /// The keyspace that is its own.
    pub(crate) into: Space,
    /// What it belongs to.
    pub(crate) target: Target,
    pub(super) source: Source,
    pub(super) stage: Stage,
}

/// What is copied into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The keyspace itself.
    Keyspace,
    /// The table of this name, whose items lie in the keyspace.
    Table(String),
}

/// What is copied.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Source {
    /// The name of the table it is, or was.
    pub(super) table: String,
    /// The keyspace of the items.
    pub(super) space: Space,
    pub(super) key_schema: KeySchema,
    /// The journal, where the items change.
    pub(super) journal: Option<Journal>,
}

/// What is read of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Journal {
    pub(super) space: Space,
    /// The number of the first record that matters.
    pub(super) from: u64,
}

/// How far the work has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// Items are copied that lie behind this place.
    Items { cursor: Vec<u8> },
    /// Records are taken back whose numbers are below this.
    Back { below: u64 },
    /// Records are gathered from one number on, up to another.
    Changes { next: u64, until: u64 },
}

impl Source {
    pub(super) fn of(table: &TableDefinition, journal: Option<Journal>) -> Source {
        Source {
            table: table.name.clone(),
            space: table.space,
            key_schema: table.key_schema.clone(),
            journal,
        }
    }
}

impl Copy {
    /// The copy into a keyspace, as long as the work goes on.
    ///
    /// # Errors
    /// When the store fails, or the record can't be read.
    pub(crate) fn of(snapshot: &dyn Snapshot, into: Space) -> Result<Option<Copy>, InternalError> {
        let Some(record) = snapshot.get(JOBS, &copying_key(into))? else { return Ok(None) };
        read(into, ItemRef::from_stored(&record)?).map(Some).ok_or(MALFORMED)
    }

    /// Puts the record.
    ///
    /// # Errors
    /// When it can't be given the stored form.
    pub(super) fn put(&self, batch: &mut Batch) -> Result<(), InternalError> {
        let Source { table, space, key_schema: key, journal } = &self.source;
        let mut members: Vec<(&str, AttributeValue)> = vec![
            ("TableName", table.as_str().into()),
            ("Space", space.0.into()),
            ("KeySchema", key_schema(key)),
        ];
        if let Some(Journal { space, from }) = journal {
            members.extend([("Journal", space.0.into()), ("From", (*from).into())]);
        }
        if let Target::Table(name) = &self.target {
            members.push(("TargetTable", name.as_str().into()));
        }
        match &self.stage {
            Stage::Items { cursor } => members.push(("Cursor", AttributeValue::B(cursor.clone()))),
            Stage::Back { below } => members.push(("Below", (*below).into())),
            Stage::Changes { next, until } => {
                members.extend([("Next", (*next).into()), ("Until", (*until).into())]);
            }
        }
        let item = Item::from_attributes(members).map_err(|_| MALFORMED)?;
        batch.put(JOBS, copying_key(self.into), item.into_stored());
        Ok(())
    }

    /// Lets go of the items that are copied: they may change from now on, or go.
    ///
    /// # Errors
    /// When the store fails, or the table's definition can't be read.
    pub(super) fn leave_items(
        &self,
        snapshot: &dyn Snapshot,
        batch: &mut Batch,
    ) -> Result<(), InternalError> {
        let Source { table, space, .. } = &self.source;
        if !is_held_by(snapshot, *space, self.into)? {
            return Ok(());
        }
        journal::release(batch, *space, self.into);
        let table = catalog::table_in(snapshot, table)?.filter(|table| table.space == *space);
        if let Some(mut table) = table.filter(|table| table.copies.contains(&self.into)) {
            table.copies.retain(|copy| *copy != self.into);
            table.revision = table.next_revision()?;
            catalog::put(batch, &table)?;
        }
        Ok(())
    }

    /// Ends the work: the record goes, and what was held for it.
    ///
    /// # Errors
    /// As [`Copy::leave_items`].
    pub(super) fn end(&self, snapshot: &dyn Snapshot, batch: &mut Batch) -> Result<(), InternalError> {
        self.leave_items(snapshot, batch)?;
        if let Some(Journal { space, .. }) = self.source.journal {
            journal::release(batch, space, self.into);
        }
        batch.delete(JOBS, copying_key(self.into));
        Ok(())
    }
}

fn read(into: Space, item: ItemRef<'_>) -> Option<Copy> {
    let number = |name: &str| item.get(name)?.number()?.to_u64();
    let text = |name: &str| item.get(name)?.as_str().map(str::to_owned);
    let journal = number("Journal").zip(number("From"));
    let stage = match (item.get("Cursor"), number("Below")) {
        (Some(cursor), _) => Stage::Items { cursor: cursor.as_bytes()?.to_vec() },
        (None, Some(below)) => Stage::Back { below },
        (None, None) => Stage::Changes { next: number("Next")?, until: number("Until")? },
    };
    Some(Copy {
        into,
        target: text("TargetTable").map_or(Target::Keyspace, Target::Table),
        source: Source {
            table: text("TableName")?,
            space: Space(number("Space")?),
            key_schema: read_key_schema(item.get("KeySchema")?)?,
            journal: journal.map(|(space, from)| Journal { space: Space(space), from }),
        },
        stage,
    })
}

#[cfg(test)]
mod tests {
    use keyplan_store::{MemoryStore, StoreError, StoreExt};
    use keyplan_value::ValueKind;

    use super::*;
    use crate::catalog::KeyAttribute;

    #[test]
    fn a_record_comes_back_as_it_was_stored() {
        let key = KeyAttribute { name: "pk".to_owned(), kind: ValueKind::S };
        let journal = Some(Journal { space: Space(18), from: u64::MAX });
        let copy = |journal, target, stage| Copy {
            into: Space(u64::MAX),
            target,
            source: Source {
                table: "Shop".to_owned(),
                space: Space(17),
                key_schema: KeySchema { partition: vec![key.clone()], sort: Vec::new() },
                journal,
            },
            stage,
        };
        let store = MemoryStore::new();
        for copy in [
            copy(None, Target::Table("Restored".to_owned()), Stage::Items { cursor: Vec::new() }),
            copy(journal, Target::Keyspace, Stage::Items { cursor: vec![0, 255] }),
            copy(journal, Target::Keyspace, Stage::Back { below: 3 }),
            copy(journal, Target::Keyspace, Stage::Changes { next: 1, until: 9 }),
        ] {
            let record = copy.clone();
            let written = store.transact(move |_| -> Result<_, StoreError> {
                let mut batch = Batch::new();
                record.put(&mut batch).expect("a record has a stored form");
                Ok((batch, ()))
            });
            written.expect("the store works").expect("it is written");
            let read = store.view(|snapshot| Copy::of(snapshot, copy.into));
            assert_eq!(read.expect("the store works").expect("readable"), Some(copy));
        }
    }
}
