//! Selects settings and learners: splits, folds, scores, tuning, comparison, suggestions.
//!
//! Everything is seeded and runs in parallel; results have the same bits for any number of threads.

mod beside;
mod compare;
mod hide;
mod in_words;
mod line_up;
mod parallel;
mod quantile;
mod row;
mod score;
mod statistics;
mod suggest;
mod task;
mod tested;
mod tune;

pub use beside::{AttackPlan, CONSTANT};
pub use compare::{Comparison, ComparisonPlan, Summary, compare};
pub use hide::{Seen, hide};
pub use line_up::{LineUp, assign};
pub use quantile::{QuantileScore, QuantileTally};
pub use row::{ComparisonRow, CurvePoint};
pub use score::{ConstantTally, Score, Tally};
pub use statistics::Statistics;
pub use suggest::{SUGGESTED_FOLDS, Situation, Suggestion, suggest, suggestions};
pub use task::{Task, Test, named};
pub use tested::tested;
pub use tune::{Candidate, FoldSummary, Tuned, Tuning, tune, tune_over};
