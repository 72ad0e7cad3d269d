//! What went wrong, why, what was tried, what it cost, and how to go on.

use candor_engine::RunState;
use candor_model::{EventBody, Recorded, RunStatus, TaskId};
use candor_planning::texts;
use candor_projections::format;
use candor_projections::postmortem::Case;
use serde_json::{Value, json};

use crate::lang::language;

use super::commands;
use super::explain::{failure_lines, paragraph_lines};
use super::live::question_lines;
use super::status::{criteria, heading, warnings};
use super::style::{Line, Mark, Style, Tone};
use super::words::{self, label, mortem};

/// How many consequences and checkpoints are listed.
const SHOWN_TASKS: usize = 20;
const SHOWN_CHECKPOINTS: usize = 4;

/// Tells what went wrong in a run, for people.
#[must_use]
pub fn text(state: &RunState, records: &[Recorded], style: Style) -> String {
    let page = Page { case: Case::of(state, records).told_in(language()), style };
    let mut lines = heading(mortem::HAPPENED.text(), style);
    lines.remove(0);
    lines.extend(paragraph_lines("", Tone::Plain, &page.case.subject.verdict(), style));
    lines.extend(criteria(records, style));
    lines.extend(warnings(&candor_projections::warnings::of(state), style));
    lines.extend(heading(mortem::ROOT_CAUSE.text(), style));
    lines.extend(page.cause_lines());
    lines.extend(heading(mortem::CONSEQUENCES.text(), style));
    lines.extend(page.consequence_lines());
    lines.extend(heading(mortem::TRIED.text(), style));
    lines.extend(page.tried_lines());
    lines.extend(heading(mortem::PRICE.text(), style));
    lines.extend(page.price_lines());
    lines.extend(heading(mortem::NEXT.text(), style));
    lines.extend(page.next_lines());
    lines.extend(heading(label::GO_ON.text(), style));
    lines.extend(command_lines(state, style));
    lines.join("\n") + "\n"
}

/// Gives the same as data.
#[must_use]
pub fn json(state: &RunState, records: &[Recorded]) -> Value {
    let case = Case::of(state, records);
    let commands: Vec<String> = commands(state).into_iter().map(|(command, _)| command).collect();
    let mut told = serde_json::to_value(case.post_mortem()).unwrap_or_default();
    if let Value::Object(fields) = &mut told {
        fields.insert("commands".to_owned(), json!(commands));
    }
    told
}

/// The commands that go on from here, with what they do.
fn commands(state: &RunState) -> Vec<(String, String)> {
    let run = state.run_id();
    let mut all = Vec::new();
    if !state.status().is_end() && state.status() != RunStatus::WaitingHuman {
        all.push((commands::resume(run), words::RESUME_COMMAND.text().to_owned()));
    }
    let points = state.checkpoints().iter().rev().take(SHOWN_CHECKPOINTS);
    all.extend(points.map(|it| (commands::rollback(state, it), words::rollback_command(&it.label))));
    all.push((commands::restart(run), words::RESTART_COMMAND.text().to_owned()));
    all.push((commands::fork(run), words::FORK_COMMAND.text().to_owned()));
    all.push((commands::explain(run), words::WHY_COMMAND.text().to_owned()));
    all.push((commands::logs(run, None), words::LOGS_COMMAND.text().to_owned()));
    all
}

/// A case as text.
struct Page<'a> {
    case: Case<'a>,
    style: Style,
}

