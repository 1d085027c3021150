//! The store: how it is opened, and which way its calls go.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

use keyplan_store::{Snapshot, Space, Store, StoreError, Transaction, Written};
use rusqlite::{Connection, OpenFlags};

use crate::format::{self, Sharing};
#[cfg(any(test, target_arch = "wasm32"))]
use crate::inline::Claim;
use crate::inline::Inline;
use crate::writer::{Answer, Done, Failure, Task, Writer};
#[cfg(not(target_arch = "wasm32"))]
use crate::{
    identity::{Identity, refuse_linked},
    sidecar::Sidecar,
    threads::Threads,
    view::View,
};

/// Readers of this process go beside the writer, over shared memory.
#[cfg(not(target_arch = "wasm32"))]
const WITH_READERS: Sharing = Sharing { locking_mode: "NORMAL", journal: "wal" };

/// Nobody goes beside it. On OPFS there is no shared memory, and a log works only so.
#[cfg(any(test, target_arch = "wasm32"))]
const ALONE: Sharing = Sharing { locking_mode: "EXCLUSIVE", journal: "wal" };

/// What an acknowledged write survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A loss of power: each commit is synced before it is answered.
    #[default]
    Full,
    /// The end of the process. A loss of power may take the last writes, never the file.
    Relaxed,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What an acknowledged write survives.
    pub durability: Durability,
}

/// A store in one SQLite database.
pub struct SqliteStore(pub(crate) Access);

/// Which way the calls go.
pub(crate) enum Access {
    #[cfg(not(target_arch = "wasm32"))]
    Threads(Threads),
    #[cfg(not(target_arch = "wasm32"))]
    View(View),
    Inline(Inline),
}

impl SqliteStore {
    /// Opens a file, or makes it: one thread writes, and readers go beside it.
    ///
    /// The file is this process's alone until the store is dropped, which leaves exactly this file.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, StoreError> {
        let path = resolved(path.as_ref())?;
        let sidecar = Sidecar::take(&path)?;
        format::refuse_foreign(&path)?;
        refuse_linked(&path)?;
        let connection =
            connect(&path, WITH_READERS, options, |flags| Connection::open_with_flags(&path, flags))?;
        let identity = Identity::of(&path)?;
        let threads = Threads::start(Writer::new(connection, path)?.of_file(identity), sidecar)?;
        Ok(Self(Access::Threads(threads)))
    }

    /// Opens a database by its one connection, on the thread that calls.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub(crate) fn open_inline(
        path: PathBuf,
        options: Options,
        claim: Option<Claim>,
        open: impl FnOnce(OpenFlags) -> rusqlite::Result<Connection>,
    ) -> Result<Self, StoreError> {
        let connection = connect(&path, ALONE, options, open)?;
        let writer = Writer::new(connection, path)?;
        Ok(Self(Access::Inline(Inline::new(writer, claim))))
    }

    /// Has what was committed so far survive a loss of power, where [`Durability::Relaxed`] left that open: in the tab
    /// requests of one moment are synced together, before any of them is answered.
    ///
    /// # Errors
    /// When the disk fails. Which of the commits survive is not known then.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub fn sync(&self) -> Result<(), StoreError> {
        match &self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Access::Threads(_) | Access::View(_) => Ok(()),
            Access::Inline(inline) => inline.sync(),
        }
    }

    fn run(&self, task: Task) -> Result<Done, StoreError> {
        let answer: Answer = match &self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Access::Threads(threads) => threads.run(task),
            #[cfg(not(target_arch = "wasm32"))]
            Access::View(view) => Err(Failure::Refused(view.refusal())),
            Access::Inline(inline) => inline.run(task),
        };
        answer.map_err(|failure| match failure {
            Failure::Refused(error) => error,
            Failure::Panicked(panic) => resume_unwind(panic),
        })
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

impl Store for SqliteStore {
    fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        match &self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Access::Threads(threads) => threads.read(reader),
            #[cfg(not(target_arch = "wasm32"))]
            Access::View(view) => view.read(reader),
            Access::Inline(inline) => inline.read(reader),
        }
    }

    fn write(&self, transaction: Transaction) -> Result<Written, StoreError> {
        match self.run(Task::Write(transaction))? {
            Done::Written(written) => Ok(written),
            Done::Made(_) | Done::Dropped(_) => Err(StoreError::Closed),
        }
    }

    fn may_block(&self) -> bool {
        match &self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Access::Threads(_) | Access::View(_) => true,
            Access::Inline(_) => false,
        }
    }

    fn epoch(&self) -> u64 {
        // The lock beside the file makes this process its sole owner; in the tab, the pool does.
        0
    }

    fn new_space(&self) -> Result<Space, StoreError> {
        match self.run(Task::NewSpace)? {
            Done::Made(space) => Ok(space),
            Done::Written(_) | Done::Dropped(_) => Err(StoreError::Closed),
        }
    }

    fn drop_space(&self, space: Space) -> Result<(), StoreError> {
        if space.is_reserved() {
            return Err(StoreError::ReservedSpace(space));
        }
        // In steps, so that other writes come between.
        while let Done::Dropped(false) = self.run(Task::DropStep(space))? {}
        Ok(())
    }
}

fn connect(
    path: &Path,
    sharing: Sharing,
    options: Options,
    open: impl FnOnce(OpenFlags) -> rusqlite::Result<Connection>,
) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open(flags).map_err(|error| crate::errors::from_sqlite(&error, path))?;
    format::prepare_writer(&connection, path, sharing, options.durability)?;
    Ok(connection)
}

/// The path with its links followed, so that two ways to one file meet at one lock.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn resolved(path: &Path) -> Result<PathBuf, StoreError> {
    let nowhere = || StoreError::NoSuchPlace { path: path.to_path_buf() };
    match path.metadata() {
        // Opening a pipe would wait for who writes it, and other devices keep nothing.
        Ok(found) if !found.is_file() => return Err(nowhere()),
        // A link to where nothing is yet would be locked by another name than the file made there.
        Err(_) if path.is_symlink() => return Err(nowhere()),
        _ => {}
    }
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    let name = path.file_name().ok_or_else(nowhere)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    Ok(folder.map_err(|error| crate::errors::from_system(&error, path))?.join(name))
}
