//! What cases are sent to.

use std::fmt;

/// An endpoint, or something that answers like one.
pub trait Target {
    /// Sends one request; `target` is the `X-Amz-Target` header.
    ///
    /// # Errors
    /// When there is no answer. An error of the service is an answer.
    fn send(&mut self, target: &str, body: &[u8]) -> Result<Answer, TargetError>;

    /// Puts an object into a bucket that the target exports to and imports from; says whether it has any.
    ///
    /// # Errors
    /// When it has buckets, and this one can't be written.
    fn put_object(&mut self, bucket: &str, key: &str, bytes: &[u8]) -> Result<bool, TargetError> {
        let _ = (bucket, key, bytes);
        Ok(false)
    }

    /// Lets a moment go by before a request is sent again, where time goes by itself.
    fn pause(&mut self) {}
}

/// An answer as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The headers that every answer must have; a target without HTTP has none.
    pub head: Option<Head>,
    /// The body.
    pub body: Vec<u8>,
}

/// The headers that every answer of the service has, as they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// `x-amzn-RequestId`.
    pub request_id: Option<String>,
    /// `x-amz-crc32`.
    pub crc32: Option<String>,
    /// `Content-Type`.
    pub content_type: Option<String>,
}

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetError(
    /// What went wrong, for people.
    pub String,
);

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TargetError {}
