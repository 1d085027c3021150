//! A disk that fails when it is told to, and that loses power: for tests of what lies in files of SQLite.
//!
//! A [`Disk`] is a folder whose files SQLite reaches through this crate: [`Disk::fail`] has the n-th read, write,
//! sync or other call fail from then on, in the ways that disks do, and [`Disk::mend`] ends that. All other folders
//! are left alone, and so is everything that doesn't go through SQLite.
//!
//! A disk also keeps what was done to it. [`Replay`] does the same again, step by step, and says after each what
//! would be on the disk if the power were lost then: all that was synced, and of the rest as much as one likes.
//!
//! What it is not: for anything but tests. It stands in the place of SQLite's own way to files for the whole
//! process.

mod disk;
mod replay;
mod vfs;

pub use disk::{Call, Disk, Fault};
pub use replay::{Event, Kept, Replay};
