//! Things that are built once a machine. An entry appears under its name only when it is whole:
//! it is made in a folder beside it and renamed at the end, so an interrupted build leaves
//! nothing that looks finished. A lock makes a second `cargo xtask` wait instead of building
//! the same thing beside it.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use crate::failure::{Outcome, While};
use crate::place::Place;

/// The entry's folder, made by `build` if it isn't there yet.
///
/// `build` is handed the empty folder to fill. Nothing in it may depend on the folder's name,
/// which changes at the end.
pub fn once(place: &Place, name: &str, build: impl FnOnce(&Path) -> Outcome) -> Outcome<PathBuf> {
    let entry = place.cache().join(name);
    if entry.is_dir() {
        return Ok(entry);
    }
    fs::create_dir_all(place.cache()).when(|| at("cannot make", place.cache()))?;
    let lock_file = place.cache().join(format!("{name}.lock"));
    let lock = File::create(&lock_file).when(|| at("cannot make", &lock_file))?;
    lock.lock().when(|| at("cannot lock", &lock_file))?;
    if entry.is_dir() {
        return Ok(entry);
    }
    let unfinished = place.cache().join(format!("{name}.unfinished"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).when(|| at("cannot remove", &unfinished))?;
    }
    fs::create_dir(&unfinished).when(|| at("cannot make", &unfinished))?;
    build(&unfinished)?;
    fs::rename(&unfinished, &entry).when(|| at("cannot rename", &unfinished))?;
    Ok(entry)
}

/// Removes all but the `keep` youngest entries whose name starts with `prefix`: what was
/// optimised last month helps nobody.
pub fn prune(place: &Place, prefix: &str, keep: usize) -> Outcome {
    let folder = fs::read_dir(place.cache()).when(|| at("cannot list", place.cache()))?;
    let mut entries: Vec<_> = folder
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    entries.sort();
    entries.reverse();
    for (_, old) in entries.into_iter().skip(keep) {
        fs::remove_dir_all(&old).when(|| at("cannot remove", &old))?;
        // The lock file is empty and may already be gone.
        let _ = fs::remove_file(old.with_added_extension("lock"));
    }
    Ok(())
}

/// A short name for some bytes. It may change with the compiler, which costs one rebuild.
pub fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    format!("{:016x}", hasher.finish())
}

/// The bytes of a file.
pub fn read(file: &Path) -> Outcome<Vec<u8>> {
    fs::read(file).when(|| at("cannot read", file))
}

/// The text of a file.
pub fn read_text(file: &Path) -> Outcome<String> {
    fs::read_to_string(file).when(|| at("cannot read", file))
}

/// Writes a file unless it already holds just that, so that what watches it stays quiet.
pub fn write_if_changed(file: &Path, content: &[u8]) -> Outcome {
    if fs::read(file).is_ok_and(|present| present == content) {
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).when(|| at("cannot make", folder))?;
    }
    fs::write(file, content).when(|| at("cannot write", file))
}

fn at(what: &str, path: &Path) -> String {
    format!("{what} {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    /// A folder that goes when the test ends.
    struct Scratch(Place);

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(self.0.root());
        }
    }

    fn scratch(name: &str) -> Scratch {
        let name = format!("keyplan-xtask-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        Scratch(Place::at(&folder))
    }

    #[test]
    fn an_entry_is_built_once() {
        let place = scratch("once");
        let mut builds = 0;
        for _ in 0..2 {
            let entry = once(&place.0, "thing", |folder| {
                builds += 1;
                write_if_changed(&folder.join("inside"), b"x")
            });
            let entry = entry.expect("the entry is built");
            assert_eq!(read(&entry.join("inside")).expect("the file is there"), b"x");
        }
        assert_eq!(builds, 1);
    }

    #[test]
    fn a_failed_build_leaves_no_entry_and_the_next_one_starts_empty() {
        let place = scratch("failed");
        let failed = once(&place.0, "thing", |folder| {
            write_if_changed(&folder.join("half"), b"x")?;
            Err(Failure::new("interrupted"))
        });
        assert!(failed.is_err());
        let entry = once(&place.0, "thing", |folder| {
            assert!(!folder.join("half").exists(), "the half-built folder is cleared");
            Ok(())
        });
        assert!(entry.expect("the second build succeeds").is_dir());
    }

    #[test]
    fn pruning_keeps_the_youngest_of_one_kind() {
        let place = scratch("prune");
        for name in ["a-1", "a-2", "a-3", "b-1"] {
            once(&place.0, name, |_| Ok(())).expect("built");
        }
        prune(&place.0, "a-", 1).expect("pruned");
        let left = |name: &str| place.0.cache().join(name).is_dir();
        assert_eq!(["a-1", "a-2", "a-3"].iter().filter(|name| left(name)).count(), 1);
        assert!(left("b-1"), "another kind is left alone");
    }

    #[test]
    fn a_fingerprint_tells_where_one_part_ends() {
        let joined = fingerprint([&b"ab"[..], b"c"]);
        assert_ne!(joined, fingerprint([&b"a"[..], b"bc"]));
        assert_eq!(joined, fingerprint([&b"ab"[..], b"c"]));
    }
}
