/// Every learner and variant of the library.
pub fn subjects() -> Vec<Box<dyn Learner>> {
    halfseen::registry::variants()
}