impl Page<'_> {
    fn cause_lines(&self) -> Vec<String> {
        let (case, style) = (&self.case, self.style);
        if let Some(error) = case.error().filter(|_| !case.ended_by_tasks()) {
            return paragraph_lines("", Tone::Bad, &words::told(&words::error_text(error)), style);
        }
        if let Some((_, EventBody::RunCancelled { reason })) = case.chronicle().end {
            return paragraph_lines("", Tone::Plain, &words::cancelled(&texts::plain(reason)), style);
        }
        match case.first_failure() {
            Some(failure) => failure_lines(case.chronicle(), failure, style),
            None => paragraph_lines("", Tone::Plain, words::NO_TASK_FAILED.text(), style),
        }
    }

    fn consequence_lines(&self) -> Vec<String> {
        let (case, style) = (&self.case, self.style);
        let affected = case.affected();
        if affected.is_empty() {
            return paragraph_lines("", Tone::Plain, words::NOTHING_FOLLOWED.text(), style);
        }
        let mut lines: Vec<String> = affected
            .iter()
            .take(SHOWN_TASKS)
            .map(|task| {
                let name = format!("{} ({})", texts::task_name(task), task.task_id);
                let told = words::consequence(&name, task.status);
                let needs: Vec<&str> = task.dependencies.iter().map(TaskId::as_str).collect();
                let line = Line::new(style).mark(Mark::of_task(task.status)).plain(&told);
                if needs.is_empty() {
                    line
                } else {
                    line.add(Tone::Dim, &format!("  {}", words::after(&needs, 0)))
                }
            })
            .map(|line| line.render())
            .collect();
        let hidden = affected.len().saturating_sub(SHOWN_TASKS);
        if hidden > 0 {
            lines.push(Line::new(style).add(Tone::Dim, &words::and_more(hidden)).render());
        }
        lines
    }

    fn tried_lines(&self) -> Vec<String> {
        let (case, style) = (&self.case, self.style);
        let chronicle = case.chronicle();
        if chronicle.failures.is_empty() && chronicle.answers.is_empty() {
            return paragraph_lines("", Tone::Plain, words::NOTHING_TRIED.text(), style);
        }
        let mut lines = Vec::new();
        for failure in &chronicle.failures {
            lines.extend(failure_lines(chronicle, failure, style));
            if let Some(by) = case.recovered_by(failure) {
                let told = words::recovered(&chronicle.name(by), failure.task_id, by);
                lines.push(Line::new(style).plain("  ").mark(Mark::Done).plain(&told).render());
            }
        }
        for (at, gate, answer) in &chronicle.answers {
            let when = format::offset(chronicle.offset(*at));
            let told = format!("{when} {gate}: {}", words::answered(answer));
            lines.extend(paragraph_lines("", Tone::Plain, &told, style));
        }
        lines
    }

    fn price_lines(&self) -> Vec<String> {
        let (case, style) = (&self.case, self.style);
        let price = case.price();
        let all = format::money(price.total_cost);
        let told = match price.failed_attempts {
            0 => words::no_price(&all),
            attempts => {
                let (time, money) = (format::duration(price.lost_seconds), format::money(price.lost_cost));
                words::price(&time, &money, attempts, &all)
            }
        };
        let mut lines = paragraph_lines("", Tone::Plain, &told, style);
        let points = &case.chronicle().confidence;
        if let (Some(first), Some(last)) = (points.first(), points.last())
            && first.confidence != last.confidence
        {
            let told = words::confidence_lost(first.confidence, last.confidence);
            lines.extend(paragraph_lines("", Tone::Plain, &told, style));
        }
        lines
    }

    fn next_lines(&self) -> Vec<String> {
        let (case, style) = (&self.case, self.style);
        let suggestions = case.suggestions();
        let mut lines: Vec<String> = suggestions
            .iter()
            .flat_map(|it| super::live::marked(Mark::Note, &words::told(it), style))
            .collect();
        let state = case.subject.state;
        for (gate, question) in state.open_questions() {
            lines.extend(question_lines(state, gate, question, style));
        }
        lines
    }
}

fn command_lines(state: &RunState, style: Style) -> Vec<String> {
    let all = commands(state);
    let widest = all.iter().map(|(command, _)| super::text::width(command)).max().unwrap_or(0);
    let line = |(command, why): &(String, String)| {
        let line = Line::new(style).plain("  ").add(Tone::Accent, command).pad_to(widest + 4);
        line.add(Tone::Dim, why).render()
    };
    all.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use candor_model::RunId;
    use candor_testkit::golden::STORIES;

    use super::*;
    use crate::view::words::tests::story;

    fn told(name: &str) -> (String, Value) {
        let records = story(name);
        let state = RunState::fold(RunId::new("run_test").unwrap(), &records).unwrap();
        let style = Style { width: 500, ..Style::default() };
        (text(&state, &records, style), json(&state, &records))
    }

    #[test]
    fn an_aborted_run_names_its_first_cause_its_consequences_and_the_way_on() {
        // spec: planning QT-07
        let (text, data) = told("rolled_back_and_aborted");
        // What failed before the rollback led nowhere any more.
        assert_eq!(data["first_cause"]["task_id"], "task_003");
        let hit: Vec<_> = data["consequences"].as_array().unwrap().iter().map(|it| &it["task_id"]).collect();
        assert_eq!(hit, ["task_004"]);
        assert_eq!(data["error_kind"], "MaxRevisionsExceeded");
        for part in
            ["Try other dates (June instead of May)", "candor rollback run_test 4", "candor restart run_test"]
        {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn every_failure_of_every_story_is_told() {
        for (name, _) in STORIES {
            let (text, data) = told(name);
            let failures = data["failures"].as_array().unwrap();
            for failure in failures {
                let id = failure["task_id"].as_str().unwrap();
                assert!(text.contains(id), "{name}: {id}");
            }
        }
    }

    #[test]
    fn a_failure_that_was_made_good_names_who_did() {
        let (text, data) = told("backup_agent");
        assert_eq!(data["failures"][0]["recovered_by"], "task_001_retry");
        assert!(text.contains("recovered by Flight search (task_001_retry)"), "{text}");
        assert!(text.contains("1 failed attempt took 1.0s"), "{text}");
    }

    #[test]
    fn a_limit_or_a_person_is_the_cause_where_no_task_was() {
        assert!(told("out_of_money").0.contains("Root cause\nThe run has spent $0.0200"));
        assert!(told("criteria_unmet").0.contains("Root cause\nSuccess criteria not met"));
        assert!(told("adjusted_then_cancelled").0.contains("Root cause\nRun cancelled: changed my mind"));
    }
}
