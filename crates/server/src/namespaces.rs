//! Namespaces: who sees whose tables.
//!
//! One namespace serves everyone unless requests are parted by what they are signed with. Each
//! namespace is an engine of its own, opened when its first request comes.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyplan_engine::buckets::Buckets;
use keyplan_engine::weather::{ClockMove, Happened, Weather, WeatherReport};
use keyplan_engine::{Authentication, Engine, EngineOptions};
use keyplan_store::{MemoryImage, MemoryStore, StoreError};

use crate::Time;
use crate::engine_handler::STEP_BUDGET_ENTRIES;
use crate::limits::{ACCESS_KEY_CHARACTERS_MAX, NAMESPACES_IN_FILES_MAX, NAMESPACES_IN_MEMORY_MAX};
use crate::snapshots::Snapshots;

/// The options of an engine in memory: nothing that is served can be undone.
fn options(buckets: Option<&Arc<dyn Buckets>>) -> EngineOptions {
    let options = EngineOptions { undo_depth: 0, ..EngineOptions::default() };
    match buckets {
        Some(buckets) => EngineOptions { buckets: Arc::clone(buckets), ..options },
        None => options,
    }
}

/// What parts namespaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Isolation {
    /// The region of the signature.
    pub region: bool,
    /// The access key of the signature.
    pub access_key: bool,
}

/// The name of a namespace: empty where nothing is parted, else the region, the access key, or both
/// with a slash between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Namespace(String);

impl Namespace {
    /// The name as text.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The namespace with a name, as [`Namespace::name`] gives it.
    pub fn named(name: &str) -> Namespace {
        Namespace(name.to_owned())
    }
}

impl Isolation {
    /// Whether there is more than one namespace.
    pub fn parts_anything(self) -> bool {
        self.region || self.access_key
    }

    fn namespace(self, region: &str, access_key: &str) -> Result<Namespace, NamespaceError> {
        let parts = [(self.access_key, access_key), (self.region, region)];
        if self.access_key && access_key.chars().count() > ACCESS_KEY_CHARACTERS_MAX {
            return Err(NamespaceError::LongAccessKey);
        }
        let parts: Vec<&str> =
            parts.iter().rev().filter(|(parted, _)| *parted).map(|(_, part)| *part).collect();
        Ok(Namespace(parts.join("/")))
    }
}

/// Why a request has no namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamespaceError {
    /// There are as many as may be.
    TooMany {
        /// How many that is.
        max: usize,
    },
    /// An access key that is longer than any.
    LongAccessKey,
    /// The namespace's data can't be opened.
    Unopened {
        /// Why.
        cause: String,
    },
}

impl fmt::Display for NamespaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamespaceError::TooMany { max } => write!(
                f,
                "This endpoint keeps {max} namespaces (--isolate), and all are taken. Sign with fewer access \
                 keys or regions, reset it through --control, or start it again."
            ),
            NamespaceError::LongAccessKey => write!(
                f,
                "An access key has up to {ACCESS_KEY_CHARACTERS_MAX} characters where it parts namespaces \
                 (--isolate access-key). Sign with a shorter one."
            ),
            NamespaceError::Unopened { cause } => f.write_str(cause),
        }
    }
}

impl std::error::Error for NamespaceError {}

/// Opens the engine of a namespace whose data are not in memory, or says why it can't.
pub type OpenEngine = Box<dyn Fn(&Namespace) -> Result<Arc<Engine>, String> + Send + Sync>;

/// Where the data of all namespaces lie.
enum Ground {
    /// In memory; each begins as this image.
    Memory(MemoryImage),
    /// Where the function finds them.
    Elsewhere(OpenEngine),
}

/// All namespaces of an endpoint.
pub struct Namespaces {
    isolation: Isolation,
    ground: Ground,
    open: Mutex<HashMap<Namespace, Open>>,
    pub(crate) snapshots: Snapshots,
    time: Time,
    /// The weather that each begins with.
    weather: Mutex<Weather>,
    /// Answers those whose signature names nobody; it has no tables.
    nobody: Arc<Engine>,
    /// The buckets of those in memory; without them, each has its own.
    buckets: Option<Arc<dyn Buckets>>,
}

/// One open namespace.
#[derive(Clone)]
struct Open {
    engine: Arc<Engine>,
    /// Its store, where that is in memory.
    memory: Option<Arc<MemoryStore>>,
}

impl Namespaces {
    /// Namespaces in memory, each beginning as `start`.
    ///
    /// # Errors
    /// When the image is not that of an engine's store.
    pub fn in_memory(isolation: Isolation, start: MemoryImage) -> Result<Namespaces, NamespaceError> {
        Namespaces::new(isolation, Ground::Memory(start))
    }

    /// Namespaces whose engines `open` opens, on files say. What `open` is given is never the name of
    /// two namespaces.
    ///
    /// # Errors
    /// None for now; it is as [`Namespaces::in_memory`].
    pub fn opened_by(isolation: Isolation, open: OpenEngine) -> Result<Namespaces, NamespaceError> {
        Namespaces::new(isolation, Ground::Elsewhere(open))
    }

