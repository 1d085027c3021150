//! `keyplan dump`: what is in a database's file, as lines of DynamoDB JSON.

use std::fmt::Display;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::PathBuf;

use keyplan::Database;
use keyplan_value::json::Writer;

use crate::failure::Failure;

/// Shown at the end of `--help`.
const DETAILS: &str = "\
Without --table, each table is a line {\"Table\": …} as DescribeTable answers, and behind it a line
{\"TableName\": …, \"Item\": …} for each of its items. In a folder of its own that is a seed:
  keyplan dump shop.db > fixtures/shop.jsonl && keyplan serve --seed fixtures
With --table, it is the items alone, as an export to S3 has them: a line {\"Item\": …} each.

All lines are of one moment. An endpoint that has the file open goes on meanwhile. Of a table with replicas the items
are those of us-east-1.";

#[derive(clap::Args)]
#[command(after_long_help = DETAILS)]
pub(crate) struct Dump {
    /// The database's file
    file: PathBuf,
    /// Print the items of this table alone
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,
}

impl Dump {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let database = Database::options().open_to_read(&self.file).map_err(|error| self.failure(&error))?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        let printed = match &self.table {
            Some(table) => self.items(&database, table, false, &mut out),
            None => self.tables(&database, &mut out),
        };
        match printed.and_then(|()| out.flush().map_err(Stopped::Output)) {
            Ok(()) => Ok(()),
            Err(Stopped::Failed(failure)) => Err(failure),
            // Who closed the pipe wants no more of it.
            Err(Stopped::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(Stopped::Output(error)) => Err(Failure::new(format!(
                "the dump of {} can't be written ({error}); free some space, or write it elsewhere",
                self.file.display()
            ))),
        }
    }

    fn tables(&self, database: &Database, out: &mut impl Write) -> Result<(), Stopped> {
        for table in self.table_names(database)? {
            let answer = database.call("DescribeTable", &request(&table));
            if answer.status != 200 {
                return Err(self.failure(&String::from_utf8_lossy(&answer.body)).into());
            }
            out.write_all(&answer.body)?;
            out.write_all(b"\n")?;
            self.items(database, &table, true, out)?;
        }
        Ok(())
    }

    fn items(
        &self,
        database: &Database,
        table: &str,
        with_table_name: bool,
        out: &mut impl Write,
    ) -> Result<(), Stopped> {
        for item in database.scan(table).consistent_read(true).items() {
            let item =
                item.map_err(|error| self.failure(&format!("the table {table} can't be read: {error}")))?;
            let mut line = Vec::new();
            let mut json = Writer::new(&mut line);
            json.begin_object();
            if with_table_name {
                json.name("TableName").string(table);
            }
            json.name("Item").value_with(|line| line.extend_from_slice(item.to_json().as_bytes()));
            json.end_object();
            line.push(b'\n');
            out.write_all(&line)?;
        }
        Ok(())
    }

    fn table_names(&self, database: &Database) -> Result<Vec<String>, Failure> {
        let mut names = Vec::new();
        let mut listing = database.list_tables();
        loop {
            let page = listing.send().map_err(|error| self.failure(&error))?;
            names.extend(page.table_names);
            match page.last_evaluated_table_name {
                Some(last) => listing = database.list_tables().exclusive_start_table_name(&last),
                None => return Ok(names),
            }
        }
    }

    fn failure(&self, error: &dyn Display) -> Failure {
        Failure::new(format!("{} can't be dumped: {error}", self.file.display()))
    }
}

/// The body of a request that names a table and nothing else.
fn request(table: &str) -> Vec<u8> {
    let mut body = Vec::new();
    Writer::new(&mut body).begin_object().name("TableName").string(table).end_object();
    body
}

/// Why a dump ended early.
enum Stopped {
    Failed(Failure),
    Output(std::io::Error),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Failed(failure)
    }
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Stopped {
        Stopped::Output(error)
    }
}
