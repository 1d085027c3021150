//! One request as an adaptor hands it in, and the reply it gets back.

use crate::error::SignatureFault;
use crate::trace::Trace;

/// A moment: milliseconds since the start of 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The moment as epoch seconds with millisecond fraction, the form of the control plane's dates.
    pub fn seconds(self) -> f64 {
        // Exact up to the year 287396: a f64 holds every integer below 2^53.
        self.0 as f64 / 1000.0
    }

    /// The moment as `2026-11-30T21:05:00.123`.
    pub fn iso_text(self) -> String {
        crate::calendar::iso_text(self)
    }
}

/// One request, with the time and the chance it may use.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The `X-Amz-Target` header as sent, such as `DynamoDB_20120810.PutItem`.
    pub target: Option<&'a str>,
    /// What the adaptor found out about the request's signature.
    pub authentication: Authentication<'a>,
    /// The body, decoded of any content encoding.
    pub body: &'a [u8],
    /// The time of the request.
    pub now: Timestamp,
    /// Chance for this request: identifiers are made from it.
    pub random: u128,
    /// Whether the reply shall carry a trace.
    pub trace: bool,
}

impl<'a> Call<'a> {
    /// The region the request speaks to; it stands in every ARN of the answer.
    pub fn region(&self) -> &'a str {
        match self.authentication {
            Authentication::NotRequired { region } | Authentication::Signed { region, .. } => region,
            Authentication::Refused(_) => crate::arn::DEFAULT_REGION,
        }
    }
}

/// Who asks. The engine checks no signature; it only answers a refusal at the place in the order of
/// checks where the service would.
#[derive(Debug, Clone, Copy)]
pub enum Authentication<'a> {
    /// The adaptor has no authentication (the tab's worker, the library).
    NotRequired {
        /// The region to speak for.
        region: &'a str,
    },
    /// A signature of the right form was there.
    Signed {
        /// The region of the credential scope.
        region: &'a str,
        /// The access key id.
        access_key: &'a str,
    },
    /// The request is refused for its signature.
    Refused(AuthenticationError<'a>),
}

/// Why a request's signature is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthenticationError<'a> {
    /// Both an `Authorization` header and an `X-Amz-Algorithm` query parameter.
    HeaderAndQuery,
    /// Neither, or an `Authorization` header of another scheme.
    MissingToken,
    /// The header lacks parts.
    IncompleteHeader {
        /// The header as sent.
        authorization: &'a str,
        /// `Credential=` is missing.
        credential: bool,
        /// `Signature=` is missing.
        signature: bool,
        /// `SignedHeaders=` is missing.
        signed_headers: bool,
        /// Neither an `X-Amz-Date` nor a `Date` header is there.
        date: bool,
    },
    /// The query parameters lack parts.
    IncompleteQuery {
        /// `X-Amz-Algorithm` is missing.
        algorithm: bool,
        /// `X-Amz-Credential` is missing.
        credential: bool,
        /// `X-Amz-Signature` is missing.
        signature: bool,
        /// `X-Amz-SignedHeaders` is missing.
        signed_headers: bool,
        /// `X-Amz-Date` is missing.
        date: bool,
    },
    /// The adaptor verifies signatures, and this one does not stand.
    Unverified(&'a SignatureFault),
}

/// The answer to a [`Call`]; an error of the service is a reply like any other.
#[derive(Debug)]
pub struct Reply {
    /// HTTP status: 200, 400 or 500.
    pub status: u16,
    /// The body, JSON.
    pub body: Vec<u8>,
    /// What the request did and cost, if the call asked for it; on errors as well.
    pub trace: Option<Trace>,
    /// Why the answer is a fault of the engine's own (status 500); for the adaptor to report, never for
    /// the client.
    pub fault: Option<String>,
    /// The adaptor holds the reply back until this moment.
    pub not_before: Option<Timestamp>,
}
