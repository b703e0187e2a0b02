//! Tests how settings are grouped, and that groups share nothing but a call.

use super::*;
use crate::data::{Labels, Layout, Matrix, Scaler};
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

/// Returns a learner limited to the memory of `matrices` Gram matrices, to the byte.
fn with(gamma: u64, loss: KernelLoss, matrices: usize) -> Karma {
    let (data, learner) = (Data::new(), Karma { gamma, loss, ..Karma::default() });
    let size = FitSize::of(&data.examples());
    let rest = bytes_needed(ROWS, 1) as f64 + 8.0 * objective::beside(loss, &size);
    let rest = learner.needed(&size).bytes - rest;
    let memory = Some((bytes_needed(ROWS, matrices) as f64 + rest) / f64::from(1 << 30));
    Karma { memory, ..learner }
}

#[test]
fn batches_go_by_the_greediest_solver_and_the_least_allowance() {
    use KernelLoss::{Hinge, Squared};
    let data = Data::new();
    let counts = |learners: &[Karma], groups: &[&[usize]]| -> Vec<usize> {
        let groups: Vec<Vec<usize>> = groups.iter().map(|g| g.to_vec()).collect();
        let groups: Vec<&Vec<usize>> = groups.iter().collect();
        batches(&groups, learners, &data.examples()).into_iter().map(<[_]>::len).collect()
    };
    let single: &[&[usize]] = &[&[0], &[1], &[2], &[3]];
    // The hinge solver takes three matrices, a spectrum four.
    let hinges = [1, 2, 3, 4].map(|gamma| with(gamma, Hinge, 5));
    assert_eq!(counts(&hinges, single), [2, 2]);
    assert_eq!(counts(&hinges.clone().map(|k| Karma { memory: None, ..k }), single), [4]);
    let mixed = [with(1, Hinge, 5), with(2, Squared, 5), with(3, Hinge, 5), with(4, Hinge, 5)];
    assert_eq!(counts(&mixed, single), [1, 1, 2]);
    let frugal = [with(1, Hinge, 9), with(2, Hinge, 9), with(3, Hinge, 4), with(4, Hinge, 9)];
    assert_eq!(counts(&frugal, single), [2, 1, 1]);
    let online = hinges.map(|k| Karma {
        solver: KernelSolver::Online,
        memory: k.memory.map(|m| m * 0.99),
        ..k
    });
    assert_eq!(counts(&online, single), [4]);
}

#[test]
fn settings_that_share_nothing_but_a_call_give_what_they_give_alone() {
    let data = Data::new();
    let (hinge, squared) = (with(2, KernelLoss::Hinge, 4), with(2, KernelLoss::Squared, 9));
    let learners =
        [hinge.clone(), Karma { c: 0.1, ..squared.clone() }, Karma { gamma: 3, ..hinge }, squared];
    let together = fit_all(&learners, &data.examples(), &Silent).unwrap();
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
