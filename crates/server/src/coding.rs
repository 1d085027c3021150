//! How bodies are compressed: what a request names, and what a client accepts of an answer.

use std::io::{Read, Write};

use bytes::Bytes;
use hyper::header::{ACCEPT_ENCODING, HeaderMap};

/// A compression that the service knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    /// In zlib's format, as HTTP has it.
    Deflate,
}

impl Coding {
    /// Its name in headers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
        }
    }

    /// The coding of a name, in any case.
    pub(crate) fn named(name: &str) -> Option<Coding> {
        [Coding::Gzip, Coding::Deflate].into_iter().find(|coding| name.eq_ignore_ascii_case(coding.name()))
    }

    /// The coding that a client likes best, if it accepts one. The service looks at the first
    /// Accept-Encoding header only, never prefers an uncompressed answer to one it may compress, and
    /// reads what is no number as 1.
    pub(crate) fn accepted(headers: &HeaderMap) -> Option<Coding> {
        let accepted = headers.get(ACCEPT_ENCODING)?.to_str().ok()?;
        let mut named: Vec<(Coding, f32)> = Vec::new();
        let mut others: f32 = 0.0;
        for element in accepted.split(',') {
            let (name, parameters) = element.split_once(';').unwrap_or((element, ""));
            let quality = quality(parameters);
            match (name.trim(), Coding::named(name.trim())) {
                ("*", _) => others = others.max(quality),
                (_, Some(coding)) => named.push((coding, quality)),
                _ => {}
            }
        }
        for coding in [Coding::Gzip, Coding::Deflate] {
            if !named.iter().any(|(other, _)| *other == coding) {
                named.push((coding, others));
            }
        }
        let mut best = None;
        for (coding, quality) in named {
            if quality > best.map_or(0.0, |(_, most)| most) {
                best = Some((coding, quality));
            }
        }
        best.map(|(coding, _)| coding)
    }

    /// Inflates a body, up to one byte more than `most`. Concatenated gzip members are read as one body.
    ///
    /// # Errors
    /// When it isn't compressed so, or not to its end.
    pub(crate) fn inflate(self, bytes: &[u8], most: usize) -> std::io::Result<Vec<u8>> {
        let mut inflated = Vec::new();
        let most = most as u64 + 1;
        match self {
            Coding::Gzip => flate2::read::MultiGzDecoder::new(bytes).take(most).read_to_end(&mut inflated)?,
            Coding::Deflate => flate2::read::ZlibDecoder::new(bytes).take(most).read_to_end(&mut inflated)?,
        };
        Ok(inflated)
    }

    /// Compresses a body.
    ///
    /// # Errors
    /// None that writing to memory has.
    pub(crate) fn compress(self, body: &[u8]) -> std::io::Result<Bytes> {
        let level = flate2::Compression::fast();
        let compressed = match self {
            Coding::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(body)?;
                encoder.finish()?
            }
            Coding::Deflate => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(body)?;
                encoder.finish()?
            }
        };
        Ok(Bytes::from(compressed))
    }
}

/// The first `q=` among an element's parameters, from 0 to 1; 1 without one, or where it is no number.
fn quality(parameters: &str) -> f32 {
    let Some((_, quality)) = parameters.split_once("q=") else { return 1.0 };
    let quality = quality.split(';').next().unwrap_or("").trim();
    quality.parse::<f32>().map_or(1.0, |quality| quality.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn accepted(headers: &[&'static str]) -> Option<Coding> {
        let mut sent = HeaderMap::new();
        for header in headers {
            sent.append(ACCEPT_ENCODING, HeaderValue::from_static(header));
        }
        Coding::accepted(&sent)
    }

    #[test]
    fn the_best_accepted_coding_is_taken() {
        use Coding::{Deflate, Gzip};
        for (sent, expected) in [
            ("", None),
            ("identity", None),
            ("br, zstd, x-gzip", None),
            ("gzip", Some(Gzip)),
            ("Deflate", Some(Deflate)),
            ("gzip, deflate", Some(Gzip)),
            ("br, identity, deflate, gzip", Some(Deflate)),
            ("unknown, gzip ,, other", Some(Gzip)),
            ("gzip;q=0.4, deflate;q=0.6", Some(Deflate)),
            ("deflate;q=0.4, gzip;q=0.0001", Some(Deflate)),
            ("gzip ;q=0", None),
            ("gzip;q=0, gzip, gzip;q=0", Some(Gzip)),
            ("gzip;q=0.4, identity;q=0.9", Some(Gzip)),
        ] {
            assert_eq!(accepted(&[sent]), expected, "Accept-Encoding: {sent}");
        }
    }

    #[test]
    fn a_star_stands_for_the_codings_that_are_not_named() {
        use Coding::{Deflate, Gzip};
        for (sent, expected) in [
            ("*", Some(Gzip)),
            ("*, deflate", Some(Deflate)),
            ("*, deflate;q=0.4", Some(Gzip)),
            ("*, gzip;q=0.4", Some(Deflate)),
            ("*;q=0.4, identity", Some(Gzip)),
            ("*;q=0", None),
        ] {
            assert_eq!(accepted(&[sent]), expected, "Accept-Encoding: {sent}");
        }
    }

    #[test]
    fn odd_qualities_are_read_as_the_service_reads_them() {
        use Coding::{Deflate, Gzip};
        for (sent, expected) in [
            ("\"gzip\"", None),
            ("gzip other", None),
            ("gzip:q=1", None),
            ("deflate;q=0.4, gzip;q=20", Some(Gzip)),
            ("gzip;q=20, deflate;q=30", Some(Gzip)),
            ("deflate;q=0.4, gzip;q=1;q=0.1", Some(Gzip)),
            ("deflate;q=0.4, gzip;q=0.", Some(Deflate)),
            ("deflate;q=0.4, gzip;q=0.y", Some(Gzip)),
            ("deflate;q=-1, gzip;q=0.1", Some(Gzip)),
            ("gzip;q= 0;q=1", None),
            ("gzip;q =0;q=1", Some(Gzip)),
            ("gzip;mq=0;q=1", None),
        ] {
            assert_eq!(accepted(&[sent]), expected, "Accept-Encoding: {sent}");
        }
    }

    #[test]
    fn only_the_first_header_counts() {
        assert_eq!(accepted(&["identity", "gzip"]), None);
        assert_eq!(accepted(&["gzip", "identity"]), Some(Coding::Gzip));
        assert_eq!(accepted(&[]), None);
    }

    #[test]
    fn what_is_compressed_inflates_to_itself() {
        for coding in [Coding::Gzip, Coding::Deflate] {
            let compressed = coding.compress(b"some text, some text").expect("compressed");
            assert_eq!(coding.inflate(&compressed, 100).expect("inflated"), b"some text, some text");
        }
    }
}
