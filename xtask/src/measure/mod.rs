//! `cargo xtask measure`: the figures that the documentation states, taken on this machine from the
//! release build. A figure that misses its bar fails the command.

mod control;
mod page;
mod running;
mod start;

use std::time::Duration;

use crate::binary;
use crate::failure::{Failure, Outcome};
use crate::place::Place;

type Measure = fn(&Place) -> Outcome;

const MEASURES: &[(&str, Measure)] =
    &[("start", start::measure), ("control", control::measure), ("page", page::measure)];

pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    let chosen: Vec<&(&str, Measure)> = match arguments {
        [] => MEASURES.iter().collect(),
        [name] => MEASURES.iter().filter(|(known, _)| known == name).collect(),
        _ => Vec::new(),
    };
    if chosen.is_empty() {
        let names: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
        return Err(Failure::new(format!("name one of {}, or none for all", names.join(", "))));
    }
    binary::build_with_page(place)?;
    chosen.into_iter().try_for_each(|(_, measure)| measure(place))
}

/// The one in the middle, and the largest.
fn middle_and_most<T: Copy + Ord + Default>(mut figures: Vec<T>) -> (T, T) {
    figures.sort_unstable();
    let middle = figures.get(figures.len() / 2).copied().unwrap_or_default();
    (middle, figures.last().copied().unwrap_or_default())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_that_of_the_sorted_figures() {
        assert_eq!(middle_and_most(vec![9, 1, 5]), (5, 9));
        assert_eq!(middle_and_most(Vec::<u64>::new()), (0, 0));
        assert_eq!(milliseconds(Duration::from_micros(1500)), "1.50 ms");
    }
}
