//! Defines panels (the columns of one read) with their prices, and the always-known columns.
//!
//! Learners number their columns by *slots*: the columns of the sampled panels first, panel by
//! panel, then the known ones. If every attribute is a panel of its own and none is known, slot,
//! panel and column are the same number.

use serde::{Deserialize, Serialize};

/// Panels over the columns of a prepared matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    names: Vec<String>,
    /// Panel p has the slots `starts[p]..starts[p + 1]`.
    starts: Vec<u32>,
    /// Slot -> column.
    columns: Vec<u32>,
    /// Column -> slot.
    slots: Vec<u32>,
    /// Number of sampled panels; the others are known.
    sampled: usize,
    /// Price of a read of each sampled panel; empty: 1 each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    prices: Vec<f64>,
    /// True if no range of values was declared; gradient learners then scale by their own reads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    by_reads: bool,
    /// True if panel, slot and column are the same number. The lists are then not read, which saves
    /// most cache misses with many columns.
    #[serde(skip)]
    identity: bool,
}

/// Largest price: sums of prices stay finite.
const LARGEST_PRICE: f64 = 1e100;

impl Layout {
    /// Makes every column a sampled panel of its own; names `x0`, `x1`, ...
    pub fn singletons(columns: usize) -> Layout {
        let mut builder = Self::builder(columns);
        for column in 0..columns {
            builder.sampled(&format!("x{column}"), vec![column as u32]);
        }
        builder.laid_out()
    }

    /// Starts a layout over `columns` columns.
    pub fn builder(columns: usize) -> LayoutBuilder {
        LayoutBuilder { width: columns, sampled: Vec::new(), known: Vec::new() }
    }

    fn is_identity(&self) -> bool {
        let same = |(i, &n): (usize, &u32)| i == n as usize;
        self.sampled == self.columns.len()
            && self.columns.iter().enumerate().all(same)
            && self.starts.iter().enumerate().all(same)
    }

    /// Completes a layout read from a file; refuses one that contradicts itself.
    pub(crate) fn complete(&mut self) -> crate::Result<()> {
        let n = self.columns.len();
        let sound = self.starts.len() == self.names.len() + 1
            && self.sampled <= self.names.len()
            && self.starts.first() == Some(&0)
            && self.starts.last().is_some_and(|&last| last as usize == n)
            && self.starts.windows(2).all(|w| w[0] < w[1])
            && self.slots.len() == n
            && self
                .columns
                .iter()
                .enumerate()
                .all(|(slot, &c)| self.slots.get(c as usize) == Some(&(slot as u32)))
            && (self.prices.is_empty() || self.prices.len() == self.sampled)
            && self.prices.iter().all(|price| (0.0..=LARGEST_PRICE).contains(price));
        if sound {
            self.identity = self.is_identity();
            return Ok(());
        }
        let problem = "panels, slots, columns and prices contradict each other";
        Err(crate::Error::in_file("learner state", "layout", problem))
    }

    /// Returns the number of panels that cost a read.
    #[inline]
    pub fn sampled_panels(&self) -> usize {
        self.sampled
    }

    /// Returns the number of panels, known ones included.
    pub fn panels(&self) -> usize {
        self.names.len()
    }

    /// Returns the number of slots that cost a read.
    #[inline]
    pub fn sampled_slots(&self) -> usize {
        self.starts[self.sampled] as usize
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> usize {
        self.columns.len()
    }

    /// Returns true if panel, slot and column are the same number.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.identity
    }

    /// Returns the slots of a panel.
    #[inline]
    pub fn slots_of(&self, panel: usize) -> std::ops::Range<usize> {
        if self.identity {
            return panel..panel + 1;
        }
        self.starts[panel] as usize..self.starts[panel + 1] as usize
    }

    /// Returns the panel of a slot. O(1) if every column is a sampled panel of its own, O(log)
    /// otherwise.
    #[inline]
    pub fn panel_of(&self, slot: usize) -> usize {
        if self.identity {
            return slot;
        }
        self.starts.partition_point(|&s| s as usize <= slot) - 1
    }

