//! Draws the panels from which one example is estimated, and provides the coefficients that make
//! the estimate unbiased.
//!
//! | panels | with replacement | without |
//! |---|---|---|
//! | equal | k uniform draws | a uniform subset of k |
//! | weighted | k draws from an alias table | a systematic sample by inclusion probabilities |
//!
//! Under prices the sample may be one of several sets instead, see `packing.rs`. A systematic
//! sample lays the inclusion probabilities end to end on a line and takes the panels at u, u + 1,
//! u + 2, ... for one uniform u in [0, 1). It draws each panel at most once, and the number of
//! panels is the sum of the probabilities. (W. G. Madow, Annals of Mathematical Statistics 20,
//! 1949.) An index of d equal parts of the line finds a point in O(1) on average, O(log d) at
//! worst.

use crate::error::Result;
use halfseen_solve::sampling::{AliasTable, Stream, subset};

/// Distribution of the gradient's panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampler {
    panels: usize,
    draws: usize,
    replacement: bool,
    weighting: Weighting,
}

#[derive(Debug, Clone, PartialEq)]
enum Weighting {
    Uniform,
    /// With replacement.
    Alias(AliasTable),
    /// Without replacement.
    Systematic(Systematic),
    /// Without replacement, one of several sets.
    Sets(Sets),
}

#[derive(Debug, Clone, PartialEq)]
struct Systematic {
    /// 1 / pi of each panel.
    coefficients: Vec<f64>,
    /// Order of the panels on the line; `None`: increasing.
    order: Option<Vec<u32>>,
    /// End of each panel on the line.
    ends: Vec<f64>,
    /// For each part of the line, the position of the first panel that ends beyond its start.
    guide: Vec<u32>,
    /// Number of parts per unit of the line.
    parts: f64,
}

#[derive(Debug, Clone, PartialEq)]
struct Sets {
    /// 1 / pi of each panel.
    coefficients: Vec<f64>,
    /// End of each set's interval.
    ends: Vec<f64>,
    panels: Vec<Vec<u32>>,
}

impl Sampler {
    /// Creates a sampler of `draws` uniform draws from `panels`.
    pub fn uniform(panels: usize, draws: usize, replacement: bool) -> Sampler {
        Sampler { panels, draws, replacement, weighting: Weighting::Uniform }
    }

    /// Creates a sampler of `draws` draws with replacement, with probabilities proportional to the
    /// weights (one per panel).
    ///
    /// # Errors
    /// If a weight is negative or not finite, or all are zero.
    pub fn with_replacement(weights: &[f64], draws: usize) -> Result<Sampler> {
        let weighting = match alike(weights) {
            true => Weighting::Uniform,
            false => Weighting::Alias(AliasTable::new(weights)?),
        };
        Ok(Sampler { panels: weights.len(), draws, replacement: true, weighting })
    }

    /// Creates a sampler without replacement from inclusion probabilities in [0, 1], one per panel,
    /// that sum to at most `draws`. `order`, if given, is the order on the line.
    pub fn without_replacement(
        inclusion: Vec<f64>,
        draws: usize,
        order: Option<Vec<u32>>,
    ) -> Sampler {
        let panels = inclusion.len();
        let full = (inclusion.iter().sum::<f64>() - draws as f64).abs() < 1e-9;
        let weighting = if full && alike(&inclusion) {
            Weighting::Uniform
        } else {
            Weighting::Systematic(Systematic::new(&inclusion, order))
        };
        Sampler { panels, draws, replacement: false, weighting }
    }

    /// Creates a sampler of one of these sets, each with its probability. A set holds at most
    /// `draws` of the `panels`, in increasing order.
    pub fn one_of(sets: Vec<(f64, Vec<u32>)>, panels: usize, draws: usize) -> Sampler {
        let mut inclusion = vec![0.0; panels];
        for (width, set) in &sets {
            set.iter().for_each(|&panel| inclusion[panel as usize] += width);
        }
        let coefficients = inclusion.iter().map(|share| 1.0 / share).collect();
        let mut end = 0.0;
        let (ends, panels_of) = sets
            .into_iter()
            .map(|(width, set)| {
                end += width;
                (end, set)
            })
            .unzip();
        let sets = Sets { coefficients, ends, panels: panels_of };
        Sampler { panels, draws, replacement: false, weighting: Weighting::Sets(sets) }
    }

