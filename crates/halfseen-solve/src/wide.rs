//! Runs loops with the widest instructions of the machine.

use faer::traits::pulp::Arch;
pub use faer::traits::pulp::NullaryFnOnce;

/// Runs `work` with the widest instructions of this machine. To profit, its `call` and the
/// functions that it calls must be inlined; closures are not. The compiler neither reorders sums nor
/// fuses products with them, so results have the same bits on every machine.
#[inline(always)]
pub fn wide<W: NullaryFnOnce>(work: W) -> W::Output {
    Arch::new().dispatch(work)
}
