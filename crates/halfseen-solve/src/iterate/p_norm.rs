//! Maintains the iterate of a p-norm algorithm by its dual vector, one number per slot and a common
//! scale.
//!
//! theta sums the steps -eta g, and w is the gradient of |theta|_p^2 / 2: w_j = sgn(theta_j)
//! |theta_j|^(p - 1) / |theta|_p^(p - 2), whose q-norm, 1/p + 1/q = 1, is |theta|_p (Gentile 2003;
//! Cesa-Bianchi and Lugosi 2006, section 11.2). p = 2 is gradient descent; p = 2 ln d behaves like
//! exponentiated gradient. The link is homogeneous: scaling theta scales w, which is also the
//! Bregman projection on a ball of the q-norm.
//!
//! With theta = s u a single sum tree of leaves |u_j|^p suffices: its root gives |u|_p =: N, and
//! w_j = c v_j with v_j = sgn(u_j) |u_j|^(p - 1) of the slot alone and a common c = s N^(2 - p). So
//! averages are lazy as in the Euclidean ball: with S the sum of c over the counted iterates, slot
//! j owes (S - S_j) v_j. u is rebased to N = 1 when c has fallen far, for accurate averages, and
//! before powers leave the range of f64.
//!
//! Slots are drawn in proportion to |theta_j|^p, which is |w_j|^q up to scale: w^2 for p = 2,
//! towards |w| as p grows. The estimate w_j x_j / share_j of <w,x> from one draw then has the
//! second moment |theta|_p^2 sum_j x_j^2 (|theta_j| / |theta|_p)^(p - 2), at most |w|_q^2 |x|_p^2
//! by Hoelder: the bound that these norms give for <w,x>^2 itself.

use super::{Iterate, NOTHING, Shape, Weighing, check_saved, is_count, lazy_sum, no_tree};
use crate::error::Result;
use crate::sampling::SumTree;
use serde::{Deserialize, Serialize};

/// Fraction of the largest c below which u is rebased: S would absorb late terms.
const SMALLEST_SHARE: f64 = 1e-3;
/// N^p beyond this, or below its reciprocal, also causes a rebase.
const LARGEST_SUM: f64 = 1e100;

/// Vector moved through the link of the p-norm; see the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PNormIterate {
    radius: f64,
    /// p.
    #[serde(skip, default = "two")]
    power: f64,
    /// True if w is kept in the ball of the q-norm.
    #[serde(skip)]
    ball: bool,
    /// s.
    scale: f64,
    /// Largest c since the last rebase.
    peak: f64,
    /// S: the weighted sum of c over the counted iterates since the last rebase.
    counted_scale: f64,
    /// Sum of the weights of the counted iterates.
    counted: f64,
    /// S at the last restart of the average. Earlier contributions of a slot are dropped when the
    /// slot is next accessed.
    forgotten: f64,
    slots: Vec<Slot>,
    /// |u_j|^p.
    #[serde(skip, default = "no_tree")]
    powers: SumTree,
    /// c; 0 while w = 0.
    #[serde(skip)]
    factor: f64,
    /// |v_j| times a factor.
    #[serde(skip)]
    weighing: Option<Weighing>,
}

/// State of one slot, contiguous in memory.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Slot {
    /// u_j.
    value: f64,
    /// Sum of the counted w_j up to `since`.
    sum: f64,
    /// S at the last update of `sum`.
    since: f64,
}

impl Slot {
    /// Returns v_j, given |u_j|^p.
    #[inline]
    fn moved(&self, power: f64) -> f64 {
        if self.value == 0.0 { 0.0 } else { power / self.value }
    }

    /// Returns the sum of the counted w_j up to S = `now`, given |u_j|^p.
    #[inline]
    fn sum_at(&self, now: f64, forgotten: f64, power: f64) -> f64 {
        lazy_sum(self.sum, self.since, self.moved(power), now, forgotten)
    }
}

fn two() -> f64 {
    2.0
}

/// Returns |u|^p; p = 2 needs no logarithm.
#[inline]
fn raised(value: f64, power: f64) -> f64 {
    if power == 2.0 { value * value } else { value.abs().powf(power) }
}

impl PNormIterate {
    /// Returns |u|_p.
    fn norm(&self) -> f64 {
        self.powers.total().powf(1.0 / self.power)
    }