    /// Returns the largest number of draws of one example.
    #[inline]
    pub fn draws(&self) -> usize {
        self.draws
    }

    /// Returns true if a panel can be drawn twice.
    #[inline]
    pub fn replacement(&self) -> bool {
        self.replacement
    }

    /// Returns true if all panels have the same probability.
    #[inline]
    pub fn is_uniform(&self) -> bool {
        self.weighting == Weighting::Uniform
    }

    /// Replaces `out` by the drawn panels, increasing if drawn without replacement.
    #[inline]
    pub fn draw(&self, stream: &mut Stream, out: &mut Vec<u32>) {
        match &self.weighting {
            Weighting::Uniform if !self.replacement => subset(stream, self.panels, self.draws, out),
            Weighting::Uniform => {
                out.clear();
                out.extend((0..self.draws).map(|_| stream.below(self.panels) as u32));
            }
            Weighting::Alias(table) => {
                out.clear();
                out.extend((0..self.draws).map(|_| table.draw(stream) as u32));
            }
            Weighting::Systematic(line) => line.read(stream.unit(), out),
            Weighting::Sets(sets) => {
                let (unit, last) = (stream.unit(), sets.ends.len() - 1);
                let drawn = sets.ends.partition_point(|&end| end <= unit).min(last);
                out.clear();
                out.extend_from_slice(&sets.panels[drawn]);
            }
        }
    }

    /// Returns the factor of a drawn panel's values for which E x~ = x: d/k for uniform draws, 1/(k
    /// q_i) with replacement, 1/pi_i without.
    #[inline]
    pub fn coefficient(&self, panel: usize) -> f64 {
        match &self.weighting {
            Weighting::Uniform => self.panels as f64 / self.draws as f64,
            Weighting::Alias(table) => 1.0 / (table.probability(panel) * self.draws as f64),
            Weighting::Systematic(line) => line.coefficients[panel],
            Weighting::Sets(sets) => sets.coefficients[panel],
        }
    }

    /// Returns E x~_j^2 / x_j^2 of a panel's columns: the coefficient, plus (k - 1)/k with
    /// replacement. 0 for a panel that is never drawn: its values must be zero.
    #[inline]
    pub fn inflation(&self, panel: usize) -> f64 {
        let (coefficient, k) = (self.coefficient(panel), self.draws as f64);
        match (coefficient.is_finite(), self.replacement) {
            (false, _) => 0.0,
            (true, true) => coefficient + (k - 1.0) / k,
            (true, false) => coefficient,
        }
    }
}

impl Systematic {
    fn new(inclusion: &[f64], order: Option<Vec<u32>>) -> Systematic {
        let mut end = 0.0;
        let mut lay = |share: f64| {
            end += share;
            end
        };
        let ends: Vec<f64> = match &order {
            Some(order) => order.iter().map(|&panel| lay(inclusion[panel as usize])).collect(),
            None => inclusion.iter().map(|&share| lay(share)).collect(),
        };
        let total = ends.last().copied().unwrap_or(0.0);
        let parts = if total > 0.0 { ends.len() as f64 / total } else { 0.0 };
        let place = |part: usize| ends.partition_point(|&end| end <= part as f64 / parts) as u32;
        let guide = (0..=ends.len()).map(place).collect();
        Systematic {
            coefficients: inclusion.iter().map(|share| 1.0 / share).collect(),
            order,
            ends,
            guide,
            parts,
        }
    }

    /// Returns the position of the panel at a point of the line.
    #[inline]
    fn place(&self, at: f64) -> usize {
        let part = ((at * self.parts) as usize).min(self.guide.len() - 2);
        let (first, last) = (self.guide[part] as usize, self.guide[part + 1] as usize);
        let mut place = first + self.ends[first..last].partition_point(|&end| end <= at);
        // Parts are rounded; the ends are exact.
        while place > 0 && self.ends[place - 1] > at {
            place -= 1;
        }
        while place + 1 < self.ends.len() && self.ends[place] <= at {
            place += 1;
        }
        place
    }

