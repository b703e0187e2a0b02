//! Compares the adversary with all subsets, all vertices of the relaxation, and the scalar dual.

use super::*;
use halfseen_solve::sampling::{Purpose, Stream};

/// Returns random gains with ties, zeros and both signs, and values that are equal, equal with free
/// ones, whole, or general.
fn case(number: u64, n: usize) -> (Threat, Vec<f64>) {
    let mut stream = Stream::new(3, Purpose::Data, number);
    let tied = stream.unit() < 0.5;
    let gains = (0..n).map(|_| {
        let gain = stream.normal() + 0.3;
        if tied { gain.round() } else { gain }
    });
    let gains: Vec<f64> = gains.collect();
    let value: Box<dyn Fn(&mut Stream) -> f64> = match number % 4 {
        0 => Box::new(|_| 0.3),
        1 => Box::new(|s| if s.unit() < 0.3 { 0.0 } else { 1.0 }),
        2 => Box::new(|s| s.below(6) as f64),
        _ => Box::new(|s| s.unit() * 3.0),
    };
    let mut values: Vec<f64> = (0..n).map(|_| value(&mut stream)).collect();
    values[0] += f64::from(u8::from(values.iter().all(|v| *v == 0.0)));
    let total: f64 = values.iter().sum();
    let budget = (stream.unit() * total).min(total * 0.999);
    (Threat::new(values, budget).unwrap(), gains)
}

/// Returns the largest gain over all subsets within the effective budget.
fn best_subset(threat: &Threat, gains: &[f64]) -> f64 {
    let mut best = 0.0_f64;
    for set in 0..1_u32 << gains.len() {
        let of = |numbers: &[f64]| -> f64 {
            (0..gains.len()).filter(|j| set >> j & 1 == 1).map(|j| numbers[j]).sum()
        };
        if of(threat.values()) <= threat.effective() + 1e-9 {
            best = best.max(of(gains));
        }
    }
    best
}

/// Returns the relaxation's optimum: at a vertex at most one share lies strictly between 0 and 1.
fn best_vertex(threat: &Threat, gains: &[f64]) -> f64 {
    let (n, budget, values) = (gains.len(), threat.effective(), threat.values());
    let mut best = 0.0_f64;
    for set in 0..1_u32 << n {
        let of = |numbers: &[f64]| -> f64 {
            (0..n).filter(|j| set >> j & 1 == 1).map(|j| numbers[j]).sum()
        };
        let (spent, gain) = (of(values), of(gains));
        if spent > budget + 1e-12 {
            continue;
        }
        best = best.max(gain);
        for j in (0..n).filter(|j| set >> j & 1 == 0 && values[*j] > 0.0) {
            best = best.max(gain + gains[j] * ((budget - spent) / values[j]).clamp(0.0, 1.0));
        }
    }
    best
}

/// Returns min over l >= 0 of l N + sum_j [p_j - l v_j]_+, evaluated at its kinks.
fn dual(threat: &Threat, gains: &[f64]) -> f64 {
    let values = threat.values();
    let at = |l: f64| -> f64 {
        l * threat.effective()
            + gains.iter().zip(values).map(|(p, v)| (p - l * v).max(0.0)).sum::<f64>()
    };
    let kinks =
        gains.iter().zip(values).filter(|(p, v)| **p > 0.0 && **v > 0.0).map(|(p, v)| p / v);
    kinks.chain([0.0]).map(at).fold(f64::INFINITY, f64::min)
}

fn checked(adversary: &Adversary<'_>, threat: &Threat, gains: &[f64], gain: f64) {
    let shares = adversary.shares();
    let spent: f64 = shares.iter().zip(threat.values()).map(|(s, v)| s * v).sum();
    let gained: f64 = shares.iter().zip(gains).map(|(s, p)| s * p).sum();
    assert!(shares.iter().all(|s| (0.0..=1.0).contains(s)));
    assert!(spent <= threat.effective() + 1e-9 && (gained - gain).abs() < 1e-9);
    let deleted: Vec<u32> = (0..gains.len() as u32).filter(|&i| shares[i as usize] > 0.0).collect();
    assert_eq!(adversary.deleted(), deleted);
}

