//! Keeps matrices of workspaces large enough.

use faer::Mat;

/// Makes a matrix at least so large; what it holds is lost.
pub(crate) fn fit(matrix: &mut Mat<f64>, rows: usize, columns: usize) {
    if matrix.nrows() < rows || matrix.ncols() < columns {
        *matrix = Mat::zeros(rows.max(matrix.nrows()), columns.max(matrix.ncols()));
    }
}
