//! Buckets on a folder.

use std::fs;

use keyplan::{BucketError, Buckets, DirectoryBuckets};
use proptest::prelude::*;
use tempfile::TempDir;

fn opened() -> (TempDir, DirectoryBuckets) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("shop")).expect("a bucket");
    let buckets = DirectoryBuckets::open(folder.path()).expect("buckets");
    (folder, buckets)
}

fn keys(buckets: &DirectoryBuckets, prefix: &str) -> Vec<String> {
    let found = buckets.list("shop", prefix, None, usize::MAX).expect("the bucket is there");
    found.into_iter().map(|entry| entry.key).collect()
}

#[test]
fn keys_are_paths_and_files_put_by_hand_are_objects() {
    let (folder, buckets) = opened();
    buckets.put("shop", "in/orders.csv", b"id").expect("it is put");
    assert_eq!(fs::read(folder.path().join("shop/in/orders.csv")).expect("a file"), b"id");
    fs::write(folder.path().join("shop/in/50% off, again.json"), b"{}").expect("a file");
    fs::write(folder.path().join("shop/in/.DS_Store"), b"x").expect("a file");
    assert_eq!(keys(&buckets, "in/"), ["in/50% off, again.json", "in/orders.csv"]);
    assert_eq!(buckets.get("shop", "in/50% off, again.json", 1, 9), Ok(b"}".to_vec()));
    assert_eq!(buckets.get("shop", "in", 0, 9), Err(BucketError::NoSuchKey));
    assert_eq!(buckets.get("shop", "in/other", 0, 9), Err(BucketError::NoSuchKey));
    buckets.put("shop", "in/orders.csv", b"other").expect("it is replaced");
    assert_eq!(buckets.get("shop", "in/orders.csv", 0, 9), Ok(b"other".to_vec()));
    assert!(buckets.put("shop", "in/orders.csv/below", b"").is_err(), "a file is no folder");
    let listed = buckets.list("shop", "in/", Some("in/50% off, again.json"), 1).expect("a listing");
    assert_eq!((listed[0].key.as_str(), listed[0].bytes), ("in/orders.csv", 5));
}

#[test]
fn no_name_and_no_key_leads_out_of_the_folder() {
    let (folder, buckets) = opened();
    fs::write(folder.path().join("secret"), b"x").expect("a file");
    for bucket in ["..", ".", "", "shop/..", "../shop", "none", "secret", "sh\0op"] {
        assert_eq!(buckets.put(bucket, "a", b""), Err(BucketError::NoSuchBucket), "{bucket:?}");
        assert_eq!(buckets.list(bucket, "", None, 9), Err(BucketError::NoSuchBucket), "{bucket:?}");
    }
    for key in
        ["../secret", "a/../../secret", "/etc/passwd", "./x", "b/..", "a//../x", "C:\\x", "..\\x", "a\0b"]
    {
        buckets.put("shop", key, b"mine").expect("an odd key is a key");
        assert_eq!(buckets.get("shop", key, 0, 9), Ok(b"mine".to_vec()), "{key:?}");
        assert!(keys(&buckets, "").contains(&key.to_owned()), "{key:?}");
    }
    assert_eq!(fs::read(folder.path().join("secret")).expect("a file"), b"x");
    let beside = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(beside, 2, "all of it lies in the bucket");
    assert_eq!(buckets.put("shop", "", b""), Err(BucketError::NoSuchKey));
    assert_eq!(buckets.put("shop", &"a/".repeat(1000), b""), Err(BucketError::NoSuchKey));
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (folder, buckets) = opened();
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("secret"), b"x").expect("a file");
    symlink(outside.path(), folder.path().join("linked")).expect("a link");
    symlink(outside.path(), folder.path().join("shop/folder")).expect("a link");
    symlink(outside.path().join("secret"), folder.path().join("shop/file")).expect("a link");
    assert_eq!(buckets.get("linked", "secret", 0, 9), Err(BucketError::NoSuchBucket));
    assert_eq!(buckets.get("shop", "folder/secret", 0, 9), Err(BucketError::NoSuchKey));
    assert_eq!(buckets.get("shop", "file", 0, 9), Err(BucketError::NoSuchKey));
    assert_eq!(keys(&buckets, ""), Vec::<String>::new());
    assert!(buckets.put("shop", "folder/new", b"").is_err());
    buckets.put("shop", "file", b"mine").expect("the link is replaced");
    assert_eq!(fs::read(outside.path().join("secret")).expect("a file"), b"x");
    assert_eq!(buckets.get("shop", "file", 0, 9), Ok(b"mine".to_vec()));
}

proptest! {
    #[test]
    fn every_key_is_found_again(key in "[a-c%2EF./\\\\é: ]{1,12}") {
        let (_folder, buckets) = opened();
        buckets.put("shop", &key, b"x").expect("it is put");
        prop_assert_eq!(keys(&buckets, ""), vec![key.clone()]);
        prop_assert_eq!(buckets.get("shop", &key, 0, 9), Ok(b"x".to_vec()));
    }
}
