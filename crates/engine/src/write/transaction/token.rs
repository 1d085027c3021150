//! The token of a transaction, as a record of the store.

use keyplan_store::{Batch, Snapshot};
use keyplan_value::json::{Kind as Json, Node};
use keyplan_value::{AttributeValue, Item, ItemRef, ValueRef, order};
use twox_hash::XxHash3_128;

use super::{Broken, Outcome};
use crate::call::Timestamp;
use crate::error::InternalError;
use crate::jobs;
use crate::limits::REQUEST_TOKEN_MILLISECONDS;
use crate::shapes::{Kind, Shape};
use crate::spaces::REQUEST_TOKENS;

const MALFORMED: InternalError = InternalError::Malformed("a transaction's token");

/// A request's token, and what tells the request from others with the same token.
#[derive(Debug, Clone)]
pub struct RequestToken {
    key: Vec<u8>,
    fingerprint: u128,
}

impl RequestToken {
    /// The token of a request for `operation` whose `parameters`, nodes with their shapes, are what must
    /// not differ when the token comes again.
    pub fn new<'t, 'a: 't>(
        operation: &str,
        token: &str,
        parameters: impl IntoIterator<Item = (Node<'t, 'a>, &'static Shape)>,
    ) -> RequestToken {
        let mut written = Canonical(Vec::new());
        for (node, shape) in parameters {
            written.value(node, shape);
        }
        RequestToken::of_bytes(operation, token, &written.0)
    }

    /// A token of a request whose parameters were written as bytes: equal requests as equal ones.
    pub fn of_bytes(operation: &str, token: &str, parameters: &[u8]) -> RequestToken {
        // Each operation has tokens of its own.
        let key = [operation, "/", token].concat().into_bytes();
        RequestToken { key, fingerprint: XxHash3_128::oneshot(parameters) }
    }

    /// What tells the request from others with the same token.
    pub(crate) fn fingerprint(&self) -> u128 {
        self.fingerprint
    }

    /// What it is kept under.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The sizes of the items of the request that had this token before, if there was one.
    pub(super) fn find(&self, snapshot: &dyn Snapshot, now: Timestamp) -> Result<Option<Vec<u64>>, Broken> {
        let Some(record) = snapshot.get(REQUEST_TOKENS, &self.key).map_err(InternalError::from)? else {
            return Ok(None);
        };
        if !is_remembered(&record, now) {
            return Ok(None);
        }
        let item = ItemRef::from_stored(&record).map_err(InternalError::from)?;
        let fingerprint = item.get("Fingerprint").and_then(|value| value.as_bytes());
        if fingerprint != Some(&self.fingerprint.to_be_bytes()) {
            return Err(Broken::Mismatch);
        }
        let whole = |size: ValueRef<'_>| u64::try_from(size.number()?.to_i64()?).ok();
        let sizes = item.get("Sizes").map(|sizes| sizes.elements().map(whole).collect::<Option<Vec<_>>>());
        Ok(Some(sizes.flatten().ok_or(MALFORMED)?))
    }

    /// Keeps the token for a while.
    pub(super) fn keep(
        &self,
        batch: &mut Batch,
        outcomes: &[Outcome],
        now: Timestamp,
    ) -> Result<(), InternalError> {
        let sizes = outcomes.iter().map(|outcome| outcome.image_bytes().into()).collect();
        let record = Item::from_attributes([
            ("Fingerprint", AttributeValue::B(self.fingerprint.to_be_bytes().to_vec())),
            ("Committed", now.0.into()),
            ("Sizes", AttributeValue::L(sizes)),
        ]);
        batch.put(REQUEST_TOKENS, self.key.as_slice(), record.map_err(|_| MALFORMED)?.into_stored());
        jobs::schedule_forgetting(batch, forgotten_at(now), &self.key);
        Ok(())
    }
}

fn forgotten_at(committed: Timestamp) -> Timestamp {
    Timestamp(committed.0.saturating_add(REQUEST_TOKEN_MILLISECONDS))
}

/// Whether a token's record still counts.
pub(crate) fn is_remembered(record: &[u8], now: Timestamp) -> bool {
    let committed =
        ItemRef::from_stored(record).ok().and_then(|item| item.get("Committed")?.number()?.to_i64());
    let committed = committed.and_then(|committed| u64::try_from(committed).ok());
    committed.is_some_and(|committed| now < forgotten_at(Timestamp(committed)))
}

/// Parameters written as values: the order of members makes no difference, nor how a number is written.
struct Canonical(Vec<u8>);

impl Canonical {
    fn count(&mut self, count: usize) {
        self.0.extend((count as u64).to_be_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend(bytes);
    }

    /// The depth is that of the shapes: attribute values, which hold themselves, are not entered.
    fn value(&mut self, node: Node<'_, '_>, shape: &'static Shape) {
        let is_value = |shape: &Shape| matches!(&shape.kind, Kind::Structure(inner) if inner.union);
        match &shape.kind {
            Kind::Map { value, .. } if is_value(value.shape()) => match Item::from_json(node) {
                Ok(item) => self.bytes(item.stored()),
                Err(_) => self.bytes(node.raw().as_bytes()),
            },
            Kind::Map { value, .. } => {
                self.members(node, |_| Some(value.shape()));
            }
            Kind::Structure(structure) => self.members(node, |name| {
                let member = structure.members.iter().find(|member| member.name == name)?;
                Some(member.shape.shape())
            }),
            Kind::List { element } => {
                self.count(node.len());
                node.elements().for_each(|part| self.value(part, element.shape()));
            }
            _ => match node.string() {
                Some(text) => self.bytes(text.as_bytes()),
                None => self.bytes(node.raw().as_bytes()),
            },
        }
    }

    /// Members in the order of their names, without those that are nothing or not known.
    fn members(&mut self, node: Node<'_, '_>, shape: impl Fn(&str) -> Option<&'static Shape>) {
        let there = node.members().filter(|(_, member)| member.kind() != Json::Null);
        let known = there.filter_map(|(name, member)| {
            let name = name.to_str();
            shape(&name).map(|shape| (name, member, shape))
        });
        let mut members: Vec<_> = known.collect();
        order::sort_by(&mut members, |(one, ..), (other, ..)| one.cmp(other));
        self.count(members.len());
        for (name, member, shape) in members {
            self.bytes(name.as_bytes());
            self.value(member, shape);
        }
    }
}
