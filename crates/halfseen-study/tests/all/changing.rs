//! Holds what is said of changes of the schema, on a file.

use crate::common::{Place, changing};

#[test]
fn attributes_are_added_while_others_have_the_study_open() {
    changing::attributes_are_added_while_others_have_the_study_open(&Place::new());
}

#[test]
fn a_retired_attribute_is_asked_no_more_and_its_values_stay() {
    changing::a_retired_attribute_is_asked_no_more_and_its_values_stay(&Place::new());
}

#[test]
fn what_cannot_be_added_or_retired_is_refused() {
    changing::what_cannot_be_added_or_retired_is_refused(&Place::new());
}
