//! Holds learning from an example in one go to asking about it and telling.

use super::ask_tell::each_started;
use halfseen::budget::Query;
use halfseen::{ErrorKind, registry::load};

#[test]
fn learning_in_one_go_has_the_bits_of_asking_and_telling() {
    each_started(|name, data, mut told| {
        let mut at_once = load(&told.save().unwrap()).unwrap();
        let (mut query, mut values) = (Query::default(), Vec::new());
        for row in 20..200 {
            let asked = told.ask().unwrap();
            let refused = row % 13 == 0;
            let answer = |query: &Query| {
                let mut values = data.answer(query, row);
                values.iter_mut().take(usize::from(refused)).for_each(|v| *v = f64::NAN);
                values
            };
            let expected = told.tell(&asked, &answer(&asked), data.y[row]).unwrap();
            let mut read = |query: &Query, values: &mut Vec<f64>| {
                values.extend(answer(query));
                Ok(data.y[row])
            };
            let found = at_once.learn_from(&mut query, &mut values, &mut read).unwrap();
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(at_once.save().unwrap().to_string(), told.save().unwrap().to_string(), "{name}");
    });
}

#[test]
fn an_error_of_the_reader_teaches_nothing_and_leaves_no_query_open() {
    each_started(|name, data, mut learner| {
        let (mut query, mut values) = (Query::default(), Vec::new());
        let before = learner.report();
        for target in [None, Some(f64::INFINITY), Some(f64::NAN)] {
            let mut read = |query: &Query, values: &mut Vec<f64>| {
                values.extend(data.answer(query, 20));
                target.ok_or_else(|| ErrorKind::NoAttributes.into())
            };
            learner.learn_from(&mut query, &mut values, &mut read).unwrap_err();
        }
        let (asked, closed) = learner.asked_and_closed();
        assert_eq!((asked, closed), (23, 23), "{name}");
        let after = learner.report();
        assert_eq!((after.examples, after.reads), (before.examples, before.reads), "{name}");
    });
}
