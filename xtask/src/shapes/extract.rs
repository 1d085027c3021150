//! From the service's published model to the two files that are checked in: names, types and
//! constraints, no prose.

use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::failure::{Failure, Outcome, While};
use crate::place::Place;

/// A service: its folder in botocore's data, and its file here.
pub const SERVICES: [(&str, &str); 2] = [("dynamodb", "dynamodb.json"), ("dynamodbstreams", "streams.json")];

/// What is kept of a shape besides its type and its parts.
const KEPT: [&str; 5] = ["required", "enum", "min", "max", "pattern"];

/// Writes both files from an unpacked botocore.
pub fn extract(place: &Place, botocore: &Path) -> Outcome {
    let version = version(botocore)?;
    for (folder, file) in SERVICES {
        let model = read_model(botocore, folder)?;
        let text = serde_json::to_string_pretty(&trim(&model, &version, folder)?)
            .when(|| format!("writing {file}"))?;
        let target = place.file("crates/engine/shapes").join(file);
        std::fs::write(&target, text + "\n").when(|| format!("writing {}", target.display()))?;
    }
    Ok(())
}

fn version(botocore: &Path) -> Outcome<String> {
    let entries = std::fs::read_dir(botocore).when(|| format!("reading {}", botocore.display()))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let version = name.strip_prefix("botocore-").and_then(|rest| rest.strip_suffix(".dist-info"));
        if let Some(version) = version {
            return Ok(version.to_owned());
        }
    }
    Err(Failure::new(format!(
        "{} holds no botocore-VERSION.dist-info: unpack a wheel of botocore there (pip download \
         --no-deps botocore, then unzip)",
        botocore.display()
    )))
}

fn read_model(botocore: &Path, folder: &str) -> Outcome<Value> {
    let path = botocore.join(format!("botocore/data/{folder}/2012-08-10/service-2.json.gz"));
    let output = Command::new("gzip").arg("-dc").arg(&path).output().when(|| "running gzip".to_owned())?;
    if !output.status.success() {
        return Err(Failure::new(format!("{} can't be unpacked", path.display())));
    }
    serde_json::from_slice(&output.stdout).when(|| format!("reading {}", path.display()))
}

fn trim(model: &Value, version: &str, folder: &str) -> Outcome<Value> {
    let object = |value: &Value, what: &str| {
        value.as_object().cloned().ok_or_else(|| Failure::new(format!("the model has no {what}")))
    };
    let mut operations = Map::new();
    for (name, operation) in object(&model["operations"], "operations")? {
        let errors: Vec<Value> =
            operation["errors"].as_array().into_iter().flatten().map(|e| e["shape"].clone()).collect();
        let mut kept = Map::new();
        kept.insert("input".to_owned(), operation["input"]["shape"].clone());
        if let Some(output) = operation.get("output") {
            kept.insert("output".to_owned(), output["shape"].clone());
        }
        kept.insert("errors".to_owned(), Value::Array(errors));
        operations.insert(name, Value::Object(kept));
    }
    let mut shapes = Map::new();
    for (name, shape) in object(&model["shapes"], "shapes")? {
        shapes.insert(name, Value::Object(trim_shape(&shape)));
    }
    Ok(json!({
        "source": {
            "package": "botocore",
            "version": version,
            "file": format!("botocore/data/{folder}/2012-08-10/service-2.json.gz"),
            "licence": "Apache-2.0"
        },
        "targetPrefix": model["metadata"]["targetPrefix"],
        "operations": operations,
        "shapes": shapes
    }))
}

fn trim_shape(shape: &Value) -> Map<String, Value> {
    let mut kept = Map::new();
    kept.insert("type".to_owned(), shape["type"].clone());
    if let Some(members) = shape["members"].as_object() {
        let members = members.iter().map(|(name, member)| (name.clone(), member["shape"].clone())).collect();
        kept.insert("members".to_owned(), Value::Object(members));
    }
    for part in ["member", "key", "value"] {
        if let Some(shape) = shape.get(part).and_then(|part| part.get("shape")) {
            kept.insert(part.to_owned(), shape.clone());
        }
    }
    for name in KEPT {
        if let Some(value) = shape.get(name) {
            kept.insert(name.to_owned(), value.clone());
        }
    }
    for flag in ["exception", "fault"] {
        if shape.get(flag).is_some() {
            kept.insert(flag.to_owned(), Value::Bool(true));
        }
    }
    kept
}
