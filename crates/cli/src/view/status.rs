//! One run in a screenful: where it stands, what failed, what it waits for and what to type.

use candor_engine::RunState;
use candor_model::{ForkedFrom, Question, Recorded, RunId, TaskStatus, Verdict};
use candor_planning::texts;
use candor_projections::chronicle::Chronicle;
use candor_projections::phases::at_work;
use candor_projections::status::{Status, origin, summary};
use candor_projections::verdict::RunVerdict;
use candor_projections::warnings::{self, Warning};
use candor_projections::{format, workflow};
use serde_json::{Value, json};

use crate::lang::language;

use super::live::{bar, marked, question_lines};
use super::style::{Line, Mark, Style, Tone};
use super::words::{self, label};
use super::{commands, phases, proposal, text, tree, zone};

const LABEL_COLUMNS: usize = 12;
const SHOWN_FAILURES: usize = 5;
/// How many criteria are listed.
const SHOWN_CRITERIA: usize = 20;
/// How many checkpoints that belong to no phase are listed.
const SHOWN_CHECKPOINTS: usize = 5;

/// Shows where a run stands.
#[must_use]
pub fn text(state: &RunState, records: &[Recorded], interrupted: bool, style: Style) -> String {
    let chronicle = Chronicle::of(records);
    let mut lines = facts(state, records, &chronicle, interrupted, style);
    lines.extend(heading(label::PHASES.text(), style));
    lines.extend(phases::lines(state, records, style));
    lines.extend(prompts(state, style));
    let drawn = tree::draw(state, records, style);
    if !drawn.is_empty() {
        lines.push(String::new());
        lines.extend(drawn);
    }
    lines.extend(criteria(records, style));
    lines.extend(warnings(&warnings::of(state), style));
    lines.extend(failures(&chronicle, style));
    lines.extend(questions(state, style));
    lines.extend(points(state, records, style));
    lines.extend(next_steps(state, &chronicle, style));
    lines.join("\n") + "\n"
}

/// Gives the same as data, with the commands that answer questions and go back.
#[must_use]
pub fn json(state: &RunState, records: &[Recorded]) -> Value {
    let several = state.open_questions().len() > 1;
    let answers = state.open_questions().iter();
    let answers = answers.map(|(gate, asked)| json!(commands::answers(state.run_id(), gate, asked, several)));
    let rollbacks = state.checkpoints().iter().map(|it| json!(commands::rollback(state, it)));
    let mut status = serde_json::to_value(Status::of(state, records)).unwrap_or_default();
    add_to_each(&mut status, "open_questions", "commands", answers);
    add_to_each(&mut status, "checkpoints", "command", rollbacks);
    status
}

/// Adds a field to each entry of a list.
fn add_to_each(document: &mut Value, list: &str, field: &str, values: impl Iterator<Item = Value>) {
    let entries = document.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    for (entry, value) in entries.zip(values) {
        if let Value::Object(entry) = entry {
            entry.insert(field.to_owned(), value);
        }
    }
}

/// Where a forked run comes from, in a line.
#[must_use]
pub fn forked(run: &RunId, fork: &ForkedFrom) -> String {
    words::forked(run, fork) + "\n"
}

fn facts(
    state: &RunState,
    records: &[Recorded],
    chronicle: &Chronicle<'_>,
    interrupted: bool,
    style: Style,
) -> Vec<String> {
    let fact = |name: &str| Line::new(style).add(Tone::Dim, name).pad_to(LABEL_COLUMNS);
    let status = state.status();
    let standing = if interrupted { label::INTERRUPTED.text() } else { words::run_status(status) };
    let mut lines = vec![
        fact(label::GOAL.text()).fit(Tone::Strong, state.request(), style.columns()).render(),
        fact(label::RUN.text()).plain(state.run_id().as_str()).render(),
        fact(label::STATUS.text()).add(Tone::of_status(status), standing).render(),
    ];
    lines.extend(verdict(records, style));
    lines.extend(
        origin(records).map(|fork| fact(label::FORKED.text()).plain(&words::fork_origin(fork)).render()),
    );
    let phases: Vec<&str> = at_work(state).into_iter().map(words::phase).collect();
    if !phases.is_empty() {
        lines.push(fact(label::PHASE.text()).plain(&phases.join(", ")).render());
    }
    if let Some(plan) = state.plan() {
        let percentage = summary(state, records).progress_percentage;
        let done = plan.subtasks.iter().filter(|task| task.status == TaskStatus::Completed).count();
        let mut parts = vec![words::tasks_done(done, plan.subtasks.len())];
        parts.extend(state.time_left().filter(|_| !status.is_end()).map(words::remaining));
        let line = fact(label::PROGRESS.text()).append(bar(percentage, style));
        lines.push(line.plain("  ").plain(&parts.join(", ")).render());
    }
    lines.push(fact(label::COST.text()).plain(&format::money(state.spent())).render());
    lines.extend(
        state.confidence().map(|it| fact(label::CONFIDENCE.text()).plain(&format::confidence(it)).render()),
    );
    let started = chronicle.started.map(zone::moment);
    lines.extend(
        started
            .map(|at| fact(label::STARTED.text()).plain(&words::started(&at, chronicle.elapsed())).render()),
    );
    lines
}

