//! Holds the limit of memory to what products of matrices leave of a small address space. A process
//! of its own: the limit of the system holds for all of it.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use common::{Data, learner, singletons};
use halfseen::{Silent, memory};
use rlimit::Resource;

#[test]
fn what_products_reserve_is_not_promised_to_others() {
    // Less room beside one thread than three eighths of all.
    let room = 120 << 20;
    let all = memory::reserved(1) + room;
    Resource::AS.set(all, Resource::AS.get_hard().unwrap()).unwrap();
    memory::start_threads().unwrap();
    assert_eq!(memory::threads(8), 1, "who wants eight has one too");
    assert!(memory::limit() > room, "{}: nothing has multiplied yet", memory::limit());

    let (data, ridge) = (Data::random(200, &singletons(12), 3), learner("ridge", &[]));
    for _ in 0..2 {
        ridge.fit(&data.examples(), &Silent).unwrap();
        assert_eq!(memory::limit(), room);
    }
    memory::set_limit(7);
    assert_eq!(memory::limit(), 7, "who sets a limit has it");
}
