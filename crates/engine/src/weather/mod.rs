//! The service's weather: what developers meet on the real service and nowhere else.
//!
//! On a fine day, which every engine begins with, requests are answered at once, reads see the last write, and
//! nothing is refused that isn't wrong. [`Weather`] says how far from that a day is:
//!
//! - **lag**: eventually consistent reads, and all reads of global secondary indexes, are some time behind;
//! - **throttling**: provisioned units with their burst, what a table on demand can take at once and how it grows,
//!   the limits of a partition and its split for heat, indexes that hold writes to their table back;
//! - **partial batches**: items of a batch that are left to be sent again;
//! - **conflicts**: transactions hold their items for a while, and others that want them are refused;
//! - **latency**: an answer carries the moment before which it isn't to be given ([`Reply::not_before`]);
//! - **errors** by rule: operation, table, beginning of the key, rate, how often;
//! - **lifecycle**: tables and indexes take their time.
//!
//! All of it goes by the time of each [`Call`](crate::Call), of which [`Clock`] can stop and hurry the source, and
//! by a seed: the same requests in the same order meet the same weather. It is of the process: no store knows of
//! it, and the next start is a fine day. When it is off, a request pays one relaxed atomic load for it.
//!
//! ```
//! use std::sync::Arc;
//! use keyplan_engine::weather::Weather;
//! use keyplan_engine::{Authentication, Call, Engine, EngineOptions, Timestamp};
//! use keyplan_store::MemoryStore;
//!
//! let engine = Engine::open(Arc::new(MemoryStore::new()), EngineOptions::default())?;
//! engine.set_weather(Weather::parse(br#"{"errors": [{"error": "InternalServerError", "times": 1}]}"#)?);
//! let list = || {
//!     engine.dispatch(&Call {
//!         target: Some("DynamoDB_20120810.ListTables"),
//!         authentication: Authentication::NotRequired { region: "us-east-1" },
//!         body: b"{}",
//!         now: Timestamp(1_764_500_000_000),
//!         random: 7,
//!         trace: false,
//!     })
//! };
//! assert_eq!(list().status, 500);
//! assert_eq!(list().status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Reply::not_before`]: crate::Reply::not_before

mod clock;
mod happened;
mod holds;
mod json;
mod lag;
mod lifecycle;
mod meter;
mod settings;
mod throttle;
mod trouble;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use keyplan_store::{Bounds, Space};
use keyplan_value::Item;
use keyplan_value::json::{Node, Writer};

pub use clock::{CLOCK_RATE_MAX, Clock, ClockMove};
pub(crate) use happened::Event;
pub use happened::Happened;
pub(crate) use holds::{Held, Hold, Place};
pub use json::WeatherError;
pub(crate) use lag::{Behind, OldImage, Overlay};
pub(crate) use lifecycle::{IndexStep, Leaving, Move, TableState};
pub use settings::{Conflicts, Lag, Latency, Lifecycle, Rate, Throttling, Weather};
pub use throttle::Throttle;
pub(crate) use throttle::{Demand, of_write};
pub use trouble::{ErrorRule, Trouble};

use crate::call::Timestamp;
use crate::capacity::Consistency;
use crate::context::Context;
use crate::error::ServiceError;
use crate::indexes::Entry;
use crate::read::Source;
use crate::write::{Applied, Mutation, Outcome, Refusal, Rejection};
use holds::Holds;
use lag::Images;
use lifecycle::Lives;
use throttle::Meters;

/// The weather of an engine; off until it is set.
#[derive(Debug, Default)]
pub(crate) struct WeatherStation {
    is_on: AtomicBool,
    now: RwLock<Option<Arc<Conditions>>>,
}

impl WeatherStation {
    /// Sets the weather, and begins it anew: what was held, metered and counted before is forgotten.
    pub(crate) fn set(&self, weather: Weather) {
        let on = !weather.is_fine();
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        *now = on.then(|| Arc::new(Conditions::new(weather)));
        self.is_on.store(on, Ordering::Relaxed);
    }

