//! What a request is signed with: the `Authorization` header or the `X-Amz-…` query parameters.
//!
//! The endpoint checks that a signature is complete, as the service does before anything else, and
//! reads the region from it. It verifies it only where it has key pairs to do it by; without them any access key
//! and secret will do.

use std::sync::Arc;

use hyper::header::{AUTHORIZATION, DATE, HeaderValue};
use hyper::http::request::Parts;
use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::{Authentication, AuthenticationError, SignatureFault};

/// The parts of a request that say who signed it, as they were sent.
#[derive(Debug, Clone, Default)]
pub struct Signature {
    authorization: Option<HeaderValue>,
    query: Option<String>,
    /// Whether an `X-Amz-Date` or `Date` header is there.
    dated: bool,
    /// What verifying it found, where that was done.
    fault: Option<Arc<SignatureFault>>,
}

impl Signature {
    pub(crate) fn of(head: &Parts) -> Signature {
        Signature {
            authorization: head.headers.get(AUTHORIZATION).cloned(),
            query: head.uri.query().map(str::to_owned),
            dated: head.headers.contains_key("x-amz-date") || head.headers.contains_key(DATE),
            fault: None,
        }
    }

    /// Notes that it does not stand.
    pub(crate) fn refuse(&mut self, fault: SignatureFault) {
        self.fault = Some(Arc::new(fault));
    }

    /// What the engine is told of it.
    pub fn authentication(&self) -> Authentication<'_> {
        let query = QueryParameters::of(self.query.as_deref());
        let in_query = query.get("X-Amz-Algorithm").is_some();
        let authorization = self.authorization.as_ref().and_then(|value| value.to_str().ok());
        let read = match authorization {
            Some(_) if in_query => Err(AuthenticationError::HeaderAndQuery),
            Some(header) if header.starts_with("AWS4-") => read_header(header, self.dated),
            None if in_query => read_query(&query),
            _ => Err(AuthenticationError::MissingToken),
        };
        match (read, &self.fault) {
            (Err(error), _) => Authentication::Refused(error),
            (Ok(_), Some(fault)) => Authentication::Refused(AuthenticationError::Unverified(fault)),
            (Ok(credential), None) => signed(credential),
        }
    }
}

/// What a header says, each part where it is there.
pub(crate) struct HeaderParts<'a> {
    pub(crate) credential: Option<&'a str>,
    pub(crate) signature: Option<&'a str>,
    pub(crate) signed_headers: Option<&'a str>,
}

impl<'a> HeaderParts<'a> {
    pub(crate) fn of(header: &'a str) -> HeaderParts<'a> {
        let parameters = header.split_once(' ').map_or("", |(_, rest)| rest);
        let mut parts = HeaderParts { credential: None, signature: None, signed_headers: None };
        // Byte by byte: this runs for every request, and searching is dearer than so short a text.
        for part in parameters.as_bytes().split(|byte| matches!(byte, b',' | b' ')) {
            let Some(at) = part.iter().position(|byte| *byte == b'=') else { continue };
            let (key, value) = (part.get(..at).unwrap_or_default(), part.get(at + 1..).unwrap_or_default());
            let found = match key {
                b"Credential" => &mut parts.credential,
                b"Signature" => &mut parts.signature,
                b"SignedHeaders" => &mut parts.signed_headers,
                _ => continue,
            };
            // The first that says something counts.
            if found.is_none() && !value.is_empty() {
                *found = std::str::from_utf8(value).ok();
            }
        }
        parts
    }
}

/// The credential of a complete header.
fn read_header(header: &str, dated: bool) -> Result<&str, AuthenticationError<'_>> {
    let HeaderParts { credential, signature, signed_headers } = HeaderParts::of(header);
    match (credential, signature, signed_headers) {
        (Some(credential), Some(_), Some(_)) if dated => Ok(credential),
        (credential, signature, signed_headers) => Err(AuthenticationError::IncompleteHeader {
            authorization: header,
            credential: credential.is_none(),
            signature: signature.is_none(),
            signed_headers: signed_headers.is_none(),
            date: !dated,
        }),
    }
}

/// The credential of complete query parameters, its slashes perhaps written as `%2F`.
fn read_query<'a>(query: &QueryParameters<'a>) -> Result<&'a str, AuthenticationError<'a>> {
    let lacks = |name: &str| query.get(name).is_none_or(str::is_empty);
    let algorithm = lacks("X-Amz-Algorithm");
    let signature = lacks("X-Amz-Signature");
    let signed_headers = lacks("X-Amz-SignedHeaders");
    let date = lacks("X-Amz-Date");
    match query.get("X-Amz-Credential").filter(|credential| !credential.is_empty()) {
        Some(credential) if !(algorithm || signature || signed_headers || date) => Ok(credential),
        credential => {
            let credential = credential.is_none();
            Err(AuthenticationError::IncompleteQuery {
                algorithm,
                credential,
                signature,
                signed_headers,
                date,
            })
        }
    }
}

