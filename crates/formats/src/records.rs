//! Where records end.

use std::io::{self, Read};

use crate::csv;
use crate::limits::{CHUNK_BYTES, PASSED_OVER_BYTES_MAX, RECORD_BYTES_MAX};

/// How records are parted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One a line.
    Lines,
    /// JSON objects, one a line or one after the other on a line.
    Objects,
    /// CSV: a line, but a line's end in quotation marks is part of a field.
    Csv {
        /// What parts fields.
        delimiter: u8,
    },
}

/// A place in an unpacked file at which reading can go on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it.
    pub offset: u64,
    /// Whether it lies within a record that is too long, whose rest is passed over.
    pub is_within_long_record: bool,
}

/// What is found next in a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame<'r> {
    /// A record, without the end of its line.
    Record(&'r [u8]),
    /// A record that is longer than any may be; its rest is passed over from then on.
    TooLong,
    /// So many bytes were passed over; more may have to be.
    PassedOver(usize),
}

/// Reads a file record by record. What one call does is bounded.
pub struct RecordReader {
    source: Box<dyn Read + Send>,
    framing: Framing,
    buffer: Vec<u8>,
    /// Where the next record starts in the buffer.
    start: usize,
    position: Position,
    /// Bytes to be passed over before the position is reached.
    ahead: u64,
    has_ended: bool,
}

impl RecordReader {
    /// A reader of a file's unpacked bytes from their start, whose first record is that at `position`.
    pub fn new(source: Box<dyn Read + Send>, framing: Framing, position: Position) -> RecordReader {
        RecordReader {
            source,
            framing,
            buffer: Vec::new(),
            start: 0,
            position,
            ahead: position.offset,
            has_ended: false,
        }
    }

    /// The same where the bytes are given from `position` on.
    pub fn resumed(source: Box<dyn Read + Send>, framing: Framing, position: Position) -> RecordReader {
        RecordReader { ahead: 0, ..RecordReader::new(source, framing, position) }
    }

    /// Where the next record starts.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The next record, or what is there in its place; nothing at the end.
    ///
    /// # Errors
    /// When the source fails, or is not packed as it should be.
    pub fn next_frame(&mut self) -> io::Result<Option<Frame<'_>>> {
        if self.ahead > 0 {
            return self.pass_over();
        }
        if self.position.is_within_long_record {
            return self.pass_over_record();
        }
        let mut end = RecordEnd::new(self.framing);
        let mut looked_at = self.start;
        loop {
            let fresh = self.buffer.get(looked_at..).unwrap_or_default();
            if let Some(length) = end.find(fresh) {
                return Ok(Some(self.taken(looked_at + length)));
            }
            looked_at = self.buffer.len();
            if looked_at - self.start > RECORD_BYTES_MAX {
                self.consume(looked_at);
                self.position.is_within_long_record = true;
                return Ok(Some(Frame::TooLong));
            }
            if !self.fill()? {
                let is_empty = self.start == self.buffer.len();
                return Ok(if is_empty { None } else { Some(self.taken(self.buffer.len())) });
            }
            looked_at -= std::mem::take(&mut self.start);
        }
    }

    /// Reads on; says whether there was more. What was consumed goes from the buffer.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.start);
        if self.has_ended {
            // The caller counts from the buffer's start.
            self.start = 0;
            return Ok(false);
        }
        let held = self.buffer.len();
        self.buffer.resize(held + CHUNK_BYTES, 0);
        let read = loop {
            match self.source.read(self.buffer.get_mut(held..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(held + read.as_ref().copied().unwrap_or(0));
        self.has_ended = read? == 0;
        if self.has_ended {
            self.start = 0;
        }
        Ok(!self.has_ended)
    }

    fn consume(&mut self, to: usize) {
        self.position.offset += (to - self.start) as u64;
        self.start = to;
    }

    /// The record that ends there.
    fn taken(&mut self, to: usize) -> Frame<'_> {
        let from = self.start;
        self.consume(to);
        let record = self.buffer.get(from..to).unwrap_or_default();
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        Frame::Record(record.strip_suffix(b"\r").unwrap_or(record))
    }

    fn pass_over(&mut self) -> io::Result<Option<Frame<'_>>> {
        let mut passed = 0;
        while passed < PASSED_OVER_BYTES_MAX && self.ahead > 0 {
            if self.start == self.buffer.len() {
                if !self.fill()? {
                    return Ok(None);
                }
                self.start = 0;
            }
            let held = (self.buffer.len() - self.start) as u64;
            let step = held.min(self.ahead) as usize;
            self.start += step;
            self.ahead -= step as u64;
            passed += step;
        }
        Ok(Some(Frame::PassedOver(passed)))
    }

    fn pass_over_record(&mut self) -> io::Result<Option<Frame<'_>>> {
        let mut passed = 0;
        while passed < PASSED_OVER_BYTES_MAX {
            if self.start == self.buffer.len() {
                if !self.fill()? {
                    return Ok((passed > 0).then_some(Frame::PassedOver(passed)));
                }
                self.start = 0;
            }
            let held = self.buffer.get(self.start..).unwrap_or_default();
            let newline = held.iter().position(|byte| *byte == b'\n');
            let step = newline.map_or(held.len(), |at| at + 1);
            self.consume(self.start + step);
            passed += step;
            if newline.is_some() {
                self.position.is_within_long_record = false;
                break;
            }
        }
        Ok(Some(Frame::PassedOver(passed)))
    }
}

/// Finds the end of a record, given its bytes bit by bit.
enum RecordEnd {
    Lines,
    Objects { depth: usize, quoted: bool, escaped: bool },
    Csv(csv::Scanner),
}

impl RecordEnd {
    fn new(framing: Framing) -> RecordEnd {
        match framing {
            Framing::Lines => RecordEnd::Lines,
            Framing::Objects => RecordEnd::Objects { depth: 0, quoted: false, escaped: false },
            Framing::Csv { delimiter } => RecordEnd::Csv(csv::Scanner::new(delimiter)),
        }
    }

    /// The length up to the record's end, its line's end included, if it is in these bytes.
    fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let at = match self {
            RecordEnd::Lines => bytes.iter().position(|byte| *byte == b'\n'),
            RecordEnd::Csv(scanner) => bytes.iter().position(|byte| scanner.is_end(*byte)),
            RecordEnd::Objects { depth, quoted, escaped } => bytes.iter().position(|byte| {
                // A line's end always is one: a text in JSON has none.
                match byte {
                    b'\n' => return true,
                    _ if *escaped => *escaped = false,
                    b'\\' if *quoted => *escaped = true,
                    b'"' => *quoted = !*quoted,
                    _ if *quoted => {}
                    b'{' => *depth += 1,
                    b'}' if *depth == 1 => return true,
                    b'}' => *depth = depth.saturating_sub(1),
                    _ => {}
                }
                false
            }),
        };
        at.map(|at| at + 1)
    }
}
