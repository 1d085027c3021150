//! A server under measurement: started on a free port, asked what it cost, ended.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::arguments::ServerCommand;

/// How long a server may take to listen.
const START_TIME_MAX: Duration = Duration::from_secs(20);
/// A tick of the process accounting of Linux.
const TICK_MICROSECONDS: f64 = 10_000.0;

pub struct Server {
    pub name: String,
    pub address: SocketAddr,
    child: Child,
    folder: PathBuf,
}

impl Server {
    pub fn start(command: &ServerCommand) -> Result<Server, String> {
        let port = free_port()?;
        let folder = std::env::temp_dir().join(format!("keyplan-bench-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let file = folder.join("bench.db");
        let fill = |word: &String| {
            word.replace("{port}", &port.to_string()).replace("{file}", &file.display().to_string())
        };
        let words: Vec<String> = command.words.iter().map(fill).collect();
        let (program, arguments) = words.split_first().ok_or("an empty command")?;
        let child = Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut server = Server { name: command.name.clone(), address, child, folder };
        let started = Instant::now();
        while TcpStream::connect(address).is_err() {
            if started.elapsed() > START_TIME_MAX {
                return Err(format!("{} does not listen on {address}", server.name));
            }
            if let Ok(Some(status)) = server.child.try_wait() {
                return Err(format!("{} ended with {status}", server.name));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(server)
    }

    /// Processor time it has used so far, in microseconds, user and system.
    pub fn processor_microseconds(&self) -> f64 {
        let Ok(stat) = fs::read_to_string(format!("/proc/{}/stat", self.child.id())) else { return 0.0 };
        // The name in parentheses may hold blanks; after it the fields are plain.
        let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let ticks = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
        ticks.sum::<f64>() * TICK_MICROSECONDS
    }

    /// Memory that it holds, in bytes.
    pub fn resident_bytes(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes =
            line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|text| text.parse().ok());
        kilobytes.unwrap_or(0_u64) * 1024
    }

    /// Bytes of all files that it keeps.
    pub fn file_bytes(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.folder) else { return 0 };
        entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn free_port() -> Result<u16, String> {
    let taken = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    taken.map(|address| address.port()).map_err(|error| format!("no free port: {error}"))
}