/// Whether the goal was reached, and what was found of each criterion that does not plainly hold.
fn verdict(records: &[Recorded], style: Style) -> Vec<String> {
    let judged = RunVerdict::told(records, language());
    let Some(sentence) = &judged.sentence else { return Vec::new() };
    let tone = match judged.verdict {
        Some(Verdict::Verified) => Tone::Good,
        Some(Verdict::NotMet) => Tone::Bad,
        Some(Verdict::Unverified) | None => Tone::Warn,
    };
    let room = style.columns().saturating_sub(LABEL_COLUMNS);
    let text = text::printable(sentence, style.unicode);
    let pieces = text::wrapped(&text, room);
    let label = |at: usize| if at == 0 { label::VERDICT.text() } else { "" };
    let line = |(at, piece): (usize, &String)| {
        Line::new(style).add(Tone::Dim, label(at)).pad_to(LABEL_COLUMNS).add(tone, piece).render()
    };
    pieces.iter().enumerate().map(line).collect()
}

/// The criteria with what was found of each.
pub(super) fn criteria(records: &[Recorded], style: Style) -> Vec<String> {
    let judged = RunVerdict::told(records, language());
    let mut lines = Vec::new();
    if !judged.criteria.is_empty() {
        lines.extend(heading(label::CRITERIA.text(), style));
        for it in judged.criteria.iter().take(SHOWN_CRITERIA) {
            lines.extend(marked(Mark::of_criterion(it.checked.result), &words::criterion(it.checked), style));
        }
        let hidden = judged.criteria.len().saturating_sub(SHOWN_CRITERIA);
        if hidden > 0 {
            lines.push(Line::new(style).add(Tone::Dim, &words::and_more(hidden)).render());
        }
    }
    lines
}

/// What agents reported beside a success.
pub(super) fn warnings(warnings: &[Warning], style: Style) -> Vec<String> {
    if warnings.is_empty() {
        return Vec::new();
    }
    let mut lines = heading(label::WARNINGS.text(), style);
    let told = warnings.iter().map(|it| words::agent_warned(&it.name, &it.warning));
    lines.extend(told.flat_map(|told| marked(Mark::Warning, &told, style)));
    lines
}

fn failures(chronicle: &Chronicle<'_>, style: Style) -> Vec<String> {
    let count = chronicle.failures.len();
    if count == 0 {
        return Vec::new();
    }
    let mut lines = heading(label::FAILURES.text(), style);
    let hidden = count.saturating_sub(SHOWN_FAILURES);
    if hidden > 0 {
        lines.push(Line::new(style).add(Tone::Dim, &words::and_more(hidden)).render());
    }
    for failure in chronicle.failures.iter().skip(hidden) {
        let told = failure
            .notice
            .map_or_else(|| words::told(&texts::cause(&failure.feedback.errors)), words::failure);
        lines.extend(marked(Mark::Failed, &told, style));
    }
    lines
}

fn questions(state: &RunState, style: Style) -> Vec<String> {
    if state.open_questions().is_empty() {
        return Vec::new();
    }
    let mut lines = heading(label::WAITING_FOR_YOU.text(), style);
    for (gate, question) in state.open_questions() {
        if let Question::Approval { version, request } = question {
            let shown = proposal::lines(*version, request);
            lines.extend(shown.iter().map(|line| Line::new(style).plain("  ").plain(line).render()));
        }
        lines.extend(question_lines(state, gate, question, style));
    }
    lines
}

/// The words of the run, if they were ever changed.
fn prompts(state: &RunState, style: Style) -> Vec<String> {
    if state.prompts().len() < 2 {
        return Vec::new();
    }
    let mut lines = heading(label::WORDS.text(), style);
    for prompt in state.prompts() {
        let from = words::prompt_source(prompt.source, prompt.variant.as_deref());
        let told = words::prompt(&from, prompt.score, &text::clean(&prompt.text));
        lines.push(Line::new(style).plain("  ").fit(Tone::Plain, &told, style.columns()).render());
    }
    lines
}

