//! The scan, the tape and the writer.
