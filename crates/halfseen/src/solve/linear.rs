//! Minimises losses over explicit features, in time linear in the rows.
