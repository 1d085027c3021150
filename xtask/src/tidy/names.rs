//! File names that say nothing gather what nobody could place.

use super::{File, Finding};

const BANNED: [&str; 8] = ["utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff"];

pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().filter_map(|file| banned(&file.path)).collect()
}

fn banned(path: &str) -> Option<Finding> {
    let stem = |part: &str| part.split('.').next().unwrap_or("").to_ascii_lowercase();
    let part = path.split('/').find(|part| BANNED.contains(&stem(part).as_str()))?;
    Some(Finding {
        file: path.to_owned(),
        line: 0,
        what: format!("the name `{part}` says nothing about what is in it"),
        why: "what has no subject grows without end, and nobody finds anything in it",
        remedy: "name it for the idea it holds (`keys`, `cursor`, `arn`), or put each part where it is used",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_named_for_their_idea() {
        for wrong in ["a/src/utils.rs", "a/helpers/mod.rs", "a/tests/common/mod.rs", "web/Misc.svelte"] {
            assert!(banned(wrong).is_some(), "{wrong}");
        }
        for fine in ["a/src/keys.rs", "a/src/commonmark.rs", "README.md"] {
            assert_eq!(banned(fine), None, "{fine}");
        }
    }
}
