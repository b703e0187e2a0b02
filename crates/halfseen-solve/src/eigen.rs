//! Decomposes symmetric matrices on one thread, as the routine's rounding depends on the number.

use crate::error::{Error, Result};
use crate::wide::narrow;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

/// Returns the eigenvalues and eigenvectors of a symmetric matrix.
///
/// # Errors
/// [`Error::Numerical`] if the routine fails.
pub fn eigen(matrix: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>)> {
    let mut vectors = Mat::zeros(matrix.nrows(), matrix.nrows());
    let values = decompose(matrix, Some(&mut vectors))?;
    Ok((values, vectors))
}

/// Returns the eigenvalues only.
///
/// # Errors
/// [`Error::Numerical`] if the routine fails.
pub fn eigenvalues(matrix: &Mat<f64>) -> Result<Vec<f64>> {
    decompose(matrix.as_ref(), None)
}

fn decompose(matrix: MatRef<'_, f64>, vectors: Option<&mut Mat<f64>>) -> Result<Vec<f64>> {
    let n = matrix.nrows();
    if n == 0 {
        // The routine's own size computation would underflow.
        return Ok(Vec::new());
    }
    let mut values = Diag::<f64>::zeros(n);
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let scratch = self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let vectors = vectors.map(|v| v.as_mut());
    let evd =
        || self_adjoint_evd(matrix, values.as_mut(), vectors, Par::Seq, stack, Default::default());
    narrow(evd).map_err(|problem| Error::Numerical {
        what: "eigenvalue decomposition",
        problem: format!("{problem:?}"),
    })?;
    Ok(values.column_vector().iter().copied().collect())
}
