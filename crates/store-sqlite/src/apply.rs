//! Applying a batch that was checked, and keeping what undoes it.

use std::ops::Bound;

use keyplan_store::{Addition, Batch, Bounds, Change, SharedBytes, Space, as_slice, restoring};
use rusqlite::{Connection, Row, params};

use crate::snapshot::{Within, number, value_of, value_statement};

/// Applies a batch inside the transaction that is open. An error is the medium's: the
/// transaction has to be rolled back then.
pub(crate) fn apply(connection: &Connection, batch: Batch) -> rusqlite::Result<Option<Batch>> {
    let mut work = Work { connection, undone: batch.keep_inverse.then(Vec::new) };
    for change in batch.changes {
        work.change(change)?;
    }
    Ok(work.undone.map(Batch::undoing))
}

struct Work<'a> {
    connection: &'a Connection,
    /// What undoes the changes so far, in their order, if that was asked for.
    undone: Option<Vec<Change>>,
}

impl Work<'_> {
    fn change(&mut self, change: Change) -> rusqlite::Result<()> {
        match change {
            Change::Put { space, key, value } => {
                self.keep(space, &key, true)?;
                self.put(space, &key, &value)
            }
            Change::Delete { space, key } => {
                self.keep(space, &key, false)?;
                self.delete(space, &key)
            }
            Change::DeleteRange { space, lower, upper } => self.delete_range(space, &lower, &upper),
            Change::Add { space, key, amount } => self.add(space, key, amount),
        }
    }

    /// Keeps what undoes a change of one key, if it changes anything.
    fn keep(&mut self, space: Space, key: &[u8], makes_key: bool) -> rusqlite::Result<()> {
        if self.undone.is_none() {
            return Ok(());
        }
        let before = self.value(space, key)?;
        if let Some(undone) = &mut self.undone
            && (makes_key || before.is_some())
        {
            undone.push(restoring(space, key.to_vec(), before));
        }
        Ok(())
    }

    fn delete_range(
        &mut self,
        space: Space,
        lower: &Bound<Vec<u8>>,
        upper: &Bound<Vec<u8>>,
    ) -> rusqlite::Result<()> {
        let within = Within::new(Bounds::new(as_slice(lower), as_slice(upper)));
        let condition = &within.condition;
        if let Some(undone) = &mut self.undone {
            let text = format!("SELECT key, value FROM entries WHERE {condition}");
            let mut statement = self.connection.prepare_cached(&text)?;
            let restored = |row: &Row<'_>| {
                let value: Vec<u8> = row.get(1)?;
                Ok(restoring(space, row.get(0)?, Some(value.into())))
            };
            let changes = match within.upper {
                Some(upper) => statement.query_map(params![number(space), within.lower, upper], restored)?,
                None => statement.query_map(params![number(space), within.lower], restored)?,
            };
            for change in changes {
                undone.push(change?);
            }
        }
        let text = format!("DELETE FROM entries WHERE {condition}");
        let mut statement = self.connection.prepare_cached(&text)?;
        match within.upper {
            Some(upper) => statement.execute(params![number(space), within.lower, upper])?,
            None => statement.execute(params![number(space), within.lower])?,
        };
        Ok(())
    }

    /// Reading before writing is safe here: the transaction is the only one that writes.
    fn add(&mut self, space: Space, key: Vec<u8>, amount: i64) -> rusqlite::Result<()> {
        let before = self.value(space, &key)?;
        let Some(addition) = Addition::new(space, key.clone(), before.as_deref(), amount) else {
            return Ok(());
        };
        if let Some(undone) = &mut self.undone {
            undone.push(addition.undo);
        }
        match addition.after {
            Some(bytes) => self.put(space, &key, &bytes),
            None => self.delete(space, &key),
        }
    }

    fn value(&self, space: Space, key: &[u8]) -> rusqlite::Result<Option<SharedBytes>> {
        value_of(&mut value_statement(self.connection)?, space, key)
    }

    fn put(&self, space: Space, key: &[u8], value: &[u8]) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO entries (space, key, value) VALUES (?1, ?2, ?3)")?
            .execute(params![number(space), key, value])
            .map(drop)
    }

    fn delete(&self, space: Space, key: &[u8]) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("DELETE FROM entries WHERE space = ?1 AND key = ?2")?
            .execute(params![number(space), key])
            .map(drop)
    }
}
