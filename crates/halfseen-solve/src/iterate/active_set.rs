//! Maintains the active slots of an l1-ball iterate: sum, number and minimum of keys, and draws.
//!
//! A tree of eight-fold nodes, each recomputed from its children (see `sampling::fan`), so it has
//! no history. The textbook structure is an order-statistic tree, but the threshold of a sparse
//! update never needs ranks: it rises past the smallest keys one by one, and each of them is
//! removed permanently. A minimum suffices, ordered by index, without rotations or pointers.

use crate::sampling::fan::{Fan, Siblings, choose};

/// Keys of the active slots among 0..n.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ActiveSet {
    /// Keys, infinite for inactive slots; padded.
    keys: Vec<Siblings>,
    /// Levels above the keys; the root is the first of the last.
    nodes: Vec<Nodes>,
    shape: Fan,
}

/// Children of one node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Nodes {
    sums: Siblings,
    numbers: Siblings,
    least: Siblings,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    sum: f64,
    number: f64,
    least: f64,
}

impl Nodes {
    const EMPTY: Nodes = Nodes {
        sums: Siblings([0.0; Fan::OUT]),
        numbers: Siblings([0.0; Fan::OUT]),
        least: INACTIVE,
    };

    #[inline]
    fn get(&self, at: usize) -> Node {
        let [sum, number, least] = [&self.sums, &self.numbers, &self.least].map(|all| all.0[at]);
        Node { sum, number, least }
    }
}

/// Keys of inactive slots.
const INACTIVE: Siblings = Siblings([f64::INFINITY; Fan::OUT]);

impl Node {
    #[inline]
    fn of_key(key: f64) -> Node {
        let is_active = key < f64::INFINITY;
        let (sum, number) = if is_active { (key, 1.0) } else { (0.0, 0.0) };
        Node { sum, number, least: key }
    }

    /// Returns the node above keys.
    #[inline]
    fn above_keys(keys: &Siblings) -> Node {
        let sums = keys.0.map(|key| if key < f64::INFINITY { key } else { 0.0 });
        let numbers = keys.0.map(|key| if key < f64::INFINITY { 1.0 } else { 0.0 });
        Node { sum: Siblings(sums).sum(), number: Siblings(numbers).sum(), least: keys.least() }
    }

    /// Returns the node above others.
    #[inline]
    fn above(nodes: &Nodes) -> Node {
        let Nodes { sums, numbers, least } = nodes;
        Node { sum: sums.sum(), number: numbers.sum(), least: least.least() }
    }
}

impl ActiveSet {
    /// Creates a set of `len` inactive slots.
    pub(super) fn new(len: usize) -> ActiveSet {
        let shape = Fan::new(len);
        let keys = vec![INACTIVE; shape.start(1) / Fan::OUT];
        let nodes = vec![Nodes::EMPTY; shape.nodes().div_ceil(Fan::OUT) - keys.len()];
        ActiveSet { keys, nodes, shape }
    }

    #[inline]
    fn root(&self) -> Node {
        self.nodes[self.nodes.len() - 1].get(0)
    }

    #[inline]
    pub(super) fn sum(&self) -> f64 {
        self.root().sum
    }

    #[inline]
    pub(super) fn number(&self) -> f64 {
        self.root().number
    }

    /// Returns the smallest key; infinite if no slot is active.
    #[inline]
    pub(super) fn least(&self) -> f64 {
        self.root().least
    }

