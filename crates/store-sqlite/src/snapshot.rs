//! Reading: a snapshot is a connection inside a transaction.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use keyplan_store::{
    Bounds, Direction, SharedBytes, Snapshot, Space, StoreError, StoredValue, Visit, Visitor,
};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use crate::errors::from_sqlite;

/// What a transaction on a connection sees.
pub(crate) struct SqliteSnapshot<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) path: &'a Path,
}

impl SqliteSnapshot<'_> {
    fn mapped(&self, error: rusqlite::Error) -> StoreError {
        from_sqlite(&error, self.path)
    }
}

/// A read transaction, over when dropped, even by a panic of the closure that reads.
pub(crate) struct ReadTransaction<'a>(&'a Connection);

impl<'a> ReadTransaction<'a> {
    pub(crate) fn begin(connection: &'a Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN DEFERRED")?.execute([])?;
        Ok(Self(connection))
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        // One that fails to end has been ended by SQLite; the next to begin would say otherwise.
        let _ended = self.0.prepare_cached("COMMIT").and_then(|mut statement| statement.execute([]));
    }
}

impl Snapshot for SqliteSnapshot<'_> {
    fn get_many(&self, space: Space, keys: &[&[u8]]) -> Result<Vec<Option<SharedBytes>>, StoreError> {
        let mut statement = value_statement(self.connection).map_err(|e| self.mapped(e))?;
        keys.iter()
            .map(|key| value_of(&mut statement, space, key))
            .collect::<rusqlite::Result<_>>()
            .map_err(|error| self.mapped(error))
    }

    fn range(
        &self,
        space: Space,
        bounds: Bounds<'_>,
        direction: Direction,
        _expected: usize,
        visit: &mut Visitor<'_>,
    ) -> Result<(), StoreError> {
        visit_range(self.connection, space, bounds, direction, visit).map_err(|error| self.mapped(error))
    }
}

/// The statement that reads one value.
pub(crate) fn value_statement(connection: &Connection) -> rusqlite::Result<CachedStatement<'_>> {
    connection.prepare_cached("SELECT value FROM entries WHERE space = ?1 AND key = ?2")
}

/// The value of a key, by the statement for it.
pub(crate) fn value_of(
    statement: &mut CachedStatement<'_>,
    space: Space,
    key: &[u8],
) -> rusqlite::Result<Option<SharedBytes>> {
    let found = statement.query_row(params![number(space), key], |row| Ok(Arc::from(blob(row, 0)?)));
    found.optional()
}

fn visit_range(
    connection: &Connection,
    space: Space,
    bounds: Bounds<'_>,
    direction: Direction,
    visit: &mut Visitor<'_>,
) -> rusqlite::Result<()> {
    let within = Within::new(bounds);
    let order = match direction {
        Direction::Forward => "ASC",
        Direction::Backward => "DESC",
    };
    let text = format!("SELECT key, value FROM entries WHERE {} ORDER BY key {order}", within.condition);
    let mut statement = connection.prepare_cached(&text)?;
    let mut rows = match within.upper {
        Some(upper) => statement.query(params![number(space), within.lower, upper])?,
        None => statement.query(params![number(space), within.lower])?,
    };
    while let Some(row) = rows.next()? {
        if visit(blob(row, 0)?, StoredValue::lent(blob(row, 1)?)) == Visit::Stop {
            break;
        }
    }
    Ok(())
}

/// Bounds as a condition on a keyspace (?1), a lower end (?2) and maybe an upper end (?3).
pub(crate) struct Within<'a> {
    pub(crate) condition: String,
    pub(crate) lower: &'a [u8],
    pub(crate) upper: Option<&'a [u8]>,
}

impl<'a> Within<'a> {
    pub(crate) fn new(bounds: Bounds<'a>) -> Self {
        // No lower end is the empty key, which none is below.
        let (above, lower) = match bounds.lower {
            Bound::Included(lower) => (">=", lower),
            Bound::Excluded(lower) => (">", lower),
            Bound::Unbounded => (">=", &[][..]),
        };
        let (below, upper) = match bounds.upper {
            Bound::Included(upper) => (" AND key <= ?3", Some(upper)),
            Bound::Excluded(upper) => (" AND key < ?3", Some(upper)),
            Bound::Unbounded => ("", None),
        };
        Self { condition: format!("space = ?1 AND key {above} ?2{below}"), lower, upper }
    }
}

/// A keyspace's number as SQLite holds integers.
pub(crate) fn number(space: Space) -> i64 {
    space.0.cast_signed()
}

fn blob<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<&'r [u8]> {
    Ok(row.get_ref(column)?.as_blob()?)
}
