//! `cargo xtask shapes`: the tables of the engine's shapes, from the service's published model.
//!
//! `crates/engine/shapes/README.md` says what the files are. `--extract FOLDER` renews the models from
//! an unpacked botocore, `--check` finds drift without writing.

mod extract;
mod model;
mod overlay;
mod tables;

use std::path::Path;

use crate::failure::{Failure, Outcome, While};
use crate::place::Place;

const FOLDER: &str = "crates/engine/shapes";
const GENERATED: &str = "crates/engine/src/shapes/generated.rs";

/// Makes the tables anew, renews the models first, or checks that neither is due.
pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => write(place),
        ["--check"] => check(place),
        ["--extract", botocore] => {
            extract::extract(place, Path::new(botocore))?;
            write(place)
        }
        _ => Err(Failure::new("usage: cargo xtask shapes [--check | --extract BOTOCORE_FOLDER]")),
    }
}

/// Whether the tables are what the models and the overlay make.
pub fn check(place: &Place) -> Outcome {
    let path = place.file(GENERATED);
    let found = std::fs::read_to_string(&path).when(|| format!("reading {GENERATED}"))?;
    if found == generate(place)? {
        return Ok(());
    }
    Err(Failure::new(format!("{GENERATED} isn't what {FOLDER} makes: run `cargo xtask shapes`")))
}

fn write(place: &Place) -> Outcome {
    let text = generate(place)?;
    std::fs::write(place.file(GENERATED), text).when(|| format!("writing {GENERATED}"))
}

fn generate(place: &Place) -> Outcome<String> {
    let folder = place.file(FOLDER);
    let text = std::fs::read(folder.join("overlay.json")).when(|| "reading the overlay".to_owned())?;
    let overlay = serde_json::from_slice(&text).when(|| "reading the overlay".to_owned())?;
    let mut services = Vec::new();
    for (variant, (_, file)) in ["DynamoDb", "Streams"].into_iter().zip(extract::SERVICES) {
        services.push(tables::Service { variant, model: model::Model::read(&folder.join(file))? });
    }
    tables::tables(&services, &overlay::Overlay(overlay))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::place::Place;

    #[test]
    fn the_tables_are_what_the_models_make() {
        let place = Place::find().expect("the work tree");
        check(&place).expect("no drift");
    }
}
