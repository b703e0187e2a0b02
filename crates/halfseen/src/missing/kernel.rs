//! Compares two incomplete rows by what both show: the kernel k_gamma of paper D.