    /// One namespace: an engine that is open already.
    pub fn only(engine: Arc<Engine>) -> Namespaces {
        let nobody = Arc::clone(&engine);
        let open = HashMap::from([(Namespace::default(), Open { engine, memory: None })]);
        let never = || Err("there is one namespace, and it is open".to_owned());
        Namespaces {
            isolation: Isolation::default(),
            ground: Ground::Elsewhere(Box::new(move |_| never())),
            open: Mutex::new(open),
            snapshots: Snapshots::default(),
            time: Time::default(),
            weather: Mutex::default(),
            nobody,
            buckets: None,
        }
    }

    fn new(isolation: Isolation, ground: Ground) -> Result<Namespaces, NamespaceError> {
        let nobody = Engine::open(Arc::new(MemoryStore::new()), options(None))
            .map_err(|error| NamespaceError::Unopened { cause: error.to_string() })?;
        Ok(Namespaces {
            isolation,
            ground,
            open: Mutex::default(),
            snapshots: Snapshots::default(),
            time: Time::default(),
            weather: Mutex::default(),
            nobody: Arc::new(nobody),
            buckets: None,
        })
    }

    /// The clock that all go by.
    pub fn time(&self) -> &Time {
        &self.time
    }

    /// Moves the clock, and does all work that is due by then.
    ///
    /// # Errors
    /// When a store fails.
    pub fn move_clock(&self, asked: &ClockMove) -> Result<(), StoreError> {
        self.time.apply(asked);
        let now = self.time.now();
        // One that fails keeps no other from its work.
        let settled: Vec<_> =
            self.engines().iter().map(|engine| engine.settle(now, STEP_BUDGET_ENTRIES)).collect();
        settled.into_iter().collect()
    }

    /// Sets the weather of all, of those that are opened later as well.
    pub fn set_weather(&self, weather: &Weather) {
        // Those that are opened meanwhile wait for it.
        let all = self.all();
        weather.clone_into(&mut self.begins_with());
        all.values().for_each(|open| open.engine.set_weather(weather.clone()));
    }

    /// The weather, and what has come of it in all of them.
    pub fn weather(&self) -> WeatherReport {
        let happened = self.engines().into_iter().map(|engine| engine.weather().happened);
        WeatherReport {
            happened: happened.fold(Happened::default(), Happened::and),
            weather: self.begins_with().clone(),
        }
    }

    fn begins_with(&self) -> MutexGuard<'_, Weather> {
        self.weather.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, but namespaces in memory that are opened from now on share these buckets.
    #[must_use]
    pub fn with_buckets(self, buckets: Arc<dyn Buckets>) -> Namespaces {
        Namespaces { buckets: Some(buckets), ..self }
    }

    /// What parts them.
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Whether the data are in memory, so that they can be reset, kept and restored.
    pub fn are_in_memory(&self) -> bool {
        matches!(self.ground, Ground::Memory(_))
    }

    /// Whether finding a namespace's engine may wait for a disk.
    pub(crate) fn may_block(&self) -> bool {
        !self.are_in_memory() || self.buckets.as_ref().is_some_and(|buckets| buckets.may_block())
    }

