//! Verifying signatures of version 4 (AWS4-HMAC-SHA256), where an endpoint has key pairs to do it by.
//!
//! The order of the checks is the service's: the date, the headers that must be signed, the scheme, the
//! credential and its scope, the key, the signature. The body is always part of what is signed; a request that
//! says of itself that its body isn't (`UNSIGNED-PAYLOAD`) is signed for another body than it has.
//!
//! The target must be among the signed headers as the host must, since it says what the request does. A query
//! that signs is good for as long as a header is; `X-Amz-Expires` does not change that.

mod canonical;
mod moment;

use hmac::{Hmac, KeyInit, Mac};
use hyper::header::HeaderValue;
use hyper::http::request::Parts;
use keyplan_engine::limits::CLOCK_SKEW_MILLISECONDS_MAX;
use keyplan_engine::{ScopeFault, SignatureFault, Timestamp};
use sha2::{Digest, Sha256};

use crate::Credentials;
use crate::authentication::{HeaderParts, QueryParameters, is_region};

type HmacSha256 = Hmac<Sha256>;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const SERVICE: &str = "dynamodb";
const TERMINATOR: &str = "aws4_request";

/// What a body's bytes, as they were sent, come to.
pub(crate) type BodyDigest = [u8; 32];

pub(crate) fn digest(body: &[u8]) -> BodyDigest {
    Sha256::digest(body).into()
}

/// What a request says of its signature, wherever it says it.
struct Claim {
    algorithm: String,
    credential: String,
    date: String,
    signed_headers: String,
    signature: String,
    session_token: Option<Vec<u8>>,
}

/// Whether a request whose signature is complete was signed with one of the pairs, for this service, and lately.
pub(crate) fn verify(
    head: &Parts,
    body: &BodyDigest,
    credentials: &Credentials,
    now: Timestamp,
) -> Result<(), SignatureFault> {
    let claim = Claim::of(head);
    check_date(&claim.date, now)?;
    let mut signed_headers: Vec<String> =
        claim.signed_headers.split(';').map(str::to_ascii_lowercase).collect();
    signed_headers.sort_unstable();
    for (name, header) in [("host", "'Host' or ':authority'"), ("x-amz-target", "'X-Amz-Target'")] {
        let is_there = name == "host" || head.headers.contains_key(name);
        if is_there && signed_headers.iter().all(|signed| signed != name) {
            return Err(SignatureFault::HeaderNotSigned { header });
        }
    }
    if claim.algorithm != ALGORITHM {
        return Err(SignatureFault::Algorithm { sent: claim.algorithm });
    }
    let parts: Vec<&str> = claim.credential.trim_end_matches('/').split('/').collect();
    let [access_key, day, region, service, terminator] = parts.as_slice() else {
        return Err(SignatureFault::CredentialParts { credential: claim.credential });
    };
    let scope = ScopeFault {
        region: (!is_region(region)).then(|| (*region).to_owned()),
        service: *service != SERVICE,
        terminator: (*terminator != TERMINATOR).then(|| (*terminator).to_owned()),
        date: (claim.date.get(..8) != Some(day)).then(|| ((*day).to_owned(), claim.date.clone())),
    };
    if scope != ScopeFault::default() {
        return Err(SignatureFault::Scope(scope));
    }
    let secret =
        credentials.secret(access_key, claim.session_token.as_deref()).ok_or(SignatureFault::Unknown)?;
    let canonical_request = canonical::request(head, &signed_headers, &hex(body));
    let string_to_sign = format!(
        "{ALGORITHM}\n{}\n{day}/{region}/{service}/{terminator}\n{}",
        claim.date,
        hex(&digest(canonical_request.as_bytes()))
    );
    let signed = signed(secret, &[day, region, service, terminator], &string_to_sign);
    // Compared in a time that doesn't depend on where they differ.
    let stands =
        signed.zip(bytes(&claim.signature)).is_some_and(|(signed, sent)| signed.verify_slice(&sent).is_ok());
    if stands { Ok(()) } else { Err(SignatureFault::Mismatch { canonical_request, string_to_sign }) }
}

/// The text signed with a key that is made of the secret and the parts of the scope.
fn signed(secret: &str, scope: &[&str], text: &str) -> Option<HmacSha256> {
    let mut key = format!("AWS4{secret}").into_bytes();
    for part in scope {
        key = keyed(&key, part)?.finalize().into_bytes().to_vec();
    }
    keyed(&key, text)
}

fn keyed(key: &[u8], message: &str) -> Option<HmacSha256> {
    let mut mac = HmacSha256::new_from_slice(key).ok()?;
    mac.update(message.as_bytes());
    Some(mac)
}

impl Claim {
    fn of(head: &Parts) -> Claim {
        let header = |name: &str| head.headers.get(name);
        let text =
            |name: &str| header(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        let authorization = text("authorization");
        if !authorization.is_empty() {
            let parts = HeaderParts::of(&authorization);
            let date = if header("x-amz-date").is_some() { "x-amz-date" } else { "date" };
            let part = |part: Option<&str>| part.unwrap_or_default().to_owned();
            return Claim {
                algorithm: part(authorization.split(' ').next()),
                credential: part(parts.credential),
                date: text(date),
                signed_headers: part(parts.signed_headers),
                signature: part(parts.signature),
                session_token: header("x-amz-security-token").map(HeaderValue::as_bytes).map(<[u8]>::to_vec),
            };
        }
        // Read as the namespace of the request is, so that nobody signs with one key and speaks for another.
        let query = QueryParameters::of(head.uri.query());
        let parameter = |name: &str| query.get(name).map(canonical::decoded);
        let text = |name: &str| String::from_utf8(parameter(name).unwrap_or_default()).unwrap_or_default();
        Claim {
            algorithm: text("X-Amz-Algorithm"),
            credential: text("X-Amz-Credential"),
            date: text("X-Amz-Date"),
            signed_headers: text("X-Amz-SignedHeaders"),
            signature: text("X-Amz-Signature"),
            session_token: parameter("X-Amz-Security-Token"),
        }
    }
}

fn check_date(signed: &str, now: Timestamp) -> Result<(), SignatureFault> {
    let Some(moment) = moment::read(signed) else {
        return Err(SignatureFault::Date { sent: signed.to_owned() });
    };
    let signed = signed.to_owned();
    if moment.0 + CLOCK_SKEW_MILLISECONDS_MAX < now.0 {
        return Err(SignatureFault::Expired { signed, now });
    }
    if moment.0 > now.0 + CLOCK_SKEW_MILLISECONDS_MAX {
        return Err(SignatureFault::NotYetCurrent { signed, now });
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value & 15)).map_or('0', |digit| char::from(*digit));
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// The 32 bytes of a signature.
fn bytes(hex: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if hex.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
        let digit = |letter: &u8| char::from(*letter).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        *byte = digit(pair.first()?)? << 4 | digit(pair.get(1)?)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
