//! The mistake behind failed checks, told from what the answer did and cost.

use keyplan_value::json::{Limits, Tape};

use crate::compare::TableFault;
use crate::exercise::{Exercise, Request};
use crate::grade::{Judged, other_operation};
use crate::verdict::{CheckKind, Diagnosis};
use crate::world::Outcome;

/// The ids of the general diagnoses, by which a lesson's recorded wrong answers name them.
const GENERAL: &[&str] = &[
    "no-request",
    "refused",
    "not-refused",
    "other-operation",
    "too-many-requests",
    "nothing-returned",
    "stopped-early",
    "attributes-lacking",
    "items-missing",
    "items-extra",
    "wrong-order",
    "item-not-written",
    "item-not-asked-for",
    "attribute-lost",
    "attribute-extra",
    "attribute-wrong",
    "filter-did-the-work",
    "scan-did-the-work",
    "read-strongly",
    "read-in-pieces",
    "read-too-much",
    "wrote-too-much",
    "condition-missing",
    "condition-lets-through",
    "refused-on-other-data",
    "order-by-chance",
    "value-written-in",
    "dear-on-other-data",
];

/// The ids of the general diagnoses.
pub fn general_diagnoses() -> impl Iterator<Item = &'static str> {
    GENERAL.iter().copied()
}

/// Whether a general diagnosis has this id.
pub fn is_general_diagnosis(id: &str) -> bool {
    GENERAL.contains(&id)
}

/// Names the mistake of an answer that failed.
pub(crate) fn diagnose(
    exercise: &Exercise,
    answer: &[Request],
    seen: &Judged,
    hidden: Option<&Judged>,
    failed: &[CheckKind],
) -> Diagnosis {
    let has = |kind: CheckKind| failed.contains(&kind);
    if answer.is_empty() {
        return Diagnosis::new("no-request", "No request was sent.", "Write a request first.");
    }
    if has(CheckKind::Accepted) {
        return of_refusal(seen);
    }
    if let Some(other) = other_operation(&exercise.checks, answer) {
        let asked = exercise.checks.operations.join(" or ");
        return Diagnosis::new(
            "other-operation",
            format!("{other} is not what this exercise asks for."),
            format!("Answer it with {asked}."),
        );
    }
    if has(CheckKind::Returned) {
        return of_items(answer, seen);
    }
    if has(CheckKind::Order) {
        return of_order(seen);
    }
    if has(CheckKind::Table) {
        return of_table(&seen.tables, "");
    }
    if has(CheckKind::Requests) {
        let most = exercise.checks.requests.unwrap_or_default();
        return Diagnosis::new(
            "too-many-requests",
            format!("Right, but in {} requests where {most} will do.", answer.len()),
            "Each request is a round trip, and each is rounded up by itself.",
        );
    }
    if has(CheckKind::Read) || has(CheckKind::Examined) {
        return of_reading(exercise, answer, seen);
    }
    if has(CheckKind::Write) {
        return Diagnosis::new(
            "wrote-too-much",
            format!("Right, but it cost {} write units.", seen.outcome.write_units()),
            "A write is charged for the whole item, in steps of 1,024 bytes, and for each index entry that it \
             changes.",
        );
    }
    let when = exercise.hidden.as_ref().map(|hidden| hidden.when.as_str()).unwrap_or_default();
    match hidden {
        Some(hidden) => of_hidden(exercise, answer, hidden, when),
        None => Diagnosis::new("items-missing", "The checks did not pass.", ""),
    }
}

fn of_refusal(seen: &Judged) -> Diagnosis {
    let last = seen.outcome.replies.last();
    match seen.outcome.error() {
        Some(error) => {
            let message = last.and_then(|reply| reply.message.as_deref()).unwrap_or_default();
            Diagnosis::new("refused", format!("The request was refused: {error}."), message)
        }
        None => Diagnosis::new(
            "not-refused",
            "The request went through, and should not have.",
            format!("On this data it must be refused with {}.", seen.expected.error().unwrap_or("an error")),
        ),
    }
}

