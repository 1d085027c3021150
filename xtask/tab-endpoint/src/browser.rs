//! A headless Chromium that lives as long as its value.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The flags of a browser that is used by a test: no window, and no connections of its own.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    // The page is never in sight, and must not be slowed down for it.
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
];

/// The names under which it may be installed.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

pub(crate) struct Browser {
    process: Child,
    /// Removed with the value.
    _profile: Option<tempfile::TempDir>,
}

impl Browser {
    /// Opens a page.
    pub(crate) fn open(address: &str, profile: Option<&Path>) -> Result<Browser, String> {
        let (temporary, folder) = match profile {
            Some(folder) => (None, folder.to_owned()),
            None => {
                let temporary =
                    tempfile::tempdir().map_err(|error| format!("no folder for the profile: {error}"))?;
                let folder = temporary.path().to_owned();
                (Some(temporary), folder)
            }
        };
        let chosen = std::env::var("KEYPLAN_CHROMIUM").ok();
        let names: Vec<&str> = chosen.as_deref().map_or_else(|| NAMES.to_vec(), |name| vec![name]);
        for name in &names {
            let started = Command::new(name)
                .args(FLAGS)
                .arg(format!("--user-data-dir={}", folder.display()))
                .arg(address)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            if let Ok(process) = started {
                return Ok(Browser { process, _profile: temporary });
            }
        }
        Err(format!(
            "no browser found (looked for {}); install Chromium, or name it in KEYPLAN_CHROMIUM",
            names.join(", ")
        ))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
