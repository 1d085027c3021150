//! The item operations as a client meets them: through `Engine::dispatch`, on the memory store.
//! Answers are compared by value with what the service gives.

mod backups;
mod concurrency;
mod cost;
mod damage;
mod errors;
mod examples;
mod expiry;
mod freeing;
mod harness;
mod history;
mod index_examples;
mod index_filling;
mod index_many;
mod index_model;
mod index_reads;
mod index_writes;
mod inspection;
mod lookups;
mod many;
mod model;
mod paging;
mod partiql;
mod partiql_model;
mod recovery;
mod stream_model;
mod streams;
mod transfers;
mod undo;
mod updates;
mod vector_model;
mod vectors;
mod verification;
mod weather;
