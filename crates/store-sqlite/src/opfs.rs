//! Databases in a browser's tab: files of the origin's private file system (OPFS).
//!
//! The files lie in a pool that one worker holds; installing it is the only step that waits, and
//! everything after it runs where it is called. A pool keeps other tabs out, and a claim on the
//! name keeps out a second store of this one.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use js_sys::Reflect;
use keyplan_store::StoreError;
use rusqlite::Connection;
use sqlite_wasm_rs::WasmOsCallback;
use sqlite_wasm_rs::vfs::VfsFilesManager;
use sqlite_wasm_rs::vfs::transfer::DbTransfer;
use sqlite_wasm_vfs::sahpool::{OpfsSAHError, OpfsSAHPoolCfgBuilder, OpfsSAHPoolUtil, install};

use crate::{Options, SqliteStore};

/// Files a pool has room for at first. A database takes one, its log another, and a third for the
/// moment in which it is made.
const FILES_MIN: usize = 6;

/// The databases in one folder of the origin's private file system.
///
/// It needs a dedicated worker in a secure context, and no special headers.
#[derive(Clone)]
pub struct Pool {
    files: OpfsSAHPoolUtil,
    folder: String,
}

impl Pool {
    /// Takes the folder for this worker, or says that another tab has it.
    pub async fn install(folder: &str) -> Result<Self, StoreError> {
        let options = OpfsSAHPoolCfgBuilder::new()
            .vfs_name(&vfs_name(folder))
            .directory(folder)
            .initial_capacity(FILES_MIN)
            .build();
        let files =
            install::<WasmOsCallback>(&options, false).await.map_err(|error| from_opfs(&error, folder))?;
        Ok(Self { files, folder: folder.to_owned() })
    }

    /// Opens a database of the folder, or makes it.
    pub fn open(&self, name: &str, options: Options) -> Result<SqliteStore, StoreError> {
        let path = format!("{}/{name}", self.folder);
        let claim = Name::claim(path.clone())?;
        let vfs = vfs_name(&self.folder);
        SqliteStore::open_inline(PathBuf::from(path), options, Some(Box::new(claim)), |flags| {
            Connection::open_with_flags_and_vfs(name, flags, vfs.as_str())
        })
    }

    /// The whole file of a database that no store has open.
    pub fn export(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        let _claim = self.claim(name)?;
        self.files.export_db(name).map_err(|error| from_opfs(&error, name))
    }

    /// Puts a file in the place of a database that no store has open. Whether it is one of ours is
    /// seen when it is opened.
    pub fn import(&self, name: &str, file: &[u8]) -> Result<(), StoreError> {
        self.remove(name)?;
        self.files.import_db(name, file).map_err(|error| from_opfs(&error, name))
    }

    /// Removes a database that no store has open, if it is there.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let _claim = self.claim(name)?;
        for part in ["", "-wal", "-journal"] {
            self.files.remove(&format!("{name}{part}")).map_err(|error| from_opfs(&error, name))?;
        }
        Ok(())
    }

    fn claim(&self, name: &str) -> Result<Name, StoreError> {
        Name::claim(format!("{}/{name}", self.folder))
    }
}

impl SqliteStore {
    /// Opens a database by its path in the origin's private file system, or makes it.
    pub async fn open_opfs(path: &str, options: Options) -> Result<Self, StoreError> {
        let Some((folder, name)) = path.rsplit_once('/') else {
            return Err(StoreError::NoSuchPlace { path: PathBuf::from(path) });
        };
        Pool::install(folder).await?.open(name, options)
    }
}

fn vfs_name(folder: &str) -> String {
    format!("opfs:{folder}")
}

/// Paths that a store of this worker has open.
static CLAIMED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn claimed() -> MutexGuard<'static, BTreeSet<String>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A path that one store has open: connections of one pool do not see each other's locks.
struct Name(String);

impl Name {
    fn claim(path: String) -> Result<Self, StoreError> {
        if claimed().insert(path.clone()) {
            return Ok(Self(path));
        }
        Err(StoreError::Locked { path: PathBuf::from(path) })
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        claimed().remove(&self.0);
    }
}

/// What an error of the pool means for the file or folder at a path.
fn from_opfs(error: &OpfsSAHError, path: &str) -> StoreError {
    let path = PathBuf::from(path);
    match error {
        OpfsSAHError::Opfs { value, .. } => {
            let name = Reflect::get(value, &"name".into()).ok();
            match name.and_then(|name| name.as_string()).as_deref() {
                Some("NoModificationAllowedError") => StoreError::Locked { path },
                Some("QuotaExceededError") => StoreError::Full,
                _ => StoreError::Io { detail: error.to_string() },
            }
        }
        OpfsSAHError::FileInUse(_) | OpfsSAHError::FilesInUse | OpfsSAHError::DirectoryInUse(_) => {
            StoreError::Locked { path }
        }
        OpfsSAHError::FileNotFound(_) | OpfsSAHError::InvalidFilename(_) | OpfsSAHError::InvalidDirectory => {
            StoreError::NoSuchPlace { path }
        }
        OpfsSAHError::Transfer(_) => StoreError::Foreign { path },
        _ => StoreError::Io { detail: error.to_string() },
    }
}
