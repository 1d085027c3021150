//! Finding the few steps that a difference needs.

use std::fmt;

use crate::order::Order;
use crate::request::Step;
use crate::subject::Home;
use crate::wire;
use crate::world::{Difference, World};

/// How to see a difference again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The seed of its world.
    pub seed: u64,
    /// Where the world lies.
    pub home: Home,
    /// The steps that are needed.
    pub steps: Vec<Step>,
    /// Where engine and model part after the last of them.
    pub difference: Difference,
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.home {
            Home::Memory | Home::Losing(_) => "in memory",
            Home::File => "on a file",
            Home::Process(_) => "in a process that is killed",
        };
        writeln!(f, "engine and model part in the world of seed {}, {place}, after these steps:", self.seed)?;
        for step in &self.steps {
            match step {
                Step::Request(request) => {
                    let (operation, body) = wire::body(request);
                    writeln!(f, "  {operation} {body}")?;
                }
                Step::Advance(milliseconds) => writeln!(f, "  (the clock moves by {milliseconds} ms)")?,
                Step::KillDuring(request, turns) => {
                    let (operation, body) = wire::body(request);
                    writeln!(f, "  (killed {turns} turns into) {operation} {body}")?;
                }
                Step::Reopen => writeln!(f, "  (the store is opened again)")?,
                Step::ReadStream(table) => writeln!(f, "  (the stream of {table} is read)")?,
            }
        }
        writeln!(f, "The last of them:")?;
        write!(f, "{}", self.difference)
    }
}

impl std::error::Error for Replay {}

/// The difference that steps lead to, and how many of them.
fn difference(steps: &[Step], home: &Home, order: &mut Order) -> Option<(usize, Difference)> {
    let mut world = World::new(home, order);
    steps.iter().enumerate().find_map(|(place, step)| Some((place + 1, *world.step(step).err()?)))
}

/// Leaves out steps as long as there is still a difference: halves first, single ones last. The first `kept`
/// steps, which make the tables, stay.
pub fn shrunk(
    seed: u64,
    home: Home,
    (steps, kept): (Vec<Step>, usize),
    found: Difference,
    order: &mut Order,
) -> Replay {
    let (mut steps, mut found) = (steps, found);
    let mut size = steps.len().div_ceil(2);
    loop {
        let mut start = kept;
        while start < steps.len() {
            let end = (start + size).min(steps.len());
            let fewer: Vec<Step> = [&steps[..start], &steps[end..]].concat();
            match difference(&fewer, &home, order) {
                Some((needed, still)) => {
                    steps = fewer;
                    steps.truncate(needed);
                    found = still;
                }
                None => start = end,
            }
        }
        if size == 1 {
            return Replay { seed, home, steps, difference: found };
        }
        size = size.div_ceil(2);
    }
}
