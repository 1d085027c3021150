//! A folder, what is to fail in it, and what was done.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rusqlite::ffi;

use crate::replay::Event;
use crate::vfs;

/// What SQLite asks of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A file is opened or made.
    Open,
    /// Bytes are read.
    Read,
    /// Bytes are written.
    Write,
    /// A file is cut.
    Truncate,
    /// A file is synced.
    Sync,
    /// A file is removed.
    Delete,
}

impl Call {
    /// All of them.
    pub const ALL: [Call; 6] =
        [Call::Open, Call::Read, Call::Write, Call::Truncate, Call::Sync, Call::Delete];
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The disk says no, and has done nothing.
    Fails,
    /// There is no space left, and nothing was done.
    Full,
    /// Half of the bytes were written when the space was used up.
    Short,
}

impl Fault {
    /// What SQLite is told.
    fn code(self, call: Call) -> i32 {
        match (self, call) {
            (Fault::Full | Fault::Short, _) => ffi::SQLITE_FULL,
            (Fault::Fails, Call::Open) => ffi::SQLITE_CANTOPEN,
            (Fault::Fails, Call::Read) => ffi::SQLITE_IOERR_READ,
            (Fault::Fails, Call::Write) => ffi::SQLITE_IOERR_WRITE,
            (Fault::Fails, Call::Truncate) => ffi::SQLITE_IOERR_TRUNCATE,
            (Fault::Fails, Call::Sync) => ffi::SQLITE_IOERR_FSYNC,
            (Fault::Fails, Call::Delete) => ffi::SQLITE_IOERR_DELETE,
        }
    }
}

/// A folder whose files fail when they are told to.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failing: Option<Failing>,
    events: Vec<Event>,
}

/// Which calls fail.
#[derive(Debug)]
struct Failing {
    call: Call,
    fault: Fault,
    /// Calls of the kind that go well before.
    after: u64,
    /// Calls that fail then.
    times: u64,
    failed: u64,
}

/// A call that fails, and how.
pub(crate) struct Failed {
    pub(crate) code: i32,
    pub(crate) fault: Fault,
}

/// The disks of this process.
static DISKS: Mutex<Vec<Weak<Disk>>> = Mutex::new(Vec::new());

impl Disk {
    /// Takes the files in a folder. Files that are open already are not taken.
    ///
    /// # Errors
    /// When the folder is not there.
    pub fn at(folder: &Path) -> io::Result<Arc<Disk>> {
        vfs::install();
        let disk = Arc::new(Disk { folder: folder.canonicalize()?, state: Mutex::default() });
        let mut disks = lock(&DISKS);
        disks.retain(|disk| disk.strong_count() > 0);
        disks.push(Arc::downgrade(&disk));
        Ok(disk)
    }

    /// The disk that has a file.
    pub(crate) fn of(file: &Path) -> Option<Arc<Disk>> {
        let disks = lock(&DISKS);
        disks.iter().filter_map(Weak::upgrade).find(|disk| file.parent() == Some(&disk.folder))
    }

    /// From now on, lets `after` calls of a kind go well, and then `times` of them fail. What was to fail before
    /// does not any more.
    pub fn fail(&self, call: Call, fault: Fault, after: u64, times: u64) {
        self.state().failing = Some(Failing { call, fault, after, times, failed: 0 });
    }

    /// Nothing fails any more. Says how many calls have failed.
    pub fn mend(&self) -> u64 {
        self.state().failing.take().map_or(0, |failing| failing.failed)
    }

    /// Notes a moment among the events, such as that a write was acknowledged.
    pub fn mark(&self, number: u64) {
        self.note(Event::Marked(number));
    }

    /// What was done since the disk was taken.
    pub fn events(&self) -> Vec<Event> {
        self.state().events.clone()
    }

    /// Whether a call fails now.
    pub(crate) fn fails(&self, call: Call) -> Option<Failed> {
        let mut state = self.state();
        let failing = state.failing.as_mut().filter(|failing| failing.call == call)?;
        if failing.after > 0 {
            failing.after -= 1;
            return None;
        }
        if failing.times == 0 {
            return None;
        }
        failing.times -= 1;
        failing.failed += 1;
        Some(Failed { code: failing.fault.code(call), fault: failing.fault })
    }

    pub(crate) fn note(&self, event: Event) {
        self.state().events.push(event);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
