//! Truncates a predictor to the attributes with the largest weights.
//!
//! Prediction then needs a limited number of attributes, as for patients who pay per test
//! (Cesa-Bianchi, Shalev-Shwartz and Shamir 2010, section 1.1). A dropped attribute counts as its
//! mean: the intercept grows by w_j times the mean known to the learner. So the truncated predictor
//! scores as the whole one does if these cells are missing. A predictor that imputes missing cells
//! from observed ones does so permanently.

use super::{Linear, Model, Note, Predictor};
use crate::data::{Layout, Scaler, Threat};
use crate::error::{ErrorKind, Result};

impl Linear {
    /// Returns the predictor with the `attributes` sampled panels of largest weight, and every
    /// known one.
    ///
    /// The weight of a panel is the Euclidean norm of the weights of its columns, in scaled units;
    /// the first of equal ones is kept.
    ///
    /// # Errors
    /// See [`check_truncation`].
    pub fn truncated(&self, attributes: usize, layout: &Layout) -> Result<Linear> {
        self.truncated_by(attributes, layout, |_| 1.0)
    }

    /// Does the same with the weight of each column multiplied by `size`.
    pub fn truncated_by(
        &self,
        attributes: usize,
        layout: &Layout,
        size: impl Fn(usize) -> f64,
    ) -> Result<Linear> {
        check_truncation(attributes, layout)?;
        let weight = |slot| self.weights[layout.column(slot)] * size(layout.column(slot));
        let length = |panel| layout.slots_of(panel).map(weight).fold(0.0, f64::hypot);
        let mut panels: Vec<(usize, f64)> =
            (0..layout.sampled_panels()).map(|p| (p, length(p))).collect();
        // A stable sort keeps the order of equal weights.
        panels.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut cut = self.clone();
        for &(panel, _) in &panels[attributes..] {
            for column in layout.slots_of(panel).map(|slot| layout.column(slot)) {
                cut.intercept += cut.weights[column] * cut.fill[column];
                cut.weights[column] = 0.0;
            }
        }
        Ok(cut)
    }

    /// Returns the number of sampled panels with nonzero weight, which a prediction has to read.
    pub fn attributes(&self, layout: &Layout) -> usize {
        (0..layout.sampled_panels()).filter(|&p| self.panel_weight(p, layout) != 0.0).count()
    }

    /// Returns the Euclidean norm of a panel's weights.
    fn panel_weight(&self, panel: usize, layout: &Layout) -> f64 {
        layout.slots_of(panel).map(|slot| self.weights[layout.column(slot)]).fold(0.0, f64::hypot)
    }
}

/// Refuses to keep no attribute, or more than exist.
///
/// # Errors
/// [`ErrorKind::OutOfRange`].
pub fn check_truncation(attributes: usize, layout: &Layout) -> Result<()> {
    let panels = layout.sampled_panels();
    if (1..=panels).contains(&attributes) {
        return Ok(());
    }
    let allowed = match panels {
        0 => "left out: every attribute is always known, and those stay".to_owned(),
        1 => "1, the number of attributes".to_owned(),
        _ => format!("an integer from 1 to {panels}, the number of attributes"),
    };
    Err(ErrorKind::OutOfRange { name: "truncate", value: attributes.to_string(), allowed }.into())
}

impl Predictor {
    /// Returns the predictor of the same form with the `attributes` sampled panels of largest
    /// weight, and every known one.
    ///
    /// # Errors
    /// See [`check_truncation`]; a predictor that is not one linear model.
    pub fn truncated(&self, attributes: usize, layout: &Layout) -> Result<Predictor> {
        Ok(match self {
            Predictor::Conditional(conditional) => {
                Predictor::Conditional(conditional.truncated(attributes, layout)?)
            }
            Predictor::Margin(linear) => Predictor::Margin(linear.truncated(attributes, layout)?),
            other => Predictor::Linear(other.linear()?.truncated(attributes, layout)?),
        })
    }
}

