//! `cargo xtask tab-endpoint`: the engine of a browser tab as a DynamoDB endpoint.
//!
//! A test tool. A headless Chromium opens a page with the worker that the studio's pages use; the
//! endpoint's HTTP front (the same as natively) passes each request to it over a WebSocket, and its
//! answer back. So any SDK, and any suite for DynamoDB endpoints, can be pointed at the engine as it
//! runs in a tab.

mod browser;
mod control;
mod relay;
mod tab_handler;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use keyplan_server::{Endpoint, EndpointOptions, Shutdown};

/// How long the browser may take to start and open the store.
const START_TIME_MAX: Duration = Duration::from_secs(60);

/// Serve the tab's engine from a headless Chromium as a DynamoDB endpoint
#[derive(Parser)]
#[command(name = "cargo xtask tab-endpoint")]
struct CommandLine {
    /// The port of the endpoint; 0 takes a free one
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// Open a control address with /clock and /weather; 0 takes a free port
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "8001")]
    control: Option<u16>,
    /// Where the tab keeps the data
    #[arg(long, value_enum, default_value_t = StoreKind::Memory)]
    store: StoreKind,
    /// The folder with the built pages; their worker is what is served
    #[arg(long, value_name = "DIR", default_value = "web/dist")]
    pages: PathBuf,
    /// A folder for the browser's profile, to find the data of `--store opfs` again; without it, a
    /// new one each time
    #[arg(long, value_name = "DIR")]
    profile: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum StoreKind {
    Memory,
    Opfs,
}

impl StoreKind {
    fn name(self) -> &'static str {
        match self {
            StoreKind::Memory => "memory",
            StoreKind::Opfs => "opfs",
        }
    }
}

fn main() -> ExitCode {
    match serve(&CommandLine::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("tab-endpoint: {message}");
            ExitCode::FAILURE
        }
    }
}

fn serve(line: &CommandLine) -> Result<(), String> {
    let worker = find_worker(&line.pages)?;
    let shutdown = Shutdown::new();
    let begin = shutdown.clone();
    ctrlc::set_handler(move || begin.begin())
        .map_err(|error| format!("signals can't be received: {error}"))?;
    let listener = TcpListener::bind(("127.0.0.1", line.port)).map_err(|error| {
        format!("can't listen on port {} ({error}); choose another with --port", line.port)
    })?;

    let (relay, opening) =
        relay::Relay::start(line.pages.clone()).map_err(|error| format!("can't serve the page: {error}"))?;
    let address = format!("http://{}/?store={}&worker={worker}", relay.address(), line.store.name());
    let browser = browser::Browser::open(&address, line.profile.as_deref())?;
    let opened = opening.wait(START_TIME_MAX)?;
    if opened != line.store.name() {
        return Err(format!("this browser has no store of the kind {}", line.store.name()));
    }

    let control = line.control.map(|port| control::listen(port, relay.clone())).transpose()?;
    let handler = Arc::new(tab_handler::TabHandler::new(relay).map_err(|error| error.to_string())?);
    let options = EndpointOptions::default();
    let endpoint = Endpoint::new(listener, handler, options)
        .map_err(|error| format!("can't serve the endpoint: {error}"))?;
    let at = endpoint.address().map_err(|error| format!("the endpoint has no address: {error}"))?;
    println!("Keyplan endpoint: http://{at}");
    let mut listening = vec![endpoint.into()];
    if let Some(control) = control {
        let at = control.address().map_err(|error| format!("the control address is not known: {error}"))?;
        println!("Keyplan control: http://{at}");
        listening.push(control.into());
    }
    let served = keyplan_server::run(listening, &shutdown).map_err(|error| error.to_string());
    drop(browser);
    served
}

/// The address of the worker among the built pages: its name has a hash of its content in it.
fn find_worker(pages: &Path) -> Result<String, String> {
    let entries = std::fs::read_dir(pages.join("assets")).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .find(|name| name.starts_with("worker") && name.ends_with(".js"))
        .map(|name| format!("assets/{name}"))
        .ok_or_else(|| {
            format!(
                "{} has no worker among its assets; build the pages first with `cargo xtask web`",
                pages.display()
            )
        })
}
