//! Holds the promises of learners of papers A, B and C that do not carry them in their own files.

mod aesvr;
mod baseline;
mod ddaelr;
mod ddaelr_two_phase;
mod ddaerr;
mod ddaerr_two_phase;
mod gaelr;
mod gaerr;
mod phases;

pub(super) use gaelr::{half, step};

use crate::plan::Promise;

/// In the order of the papers.
pub(super) fn guarantees() -> Vec<Promise> {
    vec![
        baseline::guarantee,
        aesvr::guarantee,
        ddaerr::guarantee,
        ddaerr_two_phase::given,
        ddaerr_two_phase::estimated,
        ddaelr::guarantee,
        ddaelr_two_phase::guarantee,
    ]
}
