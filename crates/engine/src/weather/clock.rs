//! A clock that can be stopped, moved forward and run fast.

use keyplan_value::json::Writer;

use super::WeatherError;
use crate::calendar::iso_text;
use crate::call::Timestamp;

/// How fast the machine's time passes by a clock, in thousandths.
const REAL: u64 = 1_000;

/// The fastest that a clock runs: a day in a second.
pub const CLOCK_RATE_MAX: f64 = 86_400.0;

/// A clock that is told the machine's time with every question, and gives the engine's.
///
/// The engine itself reads no clock: time is a part of each [`Call`](crate::Call). Whoever makes the calls keeps
/// one of these, so that its time can be stopped, moved and run fast. It goes forward only, also where the
/// machine's goes back.
///
/// ```
/// use keyplan_engine::Timestamp;
/// use keyplan_engine::weather::Clock;
///
/// let mut clock = Clock::default();
/// let noon = Timestamp(1_764_504_000_000);
/// assert_eq!(clock.now(noon), noon);
/// clock.set_rate(noon, 0.0);
/// clock.advance(noon, 90_000);
/// assert_eq!(clock.now(Timestamp(noon.0 + 5)), Timestamp(noon.0 + 90_000), "it stands where it was moved to");
/// clock.set_rate(Timestamp(noon.0 + 5), 60.0);
/// assert_eq!(clock.now(Timestamp(noon.0 + 1_005)), Timestamp(noon.0 + 150_000), "a minute in a second");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// The machine's time when the clock was last set.
    set_at: u64,
    /// What it showed then.
    shown: u64,
    /// In thousandths; 0 when it stands.
    rate: u64,
}

impl Default for Clock {
    /// The machine's own time.
    fn default() -> Clock {
        Clock { set_at: 0, shown: 0, rate: REAL }
    }
}

impl Clock {
    /// A clock that stands at a moment.
    pub const fn standing_at(moment: Timestamp) -> Clock {
        Clock { set_at: 0, shown: moment.0, rate: 0 }
    }

    /// The time it shows when the machine's is `machine`.
    pub fn now(&self, machine: Timestamp) -> Timestamp {
        let passed = machine.0.saturating_sub(self.set_at);
        Timestamp(self.shown.saturating_add(scaled(passed, self.rate, REAL)))
    }

    /// Seconds that it shows to pass in one of the machine's; 0 when it stands.
    pub fn rate(&self) -> f64 {
        self.rate as f64 / REAL as f64
    }

    /// Lets it run so fast from now on; 0 stops it, 1 is the machine's pace. What is no rate is taken for the
    /// nearest that is one.
    pub fn set_rate(&mut self, machine: Timestamp, rate: f64) {
        // A cast from f64 saturates, and takes what is no number for 0.
        let rate = (rate.clamp(0.0, CLOCK_RATE_MAX) * REAL as f64).round() as u64;
        *self = Clock { set_at: machine.0, shown: self.now(machine).0, rate };
    }

    /// Moves it forward by milliseconds.
    pub fn advance(&mut self, machine: Timestamp, by: u64) {
        let shown = self.now(machine).0.saturating_add(by);
        *self = Clock { set_at: machine.0, shown, rate: self.rate };
    }

    /// Moves it forward to a moment. A moment that has passed changes nothing.
    pub fn advance_to(&mut self, machine: Timestamp, moment: Timestamp) {
        self.advance(machine, moment.0.saturating_sub(self.now(machine).0));
    }

    /// Writes what it shows: `{"now":…,"text":…,"rate":…}`.
    pub fn write_json(&self, machine: Timestamp, out: &mut Writer<'_>) {
        let now = self.now(machine);
        out.begin_object().name("now").integer(now.0);
        out.name("text").string(&[&iso_text(now), "Z"].concat());
        out.name("rate").float(self.rate()).end_object();
    }

    /// [`Clock::write_json`] as text.
    pub fn to_json(&self, machine: Timestamp) -> String {
        let mut json = Vec::new();
        self.write_json(machine, &mut Writer::new(&mut json));
        String::from_utf8_lossy(&json).into_owned()
    }

    /// The machine's milliseconds until it shows a moment; nothing when it stands, for then it never does.
    pub fn until(&self, machine: Timestamp, moment: Timestamp) -> Option<u64> {
        let left = moment.0.saturating_sub(self.now(machine).0);
        match (left, self.rate) {
            (0, _) => Some(0),
            (_, 0) => None,
            (left, rate) => Some(scaled(left, REAL, rate).max(1)),
        }
    }
}

/// What a clock is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClockMove {
    /// To be moved forward by milliseconds.
    pub advance: Option<u64>,
    /// To be moved forward to a moment.
    pub to: Option<Timestamp>,
    /// To run so fast from then on.
    pub rate: Option<f64>,
}

impl ClockMove {
    /// Reads it from JSON: an object with some of `advance`, `to` and `rate`. No text asks for nothing.
    ///
    /// # Errors
    /// When it is no JSON, has a member that there isn't, or a value that can't be.
    pub fn parse(json: &[u8]) -> Result<ClockMove, WeatherError> {
        super::json::clock_move(json)
    }

    /// Does it.
    pub fn apply(&self, clock: &mut Clock, machine: Timestamp) {
        if let Some(by) = self.advance {
            clock.advance(machine, by);
        }
        if let Some(moment) = self.to {
            clock.advance_to(machine, moment);
        }
        if let Some(rate) = self.rate {
            clock.set_rate(machine, rate);
        }
    }
}

/// `of * by / per`, without overflow.
fn scaled(of: u64, by: u64, per: u64) -> u64 {
    let scaled = u128::from(of) * u128::from(by) / u128::from(per.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp(1_764_504_000_000);

    fn later(milliseconds: u64) -> Timestamp {
        Timestamp(START.0 + milliseconds)
    }

    #[test]
    fn it_never_goes_back() {
        let mut clock = Clock::default();
        clock.advance(START, 60_000);
        assert_eq!(clock.now(Timestamp(START.0 - 5_000)), later(60_000), "the machine's time went back");
        clock.advance_to(START, later(10));
        assert_eq!(clock.now(START), later(60_000), "a moment that has passed");
        clock.set_rate(START, -1.0);
        assert_eq!(clock.now(later(1_000)), later(60_000), "no rate lets it run back");
        clock.set_rate(START, f64::NAN);
        assert_eq!(clock.rate(), 0.0);
    }

    #[test]
    fn it_says_how_long_the_machine_has_to_wait() {
        let mut clock = Clock::default();
        clock.set_rate(START, 60.0);
        assert_eq!(clock.until(START, later(60_000)), Some(1_000));
        assert_eq!(clock.until(START, later(1)), Some(1), "what is to come is not now");
        assert_eq!(clock.until(START, START), Some(0));
        clock.set_rate(START, 0.0);
        assert_eq!(clock.until(START, later(1)), None, "a clock that stands");
        assert_eq!(clock.until(START, START), Some(0));
    }
}
