//! The JSON Schema of model files, from the types that read them.

use schemars::generate::SchemaSettings;

use crate::shape::ModelShape;

/// The JSON Schema (draft 2020-12) of model files, as it is published for editors.
pub fn json_schema() -> String {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let schema = generator.into_root_schema_for::<ModelShape>().to_value();
    format!("{schema:#}\n")
}
