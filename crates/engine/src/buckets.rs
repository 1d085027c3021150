//! Buckets: where objects lie that exports write and imports read.
//!
//! The service keeps them in S3. The engine asks for no more than this: put an object whole, read a piece of
//! one, and list keys by prefix. What stands behind it is handed in with
//! [`EngineOptions`](crate::EngineOptions): objects in memory, as in a browser's tab, or the files of a folder.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyplan_value::json::Writer;

use crate::limits::BUCKETS_IN_MEMORY_BYTES_MAX;

/// An object of a bucket, as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectEntry {
    /// Its key.
    pub key: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// A listing as JSON: `[{"key":…,"bytes":…}]`.
pub fn objects_to_json(objects: &[ObjectEntry]) -> String {
    let mut json = Vec::new();
    let mut out = Writer::new(&mut json);
    out.begin_array();
    for object in objects {
        out.begin_object().name("key").string(&object.key);
        out.name("bytes").integer(object.bytes).end_object();
    }
    out.end_array();
    String::from_utf8_lossy(&json).into_owned()
}

/// Why something can't be done with a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BucketError {
    /// There is no bucket of this name.
    NoSuchBucket,
    /// The bucket has no object of this key.
    NoSuchKey,
    /// It is there, and may not be read or written.
    AccessDenied,
    /// It can't take more bytes.
    Full,
    /// What holds the buckets failed.
    Failed {
        /// What went wrong, for people.
        detail: String,
    },
}

impl fmt::Display for BucketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BucketError::NoSuchBucket => "the bucket does not exist",
            BucketError::NoSuchKey => "the bucket has no object of this key",
            BucketError::AccessDenied => "access to the bucket is denied",
            BucketError::Full => "the buckets hold as many bytes as they may",
            BucketError::Failed { detail } => detail,
        })
    }
}

impl std::error::Error for BucketError {}

/// All buckets that an engine can reach, by name.
///
/// Objects are put whole: whoever reads finds all of an object or none. Keys are texts like any other; that a
/// slash parts them into folders is a custom of those who read them.
pub trait Buckets: fmt::Debug + Send + Sync {
    /// Puts an object, in the place of the one with its key if there is one.
    ///
    /// # Errors
    /// When there is no such bucket, or it can't be written.
    fn put(&self, bucket: &str, key: &str, bytes: &[u8]) -> Result<(), BucketError>;

    /// At most `length` bytes of an object, from `offset` on; none at its end and behind it.
    ///
    /// # Errors
    /// When there is no such bucket or object, or it can't be read.
    fn get(&self, bucket: &str, key: &str, offset: u64, length: usize) -> Result<Vec<u8>, BucketError>;

    /// At most `limit` objects whose keys begin with `prefix` and come behind `after`, in the order of the
    /// keys' bytes.
    ///
    /// # Errors
    /// When there is no such bucket, or it can't be read.
    fn list(
        &self,
        bucket: &str,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ObjectEntry>, BucketError>;

    /// Whether a call may wait for a disk.
    fn may_block(&self) -> bool {
        false
    }
}

/// Buckets in memory; clones are handles to the same.
#[derive(Clone, Default)]
pub struct MemoryBuckets {
    inner: Arc<Mutex<Held>>,
    /// Whether the buckets are those that were named at first.
    fixed: bool,
}

#[derive(Default)]
struct Held {
    buckets: BTreeMap<String, BTreeMap<String, Arc<[u8]>>>,
    bytes: usize,
}

impl MemoryBuckets {
    /// Buckets that come to be with their first object.
    pub fn new() -> MemoryBuckets {
        MemoryBuckets::default()
    }

    /// These buckets, empty, and no other.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> MemoryBuckets {
        let buckets = names.into_iter().map(|name| (name.to_owned(), BTreeMap::new())).collect();
        MemoryBuckets { inner: Arc::new(Mutex::new(Held { buckets, bytes: 0 })), fixed: true }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        // A panic while the lock was held left the map whole: it changes in single steps.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryBuckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBuckets").field("bytes", &self.lock().bytes).finish_non_exhaustive()
    }
}

