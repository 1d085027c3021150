//! `cargo xtask setup`: what a machine needs besides Rust, installed where that can be done
//! (Debian, as root), named in one message where it can't.

mod debian;
mod needs;

use crate::failure::{Failure, Outcome};
use crate::place::Place;

pub use debian::{candidate, fresh_lists, is_root, text_of};
pub use needs::{chromium, clang_for_wasm, has_valgrind, llvm_ar, python};

use needs::{NEEDS, Need};

/// Installs or names what is missing, then prepares the packages of `web/`.
pub fn run(place: &Place, arguments: &[String]) -> Outcome {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("`cargo xtask setup` takes no `{argument}`")));
    }
    machine()?;
    crate::web::packages(place)
}

/// The system's packages: quick when nothing is missing.
pub fn machine() -> Outcome {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !(need.present)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if debian::is_debian() && debian::is_root() {
        debian::install(&missing)?;
    }
    let missing: Vec<&Need> = missing.into_iter().filter(|need| !(need.present)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::new(what_to_get(&missing)))
}

fn what_to_get(missing: &[&Need]) -> String {
    let mut message = String::from("this machine lacks what Keyplan's builds and tests need:");
    for need in missing {
        message.push_str(&format!("\n  - {}: {}", need.name, need.how_to_get));
    }
    if debian::is_debian() && !debian::is_root() {
        let groups = missing.iter().flat_map(|need| need.packages);
        let packages: Vec<&str> = groups.filter_map(|group| group.first()).copied().collect();
        message.push_str(&format!(
            "\nOn this machine: run `sudo apt-get install {}`, or this command as root.",
            packages.join(" ")
        ));
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_each_missing_thing_and_how_to_get_it() {
        let all: Vec<&Need> = NEEDS.iter().collect();
        let message = what_to_get(&all);
        for need in NEEDS {
            assert!(message.contains(need.name), "{} is not named", need.name);
            assert!(message.contains(need.how_to_get), "{}: no advice", need.name);
        }
    }
}
