//! The outputs of a plan in short, and back.
use std::sync::Arc;

use candor_model::{ExecutionFeedback, FeedbackType, Plan};
use candor_planning::compress::{ExpandError, execution_output, outputs_text};
use candor_testkit::fixtures::{feedback, object, plan_of, simple_task};
use serde_json::json;

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
    }
}

#[test]
fn the_record_has_the_documented_fields_and_the_ratio_is_that_of_the_tokens() {
    // spec: orchestrator CX-02 CX-03
    let (plan, told) = results(12, &[3]);
    let short = execution_output(&plan, &told);
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
    let fields: Vec<&String> = json["expandable"][0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["fullContentRef", "preview", "section"]);
    let ratio = short.summary_tokens as f64 / short.full_tokens_if_expanded as f64;
    assert!((short.compression_ratio - ratio).abs() < 1e-12 && ratio < 0.1, "{ratio}");
}

#[test]
fn a_section_opens_to_the_whole_text_or_says_that_it_is_gone_or_altered() {
    // spec: orchestrator CX-04 CX-05 X-91
    let (plan, told) = results(12, &[]);
    let short = execution_output(&plan, &told);
    for (section, task) in short.expandable.iter().zip(&told) {
        let whole = outputs_text(task);
        assert_eq!(section.open(&|_| Some(whole.clone())).unwrap(), whole);
        let altered = section.open(&|_| Some(format!("{whole} ")));
        assert!(matches!(altered, Err(ExpandError::Changed { .. })), "{altered:?}");
        assert!(matches!(section.open(&|_| None), Err(ExpandError::Gone { .. })));
        let mut unsigned = section.clone();
        unsigned.full_content_ref = "task/task_001/outputs".to_owned();
        assert!(unsigned.open(&|_| Some(whole.clone())).is_err(), "without a digest nothing is believed");
    }
}