    /// The conditions of a request; nothing on a fine day.
    pub(crate) fn now(&self) -> Option<Arc<Conditions>> {
        if !self.is_on.load(Ordering::Relaxed) {
            return None;
        }
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn report(&self) -> WeatherReport {
        match self.now() {
            Some(now) => WeatherReport { weather: now.weather.clone(), happened: now.happened.counted() },
            None => WeatherReport::default(),
        }
    }
}

/// The weather, and what has come of it since it was set.
#[derive(Debug, Clone, Default)]
pub struct WeatherReport {
    /// The weather.
    pub weather: Weather,
    /// What has happened.
    pub happened: Happened,
}

impl WeatherReport {
    /// Writes `{"weather":{…},"happened":{…}}`.
    pub fn write_json(&self, out: &mut Writer<'_>) {
        out.begin_object().name("weather");
        self.weather.write_json(out);
        out.name("happened");
        self.happened.write_json(out);
        out.end_object();
    }

    /// [`WeatherReport::write_json`] as text.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut Writer::new(&mut json));
        String::from_utf8_lossy(&json).into_owned()
    }
}

/// The weather as it is now: the settings, and what they have led to.
#[derive(Debug)]
pub(crate) struct Conditions {
    weather: Weather,
    /// How many draws of chance there were.
    drawn: AtomicU64,
    /// How often each rule was applied.
    applied: Vec<AtomicU64>,
    images: Mutex<Images>,
    meters: Option<Mutex<Meters>>,
    holds: Mutex<Holds>,
    lives: Mutex<Lives>,
    happened: happened::Counters,
}

impl Conditions {
    fn new(weather: Weather) -> Conditions {
        Conditions {
            drawn: AtomicU64::new(0),
            applied: weather.errors.iter().map(|_| AtomicU64::new(0)).collect(),
            images: Mutex::default(),
            meters: weather.throttling.map(|throttling| Mutex::new(Meters::new(throttling))),
            holds: Mutex::default(),
            lives: Mutex::default(),
            happened: happened::Counters::default(),
            weather,
        }
    }

    /// Notes that something happened.
    pub(crate) fn note(&self, event: Event) {
        self.happened.note(event);
    }

