//! One run in a screenful: where it stands, what failed, what it waits for and what to type.

use candor_engine::{RunState, Stage};
use candor_model::{Phase, Recorded, RunSummary, Seconds, TaskStatus};
use candor_planning::texts;
use serde_json::{Value, json};

use super::chronicle::Chronicle;
use super::live::{asked, bar, marked, question_lines};
use super::style::{Line, Mark, Style, Tone};
use super::words::{self, label};
use super::{commands, format, tree};

const LABEL_COLUMNS: usize = 12;
const SHOWN_FAILURES: usize = 5;

/// Shows where a run stands.
#[must_use]
pub fn text(state: &RunState, records: &[Recorded], style: Style) -> String {
    let chronicle = Chronicle::of(records);
    let mut lines = facts(state, records, &chronicle, style);
    let drawn = tree::draw(state, records, style);
    if !drawn.is_empty() {
        lines.push(String::new());
        lines.extend(drawn);
    }
    lines.extend(failures(&chronicle, style));
    lines.extend(questions(state, style));
    lines.extend(next_steps(state, &chronicle, style));
    lines.join("\n") + "\n"
}

/// Gives the same as data.
#[must_use]
pub fn json(state: &RunState, records: &[Recorded]) -> Value {
    let summary = summary(state, records);
    let chronicle = Chronicle::of(records);
    let plan = state.plan();
    let tasks = plan.iter().flat_map(|plan| &plan.subtasks).map(|task| {
        json!({
            "task_id": task.task_id, "name": texts::task_name(task), "status": task.status,
            "agent_type": task.agent_type, "dependencies": task.dependencies,
            "failure_count": task.metadata.failure_count,
        })
    });
    let questions = state.open_questions().iter().map(|(gate, question)| {
        json!({ "gate": gate, "question": question, "commands": commands::answers(state.run_id(), question) })
    });
    let checkpoints = state.checkpoints().iter();
    let checkpoints =
        checkpoints.map(|it| json!({ "id": it.id, "label": it.label, "position": it.position }));
    json!({
        "run_id": state.run_id(),
        "status": state.status(),
        "phases": phases(state).iter().map(|phase| phase.as_str()).collect::<Vec<_>>(),
        "request": state.request(),
        "goal": state.goal(),
        "plan_id": plan.as_ref().map(|plan| &plan.plan_id),
        "progress_percentage": summary.progress_percentage,
        "estimated_remaining_time": remaining(records),
        "confidence": state.confidence(),
        "cost": state.spent(),
        "degradation": state.degradation(),
        "started_at": summary.started_at,
        "updated_at": summary.updated_at,
        "paused": state.is_paused(),
        "failures": chronicle.failures.len(),
        "last_failure": summary.last_failure,
        "tasks": tasks.collect::<Vec<_>>(),
        "open_questions": questions.collect::<Vec<_>>(),
        "checkpoints": checkpoints.collect::<Vec<_>>(),
    })
}

fn summary(state: &RunState, records: &[Recorded]) -> RunSummary {
    let mut summary = RunSummary::new(state.run_id().clone());
    records.iter().for_each(|recorded| summary.absorb(&recorded.event));
    summary
}

/// The latest word on the time that is left.
fn remaining(records: &[Recorded]) -> Option<Seconds> {
    records.iter().rev().find_map(|recorded| match &recorded.event.body {
        candor_model::EventBody::Progressed { update } => Some(update.estimated_remaining_time),
        _ => None,
    })
}

/// The phases that are at work.
pub(super) fn phases(state: &RunState) -> Vec<Phase> {
    match state.stage() {
        Stage::Preparing { open, .. } => open.iter().copied().collect(),
        Stage::Proposed => vec![Phase::Planning],
        Stage::Executing => vec![Phase::Execution],
        Stage::Closing { phase } => vec![*phase],
        Stage::New | Stage::Stopping { .. } | Stage::Ended(_) => Vec::new(),
    }
}

fn facts(state: &RunState, records: &[Recorded], chronicle: &Chronicle<'_>, style: Style) -> Vec<String> {
    let fact = |name: &str| Line::new(style).add(Tone::Dim, name).pad_to(LABEL_COLUMNS);
    let status = state.status();
    let mut lines = vec![
        fact(label::GOAL).fit(Tone::Strong, state.request(), style.columns()).render(),
        fact(label::RUN).plain(state.run_id().as_str()).render(),
        fact(label::STATUS).add(Tone::of_status(status), words::run_status(status)).render(),
    ];
    let phases: Vec<&str> = phases(state).into_iter().map(words::phase).collect();
    if !phases.is_empty() {
        lines.push(fact(label::PHASE).plain(&phases.join(", ")).render());
    }
    if let Some(plan) = state.plan() {
        let percentage = summary(state, records).progress_percentage;
        let done = plan.subtasks.iter().filter(|task| task.status == TaskStatus::Completed).count();
        let mut parts = vec![words::tasks_done(done, plan.subtasks.len())];
        let left = remaining(records).filter(|left| *left > Seconds::ZERO && !status.is_end());
        parts.extend(left.map(words::remaining));
        let line = fact(label::PROGRESS).append(bar(percentage, style));
        lines.push(line.plain("  ").plain(&parts.join(", ")).render());
    }
    lines.push(fact(label::COST).plain(&format::money(state.spent())).render());
    lines
        .extend(state.confidence().map(|it| fact(label::CONFIDENCE).plain(&format::confidence(it)).render()));
    let started = chronicle.started.map(format::day_and_clock);
    lines.extend(
        started.map(|at| fact(label::STARTED).plain(&words::started(&at, chronicle.elapsed())).render()),
    );
    lines
}

