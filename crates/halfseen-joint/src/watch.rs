//! Ends passes over examples when a monitor asks to stop.

use halfseen_solve::{Monitor, Watch};

/// Examples that end when the monitor asks to stop.
#[derive(Debug)]
pub(crate) struct Watched<'a, I, C> {
    examples: I,
    /// Number of operations that an example takes.
    cost: C,
    watch: Watch<'a>,
}

impl<'a, I: Iterator, C: Fn(&I::Item) -> usize> Watched<'a, I, C> {
    pub(crate) fn new(examples: I, cost: C, monitor: &'a dyn Monitor) -> Watched<'a, I, C> {
        Watched { examples, cost, watch: Watch::new(monitor) }
    }
}

impl<I: Iterator, C: Fn(&I::Item) -> usize> Iterator for Watched<'_, I, C> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        let next = self.examples.next()?;
        (!self.watch.stops_after((self.cost)(&next))).then_some(next)
    }
}
