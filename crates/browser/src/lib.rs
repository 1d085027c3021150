//! The engine in a browser tab: the same one as natively, in a Web Worker, as a WebAssembly module.
//!
//! [`Tab`] is all that a worker sees. It holds any number of stores by name: those of lessons and
//! models in memory, and "my database" in the browser's private files (OPFS) through SQLite. Each
//! request goes through the same dispatch as over HTTP, with the same DynamoDB JSON; time is handed
//! in by the worker.
//!
//! It is built twice: without the feature `files`, and so without SQLite, for every page; and with it for a
//! worker that opens a database (docs/decisions/0018).
//!
//! It knows nothing of pages, messages or workers: those are `web/`'s. It checks no signatures: whoever
//! can talk to the worker is the page itself.
//!
//! A database can be given away as the bytes of its file, and opened from them as a copy in memory: so
//! a tab that owns "my database" gives another a copy.
//!
//! A panic ends the module's instance. The worker that holds it is started again by the page, on the
//! same data.

#[cfg(feature = "files")]
mod files;
#[cfg(all(feature = "kit", target_arch = "wasm32"))]
mod kit;
mod tab;

pub use tab::{Tab, TabReply};
