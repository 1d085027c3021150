//! The page in the browser: its files, and the WebSocket between it and the endpoint.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyplan_server::WireReply;
use serde::Deserialize;
use tokio::sync::oneshot;
use tungstenite::{Message, WebSocket};

/// The longest that the socket's thread waits for an answer before it looks for new requests.
const POLL: Duration = Duration::from_micros(500);

/// A message from the page; the one with id 0 answers the opening of the store.
#[derive(Deserialize)]
#[serde(untagged)]
enum FromPage {
    Answer {
        id: u64,
        status: u16,
        /// Base64.
        body: String,
        trace: Option<String>,
    },
    Error {
        id: u64,
        error: String,
    },
    Opened {
        opened: String,
    },
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<WireReply, String>>>>,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<WireReply, String>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
    outgoing: mpsc::Sender<String>,
}

/// Tells when the worker has opened its store.
pub(crate) struct Opening(mpsc::Receiver<Result<String, String>>);

impl Opening {
    /// Waits until the worker has opened its store; says where it came to stand.
    pub(crate) fn wait(&self, time_max: Duration) -> Result<String, String> {
        match self.0.recv_timeout(time_max) {
            Ok(opened) => opened,
            Err(RecvTimeoutError::Timeout) => Err(format!("the page was not ready within {time_max:?}")),
            Err(RecvTimeoutError::Disconnected) => Err("the page's server ended".to_owned()),
        }
    }
}

impl Relay {
    /// Serves the page and its worker on a free port.
    pub(crate) fn start(pages: PathBuf) -> io::Result<(Relay, Opening)> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let (outgoing, requests) = mpsc::channel();
        let (tell_ready, ready) = mpsc::channel();
        let answered = Arc::clone(&shared);
        // The one socket takes the requests' end; whoever connects later finds none.
        let requests = Arc::new(Mutex::new(Some(requests)));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, answered) = (pages.clone(), Arc::clone(&answered));
                let (requests, tell_ready) = (Arc::clone(&requests), tell_ready.clone());
                std::thread::spawn(move || {
                    // A connection that breaks is the browser's business.
                    let _ = serve(stream, &pages, &answered, &requests, &tell_ready);
                });
            }
        });
        Ok((Relay { address, shared, outgoing }, Opening(ready)))
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a message to the worker; the answer with that id arrives at the receiver.
    pub(crate) fn send(&self, id: u64, message: String) -> oneshot::Receiver<Result<WireReply, String>> {
        let (answer, receiver) = oneshot::channel();
        self.shared.waiting().insert(id, answer);
        if self.outgoing.send(message).is_err() {
            self.shared.waiting().remove(&id);
        }
        receiver
    }
}

type Requests = Mutex<Option<mpsc::Receiver<String>>>;

fn serve(
    mut stream: TcpStream,
    pages: &Path,
    shared: &Shared,
    requests: &Requests,
    ready: &mpsc::Sender<Result<String, String>>,
) -> io::Result<()> {
    let path = peek_path(&stream)?;
    if path.starts_with("/socket") {
        let socket = tungstenite::accept(stream).map_err(|error| io::Error::other(error.to_string()))?;
        let taken = requests.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(requests) = taken {
            let ended = pass_messages(socket, shared, &requests, ready);
            shared.waiting().clear();
            let _ = ready.send(Err(format!("the page's connection ended: {ended:?}")));
        }
        return Ok(());
    }
    let mut head = [0; 8192];
    let _ = stream.read(&mut head)?;
    let (content_type, bytes) = match path.as_str() {
        "/" => ("text/html", include_bytes!("../page/index.html").to_vec()),
        "/relay.js" => ("text/javascript", include_bytes!("../page/relay.js").to_vec()),
        path => match read_page(pages, path) {
            Some(found) => found,
            None => {
                return stream
                    .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        },
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        bytes.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&bytes)
}

/// The path of the request that waits on a connection, without its query; nothing is taken from it.
fn peek_path(stream: &TcpStream) -> io::Result<String> {
    let mut head = [0; 2048];
    let read = stream.peek(&mut head)?;
    let line = String::from_utf8_lossy(head.get(..read).unwrap_or_default()).into_owned();
    let target = line.split(' ').nth(1).unwrap_or("/");
    Ok(target.split('?').next().unwrap_or("/").to_owned())
}

fn read_page(pages: &Path, path: &str) -> Option<(&'static str, Vec<u8>)> {
    let relative = Path::new(path.trim_start_matches('/'));
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let content_type = match relative.extension()?.to_str()? {
        "js" => "text/javascript",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    };
    Some((content_type, std::fs::read(pages.join(relative)).ok()?))
}

fn pass_messages(
    mut socket: WebSocket<TcpStream>,
    shared: &Shared,
    requests: &mpsc::Receiver<String>,
    ready: &mpsc::Sender<Result<String, String>>,
) -> Result<(), tungstenite::Error> {
    socket.get_mut().set_nodelay(true)?;
    socket.get_mut().set_read_timeout(Some(POLL))?;
    loop {
        while let Ok(request) = requests.try_recv() {
            socket.send(Message::text(request))?;
        }
        match socket.read() {
            Ok(Message::Text(text)) => take(&text, shared, ready),
            Ok(Message::Close(_)) => return Ok(()),
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
}

fn take(text: &str, shared: &Shared, ready: &mpsc::Sender<Result<String, String>>) {
    match serde_json::from_str(text) {
        Ok(FromPage::Answer { id, status, body, trace }) => {
            let reply = match STANDARD.decode(&body) {
                Ok(body) => Ok(WireReply { status, body: body.into(), trace }),
                Err(error) => Err(format!("the page sent a body that is no base64: {error}")),
            };
            answer(shared, id, reply);
        }
        Ok(FromPage::Opened { opened }) => drop(ready.send(Ok(opened))),
        Ok(FromPage::Error { id: 0, error }) => drop(ready.send(Err(error))),
        Ok(FromPage::Error { id, error }) => answer(shared, id, Err(error)),
        Err(error) => eprintln!("tab-endpoint: the page sent what is no answer ({error}): {text}"),
    }
}

fn answer(shared: &Shared, id: u64, reply: Result<WireReply, String>) {
    if let Some(waiting) = shared.waiting().remove(&id) {
        // Who asked may be gone.
        let _ = waiting.send(reply);
    }
}
