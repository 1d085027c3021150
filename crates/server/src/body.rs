//! Request bodies: read within limits of size and time, inflated where they came compressed.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::coding::Coding;
use crate::limits::{
    BODY_BYTES_MAX, BODY_TIME_MAX, DISCARD_TIME_MAX, LARGE_BODIES_MAX, LARGE_BODY_BYTES_MIN,
    LONG_REQUEST_BYTES_MIN,
};
use crate::verifying::{self, BodyDigest};

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
    /// What the bytes came to as they were sent, if that was asked.
    digest: Option<BodyDigest>,
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

    /// Reads a request's body, and inflates it by its `Content-Encoding`. `digested` asks for its digest, which a
    /// signature covers.
    pub(crate) async fn receive(
        &self,
        incoming: &mut Incoming,
        encoding: Option<&str>,
        digested: bool,
    ) -> Result<Received, BodyError> {
        let Ok(read) = tokio::time::timeout(BODY_TIME_MAX, self.read(incoming)).await else {
            return Err(BodyError::TooSlow);
        };
        let (bytes, place) = read?;
        let digest = if digested { Some(digest(&bytes).await?) } else { None };
        let Some(coding) = coding(encoding)? else { return Ok(Received { bytes, digest, place }) };
        // A small body may become a large one, and take its time about it.
        let place = match place {
            Some(place) => Some(place),
            None => self.large_place().await,
        };
        let inflated = tokio::task::spawn_blocking(move || inflate(coding, &bytes)).await;
        Ok(Received { bytes: inflated.map_err(|_| BodyError::Broken)??, digest, place })
    }

    /// Reads a body as it was sent.
    async fn read(
        &self,
        incoming: &mut Incoming,
    ) -> Result<(Bytes, Option<OwnedSemaphorePermit>), BodyError> {
        let announced = incoming.size_hint();
        if announced.lower() > BODY_BYTES_MAX as u64 {
            return Err(BodyError::TooLarge);
        }
        let (mut bytes, mut place) = (Vec::new(), None);
        while let Some(frame) = incoming.frame().await {
            // What is no data is a trailer, and says nothing here.
            let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
            if bytes.is_empty() && announced.exact() == Some(data.len() as u64) {
                return Ok((data, place));
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
        Ok((bytes.into(), place))
    }

    async fn large_place(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed, so there is always a place in the end.
        Arc::clone(&self.large).acquire_owned().await.ok()
    }
}

impl Received {
    /// The bytes, their digest, and what keeps their place.
    pub(crate) fn into_parts(self) -> (Bytes, Option<BodyDigest>, Option<OwnedSemaphorePermit>) {
        (self.bytes, self.digest, self.place)
    }
}

/// The digest of a body; that of a long one is made beside the thread that serves connections.
async fn digest(bytes: &Bytes) -> Result<BodyDigest, BodyError> {
    if bytes.len() < LONG_REQUEST_BYTES_MIN {
        return Ok(verifying::digest(bytes));
    }
    let bytes = bytes.clone();
    tokio::task::spawn_blocking(move || verifying::digest(&bytes)).await.map_err(|_| BodyError::Broken)
}

/// Takes in what is left of a body and drops it. A client that is still sending would otherwise meet
/// a closed connection, and never read the answer.
pub(crate) async fn discard(incoming: &mut Incoming) {
    let rest = async { while let Some(Ok(_)) = incoming.frame().await {} };
    // One that goes on for longer is left to its broken connection.
    let _ = tokio::time::timeout(DISCARD_TIME_MAX, rest).await;
}

/// The coding that a `Content-Encoding` names.
fn coding(encoding: Option<&str>) -> Result<Option<Coding>, BodyError> {
    match encoding.map(str::trim) {
        None | Some("") => Ok(None),
        Some(name) if name.eq_ignore_ascii_case("identity") => Ok(None),
        Some(name) => Coding::named(name).map(Some).ok_or(BodyError::Encoding),
    }
}

fn inflate(coding: Coding, bytes: &[u8]) -> Result<Bytes, BodyError> {
    let inflated = coding.inflate(bytes, BODY_BYTES_MAX).map_err(|_| BodyError::Encoding)?;
    if inflated.len() > BODY_BYTES_MAX { Err(BodyError::TooLarge) } else { Ok(inflated.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inflated(bytes: Bytes, encoding: Option<&str>) -> Result<Bytes, BodyError> {
        match coding(encoding)? {
            Some(coding) => inflate(coding, &bytes),
            None => Ok(bytes),
        }
    }

    fn gzip(bytes: &[u8]) -> Bytes {
        Coding::Gzip.compress(bytes).expect("compressed")
    }

    #[test]
    fn a_gzip_body_is_inflated_members_joined() {
        let mut sent = gzip(b"{\"a\":").to_vec();
        sent.extend(gzip(b"1}"));
        assert_eq!(inflated(Bytes::from(sent), Some("GZIP")), Ok(Bytes::from_static(b"{\"a\":1}")));
    }

    #[test]
    fn broken_and_unknown_encodings_are_errors() {
        let whole = gzip(b"some text");
        let half = whole.slice(..whole.len() / 2);
        assert_eq!(inflated(half, Some("gzip")), Err(BodyError::Encoding));
        assert_eq!(inflated(whole, Some("br")), Err(BodyError::Encoding));
    }

    #[test]
    fn the_limit_holds_for_the_inflated_body() {
        let bomb = gzip(&vec![b' '; BODY_BYTES_MAX + 1]);
        assert!(bomb.len() < BODY_BYTES_MAX / 100);
        assert_eq!(inflated(bomb, Some("gzip")), Err(BodyError::TooLarge));
    }
}