impl Model {
    /// Returns the model of [`Linear::truncated`], or of
    /// [`Conditional::truncated`](super::Conditional::truncated), without the unneeded attributes:
    /// tables for prediction may omit them.
    ///
    /// If a weight was dropped, [`Note::Truncated`] replaces what the report says on the whole
    /// predictor (objective, gap, its own error estimates, bounds).
    ///
    /// # Errors
    /// See [`check_truncation`].
    pub fn truncated(&self, attributes: usize) -> Result<Model> {
        let layout = self.prepare.schema.layout()?;
        let predictor = self.predictor.truncated(attributes, &layout)?;
        let linear = predictor.linear()?;
        let mut needed = vec![false; linear.weights.len()];
        let known = layout.sampled_panels()..layout.panels();
        let weighted =
            (0..layout.sampled_panels()).filter(|&p| linear.panel_weight(p, &layout) != 0.0);
        let mut kept: Vec<usize> = weighted.chain(known).collect();
        if kept.is_empty() {
            // A model needs at least one attribute, even of weight 0.
            kept.push(0);
        }
        for panel in kept {
            layout.slots_of(panel).for_each(|slot| needed[layout.column(slot)] = true);
        }
        self.keeping(predictor, &needed)
    }

    /// Returns the model of this predictor without unneeded encoded columns, and without attributes
    /// that have no column left.
    fn keeping(&self, mut predictor: Predictor, needed: &[bool]) -> Result<Model> {
        let dropped = predictor.linear()?.weights != self.predictor.linear()?.weights;
        let kept = |numbers: &mut Vec<f64>| {
            let mut flags = needed.iter();
            numbers.retain(|_| flags.next() == Some(&true));
        };
        match &mut predictor {
            Predictor::Conditional(conditional) => conditional.keep(needed),
            Predictor::Linear(linear) | Predictor::Margin(linear) => {
                kept(&mut linear.weights);
                kept(&mut linear.fill);
            }
            _ => return Err(ErrorKind::NotLinear.into()),
        }
        let mut prepare = self.prepare.clone();
        if let Scaler::Each { offset, divisor } = &mut prepare.scaler {
            kept(offset);
            kept(divisor);
        }
        prepare.deviations.iter_mut().for_each(kept);
        let schema = &mut prepare.schema;
        let mut first = 0;
        // All columns of an attribute are in one panel, so all are needed or none.
        schema.columns.retain(|attribute| {
            let columns = first..first + attribute.width();
            first = columns.end;
            needed[columns].contains(&true)
        });
        let left: std::collections::HashSet<&str> =
            schema.columns.iter().map(|c| c.name.as_str()).collect();
        schema.groups.retain_mut(|group| {
            group.columns.retain(|name| left.contains(name.as_str()));
            !group.columns.is_empty()
        });
        // Panels that are never read have no price.
        let groups = schema.groups.iter().map(|g| g.name.as_str());
        let left: std::collections::HashSet<&str> = left.into_iter().chain(groups).collect();
        schema.prices.retain(|name, _| left.contains(name.as_str()));
        let (before, after) = (self.prepare.schema.layout()?, prepare.schema.layout()?);
        let mut report = self.report.clone();
        // The total of reads still covers all panels, so counts by panel are dropped.
        report.panel_reads.clear();
        // The remaining attributes keep the threat, unless it covers all of them.
        report.threat = self.report.threat.as_ref().and_then(|threat| {
            let of = |panel: usize| {
                (0..before.sampled_panels()).find(|&p| before.name(p) == after.name(panel))
            };
            let values =
                (0..after.sampled_panels()).filter_map(of).map(|p| threat.values()[p]).collect();
            Threat::new(values, threat.budget()).ok()
        });
        let threat =
            self.report.threat.as_ref().filter(|_| report.threat.is_none()).map(Threat::budget);
        if dropped || threat.is_some() {
            (report.objective, report.gap, report.leave_one_out) = (None, None, None);
            (report.risk, report.risk_error, report.constant_risk) = (None, None, None);
            report.notes.retain(|note| !note.is_of_predictor());
            let (attributes, of) = (after.sampled_panels() as u64, before.sampled_panels() as u64);
            report.notes.push(Note::Truncated { attributes, of, threat });
        }
        Ok(Model { predictor, prepare, report, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Matrix, Table, TargetScale, Task};
    use crate::model::{Report, Stop};
    use crate::prepare::{ColumnKind, ColumnSchema, Group, Prepare, Schema};
    use ndarray::Array2;
    use proptest::prelude::*;

    #[test]
    fn the_largest_stay_ties_go_by_order_and_the_intercept_takes_up_the_rest() {
        let layout = Layout::singletons(4);
        let whole = Linear {
            weights: vec![1.0, -3.0, 3.0, 0.5],
            intercept: 2.0,
            fill: vec![10.0, 20.0, 30.0, 40.0],
            clip: None,
        };
        let cut = |s| whole.truncated(s, &layout).unwrap();
        assert_eq!(
            (cut(1).weights, cut(1).intercept),
            (vec![0.0, -3.0, 0.0, 0.0], 2.0 + 10.0 + 90.0 + 20.0)
        );
        assert_eq!(
            (cut(2).weights, cut(2).intercept),
            (vec![0.0, -3.0, 3.0, 0.0], 2.0 + 10.0 + 20.0)
        );
        assert_eq!(cut(4), whole);
        assert_eq!((cut(3).attributes(&layout), whole.attributes(&layout)), (3, 4));
    }

    #[test]
    fn a_panel_counts_once_by_its_length_and_known_ones_stay() {
        let mut builder = Layout::builder(5);
        builder.known("age", vec![1]);
        builder.sampled("a", vec![2]);
        builder.sampled("colour", vec![4, 0, 3]);
        let layout = builder.finish().unwrap();
        let weights = vec![-2.0, 0.1, 2.5, 2.0, 1.0];
        let cut = Linear { weights, intercept: 0.0, fill: vec![1.0; 5], clip: None }
            .truncated(1, &layout)
            .unwrap();
        // |(1, -2, 2)| = 3 is more than 2.5.
        assert_eq!((cut.weights, cut.intercept), (vec![-2.0, 0.1, 0.0, 2.0, 1.0], 2.5));
    }

    proptest! {
        #[test]
        fn dropping_is_replacing_by_the_mean(
            cells in prop::collection::vec((-3.0..3.0_f64, -3.0..3.0_f64, -3.0..3.0_f64), 2..30),
            width in 1_usize..4, share in 0.0..1.0_f64,
        ) {
            let column = |c: fn(&(f64, f64, f64)) -> f64| cells.iter().map(c).collect::<Vec<f64>>();
            let whole = Linear { weights: column(|c| c.0), intercept: 0.3, fill: column(|c| c.1), clip: None };
            let mut builder = Layout::builder(cells.len());
            for (p, chunk) in (0..cells.len() as u32).collect::<Vec<u32>>().chunks(width).enumerate() {
                builder.sampled(&format!("p{p}"), chunk.to_vec());
            }
            let layout = builder.finish().unwrap();
            let attributes = 1 + (share * (layout.sampled_panels() - 1) as f64) as usize;
            let cut = whole.truncated(attributes, &layout).unwrap();
            prop_assert_eq!(cut.attributes(&layout), attributes);
            let mut row = column(|c| c.2);
            let score = cut.score(&row);
            let kept: Vec<bool> = cut.weights.iter().map(|w| *w != 0.0).collect();
            row.iter_mut().zip(&whole.fill).zip(&kept).filter(|(_, k)| !**k).for_each(|((v, fill), _)| *v = *fill);
            prop_assert!((whole.score(&row) - score).abs() < 1e-12 * 9.0 * cells.len() as f64);
            // No dropped panel has more weight than a kept one.
            let size = |p: usize| {
                let squares = layout.slots_of(p).map(|s| whole.weights[layout.column(s)].powi(2));
                squares.sum::<f64>().sqrt()
            };
            let (stay, go): (Vec<usize>, Vec<usize>) =
                (0..layout.sampled_panels()).partition(|&p| kept[layout.column(layout.slots_of(p).start)]);
            let least = stay.into_iter().map(size).fold(f64::INFINITY, f64::min);
            let most = go.into_iter().map(size).fold(0.0, f64::max);
            prop_assert!(least >= most - 1e-12, "{} and {}", least, most);
            prop_assert_eq!(cut.truncated(attributes, &layout).unwrap(), cut);
        }
    }

    #[test]
    fn none_and_too_many_are_refused() {
        let mut builder = Layout::builder(1);
        builder.known("age", vec![0]);
        let known = builder.finish().unwrap();
        for (layout, attributes, says) in [
            (Layout::singletons(3), 0, "from 1 to 3"),
            (Layout::singletons(3), 4, "from 1 to 3"),
            (Layout::singletons(1), 2, "must be 1,"),
            (known, 1, "left out"),
        ] {
            let error = check_truncation(attributes, &layout).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::OutOfRange { name: "truncate", .. }));
            assert!(error.to_string().contains(says), "{error}");
        }
    }

