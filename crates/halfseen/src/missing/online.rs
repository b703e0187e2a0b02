//! Learns KARMA as printed: one example at a time (paper D, algorithm 1).
