//! What holds of every text, every tree and every item.

mod naive;

use keyplan_expression::{
    ExpressionError, ParsedCondition, ParsedKeyCondition, ParsedProjection, ParsedUpdate, Placeholders,
};
use keyplan_value::{AttributeValue, Item, Value};
use proptest::prelude::*;
use std::collections::BTreeMap;

use naive::Test;

/// Pieces that expressions are made of, and some that they are not.
const PIECES: &[&str] = &[
    "a",
    "b",
    "m",
    "size",
    "contains",
    "begins_with",
    "attribute_exists",
    "if_not_exists",
    "list_append",
    "foo",
    "name",
    "#a",
    "#",
    ":v",
    ":",
    "AND",
    "or",
    "NOT",
    "BETWEEN",
    "in",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "(",
    "(",
    ")",
    ")",
    "[",
    "]",
    "0",
    "17",
    "=",
    "<>",
    "<",
    ">=",
    "+",
    "-",
    ",",
    ".",
    "!",
    "é",
    " ",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.join(" "))
}

fn parse_everything(text: &str) {
    let nothing = Placeholders::default();
    let _answers = (
        ParsedCondition::parse(text).and_then(|parsed| parsed.bind(&nothing).map(drop)),
        ParsedKeyCondition::parse(text).and_then(|parsed| parsed.bind(&nothing).map(drop)),
        ParsedProjection::parse(text).and_then(|parsed| parsed.bind(&nothing).map(drop)),
        ParsedUpdate::parse(text).and_then(|parsed| parsed.bind(&nothing).map(drop)),
    );
}

fn placeholders() -> Placeholders {
    let values = naive::values()
        .into_iter()
        .enumerate()
        .map(|(position, value)| (format!(":v{position}"), Value::try_from(&value).expect("storable")));
    Placeholders::new([], values)
}

proptest! {
    #[test]
    fn no_text_stops_a_parser(text in any::<String>()) {
        parse_everything(&text);
    }

    #[test]
    fn no_sequence_of_pieces_stops_a_parser(text in pieces()) {
        parse_everything(&text);
    }

    /// The window of a syntax error is text of the expression, and the token is in it.
    #[test]
    fn a_syntax_error_quotes_the_text(text in pieces()) {
        if let Err(ExpressionError::Syntax { token, near }) = ParsedCondition::parse(&text) {
            prop_assert!(text.contains(&near), "{near:?} in {text:?}");
            prop_assert!(token == "<EOF>" || near.contains(&token), "{token:?} in {near:?}");
        }
    }

    #[test]
    fn a_printed_condition_reads_back(test in naive::test()) {
        let parsed = ParsedCondition::parse(&test.to_string()).expect("well formed");
        let printed = parsed.to_string();
        prop_assert_eq!(ParsedCondition::parse(&printed), Ok(parsed), "{}", printed);
    }

    #[test]
    fn a_printed_projection_reads_back(text in pieces()) {
        if let Ok(parsed) = ParsedProjection::parse(&text) {
            prop_assert_eq!(ParsedProjection::parse(&parsed.to_string()), Ok(parsed));
        }
    }

    #[test]
    fn a_printed_update_reads_back(text in naive::update()) {
        let parsed = ParsedUpdate::parse(&text).expect("well formed");
        let printed = parsed.to_string();
        prop_assert_eq!(ParsedUpdate::parse(&printed), Ok(parsed), "{}", printed);
    }

    /// SET of one attribute to another's value, REMOVE and ADD touch nothing but their targets.
    #[test]
    fn an_update_changes_its_targets_alone(text in naive::update(), item in naive::item()) {
        let Ok(update) = ParsedUpdate::parse(&text).expect("well formed").bind(&placeholders()) else {
            return Ok(());
        };
        let old = Item::from_attributes(item.clone()).expect("storable");
        if let Ok(new) = update.apply(old.as_ref()) {
            let targets: Vec<_> = update.targets().map(|target| target.attribute().to_string()).collect();
            let mut after = new.as_ref().to_attributes();
            after.retain(|name, _| !targets.contains(name));
            let mut before = item;
            before.retain(|name, _| !targets.contains(name));
            prop_assert_eq!(after, before, "{}", text);
            let rebuilt = Item::from_attributes(new.as_ref().to_attributes()).expect("storable");
            prop_assert_eq!(rebuilt.as_ref().size(), new.as_ref().size(), "{}: the size is that of its parts", text);
            prop_assert_eq!(&rebuilt, &new, "{}: the stored form is the one form", text);
        }
    }

    #[test]
    fn a_condition_holds_exactly_if_a_naive_evaluator_says_so(test in naive::test(), item in naive::item()) {
        let condition = ParsedCondition::parse(&test.to_string()).expect("well formed").bind(&placeholders());
        let stored = Item::from_attributes(item.clone()).expect("storable");
        match condition {
            Ok(condition) => {
                prop_assert_eq!(condition.matches(Some(stored.as_ref())), test.holds(&item), "{}", test);
                prop_assert_eq!(condition.matches(None), test.holds(&BTreeMap::new()), "{} of nothing", test);
            }
            Err(error) => prop_assert!(is_about_operands(&error), "{}: {}", test, error),
        }
    }

    #[test]
    fn a_projection_of_whole_attributes_is_those_attributes(
        names in prop::collection::btree_set("[a-dlm]", 1..4),
        item in naive::item(),
    ) {
        let text = names.iter().cloned().collect::<Vec<_>>().join(",");
        let projection = ParsedProjection::parse(&text).expect("paths").bind(&Placeholders::default()).expect("paths");
        let stored = Item::from_attributes(item.clone()).expect("storable");
        let kept: BTreeMap<String, AttributeValue> =
            item.into_iter().filter(|(name, _)| names.contains(name)).collect();
        prop_assert_eq!(projection.project(stored.as_ref()).as_ref().to_attributes(), kept);
    }
}

/// The errors that a tree of random operands may have.
fn is_about_operands(error: &ExpressionError) -> bool {
    use ExpressionError::*;
    matches!(error, SameOperand { .. } | OperandType { .. } | BetweenTypes { .. } | BetweenOrder { .. })
}

/// Random trees are seldom refused, so that the comparison with the naive evaluator means something.
#[test]
fn most_random_conditions_are_accepted() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut draw = || naive::test().new_tree(&mut runner).expect("a tree").current();
    let accepted = |test: Test| {
        ParsedCondition::parse(&test.to_string()).is_ok_and(|parsed| parsed.bind(&placeholders()).is_ok())
    };
    let count = (0..400).filter(|_| accepted(draw())).count();
    assert!(count > 200, "{count} of 400");
}
