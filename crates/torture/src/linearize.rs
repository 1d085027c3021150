//! Whether what clients were answered could have come from one request after the other.
//!
//! Each request takes place at one moment between its sending and its answer; one that was never answered takes
//! place at some moment after its sending, or never. [`check`] looks for an order that fits, with the search of Wing
//! and Gong and the memory of Lowe: of what was tried, sets of requests together with the state that they lead to are
//! kept, so nothing is tried twice. A group of items is one object here, so an order that fits means that items are
//! linearizable, transactions atomic and isolated, and no addition lost.

use std::collections::HashSet;
use std::fmt;

use crate::history::{Event, State};

/// No order of the requests fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoOrder {
    /// The state before all of them.
    pub initial: State,
    /// The longest order that could be made.
    pub longest: Vec<Event>,
    /// The state that it leads to.
    pub reached: State,
    /// The requests that would have to come next, of which none fits.
    pub stuck: Vec<Event>,
}

impl fmt::Display for NoOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Requests that are told at most.
        const TOLD: usize = 40;
        writeln!(f, "no order of the requests fits their answers; from {:?}", self.initial)?;
        let left_out = self.longest.len().saturating_sub(TOLD);
        if left_out > 0 {
            writeln!(f, "  ({left_out} that fit)")?;
        }
        for event in self.longest.iter().skip(left_out) {
            writeln!(f, "  {event}")?;
        }
        writeln!(f, "the items are {:?}, and none of these can be next:", self.reached)?;
        self.stuck.iter().try_for_each(|event| writeln!(f, "  {event}"))
    }
}

/// Where a request begins or ends, in a list from which requests are taken.
struct Moment {
    event: usize,
    is_answer: bool,
    before: usize,
    after: usize,
}

/// The list of all moments in their order; the first is none.
struct Moments {
    moments: Vec<Moment>,
    /// Where each request's answer is, if it has one.
    answers: Vec<Option<usize>>,
}

impl Moments {
    fn of(events: &[Event]) -> Moments {
        let mut order: Vec<(u64, usize, bool)> = Vec::new();
        for (at, event) in events.iter().enumerate() {
            order.push((event.sent, at, false));
            order.extend(event.answered.map(|answered| (answered, at, true)));
        }
        order.sort_unstable();
        let mut moments = vec![Moment { event: 0, is_answer: false, before: 0, after: 1 }];
        let mut answers = vec![None; events.len()];
        for (_, event, is_answer) in order {
            let at = moments.len();
            if is_answer {
                answers[event] = Some(at);
            }
            moments.push(Moment { event, is_answer, before: at - 1, after: at + 1 });
        }
        Moments { moments, answers }
    }

    fn next(&self, at: usize) -> Option<usize> {
        Some(self.moments[at].after).filter(|after| *after < self.moments.len())
    }

    fn take(&mut self, at: usize) {
        let (before, after) = (self.moments[at].before, self.moments[at].after);
        self.moments[before].after = after;
        if let Some(moment) = self.moments.get_mut(after) {
            moment.before = before;
        }
    }

    fn give_back(&mut self, at: usize) {
        let (before, after) = (self.moments[at].before, self.moments[at].after);
        self.moments[before].after = at;
        if let Some(moment) = self.moments.get_mut(after) {
            moment.before = at;
        }
    }

    /// Takes a request out, beginning and end.
    fn take_event(&mut self, at: usize) {
        if let Some(answer) = self.answers[self.moments[at].event] {
            self.take(answer);
        }
        self.take(at);
    }

    fn give_back_event(&mut self, at: usize) {
        self.give_back(at);
        if let Some(answer) = self.answers[self.moments[at].event] {
            self.give_back(answer);
        }
    }
}

/// A set of requests, as bits.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Taken(Vec<u64>);

impl Taken {
    fn set(&mut self, at: usize, is_in: bool) {
        let bit = 1 << (at % 64);
        if is_in { self.0[at / 64] |= bit } else { self.0[at / 64] &= !bit }
    }
}

