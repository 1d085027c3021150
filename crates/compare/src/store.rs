//! A store that does what a store may: runs the closure of a write again, on what is there by then.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use keyplan_store::{Snapshot, Space, Store, StoreError, Transaction, Written};

/// Every this many writes are run more than once.
const EVERY: u64 = 4;

/// A store beside which others seem to write: some closures are run twice or three times before the run that
/// counts.
pub struct Rerunning {
    inner: Arc<dyn Store>,
    writes: AtomicU64,
    /// The number of a write that it says to have made, and hasn't.
    loses: Option<u64>,
}

impl Rerunning {
    /// The same store, with writes that are run again.
    pub fn new(inner: Arc<dyn Store>) -> Rerunning {
        Rerunning { inner, writes: AtomicU64::new(0), loses: None }
    }

    /// A store that loses one write, which a comparison must find out.
    pub fn losing(inner: Arc<dyn Store>, write: u64) -> Rerunning {
        Rerunning { loses: Some(write), ..Rerunning::new(inner) }
    }
}

impl Store for Rerunning {
    fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        self.inner.read(reader)
    }

    fn write(&self, mut transaction: Transaction) -> Result<Written, StoreError> {
        let number = self.writes.fetch_add(1, Ordering::Relaxed);
        if self.loses == Some(number) {
            let mut written = Written::Aborted;
            self.inner.read(&mut |snapshot| {
                if transaction(snapshot).is_some() {
                    written = Written::Committed { inverse: None };
                }
            })?;
            return Ok(written);
        }
        if !number.is_multiple_of(EVERY) {
            return self.inner.write(transaction);
        }
        // As if it had lost against another writer before it came to its turn.
        self.inner.read(&mut |snapshot| drop(transaction(snapshot)))?;
        let again = number.is_multiple_of(2 * EVERY);
        self.inner.write(Box::new(move |snapshot| {
            if again {
                drop(transaction(snapshot));
            }
            transaction(snapshot)
        }))
    }

    fn may_block(&self) -> bool {
        self.inner.may_block()
    }

    fn epoch(&self) -> u64 {
        self.inner.epoch()
    }

    fn new_space(&self) -> Result<Space, StoreError> {
        self.inner.new_space()
    }

    fn drop_space(&self, space: Space) -> Result<(), StoreError> {
        self.inner.drop_space(space)
    }
}
