//! Key pairs that requests may be signed with, read from a file of the AWS tools' own form.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use ctutils::CtEq;

/// Characters of an access key, as many as the service's have at most.
const ACCESS_KEY_CHARACTERS_MAX: usize = 128;

/// Key pairs by their access key. Nothing shows the secrets.
pub struct Credentials(HashMap<String, Pair>);

struct Pair {
    secret: String,
    session_token: Option<String>,
}

/// Why a text is no file of credentials. It never quotes a line, which may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialsError {
    /// A line that is no section, no setting, no comment and not empty.
    Line {
        /// Its number, from 1.
        line: usize,
    },
    /// A setting before the first section.
    NoSection {
        /// Its line, from 1.
        line: usize,
    },
    /// A setting that is given twice in its section.
    Twice {
        /// The line of the second, from 1.
        line: usize,
    },
    /// An access key that no request could name.
    AccessKey {
        /// Its line, from 1.
        line: usize,
    },
    /// A section with half of a pair.
    Half {
        /// The section's line, from 1.
        line: usize,
        /// The setting that it lacks.
        lacks: &'static str,
    },
    /// An access key that two sections give, and not with the same secret and token.
    Ambiguous {
        /// The line of the second section, from 1.
        line: usize,
    },
    /// No section has a pair.
    Empty,
}

impl fmt::Display for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CredentialsError::Line { line } => {
                write!(f, "line {line} is no section such as [default] and no setting such as {ID} = …")
            }
            CredentialsError::NoSection { line } => {
                write!(f, "line {line} stands in no section; begin with one such as [default]")
            }
            CredentialsError::Twice { line } => {
                write!(f, "line {line} gives a setting that its section has already; remove one of them")
            }
            CredentialsError::AccessKey { line } => write!(
                f,
                "line {line} has an access key that can't be signed with; it has up to \
                 {ACCESS_KEY_CHARACTERS_MAX} letters, digits, hyphens and underscores"
            ),
            CredentialsError::Half { line, lacks } => {
                write!(f, "the section of line {line} has no {lacks}; add it, or remove the other half")
            }
            CredentialsError::Ambiguous { line } => write!(
                f,
                "the section of line {line} has the access key of another one, but not its secret and token; give \
                 each pair once"
            ),
            CredentialsError::Empty => {
                write!(f, "there is no pair in it; a section has {ID} = … and {SECRET} = …")
            }
        }
    }
}

impl std::error::Error for CredentialsError {}

const ID: &str = "aws_access_key_id";
const SECRET: &str = "aws_secret_access_key";
const SESSION_TOKEN: &str = "aws_session_token";

/// A section while it is read. Other settings than these three are passed over.
#[derive(Default)]
struct Section {
    line: usize,
    id: Option<String>,
    secret: Option<String>,
    session_token: Option<String>,
}

impl Credentials {
    /// Reads the pairs of all sections of a text such as `~/.aws/credentials` holds. Their names say nothing
    /// here, and settings other than keys, secrets and session tokens are passed over.
    ///
    /// # Errors
    /// When a line, a section or the whole makes no sense; the message names the line.
    pub fn parse(text: &str) -> Result<Credentials, CredentialsError> {
        let mut credentials = Credentials(HashMap::new());
        let mut section: Option<Section> = None;
        let lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
        for (line, text) in (1..).zip(lines) {
            let text = text.trim();
            if text.is_empty() || text.starts_with(['#', ';']) {
                continue;
            }
            if text.starts_with('[') {
                if !without_comment(text).ends_with(']') {
                    return Err(CredentialsError::Line { line });
                }
                credentials.add(section.replace(Section { line, ..Section::default() }))?;
                continue;
            }
            let (name, value) = text.split_once('=').ok_or(CredentialsError::Line { line })?;
            let section = section.as_mut().ok_or(CredentialsError::NoSection { line })?;
            let place = match name.trim().to_ascii_lowercase().as_str() {
                ID => &mut section.id,
                SECRET => &mut section.secret,
                SESSION_TOKEN => &mut section.session_token,
                _ => continue,
            };
            let value = without_comment(value.trim());
            if name.trim().eq_ignore_ascii_case(ID) && !is_access_key(value) {
                return Err(CredentialsError::AccessKey { line });
            }
            if place.replace(value.to_owned()).is_some() {
                return Err(CredentialsError::Twice { line });
            }
        }
        credentials.add(section)?;
        if credentials.0.is_empty() { Err(CredentialsError::Empty) } else { Ok(credentials) }
    }

