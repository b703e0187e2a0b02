//! Says which columns one read gives (a panel) and which columns are always known.
//!
//! Learners number the columns that they handle by *slots*: the sampled panels' columns first,
//! panel by panel, then the known ones. Where every attribute is a panel of its own and none is
//! known, slot, panel and column are the same number.

use serde::{Deserialize, Serialize};

/// Panels over the columns of a prepared matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Whether panel, slot and column are the same number: then none of the lists need be read, which at
    /// many columns saves more cache misses than a learner has otherwise.
    #[serde(skip)]
    identity: bool,
}

impl Layout {
    /// Every column a panel of its own, sampled, and none known; names `x0`, `x1`, ...
    pub fn singletons(columns: usize) -> Layout {
        let mut builder = Self::builder(columns);
        for column in 0..columns {
            builder.sampled(&format!("x{column}"), vec![column as u32]);
        }
        builder.laid_out()
    }

    /// Starts a layout over so many columns.
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
            && self.columns.iter().enumerate().all(|(slot, &c)| self.slots.get(c as usize) == Some(&(slot as u32)));
        if sound {
            self.identity = self.is_identity();
            return Ok(());
        }
        let problem = "panels, slots and columns contradict each other".to_owned();
        Err(crate::ErrorKind::BadFile { what: "learner state", key: "layout".into(), problem }.into())
    }

    /// Number of panels that cost a read.
    #[inline]
    pub fn sampled_panels(&self) -> usize {
        self.sampled
    }

    /// Number of panels, known ones included.
    pub fn panels(&self) -> usize {
        self.names.len()
    }

    /// Number of slots that cost a read.
    #[inline]
    pub fn sampled_slots(&self) -> usize {
        self.starts[self.sampled] as usize
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.columns.len()
    }

    /// The slots of a panel.
    #[inline]
    pub fn slots_of(&self, panel: usize) -> std::ops::Range<usize> {
        if self.identity {
            return panel..panel + 1;
        }
        self.starts[panel] as usize..self.starts[panel + 1] as usize
    }

    /// The panel of a slot. O(1) where every column is a sampled panel of its own, O(log) otherwise.
    #[inline]
    pub fn panel_of(&self, slot: usize) -> usize {
        if self.identity {
            return slot;
        }
        self.starts.partition_point(|&s| s as usize <= slot) - 1
    }

    /// The column of a slot.
    #[inline]
    pub fn column(&self, slot: usize) -> usize {
        if self.identity { slot } else { self.columns[slot] as usize }
    }

    /// The slot of a column.
    pub fn slot(&self, column: usize) -> usize {
        self.slots[column] as usize
    }

    /// The name of a panel.
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

    /// The layout. Panels without columns (a text attribute without categories) are left out.
    ///
    /// # Errors
    /// If a column is beyond the width, in two panels, or in none.
    pub fn finish(self) -> crate::Result<Layout> {
        let mut uses = vec![0_usize; self.width];
        for &column in self.sampled.iter().chain(&self.known).flat_map(|(_, columns)| columns) {
            let column = column as usize;
            *uses
                .get_mut(column)
                .ok_or_else(|| misfit(&format!("panel of column {column}"), self.width, column + 1))? += 1;
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
    use super::*;

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
        assert_eq!((0..5).map(|c| layout.column(layout.slot(c))).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
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
