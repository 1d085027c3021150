//! Topics keep their cases: conformance/minimum.yaml says how many each has at least.

use std::collections::{BTreeMap, BTreeSet};

use keyplan_conformance::built_in;

#[test]
fn no_topic_falls_below_its_minimum() {
    let text = include_str!("../../../conformance/minimum.yaml");
    let minimum: BTreeMap<String, usize> = serde_saphyr::from_str(text).expect("numbers by topic");
    let otherwise = minimum["else"];
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for file in built_in().unwrap_or_else(|error| panic!("{error}")) {
        *found.entry(file.topic).or_default() += file.cases.len();
    }
    for (topic, count) in &found {
        let least = minimum.get(topic).copied().unwrap_or(otherwise);
        assert!(*count >= least, "{topic} has {count} cases; conformance/minimum.yaml asks for {least}");
    }
    for topic in minimum.keys().filter(|topic| *topic != "else") {
        assert!(found.contains_key(topic), "conformance/minimum.yaml names `{topic}`, which has no cases");
    }
}

#[test]
fn a_case_has_a_name_of_its_own_in_its_topic() {
    let mut names = BTreeSet::new();
    for file in built_in().unwrap_or_else(|error| panic!("{error}")) {
        for case in file.cases {
            let (topic, name) = (file.topic.clone(), case.name);
            assert!(names.insert((topic, name.clone())), "{}: two cases are named `{name}`", file.topic);
        }
    }
}
