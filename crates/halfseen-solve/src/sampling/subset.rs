//! Draws uniform subsets without replacement, shuffles, and removes duplicates, without allocating.

use super::Stream;

/// Replaces `out` by a uniform subset of `size` of 0..n, in increasing order.
///
/// Small subsets are drawn until `size` are distinct, then sorted: O(size log size), independent of
/// n. Others use Floyd's algorithm, which rejects no draw.
#[inline]
pub fn subset(stream: &mut Stream, n: usize, size: usize, out: &mut Vec<u32>) {
    debug_assert!(size <= n);
    out.clear();
    if size > 8 && n <= MARKS {
        return marked(stream, n, size, out);
    }
    if size > n / 4 {
        return floyd(stream, n, size, out);
    }
    sorted(stream, n, size, out);
}

fn sorted(stream: &mut Stream, n: usize, size: usize, out: &mut Vec<u32>) {
    out.extend((0..size).map(|_| stream.below(n) as u32));
    out.sort_unstable();
    out.dedup();
    while out.len() < size {
        let drawn = stream.below(n) as u32;
        if let Err(at) = out.binary_search(&drawn) {
            out.insert(at, drawn);
        }
    }
}

/// Largest n whose numbers are marked in bits.
const MARKS: usize = 4096;

/// Draws the same subset with a bit for each number of 0..n: nothing is sorted or moved.
fn marked(stream: &mut Stream, n: usize, size: usize, out: &mut Vec<u32>) {
    let mut marks = [0_u64; MARKS / 64];
    let mut mark = |number: usize| {
        let (word, bit) = (&mut marks[number / 64], 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    };
    if size > n / 4 {
        for last in n - size..n {
            if !mark(stream.below(last + 1)) {
                mark(last);
            }
        }
    } else {
        let mut left = size;
        while left > 0 {
            left -= usize::from(mark(stream.below(n)));
        }
    }
    // Exactly `size` numbers are marked.
    let (mut word, mut rest) = (0, marks[0]);
    out.extend((0..size).map(|_| {
        while rest == 0 {
            word += 1;
            rest = marks[word];
        }
        let number = 64 * word as u32 + rest.trailing_zeros();
        rest &= rest - 1;
        number
    }));
}

fn floyd(stream: &mut Stream, n: usize, size: usize, out: &mut Vec<u32>) {
    for last in n - size..n {
        let drawn = stream.below(last + 1) as u32;
        match out.binary_search(&drawn) {
            Err(at) => out.insert(at, drawn),
            // Already present: take `last`, which is larger than all entries so far.
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

/// Keeps each entry once, in any order. Fast if most entries are already increasing.
#[inline]
pub fn keep_distinct(items: &mut Vec<u32>) {
    let few = items.len() <= 8;
    let increasing =
        if few { 0 } else { 1 + items.windows(2).take_while(|pair| pair[0] < pair[1]).count() };
    if !few {
        items[increasing..].sort_unstable();
    }
    let mut kept = increasing;
    for at in increasing..items.len() {
        let item = items[at];
        let seen = if few {
            items[..kept].contains(&item)
        } else {
            // The tail is sorted: only its last kept entry can be equal.
            (kept > increasing && items[kept - 1] == item)
                || items[..increasing].binary_search(&item).is_ok()
        };
        if !seen {
            items[kept] = item;
            kept += 1;
        }
    }
    items.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Purpose;
    use std::collections::{BTreeSet, HashMap};

    #[test]
    fn every_subset_is_equally_likely() {
        // 2 of 5 uses Floyd's algorithm; 2 of 8 draws until distinct.
        for (n, subsets) in [(5, 10), (8, 28)] {
            let mut counts: HashMap<Vec<u32>, f64> = HashMap::new();
            let mut drawn = Vec::new();
            for number in 0..3_000 * subsets {
                subset(&mut Stream::new(5, Purpose::Query, number), n, 2, &mut drawn);
                assert!(drawn.windows(2).all(|w| w[0] < w[1]));
                *counts.entry(drawn.clone()).or_default() += 1.0;
            }
            assert_eq!(counts.len(), subsets as usize);
            // Four standard deviations above the mean of a chi-square; the seed is fixed.
            let chi: f64 = counts.values().map(|c| (c - 3000.0).powi(2) / 3000.0).sum();
            let freedom = subsets as f64 - 1.0;
            assert!(chi < freedom + 4.0 * (2.0 * freedom).sqrt(), "{n}: chi-square {chi}");
        }
    }

    /// Subsets are pinned for ever: the ways to draw them agree.
    #[test]
    fn marks_draw_the_subsets_of_the_other_ways() {
        for (n, size) in [(40, 9), (40, 10), (40, 11), (40, 40), (784, 55), (784, 700), (4096, 64)]
        {
            for number in 0..200 {
                let stream = || Stream::new(5, Purpose::Query, number);
                let (mut marks, mut plain) = (Vec::new(), Vec::new());
                marked(&mut stream(), n, size, &mut marks);
                if size > n / 4 {
                    floyd(&mut stream(), n, size, &mut plain);
                } else {
                    sorted(&mut stream(), n, size, &mut plain);
                }
                assert_eq!(marks, plain, "{size} of {n}");
            }
        }
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
    fn what_is_kept_agrees_with_a_set_for_short_and_long_lists() {
        for (len, number) in
            [0, 1, 5, 8, 9, 16, 17, 60].into_iter().flat_map(|len| (0..50).map(move |n| (len, n)))
        {
            let mut stream = Stream::new(2, Purpose::Data, 100 * len + number);
            let mut items: Vec<u32> = (0..len).map(|_| stream.below(20) as u32).collect();
            let half = (len / 2) as usize;
            items[..half].sort_unstable();
            let expected: BTreeSet<u32> = items.iter().copied().collect();
            keep_distinct(&mut items);
            assert_eq!(items.len(), expected.len());
            assert_eq!(items.into_iter().collect::<BTreeSet<u32>>(), expected);
        }
    }
}
