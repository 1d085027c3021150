//! The weather as JSON: how it is asked for, and how it is told.

use std::fmt;

use keyplan_value::json::{Kind, Limits, Node, Tape, Writer};

use super::settings::TIME_MAX;
use super::trouble::{ErrorRule, Trouble};
use super::{
    CLOCK_RATE_MAX, ClockMove, Conflicts, Happened, Lag, Latency, Lifecycle, Rate, Throttling, Weather,
};
use crate::call::Timestamp;
use crate::limits::WEATHER_RULES_MAX;
use crate::validate::present;

/// Why a text is no weather.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeatherError(String);

impl fmt::Display for WeatherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WeatherError {}

/// The largest figure of throughput: more than any table has.
const UNITS_MAX: u64 = 1_000_000_000;

impl Weather {
    /// Reads the weather from JSON; what isn't named is off. `{}` is a fine day.
    ///
    /// ```
    /// use keyplan_engine::weather::Weather;
    ///
    /// let weather = Weather::parse(br#"{"seed": 7, "lag": {"table": 300}, "partialBatches": 0.2}"#)?;
    /// assert_eq!(weather.lag.map(|lag| lag.index), Some(300), "an index is at least as far behind");
    /// assert!(Weather::parse(br#"{"lags": 1}"#).is_err());
    /// # Ok::<(), keyplan_engine::weather::WeatherError>(())
    /// ```
    ///
    /// # Errors
    /// When it is no JSON, has a member that there isn't, or a value that can't be.
    pub fn parse(json: &[u8]) -> Result<Weather, WeatherError> {
        if json.iter().all(u8::is_ascii_whitespace) {
            return Ok(Weather::default());
        }
        let tape = parsed(json, "the weather is not JSON: ")?;
        let root = Members::new("weather", tape.root(), &MEMBERS)?;
        let throttling = match present(root.node, "throttling").map(|node| (node, node.boolean())) {
            None | Some((_, Some(false))) => None,
            Some((_, Some(true))) => Some(Throttling::default()),
            Some((node, None)) => Some(throttling(node)?),
        };
        Ok(Weather {
            seed: root.number("seed", 0, u64::MAX)?,
            lag: root.object("lag", &["table", "index"], |lag| {
                let table = lag.number("table", 0, TIME_MAX)?;
                Ok(Lag { table, index: lag.number("index", table, TIME_MAX)? })
            })?,
            throttling,
            partial_batches: root.rate("partialBatches", Rate::default())?,
            conflicts: root.object("conflicts", &["hold", "rate"], |conflicts| {
                let hold = conflicts.number("hold", 0, TIME_MAX)?;
                Ok(Conflicts { hold, rate: conflicts.rate("rate", Rate::default())? })
            })?,
            latency: root.object("latency", &["min", "max"], |latency| {
                let min = latency.number("min", 0, TIME_MAX)?;
                Ok(Latency { min, max: latency.number("max", min, TIME_MAX)?.max(min) })
            })?,
            errors: rules(&root)?,
            lifecycle: root.object("lifecycle", &LIFECYCLE, |lifecycle| {
                let table = lifecycle.number("table", 0, TIME_MAX)?;
                let index = lifecycle.number("index", table, TIME_MAX)?;
                Ok(Lifecycle {
                    table,
                    index,
                    backfill: lifecycle.number("backfill", index, TIME_MAX)?,
                    stream: lifecycle.number("stream", table, TIME_MAX)?,
                    time_to_live: lifecycle.number("timeToLive", table, TIME_MAX)?,
                })
            })?,
        })
    }

