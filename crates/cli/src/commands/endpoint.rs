//! The endpoint that `serve` and `studio` open: its options, its data, and how it ends.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::ValueEnum;
use keyplan::{Buckets, Database, DirectoryBuckets, Durability, Engine, OpenFileError, StoreError};
use keyplan_engine::EngineOptions;
use keyplan_engine::weather::{CLOCK_RATE_MAX, ClockMove, Weather};
use keyplan_server::{
    Control, Endpoint, EndpointOptions, EngineHandler, Isolation, Listening, Namespace, Namespaces, Notices,
};
use keyplan_store::{MemoryStore, Store};

use super::access::AccessArguments;
use super::listening::{bind, bind_control, listening_failed, over, write_report_on_signal};
use crate::control::Controlling;
use crate::failure::Failure;
use crate::log::{Log, LogForm};
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
    pub(crate) access: AccessArguments,
    #[command(flatten)]
    tests: TestArguments,
    #[command(flatten)]
    weather: WeatherArguments,
    /// Say on stderr what happens besides answers: start and end, faults, refused and slow requests
    ///
    /// Without it, faults alone are said, as text.
    #[arg(long, value_name = "FORM", value_enum)]
    log: Option<LogForm>,
}

/// How far the day is from a fine one.
#[derive(clap::Args)]
#[command(next_help_heading = "Weather")]
struct WeatherArguments {
    /// Begin with this weather: a file, or JSON such as '{"lag": {"table": 300}}'
    ///
    /// Lag of eventually consistent reads, throttling, partial batches, conflicts of transactions, latency, errors by
    /// rule, life cycle of tables; see docs/weather.md. With --control it can be changed at any time.
    #[arg(long, value_name = "WEATHER", value_parser = weather)]
    weather: Option<Weather>,
    /// Let the clock run so fast: 0 stops it, 1 is the machine's pace, 60 is a minute in a second
    #[arg(long, value_name = "RATE", value_parser = clock_rate)]
    clock: Option<f64>,
}

/// The weather of a text, which is JSON or names a file.
fn weather(text: &str) -> Result<Weather, String> {
    let json = if text.trim_start().starts_with('{') {
        text.as_bytes().to_vec()
    } else {
        fs::read(text).map_err(|error| format!("there is no such file ({error}); JSON begins with {{"))?
    };
    Weather::parse(&json).map_err(|error| error.to_string())
}

fn clock_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.0..=CLOCK_RATE_MAX).contains(rate));
    rate.ok_or_else(|| format!("a rate is a number from 0 to {CLOCK_RATE_MAX}"))
}