/// Looks for an order of a group's requests that fits all answers, and begins with a state.
///
/// # Errors
/// When there is none.
pub fn check(initial: State, events: &[Event]) -> Result<(), Box<NoOrder>> {
    let mut moments = Moments::of(events);
    let mut unanswered = events.iter().filter(|event| event.answered.is_some()).count();
    let mut taken = Taken(vec![0; events.len().div_ceil(64)]);
    let mut tried: HashSet<(Taken, State)> = HashSet::new();
    let (mut state, mut order): (State, Vec<(usize, State)>) = (initial, Vec::new());
    let mut best = NoOrder { initial, longest: Vec::new(), reached: initial, stuck: Vec::new() };
    let mut at = moments.next(0);
    while unanswered > 0 {
        let begins = at.filter(|at| !moments.moments[*at].is_answer);
        if let Some(here) = begins {
            let event = moments.moments[here].event;
            if let Some(after) = events[event].applied(&state) {
                taken.set(event, true);
                if tried.insert((taken.clone(), after)) {
                    order.push((here, state));
                    state = after;
                    moments.take_event(here);
                    unanswered -= usize::from(events[event].answered.is_some());
                    at = moments.next(0);
                    continue;
                }
                taken.set(event, false);
            }
            at = moments.next(here);
            continue;
        }
        // Something was answered before anything that is left can come: what was taken last came too early.
        if order.len() > best.longest.len() || best.stuck.is_empty() {
            best.longest = order.iter().map(|(at, _)| events[moments.moments[*at].event]).collect();
            best.reached = state;
            best.stuck = next_ones(&moments, events);
        }
        let Some((here, before)) = order.pop() else { return Err(Box::new(best)) };
        let event = moments.moments[here].event;
        moments.give_back_event(here);
        unanswered += usize::from(events[event].answered.is_some());
        taken.set(event, false);
        state = before;
        at = moments.next(here);
    }
    Ok(())
}

