//! Case files: those that are built in, and those of a folder.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use crate::case::{CaseError, CaseFile};

/// Why case files can't be read.
#[derive(Debug)]
pub enum LoadError {
    /// The folder or a file can't be read.
    Read {
        /// What can't be read.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The folder has no case file.
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// A file is no case file.
    Case(CaseError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Read { path, error } => write!(f, "{} can't be read: {error}", path.display()),
            LoadError::Nothing { path } => {
                write!(f, "{} holds no case file (*.yaml); name the folder of the cases", path.display())
            }
            LoadError::Case(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

/// Reads every `*.yaml` of a folder, in the order of their names.
///
/// # Errors
/// When the folder or a file can't be read, or there is none.
pub fn load(folder: &Path) -> Result<Vec<CaseFile>, LoadError> {
    let read = |path: &Path, error| LoadError::Read { path: path.to_owned(), error };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| read(folder, error))? {
        let path = entry.map_err(|error| read(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(LoadError::Nothing { path: folder.to_owned() });
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|error| read(&path, error))?;
        files.push(CaseFile::parse(&text, &path.display().to_string()).map_err(LoadError::Case)?);
    }
    Ok(files)
}

/// The names and packed texts of the case files (`build.rs`), in the order of the names.
const BUILT_IN: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// The case files that are built in, in the order of their names.
///
/// # Errors
/// When one is no case file.
pub fn built_in() -> Result<Vec<CaseFile>, CaseError> {
    let read = |(name, packed): &(&str, &[u8])| {
        let mut text = String::new();
        // What this crate packed itself; if it were cut short, the text would be no case file.
        let _unpacked = GzDecoder::new(*packed).read_to_string(&mut text);
        CaseFile::parse(&text, name)
    };
    BUILT_IN.iter().map(read).collect()
}
