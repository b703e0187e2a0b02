//! Runs the commands.

pub(crate) mod attacks;
pub(crate) mod certify;
pub(crate) mod compare;
pub(crate) mod compared;
pub(crate) mod curves;
pub(crate) mod evaluate;
pub(crate) mod fit;
pub(crate) mod fitted;
pub(crate) mod hiding;
pub(crate) mod in_parts;
pub(crate) mod intervals;
pub(crate) mod learners;
pub(crate) mod manual;
pub(crate) mod parts;
pub(crate) mod plan;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod report_page;
pub(crate) mod show;
pub(crate) mod study;
pub(crate) mod suggested;
pub(crate) mod truncate;
pub(crate) mod weights;