    /// Returns a model of attributes x0, x1 and x2 together, a text of three categories, a known
    /// one, x4.
    fn model(scaler: Scaler) -> Model {
        let column = |name: &str, kind, known| ColumnSchema {
            name: name.into(),
            kind,
            known,
            date: None,
            knots: Vec::new(),
        };
        let number = |name| column(name, ColumnKind::Number, false);
        let categories = ["blue", "green", "red"].map(str::to_owned).to_vec();
        let schema = Schema {
            columns: vec![
                number("x0"),
                number("x1"),
                column("kind", ColumnKind::Text { categories }, false),
                number("x2"),
                column("age", ColumnKind::Number, true),
                number("x4"),
            ],
            groups: vec![Group { name: "pair".into(), columns: vec!["x1".into(), "x2".into()] }],
            prices: [("x0".to_owned(), 2.0), ("pair".to_owned(), 3.0), ("x4".to_owned(), 0.5)]
                .into(),
            by_reads: false,
        };
        Model {
            learner: "ridge".into(),
            params: serde_json::Map::new(),
            prepare: Prepare {
                schema,
                scaler,
                target: TargetScale { mean: 1.0, deviation: 2.0 },
                deviations: Some((0..8).map(f64::from).collect()),
            },
            target: "y".into(),
            task: Task::Regression,
            classes: vec![],
            predictor: Linear {
                weights: vec![0.5, 3.0, 1.0, -1.0, 1.5, 0.0, 0.25, -2.0],
                intercept: 0.75,
                fill: vec![0.1, 0.2, 0.3, 0.4, 0.3, 0.6, 0.7, 0.8],
                clip: None,
            }
            .into(),
            report: Report::full("ridge", Stop::ClosedForm, 10, 4),
        }
    }