    /// Writes the panels at u, u + 1, ... of the line, in increasing order.
    #[inline]
    fn read(&self, unit: f64, out: &mut Vec<u32>) {
        out.clear();
        let total = self.ends.last().copied().unwrap_or(0.0);
        let (mut at, mut next) = (unit, 0);
        while at < total {
            // With rounded sums a panel of probability 1 must not be drawn twice.
            let place = self.place(at).max(next);
            if place == self.ends.len() {
                break;
            }
            out.push(self.order.as_ref().map_or(place as u32, |order| order[place]));
            (next, at) = (place + 1, at + 1.0);
        }
        if self.order.is_some() {
            out.sort_unstable();
        }
    }
}

fn alike(weights: &[f64]) -> bool {
    weights.first().is_some_and(|first| *first > 0.0 && weights.iter().all(|w| w == first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::Purpose;

    #[test]
    fn a_systematic_sample_includes_each_panel_as_often_as_it_should() {
        let inclusion = vec![0.25, 1.0, 0.0, 0.75, 0.5, 0.5];
        for order in [None, Some(vec![5, 1, 0, 2, 4, 3])] {
            let sampler = Sampler::without_replacement(inclusion.clone(), 3, order);
            let Weighting::Systematic(line) = &sampler.weighting else { panic!("not systematic") };
            let (mut out, mut share) = (Vec::new(), [0.0; 6]);
            // The sample is constant between multiples of a quarter.
            for quarter in 0..4 {
                line.read(0.25 * f64::from(quarter) + 0.1, &mut out);
                assert_eq!(out.len(), 3);
                assert!(out.windows(2).all(|w| w[0] < w[1]), "{out:?}");
                out.iter().for_each(|&p| share[p as usize] += 0.25);
            }
            assert_eq!(share.to_vec(), inclusion);
        }
    }

    /// Compares the index with a plain search, for panels of every width and points exactly at
    /// their ends.
    #[test]
    fn a_point_is_found_where_it_lies() {
        let mut stream = Stream::new(9, Purpose::Data, 0);
        for n in [2, 3, 50, 1000] {
            let inclusion: Vec<f64> = (0..n)
                .map(|i| if i % 4 == 0 { 0.0 } else { stream.unit().powi(1 + 7 * (i % 3)) })
                .collect();
            let line = Systematic::new(&inclusion, None);
            let total = line.ends[n as usize - 1];
            let points = (0..2_000)
                .map(|_| stream.unit() * total)
                .chain(line.ends.clone())
                .filter(|at| *at < total);
            for at in points.collect::<Vec<_>>() {
                assert_eq!(
                    line.place(at),
                    line.ends.partition_point(|&end| end <= at),
                    "{at} of {total}"
                );
            }
        }
    }

    #[test]
    fn sums_that_are_rounded_neither_lose_nor_repeat_a_panel() {
        let mut stream = Stream::new(7, Purpose::Data, 0);
        let mut out = Vec::new();
        for n in [5, 49, 1000] {
            // A tenth of the panels is always read.
            let inclusion: Vec<f64> = (0..n).map(|i| if i % 10 == 3 { 1.0 } else { 0.1 }).collect();
            let draws = inclusion.iter().sum::<f64>();
            let sampler = Sampler::without_replacement(inclusion, draws.ceil() as usize, None);
            for _ in 0..1000 {
                sampler.draw(&mut stream, &mut out);
                assert!(out.len() == draws.floor() as usize || out.len() == draws.ceil() as usize);
                assert!(
                    (0..n as u32).filter(|i| i % 10 == 3).all(|i| out.binary_search(&i).is_ok())
                );
                assert!(out.windows(2).all(|w| w[0] < w[1]));
            }
        }
    }

    #[test]
    fn equal_weights_draw_as_uniform_ones_do() {
        let uniform = Sampler::uniform(8, 3, false);
        assert_eq!(Sampler::without_replacement(vec![3.0 / 8.0; 8], 3, None), uniform);
        assert_eq!(Sampler::with_replacement(&[0.2; 8], 3).unwrap(), Sampler::uniform(8, 3, true));
        assert_eq!((uniform.coefficient(5), uniform.inflation(5)), (8.0 / 3.0, 8.0 / 3.0));
        assert_eq!(Sampler::uniform(8, 3, true).inflation(0), 8.0 / 3.0 + 2.0 / 3.0);
    }
}
