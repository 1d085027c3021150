//! Where things are: the work tree, the build folder, the machine's cache.

use std::env;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};

/// The folders that every command works in.
pub struct Place {
    root: PathBuf,
    target: PathBuf,
    cache: PathBuf,
}

impl Place {
    /// Finds them from the environment that `cargo xtask` sets.
    pub fn find() -> Outcome<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .map(Path::to_path_buf)
            .ok_or_else(|| Failure::new("xtask stands in no work tree"))?;
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("target"),
        };
        Ok(Self { root, target, cache: cache_folder()? })
    }

    /// All of it below one folder, for tests.
    #[cfg(test)]
    pub fn at(folder: &Path) -> Self {
        Self { root: folder.to_path_buf(), target: folder.join("target"), cache: folder.join("cache") }
    }

    /// A file or folder of the work tree.
    pub fn file(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's folder for what the native compiler builds.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A folder of its own for the tab's engine, which another compiler may build: sharing one
    /// would throw the native artefacts away at every change of sides.
    pub fn wasm_target(&self) -> PathBuf {
        self.target.join("wasm")
    }

    /// What is built once a machine, outside the work tree.
    pub fn cache(&self) -> &Path {
        &self.cache
    }
}

fn cache_folder() -> Outcome<PathBuf> {
    let given = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = given("KEYPLAN_CACHE") {
        return Ok(folder);
    }
    given("XDG_CACHE_HOME")
        .or_else(|| given("LOCALAPPDATA"))
        .or_else(|| given("HOME").map(|home| home.join(".cache")))
        .map(|folder| folder.join("keyplan"))
        .ok_or_else(|| Failure::new("no folder for the cache: set HOME, XDG_CACHE_HOME or KEYPLAN_CACHE"))
}
