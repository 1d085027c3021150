//! The endpoint that `serve` and `studio` open: its options, its data, and how it ends.

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use keyplan::{Database, Engine, StoreError};
use keyplan_engine::EngineOptions;
use keyplan_server::{
    AccessRules, Control, Endpoint, EndpointOptions, EngineHandler, Isolation, Listening, Namespace,
    Namespaces,
};
use keyplan_store::{MemoryStore, Store};

use super::listening::{bind, bind_control, listening_failed, write_report_on_signal};
use crate::control::Controlling;
use crate::failure::Failure;
use crate::output;
use crate::report::{Costs, Rules};
use crate::seed::Start;
use crate::watching::Watching;

/// The options of an endpoint.
#[derive(clap::Args)]
pub(crate) struct EndpointArguments {
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: String,
    /// The port of the endpoint; 0 takes a free one
    #[arg(long, default_value_t = 8000)]
    port: u16,
    #[command(flatten)]
    data: DataArguments,
    #[command(flatten)]
    access: AccessArguments,
    #[command(flatten)]
    tests: TestArguments,
}

/// What it holds.
#[derive(clap::Args)]
#[command(next_help_heading = "Data")]
struct DataArguments {
    /// Keep the data in this file, which is made if it is not there; without it, data is in memory
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Begin with the tables and items of this folder's JSON files
    ///
    /// CreateTable requests or DescribeTable answers, items as DynamoDB JSON (an array, or one a line),
    /// BatchWriteItem requests, answers of Scan, exports to S3. A table that exists is left as it is.
    #[arg(long, value_name = "DIR")]
    seed: Option<PathBuf>,
    /// Begin with the tables and sample items of this model file
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Part requests by what they are signed with, each part with tables of its own
    ///
    /// By region, by access-key, or by both with a comma between. With --db, each part has a file beside
    /// the named one.
    #[arg(long, value_name = "BY", value_enum, value_delimiter = ',')]
    isolate: Vec<IsolateBy>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IsolateBy {
    Region,
    AccessKey,
}

/// Who is answered beside this machine itself.
#[derive(clap::Args)]
#[command(next_help_heading = "Access")]
struct AccessArguments {
    /// Answer requests for this host name as well (a container's name, say); may be repeated
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    allow_host: Vec<String>,
    /// Let pages of this origin use the endpoint, such as https://app.example; may be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    allow_origin: Vec<String>,
}

/// What tests and their pipelines ask for.
#[derive(clap::Args)]
#[command(next_help_heading = "Tests")]
struct TestArguments {
    /// Open a control address on 127.0.0.1 that resets, snapshots, restores and reports
    ///
    /// On port 8001 without a number; --control=0 takes a free one. See the examples below.
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "8001")]
    control: Option<u16>,
    /// Write to this file what the run's requests read, wrote and cost
    ///
    /// As JSON, by operation, table, index and caller, with the dearest requests and every Scan: at the end,
    /// when a table of it is printed too, and on SIGUSR1.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// End with exit code 3 if any Scan was made
    #[arg(long)]
    fail_on_scan: bool,
    /// End with exit code 3 if more units were used, read and written together
    #[arg(long, value_name = "N")]
    max_units: Option<u64>,
}

/// A host's name as `--allow-host` has it; a port or an address would never be met.
fn host_name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && !text.contains([':', '/', '*']);
    if is_name || text.parse::<IpAddr>().is_ok() {
        return Ok(text.to_owned());
    }
    Err("a host stands without scheme, port and wildcards, such as dynamo".to_owned())
}

/// An origin as browsers write it.
fn origin(text: &str) -> Result<String, String> {
    let origin = text.strip_suffix('/').unwrap_or(text).to_ascii_lowercase();
    let is_origin = origin.split_once("://").is_some_and(|(scheme, authority)| {
        !scheme.is_empty() && !authority.is_empty() && !authority.contains(['/', '*'])
    });
    if is_origin {
        Ok(origin)
    } else {
        Err("an origin is a scheme and a host, such as https://app.example".to_owned())
    }
}

/// An endpoint that is ready to be served, with its control address.
pub(crate) struct Opened {
    pub(crate) listening: Vec<Listening>,
    at: SocketAddr,
    control_at: Option<SocketAddr>,
    ending: Ending,
}

/// What is to be done when it has been served.
struct Ending {
    /// There where a report was asked for, or a rule that needs one.
    costs: Option<Arc<Costs>>,
    report: Option<PathBuf>,
    rules: Rules,
}

