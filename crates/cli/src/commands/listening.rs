//! What the commands that listen share: where, for whom, on which data.

use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use keyplan::Database;
use keyplan_server::{AccessRules, Endpoint, EndpointOptions, EngineHandler, Shutdown};

use crate::failure::Failure;

/// The options of an endpoint.
#[derive(clap::Args)]
pub(crate) struct EndpointArguments {
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: String,
    /// The port of the endpoint; 0 takes a free one
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// Keep the data in this file, which is made if it is not there; without it, data is in memory
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    #[command(flatten)]
    access: AccessArguments,
}

/// Who is answered beside this machine itself.
#[derive(clap::Args)]
struct AccessArguments {
    /// Answer requests for this host name as well (a container's name, say); may be repeated
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Let pages of this origin use the endpoint, such as https://app.example; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
}

impl EndpointArguments {
    pub(crate) fn access(&self) -> AccessRules {
        AccessRules {
            allow_hosts: self.access.allow_host.clone(),
            allow_origins: self.access.allow_origin.clone(),
        }
    }

    /// Binds the port, then opens the data, so that a port that is taken touches no file.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Failure> {
        let listener = bind(&self.host, self.port, "--port")?;
        let database = match &self.db {
            Some(file) => Database::open(file).map_err(|error| Failure::new(error.to_string()))?,
            None => Database::in_memory(),
        };
        let handler = Arc::new(EngineHandler::new(Arc::clone(database.engine())));
        let options = EndpointOptions { access: self.access() };
        Endpoint::new(listener, handler, options).map_err(|error| listening_failed(&error))
    }
}

/// Binds an address; `flag` is the option that names the port.
pub(crate) fn bind(host: &str, port: u16, flag: &str) -> Result<TcpListener, Failure> {
    TcpListener::bind((host, port)).map_err(|error| {
        Failure::new(match error.kind() {
            io::ErrorKind::AddrInUse => format!(
                "port {port} on {host} is taken; stop what listens there, or choose another with {flag} ({flag} 0 \
                 takes a free one)"
            ),
            io::ErrorKind::PermissionDenied => {
                format!("this user may not listen on port {port}; choose one above 1023 with {flag}")
            }
            io::ErrorKind::AddrNotAvailable => format!(
                "{host} is no address of this machine; use --host 127.0.0.1, or 0.0.0.0 for all of its addresses"
            ),
            _ => format!("can't listen on {host}:{port} ({error}); choose another address with --host and {flag}"),
        })
    })
}

pub(crate) fn listening_failed(error: &io::Error) -> Failure {
    Failure::new(format!("the listener failed ({error}); start again"))
}

/// A shutdown that SIGTERM, SIGHUP and Ctrl-C begin.
pub(crate) fn shutdown_on_signals() -> Result<Shutdown, Failure> {
    let shutdown = Shutdown::new();
    let begin = shutdown.clone();
    ctrlc::set_handler(move || begin.begin())
        .map_err(|error| Failure::new(format!("signals can't be received ({error}); start again")))?;
    Ok(shutdown)
}
