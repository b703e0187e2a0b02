//! Draws true weights, relative to the second moments of the attributes.

use crate::out_of_range;
use halfseen::error::Result;
use halfseen::sampling::Stream;

/// True weights w*, |w*|_2 = 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// w*_i proportional to sqrt(mu_i), with random signs: large attributes matter most. Drawing by
    /// moments gains most.
    Aligned,
    /// A uniformly random direction: small attributes matter too. Drawing by moments still
    /// estimates x best, but weights of small attributes are learned slowly.
    Isotropic,
    /// All of equal size, with random signs.
    Equal,
    /// One attribute, counted from 0.
    Single(usize),
}

impl Weights {
    pub(super) fn draw(self, mu: &[f64], stream: &mut Stream) -> Result<Vec<f64>> {
        let mut sign = || if stream.word() & 1 == 1 { 1.0 } else { -1.0 };
        let mut weights: Vec<f64> = match self {
            Weights::Aligned => mu.iter().map(|mu| sign() * mu.sqrt()).collect(),
            Weights::Isotropic => mu.iter().map(|_| stream.normal()).collect(),
            Weights::Equal => mu.iter().map(|_| sign()).collect(),
            Weights::Single(which) if which < mu.len() => {
                (0..mu.len()).map(|i| f64::from(i == which)).collect()
            }
            Weights::Single(which) => {
                return Err(out_of_range(
                    "weights",
                    which,
                    format!("an attribute below {}", mu.len()),
                ));
            }
        };
        let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        weights.iter_mut().for_each(|w| *w /= norm);
        Ok(weights)
    }
}
