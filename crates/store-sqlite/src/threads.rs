//! Callers that write together, and readers beside them.
//!
//! A caller who comes alone does its task itself: handing it to another thread and back takes as long as a sync.
//! As soon as callers meet, they queue their tasks and wait, and a thread takes all that are waiting, up to a limit,
//! into one transaction of SQLite, so that what a sync costs is shared by those who came while the one before was
//! under way.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle, ThreadId};

use keyplan_store::{Snapshot, StoreError};

use crate::errors::from_system;
use crate::image;
use crate::readers::{Readers, ReadersBeside};
use crate::sidecar::Sidecar;
use crate::writer::{Answer, Failure, Task, Writer};

/// How many callers' writes one commit takes in: beyond some dozens the sync is shared enough, and
/// the first would wait for the last.
const WRITES_PER_COMMIT_MAX: usize = 64;

/// How often the writer lets others go first while fewer wait than it has just answered: some
/// tens of microseconds where a sync takes hundreds.
const MOMENTS_MAX: usize = 64;

/// A task with the place its answer goes to.
type Waiting = (Task, SyncSender<Answer>);

/// A store whose callers write together.
pub(crate) struct Threads {
    /// Gone when the store is being dropped, which ends the thread.
    queue: Option<Sender<Waiting>>,
    thread: Option<JoinHandle<()>>,
    desk: Arc<Desk>,
    readers: Arc<Readers>,
    path: PathBuf,
}

/// Where writing is done, by one at a time.
struct Desk {
    /// Gone when the thread has ended.
    writer: Mutex<Option<Writer>>,
    /// Who is at it.
    taken_by: Mutex<Option<ThreadId>>,
    /// Whether the last to write met others.
    is_busy: AtomicBool,
}

impl Desk {
    /// Does tasks, as the thread that calls.
    fn work(&self, writer: &mut Option<Writer>, tasks: &mut [Task]) -> Vec<Answer> {
        *self.taken_by() = Some(thread::current().id());
        let _seat = Seat(self);
        writer.as_mut().map(|writer| writer.run(tasks)).unwrap_or_default()
    }

    fn is_mine(&self) -> bool {
        *self.taken_by() == Some(thread::current().id())
    }

    fn taken_by(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.taken_by.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Being at the desk, which ends even by a panic.
struct Seat<'a>(&'a Desk);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        *self.0.taken_by() = None;
    }
}

impl Threads {
    /// Starts the thread. It holds the sidecar until the writer's connection, the last one, is closed.
    pub(crate) fn start(writer: Writer, sidecar: Sidecar) -> Result<Self, StoreError> {
        let path = writer.path.clone();
        let readers = Arc::new(Readers::new(path.clone()));
        let desk = Arc::new(Desk {
            writer: Mutex::new(Some(writer.with(Box::new(ReadersBeside::new(Arc::clone(&readers)))))),
            taken_by: Mutex::new(None),
            is_busy: AtomicBool::new(false),
        });
        let (queue, waiting) = mpsc::channel();
        let served = Arc::clone(&desk);
        let thread = thread::Builder::new()
            .name("keyplan-writer".to_owned())
            .spawn(move || {
                serve(&served, &waiting);
                drop(served.writer().take());
                sidecar.release();
            })
            .map_err(|error| from_system(&error, &path))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), desk, readers, path })
    }

    pub(crate) fn read(&self, reader: &mut dyn FnMut(&dyn Snapshot)) -> Result<(), StoreError> {
        self.readers.read(reader)
    }

    pub(crate) fn image(&self) -> Result<Vec<u8>, StoreError> {
        image::of(&mut self.readers.connect()?, &self.path)
    }

    pub(crate) fn run(&self, task: Task) -> Answer {
        if self.desk.is_mine() {
            return Err(Failure::Refused(StoreError::Reentrant));
        }
        match self.run_alone(task) {
            Ok(answer) => answer,
            Err(task) => self.run_with_others(task),
        }
    }

    /// Does a task on the thread that calls, or gives it back when others are writing.
    fn run_alone(&self, task: Task) -> Result<Answer, Task> {
        if self.desk.is_busy.load(Ordering::Relaxed) {
            return Err(task);
        }
        let mut writer = match self.desk.writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.desk.is_busy.store(true, Ordering::Relaxed);
                return Err(task);
            }
        };
        let answer = self.desk.work(&mut writer, &mut [task]).pop();
        // One task has one answer.
        Ok(answer.unwrap_or(Err(Failure::Refused(StoreError::Closed))))
    }

    fn run_with_others(&self, task: Task) -> Answer {
        let closed = || Failure::Refused(StoreError::Closed);
        let (answer_to, answer) = mpsc::sync_channel(1);
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.send((task, answer_to)).map_err(|_| closed())?;
        answer.recv().map_err(|_| closed())?
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // The connection that closes last takes the log into the file, and has to be the writer's.
        self.readers.close();
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing left to say; its panics went to those who called.
            let _ended = thread.join();
        }
    }
}

/// Serves tasks until nobody can send any more.
fn serve(desk: &Desk, waiting: &Receiver<Waiting>) {
    let mut answered = 1;
    while let Ok(first) = waiting.recv() {
        let (mut tasks, answers_to): (Vec<Task>, Vec<_>) =
            gather(first, waiting, answered).into_iter().unzip();
        let answers = desk.work(&mut desk.writer(), &mut tasks);
        answered = answers.len();
        // Whoever comes alone now need not come here.
        desk.is_busy.store(answered > 1, Ordering::Relaxed);
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
