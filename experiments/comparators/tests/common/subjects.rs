/// The comparators, which the registry then knows.
pub fn subjects() -> Vec<Box<dyn Learner>> {
    halfseen_comparators::register();
    halfseen_comparators::learners()
}

/// Those whose memory depends on the values, so that more than three times of what a fit takes may
/// be said, and why.
pub const LOOSE: [(&str, &str); 1] = [("fdrop", "how many cuts its problem needs")];
