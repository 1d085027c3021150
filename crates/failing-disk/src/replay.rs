//! What was done to a disk, done again, and what a loss of power would leave of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// Bytes that a disk writes whole or not at all.
const SECTOR_BYTES: usize = 512;

/// Something that was done.
#[derive(Clone, Debug)]
pub enum Event {
    /// Bytes were written.
    Written {
        /// The file.
        file: Arc<Path>,
        /// Where they begin.
        offset: usize,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A file was cut.
    Truncated {
        /// The file.
        file: Arc<Path>,
        /// Its bytes since then.
        length: usize,
    },
    /// All that was done to a file is on the disk.
    Synced {
        /// The file.
        file: Arc<Path>,
    },
    /// A file could not be synced. What was not on the disk is lost, and a later sync says nothing of it: so
    /// systems do it.
    SyncFailed {
        /// The file.
        file: Arc<Path>,
    },
    /// A file was removed.
    Deleted {
        /// The file.
        file: PathBuf,
        /// Whether that is on the disk.
        synced: bool,
    },
    /// A moment that was noted.
    Marked(u64),
}

/// How much of what was not synced is there when the power comes back.
#[derive(Clone, Copy, Debug)]
pub enum Kept {
    /// None of it.
    Nothing,
    /// All of it.
    Everything,
    /// Some sectors of it, drawn from a seed.
    Some(u64),
}

/// A disk as it was at some moment.
#[derive(Debug, Default)]
pub struct Replay {
    files: BTreeMap<PathBuf, File>,
}

#[derive(Debug, Default)]
struct File {
    /// What is on the disk, once anything is: a file that was never synced may not even have its name.
    synced: Option<Vec<u8>>,
    pending: Vec<Pending>,
}

impl File {
    /// Whether the file that has this name now was never synced.
    fn is_new(&self) -> bool {
        self.synced.is_none() || self.last_removal().is_some()
    }

    fn last_removal(&self) -> Option<usize> {
        self.pending.iter().rposition(|pending| matches!(pending, Pending::Deleted))
    }

    /// Has its removal on the disk, if it was removed.
    fn settle(&mut self) {
        if let Some(removal) = self.last_removal() {
            self.synced = None;
            self.pending.drain(..=removal);
        }
    }
}

#[derive(Debug)]
enum Pending {
    Written { offset: usize, bytes: Vec<u8> },
    Truncated { length: usize },
    Deleted,
}

impl Replay {
    /// Does what was done.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Written { file, offset, bytes } => {
                self.pend(file, Pending::Written { offset: *offset, bytes: bytes.clone() });
            }
            Event::Truncated { file, length } => self.pend(file, Pending::Truncated { length: *length }),
            Event::Synced { file } => {
                if self.files.get(&**file).is_none_or(File::is_new) {
                    // With a new file, SQLite syncs its folder: names that were removed don't come back.
                    self.files
                        .iter_mut()
                        .filter(|(path, _)| ***path != **file)
                        .for_each(|(_, file)| file.settle());
                }
                let file = self.files.entry(file.to_path_buf()).or_default();
                let mut bytes = Some(file.synced.take().unwrap_or_default());
                file.pending.drain(..).for_each(|pending| pending.apply(&mut bytes));
                file.synced = bytes;
            }
            Event::SyncFailed { file } => {
                self.files.entry(file.to_path_buf()).or_default().pending.clear();
            }
            Event::Deleted { file, synced: true } => drop(self.files.remove(file)),
            Event::Deleted { file, synced: false } => self.pend(file, Pending::Deleted),
            Event::Marked(_) => {}
        }
    }

    fn pend(&mut self, file: &Path, pending: Pending) {
        self.files.entry(file.to_path_buf()).or_default().pending.push(pending);
    }

    /// Loses power: writes what is left of each file into a folder.
    ///
    /// # Errors
    /// When the folder can't be written.
    pub fn lose_power(&self, kept: Kept, folder: &Path) -> io::Result<()> {
        let mut chance = fastrand::Rng::with_seed(match kept {
            Kept::Some(seed) => seed,
            Kept::Nothing | Kept::Everything => 0,
        });
        for (path, file) in &self.files {
            let mut bytes = file.synced.clone();
            for pending in &file.pending {
                match (kept, pending) {
                    (Kept::Nothing, _) => {}
                    (Kept::Everything, _) => pending.apply(&mut bytes),
                    // The name still leads to the old file, and what came later went to another.
                    (Kept::Some(_), Pending::Deleted) if bytes.is_some() && chance.bool() => break,
                    (Kept::Some(_), _) => pending.apply_some(&mut bytes, &mut chance),
                }
            }
            if let (Some(bytes), Some(name)) = (bytes, path.file_name()) {
                fs::write(folder.join(name), bytes)?;
            }
        }
        Ok(())
    }
}

impl Pending {
    fn apply(&self, file: &mut Option<Vec<u8>>) {
        match self {
            Pending::Written { offset, bytes } => put(file.get_or_insert_default(), *offset, bytes),
            Pending::Truncated { length } => file.get_or_insert_default().truncate(*length),
            Pending::Deleted => *file = None,
        }
    }

    fn apply_some(&self, file: &mut Option<Vec<u8>>, chance: &mut fastrand::Rng) {
        match self {
            Pending::Written { offset, bytes } => {
                let mut at = *offset;
                let mut left = bytes.as_slice();
                while !left.is_empty() {
                    let in_sector = left.len().min(SECTOR_BYTES - at % SECTOR_BYTES);
                    let (sector, after) = left.split_at(in_sector);
                    if chance.bool() {
                        put(file.get_or_insert_default(), at, sector);
                    }
                    (at, left) = (at + in_sector, after);
                }
            }
            Pending::Truncated { .. } => {
                if chance.bool() {
                    self.apply(file);
                }
            }
            Pending::Deleted => self.apply(file),
        }
    }
}

fn put(file: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    let end = offset + bytes.len();
    if file.len() < end {
        file.resize(end, 0);
    }
    file[offset..end].copy_from_slice(bytes);
}
