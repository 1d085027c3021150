//! Request bodies: read within limits of size and time, inflated where they came compressed.

use std::io::{Read, Write};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{
    BODY_BYTES_MAX, BODY_TIME_MAX, DISCARD_TIME_MAX, LARGE_BODIES_MAX, LARGE_BODY_BYTES_MIN,
};

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

/// A body, with its place among the large ones if it is one. The place is free again when the body
/// is dropped.
pub(crate) struct Received {
    bytes: Bytes,
    place: Option<OwnedSemaphorePermit>,
}

/// Receives bodies; how many large ones are held at once is bounded.
pub(crate) struct Bodies {
    large: Arc<Semaphore>,
}

impl Bodies {
    pub(crate) fn new() -> Bodies {
        Bodies { large: Arc::new(Semaphore::new(LARGE_BODIES_MAX)) }
    }

    /// Reads a request's body, and inflates it by its `Content-Encoding`.
    pub(crate) async fn receive(
        &self,
        incoming: &mut Incoming,
        encoding: Option<&str>,
    ) -> Result<Received, BodyError> {
        let Ok(read) = tokio::time::timeout(BODY_TIME_MAX, self.read(incoming)).await else {
            return Err(BodyError::TooSlow);
        };
        let Received { bytes, place } = read?;
        let Some(coding) = Coding::named(encoding)? else { return Ok(Received { bytes, place }) };
        // A small body may become a large one, and take its time about it.
        let place = match place {
            Some(place) => Some(place),
            None => self.large_place().await,
        };
        let inflated = tokio::task::spawn_blocking(move || coding.inflate(&bytes)).await;
        Ok(Received { bytes: inflated.map_err(|_| BodyError::Broken)??, place })
    }

    /// Reads a body as it was sent.
    async fn read(&self, incoming: &mut Incoming) -> Result<Received, BodyError> {
        let announced = incoming.size_hint();
        if announced.lower() > BODY_BYTES_MAX as u64 {
            return Err(BodyError::TooLarge);
        }
        let (mut bytes, mut place) = (Vec::new(), None);
        while let Some(frame) = incoming.frame().await {
            // What is no data is a trailer, and says nothing here.
            let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
            if bytes.is_empty() && announced.exact() == Some(data.len() as u64) {
                return Ok(Received { bytes: data, place });
            }
            let length = bytes.len() + data.len();
            if length > BODY_BYTES_MAX {
                return Err(BodyError::TooLarge);
            }
            if length > LARGE_BODY_BYTES_MIN && place.is_none() {
                place = self.large_place().await;
                // All at once: buffers of many that grow by turns leave a heap in pieces behind.
                let whole = usize::try_from(announced.lower()).unwrap_or(length);
                bytes.reserve_exact(whole.saturating_sub(bytes.len()));
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Received { bytes: bytes.into(), place })
    }

    async fn large_place(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed, so there is always a place in the end.
        Arc::clone(&self.large).acquire_owned().await.ok()
    }
}

impl Received {
    /// The bytes, and what keeps their place.
    pub(crate) fn into_parts(self) -> (Bytes, Option<OwnedSemaphorePermit>) {
        (self.bytes, self.place)
    }
}

/// Takes in what is left of a body and drops it. A client that is still sending would otherwise meet
/// a closed connection, and never read the answer.
pub(crate) async fn discard(incoming: &mut Incoming) {
    let rest = async { while let Some(Ok(_)) = incoming.frame().await {} };
    // One that goes on for longer is left to its broken connection.
    let _ = tokio::time::timeout(DISCARD_TIME_MAX, rest).await;
}

/// How a body is compressed.
#[derive(Debug, Clone, Copy)]
enum Coding {
    Gzip,
    Deflate,
}

impl Coding {
    fn named(encoding: Option<&str>) -> Result<Option<Coding>, BodyError> {
        match encoding.map(|text| text.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Ok(None),
            Some("gzip") => Ok(Some(Coding::Gzip)),
            Some("deflate") => Ok(Some(Coding::Deflate)),
            Some(_) => Err(BodyError::Encoding),
        }
    }

    /// Concatenated gzip members are read as one body.
    fn inflate(self, bytes: &[u8]) -> Result<Bytes, BodyError> {
        match self {
            Coding::Gzip => read_inflated(flate2::read::MultiGzDecoder::new(bytes)),
            Coding::Deflate => read_inflated(flate2::read::ZlibDecoder::new(bytes)),
        }
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

    fn inflate(bytes: Bytes, encoding: Option<&str>) -> Result<Bytes, BodyError> {
        match Coding::named(encoding)? {
            Some(coding) => coding.inflate(&bytes),
            None => Ok(bytes),
        }
    }

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
