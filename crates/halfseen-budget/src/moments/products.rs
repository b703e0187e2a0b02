//! Keeps a symmetric matrix of sums: dense in memory, its nonzero entries in a file.

use serde::{Deserialize, Serialize, Serializer};

/// Bound on the sums of a saved state: 2^53 admitted products stay below it.
pub(super) const LARGEST_SUM: f64 = 1e120;

/// The lower triangle of a symmetric matrix, row by row.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(from = "Sparse")]
pub(crate) struct Products {
    numbers: Vec<f64>,
    /// Entries read from a file, until [`Products::restore`].
    sparse: Sparse,
}

/// The nonzero entries.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sparse {
    /// Their places in the triangle, increasing.
    places: Vec<u32>,
    values: Vec<f64>,
}

impl From<Sparse> for Products {
    fn from(sparse: Sparse) -> Products {
        Products { numbers: Vec::new(), sparse }
    }
}

impl Serialize for Products {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sparse = Sparse::default();
        for (place, &value) in self.numbers.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            sparse.places.push(place as u32);
            sparse.values.push(value);
        }
        sparse.serialize(serializer)
    }
}

/// Returns the number of entries in the triangle of a matrix of this order.
pub(super) fn size(order: usize) -> usize {
    order * (order + 1) / 2
}

impl Products {
    pub(super) fn new(order: usize) -> Products {
        Products { numbers: vec![0.0; size(order)], sparse: Sparse::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the entry (i, j), which is also (j, i).
    #[inline]
    pub(super) fn get(&self, i: usize, j: usize) -> f64 {
        self.numbers[size(i.max(j)) + i.min(j)]
    }

    #[inline]
    pub(super) fn add(&mut self, i: usize, j: usize, value: f64) {
        self.numbers[size(i.max(j)) + i.min(j)] += value;
    }

    /// Adds vv'.
    pub(super) fn add_square(&mut self, v: &[f64]) {
        for (i, &a) in v.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            let row = &mut self.numbers[size(i)..=size(i) + i];
            row.iter_mut().zip(v).for_each(|(sum, b)| *sum += a * b);
        }
    }

    /// Marks the rows with a nonzero entry.
    pub(super) fn mark(&self, used: &mut [bool]) {
        if self.is_empty() {
            return;
        }
        for i in 0..used.len() {
            for (j, _) in
                self.numbers[size(i)..=size(i) + i].iter().enumerate().filter(|(_, v)| **v != 0.0)
            {
                used[i] = true;
                used[j] = true;
            }
        }
    }

    /// Builds a matrix of this order from the entries of a file. `false` if they do not fit.
    pub(super) fn restore(&mut self, order: usize) -> bool {
        let Sparse { places, values } = std::mem::take(&mut self.sparse);
        let sound = places.len() == values.len()
            && places.windows(2).all(|w| w[0] < w[1])
            && places.last().is_none_or(|&last| (last as usize) < size(order))
            && values.iter().all(|v| v.abs() <= LARGEST_SUM && *v != 0.0);
        if sound {
            self.numbers = vec![0.0; size(order)];
            places.iter().zip(&values).for_each(|(&place, &v)| self.numbers[place as usize] = v);
        }
        sound
    }
}
