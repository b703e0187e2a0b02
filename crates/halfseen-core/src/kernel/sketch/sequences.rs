//! Computes the whole embedding of k_gamma if it has few coordinates.
//!
//! Sequences with the same set S of columns before their last column i have equal coordinates. S
//! and S with i give equal coordinates too, since an unobserved value is 0. The remaining pairs (S,
//! i) have at most gamma - 1 columns in S and i not among them: d sum_(k < gamma) binom(d - 1, k)
//! pairs, which is d^2 for gamma = 2. With c^r = sum_k T(r, k) binom(c, k), T(r, k) the surjections
//! of r onto k elements, sets of size k have the weight w_k = sum_r a_r T(r, k), and a pair has the
//! weight w_|S| + w_(|S| + 1).

/// Coordinates (S, i).
#[derive(Debug, Clone)]
pub(super) struct Sequences {
    /// Sets S: index of the set without its last column, and that column; the empty set is first.
    sets: Vec<(u32, u32)>,
    /// S, i and root weight of each coordinate.
    coordinates: Vec<(u32, u32, f64)>,
}

impl Sequences {
    /// Returns `None` beyond `most` coordinates, or if a weight overflows.
    pub(super) fn new(columns: usize, weights: &[f64], most: usize) -> Option<Sequences> {
        let longest = weights.iter().rposition(|&a| a > 0.0)?.min(columns - 1);
        let (mut count, mut sets_of_size) = (0.0, 1.0);
        for k in 0..=longest {
            count += columns as f64 * sets_of_size;
            sets_of_size *= (columns - 1 - k) as f64 / (k + 1) as f64;
        }
        if count > most as f64 {
            return None;
        }
        let weights = set_weights(weights, longest + 1);
        if !weights.iter().all(|w| w.is_finite()) {
            return None;
        }
        // In order of size; each is a smaller set and a later column.
        let (mut sets, mut sizes) = (vec![(0, 0)], vec![0]);
        let mut at = 0;
        while at < sets.len() {
            let first = if at == 0 { 0 } else { sets[at].1 as usize + 1 };
            if sizes[at] < longest {
                for column in first..columns {
                    sets.push((at as u32, column as u32));
                    sizes.push(sizes[at] + 1);
                }
            }
            at += 1;
        }
        let mut coordinates = Vec::with_capacity(count as usize);
        for (at, &size) in sizes.iter().enumerate() {
            let root = (weights[size] + weights[size + 1]).sqrt();
            if root > 0.0 {
                let outside = (0..columns as u32).filter(|&i| !contains(&sets, at, i));
                coordinates.extend(outside.map(|i| (at as u32, i, root)));
            }
        }
        Some(Sequences { sets, coordinates })
    }

    pub(super) fn len(&self) -> usize {
        self.coordinates.len()
    }

    pub(super) fn room(&self) -> Vec<f64> {
        vec![0.0; self.sets.len()]
    }

    pub(super) fn room_len(&self) -> usize {
        self.sets.len()
    }

    /// Writes the coordinates; `room` receives 1 for each completely observed set, else 0.
    pub(super) fn write(
        &self,
        values: &[f64],
        observed: &[f32],
        out: &mut [f64],
        room: &mut [f64],
    ) {
        room[0] = 1.0;
        for (at, &(smaller, column)) in self.sets.iter().enumerate().skip(1) {
            room[at] = room[smaller as usize] * f64::from(observed[column as usize]);
        }
        for (feature, &(set, i, root)) in out.iter_mut().zip(&self.coordinates) {
            *feature = root * room[set as usize] * values[i as usize];
        }
    }
}

fn contains(sets: &[(u32, u32)], mut at: usize, column: u32) -> bool {
    while at > 0 {
        if sets[at].1 == column {
            return true;
        }
        at = sets[at].0 as usize;
    }
    false
}

/// Returns w_0 to w_(most).
fn set_weights(weights: &[f64], most: usize) -> Vec<f64> {
    // T(r, k), row by row: T(r + 1, k) = k (T(r, k) + T(r, k - 1)).
    let mut surjections = vec![0.0; most + 1];
    surjections[0] = 1.0;
    let mut sums = vec![0.0; most + 1];
    for a in weights {
        if *a > 0.0 {
            sums.iter_mut().zip(&surjections).for_each(|(w, t)| *w += a * t);
        }
        for k in (1..=most).rev() {
            surjections[k] = k as f64 * (surjections[k] + surjections[k - 1]);
        }
        surjections[0] = 0.0;
    }
    sums
}