    /// The next draw of chance (SplitMix64).
    fn draw(&self) -> u64 {
        let count = self.drawn.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let mut bits = self.weather.seed.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Whether something happens this time. What always or never happens draws no chance.
    fn happens(&self, rate: Rate) -> bool {
        match rate {
            Rate(0) => false,
            Rate::ALWAYS => true,
            Rate(millionths) => self.draw() % u64::from(Rate::ALWAYS.0) < u64::from(millionths),
        }
    }

    // Latency and errors.

    /// The moment before which an answer isn't given; `done` is whether it is one of success.
    pub(crate) fn not_before(&self, operation: &str, done: bool, now: Timestamp) -> Option<Timestamp> {
        let Weather { latency, conflicts, .. } = &self.weather;
        let latency = latency.map(|Latency { min, max }| {
            min.saturating_add(self.draw() % max.saturating_sub(min).saturating_add(1))
        });
        // A transaction is done when it lets go of its items.
        let held = conflicts.map(|conflicts| conflicts.hold);
        let holds = done && matches!(operation, "TransactWriteItems" | "ExecuteTransaction");
        let held = held.filter(|_| holds);
        let wait = latency.max(held).filter(|wait| *wait > 0)?;
        self.note(Event::Delayed);
        Some(Timestamp(now.0.saturating_add(wait)))
    }

    /// The error that a request meets, and whether it meets it only when it has been carried out.
    pub(crate) fn trouble(&self, ctx: &Context<'_>, request: Node<'_, '_>) -> Option<(ServiceError, bool)> {
        for (rule, applied) in self.weather.errors.iter().zip(&self.applied) {
            if !rule.is_about(ctx, request) || !self.happens(rule.rate) {
                continue;
            }
            let count = applied.fetch_add(1, Ordering::Relaxed);
            if rule.times.is_none_or(|times| count < times) {
                self.note(Event::Error);
                return Some((rule.trouble.error(), rule.after));
            }
        }
        None
    }

    // Lag.

    /// What a read sees in the place of what is there; nothing if it is not behind.
    pub(crate) fn overlays(
        &self,
        source: Source<'_>,
        consistency: Consistency,
        bounds: Bounds<'_>,
        fetches: bool,
        now: Timestamp,
    ) -> Option<Vec<(Space, Overlay)>> {
        let lag = self.weather.lag.filter(|_| consistency == Consistency::Eventual)?;
        let behind = if source.global_index().is_some() { lag.index } else { lag.table };
        let as_of = Timestamp(now.0.saturating_sub(behind));
        let images = lock(&self.images);
        let mut overlays = vec![(source.space(), images.overlay(source.space(), bounds, as_of))];
        if fetches {
            let table = source.table.space;
            overlays.push((table, images.overlay(table, Bounds::ALL, as_of)));
        }
        drop(images);
        let is_behind = overlays.iter().any(|(_, overlay)| !overlay.is_empty());
        is_behind.then(|| self.note(Event::Lagging));
        is_behind.then_some(overlays)
    }

    // Throttling.

    /// Lets a read in, if there are units left for it.
    ///
    /// # Errors
    /// That it is throttled.
    pub(crate) fn admit(
        &self,
        demand: &Demand<'_>,
        now: Timestamp,
        region: &str,
    ) -> Result<(), ServiceError> {
        match self.refusal(demand, now) {
            Some(throttle) => Err(ServiceError::Throttled(Box::new(throttle.told(region)))),
            None => Ok(()),
        }
    }

    /// Why a read isn't let in, if it isn't.
    pub(crate) fn refusal(&self, demand: &Demand<'_>, now: Timestamp) -> Option<Throttle> {
        let mut meters = lock(self.meters.as_ref()?);
        let throttle = meters.limit(demand, now)?;
        meters.refused(demand, &throttle, now);
        self.note(Event::Throttled);
        Some(throttle)
    }

    /// Notes what a read has cost.
    pub(crate) fn spend(&self, demand: &Demand<'_>, now: Timestamp) {
        if let Some(meters) = &self.meters {
            lock(meters).spend(demand, now);
        }
    }

    /// Which writes are turned away, of some that were tried; nothing if none is.
    pub(crate) fn refusals<'m>(
        &self,
        writes: impl Iterator<Item = (&'m Mutation, &'m Applied)>,
        transactional: bool,
        now: Timestamp,
    ) -> Option<Vec<Option<Throttle>>> {
        let meters = self.meters.as_ref()?;
        let writes: Vec<_> =
            writes.map(|(mutation, applied)| of_write(mutation, applied.as_ref(), transactional)).collect();
        let mut meters = lock(meters);
        let refusals = meters.refusals(&writes, now);
        for (demands, throttle) in writes.iter().zip(&refusals) {
            let Some(throttle) = throttle else { continue };
            self.note(Event::Throttled);
            demands.iter().for_each(|demand| meters.refused(demand, throttle, now));
        }
        refusals.iter().any(Option::is_some).then_some(refusals)
    }

    /// Notes what a write has cost, whether or not it was applied.
    fn spend_write(
        &self,
        mutation: &Mutation,
        applied: Result<&Outcome, &Rejection>,
        transactional: bool,
        now: Timestamp,
    ) {
        if let Some(meters) = &self.meters {
            let mut meters = lock(meters);
            for demand in of_write(mutation, applied, transactional) {
                meters.spend(&demand, now);
            }
        }
    }

    // What was written.

