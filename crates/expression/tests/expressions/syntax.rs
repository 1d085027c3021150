//! What the text alone shows: syntax, limits, functions, reserved words.

use keyplan_expression::{ExpressionError, ParsedCondition, ParsedProjection};

fn condition_error(text: &str) -> String {
    ParsedCondition::parse(text).err().map_or("accepted".into(), |error| error.to_string())
}

fn projection_error(text: &str) -> String {
    ParsedProjection::parse(text).err().map_or("accepted".into(), |error| error.to_string())
}

fn syntax(token: &str, near: &str) -> String {
    format!("Syntax error; token: \"{token}\", near: \"{near}\"")
}

#[test]
fn well_formed_conditions_are_accepted() {
    let texts = [
        "a = :v",
        "a=:v",
        " \t\r\n a = :v \n",
        "a.b.#c[0][12].d = :v",
        "a . b [ 1 ] = :v",
        ":v = a",
        "a <> :v AND b < :v and c <= :v And d > :v OR e >= :v",
        "NOT a = :v",
        "NOT NOT a = :v",
        "a BETWEEN :a AND :b AND c = :d",
        "a between :a and b",
        "a IN (:a)",
        "a in (:a, b, size(c))",
        "size(a) > :n",
        ":n < size(a)",
        "attribute_exists(a) AND attribute_not_exists(a.b)",
        "attribute_type(a, :t) or begins_with(a, :p) or contains(a, :p)",
        "(a = :v)",
        "(a = :v) AND (b = :v)",
        "((a = :v) AND (b = :v))",
        "(a) = (:v)",
        "(size(a)) = (:v)",
        "(size((a))) = :v",
        "(attribute_exists(a)) AND a = :v",
        "NOT (a = :v OR b = :v)",
        "NOT (a) = :v",
        "a IN ((:v), (b))",
        "attribute_exists (a)",
    ];
    for text in texts {
        assert_eq!(condition_error(text), "accepted", "{text}");
    }
}

#[test]
fn a_syntax_error_names_the_token_and_the_text_around_it() {
    let cases = [
        ("a =", "<EOF>", "="),
        ("a", "<EOF>", "a"),
        ("a = :v AND", "<EOF>", "AND"),
        ("(a = :v", "<EOF>", ":v"),
        ("(a)", "<EOF>", ")"),
        ("  ", "<EOF>", "  "),
        ("= a", "=", "= a"),
        (")", ")", ")"),
        ("a = = b", "=", "= = b"),
        ("a  =   :v   b  c", "b", ":v   b  c"),
        ("a != :v", "!", "a !="),
        ("a ! b", "!", "a ! b"),
        ("a = 4", "4", "= 4"),
        ("a[00] = :v", "0", "00]"),
        ("a[01] = :v", "1", "01]"),
        ("a[-1] = :v", "-", "[-1"),
        ("a[*] = :v", "*", "[*]"),
        ("a[#b] = :v", "#b", "[#b]"),
        ("a. = :v", "=", ". = :v"),
        ("a.:b = :v", ":b", ".:b ="),
        ("_a = :v", "_", "_a"),
        ("#", "#", "#"),
        ("a = \"x\"", "\"", "= \"x"),
        ("é = :v", "é", "é ="),
        ("contains(a, )", ")", ", )"),
        ("contains(a,)", ")", ",)"),
        ("contains()", ")", "()"),
        ("contains(a b)", "b", "a b)"),
        ("a IN ()", ")", "()"),
        ("a IN :v", ":v", "IN :v"),
        ("a BETWEEN :a OR :b", "OR", ":a OR :b"),
        ("a = :v)", ")", ":v)"),
        ("a = b + c", "+", "b + c"),
        ("(a = b + c)", "+", "b + c"),
        ("set = :v", "set", "set ="),
        ("a.add = :v", "add", ".add ="),
        ("size(a)[0] > :v", "[", ")[0"),
        ("NOT", "<EOF>", "NOT"),
        ("NOT a", "<EOF>", "a"),
        ("a AND b", "AND", "a AND b"),
        ("(a = b) = c", "=", ") = c"),
        ("a = (b = c)", "=", "b = c"),
        ("a = :v SET b = :v", "SET", ":v SET b"),
    ];
    for (text, token, near) in cases {
        assert_eq!(condition_error(text), syntax(token, near), "{text}");
    }
}

#[test]
fn projections_are_paths_with_commas() {
    for text in ["a", "a, b.c[0],#d", " a "] {
        assert_eq!(projection_error(text), "accepted", "{text}");
    }
    let cases = [
        ("a,", "<EOF>", ","),
        (",a", ",", ",a"),
        ("a b", "b", "a b"),
        ("a, :v", ":v", ", :v"),
        ("(a)", "(", "(a"),
        ("size(a)", "(", "size(a"),
        ("a = b", "=", "a = b"),
        ("delete", "delete", "delete"),
    ];
    for (text, token, near) in cases {
        assert_eq!(projection_error(text), syntax(token, near), "{text}");
    }
}

#[test]
fn emptiness_and_size_come_first() {
    assert_eq!(condition_error(""), "The expression can not be empty;");
    assert_eq!(projection_error(""), "The expression can not be empty;");
    let at_the_limit = format!("a = {}", ":".repeat(4_092));
    assert!(condition_error(&at_the_limit).starts_with("Syntax error"), "4,096 bytes are read");
    let too_long = format!("{at_the_limit}:");
    assert_eq!(condition_error(&too_long), "Expression size has exceeded the maximum allowed size;");
}

