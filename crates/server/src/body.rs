//! Request bodies: read within limits of size and time, inflated where they came compressed.

use std::io::{Read, Write};

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Incoming};

use crate::limits::{BODY_BYTES_MAX, BODY_TIME_MAX};

/// Why there is no body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// Above the service's 16 MB, as sent or inflated.
    TooLarge,
    /// The client took too long.
    TooSlow,
    /// The connection broke within the body.
    Broken,
    /// A compressed body that can't be inflated, or an encoding other than gzip and deflate.
    Encoding,
}

/// Reads a request's body as it was sent.
pub(crate) async fn read(body: Incoming) -> Result<Bytes, BodyError> {
    let announced = body.size_hint();
    if announced.lower() > BODY_BYTES_MAX as u64 {
        return Err(BodyError::TooLarge);
    }
    if announced.exact() == Some(0) {
        return Ok(Bytes::new());
    }
    let collected = tokio::time::timeout(BODY_TIME_MAX, Limited::new(body, BODY_BYTES_MAX).collect()).await;
    match collected {
        Err(_) => Err(BodyError::TooSlow),
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(BodyError::TooLarge),
        Ok(Err(_)) => Err(BodyError::Broken),
    }
}

/// Inflates a body by its `Content-Encoding`. Concatenated gzip members are read as one body.
pub(crate) fn inflate(body: Bytes, encoding: Option<&str>) -> Result<Bytes, BodyError> {
    match encoding.map(|text| text.trim().to_ascii_lowercase()).as_deref() {
        None | Some("" | "identity") => Ok(body),
        Some("gzip") => read_inflated(flate2::read::MultiGzDecoder::new(&*body)),
        Some("deflate") => read_inflated(flate2::read::ZlibDecoder::new(&*body)),
        Some(_) => Err(BodyError::Encoding),
    }
}

fn read_inflated(reader: impl Read) -> Result<Bytes, BodyError> {
    let mut inflated = Vec::new();
    let mut limited = reader.take(BODY_BYTES_MAX as u64 + 1);
    limited.read_to_end(&mut inflated).map_err(|_| BodyError::Encoding)?;
    if inflated.len() > BODY_BYTES_MAX {
        return Err(BodyError::TooLarge);
    }
    Ok(Bytes::from(inflated))
}

/// Compresses an answer's body with gzip.
pub(crate) fn gzip(body: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(body)?;
    encoder.finish().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gzip_body_is_inflated_members_joined() {
        let mut sent = gzip(b"{\"a\":").expect("compressed").to_vec();
        sent.extend(gzip(b"1}").expect("compressed"));
        assert_eq!(inflate(Bytes::from(sent), Some("GZIP")), Ok(Bytes::from_static(b"{\"a\":1}")));
    }

    #[test]
    fn broken_and_unknown_encodings_are_errors() {
        let whole = gzip(b"some text").expect("compressed");
        let half = whole.slice(..whole.len() / 2);
        assert_eq!(inflate(half, Some("gzip")), Err(BodyError::Encoding));
        assert_eq!(inflate(whole, Some("br")), Err(BodyError::Encoding));
    }

    #[test]
    fn the_limit_holds_for_the_inflated_body() {
        let bomb = gzip(&vec![b' '; BODY_BYTES_MAX + 1]).expect("compressed");
        assert!(bomb.len() < BODY_BYTES_MAX / 100);
        assert_eq!(inflate(bomb, Some("gzip")), Err(BodyError::TooLarge));
    }
}