    /// The names of those that are open, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.all().keys().map(|namespace| namespace.0.clone()).collect();
        names.sort();
        names
    }

    /// The namespace of whoever signed a request, and its engine.
    ///
    /// # Errors
    /// When there are too many, or it can't be opened.
    pub(crate) fn of(
        &self,
        authentication: &Authentication<'_>,
    ) -> Result<(Namespace, Arc<Engine>), NamespaceError> {
        let namespace = match *authentication {
            Authentication::Signed { region, access_key } => self.isolation.namespace(region, access_key)?,
            _ if !self.isolation.parts_anything() => Namespace::default(),
            _ => return Ok((Namespace::default(), Arc::clone(&self.nobody))),
        };
        let engine = self.engine(&namespace)?;
        Ok((namespace, engine))
    }

    /// The engine of a namespace, which is opened if it is not.
    ///
    /// # Errors
    /// When there are too many, or it can't be opened.
    pub fn engine(&self, namespace: &Namespace) -> Result<Arc<Engine>, NamespaceError> {
        let mut all = self.all();
        if let Some(open) = all.get(namespace) {
            return Ok(Arc::clone(&open.engine));
        }
        let max = if self.are_in_memory() { NAMESPACES_IN_MEMORY_MAX } else { NAMESPACES_IN_FILES_MAX };
        if all.len() >= max {
            return Err(NamespaceError::TooMany { max });
        }
        let open = match &self.ground {
            Ground::Memory(start) => from_image(start, self.buckets.as_ref()),
            Ground::Elsewhere(open) => open(namespace).map(|engine| Open { engine, memory: None }),
        };
        let open = open.map_err(|cause| NamespaceError::Unopened { cause })?;
        let engine = Arc::clone(&open.engine);
        engine.set_weather(self.begins_with().clone());
        all.insert(namespace.clone(), open);
        Ok(engine)
    }

    /// All engines that are open.
    pub(crate) fn engines(&self) -> Vec<Arc<Engine>> {
        self.all().values().map(|open| Arc::clone(&open.engine)).collect()
    }

    /// Brings namespaces back to their start: those that are named, or all. Nothing on files.
    pub(crate) fn reset(&self, only: Option<&Namespace>) {
        let mut all = self.all();
        let gone: Vec<Open> = match only {
            Some(namespace) => all.remove(namespace).into_iter().collect(),
            None => all.drain().map(|(_, open)| open).collect(),
        };
        drop(all);
        free(gone);
    }

    /// What the namespaces hold now.
    pub(crate) fn images(
        &self,
        only: Option<&Namespace>,
    ) -> Result<BTreeMap<Namespace, MemoryImage>, NamespaceError> {
        let all = self.all();
        let wanted = all.iter().filter(|(namespace, _)| only.is_none_or(|only| only == *namespace));
        let mut images = BTreeMap::new();
        for (namespace, open) in wanted {
            let Some(memory) = &open.memory else { continue };
            let image =
                memory.image().map_err(|error| NamespaceError::Unopened { cause: error.to_string() })?;
            images.insert(namespace.clone(), image);
        }
        Ok(images)
    }

    /// Puts namespaces back to what they held; with `all`, those without an image begin anew.
    pub(crate) fn restore(
        &self,
        images: &BTreeMap<Namespace, MemoryImage>,
        only: Option<&Namespace>,
    ) -> Result<(), NamespaceError> {
        let mut restored = HashMap::new();
        for (namespace, image) in images.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
            let open = from_image(image, self.buckets.as_ref())
                .map_err(|cause| NamespaceError::Unopened { cause })?;
            open.engine.set_weather(self.begins_with().clone());
            restored.insert(namespace.clone(), open);
        }
        let mut all = self.all();
        let mut gone = Vec::new();
        match only {
            Some(namespace) => gone.extend(all.remove(namespace)),
            None => gone.extend(all.drain().map(|(_, open)| open)),
        }
        all.extend(restored);
        drop(all);
        free(gone);
        Ok(())
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Namespace, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An engine over a store that begins with what an image holds. Requests that are under way on another
/// one end there.
fn from_image(image: &MemoryImage, buckets: Option<&Arc<dyn Buckets>>) -> Result<Open, String> {
    let memory = Arc::new(MemoryStore::from_image(image));
    let engine = Engine::open(Arc::clone(&memory) as Arc<dyn keyplan_store::Store>, options(buckets))
        .map_err(|error| error.to_string())?;
    Ok(Open { engine: Arc::new(engine), memory: Some(memory) })
}

/// Lets go of what may take a while to free, without anybody waiting for it.
pub(crate) fn free(gone: impl Send + 'static) {
    std::thread::spawn(move || drop(gone));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_memory(isolation: Isolation) -> Namespaces {
        let store = Arc::new(MemoryStore::new());
        Engine::open(Arc::clone(&store) as Arc<dyn keyplan_store::Store>, options(None)).expect("an engine");
        Namespaces::in_memory(isolation, store.image().expect("an image")).expect("namespaces")
    }

    fn signed<'a>(region: &'a str, access_key: &'a str) -> Authentication<'a> {
        Authentication::Signed { region, access_key }
    }

    fn names_after(isolation: Isolation) -> Vec<String> {
        let namespaces = in_memory(isolation);
        for (region, key) in [("eu-west-2", "one"), ("eu-west-2", "two"), ("us-east-1", "one")] {
            namespaces.of(&signed(region, key)).expect("a namespace");
        }
        namespaces.names()
    }

    #[test]
    fn signatures_are_parted_by_what_is_asked_for() {
        assert_eq!(names_after(Isolation::default()), [""]);
        assert_eq!(names_after(Isolation { region: true, access_key: false }), ["eu-west-2", "us-east-1"]);
        assert_eq!(names_after(Isolation { region: false, access_key: true }), ["one", "two"]);
        assert_eq!(
            names_after(Isolation { region: true, access_key: true }),
            ["eu-west-2/one", "eu-west-2/two", "us-east-1/one"]
        );
    }

    #[test]
    fn how_many_there_are_is_bounded() {
        let namespaces = in_memory(Isolation { region: false, access_key: true });
        for number in 0..NAMESPACES_IN_MEMORY_MAX {
            namespaces.of(&signed("r", &number.to_string())).expect("a namespace");
        }
        let refused = namespaces.of(&signed("r", "one more")).map(drop);
        assert_eq!(refused, Err(NamespaceError::TooMany { max: NAMESPACES_IN_MEMORY_MAX }));
        namespaces.of(&signed("r", "0")).expect("one that is there");
        let long = "k".repeat(ACCESS_KEY_CHARACTERS_MAX + 1);
        assert_eq!(namespaces.of(&signed("r", &long)).map(drop), Err(NamespaceError::LongAccessKey));
        namespaces.reset(None);
        namespaces.of(&signed("r", "one more")).expect("there is room again");
    }
}
