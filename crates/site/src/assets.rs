//! The files that `web/` was built into, and which of them a page needs.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Deserialize;

use crate::error::SiteError;

/// The list of entries that the build writes; it is not part of the site.
const MANIFEST: &str = "manifest.json";

/// The entry that pages load, by its name there. The service worker is an entry too.
const PAGE_ENTRY: &str = "src/main.ts";

/// The built browser code: scripts, styles, fonts, the engine.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    files: BTreeMap<String, Bytes>,
    scripts: Vec<String>,
    styles: Vec<String>,
}

#[derive(Deserialize)]
struct ManifestEntry {
    file: String,
    #[serde(default, rename = "isEntry")]
    is_entry: bool,
    #[serde(default)]
    css: Vec<String>,
}

impl Assets {
    /// The files under `web/dist/`, each its path there and its content.
    ///
    /// # Errors
    /// When the build's `manifest.json` is missing or names no entry.
    pub fn new(files: impl IntoIterator<Item = (String, Bytes)>) -> Result<Assets, SiteError> {
        let mut files: BTreeMap<String, Bytes> = files.into_iter().collect();
        let wrong = |reason: String| SiteError::Manifest { reason };
        let manifest = files.remove(MANIFEST).ok_or_else(|| wrong(format!("no {MANIFEST}")))?;
        let mut entries: BTreeMap<String, ManifestEntry> =
            serde_json::from_slice(&manifest).map_err(|error| wrong(error.to_string()))?;
        let entry = entries
            .remove(PAGE_ENTRY)
            .filter(|entry| entry.is_entry)
            .ok_or_else(|| wrong(format!("{MANIFEST} names no entry {PAGE_ENTRY}")))?;
        Ok(Assets { files, scripts: vec![entry.file], styles: entry.css })
    }

    /// No browser code: pages without scripts and styles, for tests of what they say.
    pub fn none() -> Assets {
        Assets::default()
    }

    /// Module scripts of a page.
    pub(crate) fn scripts(&self) -> &[String] {
        &self.scripts
    }

    /// Style sheets of a page.
    pub(crate) fn styles(&self) -> &[String] {
        &self.styles
    }

    /// Whether a file is there, by its path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub(crate) fn into_files(self) -> BTreeMap<String, Bytes> {
        self.files
    }
}
