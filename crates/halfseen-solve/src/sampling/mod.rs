//! Draws indices: seeded streams, uniform subsets, fixed weights, changing weights.

mod alias;
pub(crate) mod fan;
mod split;
mod stream;
mod subset;
mod sum_tree;

pub use alias::AliasTable;
pub use split::{Split, folds, splits};
pub use stream::{Purpose, Stream};
pub use subset::{keep_distinct, shuffle, subset};
pub use sum_tree::SumTree;
