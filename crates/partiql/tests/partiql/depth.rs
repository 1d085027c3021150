//! Texts that go deep or on and on: as long as a statement may be, and longer.

use super::{bound, refused};

const CHARACTERS: usize = 8_192;

#[test]
fn brackets_inside_each_other_are_refused_and_exhaust_nothing() {
    for (open, close) in [("(", ")"), ("[", "]"), ("<<", ">>"), ("{'a':", "}"), ("f(", ")"), ("a[", "]")] {
        for times in [10, 149, 151, CHARACTERS] {
            let text =
                ["SELECT * FROM t WHERE a = ", &open.repeat(times), "1", &close.repeat(times)].concat();
            let _either = bound(&text, &[]);
            let unfinished = ["SELECT * FROM t WHERE a = ", &open.repeat(times)].concat();
            assert!(bound(&unfinished, &[]).is_err(), "{open} {times} times");
        }
    }
}

#[test]
fn a_value_of_31_levels_is_one_and_of_32_is_none() {
    let insert = |levels: usize| {
        ["INSERT INTO t VALUE {'a': ", &"[".repeat(levels), "1", &"]".repeat(levels), "}"].concat()
    };
    assert!(bound(&insert(31), &[]).is_ok());
    let error = refused(&insert(32));
    assert_eq!(
        error,
        format!("Nesting Levels have exceeded supported limits under root{}", "[0]".repeat(32))
    );
}

#[test]
fn long_chains_of_operators_are_counted_and_exhaust_nothing() {
    let counted = "The expression contains too many operators; operator count: 301";
    let chain = |link: &str, times: usize| format!("SELECT * FROM t WHERE {}a = 1", link.repeat(times));
    for link in ["a = 1 AND ", "a = 1 OR ", "NOT "] {
        assert_eq!(refused(&chain(link, 2_000)), counted, "{link}");
        assert_eq!(refused(&chain(link, 4_000)), counted, "{link}");
    }
    assert!(bound(&chain("NOT ", 299), &[]).is_ok());
    assert!(bound(&chain("a = 1 AND ", 149), &[]).is_ok(), "150 comparisons, 149 times AND");
    assert_eq!(refused(&chain("a = 1 AND ", 150)), counted, "151 comparisons, 150 times AND");
    let sum = format!("UPDATE t SET a = {}1 WHERE b = 1", "c + ".repeat(4_000));
    assert_eq!(refused(&sum), counted);
    let signs = format!("SELECT * FROM t WHERE a = {}1", "- ".repeat(4_000));
    assert!(bound(&signs, &[]).is_ok(), "signs are part of the number");
}
