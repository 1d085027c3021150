//! What a request is signed with: the `Authorization` header or the `X-Amz-…` query parameters.
//!
//! The endpoint checks that a signature is complete, as the service does before anything else, and
//! reads the region from it. It does not verify the signature: any access key and secret will do.

use hyper::header::{AUTHORIZATION, DATE};
use hyper::http::request::Parts;
use keyplan_engine::arn::DEFAULT_REGION;
use keyplan_engine::{Authentication, AuthenticationError};

/// The parts of a request that say who signed it, as they were sent.
#[derive(Debug, Clone, Default)]
pub struct Signature {
    authorization: Option<String>,
    query: Option<String>,
    /// Whether an `X-Amz-Date` or `Date` header is there.
    dated: bool,
}

impl Signature {
    pub(crate) fn of(head: &Parts) -> Signature {
        let authorization = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        Signature {
            authorization: authorization.map(str::to_owned),
            query: head.uri.query().map(str::to_owned),
            dated: head.headers.contains_key("x-amz-date") || head.headers.contains_key(DATE),
        }
    }

    /// What the engine is told of it.
    pub fn authentication(&self) -> Authentication<'_> {
        let query = QueryParameters(self.query.as_deref().unwrap_or(""));
        let in_query = query.get("X-Amz-Algorithm").is_some();
        let read = match self.authorization.as_deref() {
            Some(_) if in_query => Err(AuthenticationError::HeaderAndQuery),
            Some(header) if header.starts_with("AWS4-") => read_header(header, self.dated),
            None if in_query => read_query(&query),
            _ => Err(AuthenticationError::MissingToken),
        };
        read.map_or_else(Authentication::Refused, signed)
    }
}

/// The credential of a complete header.
fn read_header(header: &str, dated: bool) -> Result<&str, AuthenticationError<'_>> {
    let parameters = header.split_once(' ').map_or("", |(_, rest)| rest);
    let parameter = |name: &str| {
        parameters
            .split(',')
            .filter_map(|part| part.trim().split_once('='))
            .find(|(key, value)| *key == name && !value.is_empty())
            .map(|(_, value)| value)
    };
    match (parameter("Credential"), parameter("Signature"), parameter("SignedHeaders")) {
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
    let mut parts =
        credential.split('/').flat_map(|part| part.split("%2F")).flat_map(|part| part.split("%2f"));
    let access_key = parts.next().unwrap_or("");
    // The region is part of ARNs, so one that could not be a region is not taken over.
    let region = parts.nth(1).filter(|region| is_region(region)).unwrap_or(DEFAULT_REGION);
    Authentication::Signed { region, access_key }
}

fn is_region(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

struct QueryParameters<'a>(&'a str);

impl<'a> QueryParameters<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
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
        Signature { authorization: authorization.map(str::to_owned), query: query.map(str::to_owned), dated }
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