fn failures(chronicle: &Chronicle<'_>, style: Style) -> Vec<String> {
    let count = chronicle.failures.len();
    if count == 0 {
        return Vec::new();
    }
    let mut lines = heading(label::FAILURES, style);
    let hidden = count.saturating_sub(SHOWN_FAILURES);
    if hidden > 0 {
        lines.push(Line::new(style).add(Tone::Dim, &words::and_more(hidden)).render());
    }
    for failure in chronicle.failures.iter().skip(hidden) {
        let told = failure.notice.map_or_else(|| texts::cause(&failure.feedback.errors), words::failure);
        lines.extend(marked(Mark::Failed, &told, style));
    }
    lines
}

fn questions(state: &RunState, style: Style) -> Vec<String> {
    if state.open_questions().is_empty() {
        return Vec::new();
    }
    let mut lines = heading(label::WAITING_FOR_YOU, style);
    for question in state.open_questions().values() {
        lines.extend(question_lines(state.run_id(), question, &asked(state, question), style));
    }
    lines
}

fn next_steps(state: &RunState, chronicle: &Chronicle<'_>, style: Style) -> Vec<String> {
    let run = state.run_id();
    let mut lines = heading(label::DETAILS, style);
    let mut steps = if state.status().is_end() {
        vec![commands::report(run), commands::explain(run)]
    } else {
        vec![commands::watch(run), commands::resume(run), commands::explain(run)]
    };
    if !chronicle.failures.is_empty() {
        steps.push(commands::postmortem(run));
    }
    lines.extend(steps.iter().map(|step| Line::new(style).plain("  ").add(Tone::Accent, step).render()));
    lines
}

/// A heading with an empty line before it.
pub(super) fn heading(title: &str, style: Style) -> Vec<String> {
    vec![String::new(), Line::new(style).add(Tone::Strong, title).render()]
}

#[cfg(test)]
mod tests {
    use candor_model::{RunId, RunSettings};
    use candor_testkit::fixtures::{paris_plan, plan_of};
    use candor_testkit::golden::STORIES;
    use candor_testkit::scenario::Scenario;

    use super::*;
    use crate::view::text::width;
    use crate::view::words::tests::story;

    #[test]
    fn a_run_that_waits_says_for_what_and_how_to_answer() {
        let run = Scenario::of(plan_of(paris_plan().subtasks, 0.45), RunSettings::default());
        let shown = text(&run.state, &run.log, Style::default());
        for part in [
            "waiting for a person",
            "May this plan run? Confidence 0.45",
            "candor approve run_test",
            "candor adjust run_test TASK FIELD VALUE",
            "candor reject run_test",
        ] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
        let data = json(&run.state, &run.log);
        assert_eq!(data["status"], "waiting_human");
        assert_eq!(data["open_questions"][0]["commands"][0], "candor approve run_test");
    }

    #[test]
    fn a_status_fits_the_screen_at_every_moment_of_every_story() {
        for (name, _) in STORIES {
            let records = story(name);
            for end in 0..=records.len() {
                let records = &records[..end];
                let state = RunState::fold(RunId::new("run_test").unwrap(), records).unwrap();
                for columns in [30, 80] {
                    let shown = text(&state, records, Style { width: columns, ..Style::default() });
                    let wide = shown.lines().find(|line| width(line) > usize::from(columns));
                    assert_eq!(wide, None, "{name} after {end}");
                }
                assert_eq!(json(&state, records)["status"], json!(state.status()));
            }
        }
    }

    #[test]
    fn progress_is_told_with_what_is_left() {
        // spec: planning TR-02 TR-03
        let mut run = Scenario::paris();
        run.succeed("task_001");
        run.succeed("task_003");
        let data = json(&run.state, &run.log);
        assert_eq!(
            (&data["progress_percentage"], &data["estimated_remaining_time"]),
            (&json!(50.0), &json!(30.0))
        );
        let shown = text(&run.state, &run.log, Style::default());
        assert!(shown.contains("50%  2 of 4 tasks done, about 30s left"), "{shown}");
    }
}
