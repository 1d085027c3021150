//! Client tokens: a request that comes again within hours is not a new one.

use keyplan_store::{Batch, Snapshot};

use super::{Kind, Stored, Transfer, record};
use crate::call::Timestamp;
use crate::error::InternalError;
use crate::limits::TRANSFER_TOKEN_MILLISECONDS;
use crate::spaces::TRANSFER_PARTS;

/// A request's token, and what tells the request from others with the same.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) fingerprint: u128,
}

/// What is known of a token.
pub(crate) enum Asked {
    /// Nothing: it is new, or was forgotten.
    New,
    /// The same request came with it, and this came of it.
    Before(Box<Stored>),
    /// Another request came with it.
    Otherwise,
}

fn key(kind: Kind, text: &str) -> Vec<u8> {
    [&[b't', kind as u8], text.as_bytes()].concat()
}

impl Token {
    /// What is known of it.
    ///
    /// # Errors
    /// When the store fails, or a record can't be read.
    pub(crate) fn find(&self, snapshot: &dyn Snapshot, now: Timestamp) -> Result<Asked, InternalError> {
        let Some(held) = snapshot.get(TRANSFER_PARTS, &key(self.kind, &self.text))? else {
            return Ok(Asked::New);
        };
        let Some((fingerprint, id)) = held.split_first_chunk::<16>() else { return Ok(Asked::New) };
        let id = std::str::from_utf8(id).unwrap_or_default();
        let Some((stored, _)) = record::find(snapshot, self.kind, id)? else { return Ok(Asked::New) };
        let ended = stored.transfer.ended;
        let is_over = ended.is_some_and(|ended| ended.0.saturating_add(TRANSFER_TOKEN_MILLISECONDS) <= now.0);
        Ok(match u128::from_be_bytes(*fingerprint) == self.fingerprint {
            _ if is_over => Asked::New,
            true => Asked::Before(Box::new(stored)),
            false => Asked::Otherwise,
        })
    }

    /// Keeps it for a transfer.
    pub(crate) fn keep(&self, batch: &mut Batch, id: &str) {
        let held = [&self.fingerprint.to_be_bytes(), id.as_bytes()].concat();
        batch.put(TRANSFER_PARTS, key(self.kind, &self.text), held);
    }
}

/// Forgets the token of a transfer.
pub(super) fn forget(batch: &mut Batch, transfer: &Transfer) {
    batch.delete(TRANSFER_PARTS, key(transfer.kind, &transfer.token));
}
