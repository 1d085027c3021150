//! What a file is packed with.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::StreamingDecoder;

/// What a file is packed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Nothing.
    None,
    /// Gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
}

impl Packing {
    /// The packing of a word of the service.
    pub fn from_word(word: &str) -> Option<Packing> {
        match word {
            "NONE" => Some(Packing::None),
            "GZIP" => Some(Packing::Gzip),
            "ZSTD" => Some(Packing::Zstd),
            _ => None,
        }
    }

    /// The word of the service.
    pub fn word(self) -> &'static str {
        match self {
            Packing::None => "NONE",
            Packing::Gzip => "GZIP",
            Packing::Zstd => "ZSTD",
        }
    }
}

/// The bytes of a file without its packing. They come as they are asked for, never all at once.
pub fn unpacked(packing: Packing, file: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    match packing {
        Packing::None => file,
        Packing::Gzip => Box::new(MultiGzDecoder::new(file)),
        Packing::Zstd => Box::new(Zstd::Between(Peeked { inner: file, ahead: None })),
    }
}

/// Bytes packed with gzip.
///
/// # Errors
/// None that a vector could have.
pub fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes)?;
    packed.finish()
}

/// The MD5 digest of bytes: a check that a file arrived, and no proof of anything.
pub fn md5(bytes: &[u8]) -> [u8; 16] {
    md5::compute(bytes).0
}

/// A reader whose next byte can be looked at.
struct Peeked {
    inner: Box<dyn Read + Send>,
    ahead: Option<u8>,
}

impl Peeked {
    fn is_at_end(&mut self) -> io::Result<bool> {
        if self.ahead.is_none() {
            let mut byte = [0];
            if self.inner.read(&mut byte)? == 1 {
                self.ahead = byte.first().copied();
            }
        }
        Ok(self.ahead.is_none())
    }
}

impl Read for Peeked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.ahead, buffer.first_mut()) {
            (Some(byte), Some(first)) => {
                *first = byte;
                self.ahead = None;
                Ok(1)
            }
            _ => self.inner.read(buffer),
        }
    }
}

/// The frames of a Zstandard file, one after the other.
enum Zstd {
    Between(Peeked),
    Within(Box<StreamingDecoder<Peeked, ruzstd::decoding::FrameDecoder>>),
    /// It failed before.
    Broken,
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is not Zstandard")
}

impl Read for Zstd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(self, Zstd::Broken) {
                Zstd::Between(mut rest) => {
                    if rest.is_at_end()? {
                        *self = Zstd::Between(rest);
                        return Ok(0);
                    }
                    *self = Zstd::Within(Box::new(StreamingDecoder::new(rest).map_err(|_| damaged())?));
                }
                Zstd::Within(mut frame) => match frame.read(buffer)? {
                    0 => *self = Zstd::Between(frame.into_inner()),
                    read => {
                        *self = Zstd::Within(frame);
                        return Ok(read);
                    }
                },
                Zstd::Broken => return Err(damaged()),
            }
        }
    }
}
