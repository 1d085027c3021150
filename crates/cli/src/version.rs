//! What `keyplan --version` says.

use std::sync::LazyLock;

use keyplan_engine::operations::built_names;
use keyplan_engine::shapes::operations;

/// The version with what matters about the build: how it was made, for what, and what it can do.
pub(crate) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(text);
    &TEXT
}

fn text() -> String {
    format!(
        "{}\nbuild: {}, {} on {}\noperations: {} of the service's {}",
        env!("CARGO_PKG_VERSION"),
        if cfg!(debug_assertions) { "debug" } else { "release" },
        std::env::consts::ARCH,
        std::env::consts::OS,
        built_names().count(),
        operations().len(),
    )
}
