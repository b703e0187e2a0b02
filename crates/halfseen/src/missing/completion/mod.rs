//! Completes attributes and labels together as a matrix of low rank: MC-b and MC-1.
