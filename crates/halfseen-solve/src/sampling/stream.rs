//! Seeds one generator per (seed, purpose, number), so that any draw can be repeated alone.
//!
//! Query n of a learner draws from its own xoshiro256++ stream. Resumed, out-of-order and naive
//! runs therefore repeat exactly, in every language. The conversions below are our own because they
//! must never change.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Purpose of a stream; streams of different purposes are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Reads of one query.
    Query = 1,
    /// Order in which a fit visits its examples.
    Order = 2,
    /// Splits into training and test parts.
    Split = 3,
    /// Splits of training rows into folds.
    Fold = 4,
    /// Seeds of learners inside a comparison.
    Learner = 5,
    /// Synthetic data.
    Data = 6,
    /// Hashes and signs of random features.
    Feature = 7,
    /// Cells hidden in addition to missing ones.
    Hide = 8,
    /// Draws of an attack on a row.
    Attack = 9,
    /// Initial loadings of a factor model.
    Factor = 10,
    /// Weights of examples in refits that measure the uncertainty of a fit.
    Bootstrap = 11,
    /// Rows drawn from a stream.
    Draw = 12,
}

/// Stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// Creates the stream of (seed, purpose, number); SplitMix64 mixes the three into the seed of
    /// xoshiro256++.
    #[inline]
    pub fn new(seed: u64, purpose: Purpose, number: u64) -> Stream {
        let mixed = split_mix(split_mix(split_mix(seed) ^ purpose as u64) ^ number);
        Stream(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }

    /// Returns the next 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws uniformly from [0, 1), in multiples of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Draws uniformly from 0..n, without bias (Lemire's multiplication with rejection). n must not
    /// be 0.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0);
        let n = n as u64;
        let mut product = u128::from(self.word()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.word()) * u128::from(n);
            }
        }
        (product >> 64) as usize
    }

    /// Draws a standard normal, by Box and Muller's transform of two uniforms.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Applies the output function of SplitMix64 (Steele, Lea and Flood 2014), a bijection of 64-bit
/// words.
#[inline]
pub(crate) fn split_mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_pinned_for_ever() {
        let mut stream = Stream::new(7, Purpose::Query, 3);
        let first: Vec<u64> = (0..3).map(|_| stream.word()).collect();
        assert_eq!(first, [4175932153251069254, 3556330844069316944, 1523046812667090291]);
    }

    #[test]
    fn below_is_uniform_and_unit_is_below_one() {
        let mut stream = Stream::new(1, Purpose::Data, 0);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[stream.below(7)] += 1;
            assert!(stream.unit() < 1.0);
        }
        // Chi-square with 6 degrees of freedom: 22.5 is its 99.9 % point; the seed is fixed.
        let chi: f64 = counts.iter().map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi < 22.5, "chi-square {chi}");
    }
}
