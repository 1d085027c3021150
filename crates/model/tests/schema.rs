//! The published JSON Schema is the one the types make, and it agrees with the reader.

use serde_json::{Value, json};

const PUBLISHED: &str = include_str!("../../../content/model.schema.json");
const CUSTOMER_ORDERS: &str = include_str!("../../../content/models/customer-orders.yaml");

#[test]
fn the_published_schema_is_the_one_the_types_make() {
    assert!(
        PUBLISHED == keyplan_model::json_schema(),
        "content/model.schema.json is out of date: \
         cargo run -p keyplan-model --example schema > content/model.schema.json"
    );
}

fn model() -> Value {
    // YAML 1.2: `N` is a text.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(CUSTOMER_ORDERS, options).expect("the model is YAML")
}

fn faults(model: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(PUBLISHED).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    validator.iter_errors(model).map(|error| error.to_string()).collect()
}

#[test]
fn a_good_model_fits_the_schema() {
    assert_eq!(faults(&model()), Vec::<String>::new());
}

#[test]
fn what_the_reader_refuses_for_its_form_the_schema_refuses_too() {
    for (pointer, member, value) in [
        ("", "pattens", json!({})),
        ("/tables/Shop", "index", json!({})),
        ("/tables/Shop/key", "partition", json!({ "pk": "BOOL" })),
        ("/entities/Order/attributes", "amount", json!("number")),
        ("/patterns/newest-orders", "operation", json!("Search")),
        ("/patterns/newest-orders", "direction", json!("down")),
        ("/patterns/newest-orders", "limit", json!("three")),
        ("/patterns/newest-orders", "consistent", json!("yes")),
        ("/patterns/newest-orders/where", "sk", json!({ "ends_with": "x" })),
        ("/patterns/orders-in-a-window/where", "sk", json!({ "between": ["x"] })),
        ("/patterns/one-order/costs", "read", json!(0.3)),
        ("/notes/0", "kind", json!("because")),
    ] {
        let mut model = model();
        let target = model.pointer_mut(pointer).and_then(Value::as_object_mut);
        target.expect(pointer).insert(member.to_owned(), value);
        assert_ne!(faults(&model), Vec::<String>::new(), "{pointer} {member}");
        let text = model.to_string(); // JSON is YAML.
        assert!(keyplan_model::Model::parse(&text, "m.yaml").is_err(), "{pointer} {member}");
    }
}