    /// Notes what came of some mutations: what they cost, and what they changed.
    pub(crate) fn applied<'m>(
        &self,
        mutations: impl Iterator<Item = Option<&'m Mutation>>,
        committed: Result<&'m [Outcome], &'m Refusal>,
        transactional: bool,
        now: Timestamp,
    ) {
        let applied: Vec<Result<&Outcome, &Rejection>> = match committed {
            Ok(outcomes) => outcomes.iter().map(Ok).collect(),
            Err(Refusal::Rejected(applied)) => applied.iter().map(Result::as_ref).collect(),
            // Nothing was looked at.
            Err(_) => return,
        };
        let together: Vec<_> =
            mutations.zip(&applied).filter_map(|(mutation, applied)| Some((mutation?, *applied))).collect();
        for (mutation, applied) in &together {
            self.spend_write(mutation, *applied, transactional, now);
        }
        if committed.is_ok() {
            let changed = |(mutation, applied): (_, Result<_, _>)| Some((mutation, applied.ok()?));
            self.written(together.into_iter().filter_map(changed), now);
        }
    }

    /// Keeps what was there before some writes, for the reads that are behind.
    pub(crate) fn written<'o>(
        &self,
        outcomes: impl Iterator<Item = (&'o Mutation, &'o Outcome)>,
        now: Timestamp,
    ) {
        let Some(lag) = self.weather.lag else { return };
        let mut images: Vec<OldImage> = Vec::new();
        for (mutation, outcome) in outcomes {
            if outcome.before == outcome.after {
                continue;
            }
            let before = outcome.before.as_ref().map(|item| item.stored().clone());
            images.push((mutation.table.space, mutation.key.bytes().to_vec(), before));
            for index in &mutation.table.indexes {
                let entry = |item: &Option<Item>| Entry::of(&mutation.table, index, item.as_ref()?);
                let (before, after) = (entry(&outcome.before), entry(&outcome.after));
                let made =
                    after.as_ref().filter(|new| before.as_ref().is_none_or(|old| old.place() != new.place()));
                images.extend(made.map(|new| (index.space, new.place().bytes().to_vec(), None)));
                // An entry that didn't change is its own image.
                images.extend(before.map(|old| {
                    (index.space, old.place().bytes().to_vec(), Some(old.item().stored().clone()))
                }));
            }
        }
        if !images.is_empty() {
            lock(&self.images).keep(now, lag.longest(), images);
        }
    }

    // Batches.

    /// Which of the items of a batch are processed; at least one of them is.
    pub(crate) fn processed(&self, items: usize) -> Vec<bool> {
        let rate = self.weather.partial_batches;
        let mut processed: Vec<bool> = (0..items).map(|_| !self.happens(rate)).collect();
        if !processed.contains(&true)
            && let Some(first) = processed.first_mut()
        {
            *first = true;
        }
        processed
    }

    /// Notes how many items of a batch were left.
    pub(crate) fn left_unprocessed(&self, items: usize) {
        (0..items).for_each(|_| self.note(Event::Unprocessed));
    }

    // Transactions.

    /// Which of some items are held by transactions.
    pub(crate) fn held<'m>(
        &self,
        places: impl Iterator<Item = (u64, &'m [u8])>,
        now: Timestamp,
    ) -> Vec<bool> {
        let held = lock(&self.holds).held(places, now);
        held.iter().filter(|held| **held).for_each(|_| self.note(Event::Conflict));
        held
    }

    /// Which of the items of a transaction that only reads are held by others, or seem to be.
    pub(crate) fn conflicts<'m>(
        &self,
        places: impl Iterator<Item = (u64, &'m [u8])>,
        now: Timestamp,
    ) -> Option<Vec<bool>> {
        let settings = self.weather.conflicts?;
        let mut held = self.held(places, now);
        if !held.contains(&true) && self.happens(settings.rate) {
            self.choose(&mut held);
        }
        held.contains(&true).then_some(held)
    }

    /// Takes hold of the items of a transaction and of its token, until it is done.
    pub(crate) fn hold(
        &self,
        places: &[Place],
        token: Option<&[u8]>,
        now: Timestamp,
    ) -> Result<Option<Hold>, Held> {
        let Some(settings) = self.weather.conflicts else { return Ok(None) };
        if self.happens(settings.rate) {
            let mut held = vec![false; places.len()];
            self.choose(&mut held);
            return Err(Held::Places(held));
        }
        let until = Timestamp(now.0.saturating_add(settings.hold));
        let taken = lock(&self.holds).take(places, token, now, until);
        taken.map(Some).inspect_err(|_| self.note(Event::Conflict))
    }

    /// Lets go of the items of a transaction that came to nothing.
    pub(crate) fn let_go(&self, hold: Option<Hold>) {
        if let Some(hold) = hold {
            lock(&self.holds).let_go(hold);
        }
    }

    fn choose(&self, held: &mut [bool]) {
        let count = u64::try_from(held.len()).unwrap_or(u64::MAX).max(1);
        let chosen = usize::try_from(self.draw() % count).unwrap_or_default();
        if let Some(chosen) = held.get_mut(chosen) {
            *chosen = true;
        }
        self.note(Event::Conflict);
    }
}

/// A panic while a lock was held left what it guards whole enough: it is weather.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
