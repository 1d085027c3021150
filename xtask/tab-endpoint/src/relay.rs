//! The page in the browser: its files, and the WebSocket between it and the endpoint.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyplan_server::WireReply;
use serde::Deserialize;
use tokio::sync::oneshot;
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

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
    /// What the worker said to a control message.
    Done {
        id: u64,
        done: String,
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
    /// Those who wait for the answer to a control message.
    asking: Mutex<HashMap<u64, mpsc::Sender<Result<String, String>>>>,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<WireReply, String>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asking(&self) -> MutexGuard<'_, HashMap<u64, mpsc::Sender<Result<String, String>>>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long the worker may take to carry out a control message.
const CONTROL_TIME_MAX: Duration = Duration::from_secs(30);

#[derive(Clone)]
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
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, answered) = (pages.clone(), Arc::clone(&answered));
                let (requests, tell_ready) = (Arc::clone(&requests), tell_ready.clone());
                thread::spawn(move || {
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

impl Relay {
    /// Sends a control message to the worker and waits for what it says.
    pub(crate) fn ask(&self, id: u64, message: String) -> Result<String, String> {
        let (answer, receiver) = mpsc::channel();
        self.shared.asking().insert(id, answer);
        let sent = self.outgoing.send(message).map_err(|_| "the tab is gone".to_owned());
        let answered = sent.and_then(|()| {
            receiver
                .recv_timeout(CONTROL_TIME_MAX)
                .map_err(|error| format!("no answer of the tab: {error}"))?
        });
        self.shared.asking().remove(&id);
        answered
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
            pass_messages(socket, shared, requests, ready)?;
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
    requests: mpsc::Receiver<String>,
    ready: &mpsc::Sender<Result<String, String>>,
) -> io::Result<()> {
    socket.get_mut().set_nodelay(true)?;
    let outgoing = socket.get_mut().try_clone()?;
    thread::scope(|scope| {
        scope.spawn(|| send_messages(outgoing, shared, requests));
        let ended = take_messages(&mut socket, shared, ready);
        // What is still to be sent fails from now on.
        let _ = socket.get_mut().shutdown(Shutdown::Both);
        shared.waiting().clear();
        let _ = ready.send(Err(format!("the page's connection ended: {ended:?}")));
    });
    Ok(())
}

/// Sends requests as they come: a thread that did so between two answers would keep each waiting for a while.
fn send_messages(stream: TcpStream, shared: &Shared, requests: mpsc::Receiver<String>) {
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, None);
    for request in &requests {
        if socket.send(Message::text(request)).is_err() {
            break;
        }
    }
    drop(requests);
    shared.waiting().clear();
}

fn take_messages(
    socket: &mut WebSocket<TcpStream>,
    shared: &Shared,
    ready: &mpsc::Sender<Result<String, String>>,
) -> Result<(), tungstenite::Error> {
    loop {
        match socket.read()? {
            Message::Text(text) => take(&text, shared, ready),
            Message::Close(_) => return Ok(()),
            _ => {}
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
        Ok(FromPage::Done { id, done }) => tell(shared, id, Ok(done)),
        Ok(FromPage::Error { id, error }) if shared.asking().contains_key(&id) => {
            tell(shared, id, Err(error))
        }
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

fn tell(shared: &Shared, id: u64, said: Result<String, String>) {
    if let Some(asking) = shared.asking().get(&id) {
        // Who asked may be gone.
        let _ = asking.send(said);
    }
}