fn of_items(answer: &[Request], seen: &Judged) -> Diagnosis {
    let items = &seen.items;
    let examined = seen.outcome.examined();
    let filtered = any_has(answer, "FilterExpression");
    if items.found == 0 {
        let text = match (examined, filtered) {
            (0, _) => {
                "No item was read either: no item has that key. Compare it with the keys in the plan, letter \
                       by letter."
                    .to_owned()
            }
            (_, true) => {
                format!("{} read and charged, and the filter let none of them through.", counted(examined))
            }
            (_, false) => format!("{} read, and none is in the answer.", counted(examined)),
        };
        return Diagnosis::new("nothing-returned", "Nothing came back.", text);
    }
    if items.right + items.incomplete == items.expected
        && items.incomplete > 0
        && items.found == items.expected
    {
        return Diagnosis::new(
            "attributes-lacking",
            format!("Right items, but without {}.", items.lacking.join(", ")),
            "What came back is cut by a projection: that of the request, or that of the index.",
        );
    }
    if items.found == items.right && ends_early(&seen.outcome) {
        return Diagnosis::new(
            "stopped-early",
            format!("{} of {} came back, and there is a LastEvaluatedKey.", items.right, items.expected),
            "The page ended before the data did: a Limit counts the items that are read, before any filter.",
        );
    }
    if items.right < items.expected && items.found == items.right {
        return Diagnosis::new(
            "items-missing",
            format!("Right so far, but {} of {} are missing.", items.expected - items.right, items.expected),
            "The condition is narrower than the question.",
        );
    }
    if items.right == items.expected {
        return Diagnosis::new(
            "items-extra",
            format!("{} came back, and {} were asked for.", counted(items.found as u64), items.expected),
            "The condition is wider than the question.",
        );
    }
    Diagnosis::new(
        "items-extra",
        format!(
            "{} of the {} came back, and {} other.",
            items.right,
            items.expected,
            items.found - items.right
        ),
        "The condition asks for something else.",
    )
}

fn of_order(seen: &Judged) -> Diagnosis {
    let text = if seen.items.reversed {
        "They stand just the other way round: ScanIndexForward says which end of the sort key comes first."
    } else {
        "Items come in the order of the sort key of the table or index that is read; a Scan takes partitions in \
         the order of their hash."
    };
    Diagnosis::new("wrong-order", "Right items, wrong order.", text)
}

/// `on` says on which data, where it is not what the reader sees.
fn of_table(faults: &[TableFault], on: &str) -> Diagnosis {
    let (id, title, text) = match faults.first() {
        Some(TableFault::ItemMissing { key }) => (
            "item-not-written",
            format!("{key} is not in the table afterwards{on}."),
            "It should be there.".to_owned(),
        ),
        Some(TableFault::ItemExtra { key }) => (
            "item-not-asked-for",
            format!("{key} is in the table afterwards{on}."),
            "It should not be there: an item stands where its key says, and another key is another item.".to_owned(),
        ),
        Some(TableFault::AttributeMissing { key, attribute }) => (
            "attribute-lost",
            format!("{attribute} of {key} is gone{on}."),
            "PutItem replaces the whole item: what the request leaves out is lost. UpdateItem changes what it names \
             and leaves the rest."
                .to_owned(),
        ),
        Some(TableFault::AttributeExtra { key, attribute }) => (
            "attribute-extra",
            format!("{key} has {attribute} afterwards{on}."),
            "It should not have that attribute.".to_owned(),
        ),
        Some(TableFault::AttributeWrong { key, attribute, expected, found }) => (
            "attribute-wrong",
            format!("{attribute} of {key} is {found} afterwards{on}."),
            format!("It should be {expected}."),
        ),
        None => ("attribute-wrong", format!("The tables differ{on}."), String::new()),
    };
    Diagnosis::new(id, title, text)
}

fn of_reading(exercise: &Exercise, answer: &[Request], seen: &Judged) -> Diagnosis {
    let (examined, returned) = (seen.outcome.examined(), seen.items.found as u64);
    let cost = seen.outcome.read_units();
    let index =
        index_of(&exercise.solution).filter(|index| index_of(answer).as_deref() != Some(index.as_str()));
    let key = match &index {
        Some(index) => {
            format!("The index {index} is keyed by what is asked for: a Query on it reads what it returns.")
        }
        None => "Only a condition on the key narrows what is read; ask for it in the KeyConditionExpression."
            .to_owned(),
    };
    let expected = seen.expected.examined();
    if examined > returned.max(expected) && any_has(answer, "FilterExpression") {
        let title =
            format!("Right items, but {examined} were read to return {returned}: a filter did the work.");
        return Diagnosis::new("filter-did-the-work", title, key);
    }
    if answer.iter().any(|request| request.operation() == "Scan") {
        let title = format!("Right items, but a Scan read {} to find them.", counted(examined));
        return Diagnosis::new("scan-did-the-work", title, key);
    }
    if examined <= expected && any_is_true(answer, "ConsistentRead") {
        return Diagnosis::new(
            "read-strongly",
            format!("Right items at twice the price: {cost} read units."),
            "ConsistentRead counts each 4,096 bytes as a whole unit instead of half of one.",
        );
    }
    if answer.len() > exercise.solution.len() {
        let title = format!("Right items, but {} requests cost {cost} read units.", answer.len());
        return Diagnosis::new(
            "read-in-pieces",
            title,
            "Each request is rounded up to 4,096 bytes by itself; one Query adds the bytes up before it rounds.",
        );
    }
    let title = format!("Right items, but {} were read, for {cost} read units.", counted(examined));
    Diagnosis::new("read-too-much", title, key)
}