#[test]
fn a_group_that_holds_nothing_but_a_group_is_redundant() {
    let redundant = "The expression has redundant parentheses;";
    let texts = [
        "((a = :v))",
        "(((a = :v)))",
        "a = ((:v))",
        "((a)) = :v",
        "((attribute_exists(a)))",
        "((size(a))) > :v",
        "NOT ((a = :v))",
        "a = :v AND ((b = :v) )",
        "a IN (((:v)))",
        "contains(((a)), :v)",
    ];
    for text in texts {
        assert_eq!(condition_error(text), redundant, "{text}");
    }
    assert_eq!(condition_error("((a) = :v)"), "accepted");
    assert_eq!(condition_error("((a = :v) OR (b = :v))"), "accepted");
}

#[test]
fn deep_texts_are_read_without_depth() {
    for opened in ["(", "NOT ", "size(", "a = (", "a IN ("] {
        let text = opened.repeat(4_000 / opened.len());
        assert!(condition_error(&text).starts_with("Syntax error"), "{opened}");
    }
    let nots = format!("{}a = :v", "NOT ".repeat(1_000));
    assert_eq!(condition_error(&nots), "The expression contains too many operators; operator count: 301");
    let groups = format!("{}a = :v{}", "(".repeat(2_000), ")".repeat(2_000));
    assert_eq!(condition_error(&groups), "The expression has redundant parentheses;");
    let sizes = format!("{}a{} = :v", "size(".repeat(600), ")".repeat(600));
    assert_eq!(condition_error(&sizes), "The expression contains too many operators; operator count: 301");
}

#[test]
fn three_hundred_operators_are_the_most() {
    // Each term is an equality, and all but the first have an AND in front.
    let terms = |count: usize| vec!["a=:v"; count].join(" AND ");
    assert_eq!(condition_error(&terms(150)), "accepted", "299 operators");
    assert_eq!(condition_error(&format!("NOT {}", terms(150))), "accepted", "300 operators");
    let error = "The expression contains too many operators; operator count: 301";
    assert_eq!(condition_error(&format!("NOT NOT {}", terms(150))), error);
    assert_eq!(condition_error(&terms(400)), error, "the count stops at 301");
}

#[test]
fn functions_are_known_by_their_lower_case_names_and_have_their_places() {
    let unknown = |name: &str| format!("Invalid function name; function: {name}");
    let misused = |name: &str| {
        format!("The function is not allowed to be used this way in an expression; function: {name}")
    };
    let cases = [
        ("ATTRIBUTE_EXISTS(a)", unknown("ATTRIBUTE_EXISTS")),
        ("foo(a, :v)", unknown("foo")),
        ("a = Size(b)", unknown("Size")),
        ("size(a)", misused("size")),
        ("NOT size(a)", misused("size")),
        ("(size(a)) AND b = :v", misused("size")),
        ("a = attribute_exists(b)", misused("attribute_exists")),
        ("contains(a, :v) = b", misused("contains")),
        ("(begins_with(a, :v)) BETWEEN b AND c", misused("begins_with")),
        ("a IN (:v, contains(b, :v))", misused("contains")),
        ("size(contains(a, :v)) > :v", misused("contains")),
        (
            "a = if_not_exists(b, :v)",
            "The function is not allowed in a condition expression; function: if_not_exists".into(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(condition_error(text), expected, "{text}");
    }
}

#[test]
fn reserved_words_are_refused_as_written_wherever_they_stand() {
    let reserved = |word: &str| format!("Attribute name is a reserved keyword; reserved keyword: {word}");
    for (text, word) in [("Name = :v", "Name"), ("a.status = :v", "status"), ("size(a) > VALUE", "VALUE")] {
        assert_eq!(condition_error(text), reserved(word), "{text}");
    }
    assert_eq!(projection_error("a, b.Name, status"), reserved("Name"));
    assert_eq!(condition_error("size(a) > :v"), "accepted", "a function's name is no attribute");
    assert_eq!(condition_error("#name = :name"), "accepted");
}

#[test]
fn errors_of_the_text_have_an_order() {
    let error = |text: &str| ParsedCondition::parse(text).expect_err(text);
    let is = |text: &str, expected: fn(&ExpressionError) -> bool| {
        let error = error(text);
        assert!(expected(&error), "{text}: {error:?}");
    };
    is("name = size(foo(a)) AND ((b = :v)", |error| matches!(error, ExpressionError::Syntax { .. }));
    is("name = foo(a) AND ((b = :v))", |error| matches!(error, ExpressionError::RedundantParentheses));
    is("size(name) AND foo(a)", |error| matches!(error, ExpressionError::UnknownFunction { .. }));
    is("name = :v AND size(a)", |error| matches!(error, ExpressionError::MisusedFunction { .. }));
}

#[test]
fn an_index_is_at_most_that_of_the_longest_list() {
    assert_eq!(projection_error("a[2147483647]"), "accepted");
    for index in ["2147483648", "99999999999999999999999"] {
        let expected = format!("List index is not within the allowable range; index: [{index}]");
        assert_eq!(projection_error(&format!("a[{index}]")), expected);
    }
}