    /// Returns the column of a slot.
    #[inline]
    pub fn column(&self, slot: usize) -> usize {
        if self.identity { slot } else { self.columns[slot] as usize }
    }

    /// Returns the slot of a column.
    pub fn slot(&self, column: usize) -> usize {
        self.slots[column] as usize
    }

    /// Sets the price of a read of each sampled panel, (n_sampled_panels). A read at price 0 still
    /// counts against the budget.
    ///
    /// # Errors
    /// A number of prices other than the number of sampled panels; a price that is negative, NaN or
    /// above 1e100, with its panel's name.
    pub fn with_prices(mut self, prices: Vec<f64>) -> crate::Result<Layout> {
        if prices.len() != self.sampled {
            return Err(misfit(
                "prices, one for each attribute that is read",
                self.sampled,
                prices.len(),
            ));
        }
        if let Some(panel) = prices.iter().position(|price| !(0.0..=LARGEST_PRICE).contains(price))
        {
            let problem = format!(
                "it is {}; declare a number from 0 to 1e100",
                crate::error::shown(prices[panel])
            );
            let name = self.names[panel].clone();
            return Err(crate::ErrorKind::WrongDeclaration { what: "price", name, problem }.into());
        }
        self.prices = prices;
        Ok(self)
    }

    /// Marks the ranges of values as undeclared: budgeted learners then scale by their own reads.
    #[must_use]
    pub fn by_reads(mut self) -> Layout {
        self.by_reads = true;
        self
    }

    /// Returns true if attributes are scaled by the learner's own reads.
    #[inline]
    pub fn scaled_by_reads(&self) -> bool {
        self.by_reads
    }

    /// Returns true if prices were declared.
    #[inline]
    pub fn is_priced(&self) -> bool {
        !self.prices.is_empty()
    }

    /// Returns the price of a read of a panel: as declared, else 1; 0 for a known panel.
    #[inline]
    pub fn price(&self, panel: usize) -> f64 {
        if panel >= self.sampled {
            return 0.0;
        }
        self.prices.get(panel).copied().unwrap_or(1.0)
    }

    /// Returns the total price of one read of every sampled panel.
    pub fn full_price(&self) -> f64 {
        (0..self.sampled).map(|panel| self.price(panel)).sum()
    }

    /// Returns the name of a panel.
    pub fn name(&self, panel: usize) -> &str {
        &self.names[panel]
    }
}

/// Collects panels; see [`Layout::builder`].
#[derive(Debug)]
pub struct LayoutBuilder {
    width: usize,
    sampled: Vec<(String, Vec<u32>)>,
    known: Vec<(String, Vec<u32>)>,
}

impl LayoutBuilder {
    /// Adds a panel that costs one read.
    pub fn sampled(&mut self, name: &str, columns: Vec<u32>) {
        self.sampled.push((name.to_owned(), columns));
    }

    /// Adds a panel that is always known.
    pub fn known(&mut self, name: &str, columns: Vec<u32>) {
        self.known.push((name.to_owned(), columns));
    }

    /// Builds the layout. Panels without columns (a text attribute without categories) are dropped.
    ///
    /// # Errors
    /// If a column is beyond the width, in two panels, or in none.
    pub fn finish(self) -> crate::Result<Layout> {
        let mut uses = vec![0_usize; self.width];
        for &column in self.sampled.iter().chain(&self.known).flat_map(|(_, columns)| columns) {
            let column = column as usize;
            *uses.get_mut(column).ok_or_else(|| {
                misfit(&format!("panel of column {column}"), self.width, column + 1)
            })? += 1;
        }
        if let Some(column) = uses.iter().position(|&n| n != 1) {
            return Err(misfit(&format!("panels of column {column}"), 1, uses[column]));
        }
        Ok(self.laid_out())
    }

