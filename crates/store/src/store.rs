//! The trait every store implements, and the snapshot its closures read.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{Batch, Bounds, Direction, SharedBytes, Space, StoreError, StoredValue, Visit};

/// What a range calls for each entry.
pub type Visitor<'a> = dyn FnMut(&[u8], StoredValue<'_>) -> Visit + 'a;

/// A write: reads a snapshot, and returns what to change, or nothing to change nothing.
///
/// It is pure: it may be run again, on a later snapshot, and only its last answer counts.
pub type Transaction = Box<dyn FnMut(&dyn Snapshot) -> Option<Batch> + Send>;

/// One consistent state of the store: nothing committed after it began is seen through it.
pub trait Snapshot {
    /// The values of keys, in the order of the keys; a key may be asked for twice. A keyspace
    /// that does not exist is empty.
    fn get_many(&self, space: Space, keys: &[&[u8]]) -> Result<Vec<Option<SharedBytes>>, StoreError>;

    /// Calls `visit` for each entry inside the bounds, in the order of the direction, until it
    /// says [`Visit::Stop`]. `expected` is how many entries the caller will probably take: a
    /// store may fetch that many at once, and it never changes what is visited.
    fn range(
        &self,
        space: Space,
        bounds: Bounds<'_>,
        direction: Direction,
        expected: usize,
        visit: &mut Visitor<'_>,
    ) -> Result<(), StoreError>;

    /// The value of one key.
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<SharedBytes>, StoreError> {
        let mut values = self.get_many(space, &[key])?;
        Ok(values.pop().flatten())
    }
}

/// What became of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// The batch is in the store, and survives what the store promises to survive.
    Committed {
        /// The batch that undoes it, if it was asked for.
        inverse: Option<Batch>,
    },
    /// The transaction returned nothing; nothing was changed.
    Aborted,
}

/// An ordered, transactional key-value store.
pub trait Store: Send + Sync {
    /// Runs `reader` exactly once on one snapshot.
    fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError>;

    /// Runs a write, serialisably with all others, and answers when it is committed.
    fn write(&self, transaction: Transaction) -> Result<Written, StoreError>;

    /// Whether calls may wait for a disk or for other callers. One that may is not called on a
    /// thread that serves others.
    fn may_block(&self) -> bool;

    /// A number that changes when another process may have changed what this one has cached.
    /// A store with a sole owner always gives the same.
    fn epoch(&self) -> u64;

    /// Makes an empty keyspace whose number was never given out before, and never will be
    /// again.
    fn new_space(&self) -> Result<Space, StoreError>;

    /// Drops a keyspace with all it holds. One that does not exist is no error, so a drop that
    /// was cut short can be repeated.
    fn drop_space(&self, space: Space) -> Result<(), StoreError>;
}

/// What a [`transact`](StoreExt::transact) answers: the caller's value with the batch that undoes
/// the write, or the caller's reason for an abort.
pub type Transacted<A, E> = Result<(A, Option<Batch>), E>;

/// Typed answers over the object-safe [`Store`].
pub trait StoreExt: Store {
    /// Reads on one snapshot and hands on what the closure returns.
    fn view<A>(&self, reader: impl FnOnce(&dyn Snapshot) -> A) -> Result<A, StoreError> {
        let mut reader = Some(reader);
        let mut answer = None;
        self.read(&mut |snapshot| {
            if let Some(reader) = reader.take() {
                answer = Some(reader(snapshot));
            }
        })?;
        // Only a store that did not run the reader leaves nothing here.
        answer.ok_or(StoreError::Closed)
    }

    /// Runs a write whose closure also has an answer, or a reason of its own to abort.
    fn transact<A, E>(
        &self,
        transaction: impl FnMut(&dyn Snapshot) -> Result<(Batch, A), E> + Send + 'static,
    ) -> Result<Transacted<A, E>, StoreError>
    where
        A: Send + 'static,
        E: Send + 'static,
    {
        run(&mut |transaction| self.write(transaction), Box::new(transaction))
    }
}

/// A write with an answer.
type Answering<A, E> = Box<dyn FnMut(&dyn Snapshot) -> Result<(Batch, A), E> + Send>;

/// Runs a write that has an answer. It is written out once for each type of answers, and not for each of the
/// many writes.
fn run<A: Send + 'static, E: Send + 'static>(
    write: &mut dyn FnMut(Transaction) -> Result<Written, StoreError>,
    mut transaction: Answering<A, E>,
) -> Result<Transacted<A, E>, StoreError> {
    let slot = Arc::new(Mutex::new(None));
    let answers = Arc::clone(&slot);
    let written = write(Box::new(move |snapshot| {
        let (batch, answer) = match transaction(snapshot) {
            Ok((batch, answer)) => (Some(batch), Ok(answer)),
            Err(reason) => (None, Err(reason)),
        };
        *answers.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        batch
    }))?;
    let answer = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (written, answer) {
        (Written::Committed { inverse }, Some(Ok(answer))) => Ok(Ok((answer, inverse))),
        (Written::Aborted, Some(Err(reason))) => Ok(Err(reason)),
        // Only a store whose answer is not that of the last run gets here.
        _ => Err(StoreError::Closed),
    }
}

impl<S: Store + ?Sized> StoreExt for S {}
