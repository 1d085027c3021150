//! The programs that Keyplan's builds and tests call, and how to tell that they are there.

use std::env;
use std::path::{Path, PathBuf};

use crate::process::{Program, on_path};

/// One thing a machine must have.
pub struct Need {
    pub name: &'static str,
    pub present: fn() -> bool,
    /// Debian's packages for it: of each group, the first that the release has.
    pub packages: &'static [&'static [&'static str]],
    /// What somebody does who isn't on Debian.
    pub how_to_get: &'static str,
}

/// The oldest Node.js that the page's tools run on.
const NODE_MAJOR_MIN: u32 = 20;

pub const NEEDS: &[Need] = &[
    Need {
        name: "a C compiler",
        present: || on_path("cc").is_some(),
        packages: &[&["gcc"], &["libc6-dev"]],
        how_to_get: "install gcc or clang, so that `cc` is on the PATH (it builds SQLite)",
    },
    Need {
        name: "clang with WebAssembly",
        present: || clang_for_wasm().is_some(),
        packages: &[&["clang-19", "clang"]],
        how_to_get: "install LLVM's clang 16 or newer (on macOS `brew install llvm`: Apple's own \
                     lacks it); it builds SQLite for the browser",
    },
    Need {
        name: "Chromium",
        present: || chromium().is_some(),
        packages: &[&["chromium"]],
        how_to_get: "install Chromium or Chrome, or name its program in KEYPLAN_CHROMIUM; \
                     browser tests run in it",
    },
    Need {
        name: "Node.js 20 or newer, with npm",
        present: node_is_new_enough,
        packages: &[&["nodejs"], &["npm"]],
        how_to_get: "install the long-term release of Node.js, so that `node` and `npm` are on \
                     the PATH; the page is built and checked with it",
    },
    Need {
        name: "OpenSSL",
        present: || on_path("openssl").is_some(),
        packages: &[&["openssl"]],
        how_to_get: "install OpenSSL, so that `openssl` is on the PATH; tests make certificates with it",
    },
    Need {
        name: "Python 3 with venv",
        present: || python().is_some(),
        packages: &[&["python3"], &["python3-venv"]],
        how_to_get: "install Python 3.11 or newer with its venv and pip; AWS clients are tested \
                     in it",
    },
    Need {
        name: "valgrind",
        // Elsewhere it is not to be had, and nothing is counted.
        present: || !cfg!(target_os = "linux") || has_valgrind(),
        packages: &[&["valgrind"]],
        how_to_get: "install valgrind; it counts the instructions of requests",
    },
];

/// Whether instructions can be counted.
pub fn has_valgrind() -> bool {
    on_path("valgrind").is_some()
}

/// A clang that can write WebAssembly.
pub fn clang_for_wasm() -> Option<PathBuf> {
    let named = env::var_os("CC_wasm32_unknown_unknown").map(PathBuf::from);
    let versions = (16..=24).rev().map(|major| format!("clang-{major}"));
    let on_the_path = versions.chain(["clang".to_owned()]).filter_map(|name| on_path(&name));
    let homebrew = ["/opt/homebrew/opt/llvm/bin/clang", "/usr/local/opt/llvm/bin/clang"];
    named
        .into_iter()
        .chain(on_the_path)
        .chain(homebrew.map(PathBuf::from).into_iter().filter(|file| file.is_file()))
        .find(|clang| {
            let targets = Program::new(clang).arg("--print-targets").output();
            targets.is_ok_and(|targets| targets.contains("wasm32"))
        })
}

/// The archiver for that clang's objects: LLVM's where it stands beside it, since macOS's own
/// leaves out the symbols of WebAssembly objects.
pub fn llvm_ar(clang: &Path) -> PathBuf {
    let name = clang.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default().replace("clang", "llvm-ar");
    let beside = clang.with_file_name(name);
    if beside.is_file() { beside } else { PathBuf::from("ar") }
}

/// The browser that tests run in.
pub fn chromium() -> Option<PathBuf> {
    if let Some(named) = env::var_os("KEYPLAN_CHROMIUM") {
        return Some(PathBuf::from(named)).filter(|file| file.is_file());
    }
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let mac = [
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ];
    names
        .into_iter()
        .find_map(on_path)
        .or_else(|| mac.map(PathBuf::from).into_iter().find(|file| file.is_file()))
}

/// The Python that the clients' environment is made from.
pub fn python() -> Option<PathBuf> {
    // Debian's own before one that is on the PATH by a version manager's stand-in: the stand-in
    // can be there with no Python behind it.
    [Some(PathBuf::from("/usr/bin/python3")), on_path("python3"), on_path("python")]
        .into_iter()
        .flatten()
        .filter(|python| python.is_file())
        .find(|python| {
            let check = "import sys, venv, ensurepip; assert sys.version_info >= (3, 11)";
            Program::new(python).args(["-c", check]).output().is_ok()
        })
}

fn node_is_new_enough() -> bool {
    let version = Program::new("node").arg("--version").output();
    on_path("npm").is_some()
        && version.is_ok_and(|version| node_major(&version).is_some_and(|major| major >= NODE_MAJOR_MIN))
}

fn node_major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions_are_read() {
        assert_eq!(node_major("v20.20.2\n"), Some(20));
        assert_eq!(node_major("v8"), Some(8));
        assert_eq!(node_major("not node"), None);
    }

    #[test]
    fn the_archiver_falls_back_to_the_systems() {
        assert_eq!(llvm_ar(Path::new("/nowhere/clang-19")), PathBuf::from("ar"));
    }
}
