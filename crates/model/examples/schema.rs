//! Prints the JSON Schema of model files:
//! `cargo run -p keyplan-model --example schema > content/model.schema.json`.

fn main() {
    print!("{}", keyplan_model::json_schema());
}
