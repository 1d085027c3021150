//! Buckets that are the folders of a folder.
//!
//! An object's key is its path in the bucket's folder, so that files can be put there and looked at by hand.
//! What a path can't hold is written as `%` and two hexadecimal digits. No key leads out of the folder: a part
//! of a path never begins with a dot, and symbolic links are neither followed nor listed.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_engine::buckets::{BucketError, Buckets, ObjectEntry};

/// What stands for a part of a key that is empty. A part holds no slash, so it stands for nothing else.
const EMPTY_PART: &str = "%2F";

/// The folders between a bucket and an object.
const PARTS_MAX: usize = 128;

/// The buckets of a folder: each folder in it is one, by its name.
#[derive(Debug)]
pub struct DirectoryBuckets {
    root: PathBuf,
    /// Files that were begun, so that each has a name of its own.
    begun: AtomicU64,
}

impl DirectoryBuckets {
    /// The buckets of a folder that is there.
    ///
    /// # Errors
    /// When it is no folder, or can't be looked at.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<DirectoryBuckets> {
        let root = root.into();
        if !fs::metadata(&root)?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is no folder"));
        }
        Ok(DirectoryBuckets { root, begun: AtomicU64::new(0) })
    }

    /// The folder of a bucket.
    fn bucket(&self, name: &str) -> Result<PathBuf, BucketError> {
        let is_name = !name.starts_with('.')
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if !is_name {
            return Err(BucketError::NoSuchBucket);
        }
        let folder = self.root.join(name);
        match fs::symlink_metadata(&folder) {
            Ok(found) if found.is_dir() => Ok(folder),
            Ok(_) => Err(BucketError::NoSuchBucket),
            Err(error) => Err(bucket_error(&error, BucketError::NoSuchBucket)),
        }
    }

    /// The file of an object that is there.
    fn object(&self, bucket: &str, key: &str) -> Result<File, BucketError> {
        let mut path = self.bucket(bucket)?;
        let parts = parts_of(key)?;
        for (at, part) in parts.iter().enumerate() {
            path.push(part);
            let found =
                fs::symlink_metadata(&path).map_err(|error| bucket_error(&error, BucketError::NoSuchKey))?;
            let is_last = at + 1 == parts.len();
            if !(if is_last { found.is_file() } else { found.is_dir() }) {
                return Err(BucketError::NoSuchKey);
            }
        }
        File::open(&path).map_err(|error| bucket_error(&error, BucketError::NoSuchKey))
    }

    /// Writes beside the object's place, and puts the file there whole.
    fn write(&self, folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        // The dot keeps it out of every listing, and no key is written with one.
        let part = folder.join(format!(".keyplan-{}-{number}.part", std::process::id()));
        let create = || OpenOptions::new().write(true).create_new(true).open(&part);
        let created = create().or_else(|error| match error.kind() {
            // A process of the same number was killed while it wrote.
            io::ErrorKind::AlreadyExists => fs::remove_file(&part).and_then(|()| create()),
            _ => Err(error),
        });
        let written = created.and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&part, path)
        });
        match written {
            // The name is to outlive a loss of power as the bytes do.
            Ok(()) => path.parent().map_or(Ok(()), sync_folder),
            Err(error) => {
                let _gone = fs::remove_file(&part);
                Err(error)
            }
        }
    }
}

/// Makes the names in a folder durable, where the platform lets one do that.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

impl Buckets for DirectoryBuckets {
    fn put(&self, bucket: &str, key: &str, bytes: &[u8]) -> Result<(), BucketError> {
        let folder = self.bucket(bucket)?;
        let parts = parts_of(key)?;
        let Some((name, parents)) = parts.split_last() else { return Err(BucketError::NoSuchKey) };
        let mut path = folder.clone();
        for part in parents {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(failed(&format!("{} is no folder", path.display()))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::create_dir(&path) {
                    // Another write made it in between.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    made => made
                        .and_then(|()| path.parent().map_or(Ok(()), sync_folder))
                        .map_err(|error| bucket_error(&error, BucketError::NoSuchBucket))?,
                },
                Err(error) => return Err(bucket_error(&error, BucketError::NoSuchBucket)),
            }
        }
        path.push(name);
        self.write(&folder, &path, bytes).map_err(|error| bucket_error(&error, BucketError::NoSuchBucket))
    }