fn of_hidden(exercise: &Exercise, answer: &[Request], hidden: &Judged, when: &str) -> Diagnosis {
    let failed = hidden.failures(&exercise.checks);
    let has = |kind: CheckKind| failed.contains(&kind);
    if has(CheckKind::Accepted) {
        return of_hidden_refusal(exercise, answer, hidden, when);
    }
    if has(CheckKind::Returned) {
        let text = if ends_early(&hidden.outcome) && hidden.items.found == hidden.items.right {
            "There the page ends at its Limit, before the data do."
        } else {
            "A value is written into the request instead of being asked of the table, or a condition fits only what \
             stands there now."
        };
        let title = format!("Right on this data, but it returns other items when {when}.");
        return Diagnosis::new("value-written-in", title, text);
    }
    if has(CheckKind::Order) {
        return Diagnosis::new(
            "order-by-chance",
            format!("Right order by chance: it is another when {when}."),
            "Only the sort key of what a Query reads gives an order; a Scan takes partitions in the order of their \
             hash.",
        );
    }
    if has(CheckKind::Table) {
        let fault = of_table(&hidden.tables, "");
        return Diagnosis::new(
            "value-written-in",
            format!("Right on this data, but not when {when}."),
            format!("There {} {}", lower_first(&fault.title), fault.text),
        );
    }
    Diagnosis::new(
        "dear-on-other-data",
        format!("Right, but it reads too much when {when}."),
        format!(
            "There it reads {} for {} read units.",
            counted(hidden.outcome.examined()),
            hidden.outcome.read_units()
        ),
    )
}

fn of_hidden_refusal(exercise: &Exercise, answer: &[Request], hidden: &Judged, when: &str) -> Diagnosis {
    let (found, expected) = (hidden.outcome.error(), hidden.expected.error());
    match (found, expected) {
        (Some(error), None) => Diagnosis::new(
            "refused-on-other-data",
            format!("Right on this data, but refused when {when}."),
            format!("There it gets {error}."),
        ),
        (_, Some(error)) => {
            let lost = hidden.tables.first().map(|_| of_table(&hidden.tables, ""));
            let lost =
                lost.map(|fault| format!(" Instead, {}", lower_first(&fault.title))).unwrap_or_default();
            if any_has(&exercise.solution, "ConditionExpression") && !any_has(answer, "ConditionExpression") {
                return Diagnosis::new(
                    "condition-missing",
                    format!("The condition is missing: the write goes through when {when}."),
                    format!("There it must be refused with {error}.{lost}"),
                );
            }
            Diagnosis::new(
                "condition-lets-through",
                format!("The condition lets the write through when {when}."),
                format!("There it must be refused with {error}.{lost}"),
            )
        }
        (None, None) => Diagnosis::new("refused-on-other-data", format!("It goes wrong when {when}."), ""),
    }
}

/// Whether the last request of a read stopped before the data did.
fn ends_early(outcome: &Outcome) -> bool {
    outcome.replies.last().is_some_and(|reply| reply.has_bookmark)
}

fn any_has(requests: &[Request], member: &str) -> bool {
    requests.iter().any(|request| member_of(request, member).is_some())
}

fn any_is_true(requests: &[Request], member: &str) -> bool {
    requests.iter().any(|request| member_of(request, member).as_deref() == Some("true"))
}

fn index_of(requests: &[Request]) -> Option<String> {
    requests.iter().find_map(|request| member_of(request, "IndexName"))
}

/// A member of a request's body as it is written.
fn member_of(request: &Request, member: &str) -> Option<String> {
    let tape = Tape::parse(request.body.as_bytes(), &Limits::default()).ok()?;
    let value = tape.root().get(member).filter(|value| !value.is_null())?;
    Some(value.raw().to_owned())
}

fn counted(items: u64) -> String {
    if items == 1 { "1 item".to_owned() } else { format!("{items} items") }
}

fn lower_first(text: &str) -> String {
    // Keys and attribute names keep their letters; only our own words are lowered.
    text.strip_prefix("The ").map_or_else(|| text.to_owned(), |rest| format!("the {rest}"))
}
