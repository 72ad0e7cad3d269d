//! The report on a run, finished or not: Markdown and HTML for people, JSON for programs. The result comes first.

mod block;
mod diagrams;
mod html;
mod layout;
mod markdown;
mod models;
mod result;
mod sections;
mod values;

use candor_engine::RunState;
use candor_model::Recorded;
use candor_projections::deliverable::{deliverables, missing};
use candor_projections::report::{Report, Subject};
use serde_json::{Value, json};

use self::block::Block;
use crate::lang::language;

use super::words::title;

/// Writes the report on a run as Markdown.
#[must_use]
pub fn markdown(state: &RunState, records: &[Recorded]) -> String {
    markdown::page(&title_of(state), &blocks(&Subject::of(state, records).told_in(language())))
}

/// Writes the report on a run as one HTML file.
#[must_use]
pub fn html(state: &RunState, records: &[Recorded]) -> String {
    html::page(&title_of(state), &blocks(&Subject::of(state, records).told_in(language())))
}

/// Gives the report as data; `null` stands for what is not known yet.
#[must_use]
pub fn report_json(state: &RunState, records: &[Recorded]) -> Value {
    json!(Report::of(state, records))
}

/// The person's own words; a run without any has its name.
fn title_of(state: &RunState) -> String {
    let request = state.request().trim();
    if request.is_empty() { state.run_id().to_string() } else { request.to_owned() }
}

fn blocks(subject: &Subject<'_>) -> Vec<Block> {
    let made = deliverables(subject);
    let how = [
        sections::goal(subject),
        sections::steps(&made),
        sections::plan(subject),
        sections::timeline(subject),
        sections::failures(subject),
        sections::revisions(subject),
        sections::confidence(subject),
        sections::cost(subject),
        models::models(subject),
        sections::people(subject),
        sections::notes(subject),
        sections::lessons(subject),
        sections::further(subject),
    ];
    let how = block::section(2, title::HOW.text(), how.concat());
    [result::head(subject), result::result(subject, &made), result::missing(&missing(subject)), how].concat()
}

#[cfg(test)]
mod tests {
    use candor_model::{EventBody, FeedbackType, RunId, RunSettings};
    use candor_testkit::fixtures;
    use candor_testkit::golden::STORIES;
    use candor_testkit::scenario::Scenario;

    use super::*;
    use crate::view::words::tests::story;

    fn told(name: &str) -> (RunState, Vec<Recorded>) {
        let records = story(name);
        (RunState::fold(RunId::new("run_test").unwrap(), &records).unwrap(), records)
    }

    #[test]
    fn every_failed_task_and_every_revision_is_in_the_report_of_every_story() {
        // spec: planning TR-11 QT-07
        for (name, _) in STORIES {
            let (state, records) = told(name);
            let text = markdown(&state, &records);
            let (_, failures) = text.split_once("## Failures and what was done").unwrap();
            let (failures, _) = failures.split_once("\n### ").unwrap();
            for recorded in &records {
                match &recorded.event.body {
                    EventBody::TaskFailed { task_id, .. } => {
                        assert!(failures.contains(task_id.as_str()), "{name}");
                    }
                    EventBody::Replanned { revision, .. } => {
                        assert!(text.contains(revision.revision_id.as_str()), "{name}");
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn a_report_can_be_made_at_every_moment_of_every_story() {
        for (name, _) in STORIES {
            let records = story(name);
            for end in 0..=records.len() {
                let records = &records[..end];
                let state = RunState::fold(RunId::new("run_test").unwrap(), records).unwrap();
                let text = markdown(&state, records);
                assert!(text.starts_with("# "), "{name} after {end}");
                assert_eq!(text.matches("\n```").count() % 2, 0, "{name} after {end}: an open block");
                assert_eq!(report_json(&state, records)["run_id"], "run_test");
            }
        }
    }

    #[test]
    fn the_report_says_how_it_ended_and_what_to_learn() {
        // spec: planning TR-10 TR-13 EN-26
        let (state, records) = told("backup_agent");
        let text = markdown(&state, &records);
        for part in [
            "the goal is not verified: no criterion says when it is reached. 4 of 4 tasks, ",
            "```mermaid",
            "| `rev_1` |",
            "0.85 → 0.75",
            "backup flight agent",
            "## Lessons",
            "candor explain run_test",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn odd_text_breaks_neither_tables_nor_blocks() {
        let odd = "a|b `c` ``` <script>alert(1)</script> \\| | # h\n\n- x\n| y |";
        let mut tasks = fixtures::paris_plan().subtasks;
        for task in &mut tasks {
            task.metadata.name = Some(odd.to_owned());
        }
        let mut run = Scenario::of(fixtures::plan_of(tasks, 0.9), RunSettings::default());
        let mut answer = fixtures::feedback(1, FeedbackType::Success, &[]);
        answer.actual_outputs =
            fixtures::object(json!({ odd: odd, "list": [odd, odd], "deep": { odd: [odd] } }));
        run.report("task_001", answer);
        run.fail("task_003", odd);
        let text = markdown(&run.state, &run.log);
        assert_tables_are_whole(&text);
        let blocks: Vec<_> = text.split("\n```").collect();
        assert_eq!(blocks.len() % 2, 1, "a block is open");
        let prose: String = blocks.iter().step_by(2).copied().collect();
        assert!(!prose.contains("<script>"), "{prose}");
    }

    fn assert_tables_are_whole(text: &str) {
        let bars = |line: &str| line.replace("\\\\", "").replace("\\|", "").matches('|').count();
        let mut columns = None;
        for line in text.lines() {
            if !line.starts_with('|') {
                columns = None;
                continue;
            }
            let wanted = *columns.get_or_insert(bars(line));
            assert_eq!(bars(line), wanted, "{line}");
        }
    }
}
