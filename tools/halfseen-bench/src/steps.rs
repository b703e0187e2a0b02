//! Examples for learners that take a step for each, and the times of their steps.

use halfseen::budget::{AskTell, Query, next_batch};
use halfseen::data::{Examples, Layout, Matrix, Scaler};
use halfseen::learner::with;
use halfseen::registry::find;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Result, Silent};
use ndarray::Array2;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// Rows like images of digits, with targets of two classes.
#[derive(Debug)]
pub struct Steps {
    matrix: Matrix,
    /// Plain: a panel for each column.
    pub layout: Arc<Layout>,
    targets: Vec<f64>,
    rows: Vec<u32>,
}

impl Steps {
    /// Makes so many examples of d attributes in at most so many bytes, one for each cell as images
    /// have them; where they do not fit, rows come again.
    pub fn new(d: usize, examples: usize, bytes: usize) -> Steps {
        let n = (bytes / d).clamp(1, examples);
        let mut stream = Stream::new(1, Purpose::Data, d as u64);
        // A fifth of the cells differ from zero, as in images of digits.
        let cell = |word: u64| if word.is_multiple_of(5) { (word >> 56) as u8 } else { 0 };
        let cells = Array2::from_shape_simple_fn((n, d), || cell(stream.word()));
        let targets = (0..n).map(|_| if stream.unit() < 0.5 { -1.0 } else { 1.0 }).collect();
        Steps {
            matrix: Matrix::U8(cells),
            layout: Arc::new(Layout::singletons(d)),
            targets,
            rows: (0..examples).map(|i| (i % n) as u32).collect(),
        }
    }

    /// Returns the examples, in order.
    pub fn examples(&self) -> Examples<'_> {
        Examples::new(&self.matrix, &Scaler::Common { divisor: 255.0 }, &self.layout, &self.targets)
            .with_rows(&self.rows)
    }

    /// Makes a learner with a budget, and a horizon that is longer than the data.
    ///
    /// # Errors
    /// A name or a budget that the library refuses.
    pub fn learner(name: &str, k: usize) -> Result<Box<dyn Learner>> {
        let settings = [("budget", k.to_string()), ("horizon", "20000".to_owned())];
        with(find(name)?, &settings.to_vec())
    }

    /// Returns the nanoseconds per example of a pass by ask and tell, without its set-up and its
    /// model, O(d) each.
    ///
    /// # Errors
    /// Those of the learner.
    pub fn asked_and_told(&self, learner: &dyn Learner) -> Result<f64> {
        self.timed(learner, |running, examples| {
            let (mut query, mut values) = (Query::default(), Vec::new());
            for i in 0..examples.len() {
                running.ask_into(&mut query)?;
                values.clear();
                for read in &query.reads {
                    let column = examples.layout.column(read.panel as usize);
                    values.push(examples.value(i, column));
                }
                running.tell(&query, &values, examples.target(i))?;
            }
            Ok(())
        })
    }

    /// Returns the same for one batch, without queries that others could see.
    ///
    /// # Errors
    /// Those of the learner.
    pub fn batch(&self, learner: &dyn Learner) -> Result<f64> {
        self.timed(learner, |running, examples| next_batch(running, examples, &Silent).map(drop))
    }

    fn timed(
        &self,
        learner: &dyn Learner,
        pass: impl Fn(&mut dyn AskTell, &Examples<'_>) -> Result<()>,
    ) -> Result<f64> {
        let examples = self.examples();
        let mut running = learner.start(&self.layout)?.expect("a budgeted learner");
        let began = Instant::now();
        pass(&mut *running, &examples)?;
        let nanoseconds = began.elapsed().as_nanos() as f64 / examples.len() as f64;
        black_box(running.report());
        Ok(nanoseconds)
    }
}
