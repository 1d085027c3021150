//! In the place of SQLite's own way to files: the same, with a look at the disk before.
//!
//! A file is opened by SQLite's own functions into SQLite's own memory. Then the table of its functions is exchanged
//! for a copy in which five are ours; they find the file by its address, ask its disk, and go on to those that were
//! there before, but for syncs. Locks, shared memory and all else are untouched.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::slice;
use std::sync::{Arc, Mutex, OnceLock};

use rusqlite::ffi;
use rusqlite::ffi::{sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

use crate::disk::{Call, Disk, Fault, lock};
use crate::replay::Event;

/// An open file of a disk.
#[derive(Clone)]
struct Opened {
    disk: Arc<Disk>,
    path: Arc<Path>,
    /// The functions that it was opened with.
    real: &'static sqlite3_io_methods,
}

/// The open files of disks, by their address.
static OPENED: Mutex<BTreeMap<usize, Opened>> = Mutex::new(BTreeMap::new());

/// The way to files that SQLite had before.
struct RealVfs(*mut sqlite3_vfs);

// SAFETY: SQLite's own table is made before the first call and never changed or freed; SQLite calls it from
// all threads.
unsafe impl Send for RealVfs {}
// SAFETY: as above.
unsafe impl Sync for RealVfs {}

static REAL: OnceLock<RealVfs> = OnceLock::new();

/// Puts this way to files in the place of SQLite's own, once.
pub(crate) fn install() {
    REAL.get_or_init(|| {
        // SAFETY: null asks for the default, which is always there; the copy is leaked, so it outlives every use,
        // and its name is a literal that ends with a null byte.
        unsafe {
            let real = ffi::sqlite3_vfs_find(ptr::null());
            let ours = Box::leak(Box::new(sqlite3_vfs {
                pNext: ptr::null_mut(),
                zName: c"failing".as_ptr(),
                xOpen: Some(open),
                xDelete: Some(delete),
                ..*real
            }));
            ffi::sqlite3_vfs_register(ours, 1);
            RealVfs(real)
        }
    });
}

fn real() -> Option<*mut sqlite3_vfs> {
    REAL.get().map(|real| real.0)
}

/// A path that SQLite names; none for a file without a name.
///
/// # Safety
/// The name is null, or ends with a null byte.
unsafe fn path(name: *const c_char) -> Option<PathBuf> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller says so.
    let name = unsafe { CStr::from_ptr(name) };
    Some(PathBuf::from(name.to_string_lossy().into_owned()))
}

/// SQLite's xOpen.
unsafe extern "C" fn open(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: the arguments are SQLite's and go on as they came; `file` has the room that the real table asks
    // for, since ours asks for the same, and its functions are set once it is open.
    unsafe {
        let Some(real) = real() else { return ffi::SQLITE_CANTOPEN };
        let Some(real_open) = (*real).xOpen else { return ffi::SQLITE_CANTOPEN };
        let named = path(name).and_then(|path| Some((Disk::of(&path)?, path)));
        let Some((disk, path)) = named else { return real_open(real, name, file, flags, flags_out) };
        if let Some(failed) = disk.fails(Call::Open) {
            // SQLite doesn't close what has no functions.
            (*file).pMethods = ptr::null();
            return failed.code;
        }
        let code = real_open(real, name, file, flags, flags_out);
        if code == ffi::SQLITE_OK {
            let real: &'static sqlite3_io_methods = &*(*file).pMethods;
            lock(&OPENED).insert(file as usize, Opened { disk, path: path.into(), real });
            (*file).pMethods = ours(real);
        }
        code
    }
}

/// SQLite's xDelete.
unsafe extern "C" fn delete(_vfs: *mut sqlite3_vfs, name: *const c_char, sync_folder: c_int) -> c_int {
    // SAFETY: the arguments are SQLite's and go on as they came.
    unsafe {
        let Some(real) = real() else { return ffi::SQLITE_IOERR_DELETE };
        let Some(real_delete) = (*real).xDelete else { return ffi::SQLITE_IOERR_DELETE };
        let named = path(name).and_then(|path| Some((Disk::of(&path)?, path)));
        if let Some(failed) = named.as_ref().and_then(|(disk, _)| disk.fails(Call::Delete)) {
            return failed.code;
        }
        let code = real_delete(real, name, sync_folder);
        if let (ffi::SQLITE_OK, Some((disk, file))) = (code, named) {
            disk.note(Event::Deleted { file, synced: sync_folder != 0 });
        }
        code
    }
}

