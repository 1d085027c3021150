//! Who may talk to a listener: rules on the `Host` and `Origin` headers.
//!
//! The service answers every origin. Keyplan listens on a developer's machine, where any web page
//! could try to reach it, directly or by a name that it makes resolve to a loopback address. So a
//! request is answered only if its `Host` is a loopback name or an allowed one, and, where a browser
//! sent an `Origin`, if that is a page on this machine or an allowed one.

use std::net::IpAddr;

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
    /// Checks a request's `Host` (or the authority of its address) and `Origin`.
    pub(crate) fn check(&self, host: Option<&str>, origin: Option<&str>) -> Result<(), Refusal> {
        // HTTP/1.0 has no Host; a browser always sends one, so nothing is opened by this.
        if let Some(host) = host
            && !self.serves_host(host)
        {
            return Err(Refusal::Host(printable(host)));
        }
        match origin {
            Some(origin) if !self.serves_origin(origin) => Err(Refusal::Origin(printable(origin))),
            _ => Ok(()),
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
            assert_eq!(rules.check(Some(host), None), Ok(()), "{host}");
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
            assert!(rules.check(Some(host), None).is_err(), "{host}");
        }
    }

    #[test]
    fn allowed_names_are_served_whatever_their_case_and_port() {
        let rules = AccessRules {
            allow_hosts: vec!["dynamo".to_owned()],
            allow_origins: vec!["https://studio.example".to_owned()],
        };
        assert_eq!(rules.check(Some("Dynamo:8000"), None), Ok(()));
        assert_eq!(rules.check(Some("localhost"), Some("https://studio.example")), Ok(()));
        assert!(rules.check(Some("localhost"), Some("https://studio.example.evil")).is_err());
    }

    #[test]
    fn pages_on_this_machine_may_ask_and_others_may_not() {
        let rules = AccessRules::default();
        for origin in
            ["http://localhost:5173", "http://127.0.0.1:1", "https://localhost", "http://[::1]:3000"]
        {
            assert_eq!(rules.check(Some("localhost"), Some(origin)), Ok(()), "{origin}");
        }
        for origin in
            ["https://evil.example", "null", "http://localhost.evil.example", "file://localhost", ""]
        {
            assert!(rules.check(Some("localhost"), Some(origin)).is_err(), "{origin}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let rules = AccessRules::default();
        let refusal = rules.check(Some("dynamo:8000"), None).expect_err("refused");
        assert!(refusal.message().contains("--allow-host dynamo."));
    }
}