    /// Writes what is on as one JSON object, which [`Weather::parse`] reads back.
    pub fn write_json(&self, out: &mut Writer<'_>) {
        out.begin_object().name("seed").integer(self.seed);
        if let Some(Lag { table, index }) = self.lag {
            numbers(out, "lag", &[("table", table), ("index", index)]);
        }
        if let Some(throttling) = self.throttling {
            numbers(out, "throttling", &THROTTLING.map(|(name, field, _)| (name, field(throttling))));
        }
        if self.partial_batches > Rate::default() {
            out.name("partialBatches").float(self.partial_batches.share());
        }
        if let Some(Conflicts { hold, rate }) = self.conflicts {
            out.name("conflicts").begin_object().name("hold").integer(hold);
            out.name("rate").float(rate.share()).end_object();
        }
        if let Some(Latency { min, max }) = self.latency {
            numbers(out, "latency", &[("min", min), ("max", max)]);
        }
        if !self.errors.is_empty() {
            out.name("errors").begin_array();
            self.errors.iter().for_each(|rule| rule.write(out));
            out.end_array();
        }
        if let Some(Lifecycle { table, index, backfill, stream, time_to_live }) = self.lifecycle {
            let times = [table, index, backfill, stream, time_to_live];
            let times: Vec<(&str, u64)> = LIFECYCLE.into_iter().zip(times).collect();
            numbers(out, "lifecycle", &times);
        }
        out.end_object();
    }

    /// [`Weather::write_json`] as text.
    pub fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut Writer::new(&mut json));
        String::from_utf8_lossy(&json).into_owned()
    }
}

const MEMBERS: [&str; 8] =
    ["seed", "lag", "throttling", "partialBatches", "conflicts", "latency", "errors", "lifecycle"];
const LIFECYCLE: [&str; 5] = ["table", "index", "backfill", "stream", "timeToLive"];
const RULE: [&str; 7] = ["error", "rate", "operation", "table", "key", "after", "times"];