/// What it holds.
#[derive(clap::Args)]
#[command(next_help_heading = "Data")]
struct DataArguments {
    /// Keep the data in this file, which is made if it is not there; without it, data is in memory
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// What an acknowledged write to the file survives
    #[arg(long, value_name = "MODE", value_enum, default_value = "full", requires = "db")]
    durability: DurabilityMode,
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
    /// Export to and import from the folders of this folder, each a bucket by its name
    ///
    /// An object's key is its path in the bucket's folder. Without it, buckets are in memory.
    #[arg(long, value_name = "DIR")]
    buckets: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DurabilityMode {
    /// A loss of power: each write is synced to the disk before it is answered
    Full,
    /// A killed process, but not a loss of power, which may take the last seconds; quicker
    Relaxed,
}

impl From<DurabilityMode> for Durability {
    fn from(mode: DurabilityMode) -> Durability {
        match mode {
            DurabilityMode::Full => Durability::Full,
            DurabilityMode::Relaxed => Durability::Relaxed,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IsolateBy {
    Region,
    AccessKey,
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

/// An endpoint that is ready to be served, with its control address.
pub(crate) struct Opened {
    pub(crate) listening: Vec<Listening>,
    /// `http` or `https`.
    scheme: &'static str,
    at: SocketAddr,
    control_at: Option<SocketAddr>,
    log: Arc<Log>,
    /// `memory`, or the file.
    data: String,
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
    /// Binds the ports, then opens the data and makes what it begins with: a port that is taken touches
    /// no file, and who reads the address finds everything there.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        let listener = bind(&self.host, self.port, "--port")?;
        self.access.check_reach(listener.local_addr().map_err(|error| listening_failed(&error))?)?;
        let (credentials, tls) = (self.access.credentials()?, self.access.tls()?);
        let control_listener = self.tests.control.map(bind_control).transpose()?;
        let start = Start::read(self.data.seed.as_deref(), self.data.model.as_deref())?;
        let namespaces = Arc::new(self.namespaces(start)?);
        if let Some(weather) = &self.weather.weather {
            namespaces.set_weather(weather);
        }
        namespaces.time().apply(&ClockMove { rate: self.weather.clock, ..ClockMove::default() });
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
        let log = Arc::new(Log::new(self.log));
        let watching = Arc::new(Watching { log: Arc::clone(&log), costs: watched });
        let control = control_listener
            .map(|listener| {
                let controlling =
                    Controlling { namespaces: Arc::clone(&namespaces), costs: Arc::clone(&costs) };
                Control::new(listener, Arc::new(move |request| controlling.answer(request)))
            })
            .transpose()
            .map_err(|error| listening_failed(&error))?;
        let handler = Arc::new(EngineHandler::over(namespaces, Some(watching)));
        let noticing = Arc::clone(&log);
        let notices: Notices = Arc::new(move |notice| noticing.notice(notice));
        let options = EndpointOptions { access: self.access.rules(), credentials, notices: Some(notices) };
        let endpoint = Endpoint::new(listener, handler, options).map_err(|error| listening_failed(&error))?;
        let at = endpoint.address().map_err(|error| listening_failed(&error))?;
        let control_at =
            control.as_ref().map(Control::address).transpose().map_err(|error| listening_failed(&error))?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let mut listening = vec![over(tls, endpoint.into())];
        listening.extend(control.map(Listening::from));
        let ending = Ending { costs: reports.then_some(costs), report: self.tests.report.clone(), rules };
        let data = self.data.db.as_ref().map_or("memory".to_owned(), |file| file.display().to_string());
        Ok(Opened { listening, scheme, at, control_at, log, data, ending })
    }

    fn isolation(&self) -> Isolation {
        Isolation {
            region: self.data.isolate.contains(&IsolateBy::Region),
            access_key: self.data.isolate.contains(&IsolateBy::AccessKey),
        }
    }

    fn namespaces(&self, start: Start) -> Result<Namespaces, Failure> {
        let isolation = self.isolation();
        let buckets = self.data.buckets.as_deref().map(open_buckets).transpose()?;
        let durability = self.data.durability.into();
        let opened = match &self.data.db {
            None => {
                let (store, engine) = in_memory()?;
                start.apply(&engine)?;
                let image = store.image().map_err(|error| Failure::new(error.to_string()))?;
                Namespaces::in_memory(isolation, image).map(|namespaces| match buckets {
                    Some(buckets) => namespaces.with_buckets(buckets),
                    None => namespaces,
                })
            }
            Some(file) if isolation.parts_anything() => {
                check_folder(file)?;
                // Told now, and not with the first request of each namespace.
                start.apply(&in_memory()?.1)?;
                let file = file.clone();
                Namespaces::opened_by(
                    isolation,
                    Box::new(move |namespace| {
                        let database =
                            open_file(&namespace_file(&file, namespace), durability, buckets.as_ref())?;
                        start.apply(database.engine()).map_err(|failure| failure.message)?;
                        Ok(Arc::clone(database.engine()))
                    }),
                )
            }
            Some(file) => {
                let database = open_file(file, durability, buckets.as_ref()).map_err(Failure::new)?;
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
        let mut text = format!("Keyplan endpoint: {}://{}\n", self.scheme, self.at);
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
        let Opened { mut listening, scheme, at, log, data, ending, .. } = self;
        listening.extend(others);
        let began = Instant::now();
        log.started(&format!("{scheme}://{at}"), &data);
        keyplan_server::run(listening, shutdown).map_err(|error| listening_failed(&error))?;
        log.stopped(began.elapsed());
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
    let engine = Engine::open(
        Arc::clone(&store) as Arc<dyn Store>,
        EngineOptions { undo_depth: 0, ..EngineOptions::default() },
    )
    .map_err(|error| Failure::new(error.to_string()))?;
    Ok((store, engine))
}

fn open_buckets(folder: &Path) -> Result<Arc<dyn Buckets>, Failure> {
    match DirectoryBuckets::open(folder) {
        Ok(buckets) => Ok(Arc::new(buckets)),
        Err(error) => Err(Failure::new(format!(
            "{} can't hold buckets ({error}); name a folder that is there with --buckets",
            folder.display()
        ))),
    }
}

fn open_file(
    file: &Path,
    durability: Durability,
    buckets: Option<&Arc<dyn Buckets>>,
) -> Result<Database, String> {
    let mut options = Database::options().durability(durability);
    if let Some(buckets) = buckets {
        options = options.buckets(Arc::clone(buckets));
    }
    options.open(file).map_err(|error| match error {
        // These don't say which file.
        OpenFileError::Store(StoreError::Corrupt { .. } | StoreError::Io { .. } | StoreError::Full)
        | OpenFileError::Engine(_) => format!("{} can't be opened: {error}", file.display()),
        OpenFileError::Store(_) => error.to_string(),
    })
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
