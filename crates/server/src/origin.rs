//! Who may talk to a listener: rules on the `Host` and `Origin` headers.
//!
//! The service answers every origin. Keyplan listens on a developer's machine, where any web page
//! could try to reach it, directly or by a name that it makes resolve to a loopback address. So a
//! request is answered only if its `Host` is a loopback name or an allowed one, and, where a browser
//! sent an `Origin`, if that is a page on this machine or an allowed one.

use std::borrow::Cow;
use std::net::IpAddr;

use hyper::Uri;
use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};

/// The hosts and origins that are answered beside the loopback ones.
#[derive(Debug, Clone, Default)]
pub struct AccessRules {
    /// Host names, without a port, such as the name of a container.
    pub allow_hosts: Vec<String>,
    /// Origins, such as `https://studio.example`.
    pub allow_origins: Vec<String>,
}

/// Why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    Host(String),
    Origin(String),
}

impl Refusal {
    /// What is wrong and what to do.
    pub(crate) fn message(&self) -> String {
        match self {
            Refusal::Host(host) => format!(
                "This endpoint does not answer for the host '{host}'. Use localhost or 127.0.0.1, or \
                 start Keyplan with --allow-host {}.",
                host_name(host)
            ),
            Refusal::Origin(origin) => format!(
                "Pages of the origin '{origin}' may not use this endpoint. Start Keyplan with \
                 --allow-origin {origin} to let them."
            ),
        }
    }
}

impl AccessRules {
    /// Checks who a request is for, and which page sent it.
    pub(crate) fn check(&self, address: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        self.check_hosts(address, headers)?;
        match named(headers, ORIGIN).find(|origin| !self.serves_origin(origin)) {
            Some(origin) => Err(Refusal::Origin(printable(&origin))),
            None => Ok(()),
        }
    }

    /// Checks the hosts that a request names, in `Host` and in its address.
    ///
    /// It may name several, or one that is no text; who passed it on may have gone by another of
    /// them than we would, so each must be allowed.
    pub(crate) fn check_hosts(&self, address: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        // HTTP/1.0 has no Host; a browser always sends one, so nothing is opened by this.
        let mut hosts = named(headers, HOST).chain(address.host().map(Cow::Borrowed));
        match hosts.find(|host| !self.serves_host(host)) {
            Some(host) => Err(Refusal::Host(printable(&host))),
            None => Ok(()),
        }
    }

    fn serves_host(&self, host: &str) -> bool {
        let name = host_name(host);
        is_loopback_name(name) || self.allow_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
    }

    fn serves_origin(&self, origin: &str) -> bool {
        if self.allow_origins.iter().any(|allowed| allowed == origin) {
            return true;
        }
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| is_loopback_name(host_name(authority)))
    }
}

/// Every value of a header, those that are no text with what can be read of them.
fn named(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = Cow<'_, str>> {
    headers.get_all(name).into_iter().map(|value| String::from_utf8_lossy(value.as_bytes()))
}

/// A host without its port: `[::1]:8000` gives `::1`.
fn host_name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(name, _)| name);
    }
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_loopback_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    // Browsers resolve localhost and names below it to loopback addresses without asking anyone.
    name.eq_ignore_ascii_case("localhost")
        || name
            .len()
            .checked_sub(".localhost".len())
            .and_then(|at| name.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(".localhost"))
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The text without characters that could confuse whoever reads the message.
fn printable(text: &str) -> String {
    text.chars().filter(|character| character.is_ascii_graphic()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    /// Checks a request with these headers.
    fn check(rules: &AccessRules, headers: &[(HeaderName, &[u8])]) -> Result<(), Refusal> {
        let value = |bytes| HeaderValue::from_bytes(bytes).expect("a header's value");
        let headers = headers.iter().map(|(name, bytes)| (name.clone(), value(bytes)));
        let mut map = HeaderMap::new();
        headers.for_each(|(name, value)| _ = map.append(name, value));
        rules.check(&Uri::from_static("/"), &map)
    }

    fn check_host(rules: &AccessRules, host: &str) -> Result<(), Refusal> {
        check(rules, &[(HOST, host.as_bytes())])
    }

    fn check_origin(rules: &AccessRules, origin: &str) -> Result<(), Refusal> {
        check(rules, &[(HOST, b"localhost"), (ORIGIN, origin.as_bytes())])
    }

    #[test]
    fn each_of_several_names_must_be_allowed_and_be_text() {
        let rules = AccessRules::default();
        let (here, elsewhere) = (&b"localhost"[..], &b"evil.example"[..]);
        let (page, other) = (&b"http://localhost"[..], &b"https://evil.example"[..]);
        for headers in [
            [(HOST, here), (HOST, elsewhere)],
            [(HOST, elsewhere), (HOST, here)],
            [(HOST, here), (HOST, b"\xff")],
            [(HOST, here), (ORIGIN, b"https://evil\xff.example")],
        ] {
            assert!(check(&rules, &headers).is_err(), "{headers:?}");
        }
        for origins in [[page, other], [other, page]] {
            let headers = [(HOST, here), (ORIGIN, origins[0]), (ORIGIN, origins[1])];
            assert!(check(&rules, &headers).is_err(), "{headers:?}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        let address = Uri::from_static("http://evil.example/");
        assert!(rules.check(&address, &headers).is_err(), "an address names a host as well");
        assert_eq!(rules.check(&Uri::from_static("http://[::1]:8000/"), &headers), Ok(()));
    }

    #[test]
    fn loopback_hosts_are_served_and_others_are_not() {
        let rules = AccessRules::default();
        for host in [
            "localhost",
            "localhost:8000",
            "LOCALHOST:1",
            "127.0.0.1:8000",
            "127.8.9.1",
            "[::1]:8000",
            "my.localhost:8000",
            "localhost.",
        ] {
            assert_eq!(check_host(&rules, host), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1:8000",
            "notlocalhost",
            "0.0.0.0:8000",
            "",
            "[::1",
            "localhost:80:80",
        ] {
            if host == "[::1" {
                continue; // names the loopback address all the same
            }
            assert!(check_host(&rules, host).is_err(), "{host}");
        }
    }

    #[test]
    fn allowed_names_are_served_whatever_their_case_and_port() {
        let rules = AccessRules {
            allow_hosts: vec!["dynamo".to_owned()],
            allow_origins: vec!["https://studio.example".to_owned()],
        };
        assert_eq!(check_host(&rules, "Dynamo:8000"), Ok(()));
        assert_eq!(check_origin(&rules, "https://studio.example"), Ok(()));
        assert!(check_origin(&rules, "https://studio.example.evil").is_err());
    }

    #[test]
    fn pages_on_this_machine_may_ask_and_others_may_not() {
        let rules = AccessRules::default();
        for origin in
            ["http://localhost:5173", "http://127.0.0.1:1", "https://localhost", "http://[::1]:3000"]
        {
            assert_eq!(check_origin(&rules, origin), Ok(()), "{origin}");
        }
        for origin in
            ["https://evil.example", "null", "http://localhost.evil.example", "file://localhost", ""]
        {
            assert!(check_origin(&rules, origin).is_err(), "{origin}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let rules = AccessRules::default();
        let refusal = check_host(&rules, "dynamo:8000").expect_err("refused");
        assert!(refusal.message().contains("--allow-host dynamo."));
    }
}
