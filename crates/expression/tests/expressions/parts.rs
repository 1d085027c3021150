//! Conditions taken apart and put together.

use keyplan_expression::{
    Comparator, Condition, DocumentPath, ExpressionBuilder, Part, PartId, Placeholders,
};
use keyplan_value::{AttributeValue, Item, Value};

fn path(name: &str) -> DocumentPath {
    DocumentPath::new(name.into(), [])
}

fn value(value: impl Into<AttributeValue>) -> std::sync::Arc<Value> {
    Value::try_from(&value.into()).expect("storable").into()
}

/// `a = 1 AND ((b = 2) = flag OR c = 3) AND flag IN [d = 4]`
fn condition() -> Condition {
    let mut builder = ExpressionBuilder::default();
    let equal = |builder: &mut ExpressionBuilder, name: &str, number: i32| {
        let (left, right) = (builder.path(&path(name)), builder.value(value(number)));
        builder.compare(Comparator::Equal, left, right)
    };
    let a = equal(&mut builder, "a", 1);
    let b = equal(&mut builder, "b", 2);
    let flag = builder.path(&path("flag"));
    let truth = builder.truth(b);
    let compared = builder.compare(Comparator::Equal, truth, flag);
    let c = equal(&mut builder, "c", 3);
    let or = builder.or(compared, c);
    let and = builder.and(a, or);
    let flag = builder.path(&path("flag"));
    let d = equal(&mut builder, "d", 4);
    let truth = builder.truth(d);
    let in_list = builder.is_in(flag, &[truth]);
    builder.and(and, in_list);
    builder.into_condition().bind(&Placeholders::default()).expect("it is right")
}

fn item(b: i32, flag: bool, d: i32) -> Item {
    Item::from_attributes([
        ("a", AttributeValue::from(1)),
        ("b", AttributeValue::from(b)),
        ("flag", AttributeValue::from(flag)),
        ("d", AttributeValue::from(d)),
    ])
    .expect("an item")
}

fn sides(condition: &Condition, id: PartId) -> [PartId; 2] {
    match condition.part(id) {
        Part::And(left, right) | Part::Or(left, right) => [left, right],
        other => panic!("{other:?} has no two sides"),
    }
}

#[test]
fn a_condition_may_be_compared_with_a_truth() {
    let condition = condition();
    for (b, flag, d, holds) in
        [(2, true, 4, true), (3, false, 5, true), (2, false, 4, false), (2, true, 5, false)]
    {
        assert_eq!(condition.matches(Some(item(b, flag, d).as_ref())), holds, "{b} {flag} {d}");
    }
}

#[test]
fn a_part_is_a_condition_of_its_own_and_parts_make_the_whole() {
    let condition = condition();
    let [and, in_list] = sides(&condition, condition.root().expect("a root"));
    let [a, or] = sides(&condition, and);
    let [compared, c] = sides(&condition, or);
    let names =
        |id| condition.paths_of(id).iter().map(|path| path.attribute().to_string()).collect::<Vec<_>>();
    assert_eq!(names(a), ["a"]);
    assert_eq!(names(or), ["b", "flag", "c"]);
    assert_eq!(names(compared), ["b", "flag"]);
    assert_eq!(names(in_list), ["d", "flag"]);
    let joined = condition
        .only(a)
        .and(condition.only(compared).or(condition.only(c)))
        .and(condition.only(in_list).negated().negated());
    for (b, flag, d) in [(2, true, 4), (3, false, 5), (2, false, 4), (2, true, 5), (3, true, 4)] {
        let item = item(b, flag, d);
        let item = Some(item.as_ref());
        assert_eq!(joined.matches(item), condition.matches(item), "{b} {flag} {d}");
    }
    assert!(!condition.only(c).matches(None) && !Condition::exists(path("a")).matches(None));
}
