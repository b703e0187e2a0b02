//! Holds rows with holes: values, zero where nothing was observed, and the mask.