/// Where the run can go back to.
fn points(state: &RunState, records: &[Recorded], style: Style) -> Vec<String> {
    let points = workflow::points(state, records);
    if points.is_empty() {
        return Vec::new();
    }
    let mut lines = heading(label::POINTS.text(), style);
    for point in points {
        let at = point.at.map(zone::moment).unwrap_or_default();
        let (number, name) = (point.phase, words::phase(point.name));
        let told = words::rollback_point(number, name, &at, &words::bytes(point.bytes));
        lines.push(Line::new(style).plain("  ").plain(&told).render());
    }
    let others = state.checkpoints().iter().rev().filter(|it| it.phase.is_none()).take(SHOWN_CHECKPOINTS);
    let others: Vec<String> = others.map(|it| format!("{} ({})", it.id, words::told(&it.label))).collect();
    if !others.is_empty() {
        lines.push(Line::new(style).plain("  ").add(Tone::Dim, &words::other_points(&others)).render());
    }
    let back = commands::rollback_to_phase(state.run_id());
    lines.push(Line::new(style).plain("  ").add(Tone::Accent, &back).render());
    lines
}

fn next_steps(state: &RunState, chronicle: &Chronicle<'_>, style: Style) -> Vec<String> {
    let run = state.run_id();
    let mut lines = heading(label::DETAILS.text(), style);
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
    use candor_model::{EventBody, Phase, RunSettings};
    use candor_testkit::fixtures::{paris_plan, plan_of};
    use candor_testkit::golden::STORIES;
    use candor_testkit::scenario::Scenario;

    use super::*;
    use crate::view::text::width;
    use crate::view::words::tests::story;

    #[test]
    fn a_run_that_waits_says_for_what_and_how_to_answer() {
        let run = Scenario::of(plan_of(paris_plan().subtasks, 0.45), RunSettings::default());
        let shown = text(&run.state, &run.log, false, Style::default());
        for part in [
            "waiting for a person",
            "Approve this plan? Confidence 0.45",
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
                    let shown = text(&state, records, false, Style { width: columns, ..Style::default() });
                    let wide = shown.lines().find(|line| width(line) > usize::from(columns));
                    assert_eq!(wide, None, "{name} after {end}");
                }
                assert_eq!(json(&state, records)["status"], json!(state.status()));
            }
        }
    }

    #[test]
    fn progress_is_told_and_programs_get_the_stated_rest() {
        // spec: planning TR-02 TR-03
        let mut run = Scenario::paris();
        run.succeed("task_001");
        run.succeed("task_003");
        let data = json(&run.state, &run.log);
        assert_eq!(
            (&data["progress_percentage"], &data["estimated_remaining_time"]),
            (&json!(50.0), &json!(30.0))
        );
        let shown = text(&run.state, &run.log, false, Style::default());
        assert!(shown.contains("50%  2 of 4 tasks done\n"), "stated durations are not shown: {shown}");
    }

    #[test]
    fn a_weak_request_is_shown_with_its_five_options() {
        // spec: orchestrator PE-06 CM-05
        let variant = |text: &str, score| candor_model::PromptVariant {
            text: text.to_owned(),
            score,
            improvements: vec!["specificity".to_owned()],
        };
        let offer = candor_model::Enhancement {
            original: candor_model::OriginalPrompt {
                text: "make it better".to_owned(),
                score: 30,
                issues: vec!["vague".to_owned()],
            },
            variants: vec![
                variant("Rewrite the page", 85),
                variant("Shorten it", 80),
                variant("Test it", 75),
            ],
            recommendation: "A".to_owned(),
        };
        let mut run = Scenario::paris();
        let question = Box::new(Question::Choice(candor_planning::gates::enhancement(&offer)));
        let asked = candor_model::GateId::choice("enhancement", 1);
        let event = candor_model::Event::new(run.now, EventBody::HumanAsked { gate: asked, question });
        run.state.apply(&event);
        let shown = text(&run.state, &run.log, false, Style { width: 120, ..Style::default() });
        for part in [
            "30/100 (vague)",
            "A: 85/100: specificity",
            "Rewrite the page",
            "candor answer run_test C",
            "D: keep the original (30/100)",
            "make it better",
            "candor answer run_test E --text",
            "if nobody answers: D",
        ] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
        let data = json(&run.state, &run.log);
        assert_eq!(data["phases"][1]["status"], "waiting_human");
        assert_eq!(data["open_questions"][0]["commands"].as_array().unwrap().len(), 5);
    }

    #[test]
    fn several_questions_are_answered_by_their_names() {
        let mut run = Scenario::paris();
        for n in [1, 2] {
            let request = candor_planning::gates::unclear(Phase::Execution, &[]);
            let gate = candor_model::GateId::choice("clarification", n);
            let question = Box::new(Question::Choice(request));
            run.state.apply(&candor_model::Event::new(run.now, EventBody::HumanAsked { gate, question }));
        }
        let data = json(&run.state, &run.log);
        let command = &data["open_questions"][1]["commands"][1];
        assert_eq!(command, "candor answer run_test continue --gate clarification_2");
    }
}
