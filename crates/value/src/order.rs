//! Sorting in little code.
//!
//! The standard library's sorts are written out anew for each type and each comparison, in tens of kilobytes:
//! they were a sixth of the engine's module for the browser. Lists here are short (an item's attributes, a set's
//! members), so they are sorted by insertion, and the few that are long by one merge of positions that
//! knows nothing of what lies at them.

use std::cmp::Ordering;

/// Elements up to which insertion is the quicker.
const SHORT: usize = 24;

/// Sorts `list`; equal elements stay in their order.
///
/// ```
/// let mut words = ["pear", "fig", "plum"];
/// keyplan_value::order::sort_by(&mut words, |one, other| one.len().cmp(&other.len()));
/// assert_eq!(words, ["fig", "pear", "plum"]);
/// ```
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut is_after = |list: &[T], one: usize, other: usize| match (list.get(one), list.get(other)) {
        (Some(one), Some(other)) => compare(one, other) == Ordering::Greater,
        _ => false,
    };
    if list.len() > SHORT {
        let mut positions = merged(list.len(), &mut |one, other| is_after(list, one, other));
        return arrange(list, &mut positions);
    }
    for end in 1..list.len() {
        for place in (1..=end).rev() {
            if !is_after(list, place - 1, place) {
                break;
            }
            list.swap(place - 1, place);
        }
    }
}

/// The collection of `entries`, put in one by one: `collect` sorts them first where it makes a map or a set.
pub fn entered<C: Default + Extend<T>, T>(entries: impl IntoIterator<Item = T>) -> C {
    let mut collection = C::default();
    collection.extend(entries);
    collection
}

/// The positions of a list of `length` elements in the order of what lies at them.
fn merged(length: usize, is_after: &mut dyn FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..length).collect();
    let mut run = 1;
    while run < length {
        let mut wider = Vec::with_capacity(length);
        for pair in sorted.chunks(run * 2) {
            let (mut one, mut other) = pair.split_at(run.min(pair.len()));
            while let (Some((&first, rest)), Some((&second, second_rest))) =
                (one.split_first(), other.split_first())
            {
                if is_after(first, second) {
                    wider.push(second);
                    other = second_rest;
                } else {
                    wider.push(first);
                    one = rest;
                }
            }
            wider.extend_from_slice(one);
            wider.extend_from_slice(other);
        }
        sorted = wider;
        run *= 2;
    }
    sorted
}

/// Moves to each place what lies at the position that is named for it, a ring of places after the other.
fn arrange<T>(list: &mut [T], positions: &mut [usize]) {
    for start in 0..list.len() {
        let mut place = start;
        while let Some(from) = positions.get_mut(place).map(|position| std::mem::replace(position, place))
            && from != start
            && from != place
        {
            list.swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_of_any_length_are_sorted_and_equal_elements_keep_their_order(
            keys in proptest::collection::vec(0_u8..40, 0..300),
        ) {
            let mut list: Vec<(u8, usize)> = keys.iter().copied().zip(0..).collect();
            let mut expected = list.clone();
            expected.sort();
            sort_by(&mut list, |one, other| one.0.cmp(&other.0));
            prop_assert_eq!(list, expected);
        }
    }
}
