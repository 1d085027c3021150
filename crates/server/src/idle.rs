//! Connections that wait for a request, so that those that have waited longest give way to new ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The connections of a listener that wait for a request, longest first.
#[derive(Default)]
pub(crate) struct Idle(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    turns: u64,
    seats: BTreeMap<u64, Arc<Notify>>,
}

impl Idle {
    /// A connection that has just arrived, and waits for its first request.
    pub(crate) fn arrive(self: &Arc<Idle>) -> Seat {
        let seat = Seat { among: Arc::clone(self), own: Mutex::default(), leave: Arc::default() };
        seat.wait();
        seat
    }

    /// Asks up to `count` connections to leave.
    pub(crate) fn give_way(&self, count: usize) {
        for _ in 0..count {
            let Some((_, leave)) = self.waiting().seats.pop_first() else { break };
            leave.notify_one();
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection among them.
pub(crate) struct Seat {
    among: Arc<Idle>,
    own: Mutex<Own>,
    leave: Arc<Notify>,
}

#[derive(Default)]
struct Own {
    /// Since which turn it waits; none while a request is under way.
    since: Option<u64>,
    /// Whether it ever had a request.
    used: bool,
}

/// What a connection is about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It has had no request yet.
    Nothing,
    /// It waits for the next one, its last answer perhaps still on the way.
    Waiting,
    /// A request is under way.
    Answering,
}

impl Seat {
    /// A request has begun; it ends when the guard is dropped.
    pub(crate) fn begin(self: &Arc<Seat>) -> Turn {
        let mut own = self.own();
        own.used = true;
        if let Some(since) = own.since.take() {
            self.among.waiting().seats.remove(&since);
        }
        Turn(Arc::clone(self))
    }

    pub(crate) fn doing(&self) -> Doing {
        match *self.own() {
            Own { since: None, .. } => Doing::Answering,
            Own { used: true, .. } => Doing::Waiting,
            Own { used: false, .. } => Doing::Nothing,
        }
    }

    /// Until the connection is asked to give way.
    pub(crate) async fn asked_to_leave(&self) {
        self.leave.notified().await;
    }

    fn wait(&self) {
        let mut waiting = self.among.waiting();
        waiting.turns += 1;
        let turn = waiting.turns;
        waiting.seats.insert(turn, Arc::clone(&self.leave));
        drop(waiting);
        self.own().since = Some(turn);
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(since) = self.own().since {
            self.among.waiting().seats.remove(&since);
        }
    }
}

/// A request under way.
pub(crate) struct Turn(Arc<Seat>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(seat: &Seat) -> bool {
        let mut asked = std::pin::pin!(seat.asked_to_leave());
        asked.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_ready()
    }

    #[test]
    fn those_that_have_waited_longest_give_way_and_those_at_work_do_not() {
        let idle = Arc::<Idle>::default();
        let seats: Vec<_> = (0..4).map(|_| Arc::new(idle.arrive())).collect();
        let at_work = seats[0].begin();
        drop(seats[1].begin());
        idle.give_way(2);
        let left: Vec<_> = seats.iter().map(|seat| asked(seat)).collect();
        assert_eq!(left, [false, false, true, true], "the second has just been used");
        assert_eq!(seats[0].doing(), Doing::Answering);
        assert_eq!(seats[1].doing(), Doing::Waiting);
        assert_eq!(seats[2].doing(), Doing::Nothing);
        drop(at_work);
        assert_eq!(seats[0].doing(), Doing::Waiting);
    }

    #[test]
    fn a_connection_that_ends_leaves_nothing_behind() {
        let idle = Arc::<Idle>::default();
        let (seat, other) = (Arc::new(idle.arrive()), Arc::new(idle.arrive()));
        let turn = other.begin();
        drop((seat, other, turn));
        assert!(idle.waiting().seats.is_empty());
    }
}
