//! Runs loops with the widest instructions of the machine, and clears its registers after others'.

use faer::traits::pulp::Arch;
pub use faer::traits::pulp::NullaryFnOnce;

/// Runs `work` with the widest instructions of this machine. To profit, its `call` and the
/// functions that it calls must be inlined; closures are not. The compiler neither reorders sums nor
/// fuses products with them, so results have the same bits on every machine.
#[inline(always)]
pub fn wide<W: NullaryFnOnce>(work: W) -> W::Output {
    Arch::new().dispatch(work)
}

/// Runs `work`, and then clears the upper halves of the wide registers, which faer's products leave
/// in use. On some processors each change between narrow and wide instructions would then cost as
/// much as a hundred of them, and functions such as `exp` are wide inside.
#[inline]
pub fn narrow<T>(work: impl FnOnce() -> T) -> T {
    let done = work();
    #[cfg(target_arch = "x86_64")]
    if let Some(avx) = faer::traits::pulp::core_arch::x86::Avx::try_new() {
        avx._mm256_zeroupper();
    }
    done
}
