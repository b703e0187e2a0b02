//! Draws an index in proportion to weights that change one at a time, in O(log d).
//!
//! Such structures often keep a running total, which drifts. Here every inner node is *recomputed*
//! from its children, so it depends on the present leaves only and not on the history: its relative
//! error is at most about log(d) rounding errors, and a rebuilt tree has the same bits.

use super::fan::{Fan, Siblings, choose};

/// Non-negative weights over 0..n with their sum.
#[derive(Debug, Clone, PartialEq)]
pub struct SumTree {
    /// All levels, leaves first; each padded with zeros. The root is the first of the last siblings.
    nodes: Vec<Siblings>,
    shape: Fan,
    len: usize,
}

impl SumTree {
    /// Creates a tree of `len` equal weights.
    pub fn filled(len: usize, weight: f64) -> SumTree {
        let shape = Fan::new(len);
        let nodes = vec![Siblings([0.0; Fan::OUT]); shape.nodes().div_ceil(Fan::OUT)];
        let mut tree = SumTree { nodes, shape, len };
        tree.refill(|_| weight);
        tree
    }

    /// Replaces every weight, in O(n).
    pub fn refill(&mut self, weight: impl FnMut(usize) -> f64) {
        let leaves = self.nodes.iter_mut().flat_map(|siblings| &mut siblings.0);
        (0..self.len).map(weight).zip(leaves).for_each(|(w, leaf)| *leaf = w);
        self.refresh_all();
    }

    /// Recomputes every sum.
    fn refresh_all(&mut self) {
        for level in 1..self.shape.levels() {
            let (below, here) = self.nodes.split_at_mut(self.shape.start(level) / Fan::OUT);
            let children = &below[self.shape.start(level - 1) / Fan::OUT..];
            let parents = here.iter_mut().flat_map(|siblings| &mut siblings.0);
            parents.zip(children).for_each(|(parent, children)| *parent = children.sum());
        }
    }

    /// Returns the number of weights.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no weights.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns one weight.
    #[inline]
    pub fn get(&self, index: usize) -> f64 {
        self.nodes[index / Fan::OUT].0[index % Fan::OUT]
    }

    /// Returns the sum of all weights.
    #[inline]
    pub fn total(&self) -> f64 {
        self.nodes[self.nodes.len() - 1].0[0]
    }

    /// Sets one weight, which must be finite and not negative.
    #[inline]
    pub fn set(&mut self, index: usize, weight: f64) {
        self.write(index, weight);
        self.refresh(std::iter::once(index));
    }

    /// Sets one weight; sums above it stay stale until [`refresh`](SumTree::refresh).
    #[inline]
    pub fn write(&mut self, index: usize, weight: f64) {
        debug_assert!(index < self.len && weight >= 0.0 && weight.is_finite(), "weight {weight}");
        self.nodes[index / Fan::OUT].0[index % Fan::OUT] = weight;
    }

    /// Recomputes the sums above the written indices, each once if the indices increase.
    #[inline]
    pub fn refresh(&mut self, written: impl Iterator<Item = usize> + Clone) {
        // A sixth of the nodes costs as much one by one as all of them in order.
        if 6 * written.size_hint().0 > self.len.div_ceil(Fan::OUT) {
            return self.refresh_all();
        }
        for level in 1..self.shape.levels() {
            for at in Fan::above(level, written.clone()) {
                let sum = self.nodes[self.shape.children(level, at)].sum();
                let node = self.shape.start(level) + at;
                self.nodes[node / Fan::OUT].0[node % Fan::OUT] = sum;
            }
        }
    }

    /// Returns the index at position `unit` in [0, 1) of the cumulated weights; `None` if all are
    /// zero.
    ///
    /// Never returns an index of weight zero, despite rounding.
    #[inline]
    pub fn draw(&self, unit: f64) -> Option<usize> {
        if self.total() <= 0.0 {
            return None;
        }
        let (mut at, mut rest) = (0, unit * self.total());
        for level in (1..self.shape.levels()).rev() {
            let children = &self.nodes[self.shape.children(level, at)].0;
            let chosen = choose(&mut rest, |i| children[i])?;
            at = at * Fan::OUT + chosen;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{Purpose, Stream};

    #[test]
    fn total_equals_a_fresh_sum_after_a_million_changes_of_wild_scale() {
        let mut stream = Stream::new(3, Purpose::Data, 0);
        let mut tree = SumTree::filled(1000, 1.0);
        for _ in 0..1_000_000 {
            let exponent = -12.0 + 16.0 * stream.unit();
            tree.set(stream.below(1000), 10_f64.powf(exponent));
        }
        for i in 0..1000 {
            tree.set(i, 1e-9 * (1.0 + i as f64));
        }
        let fresh: f64 = (0..1000).map(|i| tree.get(i)).sum();
        assert!((tree.total() / fresh - 1.0).abs() < 1e-13);
        let mut rebuilt = SumTree::filled(1000, 0.0);
        rebuilt.refill(|i| tree.get(i));
        assert_eq!(rebuilt, tree, "no history: a rebuilt tree has the same bits");
    }

    #[test]
    fn draws_have_the_stated_probabilities() {
        for len in [1, 7, 8, 9, 70, 600] {
            let mut stream = Stream::new(4, Purpose::Data, len as u64);
            let mut tree = SumTree::filled(len, 0.0);
            tree.refill(|i| if i % 3 == 1 { 0.0 } else { 0.5 + i as f64 });
            let mut counts = vec![0.0; len];
            let draws = 1_000_000 / 8;
            for _ in 0..draws {
                counts[tree.draw(stream.unit()).unwrap()] += 1.0;
            }
            let (mut chi, mut freedom) = (0.0, -1.0);
            for (i, count) in counts.iter().enumerate() {
                let expected = f64::from(draws) * tree.get(i) / tree.total();
                if expected == 0.0 {
                    assert_eq!(*count, 0.0);
                } else {
                    chi += (count - expected).powi(2) / expected;
                    freedom += 1.0;
                }
            }
            // Four standard deviations above the mean of a chi-square; the seed is fixed.
            assert!(chi <= freedom + 4.0 * f64::sqrt(2.0 * freedom), "d = {len}: chi-square {chi}");
        }
    }

    #[test]
    fn zero_weights_are_never_drawn_even_at_the_edges() {
        let mut tree = SumTree::filled(20, 0.0);
        assert_eq!(tree.draw(0.3), None);
        tree.set(4, 1e-300);
        tree.set(17, 1e300);
        let almost_one = 1.0 - f64::EPSILON / 2.0;
        assert_eq!(tree.draw(almost_one), Some(17));
        assert_eq!(tree.draw(0.0), Some(4));
        tree.set(17, 0.0);
        assert_eq!(tree.draw(almost_one), Some(4));
    }
}
