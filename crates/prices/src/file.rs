//! The price file.

use std::fmt;

use keyplan_value::json::{JsonError, Limits, Node, Tape};

use crate::usd::Usd;

/// The longest price file, in bytes.
const PRICE_FILE_BYTES_MAX: usize = 256 * 1024;

/// How deep a price file's lists and objects stand in one another.
const PRICE_FILE_LEVELS_MAX: usize = 4;

/// All prices of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices {
    entries: Vec<Price>,
}

/// One price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The region in which it holds.
    pub region: String,
    /// The table class for which it holds.
    pub class: String,
    /// What it is the price of.
    pub unit: String,
    /// How much.
    pub usd: Usd,
    /// Where it comes from.
    pub source: String,
    /// The day since when it holds: `2024-11-01`.
    pub dated: String,
    /// Whether more than one source says so.
    pub confirmed: bool,
}

/// Why a text is no price file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PriceError {
    /// It is no JSON.
    Json(JsonError),
    /// It has no list of prices.
    NoPrices,
    /// A member of a price is missing or of another type.
    Member {
        /// The price's place in the list, from 1.
        place: usize,
        /// The member.
        member: &'static str,
    },
    /// Two prices are of the same unit, region and class.
    Twice {
        /// The place of the second in the list, from 1.
        place: usize,
    },
}

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PriceError::Json(error) => write!(f, "the price file is no JSON: {error}"),
            PriceError::NoPrices => f.write_str("the price file has no list `prices`"),
            PriceError::Member { place, member } => {
                write!(f, "price {place} of the price file needs a good `{member}`")
            }
            PriceError::Twice { place } => {
                write!(f, "price {place} of the price file is there already: same region, class and unit")
            }
        }
    }
}

impl std::error::Error for PriceError {}

impl Prices {
    /// Reads a price file.
    ///
    /// # Errors
    /// When it is no JSON, a price lacks a member, or one is there twice.
    pub fn parse(json: &str) -> Result<Prices, PriceError> {
        let limits = Limits { depth_levels: PRICE_FILE_LEVELS_MAX, length_bytes: PRICE_FILE_BYTES_MAX };
        let tape = Tape::parse(json.as_bytes(), &limits).map_err(PriceError::Json)?;
        let list = tape.root().get("prices").ok_or(PriceError::NoPrices)?;
        let mut entries: Vec<Price> = Vec::new();
        for (place, node) in (1..).zip(list.elements()) {
            let price = price(node, place)?;
            let same = |other: &Price| {
                (&other.region, &other.class, &other.unit) == (&price.region, &price.class, &price.unit)
            };
            if entries.iter().any(same) {
                return Err(PriceError::Twice { place });
            }
            entries.push(price);
        }
        Ok(Prices { entries })
    }

    /// The price of a unit, where it is known.
    pub fn of(&self, region: &str, class: &str, unit: &str) -> Option<&Price> {
        self.entries.iter().find(|price| price.region == region && price.class == class && price.unit == unit)
    }
}

fn price(node: Node<'_, '_>, place: usize) -> Result<Price, PriceError> {
    let wrong = |member| PriceError::Member { place, member };
    let text = |member: &'static str| {
        let text = node.get(member).and_then(|node| node.string());
        text.filter(|text| !text.is_empty()).map(String::from).ok_or(wrong(member))
    };
    Ok(Price {
        region: text("region")?,
        class: text("class")?,
        unit: text("unit")?,
        usd: Usd::parse(&text("usd")?).ok_or(wrong("usd"))?,
        source: text("source")?,
        dated: text("dated")?,
        confirmed: node.get("confirmed").and_then(|node| node.boolean()).ok_or(wrong("confirmed"))?,
    })
}