    fn laid_out(self) -> Layout {
        let keep = |(_, columns): &(String, Vec<u32>)| !columns.is_empty();
        let sampled: Vec<_> = self.sampled.into_iter().filter(keep).collect();
        let known: Vec<_> = self.known.into_iter().filter(keep).collect();
        let mut layout = Layout {
            names: Vec::new(),
            starts: vec![0],
            columns: Vec::new(),
            slots: vec![0; self.width],
            sampled: sampled.len(),
            prices: Vec::new(),
            by_reads: false,
            identity: false,
        };
        for (name, columns) in sampled.into_iter().chain(known) {
            for &column in &columns {
                layout.slots[column as usize] = layout.columns.len() as u32;
                layout.columns.push(column);
            }
            layout.names.push(name);
            layout.starts.push(layout.columns.len() as u32);
        }
        layout.identity = layout.is_identity();
        layout
    }
}

fn misfit(what: &str, expected: usize, found: usize) -> crate::Error {
    crate::ErrorKind::WrongLength { what: what.to_owned(), expected, found }.into()
}

#[cfg(test)]
mod tests {
    use crate::data::*;

    #[test]
    fn slots_come_panel_by_panel_with_known_ones_last() {
        let mut builder = Layout::builder(5);
        builder.known("age", vec![0]);
        builder.sampled("colour", vec![1, 2]);
        builder.sampled("pressure", vec![4, 3]);
        let layout = builder.finish().unwrap();
        assert_eq!((layout.sampled_panels(), layout.panels()), (2, 3));
        assert_eq!((layout.sampled_slots(), layout.slots()), (4, 5));
        assert_eq!(layout.slots_of(1).map(|s| layout.column(s)).collect::<Vec<_>>(), [4, 3]);
        assert_eq!((0..4).map(|s| layout.panel_of(s)).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!(layout.name(2), "age");
        assert_eq!(
            (0..5).map(|c| layout.column(layout.slot(c))).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4]
        );
    }

    #[test]
    fn a_panel_costs_what_was_declared_and_one_otherwise() {
        let mut builder = Layout::builder(3);
        builder.sampled("scan", vec![0, 2]);
        builder.known("age", vec![1]);
        let plain = builder.finish().unwrap();
        assert_eq!((plain.price(0), plain.price(1), plain.full_price()), (1.0, 0.0, 1.0));
        let text = serde_json::to_string(&plain).unwrap();
        assert!(!text.contains("price"), "an old layout keeps its fingerprint");
        let priced = plain.with_prices(vec![2.5]).unwrap();
        assert_eq!((priced.price(0), priced.price(1), priced.full_price()), (2.5, 0.0, 2.5));
        let text = serde_json::to_string(&priced).unwrap();
        let mut read: Layout = serde_json::from_str(&text).unwrap();
        read.complete().unwrap();
        assert_eq!(read, priced);
        for damaged in ["[-1.0]", "[1.0,1.0]", "[1e300]"] {
            let mut read: Layout = serde_json::from_str(&text.replace("[2.5]", damaged)).unwrap();
            assert!(read.complete().is_err(), "{damaged}");
        }
    }

    #[test]
    fn impossible_prices_are_refused_by_name() {
        let two = || Layout::singletons(2);
        assert_eq!(two().with_prices(vec![0.0, 0.0]).unwrap().full_price(), 0.0, "free is a price");
        for odd in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e101] {
            let error = two().with_prices(vec![1.0, odd]).unwrap_err();
            let kind = error.kind();
            assert!(
                matches!(kind, crate::ErrorKind::WrongDeclaration { what: "price", .. }),
                "{error}"
            );
            assert!(error.to_string().contains("'x1'"), "{error}");
        }
        for length in [0, 1, 3] {
            let error = two().with_prices(vec![1.0; length]).unwrap_err();
            let expected = crate::ErrorKind::WrongLength {
                what: "prices, one for each attribute that is read".into(),
                expected: 2,
                found: length,
            };
            assert_eq!(*error.kind(), expected);
        }
    }

    #[test]
    fn every_column_is_in_exactly_one_panel() {
        for panels in [vec![vec![0, 1], vec![1]], vec![vec![0]], vec![vec![0, 1, 2]]] {
            let mut builder = Layout::builder(2);
            panels.into_iter().for_each(|columns| builder.sampled("p", columns));
            assert!(builder.finish().is_err());
        }
    }
}
