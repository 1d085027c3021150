//! Resource policies: documents that say who may do what with a table or a stream. They are kept, checked and
//! shown; nobody is refused by one, for whoever asks here is the owner.
//!
//! A policy is a record in [`SETTINGS`] under the table's place in the catalog, or the stream's among the
//! streams. Taken away, it leaves its last revision behind: an expectation may still name it.

mod document;

use keyplan_store::{Batch, SharedBytes, Snapshot};
use keyplan_value::{Item, ItemRef};

pub(crate) use document::{Attached, Document, shown};

use crate::call::Timestamp;
use crate::error::InternalError;
use crate::spaces::{SETTINGS, Setting};

const MALFORMED: InternalError = InternalError::Malformed("a resource policy");

/// What is kept of a resource's policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The time of its last change, which no other had.
    pub(crate) revision: u64,
    /// The document in its one form; nothing once it was taken away.
    pub(crate) text: Option<String>,
}

impl Kept {
    /// The revision of a change of what was kept.
    pub(crate) fn next_revision(before: Option<&Kept>, now: Timestamp) -> u64 {
        before.map_or(now.0, |before| now.0.max(before.revision.saturating_add(1)))
    }

    /// The document, if there is one.
    pub(crate) fn policy(&self) -> Option<&str> {
        self.text.as_deref()
    }

    fn encode(&self) -> Result<SharedBytes, InternalError> {
        let text = self.text.as_deref().map(|text| ("Policy", text.into()));
        let item = Item::from_attributes([("Revision", self.revision.into())].into_iter().chain(text));
        Ok(item.map_err(|_| MALFORMED)?.into_stored())
    }

    fn decode(bytes: &[u8]) -> Result<Kept, InternalError> {
        let item = ItemRef::from_stored(bytes)?;
        let revision = item.get("Revision").and_then(|value| value.number()?.to_u64()).ok_or(MALFORMED)?;
        let text = item.get("Policy").map(|value| value.as_str().map(str::to_owned).ok_or(MALFORMED));
        Ok(Kept { revision, text: text.transpose()? })
    }
}

/// What is kept of the policy of a resource.
///
/// # Errors
/// When the store fails, or the record can't be read.
pub(crate) fn kept(snapshot: &dyn Snapshot, place: &[u8]) -> Result<Option<Kept>, InternalError> {
    snapshot.get(SETTINGS, &Setting::Policy.key(place))?.map(|record| Kept::decode(&record)).transpose()
}

/// Adds to `batch` what is kept from now on.
///
/// # Errors
/// When it can't be given the stored form.
pub(crate) fn put(batch: &mut Batch, place: &[u8], kept: &Kept) -> Result<(), InternalError> {
    batch.put(SETTINGS, Setting::Policy.key(place), kept.encode()?);
    Ok(())
}

/// Forgets the policy of a table or stream, in the batch that takes that away.
pub(crate) fn remove(batch: &mut Batch, place: &[u8]) {
    batch.delete(SETTINGS, Setting::Policy.key(place));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_as_it_was_stored() {
        for kept in
            [Kept { revision: u64::MAX, text: Some("{}".to_owned()) }, Kept { revision: 1, text: None }]
        {
            assert_eq!(Kept::decode(&kept.encode().expect("a form")).expect("readable"), kept);
        }
        assert!(Kept::decode(b"").is_err(), "no bytes");
    }

    #[test]
    fn a_revision_is_later_than_the_one_before() {
        let before = Kept { revision: 7, text: None };
        assert_eq!(Kept::next_revision(None, Timestamp(5)), 5);
        assert_eq!(Kept::next_revision(Some(&before), Timestamp(5)), 8);
        assert_eq!(Kept::next_revision(Some(&before), Timestamp(9)), 9);
    }
}
