//! From text to model, or to findings.

use crate::check::check;
use crate::finding::{Findings, ModelError};
use crate::form::read;
use crate::model::Model;
use crate::shape::ModelShape;

impl Model {
    /// Reads and checks a model file. `file` is the name that findings tell; its last part without
    /// the ending becomes the model's id.
    ///
    /// # Errors
    /// With at least one finding, when the text is no model.
    pub fn parse(yaml: &str, file: &str) -> Result<Model, ModelError> {
        let mut findings = Findings::default();
        let Some(shape) = read::<ModelShape>(yaml, &mut findings) else {
            return Err(findings.into_error(file));
        };
        let model = check(id(file), shape, &mut findings);
        if findings.is_empty() { Ok(model) } else { Err(findings.into_error(file)) }
    }
}

fn id(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
