//! Gives weights, their errors, and curves in the units of the table and of its target.

#[cfg(test)]
mod tests;

use super::{Linear, Model, Predictor};
use crate::data::Cell;
use crate::error::Result;
use crate::prepare::ColumnSchema;

/// Name and weight of each column, and the intercept, in raw units.
pub type RawSum = (Vec<(String, f64)>, f64);

/// Curve of one attribute, in the attribute's own units.
#[derive(Debug, Clone, PartialEq)]
pub struct RawCurve {
    /// Encoded column.
    pub column: usize,
    /// Name of the encoded column.
    pub name: String,
    /// Increasing values of the attribute.
    pub knots: Vec<f64>,
    /// Value of the curve at each knot, of no unit: its weight has the unit of the target.
    pub heights: Vec<f64>,
}

impl Model {
    /// Weight of each encoded column and intercept, in raw units of attributes and target. Where
    /// there are curves, their weights follow, named `curve of` the column, in units of the target;
    /// see [`Model::raw_curves`].
    ///
    /// # Errors
    /// [`ErrorKind::NotLinear`](crate::ErrorKind::NotLinear).
    pub fn raw_weights(&self) -> Result<RawSum> {
        Ok(match &self.predictor {
            Predictor::Curves(curves) => self.in_raw_units(&curves.conditional.linear),
            other => self.in_raw_units(other.linear()?),
        })
    }

    /// Weights and intercept of each weighted sum, as [`Model::raw_weights`]: one, or one for each
    /// of more than two classes.
    ///
    /// # Errors
    /// [`ErrorKind::NotLinear`](crate::ErrorKind::NotLinear).
    pub fn raw_sums(&self) -> Result<Vec<RawSum>> {
        match &self.predictor {
            Predictor::Linears(linears) => {
                Ok(linears.classes.iter().map(|linear| self.in_raw_units(linear)).collect())
            }
            _ => Ok(vec![self.raw_weights()?]),
        }
    }

    fn in_raw_units(&self, linear: &Linear) -> RawSum {
        let target = self.prepare.target;
        let mut intercept = target.undo(linear.intercept);
        let mut names = self.prepare.schema.encoded_names();
        names.extend(self.raw_curves().iter().map(|curve| format!("curve of {}", curve.name)));
        let weights = names.into_iter().zip(&linear.weights).enumerate().map(|(j, (name, w))| {
            let (offset, divisor) = self.affine(j);
            let raw = w * target.deviation / divisor;
            intercept -= raw * offset;
            (name, raw)
        });
        (weights.collect(), intercept)
    }

    /// Curves of attributes, by increasing column, in raw units of the attributes. A prediction
    /// adds each curve's value, times its weight among [`Model::raw_weights`], to the weighted sum
    /// of the columns.
    pub fn raw_curves(&self) -> Vec<RawCurve> {
        let Predictor::Curves(curves) = &self.predictor else { return Vec::new() };
        let names = self.prepare.schema.encoded_names();
        let raw = |curve: &super::AttributeCurve| RawCurve {
            column: curve.column,
            name: names[curve.column].clone(),
            knots: curve.knots.iter().map(|&x| self.raw_value(curve.column, x)).collect(),
            heights: curve.heights.clone(),
        };
        curves.curves.iter().map(raw).collect()
    }

    /// Parts of the prediction that come from attributes with hat functions, by increasing column:
    /// `heights` are in units of the target, 0 where the attribute is missing, and `column` is that
    /// of the number itself. Beyond the outer knots it goes on along the line through its values at these.
    /// Empty for models without a basis, and for those of several weighted sums.
    pub fn raw_hats(&self) -> Vec<RawCurve> {
        let part = |(column, attribute): (usize, &ColumnSchema)| {
            let heights = self.part_of_hats(column, attribute, &attribute.knots)?;
            let (name, knots) = (attribute.name.clone(), attribute.knots.clone());
            Some(RawCurve { column, name, knots, heights })
        };
        self.with_hats().filter_map(part).collect()
    }

    /// Returns the numbers with hat functions, each with its first encoded column.
    fn with_hats(&self) -> impl Iterator<Item = (usize, &ColumnSchema)> {
        let mut next = 0;
        let placed = self.prepare.schema.columns.iter().map(move |attribute| {
            next += attribute.width();
            (next - attribute.width(), attribute)
        });
        placed.filter(|(_, attribute)| attribute.hats() > 0)
    }