    /// Divides u by `unit`, multiplies s by it, and updates every sum.
    fn rebase(&mut self, unit: f64) {
        for (j, slot) in self.slots.iter_mut().enumerate() {
            slot.sum = slot.sum_at(self.counted_scale, self.forgotten, self.powers.get(j));
            slot.since = 0.0;
            slot.value /= unit;
        }
        self.scale *= unit;
        self.counted_scale = 0.0;
        self.forgotten = NOTHING;
        self.rebuild();
        self.peak = self.factor;
    }

    /// Recomputes all quantities derived from s and u.
    fn rebuild(&mut self) {
        let (slots, power) = (&self.slots, self.power);
        self.powers.refill(|j| raised(slots[j].value, power));
        let powers = &self.powers;
        if let Some(weighing) = &mut self.weighing {
            weighing.refill(|j| slots[j].moved(powers.get(j)).abs());
        }
        self.factor = self.present_factor();
    }

    /// Returns s N^(2 - p).
    #[inline]
    fn present_factor(&self) -> f64 {
        match self.powers.total() {
            _ if self.power == 2.0 => self.scale,
            0.0 => 0.0,
            total => self.scale * total.powf((2.0 - self.power) / self.power),
        }
    }

    /// Rebases if the present numbers require it.
    #[inline]
    fn tidy(&mut self, moved: bool) {
        let total = self.powers.total();
        let lost = total < 1.0 / LARGEST_SUM && moved;
        if lost || total > LARGEST_SUM {
            // All powers may have underflowed: then the largest entry is the unit.
            let largest = self.slots.iter().fold(0.0_f64, |a, s| a.max(s.value.abs()));
            if largest > 0.0 {
                self.rebase(largest);
            }
        }
        self.factor = self.present_factor();
        self.peak = self.peak.max(self.factor);
        if self.factor < SMALLEST_SHARE * self.peak && self.powers.total() > 0.0 {
            self.rebase(self.norm());
        }
    }
}

impl Iterate for PNormIterate {
    fn new(len: usize, radius: f64) -> Self {
        PNormIterate {
            radius,
            power: 2.0,
            ball: false,
            scale: 1.0,
            peak: 0.0,
            counted_scale: 0.0,
            counted: 0.0,
            forgotten: NOTHING,
            slots: vec![Slot { value: 0.0, sum: 0.0, since: 0.0 }; len],
            powers: SumTree::filled(len, 0.0),
            factor: 0.0,
            weighing: None,
        }
    }

