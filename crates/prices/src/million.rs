//! A million requests such as this one.

use keyplan_engine::capacity::Units;
use keyplan_value::json::Writer;

use crate::file::{Price, Prices};
use crate::usd::Usd;

const REGION: &str = "us-east-1";
const CLASS: &str = "standard";
const MODE: &str = "on-demand";
const READ: &str = "million-read-request-units";
const WRITE: &str = "million-write-request-units";

/// What a million requests cost that are charged as one was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MillionPrice {
    /// All of it; nothing where a price is not known.
    pub usd: Option<Usd>,
    /// The share of reading.
    pub read: Option<Usd>,
    /// The share of writing.
    pub write: Option<Usd>,
    /// Where the prices come from; each source once.
    pub source: String,
    /// Since when they hold; the newest day of those that were used.
    pub dated: String,
}

impl Prices {
    /// What a million requests with these units cost, on demand, in the standard class of us-east-1. What
    /// costs no units costs nothing, whatever its price.
    pub fn of_million(&self, read: Units, write: Units) -> MillionPrice {
        let price = |unit| self.of(REGION, CLASS, unit);
        let share = |units: Units, price: Option<&Price>| match (units, price) {
            (Units::ZERO, _) => Some(Usd::ZERO),
            (units, price) => price.map(|price| price.usd.halves(units.in_halves())),
        };
        let sides = [(read, price(READ)), (write, price(WRITE))];
        let charged = |(units, _): &&(Units, Option<&Price>)| *units != Units::ZERO;
        // Where nothing is charged, both prices would have been used.
        let mut used: Vec<&Price> = sides.iter().filter(charged).filter_map(|(_, price)| *price).collect();
        if read == Units::ZERO && write == Units::ZERO {
            used = sides.iter().filter_map(|(_, price)| *price).collect();
        }
        let mut sources: Vec<&str> = used.iter().map(|price| price.source.as_str()).collect();
        sources.dedup();
        let [read, write] = sides.map(|(units, price)| share(units, price));
        MillionPrice {
            usd: read.zip(write).map(|(read, write)| read + write),
            read,
            write,
            source: sources.join("; "),
            dated: used.iter().map(|price| price.dated.as_str()).max().unwrap_or_default().to_owned(),
        }
    }
}

impl MillionPrice {
    /// Why there is no price, where there is none.
    pub fn unknown(&self) -> Option<String> {
        let unit = match (self.read, self.write) {
            (Some(_), Some(_)) => return None,
            (None, _) => "a read request unit",
            (_, None) => "a write request unit",
        };
        Some(format!("the price file does not know what {unit} costs in {REGION}"))
    }

    /// As the pages read it: amounts for show, the place and mode in which they hold, and their source.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let mut json = Writer::new(&mut out);
        json.begin_object().name("perMillion").begin_object();
        for (name, usd) in [("usd", self.usd), ("read", self.read), ("write", self.write)] {
            if let Some(usd) = usd {
                json.name(name).string(&usd.shown());
            }
        }
        json.end_object();
        if let Some(why) = self.unknown() {
            json.name("unknown").string(&why);
        }
        json.name("region").string(REGION).name("mode").string(MODE).name("class").string(CLASS);
        json.name("source").string(&self.source).name("dated").string(&self.dated).end_object();
        String::from_utf8_lossy(&out).into_owned()
    }
}