/// A table of functions like the one that was there, in which five are ours.
fn ours(real: &'static sqlite3_io_methods) -> &'static sqlite3_io_methods {
    type Tables = Vec<(&'static sqlite3_io_methods, &'static sqlite3_io_methods)>;
    static MADE: Mutex<Tables> = Mutex::new(Vec::new());

    let mut made = lock(&MADE);
    if let Some((_, ours)) = made.iter().find(|(before, _)| ptr::eq(*before, real)) {
        return ours;
    }
    let ours: &'static sqlite3_io_methods = Box::leak(Box::new(sqlite3_io_methods {
        xClose: Some(close),
        xRead: Some(read),
        xWrite: Some(write),
        xTruncate: Some(truncate),
        xSync: Some(sync),
        ..*real
    }));
    made.push((real, ours));
    ours
}

fn opened(file: *mut sqlite3_file) -> Option<Opened> {
    lock(&OPENED).get(&(file as usize)).cloned()
}

/// SQLite's xClose.
unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let opened = lock(&OPENED).remove(&(file as usize));
    match opened.and_then(|opened| opened.real.xClose) {
        // SAFETY: the file was opened by what this function belongs to.
        Some(real) => unsafe { real(file) },
        None => ffi::SQLITE_IOERR_CLOSE,
    }
}

/// SQLite's xRead.
unsafe extern "C" fn read(file: *mut sqlite3_file, into: *mut c_void, bytes: c_int, offset: i64) -> c_int {
    let Some(opened) = opened(file) else { return ffi::SQLITE_IOERR_READ };
    if let Some(failed) = opened.disk.fails(Call::Read) {
        return failed.code;
    }
    match opened.real.xRead {
        // SAFETY: the file was opened by what this function belongs to; the arguments go on as they came.
        Some(real) => unsafe { real(file, into, bytes, offset) },
        None => ffi::SQLITE_IOERR_READ,
    }
}

/// SQLite's xWrite.
unsafe extern "C" fn write(file: *mut sqlite3_file, from: *const c_void, bytes: c_int, offset: i64) -> c_int {
    let Some(opened) = opened(file) else { return ffi::SQLITE_IOERR_WRITE };
    let Some(real) = opened.real.xWrite else { return ffi::SQLITE_IOERR_WRITE };
    let failed = opened.disk.fails(Call::Write);
    let amount = match &failed {
        None => bytes,
        Some(failed) if failed.fault == Fault::Short => bytes / 2,
        Some(failed) => return failed.code,
    };
    // SAFETY: the file was opened by what this function belongs to, and SQLite hands in `bytes` bytes, of which
    // `amount` are no more.
    let (code, written) = unsafe {
        let code = real(file, from, amount, offset);
        (code, slice::from_raw_parts(from.cast::<u8>(), usize::try_from(amount).unwrap_or_default()))
    };
    if code == ffi::SQLITE_OK {
        let offset = usize::try_from(offset).unwrap_or_default();
        opened.disk.note(Event::Written { file: opened.path, offset, bytes: written.to_vec() });
    }
    failed.map_or(code, |failed| failed.code)
}

/// SQLite's xTruncate.
unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: i64) -> c_int {
    let Some(opened) = opened(file) else { return ffi::SQLITE_IOERR_TRUNCATE };
    if let Some(failed) = opened.disk.fails(Call::Truncate) {
        return failed.code;
    }
    let Some(real) = opened.real.xTruncate else { return ffi::SQLITE_IOERR_TRUNCATE };
    // SAFETY: the file was opened by what this function belongs to.
    let code = unsafe { real(file, length) };
    if code == ffi::SQLITE_OK {
        let length = usize::try_from(length).unwrap_or_default();
        opened.disk.note(Event::Truncated { file: opened.path, length });
    }
    code
}

/// SQLite's xSync. One that goes well goes no further: nothing of these files outlives the test, and the power is
/// lost in a replay alone.
unsafe extern "C" fn sync(file: *mut sqlite3_file, _flags: c_int) -> c_int {
    let Some(opened) = opened(file) else { return ffi::SQLITE_IOERR_FSYNC };
    if let Some(failed) = opened.disk.fails(Call::Sync) {
        opened.disk.note(Event::SyncFailed { file: opened.path });
        return failed.code;
    }
    opened.disk.note(Event::Synced { file: opened.path });
    ffi::SQLITE_OK
}
