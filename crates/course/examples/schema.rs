//! Prints the JSON Schema of lesson files:
//! `cargo run -p keyplan-course --example schema > content/lesson.schema.json`.

fn main() {
    print!("{}", keyplan_course::json_schema());
}
