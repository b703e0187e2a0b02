//! Draws the gradient's panels of several examples at once, so that what their reads will touch is loaded
//! together: in large tables and models each of it is a cache miss, and these overlap.

use super::{FEW_SLOTS, Sgd};
use halfseen_core::learner::ReadRows;
use halfseen_solve::iterate::Iterate;
use halfseen_solve::sampling::{Purpose, Stream};

/// Number of examples drawn at once, unless all that they touch is in the caches.
const BLOCK: usize = 16;

/// Draws of the numbers from `next` on that nobody used yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Ahead {
    next: u64,
    /// Version of the probabilities that drew them.
    version: u32,
    /// Of increasing numbers, the used ones included.
    drawn: Vec<(Stream, Vec<u32>)>,
    used: usize,
}

impl<I: Iterate> Sgd<I> {
    /// Replaces `panels` by those of the gradient for a query of this number, and returns the stream
    /// that draws on.
    #[inline]
    pub(super) fn draw_ahead(
        &mut self,
        number: u64,
        panels: &mut Vec<u32>,
        rows: &dyn ReadRows,
    ) -> Stream {
        let version = self.state.drawing.version;
        let Ahead { next, drawn, used, .. } = &self.ahead;
        if (*next, self.ahead.version) != (number, version) || *used == drawn.len() {
            self.draw_block(number, rows);
        }
        let Ahead { next, drawn, used, .. } = &mut self.ahead;
        let (stream, ahead) = &mut drawn[*used];
        std::mem::swap(panels, ahead);
        (*next, *used) = (*next + 1, *used + 1);
        stream.clone()
    }

    fn draw_block(&mut self, number: u64, rows: &dyn ReadRows) {
        let sampler = self.state.drawing.sampler().expect("one that draws");
        let many = self.layout.slots() > FEW_SLOTS;
        let block = if many || rows.are_many() { BLOCK } else { 1 };
        let ahead = &mut self.ahead;
        (ahead.next, ahead.version, ahead.used) = (number, self.state.drawing.version, 0);
        let start = |later| Stream::new(self.recipe.seed, Purpose::Query, number + later);
        ahead.drawn.resize_with(block, || (start(0), Vec::new()));
        for ((stream, panels), later) in ahead.drawn.iter_mut().zip(0..) {
            *stream = start(later);
            sampler.draw(stream, panels);
        }
        if block == 1 {
            return;
        }
        for ((_, panels), later) in self.ahead.drawn.iter().zip(0..) {
            rows.touch(later, panels);
            panels.iter().filter(|_| many).for_each(|&panel| self.touch(panel as usize));
        }
    }
}
