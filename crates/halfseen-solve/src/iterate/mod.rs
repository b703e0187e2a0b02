//! Moves a weight vector by sparse steps, holding it lazily: each operation costs O(k log d), never
//! O(d).
//!
//! | iterate | constraint | step |
//! |---|---|---|
//! | [`L2Ball`] | Euclidean norm at most B | gradient step, radial projection |
//! | [`L1Ball`] | l1 norm at most B | gradient step, soft threshold |
//! | [`Entropic`] | l1 norm at most B | normalised exponentiated gradient |
//! | [`PNormIterate`] | none, or q-norm at most B | gradient step through the p-norm's link |
//!
//! Every iterate also knows in what proportion to draw an attribute for the estimate of <w,x>, and
//! sums the iterates that are to be averaged.

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

/// What the geometry of an iterate has besides a radius, where it has a choice.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shape {
    /// p, at least 2; `None` is 2 ln of the number of slots, at least 2.
    pub power: Option<f64>,
    /// Whether w is kept in the ball.
    pub ball: bool,
}

impl Shape {
    /// p for so many slots.
    pub fn power(self, slots: usize) -> f64 {
        self.power.unwrap_or_else(|| (2.0 * (slots as f64).ln()).max(2.0))
    }
}

/// A weight vector w over slots 0..len, starting at 0, in a ball of fixed radius.
pub trait Iterate: Clone + Send + serde::Serialize + serde::de::DeserializeOwned {
    /// The zero vector.
    fn new(len: usize, radius: f64) -> Self;

    /// Takes a shape, before anything else; an iterate that has no choice of one ignores it. It is
    /// not saved.
    fn shape(&mut self, shape: Shape) {
        let _ = shape;
    }

    /// Number of slots.
    fn len(&self) -> usize;

    /// Whether there is no slot.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One weight.
    fn weight(&self, slot: usize) -> f64;

    /// The slot at position `unit` in [0, 1) of the cumulated masses; `None` while w = 0.
    fn draw(&self, unit: f64) -> Option<usize>;

    /// The share of a slot in the draw is its mass over [`total_mass`](Iterate::total_mass): these
    /// are the very numbers that `draw` goes by.
    fn mass(&self, slot: usize) -> f64;

    /// The sum of all masses.
    fn total_mass(&self) -> f64;

    /// w <- Proj(shrink w - size g) for a sparse gradient g of (slot, value) pairs with increasing
    /// slots.
    fn step(&mut self, gradient: &[(u32, f64)], size: f64, shrink: f64);

    /// Adds the present w to the average, with this weight above 0.
    fn count(&mut self, weight: f64);

    /// Forgets what was counted, in O(1).
    fn restart_average(&mut self);

    /// The weighted average of the counted iterates, (len); the present w if none was counted.
    fn average(&self) -> Vec<f64>;

    /// Keeps a second weighting too, |w_j| times a factor for each slot (factors replace earlier
    /// ones). Whether this iterate can; it is not saved.
    fn weigh(&mut self, factors: Vec<f64>) -> bool {
        let _ = factors;
        false
    }

    /// The second weighting, if one is kept.
    #[inline]
    fn weighed(&self) -> Option<&Weighing> {
        None
    }

    /// Completes and checks an iterate that was read from a file.
    ///
    /// # Errors
    /// [`Error::BadState`] if its numbers cannot be an iterate of this length and radius.
    fn restore(&mut self, len: usize, radius: f64) -> Result<()>;
}

/// Below every S of a lazy average: nothing is forgotten.
const NOTHING: f64 = -1.0;

/// What a slot adds to a lazy average up to S = `now`, S the sum over the counted iterates of what
/// scales all slots alike: its `sum` up to S = `since`, and `value` times the growth since then;
/// nothing of what was up to `forgotten`.
#[inline]
fn lazy_sum(sum: f64, since: f64, value: f64, now: f64, forgotten: f64) -> f64 {
    if since <= forgotten { (now - forgotten) * value } else { sum + (now - since) * value }
}

/// A tree that is filled when an iterate is restored.
fn no_tree() -> SumTree {
    SumTree::filled(0, 0.0)
}

/// No count of a saved iterate is larger: counting on must not overflow.
const LARGEST_COUNT: u64 = 1 << 53;

/// Whether this can be a sum of weights of a saved iterate.
fn is_count(counted: f64) -> bool {
    counted >= 0.0 && counted.is_finite()
}

/// Refuses a saved iterate whose numbers are not finite or of another size.
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
