//! Compares learners with aerr where second moments decay: the excess error of each, over aerr's,
//! at its best step.
//!
//!     cargo run --release -p halfseen --example data_dependent -- ddaerr 'ddaerr-2p smoothing=0.01 phase1=0.3'
//!
//! Each argument is a learner with its settings; aerr is always the first row. x_i = sigma_i
//! sqrt(mu_i) with mu_i ~ i^-2, d = 500, budget 4, m = 20,000, noise 0.1, 20 seeds, radius 1, the
//! papers' centre and average, unless a learner's own settings say otherwise; steps are multiples
//! of its theorem's, in quarter decades.
#![allow(clippy::print_stdout)]

use halfseen::learner::Learner;
use halfseen::registry::find;
use halfseen::{Result, Silent};
use halfseen_synthetic::{Decay, Decaying, Synthetic, Weights};

const STEPS: [&str; 9] = ["0.1x", "0.18x", "0.32x", "0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x"];
const SEEDS: u64 = 20;
const PAPERS: [(&str, &str); 5] = [
    ("budget", "4"),
    ("radius", "1"),
    ("centre", "none"),
    ("average", "all"),
    ("intercept", "false"),
];

fn read(spec: &str) -> Result<Box<dyn Learner>> {
    let mut words = spec.split_whitespace();
    let mut learner = find(words.next().unwrap_or_default())?;
    for (name, value) in PAPERS {
        learner.set(name, value)?;
    }
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        learner.set(name, value)?;
    }
    Ok(learner)
}

/// The least mean excess over the steps, and its step.
fn best(learner: &dyn Learner, sets: &[Synthetic]) -> Result<(f64, &'static str)> {
    let mut best = (f64::INFINITY, "");
    for step in STEPS {
        let mut sum = 0.0;
        for (seed, set) in sets.iter().enumerate() {
            let mut learner = learner.clone_box();
            learner.set("step", step)?;
            learner.set("seed", &seed.to_string())?;
            let model = learner.fit(&set.informed(), &Silent)?.linear()?.clone();
            sum += set.excess(&model.weights, model.intercept);
        }
        let mean = sum / sets.len() as f64;
        if mean < best.0 {
            best = (mean, step);
        }
    }
    Ok(best)
}

fn main() -> Result<()> {
    let specs: Vec<String> =
        std::iter::once("aerr".to_owned()).chain(std::env::args().skip(1)).collect();
    let learners = specs.iter().map(|spec| read(spec)).collect::<Result<Vec<_>>>()?;
    for (title, weights) in [
        ("aligned", Weights::Aligned),
        ("isotropic", Weights::Isotropic),
        ("first attribute", Weights::Single(0)),
    ] {
        let draw = |seed| {
            Decaying { columns: 500, decay: Decay::Power(2.0), weights, noise: 0.1 }
                .draw(20_000, seed)
        };
        let sets = (0..SEEDS).map(draw).collect::<Result<Vec<_>>>()?;
        println!("{title} w*, excess of w = 0: {:.3e}", sets[0].excess(&[0.0; 500], 0.0));
        let mut reference = f64::NAN;
        for (spec, learner) in specs.iter().zip(&learners) {
            let (excess, step) = best(&**learner, &sets)?;
            if reference.is_nan() {
                reference = excess;
            }
            println!("  {:5.3}  {excess:.3e}  step {step:6} {spec}", excess / reference);
        }
    }
    Ok(())
}
