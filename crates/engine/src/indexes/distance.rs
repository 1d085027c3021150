//! How far two vectors are from each other. Numbers are stored as 32-bit floating-point numbers, and distances
//! reckoned in 64 bits.

use crate::catalog::DistanceFunction;

/// Sums that are kept side by side, for a processor does several additions at a time.
const LANES: usize = 8;

/// A vector that others are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Searched {
    numbers: Vec<f64>,
    squares: f64,
    distance: DistanceFunction,
}

impl Searched {
    pub(crate) fn new(distance: DistanceFunction, vector: &[f32]) -> Searched {
        let numbers: Vec<f64> = vector.iter().map(|number| f64::from(*number)).collect();
        let bytes: Vec<[u8; 4]> = vector.iter().map(|number| number.to_le_bytes()).collect();
        Searched { squares: sum(&bytes, &numbers, |number, other| number * other), numbers, distance }
    }

    /// The score of a stored vector: its numbers, four bytes each, and the sum of their squares.
    pub(crate) fn score(&self, numbers: &[[u8; 4]], squares: f64) -> f64 {
        const MOST: f64 = f32::MAX as f64;
        let product = || sum(numbers, &self.numbers, |number, searched| number * searched);
        let score = match self.distance {
            // Without a direction there is no angle; the service takes it for a right one.
            DistanceFunction::Cosine if squares == 0.0 || self.squares == 0.0 => 1.0,
            // The root of the product, not the product of the roots: for equal vectors it is exact.
            DistanceFunction::Cosine => (1.0 - product() / (squares * self.squares).sqrt()).clamp(0.0, 2.0),
            DistanceFunction::Euclidean => {
                let squares = sum(numbers, &self.numbers, |number, searched| {
                    let difference = number - searched;
                    difference * difference
                });
                squares.sqrt().min(MOST)
            }
            DistanceFunction::DotProduct => product().clamp(-MOST, MOST),
        };
        // Adding zero takes the sign off a negative one.
        score + 0.0
    }

    /// What nearer vectors have less of.
    pub(crate) fn rank(&self, score: f64) -> f64 {
        match self.distance {
            DistanceFunction::DotProduct => -score,
            DistanceFunction::Cosine | DistanceFunction::Euclidean => score,
        }
    }
}

/// The sum of the squares of stored numbers, as it is compared with [`Searched`]'s own: both are added up in the
/// same order.
pub(crate) fn squares(numbers: &[[u8; 4]]) -> f64 {
    let same: Vec<f64> = numbers.iter().map(|number| f64::from(f32::from_le_bytes(*number))).collect();
    sum(numbers, &same, |number, other| number * other)
}

/// The sum of what `term` makes of each stored number and its counterpart.
fn sum(numbers: &[[u8; 4]], others: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let number = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes));
    let (blocks, last) = numbers.as_chunks::<LANES>();
    let (other_blocks, other_last) = others.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (block, others) in blocks.iter().zip(other_blocks) {
        for ((lane, bytes), other) in lanes.iter_mut().zip(block).zip(others) {
            *lane += term(number(bytes), *other);
        }
    }
    let rest = last.iter().zip(other_last).map(|(bytes, other)| term(number(bytes), *other));
    lanes.into_iter().chain(rest).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stored(vector: &[f32]) -> Vec<[u8; 4]> {
        vector.iter().map(|number| number.to_le_bytes()).collect()
    }

    fn score(distance: DistanceFunction, searched: &[f32], vector: &[f32]) -> f64 {
        let numbers = stored(vector);
        Searched::new(distance, searched).score(&numbers, squares(&numbers))
    }

    #[test]
    fn scores_are_those_of_the_service_where_they_are_exact() {
        use DistanceFunction::{Cosine, DotProduct, Euclidean};
        for (distance, searched, vector, expected) in [
            (Cosine, [1.0, 0.0], [-1.0, 0.0], 2.0),
            (Cosine, [1.0, 0.0], [0.0, 1.0], 1.0),
            (Cosine, [0.0, 0.0], [1.0, 0.0], 1.0),
            (Cosine, [1.0, 0.0], [0.0, 0.0], 1.0),
            (Cosine, [1e-23, 0.0], [1e-23, 0.0], 0.0),
            (Cosine, [1.0, 0.0], [10.0, 0.0], 0.0),
            (Euclidean, [1.0, 0.0], [10.0, 0.0], 9.0),
            (Euclidean, [3.4e38, 0.0], [-3.4e38, 0.0], f64::from(f32::MAX)),
            (DotProduct, [3.4e38, 3.4e38], [3.4e38, -3.4e38], 0.0),
            (DotProduct, [3.4e38, 0.0], [-3.4e38, 0.0], -f64::from(f32::MAX)),
            (DotProduct, [1.0, 0.0], [-1.0, 0.0], -1.0),
        ] {
            let found = score(distance, &searched, &vector);
            assert_eq!(found, expected, "{distance:?} of {searched:?} and {vector:?}");
            assert!(found.is_sign_positive() || found != 0.0, "no negative zero");
        }
    }

    proptest! {
        #[test]
        fn a_vector_is_at_no_distance_from_itself(vector in prop::collection::vec(-1e30_f32..1e30, 1..40)) {
            prop_assume!(vector.iter().any(|number| number.abs() > 1e-20));
            for distance in [DistanceFunction::Cosine, DistanceFunction::Euclidean] {
                prop_assert_eq!(score(distance, &vector, &vector), 0.0);
            }
        }

        #[test]
        fn scores_are_near_those_of_the_plain_formulas(
            pairs in prop::collection::vec((-1e3_f32..1e3, -1e3_f32..1e3), 1..40)
        ) {
            let (one, other): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let product = |a: &[f32], b: &[f32]| -> f64 {
                a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
            };
            let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-9 * expected.abs().max(1e6);
            prop_assert!(near(score(DistanceFunction::DotProduct, &one, &other), product(&one, &other)));
            let squared: f64 = one.iter().zip(&other).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
            prop_assert!(near(score(DistanceFunction::Euclidean, &one, &other), squared.sqrt()));
            let lengths = product(&one, &one).sqrt() * product(&other, &other).sqrt();
            if lengths > 0.0 {
                let cosine = score(DistanceFunction::Cosine, &one, &other);
                prop_assert!((cosine - (1.0 - product(&one, &other) / lengths)).abs() < 1e-9);
            }
        }
    }
}
