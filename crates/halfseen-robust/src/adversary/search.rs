//! Solves the 0/1 knapsack by branch and bound (Horowitz and Sahni 1974, with the bound of Martello
//! and Toth 1990, section 2.3).

/// 0/1 knapsack solver with its workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    /// (gain per cost, item, gain, cost), before sorting.
    sorted: Vec<(f64, u32, f64, f64)>,
    /// Items by falling gain per cost.
    order: Vec<u32>,
    gain: Vec<f64>,
    cost: Vec<f64>,
    /// Cumulative gains and costs before each item.
    gains: Vec<f64>,
    costs: Vec<f64>,
    /// Least cost from each item on.
    least: Vec<f64>,
    /// (item, gain before it, budget before it).
    stack: Vec<(u32, f64, f64)>,
    best: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WorstSet {
    pub(crate) gain: f64,
    /// Upper bound on the gain of whole items.
    pub(crate) bound: f64,
    /// True if no others gain more, up to rounding.
    pub(crate) exact: bool,
}

/// Relative difference below which gains count as equal.
const SAME: f64 = 1e-14;

impl Search {
    /// Finds the best of items with gains and costs above 0, within `limit` bounds. `whole`
    /// declares that gains are whole numbers.
    pub(crate) fn run(
        &mut self,
        items: impl Iterator<Item = (u32, f64, f64)>,
        budget: f64,
        whole: bool,
        limit: usize,
    ) -> WorstSet {
        self.sort(items, budget);
        let n = self.order.len();
        let root = self.bound(0, 0.0, budget);
        // Nodes that cannot improve the best by more than this are pruned.
        let slack = if whole { 1.0 - 1e-6 } else { SAME * root };
        let (mut best, mut bounds) = (-1.0, 0_usize);
        let (mut at, mut gain, mut left) = (0, 0.0, budget);
        self.stack.clear();
        loop {
            bounds += 1;
            if self.bound(at, gain, left) > best + slack {
                // Down: take all consecutive items that fit, then the next that fits.
                while at < n {
                    if self.cost[at] <= left {
                        self.stack.push((at as u32, gain, left));
                        gain += self.gain[at];
                        left -= self.cost[at];
                    }
                    at += 1;
                    if left < self.least[at.min(n - 1)] {
                        break;
                    }
                }
                if gain > best {
                    best = gain;
                    self.best.clear();
                    self.best.extend(self.stack.iter().map(|&(item, ..)| item));
                }
            }
            if bounds >= limit {
                return WorstSet { gain: best.max(0.0), bound: root.max(best), exact: false };
            }
            // Back: without the last item taken.
            let Some((item, before, budget)) = self.stack.pop() else {
                return WorstSet { gain: best.max(0.0), bound: best.max(0.0), exact: true };
            };
            (at, gain, left) = (item as usize + 1, before, budget);
        }
    }

    /// Returns the items found, in search order.
    pub(crate) fn items(&self) -> impl Iterator<Item = u32> + '_ {
        self.best.iter().map(|&at| self.order[at as usize])
    }

    fn sort(&mut self, items: impl Iterator<Item = (u32, f64, f64)>, budget: f64) {
        self.sorted.clear();
        let able = items.filter(|item| item.2 <= budget);
        self.sorted.extend(able.map(|(item, gain, cost)| (gain / cost, item, gain, cost)));
        self.sorted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let lists = [&mut self.gain, &mut self.cost, &mut self.gains, &mut self.costs];
        lists.into_iter().for_each(Vec::clear);
        self.order.clear();
        self.best.clear();
        let (mut gains, mut costs) = (0.0, 0.0);
        for &(_, item, gain, cost) in &self.sorted {
            self.order.push(item);
            self.gain.push(gain);
            self.cost.push(cost);
            self.gains.push(gains);
            self.costs.push(costs);
            gains += gain;
            costs += cost;
        }
        self.gains.push(gains);
        self.costs.push(costs);
        self.least.clear();
        self.least.resize(self.sorted.len(), 0.0);
        let mut least = f64::INFINITY;
        for (at, item) in self.sorted.iter().enumerate().rev() {
            least = least.min(item.3);
            self.least[at] = least;
        }
    }

    /// Returns an upper bound on the gain of whole items from `at` on within the budget `left`.
    fn bound(&self, at: usize, gain: f64, left: f64) -> f64 {
        let n = self.order.len();
        if at >= n || left < self.least[at] {
            return gain;
        }
        // First item that does not fit after all before it.
        let reach = self.costs[at] + left;
        let split = at + self.costs[at + 1..].partition_point(|&cost| cost <= reach);
        let (taken, rest) =
            (gain + (self.gains[split] - self.gains[at]), reach - self.costs[split]);
        if split == n {
            return taken;
        }
        let ratio = |item: usize| self.gain[item] / self.cost[item];
        let without = if split + 1 < n { taken + rest * ratio(split + 1) } else { taken };
        if split == at {
            return without;
        }
        let with = taken + self.gain[split] - (self.cost[split] - rest) * ratio(split - 1);
        without.max(with)
    }
}
