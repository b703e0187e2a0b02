/// Every learner and variant of the library.
pub fn subjects() -> Vec<Box<dyn Learner>> {
    halfseen::registry::variants()
}

/// Those whose memory depends on the values, so that more than three times of what a fit takes may
/// be said, and why.
pub const LOOSE: [(&str, &str); 4] = [
    ("fiml", "how many covariances are refined, and of which rank"),
    ("robust-lp", "how many pieces of a loss, or parts of the rows, a step has"),
    ("baseline", "how many columns were read"),
    ("lasso", "how many columns enter the solution"),
];
