//! Adds up the reports of fits to several parts of the rows.

use crate::model::{Note, Report};

/// Adds up the reports of parts.
pub(super) fn together(reports: &[&Report]) -> Report {
    let sum = |of: fn(&Report) -> u64| {
        reports.iter().fold(0_u64, |sum, report| sum.saturating_add(of(report)))
    };
    let first = reports[0];
    let alike = |note: &&Note| reports.iter().all(|report| report.notes.contains(note));
    let panels = first.panel_reads.len();
    let panel_reads: Vec<u64> = (0..panels)
        .map(|at| reports.iter().filter_map(|report| report.panel_reads.get(at)).sum())
        .collect();
    let largest =
        |of: fn(&Report) -> u64| reports.iter().map(|report| of(report)).max().unwrap_or(0);
    let stop = reports.iter().find(|report| !report.converged).map_or(first.stop, |r| r.stop);
    Report {
        stop,
        converged: stop.converged(),
        objective: None,
        gap: None,
        examples: sum(|report| report.examples),
        skipped: sum(|report| report.skipped),
        reads: sum(|report| report.reads),
        distinct: sum(|report| report.distinct),
        panel_reads,
        spent: reports.iter().map(|report| report.spent).sum(),
        outside_bounds: sum(|report| report.outside_bounds),
        first_outside: reports.iter().find_map(|report| report.first_outside.clone()),
        max_reads: largest(|report| report.max_reads),
        largest_delay: largest(|report| report.largest_delay),
        risk: None,
        risk_error: None,
        constant_risk: None,
        notes: first.notes.iter().filter(alike).cloned().collect(),
        seconds: reports.iter().map(|report| report.seconds).sum(),
        ..first.clone()
    }
}
