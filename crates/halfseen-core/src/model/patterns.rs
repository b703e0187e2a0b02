//! Groups the rows of a matrix by the attributes that are missing.

use crate::data::Matrix;
use crate::prepare::{ColumnSchema, Schema};
use std::collections::HashMap;
use std::ops::Range;

/// Rows that lack the same attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Attributes that are missing, increasing.
    pub(super) missing: Vec<u32>,
    /// Rows of the matrix, increasing.
    pub(super) rows: Vec<u32>,
}

impl Pattern {
    /// Returns the patterns of an encoded matrix, in the order of their first rows. A text whose
    /// category is missing or unknown is missing.
    pub(super) fn all(matrix: &Matrix, columns: &[Range<usize>]) -> Vec<Pattern> {
        let mut attribute_of = vec![0; matrix.columns()];
        for (attribute, columns) in columns.iter().enumerate() {
            attribute_of[columns.clone()].fill(attribute as u32);
        }
        let (mut known, mut patterns) = (HashMap::new(), Vec::<Pattern>::new());
        for row in 0..matrix.rows() {
            let mut missing = Vec::new();
            matrix.each_stored(row, |column, value| {
                let attribute = attribute_of[column];
                if value.is_nan() && missing.last() != Some(&attribute) {
                    missing.push(attribute);
                }
            });
            let at = known.get(&missing).copied().unwrap_or(patterns.len());
            if at == patterns.len() {
                known.insert(missing.clone(), at);
                patterns.push(Pattern { missing, rows: Vec::new() });
            }
            patterns[at].rows.push(row as u32);
        }
        patterns
    }
}

/// Returns the encoded columns of each attribute.
pub(super) fn columns_of(schema: &Schema) -> Vec<Range<usize>> {
    let widths = schema.columns.iter().map(ColumnSchema::width);
    widths
        .scan(0, |end, width| {
            *end += width;
            Some(*end - width..*end)
        })
        .collect()
}

/// Returns the union of two increasing lists.
pub(super) fn union(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut both = [a, b].concat();
    both.sort_unstable();
    both.dedup();
    both
}

/// Returns how many elements of an increasing list are not in another.
pub(super) fn beyond(list: &[u32], other: &[u32]) -> usize {
    list.iter().filter(|attribute| other.binary_search(attribute).is_err()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Attribute, Coded, Csr};
    use ndarray::array;

    /// Every storage gives the same patterns; both indicators of a text are one attribute.
    #[test]
    fn rows_are_grouped_by_what_they_lack() {
        let hole = f64::NAN;
        let dense = array![[1.0, 0.0, 1.0], [hole, 1.0, 0.0], [2.0, hole, hole], [hole, 0.0, 1.0]];
        let csr = Csr::new(
            vec![0, 2, 4, 7, 9],
            vec![0, 2, 0, 1, 0, 1, 2, 0, 2],
            vec![1.0, 1.0, hole, 1.0, 2.0, hole, hole, hole, 1.0],
            3,
        );
        let coded = Coded::new(
            4,
            vec![1.0, hole, 2.0, hole],
            vec![Attribute::Number, Attribute::Text(vec![1, 0, Coded::MISSING, 1], 2)],
        );
        let expected: [(&[u32], &[u32]); 3] = [(&[], &[0]), (&[0], &[1, 3]), (&[1], &[2])];
        for matrix in [Matrix::F64(dense.clone()), Matrix::Csr(csr.unwrap()), Matrix::Coded(coded)]
        {
            let patterns = Pattern::all(&matrix, &[0..1, 1..3]);
            let patterns: Vec<_> = patterns.iter().map(|p| (&p.missing[..], &p.rows[..])).collect();
            assert_eq!(patterns, expected);
        }
        assert_eq!(union(&[1, 4], &[0, 4]), [0, 1, 4]);
        assert_eq!((beyond(&[1, 4], &[0, 4]), beyond(&[], &[0])), (1, 0));
    }
}
