//! Solves the dual of one row exactly, by sorting: a projection onto a simplex (Crammer and Singer 2001, section 6).

/// Scratch for one row.
pub(super) struct Room {
    change: Vec<f64>,
    sorted: Vec<f64>,
}

impl Room {
    pub(super) fn new(classes: usize) -> Room {
        Room { change: vec![0.0; classes], sorted: Vec::with_capacity(classes) }
    }

    /// The change of a row's coefficients b, given its scores z, its k(x, x) and its class: minimises
    /// (k/2) |b|^2 + sum_r b_r g_r over sum_r b_r = 0, b_r <= C 1(r = own), where g_r = z_r - k b_r + 1(r != own).
    /// Also the largest change of one coefficient.
    pub(super) fn solve(&mut self, k: f64, c: f64, own: usize, b: &[f64], z: &[f64]) -> (&[f64], f64) {
        let raise = |r: usize| if r == own { 0.0 } else { 1.0 };
        // With a_r = C 1(r = own) - b_r: project onto the simplex of sum C what pulls a_r up.
        let pull = |r: usize| z[r] - k * b[r] + raise(r) + if r == own { k * c } else { 0.0 };
        if k <= 0.0 {
            // The row is zero: its scores are 0 whatever is done, and another class than its own wins by 1.
            let wrong = (0..z.len()).find(|&r| r != own);
            for r in 0..z.len() {
                let target = if wrong.is_none() {
                    0.0
                } else if r == own {
                    c
                } else if Some(r) == wrong {
                    -c
                } else {
                    0.0
                };
                self.change[r] = target - b[r];
            }
            return self.measured();
        }
        self.sorted.clear();
        self.sorted.extend((0..z.len()).map(pull));
        self.sorted.sort_unstable_by(|x, y| y.total_cmp(x));
        // theta with sum_r [pull_r - theta]_+ = k C.
        let (mut sum, mut theta) = (0.0, f64::INFINITY);
        for (s, value) in self.sorted.iter().enumerate() {
            sum += value;
            let next = (sum - k * c) / (s + 1) as f64;
            if *value <= next {
                break;
            }
            theta = next;
        }
        let mut total = 0.0;
        for r in (0..z.len()).filter(|&r| r != own) {
            let a = ((pull(r) - theta) / k).clamp(0.0, c);
            self.change[r] = -a - b[r];
            total += a;
        }
        // Sums to 0 as exactly as numbers can.
        self.change[own] = total.min(c) - b[own];
        self.measured()
    }

    fn measured(&self) -> (&[f64], f64) {
        (&self.change, self.change.iter().fold(0.0, |most, v| v.abs().max(most)))
    }
}
