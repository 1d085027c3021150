//! The files under `content/`.

use std::fs;
use std::path::Path;

/// A file's name and text.
pub(crate) struct TextFile {
    pub name: String,
    pub text: String,
}

/// The YAML files of a folder by name; none where there is no folder.
pub(crate) fn yaml_files(folder: &Path) -> Vec<TextFile> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<TextFile> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let text = name.ends_with(".yaml").then(|| fs::read_to_string(entry.path()))?;
            Some(TextFile { name, text: text.ok()? })
        })
        .collect();
    files.sort_by(|left, right| left.name.cmp(&right.name));
    files
}