    /// Sets a key; infinity makes the slot inactive.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, key: f64) {
        self.write(slot, key);
        self.refresh(std::iter::once(slot));
    }

    /// Sets a key; nodes above it stay stale until [`refresh`](ActiveSet::refresh).
    #[inline]
    pub(super) fn write(&mut self, slot: usize, key: f64) {
        debug_assert!(!key.is_nan());
        self.keys[slot / Fan::OUT].0[slot % Fan::OUT] = key;
    }

    /// Recomputes the nodes above the written slots, each once if the slots increase.
    #[inline]
    pub(super) fn refresh(&mut self, written: impl Iterator<Item = usize> + Clone) {
        for level in 1..self.shape.levels() {
            let first = self.shape.start(level) / Fan::OUT - self.keys.len();
            for at in Fan::above(level, written.clone()) {
                let node = match level {
                    1 => Node::above_keys(&self.keys[at]),
                    _ => Node::above(&self.nodes[self.children(level, at)]),
                };
                let Nodes { sums, numbers, least } = &mut self.nodes[first + at / Fan::OUT];
                let place = at % Fan::OUT;
                (sums.0[place], numbers.0[place], least.0[place]) =
                    (node.sum, node.number, node.least);
            }
        }
    }

    /// Returns the place of the children of the `at`-th node of a level above the first.
    #[inline]
    fn children(&self, level: usize, at: usize) -> usize {
        self.shape.children(level, at) - self.keys.len()
    }

    /// Returns the i-th child of the `at`-th node of a level.
    #[inline]
    fn child(&self, level: usize, at: usize, i: usize) -> Node {
        match level {
            1 => Node::of_key(self.keys[at].0[i]),
            _ => self.nodes[self.children(level, at)].get(i),
        }
    }

    /// Returns an active slot with the smallest key.
    pub(super) fn argmin(&self) -> Option<usize> {
        self.descend(|node| node.least == self.least())
    }

    /// Returns the first active slot.
    pub(super) fn first(&self) -> Option<usize> {
        self.descend(|_| true)
    }

    /// Returns the next active slot after `slot`.
    pub(super) fn next(&self, slot: usize) -> Option<usize> {
        // Climb until a later sibling has an active slot, then descend to its first.
        let mut at = slot;
        for level in 1..self.shape.levels() {
            let (parent, child) = (at / Fan::OUT, at % Fan::OUT);
            if let Some(i) =
                (child + 1..Fan::OUT).find(|&i| self.child(level, parent, i).number > 0.0)
            {
                return self.descend_from(level - 1, parent * Fan::OUT + i, |_| true);
            }
            at = parent;
        }
        None
    }

    fn descend(&self, wanted: impl Fn(&Node) -> bool) -> Option<usize> {
        if self.number() == 0.0 {
            return None;
        }
        self.descend_from(self.shape.levels() - 1, 0, wanted)
    }

    fn descend_from(
        &self,
        level: usize,
        mut at: usize,
        wanted: impl Fn(&Node) -> bool,
    ) -> Option<usize> {
        for level in (1..=level).rev() {
            let fits = |i: &usize| {
                let node = self.child(level, at, *i);
                node.number > 0.0 && wanted(&node)
            };
            at = at * Fan::OUT + (0..Fan::OUT).find(fits)?;
        }
        Some(at)
    }

    /// Draws an active slot with probability proportional to key - threshold; all keys exceed
    /// `threshold`.
    #[inline]
    pub(super) fn draw(&self, unit: f64, threshold: f64) -> Option<usize> {
        let mass = |n: Node| n.sum - threshold * n.number;
        let mut rest = unit * mass(self.root());
        let mut at = 0;
        for level in (1..self.shape.levels()).rev() {
            let weight = |i| mass(self.child(level, at, i));
            // Where keys nearly equal the threshold, all differences of sums may round to zero.
            let chosen = choose(&mut rest, weight)
                .or_else(|| (0..Fan::OUT).find(|&i| self.child(level, at, i).number > 0.0))?;
            at = at * Fan::OUT + chosen;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{Purpose, Stream};
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_a_map_after_any_history() {
        for len in [1, 8, 9, 64, 65, 700] {
            let mut stream = Stream::new(1, Purpose::Data, len as u64);
            let (mut set, mut map) = (ActiveSet::new(len), BTreeMap::new());
            assert_eq!((set.first(), set.argmin(), set.draw(0.5, 0.0)), (None, None, None));
            for _ in 0..2_000 {
                let slot = stream.below(len);
                if stream.unit() < 0.4 {
                    set.set(slot, f64::INFINITY);
                    map.remove(&slot);
                } else {
                    let key = 1.0 + stream.unit();
                    set.set(slot, key);
                    map.insert(slot, key);
                }
                let least = map.values().fold(f64::INFINITY, |a, b| a.min(*b));
                assert_eq!((set.number() as usize, set.least()), (map.len(), least));
                assert!((set.sum() - map.values().sum::<f64>()).abs() < 1e-10);
                assert_eq!(
                    set.argmin().map(|s| set.keys[s / Fan::OUT].0[s % Fan::OUT]),
                    map.values().copied().reduce(f64::min)
                );
                if let Some(drawn) = set.draw(stream.unit(), 0.9) {
                    assert!(map.contains_key(&drawn));
                }
            }
            let walked: Vec<usize> = std::iter::successors(set.first(), |&s| set.next(s)).collect();
            assert_eq!(walked, map.keys().copied().collect::<Vec<_>>());
        }
    }
}
