//! Files that a user opens.

use keyplan_model::Model;
use keyplan_store_sqlite::SqliteStore;

/// A model file is read, or what is wrong with it is said.
pub fn model(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Err(error) = Model::parse(text, "fuzz.yaml") {
        assert!(!error.to_string().is_empty());
    }
}

/// A database file of a stranger is opened or refused.
pub fn database(data: &[u8]) {
    let _ = SqliteStore::open_image(data);
}
