//! The files that items are exported to and imported from.
//!
//! # What it is
//!
//! A file is a stream of bytes, perhaps packed, which holds one record after the other. [`unpacked`] takes the
//! [`Packing`] off; a [`RecordReader`] finds where each record ends, by the [`Framing`] that the format has;
//! and a record is then read as what it is: DynamoDB JSON by `keyplan_value`, Ion text by [`ion::read`], a line of
//! CSV by [`csv::read`]. Exports go the other way through [`ion::write_item`] and [`pack`], and state a file's
//! [`md5()`].
//!
//! All of it is made for files of strangers: a record has a largest length, values a deepest nesting, and what
//! one call does is bounded, so that a file that unpacks to terabytes takes its turns like any other work.
//!
//! ```
//! use keyplan_formats::{Frame, Framing, Packing, Position, RecordReader, ion, pack, unpacked};
//!
//! let packed = pack(b"$ion_1_0 {Item:{id:\"a\",n:6d2}}\n")?;
//! let bytes = unpacked(Packing::Gzip, Box::new(std::io::Cursor::new(packed)));
//! let mut records = RecordReader::new(bytes, Framing::Lines, Position::default());
//! let Some(Frame::Record(record)) = records.next_frame()? else { panic!("there is one") };
//! let value = ion::read(record)?;
//! assert_eq!(value.to_json()?, r#"{"M":{"Item":{"M":{"id":{"S":"a"},"n":{"N":"600"}}}}}"#);
//! assert!(records.next_frame()?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it is not
//!
//! It knows no buckets and no tables: where bytes come from is a `Read`, and what becomes of an item is the
//! engine's. It reads no binary Ion, and of Ion text what can be an item.
#![forbid(unsafe_code)]

pub mod csv;
pub mod ion;
pub mod limits;
mod packing;
mod records;

pub use packing::{Packing, md5, pack, unpacked};
pub use records::{Frame, Framing, Position, RecordReader};
