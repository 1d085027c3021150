//! One caller at a time, and a clear answer for one that waits for itself.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};

use crate::StoreError;

/// For stores: a value that one caller at a time works on while foreign closures run.
///
/// A plain mutex would leave a closure that calls its own store waiting for itself for ever;
/// here it gets [`StoreError::Reentrant`]. A closure that panics leaves the value usable: it is
/// for the store to keep it whole at every point where a closure runs.
#[derive(Debug, Default)]
pub struct Turn<T> {
    value: Mutex<T>,
    holder: Mutex<Option<ThreadId>>,
}

impl<T> Turn<T> {
    /// Guards a value.
    pub fn new(value: T) -> Self {
        Self { value: Mutex::new(value), holder: Mutex::new(None) }
    }

    /// Waits for the callers before this one, unless the caller is one of them.
    pub fn take(&self) -> Result<TurnGuard<'_, T>, StoreError> {
        let me = thread::current().id();
        let value = match self.value.try_lock() {
            Ok(value) => value,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                if *self.holder() == Some(me) {
                    return Err(StoreError::Reentrant);
                }
                self.value.lock().unwrap_or_else(PoisonError::into_inner)
            }
        };
        *self.holder() = Some(me);
        Ok(TurnGuard { turn: self, value })
    }

    /// The value itself, when nobody else can hold it any more.
    pub fn into_inner(self) -> T {
        self.value.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn holder(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The turn of one caller, over when dropped.
#[derive(Debug)]
pub struct TurnGuard<'a, T> {
    turn: &'a Turn<T>,
    value: MutexGuard<'a, T>,
}

impl<T> Deref for TurnGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for TurnGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Drop for TurnGuard<'_, T> {
    fn drop(&mut self) {
        // Before the value is let go: the next caller writes its own name after that.
        *self.turn.holder() = None;
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn a_holder_that_asks_again_is_told_so() {
        let turn = Turn::new(1);
        let held = turn.take().expect("nobody holds it");
        assert_eq!(turn.take().err(), Some(StoreError::Reentrant));
        drop(held);
        assert!(turn.take().is_ok());
    }

    #[test]
    fn others_wait_for_their_turn() {
        let turn = Arc::new(Turn::new(0));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let turn = Arc::clone(&turn);
                thread::spawn(move || {
                    for _ in 0..500 {
                        *turn.take().expect("another thread's turn is waited for") += 1;
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        assert_eq!(*turn.take().expect("nobody holds it"), 2000);
    }

    #[test]
    fn a_panic_does_not_take_the_value_with_it() {
        let turn = Turn::new(7);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _held = turn.take();
            panic!("while holding the turn");
        }));
        assert!(panicked.is_err());
        assert_eq!(*turn.take().expect("the turn is free again"), 7);
    }
}
