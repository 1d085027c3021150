//! What a request is signed with: the `Authorization` header or the `X-Amz-…` query parameters.
//!
//! The endpoint checks that a signature is complete, as the service does before anything else, and
//! reads the region from it. It does not verify the signature: any access key and secret will do.

use keyplan_engine::{Authentication, AuthenticationError};

/// The result of looking for a signature, without borrows, so that it can travel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnedAuthentication {
    /// A complete signature.
    Signed {
        /// The region of the credential scope.
        region: String,
        /// The access key id.
        access_key: String,
    },
    /// Both an `Authorization` header and an `X-Amz-Algorithm` query parameter.
    HeaderAndQuery,
    /// Neither, or a header of another scheme.
    Missing,
    /// A header that lacks parts.
    IncompleteHeader {
        /// The header as sent.
        authorization: String,
        /// Whether the parts are missing: `Credential`, `Signature`, `SignedHeaders`, a date header.
        missing: [bool; 4],
    },
    /// Query parameters that lack parts.
    IncompleteQuery {
        /// Whether the parts are missing, in the order of [`QUERY_PARTS`].
        missing: [bool; 5],
    },
}

/// The parts of a signature in the query string.
const QUERY_PARTS: [&str; 5] =
    ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"];

impl OwnedAuthentication {
    /// The form in which the engine takes it.
    pub fn as_call(&self) -> Authentication<'_> {
        match self {
            OwnedAuthentication::Signed { region, access_key } => {
                Authentication::Signed { region, access_key }
            }
            OwnedAuthentication::HeaderAndQuery => {
                Authentication::Refused(AuthenticationError::HeaderAndQuery)
            }
            OwnedAuthentication::Missing => Authentication::Refused(AuthenticationError::MissingToken),
            OwnedAuthentication::IncompleteHeader { authorization, missing } => {
                let [credential, signature, signed_headers, date] = *missing;
                Authentication::Refused(AuthenticationError::IncompleteHeader {
                    authorization,
                    credential,
                    signature,
                    signed_headers,
                    date,
                })
            }
            OwnedAuthentication::IncompleteQuery { missing } => {
                let [algorithm, credential, signature, signed_headers, date] = *missing;
                Authentication::Refused(AuthenticationError::IncompleteQuery {
                    algorithm,
                    credential,
                    signature,
                    signed_headers,
                    date,
                })
            }
        }
    }

    /// Reads the signature of a request from its `Authorization` header, its query string, and
    /// whether it has an `X-Amz-Date` or `Date` header.
    pub(crate) fn read(header: Option<&str>, query: Option<&str>, has_date: bool) -> Self {
        let query = QueryParameters(query.unwrap_or(""));
        match header {
            Some(_) if query.get("X-Amz-Algorithm").is_some() => OwnedAuthentication::HeaderAndQuery,
            Some(header) if header.starts_with("AWS4-") => read_header(header, has_date),
            None if query.get("X-Amz-Algorithm").is_some() => read_query(&query),
            _ => OwnedAuthentication::Missing,
        }
    }
}

fn read_header(header: &str, has_date: bool) -> OwnedAuthentication {
    let parameters = header.split_once(' ').map_or("", |(_, rest)| rest);
    let parameter = |name: &str| {
        parameters
            .split(',')
            .filter_map(|part| part.trim().split_once('='))
            .find(|(key, value)| *key == name && !value.is_empty())
            .map(|(_, value)| value)
    };
    let credential = parameter("Credential");
    let missing = [
        credential.is_none(),
        parameter("Signature").is_none(),
        parameter("SignedHeaders").is_none(),
        !has_date,
    ];
    match credential {
        Some(credential) if !missing.contains(&true) => signed(credential),
        _ => OwnedAuthentication::IncompleteHeader { authorization: header.to_owned(), missing },
    }
}

fn read_query(query: &QueryParameters<'_>) -> OwnedAuthentication {
    let missing = QUERY_PARTS.map(|name| query.get(name).is_none_or(str::is_empty));
    match query.get("X-Amz-Credential") {
        Some(credential) if !missing.contains(&true) => {
            signed(&credential.replace("%2F", "/").replace("%2f", "/"))
        }
        _ => OwnedAuthentication::IncompleteQuery { missing },
    }
}

/// Takes a credential apart: `KEY/20261130/us-east-1/dynamodb/aws4_request`.
fn signed(credential: &str) -> OwnedAuthentication {
    let mut parts = credential.split('/');
    let access_key = parts.next().unwrap_or("").to_owned();
    // The region is part of ARNs, so one that could not be a region is not taken over.
    let region = parts.nth(1).filter(|region| is_region(region)).unwrap_or(DEFAULT_REGION).to_owned();
    OwnedAuthentication::Signed { region, access_key }
}

fn is_region(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// The region of requests that name none.
pub(crate) const DEFAULT_REGION: &str = "us-east-1";

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

    #[test]
    fn a_complete_header_gives_key_and_region() {
        assert_eq!(
            OwnedAuthentication::read(Some(COMPLETE), None, true),
            OwnedAuthentication::Signed { region: "eu-west-2".to_owned(), access_key: "AKID".to_owned() }
        );
    }

    #[test]
    fn no_header_or_another_scheme_is_missing() {
        for header in [None, Some("Basic abc")] {
            assert_eq!(OwnedAuthentication::read(header, None, true), OwnedAuthentication::Missing);
        }
    }

    #[test]
    fn an_incomplete_header_names_each_missing_piece() {
        let header = "AWS4-HMAC-SHA256 Credential=a";
        assert_eq!(
            OwnedAuthentication::read(Some(header), None, false),
            OwnedAuthentication::IncompleteHeader {
                authorization: header.to_owned(),
                missing: [false, true, true, true]
            }
        );
    }

    #[test]
    fn query_parameters_sign_as_well_but_not_beside_a_header() {
        let query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k%2F20261130%2Fus-west-1%2Fdynamodb%2F\
                     aws4_request&X-Amz-Signature=s&X-Amz-SignedHeaders=host&X-Amz-Date=20261130T000000Z";
        assert!(matches!(
            OwnedAuthentication::read(None, Some(query), false),
            OwnedAuthentication::Signed { region, .. } if region == "us-west-1"
        ));
        assert_eq!(
            OwnedAuthentication::read(Some(COMPLETE), Some(query), true),
            OwnedAuthentication::HeaderAndQuery
        );
        assert_eq!(
            OwnedAuthentication::read(None, Some("X-Amz-Algorithm=x"), true),
            OwnedAuthentication::IncompleteQuery { missing: [false, true, true, true, true] }
        );
    }

    #[test]
    fn a_scope_without_a_plausible_region_falls_back() {
        let header = COMPLETE.replace("eu-west-2", "Eu_<b>");
        assert!(matches!(
            OwnedAuthentication::read(Some(&header), None, true),
            OwnedAuthentication::Signed { region, .. } if region == DEFAULT_REGION
        ));
    }
}
