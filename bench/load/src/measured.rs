//! Rounds of one server at one workload, put together.

use std::time::Duration;

use crate::client::Round;

#[derive(Debug, Default, Clone)]
pub struct Measured {
    /// Operations a second of each round.
    rates: Vec<f64>,
    /// Server processor microseconds of an operation, of each round.
    costs: Vec<f64>,
    latencies: Vec<Duration>,
}

impl Measured {
    pub fn add(&mut self, round: Round, processor_microseconds: f64) {
        let operations = round.operations.max(1) as f64;
        self.rates.push(operations / round.elapsed.as_secs_f64());
        self.costs.push(processor_microseconds / operations);
        self.latencies.extend(round.latencies);
    }

    /// Operations a second, of the round in the middle.
    pub fn rate(&self) -> f64 {
        middle(&self.rates)
    }

    /// Processor time of the server, in microseconds an operation, of the round in the middle.
    pub fn cost(&self) -> f64 {
        middle(&self.costs)
    }

    /// The latency that `part` of the operations stay below, over all rounds.
    pub fn latency(&mut self, part: f64) -> Duration {
        self.latencies.sort_unstable();
        let at = (self.latencies.len() as f64 * part) as usize;
        self.latencies.get(at.min(self.latencies.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

pub fn middle(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
