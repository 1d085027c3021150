//! What the service worker is told of the site, so that a browser can keep a whole build of it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::site::NOT_FOUND;

/// The worker's place: a worker serves what lies below it.
pub(crate) const SERVICE_WORKER: &str = "service-worker.js";

/// Writes in front of the built worker which files this build has, each with its integrity: so every
/// build is another worker, which browsers look for, and no file of one build is kept for another's.
pub(crate) fn name_files(files: &mut BTreeMap<String, Bytes>) {
    let Some(worker) = files.remove(SERVICE_WORKER) else { return };
    // What hosts show where no page is: some answer it with that status, even where it is asked for.
    let kept = files.iter().filter(|(path, _)| *path != NOT_FOUND);
    let mut build = Sha256::new();
    let mut integrities = serde_json::Map::new();
    for (path, bytes) in kept {
        let integrity = format!("sha256-{}", STANDARD.encode(Sha256::digest(bytes)));
        build.update(path);
        build.update([0]);
        build.update(&integrity);
        integrities.insert(path.clone(), integrity.into());
    }
    build.update(&worker);
    let version = URL_SAFE_NO_PAD.encode(build.finalize());
    let known = serde_json::json!({ "version": version, "files": integrities });
    let mut script = format!("self.PRECACHE={known};\n").into_bytes();
    script.extend_from_slice(&worker);
    files.insert(SERVICE_WORKER.to_owned(), script.into());
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bytes::Bytes;

    use super::{SERVICE_WORKER, name_files};

    fn named(page: &'static str) -> String {
        let files = [("index.html", page), ("assets/main-1.js", "export {};"), (SERVICE_WORKER, "work();")];
        let mut files: BTreeMap<String, Bytes> =
            files.into_iter().map(|(path, text)| (path.to_owned(), Bytes::from(text))).collect();
        name_files(&mut files);
        String::from_utf8_lossy(&files[SERVICE_WORKER]).into_owned()
    }

    #[test]
    fn the_worker_knows_every_file_but_itself_by_its_integrity() {
        let script = named("one");
        let (known, worker) = script.split_once(";\n").expect("the files, then the worker");
        assert_eq!(worker, "work();");
        let known: serde_json::Value =
            serde_json::from_str(known.strip_prefix("self.PRECACHE=").expect("a name")).expect("JSON");
        let files = known["files"].as_object().expect("files");
        assert_eq!(files.keys().collect::<Vec<_>>(), ["assets/main-1.js", "index.html"]);
        // `printf one | openssl dgst -sha256 -binary | base64`
        assert_eq!(files["index.html"], "sha256-dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0=");
    }

    #[test]
    fn another_page_makes_another_build() {
        assert_ne!(named("one"), named("two"));
        assert_eq!(named("one"), named("one"));
    }
}
