//! Stores that are database files: on the origin's private file system, and copies of such in memory.

use std::sync::Arc;

use js_sys::Uint8Array;
use keyplan_store::{Store, StoreError};
use keyplan_store_sqlite::{Durability, Options, SqliteStore};
use wasm_bindgen::prelude::*;

use crate::tab::{OpenStore, Tab, engine};

/// A commit survives the end of the browser; [`Tab::sync`] has it survive a loss of power.
const OPTIONS: Options = Options { durability: Durability::Relaxed };

#[wasm_bindgen]
impl Tab {
    /// Opens a database file of the origin's private file system under a name, which is made if it
    /// is not there. What is written survives the end of the browser, and after [`Tab::sync`] a loss of power.
    /// The answer is whether it is open: a file that another worker holds is not,
    /// and may be soon, since one that was ended lets go of its files only after a while.
    ///
    /// # Errors
    /// When the browser has no such file system here, or the file is damaged, of another program or of
    /// a newer format. The text says which.
    pub async fn open_opfs(&self, store: String, path: String) -> Result<bool, JsError> {
        match open_file(&path).await {
            Ok(opened) => self.open_database(&store, opened).map(|()| true),
            Err(StoreError::Locked { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Has what was written to a store so far survive a loss of power. It costs as much for many requests as for one,
    /// so those of one moment are synced together, and answered after it. A store in memory has nothing to sync.
    ///
    /// # Errors
    /// When there is no store of that name, or the disk fails; what was not answered may be lost then.
    pub fn sync(&self, store: &str) -> Result<(), JsError> {
        let open = self.store(store)?;
        open.database.as_ref().map_or(Ok(()), |database| synced(database))
    }

    /// Opens a copy of a database in memory under a name, from the bytes that [`Tab::image`] gave.
    ///
    /// # Errors
    /// When they are no database of ours.
    pub fn open_image(&self, store: &str, image: &[u8]) -> Result<(), JsError> {
        self.open_database(store, SqliteStore::open_image(image)?)
    }

    /// The bytes of a database as it is now: those of its file, with everything in it.
    ///
    /// # Errors
    /// When there is no store of that name, or it is no database with a file.
    pub fn image(&self, store: &str) -> Result<Uint8Array, JsError> {
        let open = self.store(store)?;
        let database = open.database.as_ref();
        let database = database.ok_or_else(|| JsError::new(&format!("the store '{store}' has no file")))?;
        Ok(Uint8Array::from(database.image()?.as_slice()))
    }
}

impl Tab {
    fn open_database(&self, name: &str, database: SqliteStore) -> Result<(), JsError> {
        let database = Arc::new(database);
        let engine = engine(Arc::clone(&database) as Arc<dyn Store>)?;
        self.insert(name, OpenStore { engine, database: Some(database) });
        Ok(())
    }
}

#[cfg(target_arch = "wasm32")]
async fn open_file(path: &str) -> Result<SqliteStore, StoreError> {
    SqliteStore::open_opfs(path, OPTIONS).await
}

#[cfg(target_arch = "wasm32")]
fn synced(database: &SqliteStore) -> Result<(), JsError> {
    Ok(database.sync()?)
}

/// Natively a store syncs by itself.
#[cfg(not(target_arch = "wasm32"))]
fn synced(_: &SqliteStore) -> Result<(), JsError> {
    Ok(())
}

/// Natively this crate is only built to be checked; there is no such file system.
#[cfg(not(target_arch = "wasm32"))]
async fn open_file(path: &str) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(std::path::Path::new(path), OPTIONS)
}