    /// Returns what a number with hats adds to the prediction at several values; `None` if that is
    /// no weighted sum.
    fn part_of_hats(
        &self,
        first: usize,
        attribute: &ColumnSchema,
        values: &[f64],
    ) -> Option<Vec<f64>> {
        let (linear, conditional) = (self.predictor.linear().ok()?, self.predictor.conditional());
        let mut cells = Vec::with_capacity(attribute.width());
        let part = |&x: &f64| {
            cells.clear();
            attribute.push(Cell::Number(x), &mut cells).ok()?;
            let term = |(j, cell): (usize, &f64)| {
                let scaled = self.prepare.scaler.scale(j, *cell);
                let scaled = conditional.map_or(scaled, |of| of.bounded(j, scaled));
                linear.weights[j] * (scaled - linear.fill[j])
            };
            let sum: f64 = (first..).zip(&cells).map(term).sum();
            Some(sum * self.prepare.target.deviation)
        };
        values.iter().map(part).collect()
    }

    /// Least and largest value of each encoded column in raw units: values beyond count as these.
    /// `None` if all values count as they are.
    pub fn raw_bounds(&self) -> Option<Vec<[f64; 2]>> {
        let bounds = &self.predictor.conditional()?.bounds;
        let columns = self.prepare.schema.width();
        let raw = |(j, ends): (usize, &[f64; 2])| ends.map(|x| self.raw_value(j, x));
        (!bounds.is_empty()).then(|| bounds.iter().take(columns).enumerate().map(raw).collect())
    }

    /// Part of the prediction that comes from one encoded column, at several of its raw values, in
    /// units of the target, each with its standard error (`None` if the fit estimated none, or for
    /// hat functions). The part is 0 on average over the distribution of the attributes. `None` for
    /// a column without a curve and without hats; see [`Model::raw_hats`].
    pub fn raw_part(&self, column: usize, values: &[f64]) -> Option<Vec<(f64, Option<f64>)>> {
        let Predictor::Curves(curves) = &self.predictor else {
            let (_, attribute) = self.with_hats().find(|(first, _)| *first == column)?;
            let parts = self.part_of_hats(column, attribute, values)?;
            return Some(parts.into_iter().map(|part| (part, None)).collect());
        };
        let (offset, divisor) = self.prepare.scaler.affine(column);
        let scaled: Vec<f64> = values.iter().map(|x| (x - offset) / divisor).collect();
        let unit = self.prepare.target.deviation;
        let errors = curves.part_errors(column, &scaled);
        let error = |at: usize| errors.as_ref().map(|errors| errors[at] * unit);
        let parts = curves.part(column, &scaled).into_iter().enumerate();
        Some(parts.map(|(at, part)| (part * unit, error(at))).collect())
    }

    /// Standard error of each weight of [`Model::raw_weights`], in the same units; `None` if the fit
    /// estimated none.
    pub fn raw_standard_errors(&self) -> Option<Vec<f64>> {
        let places = 0..self.predictor.conditional()?.linear.weights.len();
        places.map(|place| self.raw_standard_error(&[(place, 1.0)])).collect()
    }

    /// Standard error of a sum of [`Model::raw_weights`], each by its place and multiplied by a
    /// number; `None` if the fit estimated none.
    pub fn raw_standard_error(&self, terms: &[(usize, f64)]) -> Option<f64> {
        let conditional = self.predictor.conditional()?;
        let places = conditional.linear.weights.len();
        let scaled: Vec<(usize, f64)> =
            terms.iter().map(|&(place, factor)| (place, factor / self.affine(place).1)).collect();
        let refits = conditional.deviations.chunks_exact(places.max(1));
        let sum = |row: &[f64]| scaled.iter().map(|(j, factor)| row[*j] * factor).sum::<f64>();
        let variance: f64 = refits.map(|row| sum(row).powi(2)).sum();
        let known = !conditional.deviations.is_empty();
        known.then(|| variance.sqrt() * self.prepare.target.deviation)
    }

    /// Standard deviation of each encoded column in raw units, over the training rows or by the
    /// joint distribution of the predictor, and then of each curve; `None` if the fit knows neither.
    pub fn raw_deviations(&self) -> Option<Vec<f64>> {
        let mut known = self.prepare.deviations.clone();
        if let Some(conditional) = self.predictor.conditional() {
            let deviation = |(j, noise): (usize, &f64)| {
                let loadings = conditional.loadings.iter().skip(j * conditional.rank);
                let shared: f64 = loadings.take(conditional.rank).map(|v| v * v).sum();
                (shared + noise).sqrt() * self.affine(j).1
            };
            let known = known.get_or_insert_default();
            let rest = conditional.noise.iter().enumerate().skip(known.len());
            known.extend(rest.map(deviation));
        }
        known
    }

    /// Offset and divisor of a weight's column; a curve has no unit.
    fn affine(&self, place: usize) -> (f64, f64) {
        let curve = place >= self.prepare.schema.width();
        if curve { (0.0, 1.0) } else { self.prepare.scaler.affine(place) }
    }

    fn raw_value(&self, column: usize, scaled: f64) -> f64 {
        let (offset, divisor) = self.prepare.scaler.affine(column);
        offset + divisor * scaled
    }
}
