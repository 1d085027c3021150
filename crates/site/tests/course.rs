//! The course as a host serves it: a map, lessons that read well without scripts, and plain texts.

use keyplan_site::{Assets, Content, Site, SiteError};

const COLLECTION: &str = include_str!("../../../content/course/04-one-query-a-whole-collection.yaml");
const FILTER: &str = include_str!("../../../content/course/06-a-filter-is-no-index.yaml");
const PROJECTIONS: &str = include_str!("../../../content/course/28-projections.yaml");
const CUSTOMER_ORDERS: &str = include_str!("../../../content/models/customer-orders.yaml");

fn site() -> Site {
    let content = Content {
        models: &[("customer-orders.yaml", CUSTOMER_ORDERS)],
        lessons: &[
            ("06-a-filter-is-no-index.yaml", FILTER),
            ("04-one-query-a-whole-collection.yaml", COLLECTION),
        ],
        ..Content::default()
    };
    Site::build(&content, Assets::none()).unwrap_or_else(|error| panic!("{error}"))
}

fn text(site: &Site, path: &str) -> String {
    let page = site.page(path).unwrap_or_else(|| panic!("{path} is there"));
    String::from_utf8(page.bytes.to_vec()).expect("UTF-8")
}

fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once(r#"id="lesson-data">"#).expect("the data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn the_map_has_lessons_in_their_order() {
    let map = text(&site(), "/course/");
    let first = map.find("one-query-a-whole-collection/").expect("lesson 1");
    let second = map.find("a-filter-is-no-index/").expect("lesson 2");
    assert!(first < second);
    assert!(map.contains(r#"<h2 id="reading">Reading</h2>"#));
}

#[test]
fn a_lesson_is_whole_without_scripts() {
    let page = text(&site(), "/course/a-filter-is-no-index/");
    for part in [
        "<h1>A filter is no index</h1>",
        "A <code>FilterExpression</code> seems to help.",
        r#"<li class="step" id="step-4">"#,
        "<b>15</b> examined",
        "<b>0.5</b> read units",
        "Floor sander",
        "Index ByBorrower",
        "<summary>Hint 1 of 3</summary>",
        "<li>Items: 3, in order</li>",
        "Put what you ask for into a key",
        r#"rel="prev" href="../one-query-a-whole-collection/""#,
        r#"<a href="../../models/customer-orders/">Design: Customer orders</a>"#,
    ] {
        assert!(page.contains(part), "no {part}");
    }
    assert!(!page.contains("newest-first"), "no link to a lesson that is not there");
}

#[test]
fn a_lesson_carries_its_data() {
    let data = data(&text(&site(), "/course/a-filter-is-no-index/"));
    assert_eq!(data["lesson"]["number"], 2);
    assert_eq!(data["lesson"]["of"], 2);
    assert_eq!(data["lesson"]["previous"]["id"], "one-query-a-whole-collection");
    assert_eq!(data["lesson"].get("next"), None);
    assert_eq!(data["indexes"][0]["index"], "ByBorrower");
    assert_eq!(data["indexInspections"][0]["index"], "ByBorrower");
    assert_eq!(data["setup"].as_array().map(Vec::len), Some(16));
    assert_eq!(data["steps"][0]["id"], "step-1");
    assert_eq!(data["steps"][0]["request"]["target"], "DynamoDB_20120810.Scan");
    assert_eq!(data["steps"][3]["stated"]["lastEvaluatedKey"], true);
    assert_eq!(data["exercise"]["hints"], 3);
    assert!(data["exercise"]["grading"]["solution"].is_array());
}

#[test]
fn plain_texts_hold_the_course_and_the_designs() {
    let site = site();
    let index = text(&site, "/llms.txt");
    assert!(
        index.contains("- [2. A filter is no index](course/a-filter-is-no-index/): It shortens the answer.")
    );
    assert!(index.contains("(models/customer-orders/)"));
    let full = text(&site, "/llms-full.txt");
    for part in [
        "# Lesson 1: One Query",
        "Takeaway: You pay for what is examined.",
        "\"FilterExpression\"",
        "(text, 884 characters)",
    ] {
        assert!(full.contains(part), "no {part}");
    }
}

#[test]
fn what_is_no_lesson_is_said() {
    let content = Content { lessons: &[("06-x.yaml", "keyplan-lesson: 1")], ..Content::default() };
    assert!(matches!(Site::build(&content, Assets::none()), Err(SiteError::Course(_))));
    let taken = FILTER.replacen("loan: 2026-10-19#0402,", "", 1);
    let content = Content { lessons: &[("06-x.yaml", &taken)], ..Content::default() };
    assert!(matches!(Site::build(&content, Assets::none()), Err(SiteError::Lesson { id, .. }) if id == "x"));
}

#[test]
fn text_of_a_lesson_is_text_on_the_page() {
    let taken = FILTER
        .replacen("title: A filter is no index", "title: A <b>filter</b>", 1)
        .replacen("At the\n  desk", "<script>x</script>", 1)
        .replacen("tool: Floor sander", "tool: \"</script><script>y\"", 1);
    let content = Content { lessons: &[("06-x.yaml", &taken)], ..Content::default() };
    let site = Site::build(&content, Assets::none()).unwrap_or_else(|error| panic!("{error}"));
    let page = text(&site, "/course/x/");
    assert!(!page.contains("<script>x") && !page.contains("</script><script>y"));
    assert!(page.contains("&lt;script&gt;x") && page.contains("A &#60;b&#62;filter"));
}

/// Somebody who goes from landmark to landmark hears nothing but their labels.
#[test]
fn no_two_sections_of_a_lesson_have_the_same_label() {
    let content = Content { lessons: &[("28-projections.yaml", PROJECTIONS)], ..Content::default() };
    let site = Site::build(&content, Assets::none()).unwrap_or_else(|error| panic!("{error}"));
    let page = text(&site, "/course/projections/");
    let sections = page.split("<section ").skip(1);
    let labels: Vec<&str> = sections
        .filter_map(|section| section.split_once('>')?.0.split_once("aria-label=\"")?.1.split_once('"'))
        .map(|(label, _)| label)
        .collect();
    assert!(labels.iter().any(|label| label.contains(", partition ")), "its indexes are drawn: {labels:?}");
    for (place, label) in labels.iter().enumerate() {
        assert!(!labels[..place].contains(label), "{label} names two sections");
    }
}
