//! Signatures that are refused: how the request says who signed it, and what verifying it found.

use std::fmt::Write;

use crate::calendar;
use crate::call::{AuthenticationError, Timestamp};
use crate::error::ServiceError;
use crate::limits::CLOCK_SKEW_MILLISECONDS_MAX;

const INCOMPLETE: &str = "IncompleteSignatureException";
const INVALID: &str = "InvalidSignatureException";

/// Why a signature is refused, with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedSignature {
    pub(super) kind: &'static str,
    pub(super) message: String,
}

/// Why a signature that is complete does not stand, in the order in which the service looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureFault {
    /// The date of signing is not of the form `20261130T120000Z`.
    Date {
        /// The date as sent.
        sent: String,
    },
    /// Signed longer ago than clocks may be apart.
    Expired {
        /// The date of signing as sent.
        signed: String,
        /// When the request arrived.
        now: Timestamp,
    },
    /// Signed further ahead than clocks may be apart.
    NotYetCurrent {
        /// The date of signing as sent.
        signed: String,
        /// When the request arrived.
        now: Timestamp,
    },
    /// A header that decides what the request does is not among those that were signed.
    HeaderNotSigned {
        /// How the service names it, in its quotes.
        header: &'static str,
    },
    /// Signed by another scheme than AWS4-HMAC-SHA256.
    Algorithm {
        /// The scheme as sent.
        sent: String,
    },
    /// The credential does not have its five parts.
    CredentialParts {
        /// The credential as sent.
        credential: String,
    },
    /// The credential is for something else.
    Scope(ScopeFault),
    /// No such access key, or not with this session token.
    Unknown,
    /// The signature is not the one that this request has by its key.
    Mismatch {
        /// The canonical request that it should have been made of.
        canonical_request: String,
        /// The string to sign that it should have been made of.
        string_to_sign: String,
    },
}

/// What is wrong in the scope of a credential; each part where it is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeFault {
    /// What is no region.
    pub region: Option<String>,
    /// Whether another service is named.
    pub service: bool,
    /// What stands in the place of `aws4_request`.
    pub terminator: Option<String>,
    /// The day of the scope and the date of signing, whose days are not the same.
    pub date: Option<(String, String)>,
}

impl From<AuthenticationError<'_>> for ServiceError {
    fn from(error: AuthenticationError<'_>) -> ServiceError {
        ServiceError::Authentication(RefusedSignature::new(error))
    }
}

impl SignatureFault {
    /// The kind of error and its text.
    fn render(&self) -> (&'static str, String) {
        let apart = CLOCK_SKEW_MILLISECONDS_MAX;
        let minutes = apart / 60_000;
        let text = |moment: u64| calendar::basic_text(Timestamp(moment));
        match self {
            SignatureFault::Date { sent } => (
                INCOMPLETE,
                format!(
                    "Date must be in ISO-8601 'basic format'. Got '{sent}'. See http://en.wikipedia.org/wiki/ISO_8601"
                ),
            ),
            SignatureFault::Expired { signed, now } => {
                let (bound, now) = (text(now.0.saturating_sub(apart)), text(now.0));
                (
                    INVALID,
                    format!(
                        "Signature expired: {signed} is now earlier than {bound} ({now} - {minutes} min.)"
                    ),
                )
            }
            SignatureFault::NotYetCurrent { signed, now } => {
                let (bound, now) = (text(now.0 + apart), text(now.0));
                (
                    INVALID,
                    format!(
                        "Signature not yet current: {signed} is still later than {bound} ({now} + {minutes} min.)"
                    ),
                )
            }
            SignatureFault::HeaderNotSigned { header } => {
                (INVALID, format!("{header} must be a 'SignedHeader' in the AWS Authorization."))
            }
            SignatureFault::Algorithm { sent } => (
                INCOMPLETE,
                format!("Unsupported AWS 'algorithm': '{sent}' (only AWS4-HMAC-SHA256 for now). "),
            ),
            SignatureFault::CredentialParts { credential } => (
                INCOMPLETE,
                format!(
                    "Credential must have exactly 5 slash-delimited elements, e.g. \
                     keyid/date/region/service/term, got '{credential}'"
                ),
            ),
            SignatureFault::Scope(fault) => (INVALID, fault.text()),
            SignatureFault::Unknown => (
                "UnrecognizedClientException",
                "The security token included in the request is invalid.".to_owned(),
            ),
            SignatureFault::Mismatch { canonical_request, string_to_sign } => (
                INVALID,
                format!(
                    "The request signature we calculated does not match the signature you provided. Check your AWS \
                     Secret Access Key and signing method. Consult the service documentation for details.\n\nThe \
                     Canonical String for this request should have been\n'{canonical_request}'\n\nThe \
                     String-to-Sign should have been\n'{string_to_sign}'\n"
                ),
            ),
        }
    }
}

impl ScopeFault {
    /// A sentence for each part, as the service joins them.
    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(region) = &self.region {
            // Writing to text does not fail.
            let _ = write!(text, "Credential should be scoped to a valid region, not '{region}'. ");
        }
        if self.service {
            text.push_str("Credential should be scoped to correct service: 'dynamodb'. ");
        }
        if let Some(terminator) = &self.terminator {
            let _ = write!(
                text,
                "Credential should be scoped with a valid terminator: 'aws4_request', not '{terminator}'. "
            );
        }
        if let Some((scope, signed)) = &self.date {
            let day = signed.get(..8).unwrap_or(signed);
            let _ = write!(
                text,
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '{scope}' \
                 != '{day}', from '{signed}'."
            );
        }
        text
    }
}

impl RefusedSignature {
    pub(super) fn new(error: AuthenticationError<'_>) -> RefusedSignature {
        let (kind, message) = match error {
            AuthenticationError::HeaderAndQuery => (
                INVALID,
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
                    .to_owned(),
            ),
            AuthenticationError::MissingToken => {
                ("MissingAuthenticationTokenException", "Request is missing Authentication Token".to_owned())
            }
            AuthenticationError::IncompleteHeader {
                authorization,
                credential,
                signature,
                signed_headers,
                date,
            } => {
                let mut text = String::new();
                for (missing, name) in
                    [(credential, "Credential"), (signature, "Signature"), (signed_headers, "SignedHeaders")]
                {
                    if missing {
                        text += &format!("Authorization header requires '{name}' parameter. ");
                    }
                }
                if date {
                    text += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
                }
                (INCOMPLETE, format!("{text}Authorization={authorization}"))
            }
            AuthenticationError::IncompleteQuery {
                algorithm,
                credential,
                signature,
                signed_headers,
                date,
            } => {
                let mut text = String::new();
                for (missing, name) in [
                    (algorithm, "Algorithm"),
                    (credential, "Credential"),
                    (signature, "Signature"),
                    (signed_headers, "SignedHeaders"),
                    (date, "Date"),
                ] {
                    if missing {
                        text += &format!("AWS query-string parameters must include 'X-Amz-{name}'. ");
                    }
                }
                (INCOMPLETE, format!("{text}Re-examine the query-string parameters."))
            }
            AuthenticationError::Unverified(fault) => fault.render(),
        };
        RefusedSignature { kind, message }
    }
}
