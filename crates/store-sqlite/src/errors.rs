//! SQLite's errors in the store's terms.

#[cfg(not(target_arch = "wasm32"))]
use std::io;
use std::path::Path;

use keyplan_store::StoreError;
use rusqlite::ErrorCode;

/// What an error of SQLite means for the file at a path.
pub(crate) fn from_sqlite(error: &rusqlite::Error, path: &Path) -> StoreError {
    let path = || path.to_path_buf();
    let rusqlite::Error::SqliteFailure(failure, words) = error else {
        // All other kinds say that a value did not have the type our tables give it.
        return StoreError::Corrupt { detail: error.to_string() };
    };
    match failure.code {
        ErrorCode::DiskFull => StoreError::Full,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly { path: path() },
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Locked { path: path() },
        ErrorCode::NotADatabase => StoreError::Foreign { path: path() },
        // A file that is there is not opened, or its log is not, for want of something else.
        ErrorCode::CannotOpen if !path().is_file() => StoreError::NoSuchPlace { path: path() },
        ErrorCode::DatabaseCorrupt => {
            StoreError::Corrupt { detail: words.clone().unwrap_or_else(|| failure.to_string()) }
        }
        _ => StoreError::Io { detail: words.clone().unwrap_or_else(|| failure.to_string()) },
    }
}

/// What an error of the system means for the file at a path.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn from_system(error: &io::Error, path: &Path) -> StoreError {
    let path = path.to_path_buf();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { path },
        io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::IsADirectory
        | io::ErrorKind::InvalidFilename => StoreError::NoSuchPlace { path },
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::Io { detail: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn mapped(code: i32) -> StoreError {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        from_sqlite(&error, Path::new("my.db"))
    }

    #[test]
    fn sqlite_errors_are_told_apart_by_code() {
        let path = || Path::new("my.db").to_path_buf();
        assert_eq!(mapped(ffi::SQLITE_FULL), StoreError::Full);
        assert_eq!(mapped(ffi::SQLITE_READONLY), StoreError::ReadOnly { path: path() });
        assert_eq!(mapped(ffi::SQLITE_BUSY), StoreError::Locked { path: path() });
        assert_eq!(mapped(ffi::SQLITE_NOTADB), StoreError::Foreign { path: path() });
        assert!(matches!(mapped(ffi::SQLITE_CORRUPT), StoreError::Corrupt { .. }));
        assert!(matches!(mapped(ffi::SQLITE_IOERR), StoreError::Io { .. }));
    }

    #[test]
    fn system_errors_are_told_apart_by_kind() {
        let mapped = |kind| from_system(&io::Error::from(kind), Path::new("my.db"));
        let path = || Path::new("my.db").to_path_buf();
        assert_eq!(mapped(io::ErrorKind::PermissionDenied), StoreError::ReadOnly { path: path() });
        assert_eq!(mapped(io::ErrorKind::ReadOnlyFilesystem), StoreError::ReadOnly { path: path() });
        assert_eq!(mapped(io::ErrorKind::NotFound), StoreError::NoSuchPlace { path: path() });
        assert_eq!(mapped(io::ErrorKind::StorageFull), StoreError::Full);
    }
}
