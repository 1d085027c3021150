//! Tags.

use keyplan_value::json::Node;

use super::key_schema::first_repeated;
use crate::error::TagError;
use crate::limits::{TAG_KEY_CHARACTERS_MAX, TAG_VALUE_CHARACTERS_MAX, TAGS_MAX};
use crate::validate::{present, string};

/// Reads and checks the tags of a request.
pub(in crate::operations) fn tags(request: Node<'_, '_>) -> Result<Vec<(String, String)>, TagError> {
    let list = present(request, "Tags");
    let mut tags = Vec::new();
    for tag in list.into_iter().flat_map(|list| list.elements()) {
        let key = string(tag, "Key").unwrap_or_default().into_owned();
        if key.is_empty() || !fits(&key, TAG_KEY_CHARACTERS_MAX) {
            return Err(TagError::Key(key));
        }
        if key.get(..4).is_some_and(|lead| lead.eq_ignore_ascii_case("aws:")) {
            return Err(TagError::ReservedKey(key));
        }
        match string(tag, "Value") {
            Some(value) if fits(&value, TAG_VALUE_CHARACTERS_MAX) => tags.push((key, value.into_owned())),
            value => return Err(TagError::Value(value.map(|value| value.into_owned()))),
        }
    }
    if let Some(twice) = first_repeated(tags.iter().map(|(key, _)| key.as_str())) {
        return Err(TagError::KeyTwice(twice.to_owned()));
    }
    if tags.len() > TAGS_MAX {
        return Err(TagError::TooMany);
    }
    Ok(tags)
}

fn fits(text: &str, characters: usize) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || c.is_whitespace() || "+-=._:/@".contains(c);
    text.chars().count() <= characters && text.chars().all(allowed)
}
