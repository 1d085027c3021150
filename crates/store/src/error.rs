//! What can go wrong in a store.

use std::fmt;
use std::path::PathBuf;

use crate::Space;

/// Why a store did not do what it was asked. Nothing of the write that got it is in the store.
///
/// Each text says what happened and what to do about it. It is clonable because one failed
/// commit is answered to every caller whose write was in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// The disk, the quota or the browser's allowance is used up.
    Full,
    /// The file, or the folder that has to hold its lock and its log, cannot be written.
    ReadOnly {
        /// The file that was to be opened.
        path: PathBuf,
    },
    /// Another process, or another tab, has the file open.
    Locked {
        /// The file that was to be opened.
        path: PathBuf,
    },
    /// The file is not one of ours; it was not touched.
    Foreign {
        /// The file that was to be opened.
        path: PathBuf,
    },
    /// The file was written by a newer release in a format this one does not know.
    NewerFormat {
        /// The file that was to be opened.
        path: PathBuf,
        /// The format the file says it has.
        found: u32,
        /// The newest format this release reads.
        supported: u32,
    },
    /// The file that was to be read is not there.
    Missing {
        /// The file that was to be opened.
        path: PathBuf,
    },
    /// The folder of the file does not exist, or the path names a folder.
    NoSuchPlace {
        /// The file that was to be opened.
        path: PathBuf,
    },
    /// The file was removed, or another was put in its place, while it was open; what is written to it
    /// now would be lost.
    Gone {
        /// Where the file was.
        path: PathBuf,
    },
    /// The file has a second name, under which it could be opened beside this one.
    Linked {
        /// The file that was to be opened.
        path: PathBuf,
    },
    /// What the file holds cannot be what a store wrote.
    Corrupt {
        /// What was found.
        detail: String,
    },
    /// The system refused for a reason not told apart above.
    Io {
        /// The system's words.
        detail: String,
    },
    /// A batch names a keyspace that was never made, or was dropped.
    NoSuchSpace(Space),
    /// A keyspace of the engine's own records cannot be dropped.
    ReservedSpace(Space),
    /// An `Add` met a value that is not a counter.
    NotACounter {
        /// The keyspace of the value.
        space: Space,
        /// Its key.
        key: Vec<u8>,
    },
    /// A closure that the store is running called the store again.
    Reentrant,
    /// The store has been closed, or its writer has ended.
    Closed,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str(
                "there is no space left for the database; the write was not made: \
                 free some space and send it again",
            ),
            Self::ReadOnly { path } => write!(
                f,
                "{} cannot be written; give this user write permission on the file and \
                 its folder, or choose another file",
                path.display()
            ),
            Self::Locked { path } => {
                write!(f, "{} is open elsewhere; close it there, or choose another file", path.display())
            }
            Self::Foreign { path } => write!(
                f,
                "{} is not a Keyplan database and was left as it is; choose another file name",
                path.display()
            ),
            Self::NewerFormat { path, found, supported } => write!(
                f,
                "{} has format {found}, and this release reads formats up to {supported}; \
                 open it with a newer release of Keyplan",
                path.display()
            ),
            Self::Missing { path } => {
                write!(f, "there is no file {}; name a database that is there", path.display())
            }
            Self::NoSuchPlace { path } => {
                write!(f, "{} cannot hold a database; name a file in a folder that exists", path.display())
            }
            Self::Gone { path } => write!(
                f,
                "{} was removed or replaced while it was open, so nothing written to it would last; \
                 stop, put the file back, and start again",
                path.display()
            ),
            Self::Linked { path } => write!(
                f,
                "{} has a second name (a hard link), and a database opened under both would be damaged; \
                 copy it, or remove the other name",
                path.display()
            ),
            Self::Corrupt { detail } => {
                write!(f, "the database is damaged ({detail}); go back to a copy of the file")
            }
            Self::Io { detail } => write!(
                f,
                "the database could not be read or written ({detail}); \
                 check the disk, then try again"
            ),
            Self::NoSuchSpace(space) => write!(
                f,
                "keyspace {} does not exist; write only to keyspaces that were made \
                 and not dropped",
                space.0
            ),
            Self::ReservedSpace(space) => {
                write!(f, "keyspace {} holds the engine's own records; delete its entries instead", space.0)
            }
            Self::NotACounter { space, key } => write!(
                f,
                "the value of key {key:02x?} in keyspace {} is not a counter; \
                 add only to keys that hold counters or nothing",
                space.0
            ),
            Self::Reentrant => f.write_str(
                "the store was called from inside one of its own closures; \
                 return from the closure first",
            ),
            Self::Closed => f.write_str("the store is closed; open it again"),
        }
    }
}

impl std::error::Error for StoreError {}