#[test]
fn whole_and_relaxed_deletions_are_the_best() {
    for number in 0..400 {
        let n = 1 + number as usize % 12;
        let (threat, gains) = case(number, n);
        let all: Vec<u32> = (0..n as u32).collect();
        let mut adversary = Adversary::new(&threat);
        let relaxed = adversary.relaxed(&all, &gains);
        checked(&adversary, &threat, &gains, relaxed);
        assert!((relaxed - dual(&threat, &gains)).abs() < 1e-9, "{number}");
        if n <= 9 {
            assert!((relaxed - best_vertex(&threat, &gains)).abs() < 1e-9, "{number}");
        }
        let best = best_subset(&threat, &gains);
        let whole = adversary.whole(&all, &gains);
        checked(&adversary, &threat, &gains, whole.gain);
        assert!(whole.exact && (whole.gain - best).abs() < 1e-9, "{number}: {whole:?}, {best}");
        assert!(adversary.shares().iter().all(|s| *s == 0.0 || *s == 1.0));
        // One node never proves the optimum, unless a table takes over.
        let mut short = Adversary::new(&threat).limited(1);
        let worst = short.whole(&all, &gains);
        checked(&short, &threat, &gains, worst.gain);
        assert!(
            worst.gain <= best + 1e-9 && (!worst.exact || (worst.gain - best).abs() < 1e-9),
            "{number}"
        );
        if matches!(threat.costs(), Costs::Whole { .. }) {
            assert!(worst.exact);
        }
    }
}

/// Without the first item, the second fits and the best does not fit after it: only the bound with
/// it keeps the search from ending there.
#[test]
fn the_search_goes_on_where_only_the_bound_with_an_item_is_above_the_best() {
    let threat = Threat::new(vec![9.4, 9.0, 10.0, 1.0], 10.0).unwrap();
    let gains = [10.5, 10.0, 11.0, 0.1];
    let worst = Adversary::new(&threat).whole(&[0, 1, 2, 3], &gains);
    assert_eq!((worst.gain, best_subset(&threat, &gains)), (11.0, 11.0));
}

#[test]
fn greedy_deletions_take_what_fits_in_their_order() {
    let threat = Threat::new(vec![2.0, 3.0, 0.0, 2.0, 1.5], 4.0).unwrap();
    let gains = [1.0, 6.0, 0.1, -1.0, 2.0];
    let mut adversary = Adversary::new(&threat);
    // By gain per value: 2 (1 left), 4/3, 1/2. After the free item the second costs 3, and nothing
    // else fits.
    let by_ratio = |a: u32, b: u32| {
        let ratio = |i: u32| gains[i as usize] / threat.values()[i as usize];
        ratio(b).total_cmp(&ratio(a))
    };
    assert_eq!(adversary.skipping(&[0, 1, 2, 3, 4], &gains, by_ratio), 6.1);
    assert_eq!(adversary.deleted(), [1, 2]);
    adversary.taking(&[0, 1, 2, 3, 4], &[3, 1, 0, 2]);
    assert_eq!(adversary.deleted(), [0, 2, 3]);
    adversary.spend(2.5);
    adversary.taking(&[0, 1, 2, 3, 4], &[3, 1, 0, 4]);
    assert_eq!((adversary.budget(), adversary.deleted()), (1.5, &[4][..]));
    adversary.spend(9.0);
    assert_eq!(
        adversary.whole(&[0, 1, 2, 3, 4], &gains),
        Worst { gain: 0.1, exact: true },
        "free ones still vanish"
    );
}

#[test]
fn of_equal_gains_the_first_vanish() {
    let threat = Threat::uniform(40, 3.7).unwrap();
    let all: Vec<u32> = (0..40).collect();
    let gains: Vec<f64> = (0..40).map(|j| if j % 4 == 1 { 2.0 } else { 1.0 }).collect();
    let mut adversary = Adversary::new(&threat);
    assert_eq!(adversary.relaxed(&all, &gains), 6.0, "3.7 buys three");
    assert_eq!(adversary.deleted(), [1, 5, 9]);
    assert_eq!(adversary.relaxed(&all[..5], &gains[..5]), 4.0);
    assert_eq!(adversary.deleted(), [0, 1, 2]);
    adversary.spend(2.0);
    assert_eq!((adversary.relaxed(&all, &gains), adversary.deleted()), (2.0, &[1][..]));
    let free = Threat::new([vec![0.0; 3], vec![0.5; 37]].concat(), 1.0).unwrap();
    let mut adversary = Adversary::new(&free);
    assert_eq!(adversary.relaxed(&all, &[1.0; 40]), 5.0);
    assert_eq!(adversary.deleted(), [0, 1, 2, 3, 4]);
}

