//! What was compared.

use std::collections::BTreeMap;
use std::fmt;

/// How many requests were compared, by their operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// For each operation, how many were answered with success, and how many were refused. Requests in the
    /// parameters from before expressions are counted by themselves.
    pub operations: BTreeMap<String, (u64, u64)>,
}

impl Tally {
    /// All of them.
    pub fn requests(&self) -> u64 {
        self.operations.values().map(|(done, refused)| done + refused).sum()
    }

    /// Counts one more.
    pub fn count(&mut self, operation: &str, is_done: bool) {
        if !self.operations.contains_key(operation) {
            self.operations.insert(operation.to_owned(), (0, 0));
        }
        if let Some((done, refused)) = self.operations.get_mut(operation) {
            *if is_done { done } else { refused } += 1;
        }
    }

    /// Adds what else was compared.
    pub fn add(&mut self, other: &Tally) {
        for (operation, (done, refused)) in &other.operations {
            let sum = self.operations.entry(operation.clone()).or_default();
            *sum = (sum.0 + done, sum.1 + refused);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (operation, (done, refused)) in &self.operations {
            writeln!(f, "  {operation:<26} {done:>8} done {refused:>8} refused")?;
        }
        write!(f, "{} requests", self.requests())
    }
}