/// Takes a credential apart: `KEY/20261130/us-east-1/dynamodb/aws4_request`.
fn signed(credential: &str) -> Authentication<'_> {
    let (access_key, rest) = next_part(credential);
    let (_date, rest) = next_part(rest);
    // The region is part of ARNs, so one that could not be a region is not taken over.
    let region = Some(next_part(rest).0).filter(|region| is_region(region)).unwrap_or(DEFAULT_REGION);
    Authentication::Signed { region, access_key }
}

/// A part of a credential and what stands behind its slash.
fn next_part(credential: &str) -> (&str, &str) {
    let bytes = credential.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let slash = match byte {
            b'/' => 1,
            b'%' if bytes.get(at + 1..at + 3).is_some_and(|code| code.eq_ignore_ascii_case(b"2f")) => 3,
            _ => continue,
        };
        let part = (credential.get(..at), credential.get(at + slash..));
        return (part.0.unwrap_or_default(), part.1.unwrap_or_default());
    }
    (credential, "")
}

/// Whether a text could be the name of a region.
pub(crate) fn is_region(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// The parameters of a query, as they were sent.
pub(crate) struct QueryParameters<'a>(&'a str);

impl<'a> QueryParameters<'a> {
    pub(crate) fn of(query: Option<&'a str>) -> QueryParameters<'a> {
        QueryParameters(query.unwrap_or_default())
    }

    /// The first of a name, still encoded.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.0
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: &str = "AWS4-HMAC-SHA256 Credential=AKID/20261130/eu-west-2/dynamodb/aws4_request, \
                            SignedHeaders=host;x-amz-date, Signature=abc";

    fn signature(authorization: Option<&str>, query: Option<&str>, dated: bool) -> Signature {
        let authorization = authorization.map(|text| HeaderValue::from_str(text).expect("a header's value"));
        Signature { authorization, query: query.map(str::to_owned), dated, fault: None }
    }

    /// Region and access key, or why there are none.
    fn read(signature: &Signature) -> Result<(&str, &str), AuthenticationError<'_>> {
        match signature.authentication() {
            Authentication::Signed { region, access_key } => Ok((region, access_key)),
            Authentication::Refused(error) => Err(error),
            Authentication::NotRequired { .. } => panic!("the wire always has authentication"),
        }
    }

    #[test]
    fn a_complete_header_gives_key_and_region() {
        assert_eq!(read(&signature(Some(COMPLETE), None, true)), Ok(("eu-west-2", "AKID")));
    }

    #[test]
    fn spaces_part_as_commas_do() {
        let (spaced, tight) = (COMPLETE.replace(',', ""), COMPLETE.replace(", ", ","));
        for header in [spaced, tight] {
            assert_eq!(read(&signature(Some(&header), None, true)), Ok(("eu-west-2", "AKID")), "{header}");
        }
    }

    #[test]
    fn no_header_or_another_scheme_is_missing() {
        for header in [None, Some("Basic abc")] {
            let sent = signature(header, None, true);
            assert_eq!(read(&sent), Err(AuthenticationError::MissingToken));
        }
    }

    #[test]
    fn an_incomplete_header_names_each_missing_piece() {
        let header = "AWS4-HMAC-SHA256 Credential=a";
        let incomplete = AuthenticationError::IncompleteHeader {
            authorization: header,
            credential: false,
            signature: true,
            signed_headers: true,
            date: true,
        };
        assert_eq!(read(&signature(Some(header), None, false)), Err(incomplete));
        let undated = signature(Some(COMPLETE), None, false);
        assert!(matches!(read(&undated), Err(AuthenticationError::IncompleteHeader { date: true, .. })));
    }

    #[test]
    fn query_parameters_sign_as_well_but_not_beside_a_header() {
        let query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k%2F20261130%2fus-west-1%2Fdynamodb%2F\
                     aws4_request&X-Amz-Signature=s&X-Amz-SignedHeaders=host&X-Amz-Date=20261130T000000Z";
        assert_eq!(read(&signature(None, Some(query), false)), Ok(("us-west-1", "k")));
        let both = signature(Some(COMPLETE), Some(query), true);
        assert_eq!(read(&both), Err(AuthenticationError::HeaderAndQuery));
        let incomplete = AuthenticationError::IncompleteQuery {
            algorithm: false,
            credential: true,
            signature: true,
            signed_headers: true,
            date: true,
        };
        assert_eq!(read(&signature(None, Some("X-Amz-Algorithm=x"), true)), Err(incomplete));
    }

    #[test]
    fn a_scope_without_a_plausible_region_falls_back() {
        let header = COMPLETE.replace("eu-west-2", "Eu_<b>");
        assert_eq!(read(&signature(Some(&header), None, true)), Ok((DEFAULT_REGION, "AKID")));
    }
}