    fn add(&mut self, section: Option<Section>) -> Result<(), CredentialsError> {
        let Some(Section { line, id, secret, session_token }) = section else { return Ok(()) };
        // A token that is given, but empty, is none.
        let session_token = session_token.filter(|token| !token.is_empty());
        let (id, secret) = match (id, secret.filter(|secret| !secret.is_empty())) {
            (Some(id), Some(secret)) => (id, secret),
            (None, None) => return Ok(()),
            (Some(_), None) => return Err(CredentialsError::Half { line, lacks: SECRET }),
            (None, Some(_)) => return Err(CredentialsError::Half { line, lacks: ID }),
        };
        match self.0.entry(id) {
            Entry::Vacant(place) => _ = place.insert(Pair { secret, session_token }),
            Entry::Occupied(there) => {
                let there = there.get();
                if there.secret != secret || there.session_token != session_token {
                    return Err(CredentialsError::Ambiguous { line });
                }
            }
        }
        Ok(())
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> usize {
        self.0.len()
    }

    /// The secret of an access key, where the session token is the one that belongs to it.
    pub(crate) fn secret(&self, access_key: &str, session_token: Option<&[u8]>) -> Option<&str> {
        let pair = self.0.get(access_key)?;
        let belongs = match (&pair.session_token, session_token) {
            (None, None) => true,
            (Some(token), Some(sent)) => token.as_bytes().ct_eq(sent).into(),
            _ => false,
        };
        belongs.then_some(pair.secret.as_str())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pairs", self.pairs())
    }
}

/// A comment behind a value is parted from it by a space.
fn without_comment(text: &str) -> &str {
    let ends = [" #", " ;", "\t#", "\t;"].iter().filter_map(|mark| text.find(mark)).min();
    ends.and_then(|end| text.get(..end)).unwrap_or(text).trim_end()
}

fn is_access_key(text: &str) -> bool {
    (1..=ACCESS_KEY_CHARACTERS_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_as_the_tools_write_it_has_its_pairs() {
        let file = "# mine\r\n[default]\r\naws_access_key_id = AKID\r\naws_secret_access_key=se/cr+et==\r\n\
                    region = eu-west-2\n\n[ test ] ; another\n  AWS_ACCESS_KEY_ID=second # a comment\n\
                    aws_secret_access_key = other\naws_session_token = token==\n[sso]\nsso_region = x\n";
        let credentials = Credentials::parse(file).expect("a file");
        assert_eq!(credentials.pairs(), 2);
        assert_eq!(credentials.secret("AKID", None), Some("se/cr+et=="));
        assert_eq!(credentials.secret("AKID", Some(b"token==")), None, "it has no token");
        assert_eq!(credentials.secret("second", Some(b"token==")), Some("other"));
        assert_eq!(credentials.secret("second", Some(b"token=")), None);
        assert_eq!(credentials.secret("second", None), None, "it needs its token");
        assert_eq!(credentials.secret("third", None), None);
        assert_eq!(format!("{credentials:?}"), "2 pairs");
    }

    #[test]
    fn what_is_no_such_file_is_told_with_its_line() {
        let pair = format!("{ID} = a\n{SECRET} = b\n");
        let two = |second: &str| format!("[one]\n{pair}[two]\n{second}");
        for (text, error) in [
            (String::new(), CredentialsError::Empty),
            ("[default]\nregion = x".to_owned(), CredentialsError::Empty),
            (pair.clone(), CredentialsError::NoSection { line: 1 }),
            (format!("[default\n{pair}"), CredentialsError::Line { line: 1 }),
            ("[default]\nAKID:secret".to_owned(), CredentialsError::Line { line: 2 }),
            (format!("[default]\n{ID} = a/b"), CredentialsError::AccessKey { line: 2 }),
            (format!("[default]\n{ID} = "), CredentialsError::AccessKey { line: 2 }),
            (format!("[default]\n{ID} = a"), CredentialsError::Half { line: 1, lacks: SECRET }),
            (format!("[default]\n{ID} = a\n{SECRET} ="), CredentialsError::Half { line: 1, lacks: SECRET }),
            (format!("[default]\n{SECRET} = a"), CredentialsError::Half { line: 1, lacks: ID }),
            (format!("[default]\n{pair}{SECRET} = c"), CredentialsError::Twice { line: 4 }),
            (two(&format!("{ID} = a\n{SECRET} = c")), CredentialsError::Ambiguous { line: 4 }),
        ] {
            let found = Credentials::parse(&text).expect_err(&text);
            assert_eq!(found, error, "{text}");
            assert!(!found.to_string().contains("secret = "), "{found}");
        }
        assert_eq!(Credentials::parse(&two(&pair)).map(|read| read.pairs()).ok(), Some(1), "the same twice");
    }
}
