//! npm's lock files fix what is installed, from whatever registry the machine is set up for.

use super::{File, Finding};

const LOCK: &str = "package-lock.json";
const SETTING: &str = "omit-lockfile-registry-resolved=true";

pub fn check(files: &[File]) -> Vec<Finding> {
    let locks = files.iter().filter(|file| file.path.rsplit('/').next() == Some(LOCK));
    let mut findings: Vec<Finding> = locks.clone().flat_map(hosts).collect();
    findings.extend(locks.filter_map(|lock| setting(lock, files)));
    findings
}

fn hosts(lock: &File) -> Vec<Finding> {
    let named = |line: &str| line.trim_start().starts_with("\"resolved\": \"http");
    let lines = lock.text.lines().enumerate().filter(|(_, line)| named(line));
    lines
        .map(|(index, _)| Finding {
            file: lock.path.clone(),
            line: index + 1,
            what: "the lock file names a registry's address".to_owned(),
            why: "with the address in it, the lock works behind that one registry only",
            remedy: "remove the lock file and node_modules beside it, then `npm install`",
        })
        .collect()
}

fn setting(lock: &File, files: &[File]) -> Option<Finding> {
    let beside = lock.path.replace(LOCK, ".npmrc");
    let set = files.iter().any(|file| file.path == beside && file.text.contains(SETTING));
    (!set).then(|| Finding {
        file: beside,
        line: 0,
        what: format!("`{SETTING}` is not set"),
        why: "without it the next `npm install` writes the registry's address into the lock",
        remedy: "put that line into the file",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn an_address_in_a_lock_is_found_at_its_line() {
        let rc = file("web/.npmrc", SETTING);
        let lock = file("web/package-lock.json", "{\n  \"resolved\": \"https://x/a.tgz\"\n}");
        let found = check(&[rc, lock]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 2);
    }

    #[test]
    fn the_setting_stands_beside_each_lock() {
        let lock = file("package-lock.json", "{}");
        assert_eq!(check(&[lock])[0].file, ".npmrc");
        let linked = file("a/package-lock.json", "\"resolved\": \"packages/b\"");
        assert_eq!(check(&[linked, file("a/.npmrc", SETTING)]), []);
    }
}
