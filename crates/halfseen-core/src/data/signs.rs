//! Maps two classes to -1 and +1, for learners whose score is a margin.

use super::Examples;
use crate::error::{ErrorKind, Result};

/// The classes as -1 and +1, and the scaled targets: `centre` stands for 0 and `centre + half` for
/// +1; a score in units of the scaled target is `centre + half * score`.
#[derive(Debug, Clone)]
pub struct Signs {
    /// -1 or +1 for each example.
    pub signs: Vec<f64>,
    /// The scaled target between the classes.
    pub centre: f64,
    /// Half the distance of the scaled targets.
    pub half: f64,
}

impl Signs {
    /// Takes examples of two classes (or of one).
    ///
    /// # Errors
    /// [`ErrorKind::WrongTarget`]: numbers, more classes, or scaled targets not separating two.
    pub fn of(examples: &Examples<'_>, learner: &str) -> Result<Signs> {
        let wrong = |problem: String| ErrorKind::WrongTarget { column: "target".into(), problem };
        let Some(labels) = examples.labels.filter(|labels| labels.classes <= 2) else {
            let classes = examples
                .labels
                .map_or("numbers".to_owned(), |labels| format!("{} classes", labels.classes));
            return Err(
                wrong(format!("it holds {classes}, but {learner} is a binary classifier")).into()
            );
        };
        let sign = |code: u32| if code == 0 { -1.0 } else { 1.0 };
        let signs: Vec<f64> =
            examples.rows.iter().map(|&row| sign(labels.codes[row as usize])).collect();
        let of = |y: f64| signs.iter().position(|s| *s == y).map(|at| examples.target(at));
        let (centre, half) = match (of(-1.0), of(1.0)) {
            (Some(low), Some(high)) => (0.5 * (low + high), 0.5 * (high - low)),
            (Some(low), None) => (low + 1.0, 1.0),
            (None, Some(high)) => (high - 1.0, 1.0),
            (None, None) => (0.0, 1.0),
        };
        if !(half > 0.0 && half.is_finite() && centre.is_finite()) {
            return Err(
                wrong("its scaled values do not separate the two classes".to_owned()).into()
            );
        }
        Ok(Signs { signs, centre, half })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::testing::Data;

    #[test]
    fn targets_that_do_not_separate_the_classes_are_refused() {
        let of = |targets: [f64; 4]| {
            let mut data = Data::random(4, 2, 1);
            data.targets = targets.to_vec();
            let labels = Some(Labels { codes: &[0, 1, 0, 1], classes: 2 });
            Signs::of(&Examples { labels, ..data.examples() }, "robust-lp")
        };
        let signs = of([3.0, 7.0, 3.0, 7.0]).unwrap();
        assert_eq!((signs.signs, signs.centre, signs.half), (vec![-1.0, 1.0, -1.0, 1.0], 5.0, 2.0));
        for targets in [[1.0; 4], [7.0, 3.0, 7.0, 3.0], [1.0, f64::INFINITY, 1.0, 1.0]] {
            assert!(of(targets).is_err_and(|e| e.to_string().contains("do not separate")));
        }
    }
}
