//! Every fit and prediction leaves the wide registers cleared: where they are not, each call of a
//! mathematical function after it takes many times as long on some processors.
#![cfg(target_arch = "x86_64")]

use crate::common::{Data, all, singletons};
use halfseen::Silent;

/// Whether the upper halves of the 256 bit registers of this thread hold anything; clears them.
#[allow(unsafe_code)]
fn wide_registers_are_in_use() -> bool {
    let mut saved = [0_u64; 64];
    // SAFETY: the caller has seen that the processor has these instructions; 16 registers of 32
    // bytes are written to the 512 of `saved`.
    unsafe {
        std::arch::asm!(
            "vmovupd [{to}], ymm0",
            "vmovupd [{to} + 32], ymm1",
            "vmovupd [{to} + 64], ymm2",
            "vmovupd [{to} + 96], ymm3",
            "vmovupd [{to} + 128], ymm4",
            "vmovupd [{to} + 160], ymm5",
            "vmovupd [{to} + 192], ymm6",
            "vmovupd [{to} + 224], ymm7",
            "vmovupd [{to} + 256], ymm8",
            "vmovupd [{to} + 288], ymm9",
            "vmovupd [{to} + 320], ymm10",
            "vmovupd [{to} + 352], ymm11",
            "vmovupd [{to} + 384], ymm12",
            "vmovupd [{to} + 416], ymm13",
            "vmovupd [{to} + 448], ymm14",
            "vmovupd [{to} + 480], ymm15",
            "vzeroupper",
            to = in(reg) saved.as_mut_ptr(),
        );
    }
    saved.chunks(4).any(|register| register[2..] != [0, 0])
}

#[test]
fn fits_and_predictions_leave_the_wide_registers_cleared() {
    if !is_x86_feature_detected!("avx") {
        return;
    }
    let in_use = || {
        let others = rayon::broadcast(|_| wide_registers_are_in_use());
        wide_registers_are_in_use() || others.contains(&true)
    };
    // More columns than one block of a product has.
    let data = || Data::random(400, &singletons(40), 7);
    in_use();
    let mut left = Vec::new();
    for learner in all() {
        let data = if learner.needs().holes { data().holed() } else { data() };
        let data = data.for_learner(&*learner);
        let fit = learner.fit(&data.examples(), &Silent).unwrap();
        if in_use() {
            left.push(format!("fit of {}", learner.name()));
        }
        fit.predictor.scores(&data.examples()).unwrap();
        if in_use() {
            left.push(format!("prediction of {}", learner.name()));
        }
    }
    assert!(left.is_empty(), "{left:?}");
}
