//! The short form of the histories: every store once, and stores that must be found out.

use keyplan_torture::stores::{Histories, Home, histories};

#[test]
fn sixty_four_clients_are_answered_in_one_order_on_every_store() {
    let runs = if std::env::var_os("KEYPLAN_LONG_TESTS").is_some() { 20 } else { 1 };
    for home in Home::ALL {
        let each = Histories { clients: 64, requests: 8, seed: 7 };
        let counts = histories(home, each, &mut |counts| counts.runs < runs);
        let counts = counts.unwrap_or_else(|error| panic!("{error}"));
        assert!(counts.answered >= 64 * 8 * runs && counts.records > 0, "{home:?}: {counts:?}");
    }
}

#[test]
fn a_store_that_loses_a_write_is_found_out() {
    // Some writes of one that is lost are those of work that is done again.
    let each = Histories { clients: 8, requests: 30, seed: 3 };
    let lost = |write| histories(Home::Losing(write), each, &mut |counts| counts.runs < 1).err();
    let found: Vec<String> = (100..106).filter_map(lost).collect();
    assert!(!found.is_empty(), "nobody missed any of six writes");
}
