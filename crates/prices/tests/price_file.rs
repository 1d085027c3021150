//! The price file that is shipped, and what comes of it.

use keyplan_engine::capacity::Units;
use keyplan_prices::{PriceError, Prices};
use serde_json::{Value, json};

const PUBLISHED: &str = include_str!("../../../content/prices.json");

fn million(prices: &Prices, read_halves: u64, write: u64) -> Value {
    let price = prices.of_million(Units::halves(read_halves), Units::whole(write));
    serde_json::from_str(&price.to_json()).expect("JSON")
}

#[test]
fn the_published_file_prices_reads_and_writes() {
    let prices = Prices::parse(PUBLISHED).unwrap_or_else(|error| panic!("{error}"));
    let query = million(&prices, 1, 0);
    assert_eq!(query["perMillion"], json!({ "usd": "0.0625", "read": "0.0625", "write": "0.00" }));
    assert_eq!(
        (&query["region"], &query["mode"], &query["class"], &query["dated"]),
        (&json!("us-east-1"), &json!("on-demand"), &json!("standard"), &json!("2024-11-01"))
    );
    assert!(query["source"].as_str().is_some_and(|source| source.contains("reads")), "{query}");
    assert_eq!(million(&prices, 0, 5)["perMillion"]["usd"], "3.125");
    assert_eq!(million(&prices, 2, 1)["perMillion"]["usd"], "0.75");
    let nothing = million(&prices, 0, 0);
    assert_eq!(nothing["perMillion"]["usd"], "0.00");
    assert!(nothing.get("unknown").is_none());
}

#[test]
fn an_absent_price_is_not_known() {
    let mut file: Value = serde_json::from_str(PUBLISHED).expect("JSON");
    let list = file["prices"].as_array_mut().expect("a list");
    list.retain(|price| price["unit"] != "million-write-request-units");
    let prices = Prices::parse(&file.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let write = million(&prices, 1, 1);
    assert_eq!(write["perMillion"], json!({ "read": "0.0625" }));
    assert_eq!(write["unknown"], "the price file does not know what a write request unit costs in us-east-1");
    assert_eq!(million(&prices, 1, 0)["perMillion"]["usd"], "0.0625", "what isn't asked for needs no price");
}

#[test]
fn a_faulty_file_is_refused_with_the_place() {
    let good: Value = serde_json::from_str(PUBLISHED).expect("JSON");
    for (member, value) in [
        ("usd", json!(0.125)),
        ("usd", json!("1/8")),
        ("region", json!("")),
        ("confirmed", json!("yes")),
        ("dated", Value::Null),
    ] {
        let mut file = good.clone();
        file["prices"][1][member] = value;
        assert_eq!(
            Prices::parse(&file.to_string()),
            Err(PriceError::Member { place: 2, member }),
            "{member}"
        );
    }
    let mut twice = good.clone();
    let first = twice["prices"][0].clone();
    twice["prices"].as_array_mut().expect("a list").push(first);
    let place = good["prices"].as_array().map_or(0, Vec::len) + 1;
    assert_eq!(Prices::parse(&twice.to_string()), Err(PriceError::Twice { place }));
    assert_eq!(Prices::parse("{}"), Err(PriceError::NoPrices));
    assert!(matches!(Prices::parse("{"), Err(PriceError::Json(_))));
}