    fn shape(&mut self, shape: Shape) {
        (self.power, self.ball) = (shape.power(self.len()), shape.ball);
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    fn weight(&self, slot: usize) -> f64 {
        self.factor * self.slots[slot].moved(self.powers.get(slot))
    }

    #[inline]
    fn draw(&self, unit: f64) -> Option<usize> {
        self.powers.draw(unit)
    }

    #[inline]
    fn mass(&self, slot: usize) -> f64 {
        self.powers.get(slot)
    }

    #[inline]
    fn total_mass(&self) -> f64 {
        self.powers.total()
    }

    #[inline]
    fn step(&mut self, gradient: &[(u32, f64)], size: f64, shrink: f64) {
        self.scale *= shrink;
        // A single large step must not take a power out of range.
        let reach =
            |&(j, g): &(u32, f64)| (self.slots[j as usize].value - size / self.scale * g).abs();
        let largest = gradient.iter().map(reach).fold(0.0, f64::max);
        if raised(largest, self.power) > LARGEST_SUM {
            self.rebase(largest);
        }
        let size = size / self.scale;
        for &(j, g) in gradient {
            let j = j as usize;
            let slot = &mut self.slots[j];
            slot.sum = slot.sum_at(self.counted_scale, self.forgotten, self.powers.get(j));
            slot.since = self.counted_scale;
            slot.value -= size * g;
            self.powers.write(j, raised(slot.value, self.power));
        }
        let written = gradient.iter().map(|&(j, _)| j as usize);
        self.powers.refresh(written.clone());
        if let Some(weighing) = &mut self.weighing {
            let moved = |j: usize| self.slots[j].moved(self.powers.get(j)).abs();
            written.clone().for_each(|j| weighing.write(j, moved(j)));
            weighing.refresh(written);
        }
        if self.ball {
            let norm = self.norm();
            if self.scale * norm > self.radius {
                self.scale = self.radius / norm;
            }
        }
        self.tidy(largest > 0.0 || self.factor > 0.0);
    }

    #[inline]
    fn count(&mut self, weight: f64) {
        self.counted_scale += weight * self.factor;
        self.counted += weight;
    }

    fn restart_average(&mut self) {
        self.counted = 0.0;
        self.forgotten = self.counted_scale;
    }

    fn average(&self) -> Vec<f64> {
        if self.counted == 0.0 {
            return (0..self.len()).map(|j| self.weight(j)).collect();
        }
        let sum = |(j, s): (usize, &Slot)| {
            s.sum_at(self.counted_scale, self.forgotten, self.powers.get(j))
        };
        self.slots.iter().enumerate().map(|slot| sum(slot) / self.counted).collect()
    }

    fn weigh(&mut self, factors: Vec<f64>) -> bool {
        self.weighing =
            Some(Weighing::new(factors, |j| self.slots[j].moved(self.powers.get(j)).abs()));
        true
    }

    #[inline]
    fn weighed(&self) -> Option<&Weighing> {
        self.weighing.as_ref()
    }

    fn restore(&mut self, len: usize, radius: f64) -> Result<()> {
        let slot = |s: &Slot| {
            raised(s.value, self.power) <= LARGEST_SUM && s.sum.is_finite() && s.since.is_finite()
        };
        let finite = self.slots.iter().all(slot)
            && self.scale > 0.0
            && self.scale.is_finite()
            && self.peak >= 0.0
            && self.peak.is_finite()
            && self.counted_scale.is_finite()
            && self.forgotten.is_finite()
            && is_count(self.counted);
        check_saved((self.len(), len), (self.radius, radius), finite)?;
        self.powers = SumTree::filled(len, 0.0);
        self.rebuild();
        check_saved((len, len), (radius, radius), self.factor.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iterate::L2Ball;
    use crate::iterate::dense_reference::{Dense, check_twin_of};
    use crate::sampling::{Purpose, Stream};

    /// Takes the step literally, on a dual vector that every step touches in full.
    fn naive(
        len: usize,
        power: f64,
        ball: Option<f64>,
    ) -> impl Fn(&mut Dense, &[(u32, f64)], f64, f64) {
        let theta = std::cell::RefCell::new(vec![0.0_f64; len]);
        move |dense, gradient, size, shrink| {
            let theta = &mut *theta.borrow_mut();
            theta.iter_mut().for_each(|v| *v *= shrink);
            gradient.iter().for_each(|&(j, g)| theta[j as usize] -= size * g);
            // The largest entry is factored out of the norm, so that no power overflows.
            let top = theta.iter().fold(0.0_f64, |a, v| a.max(v.abs())).max(1e-300);
            let norm = |v: &[f64]| {
                top * v.iter().map(|v| (v.abs() / top).powf(power)).sum::<f64>().powf(1.0 / power)
            };
            let n = norm(theta);
            if let Some(radius) = ball.filter(|radius| n > *radius) {
                theta.iter_mut().for_each(|v| *v *= radius / n);
            }
            let n = norm(theta);
            for (w, v) in dense.weights.iter_mut().zip(theta) {
                *w = if n == 0.0 { 0.0 } else { n * (v.abs() / n).powf(power - 1.0) * v.signum() };
            }
        }
    }

    fn check(len: usize, radius: f64, power: f64, ball: bool, size: f64, shrink: f64) {
        let shape = Shape { power: Some(power), ball };
        let make = || {
            let mut iterate = PNormIterate::new(len, radius);
            iterate.shape(shape);
            iterate
        };
        let dual = power / (power - 1.0);
        let dense = naive(len, power, ball.then_some(radius));
        check_twin_of(
            make,
            |i| i.shape(shape),
            radius,
            size,
            shrink,
            dense,
            |w| w.abs().powf(dual),
        );
    }

    #[test]
    fn equals_the_link_as_it_is_written() {
        for power in [2.0, 2.5, 4.0, 8.2, 13.0] {
            check(60, 1.0, power, false, 0.02, 1.0);
            check(60, 1.0, power, true, 0.3, 1.0);
            check(40, 2.0, power, true, 0.2, 0.95);
        }
    }

    #[test]
    fn equals_the_euclidean_ball_for_p_2_while_that_does_not_project() {
        let (mut plain, mut ball) = (PNormIterate::new(20, 1e6), L2Ball::new(20, 1e6));
        plain.shape(Shape { power: Some(2.0), ball: false });
        let mut stream = Stream::new(3, Purpose::Data, 0);
        for t in 0..2_000 {
            let j = stream.below(19) as u32;
            let gradient = [(j, stream.normal()), (j + 1, stream.normal())];
            plain.step(&gradient, 0.1, 1.0);
            ball.step(&gradient, 0.1, 1.0);
            plain.count(1.0);
            ball.count(1.0);
            for j in 0..20 {
                assert!(
                    (plain.weight(j) - ball.weight(j)).abs() <= 1e-15 * ball.weight(j).abs(),
                    "step {t}"
                );
                assert_eq!((plain.mass(j), plain.total_mass()), (ball.mass(j), ball.total_mass()));
            }
            assert_eq!(plain.draw(0.37), ball.draw(0.37));
        }
        for (a, b) in plain.average().iter().zip(ball.average()) {
            assert!((a - b).abs() < 1e-13, "{a} against {b}");
        }
    }

    /// Checks the norms behind theory steps: |w|_q = |theta|_p, and the second moment of one draw.
    #[test]
    fn norms_and_second_moments_are_as_documented() {
        let mut stream = Stream::new(4, Purpose::Data, 0);
        for power in [2.0, 3.0, 7.5] {
            let mut iterate = PNormIterate::new(6, 1.0);
            iterate.shape(Shape { power: Some(power), ball: false });
            let theta: Vec<f64> = (0..6).map(|_| stream.normal()).collect();
            let gradient: Vec<(u32, f64)> =
                theta.iter().enumerate().map(|(j, v)| (j as u32, -v)).collect();
            iterate.step(&gradient, 1.0, 1.0);
            let norm =
                |v: &[f64], p: f64| v.iter().map(|v| v.abs().powf(p)).sum::<f64>().powf(1.0 / p);
            let w: Vec<f64> = (0..6).map(|j| iterate.weight(j)).collect();
            let length = norm(&theta, power);
            assert!((norm(&w, power / (power - 1.0)) / length - 1.0).abs() < 1e-13);
            let x: Vec<f64> = (0..6).map(|_| stream.normal()).collect();
            let share = |j: usize| iterate.mass(j) / iterate.total_mass();
            let second: f64 = (0..6).map(|j| (w[j] * x[j]).powi(2) / share(j)).sum();
            let closed: f64 = (0..6)
                .map(|j| (length * x[j]).powi(2) * (theta[j].abs() / length).powf(power - 2.0))
                .sum();
            assert!((second / closed - 1.0).abs() < 1e-12, "{second} against {closed}");
            assert!(second <= (length * norm(&x, power)).powi(2) * (1.0 + 1e-12));
        }
    }

    #[test]
    fn leaps_and_cancellations_leave_the_numbers_in_range() {
        let mut iterate = PNormIterate::new(10, 1.0);
        iterate.shape(Shape { power: Some(27.0), ball: false });
        iterate.step(&[(3, -1e-90)], 1.0, 1.0);
        assert!((iterate.weight(3) / 1e-90 - 1.0).abs() < 1e-12);
        iterate.step(&[(4, -1e90)], 1.0, 1.0);
        assert!((iterate.weight(4) / 1e90 - 1.0).abs() < 1e-12);
        assert_eq!(iterate.draw(0.5), Some(4));
        iterate.count(1.0);
        iterate.step(&[(4, 1e90)], 1.0, 1.0);
        iterate.step(&[(5, -2.0)], 1.0, 1.0);
        assert!((iterate.weight(5) / 2.0 - 1.0).abs() < 1e-12, "{}", iterate.weight(5));
        assert!((iterate.average()[4] / 1e90 - 1.0).abs() < 1e-12);
        iterate.step(&[], 1.0, 1.0);
        assert!((iterate.weight(5) / 2.0 - 1.0).abs() < 1e-12);
    }
}
