//! The items that transactions hold, and the tokens of those that are not done yet.

use std::collections::HashMap;

use crate::call::Timestamp;

/// An item's place in all of the store.
pub(crate) type Place = (u64, Vec<u8>);

/// What is held, and until when.
#[derive(Debug, Default)]
pub(super) struct Holds {
    places: HashMap<Place, Hold>,
    tokens: HashMap<Vec<u8>, Hold>,
    /// How many there have been.
    taken: u64,
}

/// One transaction's hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hold {
    until: Timestamp,
    /// Tells it from another of the same moment.
    number: u64,
}

/// Why a transaction doesn't get what it wants to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    /// The transaction with its token isn't done.
    Token,
    /// Others hold some of the items: which of them.
    Places(Vec<bool>),
}

impl Holds {
    /// Which of some places are held.
    pub(super) fn held<'p>(
        &self,
        places: impl Iterator<Item = (u64, &'p [u8])>,
        now: Timestamp,
    ) -> Vec<bool> {
        if self.places.is_empty() {
            return places.map(|_| false).collect();
        }
        let held = |(space, place): (u64, &[u8])| {
            self.places.get(&(space, place.to_vec())).is_some_and(|hold| hold.until > now)
        };
        places.map(held).collect()
    }

    /// Holds all of some places until a moment, or says which of them are held.
    pub(super) fn take(
        &mut self,
        places: &[Place],
        token: Option<&[u8]>,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Hold, Held> {
        self.places.retain(|_, hold| hold.until > now);
        self.tokens.retain(|_, hold| hold.until > now);
        if token.is_some_and(|token| self.tokens.contains_key(token)) {
            return Err(Held::Token);
        }
        let held: Vec<bool> = places.iter().map(|place| self.places.contains_key(place)).collect();
        if held.contains(&true) {
            return Err(Held::Places(held));
        }
        self.taken += 1;
        let hold = Hold { until, number: self.taken };
        self.places.extend(places.iter().map(|place| (place.clone(), hold)));
        self.tokens.extend(token.map(|token| (token.to_vec(), hold)));
        Ok(hold)
    }

    /// Lets go of what a transaction took that came to nothing. What others have taken since its time was over
    /// stays theirs.
    pub(super) fn let_go(&mut self, hold: Hold) {
        self.places.retain(|_, held| *held != hold);
        self.tokens.retain(|_, held| *held != hold);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_transaction_lets_go_of_its_own_alone() {
        let (mut holds, item) = (Holds::default(), (16, b"a".to_vec()));
        let places = std::slice::from_ref(&item);
        let slow = holds.take(places, Some(b"token"), Timestamp(0), Timestamp(10)).expect("it is free");
        assert_eq!(holds.take(places, None, Timestamp(9), Timestamp(20)), Err(Held::Places(vec![true])));
        let next = holds.take(places, None, Timestamp(10), Timestamp(20)).expect("its time is over");
        let is_held = |holds: &Holds| holds.held([(16, &b"a"[..])].into_iter(), Timestamp(11));
        holds.let_go(slow);
        assert_eq!(is_held(&holds), [true]);
        holds.let_go(next);
        assert_eq!(is_held(&holds), [false]);
    }
}
