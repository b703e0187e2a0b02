//! Draws uniform subsets without replacement, shuffles, and counts distinct draws, without allocating.

use super::Stream;

/// Replaces `out` by a uniform subset of `size` of 0..n, in increasing order (Floyd's algorithm).
///
/// O(size log size) comparisons, plus moving at most `size` words per element; independent of n.
#[inline]
pub fn subset(stream: &mut Stream, n: usize, size: usize, out: &mut Vec<u32>) {
    debug_assert!(size <= n);
    out.clear();
    for last in n - size..n {
        let drawn = stream.below(last + 1) as u32;
        match out.binary_search(&drawn) {
            Err(at) => out.insert(at, drawn),
            // Already in: take `last`, which is larger than everything so far.
            Ok(_) => out.push(last as u32),
        }
    }
}

/// Shuffles uniformly (Fisher and Yates).
pub fn shuffle<T>(stream: &mut Stream, items: &mut [T]) {
    for i in (1..items.len()).rev() {
        items.swap(i, stream.below(i + 1));
    }
}

/// Number of distinct entries; the order of `items` is lost.
#[inline]
pub fn count_distinct(items: &mut [u32]) -> usize {
    if items.len() <= 16 {
        return (0..items.len()).filter(|&i| !items[..i].contains(&items[i])).count();
    }
    items.sort_unstable();
    1 + items.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Purpose;
    use std::collections::HashMap;

    #[test]
    fn every_subset_is_equally_likely() {
        let mut counts: HashMap<Vec<u32>, f64> = HashMap::new();
        let mut drawn = Vec::new();
        for n in 0..30_000 {
            subset(&mut Stream::new(5, Purpose::Query, n), 5, 2, &mut drawn);
            assert!(drawn.windows(2).all(|w| w[0] < w[1]));
            *counts.entry(drawn.clone()).or_default() += 1.0;
        }
        assert_eq!(counts.len(), 10);
        // 9 degrees of freedom, 99.9 % point 27.9; the seed is fixed.
        let chi: f64 = counts.values().map(|c| (c - 3000.0).powi(2) / 3000.0).sum();
        assert!(chi < 27.9, "chi-square {chi}");
    }

    #[test]
    fn the_whole_set_is_a_subset() {
        let mut drawn = Vec::new();
        subset(&mut Stream::new(5, Purpose::Query, 0), 4, 4, &mut drawn);
        assert_eq!(drawn, [0, 1, 2, 3]);
        subset(&mut Stream::new(5, Purpose::Query, 0), 4, 0, &mut drawn);
        assert!(drawn.is_empty());
    }

    #[test]
    fn distinct_counts_agree_with_a_set_for_short_and_long_lists() {
        for len in [0, 1, 5, 16, 17, 60] {
            let mut stream = Stream::new(2, Purpose::Data, len);
            let mut items: Vec<u32> = (0..len).map(|_| stream.below(20) as u32).collect();
            let expected = items.iter().collect::<std::collections::HashSet<_>>().len();
            assert_eq!(count_distinct(&mut items), expected);
        }
    }
}
