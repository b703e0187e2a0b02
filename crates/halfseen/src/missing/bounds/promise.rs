//! Computes the number of examples that reach an error, and the error that a number of examples
//! reaches, by the theorems of Hazan, Livni and Mansour 2015.

use super::{
    dimension, estimation_error, gamma_for, theorem_1_examples, truncation_error, tuned_c,
};
use crate::error::{ErrorKind, Result, shown};

/// Number of lengths tried, from the shortest feasible; each further one needs d times the
/// examples.
const LONGER: u64 = 64;

/// Assumptions on data and loss, and the wanted error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumed {
    /// d: number of columns, including the constant if there is one.
    pub dims: u64,
    /// eps: the excess loss to reach.
    pub error: f64,
    /// L; 1 for the hinge loss.
    pub lipschitz: f64,
    /// X, a bound on |P_o x|; the paper takes 1.
    pub norm: f64,
    /// delta: the probability that theorem 1 fails.
    pub confidence: f64,
    /// Largest excess loss of the constant score 0 over the best rule: 1 with the hinge loss.
    pub nothing: f64,
}

impl Default for Assumed {
    /// Returns the hinge loss, rows of length at most 1, delta = 0.05, one column, an error of 0.1.
    fn default() -> Self {
        Assumed { dims: 1, error: 0.1, lipschitz: 1.0, norm: 1.0, confidence: 0.05, nothing: 1.0 }
    }
}

/// Guarantees for one kappa.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// kappa, see [`Regularity`](super::Regularity).
    pub kappa: f64,
    /// gamma: as given, or the value that needs the fewest examples.
    pub gamma: u64,
    /// L (1 - kappa)^gamma X / kappa: the part of the error that more examples cannot reduce.
    pub truncation: f64,
    /// Number of examples that suffice, in expectation, for an excess of eps at the best C, by
    /// [`estimation_error`] and truncation; `None` if truncation alone exceeds eps.
    pub examples: Option<f64>,
    /// C of (1/2) |v|^2 + C sum of losses for which this holds, at `examples`; `None` also if it
    /// underflows.
    pub c: Option<f64>,
    /// gamma of theorem 1.
    pub printed_gamma: u64,
    /// Gamma, the number of sequences, at that gamma.
    pub printed_dimension: f64,
    /// Order of the number of examples in theorem 1; its constant is unknown, and 1 here.
    pub printed_examples: f64,
    /// True if the constant score 0 already has the wanted error.
    pub vacuous: bool,
    /// The same bound at a given number of examples.
    pub after: Option<After>,
}

/// Excess loss after a given number of examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct After {
    /// m.
    pub examples: u64,
    /// gamma: as given, or the best for m examples.
    pub gamma: u64,
    /// Bound on the expected excess loss.
    pub excess: f64,
    /// C for which the bound holds.
    pub c: f64,
    /// True if the constant score 0 satisfies the bound too.
    pub vacuous: bool,
}

impl Promise {
    /// Computes the guarantees for a known `kappa`, for sequences of length `gamma` (by default the
    /// best), and after `examples`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`].
    pub fn new(
        assumed: &Assumed,
        kappa: f64,
        gamma: Option<u64>,
        examples: Option<u64>,
    ) -> Result<Promise> {
        assumed.check()?;
        within("kappa", kappa, kappa > 0.0 && kappa <= 1.0, "above 0 and at most 1")?;
        if let Some(gamma) = gamma {
            within("gamma", gamma as f64, gamma > 0, "at least 1")?;
        }
        if let Some(examples) = examples {
            within("examples", examples as f64, examples > 0, "at least 1")?;
        }
        // Truncation is for rows of length X.
        let scale = assumed.lipschitz * assumed.norm;
        let chosen = gamma.unwrap_or_else(|| assumed.fewest(kappa));
        let truncation = scale * truncation_error(chosen, kappa);
        let enough = assumed.enough(chosen, kappa);
        let printed_gamma = gamma_for(assumed.error, kappa, scale);
        let printed_dimension = dimension(assumed.dims, printed_gamma);
        Ok(Promise {
            kappa,
            gamma: chosen,
            truncation,
            examples: enough,
            c: enough
                .map(|m| tuned_c(m, assumed.dims, chosen, assumed.lipschitz, assumed.norm))
                .filter(|c| *c > 0.0),
            printed_gamma,
            printed_dimension,
            printed_examples: theorem_1_examples(
                assumed.error,
                scale,
                printed_dimension,
                assumed.confidence,
            ),
            vacuous: assumed.error >= assumed.nothing,
            after: examples.map(|m| assumed.after(m, kappa, gamma)),
        })
    }
}

impl Assumed {
    fn check(&self) -> Result<()> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        within("dims", self.dims as f64, self.dims > 0, "at least 1")?;
        within("error", self.error, positive(self.error), "positive and finite")?;
        within("lipschitz", self.lipschitz, positive(self.lipschitz), "positive and finite")?;
        within("norm", self.norm, positive(self.norm), "positive and finite")?;
        within("nothing", self.nothing, positive(self.nothing), "positive and finite")?;
        let inside = self.confidence > 0.0 && self.confidence < 1.0;
        within("confidence", self.confidence, inside, "above 0 and below 1")
    }

    /// Bounds the excess after m examples.
    fn excess(&self, examples: f64, gamma: u64, kappa: f64) -> f64 {
        let truncated = self.lipschitz * self.norm * truncation_error(gamma, kappa);
        truncated + estimation_error(examples, self.dims, gamma, self.lipschitz, self.norm)
    }

    /// Returns the number of examples at which truncation and estimation errors sum to eps.
    fn enough(&self, gamma: u64, kappa: f64) -> Option<f64> {
        let left = self.error - self.lipschitz * self.norm * truncation_error(gamma, kappa);
        // The bound at one example is sqrt(m) times the bound at m.
        let at_one = estimation_error(1.0, self.dims, gamma, self.lipschitz, self.norm);
        (left > 0.0).then(|| (at_one / left).powi(2).ceil().max(1.0))
    }

    fn fewest(&self, kappa: f64) -> u64 {
        let shortest = super::least_gamma(self.error, kappa, self.lipschitz * self.norm);
        let tried = (0..LONGER).map(|more| shortest.saturating_add(more));
        let tried = tried.filter_map(|g| self.enough(g, kappa).map(|m| (g, m)));
        // Of equal ones the first: the shortest if all overflow.
        tried.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(shortest, |(gamma, _)| gamma)
    }

    fn after(&self, examples: u64, kappa: f64, gamma: Option<u64>) -> After {
        let m = examples as f64;
        let gamma = gamma.unwrap_or_else(|| {
            let tried = (1..=LONGER).map(|g| (g, self.excess(m, g, kappa)));
            tried.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1, |(gamma, _)| gamma)
        });
        let excess = self.excess(m, gamma, kappa);
        let c = tuned_c(m, self.dims, gamma, self.lipschitz, self.norm);
        After { examples, gamma, excess, c, vacuous: excess >= self.nothing }
    }
}

fn within(name: &'static str, value: f64, holds: bool, allowed: &str) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(ErrorKind::OutOfRange { name, value: shown(value), allowed: allowed.to_owned() }.into())
}
