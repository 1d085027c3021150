//! Who may use what the command serves: the options for hosts, origins, key pairs and certificates.

use std::fs;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keyplan_server::{AccessRules, Credentials, Tls};

use crate::failure::Failure;

/// The bytes of a file of credentials, a certificate or a key. Those that are any good have a few thousand.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Who is answered beside this machine itself.
#[derive(clap::Args)]
#[command(next_help_heading = "Access")]
pub(crate) struct AccessArguments {
    /// Answer requests for this host name as well (a container's name, say); may be repeated
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    allow_host: Vec<String>,
    /// Let pages of this origin use the endpoint, such as https://app.example; may be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    allow_origin: Vec<String>,
    /// Answer only what is signed with a key pair of this file, whose form is that of ~/.aws/credentials
    ///
    /// Signatures of version 4 are verified, and clocks may be 15 minutes apart. Without it any access key and
    /// any secret will do.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// Serve an address that others can reach though no signature is verified: whoever reaches it is let in
    #[arg(long, conflicts_with = "credentials")]
    allow_any_signature: bool,
    /// Serve https with this certificate, a PEM file, those it is signed by behind it
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// The private key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
}

/// A host's name as `--allow-host` has it; a port or an address would never be met.
fn host_name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && !text.contains([':', '/', '*']);
    if is_name || text.parse::<IpAddr>().is_ok() {
        return Ok(text.to_owned());
    }
    Err("a host stands without scheme, port and wildcards, such as dynamo".to_owned())
}

/// An origin as browsers write it.
fn origin(text: &str) -> Result<String, String> {
    let origin = text.strip_suffix('/').unwrap_or(text).to_ascii_lowercase();
    let is_origin = origin.split_once("://").is_some_and(|(scheme, authority)| {
        !scheme.is_empty() && !authority.is_empty() && !authority.contains(['/', '*'])
    });
    if is_origin {
        Ok(origin)
    } else {
        Err("an origin is a scheme and a host, such as https://app.example".to_owned())
    }
}

impl AccessArguments {
    /// The hosts and origins that are answered.
    pub(crate) fn rules(&self) -> AccessRules {
        AccessRules { allow_hosts: self.allow_host.clone(), allow_origins: self.allow_origin.clone() }
    }

    /// The key pairs that requests must be signed with, if they must.
    pub(crate) fn credentials(&self) -> Result<Option<Arc<Credentials>>, Failure> {
        let Some(file) = &self.credentials else { return Ok(None) };
        let text = String::from_utf8(read(file, "--credentials")?)
            .map_err(|_| Failure::new(format!("{} is no text file", file.display())))?;
        let credentials = Credentials::parse(&text)
            .map_err(|error| Failure::new(format!("{} gives no key pairs: {error}", file.display())))?;
        Ok(Some(Arc::new(credentials)))
    }

    /// The certificate to encrypt with, if there is one.
    pub(crate) fn tls(&self) -> Result<Option<Tls>, Failure> {
        let (Some(certificate), Some(key)) = (&self.tls_certificate, &self.tls_key) else { return Ok(None) };
        let tls = Tls::new(&read(certificate, "--tls-certificate")?, &read(key, "--tls-key")?);
        tls.map(Some).map_err(|error| {
            let (certificate, key) = (certificate.display(), key.display());
            Failure::new(format!("{certificate} and {key} make no https: {error}"))
        })
    }

    /// Refuses an address that others can reach and where anyone would be let in, unless that is what was asked.
    pub(crate) fn check_reach(&self, address: SocketAddr) -> Result<(), Failure> {
        if address.ip().is_loopback() || self.credentials.is_some() || self.allow_any_signature {
            return Ok(());
        }
        Err(Failure::new(format!(
            "{} can be reached from beyond this machine, and no signature would be verified; name key pairs with \
             --credentials FILE, or let in whoever reaches it with --allow-any-signature",
            address.ip()
        )))
    }
}

/// A small file, whole.
fn read(file: &Path, flag: &str) -> Result<Vec<u8>, Failure> {
    let failed = |why: String| {
        Failure::new(format!("{} can't be read ({why}); name another file with {flag}", file.display()))
    };
    let mut bytes = Vec::new();
    // A secret may come by a pipe, such as a shell's <(…); one that never ends is not waited for.
    let opened = fs::File::open(file).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes));
    match opened {
        Ok(_) if bytes.len() as u64 > FILE_BYTES_MAX => {
            Err(failed(format!("it has more than {FILE_BYTES_MAX} bytes")))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(failed(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_origins_that_no_request_could_have_are_refused() {
        assert_eq!(host_name("dynamo").as_deref(), Ok("dynamo"));
        assert_eq!(host_name("::1").as_deref(), Ok("::1"));
        for wrong in ["", "dynamo:8000", "http://dynamo", "*"] {
            assert!(host_name(wrong).is_err(), "{wrong}");
        }
        assert_eq!(origin("https://App.example/").as_deref(), Ok("https://app.example"));
        assert_eq!(origin("http://app.example:3000").as_deref(), Ok("http://app.example:3000"));
        for wrong in
            ["", "*", "null", "app.example", "https://", "https://*.example", "https://app.example/page"]
        {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
