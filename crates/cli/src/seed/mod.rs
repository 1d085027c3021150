//! What an endpoint begins with: tables and items from files, and those of a model file.
//!
//! Files are read whole before anything is made, so that a mistake in the last of them is told before
//! the first has an effect. [`shapes`] knows the forms that tables and items have in people's files,
//! [`files`] finds and reads those, [`apply`] makes them.

mod apply;
mod files;
mod shapes;

use std::path::Path;
use std::sync::Arc;

use keyplan_model::Model;

use crate::failure::Failure;

/// Tables and items to begin with, in the order in which they are made.
#[derive(Debug, Default)]
pub(crate) struct Start {
    tables: Vec<SeedTable>,
    items: Vec<SeedItem>,
}

/// A table to make.
#[derive(Debug)]
struct SeedTable {
    name: String,
    /// The body of the CreateTable.
    request: Vec<u8>,
    at: Place,
}

/// An item to put.
#[derive(Debug)]
struct SeedItem {
    /// The table; where only the file's name tells it, what the name can mean, likeliest first.
    tables: Arc<[String]>,
    /// The item as DynamoDB JSON.
    json: String,
    at: Place,
}

/// Where something stands in a file.
#[derive(Debug, Clone)]
struct Place {
    file: Arc<str>,
    line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Start {
    /// Reads what `--seed` and `--model` name.
    pub(crate) fn read(seed: Option<&Path>, model: Option<&Path>) -> Result<Start, Failure> {
        let mut start = Start::default();
        if let Some(file) = model {
            start.add_model(file)?;
        }
        if let Some(folder) = seed {
            files::read(folder, &mut start)?;
        }
        for (index, table) in start.tables.iter().enumerate() {
            let earlier = start.tables.iter().take(index).find(|earlier| earlier.name == table.name);
            if let Some(earlier) = earlier {
                return Err(Failure::new(format!(
                    "{}: the table {} stands in {} already; leave one of them out",
                    table.at, table.name, earlier.at
                )));
            }
        }
        Ok(start)
    }

    fn add_model(&mut self, file: &Path) -> Result<(), Failure> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::new(format!("can't read the model {name} ({error}); check --model")))?;
        let model = Model::parse(&text, &name).map_err(|error| Failure::new(error.to_string()))?;
        // A request says nothing of its line, and the parser has found what could be wrong with it.
        let at = Place { file: Arc::from(name), line: 1 };
        for request in model.setup() {
            let table = request.body["TableName"].as_str().unwrap_or_default().to_owned();
            if request.operation == "CreateTable" {
                let request = request.body.to_string().into_bytes();
                self.tables.push(SeedTable { name: table, request, at: at.clone() });
            } else {
                let json = request.body["Item"].to_string();
                self.items.push(SeedItem { tables: Arc::from([table]), json, at: at.clone() });
            }
        }
        Ok(())
    }
}