/// The requests that are sent before the next answer.
fn next_ones(moments: &Moments, events: &[Event]) -> Vec<Event> {
    let mut found = Vec::new();
    let mut at = moments.next(0);
    while let Some(here) = at.filter(|at| !moments.moments[*at].is_answer) {
        found.push(events[moments.moments[here].event]);
        at = moments.next(here);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Action, Cell, KEYS};

    const EMPTY: State = [None; KEYS];

    fn event(number: u64, sent: u64, answered: u64, action: Action) -> Event {
        Event { number, sent, answered: Some(answered), action }
    }

    fn lost(number: u64, sent: u64, action: Action) -> Event {
        Event { number, sent, answered: None, action }
    }

    fn cell(written_by: u64, count: i64) -> Option<Cell> {
        Some(Cell { written_by, count })
    }

    fn add(answer: i64) -> Action {
        Action::Add { key: 0, by: 1, answer: Some(answer) }
    }

    fn get(answer: Option<Cell>) -> Action {
        Action::Get { key: 0, answer }
    }

    #[track_caller]
    fn fits(events: &[Event]) {
        if let Err(error) = check(EMPTY, events) {
            panic!("{error}");
        }
    }

    #[track_caller]
    fn refused(events: &[Event]) -> NoOrder {
        *check(EMPTY, events).expect_err("it is wrong")
    }

    #[test]
    fn requests_that_overlap_may_come_in_any_order() {
        let put = |number, sent, answered| event(number, sent, answered, Action::Put { key: 0 });
        fits(&[put(1, 0, 10), put(2, 1, 9), event(3, 11, 12, get(cell(1, 0)))]);
        fits(&[put(1, 0, 10), put(2, 1, 9), event(3, 11, 12, get(cell(2, 0)))]);
        fits(&[put(1, 0, 10), event(2, 1, 2, get(None)), event(3, 3, 4, get(cell(1, 0)))]);
        fits(&[]);
    }

    #[test]
    fn a_read_of_what_was_overwritten_is_refused() {
        let put = |number, sent| event(number, sent, sent + 1, Action::Put { key: 0 });
        let found = refused(&[put(1, 0), put(2, 2), event(3, 4, 5, get(cell(1, 0)))]);
        assert_eq!((found.longest.len(), found.stuck.len(), found.reached[0]), (2, 1, cell(2, 0)));
        assert!(found.to_string().contains("none of these can be next:\n  3 from 4 to 5"), "{found}");
        refused(&[put(1, 0), event(2, 2, 3, get(None))]);
    }

    #[test]
    fn a_read_that_goes_back_behind_another_is_refused() {
        let put = event(1, 0, 10, Action::Put { key: 0 });
        refused(&[put, event(2, 1, 2, get(cell(1, 0))), event(3, 3, 4, get(None))]);
    }

    #[test]
    fn a_lost_addition_is_refused() {
        fits(&[event(1, 0, 5, add(2)), event(2, 1, 6, add(1))]);
        refused(&[event(1, 0, 5, add(1)), event(2, 1, 6, add(1))]);
        let three = [event(1, 0, 5, add(1)), event(2, 1, 6, add(2)), event(3, 7, 8, add(2))];
        refused(&three);
    }

    #[test]
    fn two_who_both_found_what_they_expected_are_refused() {
        let swap = |answer| Action::Swap { key: 0, expected: None, answer: Some(answer) };
        fits(&[event(1, 0, 5, swap(true)), event(2, 1, 6, swap(false))]);
        refused(&[event(1, 0, 5, swap(true)), event(2, 1, 6, swap(true))]);
        refused(&[event(1, 0, 5, swap(false)), event(2, 1, 6, swap(false))]);
    }

    #[test]
    fn a_torn_read_of_a_transaction_is_refused() {
        let all = event(1, 0, 10, Action::PutAll);
        let read = |answer| event(2, 1, 9, Action::GetAll { answer });
        fits(&[all, read([cell(1, 0); KEYS])]);
        fits(&[all, read(EMPTY)]);
        refused(&[all, read([cell(1, 0), None, cell(1, 0)])]);
    }

    #[test]
    fn a_half_done_transaction_is_refused_also_where_nobody_was_answered() {
        let read = |answer| event(2, 20, 21, Action::GetAll { answer });
        fits(&[lost(1, 0, Action::PutAll), read([cell(1, 0); KEYS])]);
        fits(&[lost(1, 0, Action::PutAll), read(EMPTY)]);
        refused(&[lost(1, 0, Action::PutAll), read([cell(1, 0), cell(1, 0), None])]);
        let move_one = lost(4, 2, Action::Move { from: 0, to: 1, by: 1, answer: None });
        let before = [event(3, 0, 1, add(1)), move_one];
        let taken_only = [cell(4, 0), None, None];
        refused(&[before[0], before[1], read(taken_only)]);
        fits(&[before[0], before[1], read([cell(4, 0), cell(4, 1), None])]);
        fits(&[before[0], before[1], read([cell(3, 1), None, None])]);
    }

    #[test]
    fn what_was_acknowledged_and_is_gone_is_refused() {
        let put = event(1, 0, 1, Action::Put { key: 0 });
        let unknown = lost(2, 2, Action::Put { key: 1 });
        refused(&[put, unknown, event(3, 9, 10, Action::GetAll { answer: [None, cell(2, 0), None] })]);
        fits(&[put, unknown, event(3, 9, 10, Action::GetAll { answer: [cell(1, 0), None, None] })]);
        // It was refused, and took place nevertheless.
        let refused_swap = event(1, 0, 1, Action::Swap { key: 0, expected: Some(9), answer: Some(false) });
        refused(&[refused_swap, event(3, 9, 10, get(cell(1, 0)))]);
    }

    #[test]
    fn what_can_not_be_afforded_is_not_moved() {
        let moved = |answer| Action::Move { from: 0, to: 1, by: 2, answer: Some(answer) };
        refused(&[event(1, 0, 1, add(1)), event(2, 2, 3, moved(true))]);
        fits(&[event(1, 0, 1, add(1)), event(2, 2, 3, moved(false))]);
    }

    #[test]
    fn many_clients_at_once_are_ordered_soon() {
        // All overlap, and only their answers tell the order.
        let events: Vec<Event> = (0..64)
            .map(|client: u64| event(client, client, 1_000 + client, add(64 - client as i64)))
            .collect();
        fits(&events);
        let mut wrong = events;
        wrong[0].action = add(63);
        refused(&wrong);
    }
}