    #[test]
    fn a_truncated_model_predicts_from_its_own_attributes_alone() {
        let numbers = |names: &[&str]| {
            let cells = Array2::from_shape_fn((5, names.len()), |(i, j)| {
                let attribute = usize::from(names[j].as_bytes()[1] % 16);
                ((i * 7 + attribute * 5) % 11) as f64 - 4.0
            });
            Table::from_matrix(Matrix::F64(cells), names.iter().map(|n| (*n).to_owned()).collect())
                .unwrap()
        };
        let each = Scaler::Each {
            offset: (0..8).map(f64::from).collect(),
            divisor: (2..10).map(f64::from).collect(),
        };
        for scaler in [Scaler::None {}, Scaler::Common { divisor: 3.0 }, each] {
            let whole = model(scaler);
            // By size: the pair (3.0, 1.5 or so), kind (1.0, -1.0, 1.5), x4, x0.
            for (attributes, left) in [
                (1, &["x1", "x2", "age"][..]),
                (2, &["x1", "kind", "x2", "age"]),
                (3, &["x1", "kind", "x2", "age", "x4"]),
                (4, &["x0", "x1", "kind", "x2", "age", "x4"]),
            ] {
                let cut = whole.truncated(attributes).unwrap();
                let names: Vec<&str> =
                    cut.prepare.schema.columns.iter().map(|c| c.name.as_str()).collect();
                assert_eq!(names, left);
                assert_eq!(Model::read_json(&cut.to_json().unwrap()).unwrap(), cut);
                // Without dropped attributes, and without the text, which is missing to both.
                let present: Vec<&str> = left.iter().copied().filter(|n| *n != "kind").collect();
                let scores = cut.predict(&numbers(&present)).unwrap().scores.values;
                // The whole model with the same cells missing.
                let all = ["x0", "x1", "x2", "age", "x4"];
                let table = numbers(&all);
                let hidden = Array2::from_shape_fn((5, 5), |(i, j)| {
                    if present.contains(&all[j]) { table.numbers().get(i, j) } else { f64::NAN }
                });
                let table =
                    Table::from_matrix(Matrix::F64(hidden), all.map(str::to_owned).to_vec())
                        .unwrap();
                for (a, b) in scores.iter().zip(whole.predict(&table).unwrap().scores.values) {
                    assert!((a - b).abs() < 1e-12, "{attributes}: {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn a_report_keeps_what_holds_for_the_truncated_predictor_alone() {
        let mut whole = model(Scaler::None {});
        let bound = Note::RiskBound {
            theorem: "theorem 2".into(),
            risk: 0.05,
            confidence: 0.05,
            tried: 1,
            from_rows: Vec::new(),
        };
        let told = Note::EmptyRows { rows: 3 };
        whole.report.notes = vec![bound.clone(), told.clone()];
        whole.report.notes.push(Note::NoBetterThanConstant { attacked: 0.4, constant: 0.3 });
        (whole.report.objective, whole.report.gap, whole.report.leave_one_out) =
            (Some(1.0), Some(0.1), Some(0.4));
        (whole.report.risk, whole.report.risk_error) = (Some(0.2), Some(0.01));
        // Attributes: x0, pair, kind, x4.
        whole.report.threat = Some(Threat::new(vec![1.0, 2.0, 1.0, 1.0], 2.0).unwrap());
        let all = whole.truncated(4).unwrap().report;
        assert_eq!(
            (all.objective, all.risk, &all.notes),
            (Some(1.0), Some(0.2), &whole.report.notes),
            "nothing was cut"
        );
        let two = whole.truncated(2).unwrap().report;
        assert_eq!((two.objective, two.gap, two.leave_one_out), (None, None, None));
        assert_eq!((two.risk, two.risk_error), (None, None));
        assert_eq!(
            two.notes,
            [told.clone(), Note::Truncated { attributes: 2, of: 4, threat: None }]
        );
        assert_eq!(two.threat.as_ref().map(Threat::budget), Some(2.0));
        let one = whole.truncated(1).unwrap().report;
        assert_eq!(one.notes, [told, Note::Truncated { attributes: 1, of: 4, threat: Some(2.0) }]);
        assert_eq!(one.threat, None, "what is left is worth no more than the threat");
    }

    #[test]
    fn a_model_of_zeros_keeps_one_attribute() {
        let mut zeros = model(Scaler::None {});
        zeros.prepare.schema.columns.iter_mut().for_each(|c| c.known = false);
        let mut linear = zeros.predictor.linear().unwrap().clone();
        linear.weights.fill(0.0);
        zeros.predictor = linear.into();
        let cut = zeros.truncated(3).unwrap();
        assert_eq!(cut.predictor.linear().unwrap().weights.len(), cut.prepare.schema.width());
        assert_eq!(cut.prepare.schema.layout().unwrap().sampled_panels(), 1);
        assert_eq!(Model::read_json(&cut.to_json().unwrap()).unwrap(), cut);
    }
}