impl EndpointArguments {
    pub(crate) fn access(&self) -> AccessRules {
        AccessRules {
            allow_hosts: self.access.allow_host.clone(),
            allow_origins: self.access.allow_origin.clone(),
        }
    }

    /// Binds the ports, then opens the data and makes what it begins with: a port that is taken touches
    /// no file, and who reads the address finds everything there.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        let listener = bind(&self.host, self.port, "--port")?;
        let control_listener = self.tests.control.map(bind_control).transpose()?;
        let start = Start::read(self.data.seed.as_deref(), self.data.model.as_deref())?;
        let namespaces = Arc::new(self.namespaces(start)?);
        let rules = Rules { fail_on_scan: self.tests.fail_on_scan, max_units: self.tests.max_units };
        let reports = self.tests.report.is_some() || rules.are_any();
        let costs = Arc::new(Costs::new());
        if let Some(file) = &self.tests.report {
            // A file that can't be written is better known now than after the tests.
            write_report(file, &costs)?;
            let (file, costs) = (file.clone(), Arc::clone(&costs));
            write_report_on_signal(move || {
                if let Err(failure) = write_report(&file, &costs) {
                    output::complain(&failure.message);
                }
            })?;
        }
        let watched = (reports || control_listener.is_some()).then(|| Arc::clone(&costs));
        let watching = Arc::new(Watching { costs: watched });
        let control = control_listener
            .map(|listener| {
                let controlling =
                    Controlling { namespaces: Arc::clone(&namespaces), costs: Arc::clone(&costs) };
                Control::new(listener, Arc::new(move |request| controlling.answer(request)))
            })
            .transpose()
            .map_err(|error| listening_failed(&error))?;
        let handler = Arc::new(EngineHandler::over(namespaces, Some(watching)));
        let options = EndpointOptions { access: self.access() };
        let endpoint = Endpoint::new(listener, handler, options).map_err(|error| listening_failed(&error))?;
        let at = endpoint.address().map_err(|error| listening_failed(&error))?;
        let control_at =
            control.as_ref().map(Control::address).transpose().map_err(|error| listening_failed(&error))?;
        let mut listening = vec![endpoint.into()];
        listening.extend(control.map(Listening::from));
        let ending = Ending { costs: reports.then_some(costs), report: self.tests.report.clone(), rules };
        Ok(Opened { listening, at, control_at, ending })
    }

    fn isolation(&self) -> Isolation {
        Isolation {
            region: self.data.isolate.contains(&IsolateBy::Region),
            access_key: self.data.isolate.contains(&IsolateBy::AccessKey),
        }
    }

    fn namespaces(&self, start: Start) -> Result<Namespaces, Failure> {
        let isolation = self.isolation();
        let opened = match &self.data.db {
            None => {
                let (store, engine) = in_memory()?;
                start.apply(&engine)?;
                let image = store.image().map_err(|error| Failure::new(error.to_string()))?;
                Namespaces::in_memory(isolation, image)
            }
            Some(file) if isolation.parts_anything() => {
                check_folder(file)?;
                // Told now, and not with the first request of each namespace.
                start.apply(&in_memory()?.1)?;
                let file = file.clone();
                Namespaces::opened_by(
                    isolation,
                    Box::new(move |namespace| open_namespace(&file, namespace, &start)),
                )
            }
            Some(file) => {
                let database = open_file(file).map_err(Failure::new)?;
                for table in start.apply(database.engine())?.left_alone {
                    output::complain(&format!(
                        "the table {table} is in {} already, and was left as it is",
                        file.display()
                    ));
                }
                return Ok(Namespaces::only(Arc::clone(database.engine())));
            }
        };
        opened.map_err(|error| Failure::new(error.to_string()))
    }
}

impl Opened {
    /// What is printed when it is ready. The first line is the one that programs wait for.
    pub(crate) fn announcement(&self) -> String {
        let mut text = format!("Keyplan endpoint: http://{}\n", self.at);
        if let Some(at) = self.control_at {
            text.push_str(&format!("Keyplan control: http://{at}\n"));
        }
        text
    }

    /// Serves it together with `others` until the shutdown, then writes the report and holds the run
    /// against its rules.
    pub(crate) fn serve(
        self,
        others: Option<Listening>,
        shutdown: &keyplan_server::Shutdown,
    ) -> Result<(), Failure> {
        let Opened { mut listening, ending, .. } = self;
        listening.extend(others);
        keyplan_server::run(listening, shutdown).map_err(|error| listening_failed(&error))?;
        ending.end()
    }
}

