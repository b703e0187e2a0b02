//! Computes Gram matrices of k_gamma by products of matrices, block by block.
