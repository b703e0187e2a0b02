//! Learns from rows with holes, without filling them: KARMA beside imputation by zero on data of
//! three blocks.
//!
//!     cargo run --release -p halfseen --example holes

use halfseen::Silent;
use halfseen::learner::with;
use halfseen::registry::find;
use halfseen_synthetic::Blocks;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 200 attributes in three blocks, each of which tells the target; two blocks of three are
    // missing from a row on average.
    let set = Blocks::default().draw(900, 7)?;
    let all = set.examples();
    let (train, test) = (all.prefix(600), all.with_rows((600..900).collect::<Vec<u32>>()));
    let mut out = std::io::stdout();
    for (name, gamma) in [("zero", None), ("karma", Some("2")), ("karma", Some("3"))] {
        let mut setting = vec![("c", "100".to_owned())];
        setting.extend(gamma.map(|gamma| ("gamma", gamma.to_owned())));
        let fit = with(find(name)?, &setting)?.fit(&train, &Silent)?;
        let scores = fit.predictor.scores(&test)?;
        let squares = (0..test.len()).map(|i| (scores.values[i] - test.target(i)).powi(2));
        let error = squares.sum::<f64>() / test.len() as f64;
        let gamma = gamma.map_or(String::new(), |gamma| format!(" with gamma = {gamma}"));
        writeln!(out, "{name}{gamma}: squared error {error:.3} where saying the mean has 1")?;
    }
    Ok(())
}