    fn get(&self, bucket: &str, key: &str, offset: u64, length: usize) -> Result<Vec<u8>, BucketError> {
        let mut file = self.object(bucket, key)?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.take(length as u64).read_to_end(&mut bytes))
            .map_err(|error| bucket_error(&error, BucketError::NoSuchKey))?;
        Ok(bytes)
    }

    fn list(
        &self,
        bucket: &str,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ObjectEntry>, BucketError> {
        let folder = self.bucket(bucket)?;
        let mut found = Vec::new();
        walk(&folder, "", prefix, 0, &mut found)
            .map_err(|error| bucket_error(&error, BucketError::NoSuchBucket))?;
        found.retain(|entry| after.is_none_or(|after| entry.key.as_str() > after));
        found.sort_by(|one, other| one.key.cmp(&other.key));
        found.truncate(limit);
        Ok(found)
    }

    fn may_block(&self) -> bool {
        true
    }
}

/// Adds the objects below a folder whose keys begin with `prefix`.
fn walk(
    folder: &Path,
    above: &str,
    prefix: &str,
    depth: usize,
    found: &mut Vec<ObjectEntry>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(part) = name.to_str().filter(|name| !name.starts_with('.')).and_then(key_part) else {
            continue;
        };
        let mut key = format!("{above}{part}");
        let kind = entry.file_type()?;
        if kind.is_file() {
            if key.starts_with(prefix) {
                found.push(ObjectEntry { key, bytes: entry.metadata()?.len() });
            }
        } else if kind.is_dir() && depth < PARTS_MAX {
            key.push('/');
            if key.starts_with(prefix) || prefix.starts_with(&key) {
                walk(&entry.path(), &key, prefix, depth + 1, found)?;
            }
        }
    }
    Ok(())
}

/// The parts of an object's path.
fn parts_of(key: &str) -> Result<Vec<String>, BucketError> {
    let parts: Vec<String> = key.split('/').map(path_part).collect();
    if key.is_empty() || parts.len() > PARTS_MAX {
        return Err(BucketError::NoSuchKey);
    }
    Ok(parts)
}

/// What a path can't hold everywhere.
fn is_escaped(byte: u8) -> bool {
    byte.is_ascii_control() || br#"\:*?"<>|"#.contains(&byte)
}

/// The byte that a text's escape at its start stands for, if there is one.
fn escape(text: &str) -> Option<u8> {
    let digits = text.strip_prefix('%')?.get(..2)?;
    if !digits.bytes().all(|digit| digit.is_ascii_digit() || (b'A'..=b'F').contains(&digit)) {
        return None;
    }
    let byte = u8::from_str_radix(digits, 16).ok()?;
    (is_escaped(byte) || b"%./".contains(&byte)).then_some(byte)
}

/// A part of a key as a part of a path.
fn path_part(part: &str) -> String {
    if part.is_empty() {
        return EMPTY_PART.to_owned();
    }
    let mut written = String::with_capacity(part.len());
    for (at, letter) in part.char_indices() {
        let is_mistaken = letter == '%' && part.get(at..).and_then(escape).is_some();
        let is_hidden = letter == '.' && at == 0;
        match u8::try_from(letter) {
            Ok(byte) if is_escaped(byte) || is_mistaken || is_hidden => {
                // Writing to a text never fails.
                let _ = write!(written, "%{byte:02X}");
            }
            _ => written.push(letter),
        }
    }
    written
}

/// A part of a path as a part of a key; nothing where no key is written so.
fn key_part(name: &str) -> Option<String> {
    let mut part = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        match escape(rest) {
            Some(b'/') if name == EMPTY_PART => rest = "",
            Some(byte) => {
                part.push(char::from(byte));
                rest = rest.get(3..)?;
            }
            None => {
                part.push(letter);
                rest = rest.get(letter.len_utf8()..)?;
            }
        }
    }
    (path_part(&part) == name).then_some(part)
}

fn bucket_error(error: &io::Error, missing: BucketError) -> BucketError {
    match error.kind() {
        io::ErrorKind::NotFound => missing,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => BucketError::AccessDenied,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => BucketError::Full,
        _ => failed(&error.to_string()),
    }
}

fn failed(detail: &str) -> BucketError {
    BucketError::Failed { detail: detail.to_owned() }
}
