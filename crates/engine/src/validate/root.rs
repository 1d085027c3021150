//! The members of a request, where it has very many.

use keyplan_value::json::{Kind as Json, Node, write_string};

use crate::limits::ROOT_MEMBERS_WALKED_MAX;
use crate::shapes::{Kind, Operation};

/// A request that has more members than may be walked over for each look at one of them, written anew with
/// those alone that its operation knows, each once. A name that is there twice counts the last time.
pub fn without_unknown_members(operation: &Operation, request: Node<'_, '_>) -> Option<Vec<u8>> {
    let Kind::Structure(structure) = &operation.input.shape().kind else { return None };
    request.members().nth(ROOT_MEMBERS_WALKED_MAX)?;
    let mut known = vec![None; structure.members.len()];
    for (name, value) in request.members() {
        if let Some(at) = structure.members.iter().position(|member| name.is(member.name))
            && let Some(place) = known.get_mut(at)
        {
            *place = Some(value);
        }
    }
    let mut written = vec![b'{'];
    for (member, value) in structure.members.iter().zip(known) {
        let Some(value) = value else { continue };
        if written.len() > 1 {
            written.push(b',');
        }
        write_string(member.name, &mut written);
        written.push(b':');
        // A string's text stands there without its quotes.
        let quote = if value.kind() == Json::String { "\"" } else { "" };
        for part in [quote, value.raw(), quote] {
            written.extend_from_slice(part.as_bytes());
        }
    }
    written.push(b'}');
    Some(written)
}
