//! Tests how settings are grouped, and that groups share nothing but a call.

use super::*;
use halfseen_core::data::{Labels, Layout, Matrix, Scaler};
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream};

const ROWS: usize = 300;

struct Data {
    matrix: Matrix,
    layout: Arc<Layout>,
    targets: Vec<f64>,
    codes: Vec<u32>,
}

impl Data {
    fn new() -> Data {
        let mut stream = Stream::new(2, Purpose::Data, 0);
        let codes: Vec<u32> = (0..ROWS).map(|_| u32::from(stream.unit() < 0.5)).collect();
        let targets = codes.iter().map(|&code| 2.0 * f64::from(code) - 1.0).collect();
        let cells = ndarray::Array2::from_shape_fn((ROWS, 4), |(i, _)| {
            if stream.unit() < 0.3 { f64::NAN } else { stream.normal() + 0.5 * f64::from(codes[i]) }
        });
        Data { matrix: Matrix::F64(cells), layout: Arc::new(Layout::singletons(4)), targets, codes }
    }

    fn examples(&self) -> Examples<'_> {
        let labels = Some(Labels { codes: &self.codes, classes: 2 });
        Examples {
            labels,
            ..Examples::new(&self.matrix, &Scaler::None {}, &self.layout, &self.targets)
        }
    }
}

fn with(gamma: u64, loss: KernelLoss) -> Karma {
    Karma { gamma, loss, ..Karma::default() }
}

/// Returns the bytes of `matrices` Gram matrices, and of what a fit takes beside its solver.
fn room(matrices: usize) -> f64 {
    let (data, learner) = (Data::new(), with(1, KernelLoss::Hinge));
    let size = FitSize::of(&data.examples());
    let solver = bytes_needed(ROWS, 1) as f64 + 8.0 * objective::beside(learner.loss, &size);
    bytes_needed(ROWS, matrices) as f64 + learner.needed(&size).bytes - solver
}

#[test]
fn batches_go_by_the_greediest_solver() {
    use KernelLoss::{Hinge, Squared};
    let data = Data::new();
    let counts = |learners: &[Karma], allowed: f64| -> Vec<usize> {
        let groups: Vec<Vec<usize>> = (0..learners.len()).map(|at| vec![at]).collect();
        let groups: Vec<&Vec<usize>> = groups.iter().collect();
        let batches = batches(&groups, learners, &data.examples(), allowed);
        batches.into_iter().map(<[_]>::len).collect()
    };
    // The hinge solver takes three matrices, a spectrum four.
    let hinges = [1, 2, 3, 4].map(|gamma| with(gamma, Hinge));
    assert_eq!(counts(&hinges, room(5)), [2, 2]);
    assert_eq!(counts(&hinges, room(9)), [4]);
    assert_eq!(counts(&hinges, room(4)), [1, 1, 1, 1]);
    let mixed = [with(1, Hinge), with(2, Squared), with(3, Hinge), with(4, Hinge)];
    assert_eq!(counts(&mixed, room(5)), [1, 1, 2]);
    let online = hinges.map(|k| Karma { solver: KernelSolver::Online, ..k });
    assert_eq!(counts(&online, 0.99 * room(5)), [4]);
}

#[test]
fn settings_that_share_nothing_but_a_call_give_what_they_give_alone() {
    let data = Data::new();
    let (hinge, squared) = (with(2, KernelLoss::Hinge), with(2, KernelLoss::Squared));
    let learners =
        [hinge.clone(), Karma { c: 0.1, ..squared.clone() }, Karma { gamma: 3, ..hinge }, squared];
    // One group at a time.
    let together = fit_within(room(4), &learners, &data.examples(), &Silent).unwrap();
    for (learner, fit) in
        learners.iter().zip(&together).filter(|(k, _)| k.loss == KernelLoss::Hinge)
    {
        let alone = fit_all(std::slice::from_ref(learner), &data.examples(), &Silent).unwrap();
        assert_eq!(fit.predictor, alone[0].predictor);
    }
    // Settings with the squared loss share a spectrum.
    let pair =
        fit_all(&[learners[1].clone(), learners[3].clone()], &data.examples(), &Silent).unwrap();
    assert!(
        together[1].predictor == pair[0].predictor && together[3].predictor == pair[1].predictor
    );
}
