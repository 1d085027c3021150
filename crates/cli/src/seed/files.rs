//! The files of a seed folder: which are read, and what their names say.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::shapes::{self, Found};
use super::{Place, SeedItem, SeedTable, Start};
use crate::failure::Failure;

/// The bytes of one file, decompressed.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Folders within folders: an export to S3 has two.
const FOLDER_LEVELS_MAX: usize = 8;

/// The endings of files that are read; each may have `.gz` behind it.
const ENDINGS: [&str; 3] = [".json", ".jsonl", ".ndjson"];

/// What an export to S3 says of itself stands beside its data.
const MANIFESTS: [&str; 2] = ["manifest-summary.json", "manifest-files.json"];

/// Reads all files of a folder, in the order of their names.
pub(super) fn read(folder: &Path, start: &mut Start) -> Result<(), Failure> {
    let mut found = Vec::new();
    list(folder, &mut Vec::new(), &mut found)?;
    found.sort();
    if found.is_empty() {
        return Err(Failure::new(format!(
            "{} has no .json, .jsonl or .ndjson files (or such with .gz); name the folder with tables and items \
             with --seed",
            folder.display()
        )));
    }
    for file in found {
        read_file(folder, &file, start)?;
    }
    Ok(())
}

/// `above` are the folders that this one stands in, as the disk knows them.
fn list(folder: &Path, above: &mut Vec<PathBuf>, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable =
        |error| Failure::new(format!("can't read the folder {} ({error}); check --seed", folder.display()));
    let place = fs::canonicalize(folder).map_err(unreadable)?;
    if above.len() > FOLDER_LEVELS_MAX || above.contains(&place) {
        // A link back up would bring the same files again, and some of them, files without number.
        return Ok(());
    }
    above.push(place);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || MANIFESTS.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            list(&path, above, found)?;
        } else if stem(&name).is_some() {
            found.push(path);
        }
    }
    above.pop();
    Ok(())
}

/// A file's name without its ending, if the file is read at all.
fn stem(name: &str) -> Option<&str> {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    ENDINGS.iter().find_map(|ending| plain.strip_suffix(ending)).filter(|stem| !stem.is_empty())
}

fn read_file(folder: &Path, path: &Path, start: &mut Start) -> Result<(), Failure> {
    let shown: Arc<str> = Arc::from(path.display().to_string());
    let text = text(path).map_err(|why| Failure::new(format!("{shown}: {why}")))?;
    let tables: Arc<[String]> = tables(path.strip_prefix(folder).unwrap_or(path)).into();
    let found = shapes::read(&text).map_err(|fault| {
        Failure::new(format!("{}: {}", Place { file: Arc::clone(&shown), line: fault.line }, fault.what))
    })?;
    for (line, found) in found {
        let at = Place { file: Arc::clone(&shown), line };
        match found {
            Found::Table { name, request } => start.tables.push(SeedTable { name, request, at }),
            Found::Item { table, json } => {
                let tables = table.map_or_else(|| Arc::clone(&tables), |table| Arc::from([table]));
                start.items.push(SeedItem { tables, json, at });
            }
        }
    }
    Ok(())
}

fn text(path: &Path) -> Result<String, String> {
    let unreadable = |error| format!("can't be read ({error})");
    // Opening a pipe would wait for a writer, and nothing would be announced.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err("is no file that has an end (a pipe or a device); put a file in its place".to_owned());
    }
    let file = fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let read = if path.extension().is_some_and(|ending| ending == "gz") {
        flate2::read::MultiGzDecoder::new(file).take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)
    } else {
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)
    };
    read.map_err(unreadable)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err("has more than 256 MB; split it".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())
}

/// The tables that a file's name can mean, likeliest first. In the folder itself it is the file's name up
/// to one of its dots (`Shop.items.json`), since a table's name may have dots as well; below it, the name
/// of the first folder (`Shop/data/part-1.json.gz`).
fn tables(relative: &Path) -> Vec<String> {
    let mut parts = relative.iter().map(|part| part.to_string_lossy().into_owned());
    let first = parts.next().unwrap_or_default();
    if parts.next().is_some() {
        return vec![first];
    }
    let mut name = stem(&first).unwrap_or(&first);
    let mut names = vec![name.to_owned()];
    while let Some((shorter, _)) = name.rsplit_once('.').filter(|(shorter, _)| !shorter.is_empty()) {
        names.push(shorter.to_owned());
        name = shorter;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_says_its_table() {
        assert_eq!(tables(Path::new("Shop.json")), ["Shop"]);
        assert_eq!(tables(Path::new("a.b.items.jsonl.gz")), ["a.b.items", "a.b", "a"]);
        assert_eq!(tables(Path::new("Shop/data/part.json.gz")), ["Shop"]);
    }

    #[test]
    fn only_json_is_read() {
        for (name, expected) in [
            ("Shop.json", Some("Shop")),
            ("Shop.items.ndjson.gz", Some("Shop.items")),
            ("README.md", None),
            (".json", None),
            ("part.json.md5", None),
        ] {
            assert_eq!(stem(name), expected, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("Shop.json");
        std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
        let why = text(&link).expect_err("a device is refused");
        assert!(why.contains("no file that has an end"), "{why}");
    }

    #[cfg(unix)]
    #[test]
    fn links_back_up_bring_no_file_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("Shop");
        fs::create_dir(&inner).expect("a folder in it");
        fs::write(inner.join("items.json"), "[]").expect("a file");
        for link in ["a", "b"] {
            std::os::unix::fs::symlink(folder.path(), inner.join(link)).expect("a link");
        }
        let mut found = Vec::new();
        list(folder.path(), &mut Vec::new(), &mut found).expect("a list");
        assert_eq!(found, [inner.join("items.json")]);
    }
}
