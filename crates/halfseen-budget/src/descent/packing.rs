//! Packs panels, each with its inclusion probability, into sets that cost at most `money`.
//!
//! A set is an interval of [0, 1): one uniform number draws it, with its width as probability.
//! Panels are placed one by one, the most expensive first, each on the intervals that cost least so
//! far; it splits at most one of them. A set that a panel would make too expensive or too long is
//! left alone; if none is left, the packing fails. So no set costs more than the money, and its
//! cost does not exceed the mean by that of an expensive panel, as it can where panels are laid on
//! a line.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Relative tolerance for sums of prices and of probabilities.
const ROUNDING: f64 = 1e-12;

/// Sets of panels, in increasing order, with their probabilities, which sum to 1.
pub(crate) type Sets = Vec<(f64, Vec<u32>)>;

struct Interval {
    width: f64,
    cost: f64,
    panels: Vec<u32>,
    /// Order of creation, which breaks ties of cost.
    made: usize,
}

impl Ord for Interval {
    /// Orders by decreasing cost, because a heap returns the largest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.made.cmp(&self.made))
    }
}

impl PartialOrd for Interval {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Interval {}

/// Packs panels, in this order, into sets of at most `draws` panels and of at most `money` that
/// hold each panel with probability `shares[panel]`; `None` if this fails. O(reads of a set x
/// panels) numbers.
pub(crate) fn pack(
    shares: &[f64],
    prices: &[f64],
    order: &[u32],
    draws: usize,
    money: f64,
) -> Option<Sets> {
    let mut free =
        BinaryHeap::from([Interval { width: 1.0, cost: 0.0, panels: Vec::new(), made: 0 }]);
    let (mut full, mut taken, mut made) = (Vec::new(), Vec::new(), 0);
    for &panel in order {
        let price = prices[panel as usize];
        let mut missing = shares[panel as usize];
        while missing > 0.0 {
            let affordable =
                free.peek().is_some_and(|set| set.cost + price <= money * (1.0 + ROUNDING));
            let Some(mut set) = (if affordable { free.pop() } else { None }) else {
                // Rounding may leave a last bit without a place.
                if missing > ROUNDING {
                    return None;
                }
                break;
            };
            if set.width > missing {
                made += 1;
                let (width, panels) = (set.width - missing, set.panels.clone());
                free.push(Interval { width, cost: set.cost, panels, made });
                set.width = missing;
            }
            missing -= set.width;
            set.cost += price;
            set.panels.push(panel);
            taken.push(set);
        }
        // Only now: no set holds a panel twice.
        for set in taken.drain(..) {
            if set.panels.len() == draws { full.push(set) } else { free.push(set) }
        }
    }
    full.extend(free);
    full.sort_unstable_by_key(|set| set.made);
    let sorted = |mut set: Interval| {
        set.panels.sort_unstable();
        (set.width, set.panels)
    };
    Some(full.into_iter().map(sorted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    /// All sets keep the requested probabilities, none costs or reads more than allowed, and none
    /// holds a panel twice.
    #[test]
    fn sets_keep_every_limit_and_every_probability() {
        let mut stream = Stream::new(33, Purpose::Data, 0);
        let mut packed = 0;
        for _ in 0..500 {
            let n = 1 + stream.below(12);
            let shares: Vec<f64> = (0..n).map(|_| stream.unit().powi(2)).collect();
            let prices: Vec<f64> = (0..n).map(|_| 10_f64.powf(3.0 * stream.unit())).collect();
            let (draws, money) = (1 + stream.below(6), 1000.0 * (1.0 + 2.0 * stream.unit()));
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by(|&a, &b| prices[b as usize].total_cmp(&prices[a as usize]));
            let Some(sets) = pack(&shares, &prices, &order, draws, money) else { continue };
            packed += 1;
            let mut cover = vec![0.0; n];
            for (width, panels) in &sets {
                assert!(panels.len() <= draws && panels.windows(2).all(|w| w[0] < w[1]));
                assert!(
                    panels.iter().map(|&p| prices[p as usize]).sum::<f64>() <= money * (1.0 + 1e-9)
                );
                panels.iter().for_each(|&p| cover[p as usize] += width);
            }
            assert!((sets.iter().map(|(width, _)| width).sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(
                cover.iter().zip(&shares).all(|(f, s)| (f - s).abs() < 1e-11),
                "{cover:?} for {shares:?}"
            );
        }
        assert!(packed > 100, "{packed}");
    }

    /// A rounding error without a place loses no set: six times 0.1 leave a last bit of the
    /// seventh.
    #[test]
    fn a_bit_without_a_place_changes_nothing_else() {
        let shares = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4 + 1e-14];
        let sets = pack(&shares, &[1.0; 7], &[0, 1, 2, 3, 4, 5, 6], 7, 1.0).unwrap();
        let total: f64 = sets.iter().map(|(width, _)| width).sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        assert!((0..7).all(|p| sets.iter().any(|(_, set)| set.contains(&p))));
    }

    #[test]
    fn what_does_not_fit_is_not_packed() {
        assert!(pack(&[0.6, 0.6], &[3.0, 3.0], &[0, 1], 2, 5.0).is_none());
        assert!(pack(&[0.6, 0.6], &[1.0, 1.0], &[0, 1], 1, 5.0).is_none());
        assert!(pack(&[0.6, 0.4], &[3.0, 3.0], &[0, 1], 2, 5.0).is_some());
    }
}
