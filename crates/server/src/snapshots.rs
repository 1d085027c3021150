//! What tests do between runs: put the data back to the start, keep them under a name, and put them
//! back to that.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use keyplan_store::MemoryImage;

use crate::limits::{SNAPSHOT_NAME_CHARACTERS_MAX, SNAPSHOTS_MAX};
use crate::namespaces::free;
use crate::{Namespace, NamespaceError, Namespaces};

/// Snapshots by name; each has an image of every namespace that it was taken of.
#[derive(Default)]
pub(crate) struct Snapshots(Mutex<BTreeMap<String, BTreeMap<Namespace, MemoryImage>>>);

/// Why the data can't be put back, or kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotError {
    /// The data are in a file.
    OnFile,
    /// There are as many as may be.
    TooMany,
    /// A name that is empty or too long.
    Name,
    /// There is no such snapshot; these there are.
    Missing {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A namespace that can't be opened or read.
    Namespace(NamespaceError),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::OnFile => f.write_str(
                "Resets and snapshots are for data in memory, and these are in a file. Start without --db, with \
                 --seed or --model for the data to begin with.",
            ),
            SnapshotError::TooMany => {
                write!(f, "There are {SNAPSHOTS_MAX} snapshots already. Use one of their names again.")
            }
            SnapshotError::Name => {
                write!(f, "A snapshot needs a name of 1 to {SNAPSHOT_NAME_CHARACTERS_MAX} characters.")
            }
            SnapshotError::Missing { name, known } if known.is_empty() => {
                write!(f, "There is no snapshot named {name:?}, nor any other. Take one first.")
            }
            SnapshotError::Missing { name, known } => {
                write!(f, "There is no snapshot named {name:?}. There are: {}.", known.join(", "))
            }
            SnapshotError::Namespace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SnapshotError {}

impl From<NamespaceError> for SnapshotError {
    fn from(error: NamespaceError) -> SnapshotError {
        SnapshotError::Namespace(error)
    }
}

impl Snapshots {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, BTreeMap<Namespace, MemoryImage>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Namespaces {
    /// Puts the data back to the start: of one namespace, or of all.
    ///
    /// # Errors
    /// When they are not in memory.
    pub fn reset_to_start(&self, only: Option<&Namespace>) -> Result<(), SnapshotError> {
        self.check_memory()?;
        self.reset(only);
        Ok(())
    }

    /// Keeps what there is now under a name, in place of what was kept under it. Of one namespace, or
    /// of all.
    ///
    /// # Errors
    /// When the data are not in memory, or the name or the number of snapshots is too large.
    pub fn take_snapshot(&self, name: &str, only: Option<&Namespace>) -> Result<(), SnapshotError> {
        self.check_memory()?;
        if !(1..=SNAPSHOT_NAME_CHARACTERS_MAX).contains(&name.chars().count()) {
            return Err(SnapshotError::Name);
        }
        if let Some(namespace) = only {
            // One that nobody has used yet has a state all the same: its start.
            self.engine(namespace)?;
        }
        let images = self.images(only)?;
        let mut snapshots = self.snapshots.all();
        if !snapshots.contains_key(name) && snapshots.len() >= SNAPSHOTS_MAX {
            return Err(SnapshotError::TooMany);
        }
        let replaced = snapshots.insert(name.to_owned(), images);
        drop(snapshots);
        if let Some(replaced) = replaced {
            free(replaced);
        }
        Ok(())
    }

    /// Puts the data back to what is kept under a name: of one namespace, or of all.
    ///
    /// # Errors
    /// When the data are not in memory, or nothing is kept under the name.
    pub fn restore_snapshot(&self, name: &str, only: Option<&Namespace>) -> Result<(), SnapshotError> {
        self.check_memory()?;
        let snapshots = self.snapshots.all();
        let Some(images) = snapshots.get(name) else {
            let known = snapshots.keys().cloned().collect();
            return Err(SnapshotError::Missing { name: name.to_owned(), known });
        };
        Ok(self.restore(images, only)?)
    }

    /// The names of the snapshots, in order.
    pub fn snapshot_names(&self) -> Vec<String> {
        self.snapshots.all().keys().cloned().collect()
    }

    fn check_memory(&self) -> Result<(), SnapshotError> {
        if self.are_in_memory() { Ok(()) } else { Err(SnapshotError::OnFile) }
    }
}
