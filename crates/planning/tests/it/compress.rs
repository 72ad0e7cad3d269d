//! Long results in short, and back.
use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{ExecutionFeedback, FeedbackType, Plan};
use candor_planning::compress::{
    Compressed, ExpandError, FileLines, Level, Section, compress, execution_output, expand, expand_section,
    section_text, tokens, whole,
};
use candor_testkit::fixtures::{feedback, object, plan_of, simple_task};
use proptest::prelude::*;
use serde_json::json;

fn section(name: &str, text: &str, warnings: &[&str]) -> Section {
    Section {
        name: name.to_owned(),
        text: text.to_owned(),
        warnings: warnings.iter().map(|&warning| warning.to_owned()).collect(),
        file: None,
        reference: format!("kept/{name}"),
    }
}

fn long_text() -> String {
    let middle = "Many things happened that nobody needs to know at first sight. ".repeat(60);
    format!("# Build\nThe build began at noon.\n{middle}\nerror: one test failed\nIt ended at one.")
}

fn kept(sections: &[Section]) -> BTreeMap<String, String> {
    sections.iter().map(|section| (section.reference.clone(), section.text.clone())).collect()
}

#[test]
fn the_record_has_the_documented_fields_and_the_ratio_is_that_of_the_tokens() {
    // spec: orchestrator CX-02 CX-03
    let mut one = section("build", &long_text(), &["coverage is low"]);
    one.file = Some(FileLines { path: "src/lib.rs".to_owned(), lines: Some((2, 3)) });
    let short = compress(&[one]);
    let json = serde_json::to_value(&short).unwrap();
    let names: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = [
        "hash",
        "summaryTokens",
        "fullTokensIfExpanded",
        "compressionRatio",
        "summary",
        "keyPoints",
        "references",
        "expandable",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(json["references"][0], json!({ "file": "src/lib.rs", "lines": [2, 3], "relevance": 1.0 }));
    let fields: Vec<&String> = json["expandable"][0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["fullContentRef", "preview", "section"]);
    let ratio = short.summary_tokens as f64 / short.full_tokens_if_expanded as f64;
    assert!((short.compression_ratio - ratio).abs() < 1e-12 && ratio < 0.1, "{ratio}");
    assert!(short.summary.starts_with("The build began at noon."), "{}", short.summary);
    assert!(short.summary.ends_with("It ended at one."), "{}", short.summary);
    assert!(short.key_points.iter().any(|point| point.contains("one test failed")), "{:?}", short.key_points);
    assert_eq!(serde_json::from_value::<Compressed>(json).unwrap(), short);
}

#[test]
fn each_level_gives_more_and_the_last_one_everything() {
    // spec: orchestrator CX-01 CX-07
    let mut first = section("build", &long_text(), &["coverage is low"]);
    first.file = Some(FileLines { path: "src/lib.rs".to_owned(), lines: Some((2, 3)) });
    let sections = [first, section("notes", "Only this.", &[])];
    let (short, mut kept) = (compress(&sections), kept(&sections));
    kept.insert("src/lib.rs".to_owned(), "one\ntwo\nthree\nfour".to_owned());
    let fetch = |reference: &str| kept.get(reference).cloned();
    let at = |level| expand(&short, level, &fetch).unwrap();
    assert_eq!(at(Level::Full), whole(&sections));
    let sizes = [Level::Minimal, Level::Standard, Level::Full].map(|level| tokens(&at(level)));
    assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
    assert!(at(Level::Standard).contains("two\nthree") && !at(Level::Standard).contains("four"));
}

#[test]
fn one_section_can_be_opened_alone() {
    // spec: orchestrator CX-05 X-91
    let sections = [section("a", &long_text(), &[]), section("b", "Only this.", &[])];
    let (short, kept) = (compress(&sections), kept(&sections));
    let asked = std::cell::RefCell::new(Vec::new());
    let fetch = |reference: &str| {
        asked.borrow_mut().push(reference.to_owned());
        kept.get(reference).cloned()
    };
    assert_eq!(expand_section(&short, "b", Level::Full, &fetch).unwrap(), "Only this.");
    assert_eq!(*asked.borrow(), ["kept/b"]);
    let error = expand_section(&short, "c", Level::Full, &fetch).unwrap_err();
    assert!(error.to_string().contains("a, b"), "{error}");
}

#[test]
fn altered_and_lost_texts_are_told_apart_from_the_real_one() {
    // spec: orchestrator CX-04
    let short = compress(&[section("a", "The price is 100.", &[])]);
    let altered = |_: &str| Some("The price is 900.".to_owned());
    assert!(matches!(expand(&short, Level::Full, &altered), Err(ExpandError::Changed { .. })));
    assert!(matches!(expand(&short, Level::Full, &|_| None), Err(ExpandError::Gone { .. })));
    let mut unsigned = short;
    unsigned.expandable[0].full_content_ref = "kept/a".to_owned();
    let same = |_: &str| Some("The price is 100.".to_owned());
    assert!(expand(&unsigned, Level::Full, &same).is_err(), "without a digest nothing is believed");
}

fn results(tasks: usize, warned: &[usize]) -> (Plan, Vec<Arc<ExecutionFeedback>>) {
    let plan = plan_of((1..=tasks).map(|n| simple_task(n, "Do it", &[], "a")).collect(), 0.8);
    let told = (1..=tasks).map(|n| {
        let warns = warned.contains(&n);
        let kind = if warns { FeedbackType::PartialSuccess } else { FeedbackType::Success };
        let mut told = feedback(n, kind, if warns { &["only half of it"] } else { &[] });
        let rows: Vec<_> =
            (0..60).map(|row| json!({ "row": row, "text": "something that is rather long" })).collect();
        told.actual_outputs = object(json!({ format!("output_{n}"): rows }));
        Arc::new(told)
    });
    let told = told.collect();
    (plan, told)
}

#[test]
fn a_large_execution_is_handed_over_in_less_than_a_tenth() {
    // spec: orchestrator HO-09 CX-06
    for tasks in [12, 400] {
        let (plan, told) = results(tasks, &[3, tasks]);
        let short = execution_output(&plan, &told);
        let raw: usize = told.iter().map(|it| serde_json::to_string(&it.actual_outputs).unwrap().len()).sum();
        let handed = serde_json::to_string(&short).unwrap().len();
        assert!(handed * 10 < raw, "{handed} of {raw}");
        for n in [3, tasks] {
            let id = candor_model::TaskId::numbered(n).to_string();
            assert!(short.key_points.iter().any(|it| it.starts_with(&id) && it.contains("half")), "{id}");
            assert!(short.expandable.iter().any(|it| it.section == id), "{id} can be opened");
        }
        assert!(short.expandable.len() <= 101);
        let fetch = |reference: &str| section_text(&plan, &told, reference);
        let all = expand(&short, Level::Full, &fetch).unwrap();
        assert_eq!(tokens(&all), short.full_tokens_if_expanded);
        assert!((1..=tasks).all(|n| all.contains(&format!("\"output_{n}\""))));
    }
}

proptest! {
    #[test]
    fn whatever_is_shortened_comes_back_whole_with_all_its_warnings(
        texts in prop::collection::vec((any::<String>(), prop::collection::vec("[a-zé ]{1,40}[a-z]", 0..3)), 0..6)
    ) {
        // spec: orchestrator CX-01 CX-06
        let sections: Vec<Section> = texts
            .iter()
            .enumerate()
            .map(|(n, (text, warnings))| {
                let warnings: Vec<&str> = warnings.iter().map(String::as_str).collect();
                section(&format!("s{n}"), text, &warnings)
            })
            .collect();
        let (short, kept) = (compress(&sections), kept(&sections));
        let back = expand(&short, Level::Full, &|reference| kept.get(reference).cloned()).unwrap();
        prop_assert_eq!(back, whole(&sections));
        for warning in sections.iter().flat_map(|section| &section.warnings) {
            prop_assert!(short.key_points.iter().any(|point| point.contains(warning.trim())), "{}", warning);
        }
        let minimal = expand(&short, Level::Minimal, &|_| None).unwrap();
        prop_assert!(minimal.len() <= expand(&short, Level::Standard, &|_| None).unwrap().len());
    }
}
