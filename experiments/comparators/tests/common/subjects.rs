/// The comparators, which the registry then knows.
pub fn subjects() -> Vec<Box<dyn Learner>> {
    halfseen_comparators::register();
    halfseen_comparators::learners()
}
