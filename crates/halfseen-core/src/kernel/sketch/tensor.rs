//! Sketches sums of tensor products by count sketches multiplied in the Fourier domain.
//!
//! The sketch of u (x) v is the circular convolution of the count sketches of u and v (Pham and
//! Pagh 2013). Here the kernels (r, j) of one j share factors: their sketch is E_1 ... E_j X_j in
//! the Fourier domain, with E_i a count sketch of e and X_j one of the values, copied once for each
//! r with the weight of (r, j). Sketches of different j are added; each X_j has its own signs, so
//! that their products cancel in the mean. Features are the Fourier coefficients themselves, which
//! have the inner products of the sketches (Parseval), so nothing is transformed back. A row takes
//! two transforms for each j.

use super::plan::Term;
use crate::error::{ErrorKind, Result};
use halfseen_solve::sampling::{Purpose, Stream};
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::fmt;
use std::sync::Arc;

/// Bucket of a column, with its sign in the highest bit.
type Entry = u32;
const SIGN: u32 = 1 << 31;

/// Hashes and signs of all factors.
#[derive(Clone)]
pub(super) struct Tensor {
    columns: usize,
    buckets: usize,
    /// E_1 to E_J.
    masks: Vec<Mask>,
    /// Sketched orders, in increasing order.
    orders: Vec<Order>,
    transform: Arc<dyn RealToComplex<f64>>,
}

/// Count sketch of e.
#[derive(Debug, Clone)]
struct Mask {
    table: Vec<Entry>,
    /// Sketch of the constant direction, 1 in each column.
    ones: Vec<f64>,
}

/// Count sketch of the values for one j.
#[derive(Debug, Clone)]
struct Order {
    order: usize,
    terms: Vec<(Term, Vec<Entry>)>,
}

/// Working memory of one thread.
#[derive(Debug)]
pub(super) struct Room {
    /// Columns that a row shows.
    shown: Vec<u32>,
    buckets: Vec<f64>,
    spectrum: Vec<Complex<f64>>,
    product: Vec<Complex<f64>>,
    sum: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
}

impl Tensor {
    pub(super) fn new(columns: usize, terms: &[Term], buckets: usize, seed: u64) -> Tensor {
        let highest = terms.iter().map(|t| t.order).max().unwrap_or(0);
        // Even numbers are for masks, odd ones for values.
        let masks = (0..highest)
            .map(|i| {
                let table = draw(columns, buckets, seed, 2 * i as u64);
                let mut ones = vec![0.0; buckets];
                table.iter().for_each(|&entry| add(&mut ones, entry, 1.0));
                Mask { table, ones }
            })
            .collect();
        let orders = (0..=highest).filter_map(|order| {
            let of_order: Vec<Term> = terms.iter().filter(|t| t.order == order).copied().collect();
            // One table, so that columns of different terms do not collide either.
            let table = draw(columns * of_order.len(), buckets, seed, 2 * order as u64 + 1);
            let tables = table.chunks(columns).map(<[Entry]>::to_vec);
            let terms: Vec<_> = of_order.iter().copied().zip(tables).collect();
            (!terms.is_empty()).then_some(Order { order, terms })
        });
        let transform = RealFftPlanner::new().plan_fft_forward(buckets);
        Tensor { columns, buckets, masks, orders: orders.collect(), transform }
    }

    pub(super) fn buckets(&self) -> usize {
        self.buckets
    }

    pub(super) fn room(&self) -> Room {
        Room {
            shown: Vec::with_capacity(self.columns),
            buckets: self.transform.make_input_vec(),
            spectrum: self.transform.make_output_vec(),
            product: self.transform.make_output_vec(),
            sum: self.transform.make_output_vec(),
            scratch: self.transform.make_scratch_vec(),
        }
    }

    pub(super) fn fits(&self, room: &Room) -> bool {
        room.buckets.len() == self.buckets && room.shown.capacity() >= self.columns
    }

    /// Lists the columns that the row shows, and returns their share.
    pub(super) fn share(&self, observed: &[f32], room: &mut Room) -> f64 {
        room.shown.clear();
        room.shown.extend((0..observed.len() as u32).filter(|&i| observed[i as usize] != 0.0));
        room.shown.len() as f64 / self.columns as f64
    }

    /// Writes the sketch of the row whose shown columns were listed last.
    pub(super) fn write(
        &self,
        values: &[f64],
        t: f64,
        out: &mut [f64],
        room: &mut Room,
    ) -> Result<()> {
        let share = room.shown.len() as f64 / self.columns as f64;
        room.sum.fill(Complex::ZERO);
        room.product.fill(Complex::ONE);
        let mut factors = 0;
        for order in &self.orders {
            for mask in &self.masks[factors..order.order] {
                room.buckets.iter_mut().zip(&mask.ones).for_each(|(b, one)| *b = -share * one);
                room.shown
                    .iter()
                    .for_each(|&i| add(&mut room.buckets, mask.table[i as usize], 1.0));
                self.transform(room)?;
                room.product.iter_mut().zip(&room.spectrum).for_each(|(p, e)| *p *= e);
            }
            factors = order.order;
            room.buckets.fill(0.0);
            for (term, table) in &order.terms {
                let factor = term.root * t.powi(term.power);
                for &i in &room.shown {
                    add(&mut room.buckets, table[i as usize], factor * values[i as usize]);
                }
            }
            self.transform(room)?;
            let products = room.product.iter().zip(&room.spectrum);
            room.sum.iter_mut().zip(products).for_each(|(s, (p, x))| *s += p * x);
        }
        self.pack(&room.sum, out);
        Ok(())
    }

    fn transform(&self, room: &mut Room) -> Result<()> {
        let Room { buckets, spectrum, scratch, .. } = room;
        self.transform.process_with_scratch(buckets, spectrum, scratch).map_err(|problem| {
            ErrorKind::Numerical {
                what: "Fourier transform of a sketch",
                problem: problem.to_string(),
            }
            .into()
        })
    }

    /// Writes half of the spectrum as one real number per bucket, with the inner products of the
    /// whole.
    fn pack(&self, spectrum: &[Complex<f64>], out: &mut [f64]) {
        let single = 1.0 / (self.buckets as f64).sqrt();
        let double = single * std::f64::consts::SQRT_2;
        let Some((first, others)) = out.split_first_mut() else { return };
        *first = single * spectrum[0].re;
        let mut pairs = others.chunks_exact_mut(2);
        for (pair, s) in (&mut pairs).zip(&spectrum[1..]) {
            (pair[0], pair[1]) = (double * s.re, double * s.im);
        }
        // With an even number of buckets the middle coefficient is real.
        if let ([last], Some(s)) = (pairs.into_remainder(), spectrum.last()) {
            *last = single * s.re;
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("columns", &self.columns)
            .field("buckets", &self.buckets)
            .finish_non_exhaustive()
    }
}

#[inline]
fn add(buckets: &mut [f64], entry: Entry, value: f64) {
    buckets[(entry & !SIGN) as usize] += if entry & SIGN == 0 { value } else { -value };
}

/// Draws a bucket and a sign for each column; every bucket once before any twice.
fn draw(columns: usize, buckets: usize, seed: u64, number: u64) -> Vec<Entry> {
    let mut stream = Stream::new(seed, Purpose::Feature, number);
    let mut order: Vec<u32> = (0..buckets as u32).collect();
    (0..columns)
        .map(|i| {
            let at = i % buckets;
            order.swap(at, at + stream.below(buckets - at));
            order[at] | if stream.word() >> 63 == 0 { 0 } else { SIGN }
        })
        .collect()
}