impl Ending {
    fn end(self) -> Result<(), Failure> {
        let Some(costs) = self.costs else { return Ok(()) };
        if let Some(file) = &self.report {
            write_report(file, &costs)?;
        }
        output::print(&costs.to_text());
        let broken = costs.broken(&self.rules);
        if broken.is_empty() { Ok(()) } else { Err(Failure::cost(broken.join("; "))) }
    }
}

fn in_memory() -> Result<(Arc<MemoryStore>, Engine), Failure> {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(Arc::clone(&store) as Arc<dyn Store>, EngineOptions { undo_depth: 0 })
        .map_err(|error| Failure::new(error.to_string()))?;
    Ok((store, engine))
}

fn open_file(file: &Path) -> Result<Database, String> {
    Database::open(file).map_err(|error| error.to_string())
}

fn open_namespace(file: &Path, namespace: &Namespace, start: &Start) -> Result<Arc<Engine>, String> {
    let database = open_file(&namespace_file(file, namespace))?;
    start.apply(database.engine()).map_err(|failure| failure.message)?;
    Ok(Arc::clone(database.engine()))
}

/// The file of a namespace beside the one that was named: `shop.db` has `shop.eu-west-2.db`. What a file's
/// name can't hold, or would make two names one, is written as `%` and two hexadecimal digits.
fn namespace_file(file: &Path, namespace: &Namespace) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_os_string();
    for part in namespace.name().split('/') {
        name.push(".");
        for byte in part.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => {
                    name.push(char::from(byte).to_string())
                }
                _ => name.push(format!("%{byte:02X}")),
            }
        }
    }
    if let Some(ending) = file.extension() {
        name.push(".");
        name.push(ending);
    }
    file.with_file_name(name)
}

fn check_folder(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if file.file_name().is_some() && folder.is_dir() {
        return Ok(());
    }
    Err(Failure::new(StoreError::NoSuchPlace { path: file.to_path_buf() }.to_string()))
}

/// Written beside its place and put there whole, so that nobody reads half of one.
fn write_report(file: &Path, costs: &Costs) -> Result<(), Failure> {
    let mut name = file.as_os_str().to_os_string();
    name.push(".part");
    let part = PathBuf::from(name);
    // Renaming would put a file in the place of a device, such as /dev/null.
    let is_taken = fs::metadata(file).is_ok_and(|there| !there.is_file());
    let written = if is_taken {
        Err(std::io::Error::other("it is no file"))
    } else {
        fs::write(&part, costs.to_json()).and_then(|()| fs::rename(&part, file))
    };
    written.map_err(|error| {
        Failure::new(format!(
            "the cost report can't be written to {} ({error}); choose another file with --report",
            file.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_origins_that_no_request_could_have_are_refused() {
        assert_eq!(host_name("dynamo").as_deref(), Ok("dynamo"));
        assert_eq!(host_name("::1").as_deref(), Ok("::1"));
        for wrong in ["", "dynamo:8000", "http://dynamo", "*"] {
            assert!(host_name(wrong).is_err(), "{wrong}");
        }
        assert_eq!(origin("https://App.example/").as_deref(), Ok("https://app.example"));
        assert_eq!(origin("http://app.example:3000").as_deref(), Ok("http://app.example:3000"));
        for wrong in
            ["", "*", "null", "app.example", "https://", "https://*.example", "https://app.example/page"]
        {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn namespaces_have_files_of_their_own() {
        let file = |name: &str, namespace: &str| {
            namespace_file(Path::new(name), &Namespace::named(namespace)).display().to_string()
        };
        assert_eq!(file("data/shop.db", "eu-west-2"), "data/shop.eu-west-2.db");
        assert_eq!(file("shop.db", "eu-west-2/AKID"), "shop.eu-west-2.AKID.db");
        assert_eq!(file("shop", "../../x"), "shop.%2E%2E.%2E%2E.x", "it stays in its folder");
        assert_ne!(file("shop.db", "a.b/c"), file("shop.db", "a/b.c"));
    }

    #[test]
    fn a_report_takes_no_place_but_a_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).expect("a folder in it");
        write_report(&taken, &Costs::new()).expect_err("a folder is refused");
        assert!(!folder.path().join("taken.part").exists(), "nothing is left beside it");
        write_report(&folder.path().join("report.json"), &Costs::new()).expect("a file is written");
    }
}
