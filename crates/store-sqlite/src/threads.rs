//! A thread that writes, and connections beside it that read.
//!
//! Callers queue their tasks and wait. The thread takes all that are waiting, up to a limit, into
//! one transaction of SQLite, so that what a sync costs is shared by those who came while the
//! one before was under way.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use keyplan_store::{Snapshot, StoreError};
use rusqlite::{Connection, OpenFlags};

use crate::errors::{from_sqlite, from_system};
use crate::format;
use crate::image;
use crate::sidecar::Sidecar;
use crate::snapshot::{ReadTransaction, SqliteSnapshot};
use crate::writer::{Answer, Failure, Task, Writer};

/// How many callers' writes one commit takes in: beyond some dozens the sync is shared enough, and
/// the first would wait for the last.
const WRITES_PER_COMMIT_MAX: usize = 64;

/// How often the writer lets others go first while fewer wait than it has just answered: some
/// tens of microseconds where a sync takes hundreds.
const MOMENTS_MAX: usize = 64;

/// How many reading connections are kept for the next reader. More are opened when more readers
/// are at work, so that none waits and none can wait for itself; they are closed afterwards.
const READERS_KEPT: usize = 8;

/// A task with the place its answer goes to.
type Waiting = (Task, SyncSender<Answer>);

/// A store with a thread that writes.
pub(crate) struct Threads {
    /// Gone when the store is being dropped, which ends the thread.
    queue: Option<Sender<Waiting>>,
    thread: Option<JoinHandle<()>>,
    readers: Mutex<Vec<Connection>>,
    path: PathBuf,
}

impl Threads {
    /// Starts the thread. It holds the sidecar until its connection, the last one, is closed.
    pub(crate) fn start(writer: Writer, sidecar: Sidecar) -> Result<Self, StoreError> {
        let path = writer.path.clone();
        let (queue, waiting) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("keyplan-writer".to_owned())
            .spawn(move || {
                serve(writer, &waiting);
                sidecar.release();
            })
            .map_err(|error| from_system(&error, &path))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), readers: Mutex::new(Vec::new()), path })
    }

    pub(crate) fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        let kept = self.readers().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => self.open_reader()?,
        };
        {
            let _transaction =
                ReadTransaction::begin(&connection).map_err(|error| from_sqlite(&error, &self.path))?;
            reader(&SqliteSnapshot { connection: &connection, path: &self.path });
        }
        let mut readers = self.readers();
        if readers.len() < READERS_KEPT {
            readers.push(connection);
        }
        Ok(())
    }

    pub(crate) fn image(&self) -> Result<Vec<u8>, StoreError> {
        image::of(&mut self.open_reader()?, &self.path)
    }

    pub(crate) fn run(&self, task: Task) -> Answer {
        if self.on_writer_thread() {
            return Err(Failure::Refused(StoreError::Reentrant));
        }
        let closed = || Failure::Refused(StoreError::Closed);
        let (answer_to, answer) = mpsc::sync_channel(1);
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.send((task, answer_to)).map_err(|_| closed())?;
        answer.recv().map_err(|_| closed())?
    }

    fn open_reader(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)
            .map_err(|error| from_sqlite(&error, &self.path))?;
        format::prepare_reader(&connection, &self.path)?;
        Ok(connection)
    }

    fn readers(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn on_writer_thread(&self) -> bool {
        let writer = self.thread.as_ref().map(|handle| handle.thread().id());
        writer == Some(thread::current().id())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // The connection that closes last takes the log into the file, and has to be the writer's.
        self.readers().clear();
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing left to say; its panics went to those who called.
            let _ended = thread.join();
        }
    }
}

/// Serves tasks until nobody can send any more. The connection closes with the writer.
fn serve(mut writer: Writer, waiting: &Receiver<Waiting>) {
    let mut answered = 1;
    while let Ok(first) = waiting.recv() {
        let (mut tasks, answers_to): (Vec<Task>, Vec<_>) =
            gather(first, waiting, answered).into_iter().unzip();
        let answers = writer.run(&mut tasks);
        answered = answers.len();
        // Closures may hold the store itself: they go while their callers still hold it too, so that
        // this thread is never the one to drop it, which would wait for itself.
        drop(tasks);
        for (answer_to, answer) in answers_to.into_iter().zip(answers) {
            // A caller whose thread is gone has no use for an answer.
            let _sent = answer_to.send(answer);
        }
    }
}

/// What goes into the next commit: all that wait, up to the limit.
///
/// Those who were just answered often come again at once. Without a moment for them the first to
/// come would have a sync for itself, and the others one after it.
fn gather(first: Waiting, waiting: &Receiver<Waiting>, answered: usize) -> Vec<Waiting> {
    let mut group = vec![first];
    for _ in 0..MOMENTS_MAX {
        group.extend(waiting.try_iter().take(WRITES_PER_COMMIT_MAX - group.len()));
        if group.len() >= answered {
            break;
        }
        thread::yield_now();
    }
    group
}
