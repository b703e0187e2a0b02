//! Moves a weight vector by sparse steps, lazily: an operation costs O(k log d), never O(d).
//!
//! | iterate | constraint | step |
//! |---|---|---|
//! | [`L2Ball`] | Euclidean norm at most B | gradient step, radial projection |
//! | [`L1Ball`] | l1 norm at most B | gradient step, soft threshold |
//! | [`Entropic`] | l1 norm at most B | normalised exponentiated gradient |
//! | [`PNormIterate`] | none, or q-norm at most B | gradient step through the p-norm's link |
//!
//! Every iterate also gives the probability of drawing each attribute for the estimate of <w,x>,
//! and sums the iterates to be averaged.

mod active_set;
#[cfg(test)]
mod dense_reference;
mod entropic;
mod l1_ball;
mod l2_ball;
mod p_norm;
mod weighing;

pub use entropic::Entropic;
pub use l1_ball::L1Ball;
pub use l2_ball::L2Ball;
pub use p_norm::PNormIterate;
pub use weighing::Weighing;

use crate::error::{Error, Result};
use crate::sampling::SumTree;

/// Geometry of an iterate besides its radius, if it has a choice.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shape {
    /// p, at least 2; `None` means 2 ln of the number of slots, at least 2.
    pub power: Option<f64>,
    /// True if w is projected onto the ball.
    pub ball: bool,
}

impl Shape {
    /// Returns p for a number of slots.
    pub fn power(self, slots: usize) -> f64 {
        self.power.unwrap_or_else(|| (2.0 * (slots as f64).ln()).max(2.0))
    }
}

/// Weight vector w over slots 0..len, starting at 0, in a ball of fixed radius.
pub trait Iterate: Clone + Send + serde::Serialize + serde::de::DeserializeOwned {
    /// Creates the zero vector.
    fn new(len: usize, radius: f64) -> Self;

    /// Sets the shape, before any other call; iterates without a choice ignore it. It is not saved.
    fn shape(&mut self, shape: Shape) {
        let _ = shape;
    }

    /// Returns the number of slots.
    fn len(&self) -> usize;

    /// Returns true if there are no slots.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns one weight.
    fn weight(&self, slot: usize) -> f64;

    /// Returns the slot at position `unit` in [0, 1) of the cumulated masses; `None` while w = 0.
    fn draw(&self, unit: f64) -> Option<usize>;

    /// Returns the mass of a slot, as `draw` uses it: the probability is mass /
    /// [`total_mass`](Iterate::total_mass).
    fn mass(&self, slot: usize) -> f64;

    /// Returns the sum of all masses.
    fn total_mass(&self) -> f64;

    /// Sets w to Proj(shrink w - size g) for a sparse gradient g of (slot, value) pairs, slots
    /// increasing.
    fn step(&mut self, gradient: &[(u32, f64)], size: f64, shrink: f64);

    /// Adds the present w to the average, with a weight above 0.
    fn count(&mut self, weight: f64);

    /// Drops all counted iterates, in O(1).
    fn restart_average(&mut self);

    /// Returns the weighted average of the counted iterates, (len); the present w if none is
    /// counted.
    fn average(&self) -> Vec<f64>;

    /// Adds a second weighting, |w_j| times a factor per slot, which is not saved and replaces
    /// earlier ones. Returns true if the iterate supports it.
    fn weigh(&mut self, factors: Vec<f64>) -> bool {
        let _ = factors;
        false
    }

    /// Returns the second weighting, if any.
    #[inline]
    fn weighed(&self) -> Option<&Weighing> {
        None
    }

    /// Completes and checks an iterate loaded from a file.
    ///
    /// # Errors
    /// [`Error::BadState`] if its numbers cannot be an iterate of this length and radius.
    fn restore(&mut self, len: usize, radius: f64) -> Result<()>;
}

/// Value below every S of a lazy average, for which nothing is dropped.
const NOTHING: f64 = -1.0;

/// Returns the contribution of a slot to a lazy average up to S = `now`, where S sums the common
/// scale over the counted iterates. It is `sum`, up to S = `since`, plus `value` times the growth
/// since; contributions up to `forgotten` are dropped.
#[inline]
fn lazy_sum(sum: f64, since: f64, value: f64, now: f64, forgotten: f64) -> f64 {
    if since <= forgotten { (now - forgotten) * value } else { sum + (now - since) * value }
}

/// Returns an empty tree, to be filled when an iterate is restored.
fn no_tree() -> SumTree {
    SumTree::filled(0, 0.0)
}

/// Largest count of a saved iterate, so that further counting cannot overflow.
const LARGEST_COUNT: u64 = 1 << 53;

/// Returns true if a number can be the sum of weights of a saved iterate.
fn is_count(counted: f64) -> bool {
    counted >= 0.0 && counted.is_finite()
}

/// Refuses a saved iterate whose numbers are not finite or have another size.
fn check_saved(len: (usize, usize), radius: (f64, f64), finite: bool) -> Result<()> {
    let problem = if len.0 != len.1 {
        format!("has {} slots, the layout {}", len.0, len.1)
    } else if radius.0 != radius.1 {
        format!("has radius {}, the parameters {}", radius.0, radius.1)
    } else if !finite {
        "holds a number that is not finite or out of range".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::BadState { problem })
}