impl Buckets for MemoryBuckets {
    fn put(&self, bucket: &str, key: &str, bytes: &[u8]) -> Result<(), BucketError> {
        let mut held = self.lock();
        if self.fixed && !held.buckets.contains_key(bucket) {
            return Err(BucketError::NoSuchBucket);
        }
        let replaced =
            held.buckets.get(bucket).and_then(|objects| objects.get(key)).map_or(0, |object| object.len());
        let total = held.bytes.saturating_sub(replaced).saturating_add(bytes.len());
        if total > BUCKETS_IN_MEMORY_BYTES_MAX {
            return Err(BucketError::Full);
        }
        held.bytes = total;
        held.buckets.entry(bucket.to_owned()).or_default().insert(key.to_owned(), Arc::from(bytes));
        Ok(())
    }

    fn get(&self, bucket: &str, key: &str, offset: u64, length: usize) -> Result<Vec<u8>, BucketError> {
        let held = self.lock();
        let objects = held.buckets.get(bucket).ok_or(BucketError::NoSuchBucket)?;
        let object = Arc::clone(objects.get(key).ok_or(BucketError::NoSuchKey)?);
        drop(held);
        let rest = usize::try_from(offset).ok().and_then(|offset| object.get(offset..)).unwrap_or_default();
        Ok(rest.get(..length).unwrap_or(rest).to_vec())
    }

    fn list(
        &self,
        bucket: &str,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ObjectEntry>, BucketError> {
        let held = self.lock();
        let objects = held.buckets.get(bucket).ok_or(BucketError::NoSuchBucket)?;
        let from = match after {
            Some(after) if after >= prefix => Bound::Excluded(after),
            _ => Bound::Included(prefix),
        };
        let found = objects.range::<str, _>((from, Bound::Unbounded));
        let found = found.take_while(|(key, _)| key.starts_with(prefix)).take(limit);
        Ok(found.map(|(key, object)| ObjectEntry { key: key.clone(), bytes: object.len() as u64 }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(found: Result<Vec<ObjectEntry>, BucketError>) -> Vec<String> {
        found.expect("the bucket is there").into_iter().map(|entry| entry.key).collect()
    }

    #[test]
    fn objects_are_listed_by_prefix_and_read_in_pieces() {
        let buckets = MemoryBuckets::new();
        for key in ["b", "a/2", "a/1", "a"] {
            buckets.put("one", key, key.as_bytes()).expect("it is put");
        }
        assert_eq!(keys(buckets.list("one", "", None, 9)), ["a", "a/1", "a/2", "b"]);
        assert_eq!(keys(buckets.list("one", "a/", None, 1)), ["a/1"]);
        assert_eq!(keys(buckets.list("one", "a/", Some("a/1"), 9)), ["a/2"]);
        assert_eq!(keys(buckets.list("one", "a/", Some("a"), 9)), ["a/1", "a/2"]);
        assert_eq!(keys(buckets.list("one", "a/", Some("b"), 9)), Vec::<String>::new());
        assert_eq!(buckets.get("one", "a/1", 1, 1), Ok(b"/".to_vec()));
        assert_eq!(buckets.get("one", "a/1", 2, 9), Ok(b"1".to_vec()));
        assert_eq!(buckets.get("one", "a/1", 4, 9), Ok(Vec::new()));
        assert_eq!(buckets.get("one", "c", 0, 9), Err(BucketError::NoSuchKey));
        assert_eq!(buckets.list("two", "", None, 9), Err(BucketError::NoSuchBucket));
    }

    #[test]
    fn named_buckets_are_all_there_are() {
        let buckets = MemoryBuckets::named(["one"]);
        assert_eq!(buckets.list("one", "", None, 9), Ok(Vec::new()));
        assert_eq!(buckets.put("two", "a", b""), Err(BucketError::NoSuchBucket));
        assert_eq!(buckets.clone().put("one", "a", b"x"), Ok(()));
        assert_eq!(buckets.get("one", "a", 0, 9), Ok(b"x".to_vec()));
    }

    #[test]
    fn what_is_replaced_makes_room() {
        let buckets = MemoryBuckets::new();
        let large = vec![0; BUCKETS_IN_MEMORY_BYTES_MAX / 2 + 1];
        assert_eq!(buckets.put("one", "a", &large), Ok(()));
        assert_eq!(buckets.put("one", "a", &large), Ok(()));
        assert_eq!(buckets.put("one", "b", &large), Err(BucketError::Full));
        assert_eq!(buckets.put("one", "b", b"small"), Ok(()));
    }
}
