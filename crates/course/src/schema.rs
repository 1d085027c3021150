//! The JSON Schema of lesson files, from the types that read them.

use schemars::generate::SchemaSettings;

use crate::shape::LessonShape;

/// The JSON Schema (draft 2020-12) of lesson files, as it is published for editors.
pub fn json_schema() -> String {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let schema = generator.into_root_schema_for::<LessonShape>().to_value();
    format!("{schema:#}\n")
}