/// A figure of throttling: its name, how to read it, and where to put it.
type Figure = (&'static str, fn(Throttling) -> u64, fn(&mut Throttling) -> &mut u64);

const THROTTLING: [Figure; 9] = [
    ("burstSeconds", |of| of.burst_seconds, |of| &mut of.burst_seconds),
    ("partitionRead", |of| of.partition_read, |of| &mut of.partition_read),
    ("partitionWrite", |of| of.partition_write, |of| &mut of.partition_write),
    ("onDemandRead", |of| of.on_demand_read, |of| &mut of.on_demand_read),
    ("onDemandWrite", |of| of.on_demand_write, |of| &mut of.on_demand_write),
    ("accountRead", |of| of.account_read, |of| &mut of.account_read),
    ("accountWrite", |of| of.account_write, |of| &mut of.account_write),
    ("growth", |of| of.growth, |of| &mut of.growth),
    ("splitAfter", |of| of.split_after, |of| &mut of.split_after),
];

fn throttling(node: Node<'_, '_>) -> Result<Throttling, WeatherError> {
    let members = Members::new("throttling", node, &THROTTLING.map(|(name, ..)| name))?;
    let mut throttling = Throttling::default();
    for (name, default, place) in THROTTLING {
        *place(&mut throttling) = members.number(name, default(Throttling::default()), UNITS_MAX)?;
    }
    Ok(throttling)
}

fn rules(root: &Members<'_, '_>) -> Result<Vec<ErrorRule>, WeatherError> {
    let Some(list) = present(root.node, "errors") else { return Ok(Vec::new()) };
    if list.kind() != Kind::Array || list.len() > WEATHER_RULES_MAX {
        return Err(wrong(
            "weather",
            "errors",
            &["a list of up to ", &WEATHER_RULES_MAX.to_string(), " rules"],
        ));
    }
    list.elements().map(rule).collect()
}

fn rule(node: Node<'_, '_>) -> Result<ErrorRule, WeatherError> {
    let rule = Members::new("errors", node, &RULE)?;
    let name = rule.text("error")?.unwrap_or_default();
    let Some(trouble) = Trouble::from_name(&name) else {
        let names = Trouble::ALL.map(Trouble::name).join(", ");
        return Err(wrong("errors", "error", &["one of ", &names]));
    };
    let times = present(node, "times").map(|_| rule.number("times", 0, u64::MAX)).transpose()?;
    let after = match present(node, "after").map(|after| after.boolean()) {
        None => false,
        Some(Some(after)) => after,
        Some(None) => return Err(wrong("errors", "after", &["true or false"])),
    };
    Ok(ErrorRule {
        trouble,
        rate: rule.rate("rate", Rate::ALWAYS)?,
        operation: rule.text("operation")?,
        table: rule.text("table")?,
        key: rule.text("key")?,
        after,
        times,
    })
}

impl ErrorRule {
    fn write(&self, out: &mut Writer<'_>) {
        out.begin_object().name("error").string(self.trouble.name());
        out.name("rate").float(self.rate.share());
        for (name, text) in [("operation", &self.operation), ("table", &self.table), ("key", &self.key)] {
            if let Some(text) = text {
                out.name(name).string(text);
            }
        }
        if self.after {
            out.name("after").boolean(true);
        }
        if let Some(times) = self.times {
            out.name("times").integer(times);
        }
        out.end_object();
    }
}

/// An object of the weather, each of whose members is one that there is.
struct Members<'t, 'a> {
    name: &'static str,
    node: Node<'t, 'a>,
}

impl<'t, 'a> Members<'t, 'a> {
    fn new(name: &'static str, node: Node<'t, 'a>, known: &[&str]) -> Result<Members<'t, 'a>, WeatherError> {
        if node.kind() != Kind::Object {
            return Err(WeatherError([name, " is no object"].concat()));
        }
        match node.members().find(|(member, _)| !known.iter().any(|known| member.is(known))) {
            Some((member, _)) => Err(WeatherError(
                [name, " has no member \"", &member.to_str(), "\"; there are ", &known.join(", ")].concat(),
            )),
            None => Ok(Members { name, node }),
        }
    }

    fn object<T>(
        &self,
        member: &'static str,
        known: &[&str],
        read: impl FnOnce(Members<'t, 'a>) -> Result<T, WeatherError>,
    ) -> Result<Option<T>, WeatherError> {
        let node = present(self.node, member);
        node.map(|node| Members::new(member, node, known).and_then(read)).transpose()
    }

    fn number(&self, member: &str, default: u64, most: u64) -> Result<u64, WeatherError> {
        let Some(node) = present(self.node, member) else { return Ok(default) };
        let number = node.integer().and_then(|number| u64::try_from(number).ok());
        number
            .filter(|number| *number <= most)
            .ok_or_else(|| wrong(self.name, member, &["a whole number from 0 to ", &most.to_string()]))
    }

    fn rate(&self, member: &str, default: Rate) -> Result<Rate, WeatherError> {
        let Some(node) = present(self.node, member) else { return Ok(default) };
        let is_number = matches!(node.kind(), Kind::Integer | Kind::Decimal);
        let share = is_number.then(|| node.raw().parse().ok()).flatten();
        share.and_then(Rate::of_share).ok_or_else(|| wrong(self.name, member, &["a share from 0 to 1"]))
    }

    fn text(&self, member: &str) -> Result<Option<String>, WeatherError> {
        let Some(node) = present(self.node, member) else { return Ok(None) };
        let text = node.string().map(|text| Some(text.into_owned()));
        text.ok_or_else(|| wrong(self.name, member, &["a string"]))
    }
}

fn wrong(object: &str, member: &str, wanted: &[&str]) -> WeatherError {
    WeatherError([object, ".", member, " is ", &wanted.concat()].concat())
}

fn numbers(out: &mut Writer<'_>, name: &str, members: &[(&str, u64)]) {
    out.name(name).begin_object();
    for (name, number) in members {
        out.name(name).integer(*number);
    }
    out.end_object();
}

/// The latest moment that a clock can be moved to: the end of the year 9999.
const MOMENT_MAX: u64 = 253_402_300_799_999;

/// Reads what a clock is asked to do.
pub(super) fn clock_move(json: &[u8]) -> Result<ClockMove, WeatherError> {
    if json.iter().all(u8::is_ascii_whitespace) {
        return Ok(ClockMove::default());
    }
    let tape = parsed(json, "what the clock is asked is not JSON: ")?;
    let asked = Members::new("clock", tape.root(), &["advance", "to", "rate"])?;
    let number =
        |member: &str| present(asked.node, member).map(|_| asked.number(member, 0, MOMENT_MAX)).transpose();
    let rate = present(asked.node, "rate").map(|rate| {
        let is_number = matches!(rate.kind(), Kind::Integer | Kind::Decimal);
        let rate = is_number.then(|| rate.raw().parse().ok()).flatten();
        let rate = rate.filter(|rate| (0.0..=CLOCK_RATE_MAX).contains(rate));
        rate.ok_or_else(|| wrong("clock", "rate", &["a number from 0 to ", &CLOCK_RATE_MAX.to_string()]))
    });
    Ok(ClockMove { advance: number("advance")?, to: number("to")?.map(Timestamp), rate: rate.transpose()? })
}

fn parsed<'a>(json: &'a [u8], what: &str) -> Result<Tape<'a>, WeatherError> {
    Tape::parse(json, &Limits::default()).map_err(|error| WeatherError([what, &error.to_string()].concat()))
}

