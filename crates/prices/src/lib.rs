//! Prices: what a million such requests cost, from a price file and the units of a trace.
//!
//! # What it is
//!
//! [`Prices::parse`] reads the price file: JSON with a list of prices, each with its region, table class,
//! unit, amount in US dollars, source and date. [`Prices::of_million`] multiplies the units of one request,
//! as the engine charged it, and says where its prices come from. Amounts are [`Usd`], decimal numbers in
//! whole millionths of a millionth: nothing is a floating-point number, so what is shown adds up.
//!
//! ```
//! use keyplan_engine::capacity::Units;
//! use keyplan_prices::Prices;
//!
//! let file = r#"{ "prices": [{
//!     "region": "us-east-1", "class": "standard", "unit": "million-read-request-units",
//!     "usd": "0.125", "source": "a price list", "dated": "2024-11-01", "confirmed": true
//! }] }"#;
//! let prices = Prices::parse(file)?;
//! let read = prices.of_million(Units::halves(1), Units::ZERO);
//! assert_eq!(read.usd.map(|usd| usd.shown()).as_deref(), Some("0.0625"));
//! let write = prices.of_million(Units::ZERO, Units::whole(1));
//! assert!(write.usd.is_none(), "a price that is not in the file is not known");
//! # Ok::<(), keyplan_prices::PriceError>(())
//! ```
//!
//! # What it is not
//!
//! It holds no prices and charges no units: the file has the ones, the engine the others. It is small, since
//! it is part of the engine in the browser too.
#![forbid(unsafe_code)]

mod file;
mod million;
mod usd;

pub use file::{Price, PriceError, Prices};
pub use million::MillionPrice;
pub use usd::Usd;
