//! Ports and signals: what the commands that listen do alike.

use std::io;
use std::net::TcpListener;

use keyplan_server::{Control, Listening, Shutdown, Tls};

use crate::failure::{EXIT_FAILURE, Failure};
use crate::output;

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

/// Binds the port of the control address.
pub(crate) fn bind_control(port: u16) -> Result<TcpListener, Failure> {
    Control::bind(port).map_err(|error| {
        Failure::new(format!(
            "can't listen on port {port} for --control ({error}); choose another with --control={}, or \
             --control=0 for a free one",
            port.wrapping_add(1).max(1024)
        ))
    })
}

/// A listener, encrypted where there is a certificate.
pub(crate) fn over(tls: Option<Tls>, listening: Listening) -> Listening {
    match tls {
        Some(tls) => listening.over_tls(tls),
        None => listening,
    }
}

pub(crate) fn listening_failed(error: &io::Error) -> Failure {
    Failure::new(format!("the listener failed ({error}); start again"))
}

/// A shutdown that SIGTERM, SIGHUP and Ctrl-C begin. A second of them ends the process at once, for whoever
/// doesn't want to wait for the requests under way; what was acknowledged is safe then, as it is after a kill.
pub(crate) fn shutdown_on_signals() -> Result<Shutdown, Failure> {
    let shutdown = Shutdown::new();
    let begin = shutdown.clone();
    let mut has_begun = false;
    let on_signal = move || {
        if has_begun {
            output::complain("a second signal: ended without waiting for the requests under way");
            std::process::exit(i32::from(EXIT_FAILURE));
        }
        has_begun = true;
        begin.begin();
    };
    ctrlc::set_handler(on_signal).map_err(|error| signals_failed(&error))?;
    Ok(shutdown)
}

/// Has the cost report written at each SIGUSR1, where there is one.
#[cfg(unix)]
pub(crate) fn write_report_on_signal(write: impl Fn() + Send + 'static) -> Result<(), Failure> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGUSR1])
        .map_err(|error| signals_failed(&error))?;
    std::thread::spawn(move || signals.forever().for_each(|_| write()));
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn write_report_on_signal(_write: impl Fn() + Send + 'static) -> Result<(), Failure> {
    Ok(())
}

fn signals_failed(error: &dyn std::error::Error) -> Failure {
    Failure::new(format!("signals can't be received ({error}); start again"))
}