/// Returns gains in several orders.
fn orders(n: usize) -> Vec<Vec<f64>> {
    let mut stream = Stream::new(5, Purpose::Data, n as u64);
    let rising: Vec<f64> = (0..n).map(|j| j as f64 - n as f64 / 3.0).collect();
    let falling = rising.iter().rev().copied().collect();
    let saw = (0..n).map(|j| ((j * 7919) % 13) as f64 - 4.0).collect();
    let pipe = (0..n).map(|j| j.min(n - j) as f64).collect();
    let random = (0..n).map(|_| stream.normal()).collect();
    vec![rising, falling, saw, pipe, random, vec![1.0; n], vec![0.0; n], vec![-1.0; n]]
}

#[test]
fn the_largest_are_found_in_any_order() {
    for n in [1, 15, 16, 17, 100, 784] {
        for gains in orders(n) {
            for count in [0, 1, 5, 16, 50, n - 1] {
                let threat = Threat::uniform(n, count.min(n - 1) as f64).unwrap();
                let mut adversary = Adversary::new(&threat);
                let all: Vec<u32> = (0..n as u32).collect();
                let gain = adversary.relaxed(&all, &gains);
                let mut sorted: Vec<u32> =
                    all.iter().copied().filter(|&j| gains[j as usize] > 0.0).collect();
                sorted.sort_by(|&a, &b| gains[b as usize].total_cmp(&gains[a as usize]));
                sorted.truncate(count.min(n - 1));
                sorted.sort_unstable();
                assert_eq!(adversary.deleted(), sorted, "{n}, {count}");
                assert_eq!(gain, sorted.iter().map(|&j| gains[j as usize]).sum::<f64>());
            }
        }
    }
}

#[test]
fn tables_are_as_good_as_searches_where_both_work() {
    for number in 0..40 {
        let mut stream = Stream::new(7, Purpose::Data, number);
        let n = 60;
        // Gains that are correlated with values are the hard case.
        let values: Vec<f64> = (0..n).map(|_| 1.0 + stream.below(50) as f64).collect();
        let gains: Vec<f64> = values.iter().map(|v| v + 5.0 + stream.unit()).collect();
        let threat = Threat::new(values, 300.5).unwrap();
        let all: Vec<u32> = (0..n).collect();
        let table = Adversary::new(&threat).limited(1).whole(&all, &gains);
        let searched = Adversary::new(&threat).limited(usize::MAX).whole(&all, &gains);
        assert!(
            table.exact && searched.exact && (table.gain - searched.gain).abs() < 1e-9,
            "{number}"
        );
    }
}

#[test]
fn earlier_lists_do_not_change_what_is_selected() {
    let mut stream = Stream::new(6, Purpose::Data, 0);
    for count in [1, 10, 90] {
        let mut largest = largest::Largest::default();
        for list in 0..300 {
            // Alike for long, then of other lengths, sizes, signs, and with ties.
            let scale = if list % 100 < 60 { 1.0 } else { 10_f64.powi(list % 7 - 3) };
            let n = if list % 100 < 80 { 200 } else { stream.below(300) };
            let shift = if list % 10 == 9 { -2.0 } else { 0.0 };
            let tied = list % 3 == 0;
            let draw = |_| {
                let gain: f64 = scale * (stream.normal() + shift);
                if tied { (4.0 * gain).round() } else { gain }
            };
            let gains: Vec<f64> = (0..n).map(draw).collect();
            let mut order: Vec<u32> = (0..n as u32).filter(|&i| gains[i as usize] > 0.0).collect();
            order.sort_by(|&i, &j| gains[j as usize].total_cmp(&gains[i as usize]));
            order.truncate(count);
            order.sort_unstable();
            let sum: f64 = order.iter().map(|&i| gains[i as usize]).sum();
            assert_eq!(largest.of_gains(count, &gains), sum, "list {list}");
            assert_eq!(largest.items(), order, "list {list}");
        }
    }
}
