//! Holds the learner as it draws: without the answers that it was made from.

use crate::asking::asker::Asker;

/// A learner that draws, and what it was made of.
pub(crate) struct Design {
    pub(crate) asker: Asker,
    /// Number of complete asks and digest of the answers, as in `120:4f3a...`.
    pub(crate) digest: String,
}
