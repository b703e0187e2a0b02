//! Turns panels, prices and limits on costs into a plan's number of reads.
//!
//! A panel is one read. Reads drawn uniformly cost the mean price, so that a total cost pays for
//! that many reads; a limit on the cost of one example allows as many as the most expensive ones cost.

use crate::args::PlanArgs;
use crate::failure::usage_error;
use crate::{declarations, format};
use anyhow::Result;
use halfseen::plan::Plan;
use halfseen::prepare::Group;
use std::collections::BTreeMap;

/// Prices of a plan's reads.
pub(crate) struct PlanCosts {
    /// Of what can be read, the most expensive first.
    prices: Vec<f64>,
    max_cost: Option<f64>,
    total_cost: Option<f64>,
}

/// Declarations of the attributes of a plan, by flags or by the schema of a study.
pub(crate) struct Declared {
    /// Number of columns that can be read.
    pub(crate) dims: u64,
    /// Columns that are read together.
    pub(crate) panels: Vec<Group>,
    /// Prices by column or panel; `None` if nothing was said of them.
    pub(crate) prices: Option<BTreeMap<String, f64>>,
    /// File of the prices.
    pub(crate) place: String,
}

impl Declared {
    /// Returns what --dims, --panel and --prices say.
    pub(crate) fn by_flags(args: &PlanArgs) -> Result<Declared> {
        let panels = args.panel.iter().map(|text| declarations::panel(text));
        Ok(Declared {
            dims: args.dims(),
            panels: panels.collect::<Result<_>>()?,
            prices: args.prices.as_deref().map(declarations::prices).transpose()?,
            place: args.prices.as_ref().map_or(String::new(), |path| path.display().to_string()),
        })
    }
}

/// Largest number of reads whose prices are listed.
const MOST: u64 = 10_000_000;

impl PlanCosts {
    /// Returns the prices, and the arguments of the plan in numbers of reads; `None` if nothing was
    /// said of prices.
    pub(crate) fn resolve(
        args: &PlanArgs,
        declared: Declared,
    ) -> Result<Option<(PlanCosts, PlanArgs)>> {
        let Declared { dims: columns, panels, prices, place } = declared;
        let limits = &args.cost;
        let (max_cost, total_cost) = (limits.max_cost, limits.total_cost);
        let free = prices.is_none() && max_cost.is_none() && total_cost.is_none();
        if free && panels.is_empty() {
            return Ok(None);
        }
        let together: u64 = panels.iter().map(|panel| panel.columns.len() as u64 - 1).sum();
        let (Some(dims), true) = (columns.checked_sub(together), columns <= MOST) else {
            return usage_error(format!(
                "--dims {columns}: it must be at least the number of columns in --panel, and at most {}",
                format::grouped(MOST)
            ));
        };
        let declared = prices.unwrap_or_default();
        for (name, price) in &declared {
            let panel = panels.iter().find(|panel| panel.columns.contains(name));
            if let Some(panel) = panel.filter(|panel| panel.name != *name) {
                return usage_error(format!(
                    "{place}: '{name}' is read with the panel '{}'; declare the price of that panel",
                    panel.name
                ));
            }
            if !(0.0..=1e100).contains(price) {
                return usage_error(format!(
                    "{place}: '{name}': price {price} is not in 0 to 1e100"
                ));
            }
        }
        if declared.len() as u64 > dims {
            return usage_error(format!(
                "{place}: {} prices for the {dims} that can be read; raise --dims",
                declared.len()
            ));
        }
        let mut prices: Vec<f64> = declared.into_values().collect();
        prices.resize(dims as usize, 1.0);
        prices.sort_unstable_by(|a, b| b.total_cmp(a));
        let costs = PlanCosts { prices, max_cost, total_cost };
        let args = costs.in_reads(args, dims)?;
        Ok(Some((costs, args)))
    }

    /// Returns the arguments with limits in reads.
    fn in_reads(&self, args: &PlanArgs, dims: u64) -> Result<PlanArgs> {
        let mut args = PlanArgs { dims: Some(dims), ..args.clone() };
        let paid = self.total_cost.map(|total| (total / self.mean()) as u64);
        if paid == Some(0) {
            return usage_error(
                "--total-cost does not pay for one read at the mean price; raise it",
            );
        }
        let total = [args.total_budget, paid].into_iter().flatten().min();
        if let Some(limit) = self.max_cost {
            let mut sum = 0.0;
            let paid = self.prices.iter().take_while(|price| {
                sum += **price;
                sum <= limit * (1.0 + 1e-12)
            });
            let most = paid.count() as u64;
            if most == 0 || args.budget.is_some_and(|budget| budget > most) {
                return usage_error(format!(
                    "--max-cost {limit}: it pays for {most} of the most expensive reads; raise it, or lower --budget"
                ));
            }
            args.budget.get_or_insert(most);
        }
        match (args.budget, total) {
            (Some(budget), Some(total)) => {
                if total < budget {
                    return usage_error(
                        "the total does not pay for one example; raise it, or lower --budget",
                    );
                }
                let paid = total / budget;
                if args.error.is_none() {
                    args.examples = Some(args.examples.map_or(paid, |most| most.min(paid)));
                }
                args.total_budget = None;
            }
            (_, total) => args.total_budget = total,
        }
        Ok(args)
    }

    fn mean(&self) -> f64 {
        (self.prices.iter().sum::<f64>() / self.prices.len().max(1) as f64).max(f64::MIN_POSITIVE)
    }

    /// Returns the cost of the k most expensive reads.
    fn most_expensive(&self, k: u64) -> f64 {
        self.prices.iter().take(k as usize).sum()
    }

    /// Returns the cost of a plan's reads at the mean price.
    pub(crate) fn of(&self, plan: &Plan) -> Option<f64> {
        plan.reads.map(|reads| reads as f64 * self.mean())
    }

    /// Returns true if no example of a plan costs more than the limit.
    pub(crate) fn allows(&self, plan: &Plan) -> bool {
        let cost = self.most_expensive(plan.guarantee.budget);
        self.max_cost.is_none_or(|limit| cost <= limit * (1.0 + 1e-12))
    }

    /// Explains the costs in a sentence or two.
    pub(crate) fn text(&self, left_out: &[&str]) -> String {
        let mut text = format!(
            "\nCost: reads at the mean price of {}, as uniform draws cost on average. fiml has no guarantee, and so no row.\n",
            format::significant(self.mean())
        );
        if let (Some(limit), false) = (self.max_cost, left_out.is_empty()) {
            text.push_str(&format!(
                "Left out, since one example may cost more than {limit}: {}.\n",
                left_out.join(", ")
            ));
        }
        text
    }
}
