//! Separates incomplete rows by the margin in the space of what each row shows (geom).