impl Happened {
    /// Writes the counts as one JSON object.
    pub fn write_json(&self, out: &mut Writer<'_>) {
        out.begin_object();
        for (name, count) in self.counts() {
            out.name(name).integer(count);
        }
        out.end_object();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_is_written_and_read_back() {
        let text = r#"{"seed":7,"lag":{"table":300,"index":900},"throttling":{"burstSeconds":0,"partitionRead":3000,"partitionWrite":10,"onDemandRead":12000,"onDemandWrite":40,"accountRead":40000,"accountWrite":40000,"growth":1800000,"splitAfter":300000},"partialBatches":0.25,"conflicts":{"hold":200,"rate":0.5},"latency":{"min":5,"max":20},"errors":[{"error":"InternalServerError","rate":0.1,"operation":"PutItem","table":"Shop","key":"USER#","after":true,"times":2}],"lifecycle":{"table":1000,"index":2000,"backfill":3000,"stream":400,"timeToLive":500}}"#;
        let weather = Weather::parse(text.as_bytes()).expect("it is one");
        assert_eq!(weather.to_json(), text);
        assert!(!weather.is_fine());
        let fine = Weather::parse(b"{\"lag\": null, \"seed\": 4, \"throttling\": false}").expect("it is one");
        assert!(fine.is_fine());
        assert_eq!(fine.to_json(), r#"{"seed":4}"#);
    }

    #[test]
    fn a_clock_is_moved_and_then_set() {
        assert_eq!(ClockMove::parse(b" "), Ok(ClockMove::default()));
        let asked = ClockMove::parse(br#"{"advance": 60000, "rate": 0.5}"#).expect("it is one");
        assert_eq!(asked, ClockMove { advance: Some(60_000), to: None, rate: Some(0.5) });
        for (text, part) in [
            ("{", "not JSON"),
            ("7", "clock is no object"),
            (r#"{"back": 1}"#, "has no member \"back\""),
            (r#"{"advance": -1}"#, "clock.advance is a whole number"),
            (r#"{"rate": 100000}"#, "clock.rate is a number from 0 to 86400"),
            (r#"{"rate": "fast"}"#, "clock.rate is a number"),
        ] {
            let why = ClockMove::parse(text.as_bytes()).expect_err(text).to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn what_is_no_weather_says_why() {
        for (text, part) in [
            ("{", "not JSON"),
            ("[]", "weather is no object"),
            (r#"{"lags": 1}"#, "has no member \"lags\""),
            (r#"{"lag": 5}"#, "lag is no object"),
            (r#"{"lag": {"table": -1}}"#, "lag.table is a whole number"),
            (r#"{"lag": {"table": 1.5}}"#, "lag.table is a whole number"),
            (r#"{"partialBatches": 2}"#, "weather.partialBatches is a share"),
            (r#"{"partialBatches": "often"}"#, "weather.partialBatches is a share"),
            (r#"{"throttling": {"burst": 1}}"#, "throttling has no member"),
            (r#"{"errors": {}}"#, "weather.errors is a list"),
            (r#"{"errors": [{}]}"#, "errors.error is one of InternalServerError"),
            (r#"{"errors": [{"error": "ThrottlingException", "after": 1}]}"#, "errors.after is true"),
            (r#"{"errors": [{"error": "ThrottlingException", "table": 1}]}"#, "errors.table is a string"),
        ] {
            let why = Weather::parse(text.as_bytes()).expect_err(text).to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
