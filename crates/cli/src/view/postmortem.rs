//! What went wrong, why, what was tried, what it cost, and how to go on.

use std::collections::BTreeSet;

use candor_engine::RunState;
use candor_model::{
    ErrorKind, EventBody, Money, PlanningError, Recorded, RunStatus, Seconds, SubTask, TaskId, TaskStatus,
};
use candor_planning::graph::TaskGraph;
use candor_planning::texts;
use candor_projections::chronicle::{Chronicle, Failure, Outcome};
use candor_projections::format;
use serde_json::{Value, json};

use super::commands;
use super::explain::{failure_lines, paragraph_lines};
use super::live::question_lines;
use super::report::Subject;
use super::status::heading;
use super::style::{Line, Mark, Style, Tone};
use super::words::{self, label, mortem};

/// How many consequences and checkpoints are listed.
const SHOWN_TASKS: usize = 20;
const SHOWN_CHECKPOINTS: usize = 4;

/// Tells what went wrong in a run, for people.
#[must_use]
pub fn text(state: &RunState, records: &[Recorded], style: Style) -> String {
    let case = Case::of(state, records);
    let mut lines = heading(mortem::HAPPENED, style);
    lines.remove(0);
    lines.extend(paragraph_lines("", Tone::Plain, &case.subject.verdict(), style));
    lines.extend(heading(mortem::FIRST_CAUSE, style));
    lines.extend(case.cause_lines(style));
    lines.extend(heading(mortem::CONSEQUENCES, style));
    lines.extend(case.consequence_lines(style));
    lines.extend(heading(mortem::TRIED, style));
    lines.extend(case.tried_lines(style));
    lines.extend(heading(mortem::PRICE, style));
    lines.extend(case.price_lines(style));
    lines.extend(heading(mortem::NEXT, style));
    lines.extend(case.next_lines(style));
    lines.extend(heading(label::GO_ON, style));
    lines.extend(case.command_lines(style));
    lines.join("\n") + "\n"
}

/// Gives the same as data.
#[must_use]
pub fn json(state: &RunState, records: &[Recorded]) -> Value {
    let case = Case::of(state, records);
    let cause = case.first_failure().map(|failure| failure_value(&case, failure));
    let affected = case.affected();
    let affected = affected.iter().map(
        |task| json!({ "task_id": task.task_id, "name": texts::task_name(task), "status": task.status }),
    );
    let (time, money, attempts) = case.price();
    json!({
        "run_id": state.run_id(),
        "status": state.status(),
        "outcome": case.subject.verdict(),
        "error": case.error(),
        "error_kind": case.error().map(PlanningError::kind),
        "first_cause": cause,
        "consequences": affected.collect::<Vec<_>>(),
        "failures": case.chronicle().failures.iter().map(|it| failure_value(&case, it)).collect::<Vec<_>>(),
        "cost": { "failed_attempts": attempts, "lost_seconds": time, "lost_cost": money, "total_cost": state.spent() },
        "suggestions": case.suggestions(),
        "commands": case.commands().into_iter().map(|(command, _)| command).collect::<Vec<_>>(),
    })
}

fn failure_value(case: &Case<'_>, failure: &Failure<'_>) -> Value {
    json!({
        "task_id": failure.task_id, "name": case.chronicle().name(failure.task_id), "at": failure.at,
        "attempt": failure.attempt, "agent_type": failure.agent, "errors": failure.feedback.errors,
        "cause": texts::cause(&failure.feedback.errors),
        "recovery": failure.notice.map(|notice| &notice.recovery_strategy),
        "recovered_by": case.recovered_by(failure),
    })
}

struct Case<'a> {
    subject: Subject<'a>,
}

impl<'a> Case<'a> {
    fn of(state: &'a RunState, records: &'a [Recorded]) -> Self {
        Self { subject: Subject::of(state, records) }
    }

    const fn chronicle(&self) -> &Chronicle<'a> {
        &self.subject.chronicle
    }

    /// Why the run ended early, if it did.
    fn error(&self) -> Option<&'a PlanningError> {
        match self.chronicle().end?.1 {
            EventBody::RunFailed { error, .. } | EventBody::RunAborted { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Whether the end came from tasks that failed, rather than from a limit or a person.
    fn ended_by_tasks(&self) -> bool {
        let kind = self.error().map(PlanningError::kind);
        kind.is_none_or(|kind| {
            matches!(
                kind,
                ErrorKind::MaxRevisionsExceeded | ErrorKind::LowConfidenceError | ErrorKind::GivenUp
            )
        })
    }

    /// The earliest failure that nothing made good; if all were made good, the earliest.
    fn first_failure(&self) -> Option<&Failure<'a>> {
        let worked = || self.failures().iter().filter(|failure| failure.attempt > 0);
        worked().find(|failure| self.recovered_by(failure).is_none()).or_else(|| worked().next())
    }

    /// The task that succeeded after a failure: itself, or one that replaced it.
    fn recovered_by(&self, failure: &Failure<'a>) -> Option<&'a TaskId> {
        let chronicle = self.chronicle();
        let heirs = self.heirs(failure.task_id);
        let later =
            chronicle.attempts.iter().filter(|it| it.ended.is_some() && it.end_order > failure.end_order);
        let mut good = later.filter(|it| matches!(it.outcome, Outcome::Done | Outcome::Partly));
        good.find(|it| heirs.contains(&it.task_id)).map(|it| it.task_id)
    }

    /// A task and all that stand in its place.
    fn heirs(&self, task: &'a TaskId) -> Vec<&'a TaskId> {
        let mut heirs = vec![task];
        for replacement in self.chronicle().revisions.iter().flat_map(|it| &it.revision.details.replacements)
        {
            if heirs.contains(&&replacement.removed) {
                heirs.extend(&replacement.by);
            }
        }
        heirs
    }

    /// Tasks that could not start or wait in vain, because of what failed.
    fn affected(&self) -> Vec<&SubTask> {
        let Some(plan) = &self.subject.plan else { return Vec::new() };
        if !self.ended_by_tasks() {
            return plan.subtasks.iter().filter(|task| !task.status.is_terminal()).collect();
        }
        let Some(cause) = self.first_failure() else { return Vec::new() };
        let graph = TaskGraph::new(&plan.subtasks);
        let seeds: Vec<_> = self.heirs(cause.task_id).iter().filter_map(|id| graph.index_of(id)).collect();
        let below: BTreeSet<_> = graph.affected_by(&seeds).into_iter().collect();
        let held_up = self.failures().iter().filter(|failure| failure.attempt == 0);
        let held_up: BTreeSet<_> = held_up.filter_map(|failure| graph.index_of(failure.task_id)).collect();
        let tasks = plan.subtasks.iter().filter(|task| task.task_id != *cause.task_id);
        let hit = tasks.filter(|task| {
            let at = graph.index_of(&task.task_id);
            let is_in = |set: &BTreeSet<_>| at.is_some_and(|at| set.contains(&at));
            is_in(&held_up) || is_in(&below) && task.status != TaskStatus::Completed
        });
        hit.collect()
    }

    /// The failures since the last rollback: it undid what earlier ones led to.
    fn failures(&self) -> &[Failure<'a>] {
        let chronicle = self.chronicle();
        let since = chronicle.failures.get(chronicle.undone_failures..).unwrap_or_default();
        if since.is_empty() { &chronicle.failures } else { since }
    }

    /// Time and money that went into attempts that failed, and how many they were.
    fn price(&self) -> (Seconds, Money, usize) {
        let failed = self.chronicle().failures.iter().filter(|failure| failure.attempt > 0);
        let time = failed.clone().map(|failure| failure.feedback.duration_seconds).sum();
        let money = failed.clone().map(|failure| failure.feedback.cost).sum();
        (time, money, failed.count())
    }

    /// What Candor and the agents suggest, each once, the most pressing first.
    fn suggestions(&self) -> Vec<String> {
        let chronicle = self.chronicle();
        let mut all: Vec<String> = Vec::new();
        if let Some((_, EventBody::RunAborted { suggestion, .. })) = chronicle.end {
            all.push(suggestion.clone());
        }
        all.extend(chronicle.announcements.iter().rev().filter_map(|it| it.suggestion.clone()));
        let agents = chronicle.failures.iter().filter_map(|it| it.feedback.suggested_adjustments.as_deref());
        all.extend(agents.map(|suggestion| words::agent_suggested(&texts::plain(suggestion))));
        let report = self.subject.report();
        all.extend(report.into_iter().flat_map(|report| report.lessons_learned.recommendations));
        let mut once: Vec<String> = Vec::new();
        for suggestion in all.into_iter().filter(|suggestion| !suggestion.trim().is_empty()) {
            if !once.contains(&suggestion) {
                once.push(suggestion);
            }
        }
        once
    }

    /// The commands that go on from here, with what they do.
    fn commands(&self) -> Vec<(String, String)> {
        let state = self.subject.state;
        let run = state.run_id();
        let mut all = Vec::new();
        if !state.status().is_end() && state.status() != RunStatus::WaitingHuman {
            all.push((commands::resume(run), words::RESUME_COMMAND.to_owned()));
        }
        let points = state.checkpoints().iter().rev().take(SHOWN_CHECKPOINTS);
        all.extend(points.map(|it| (commands::rollback(state, it), words::rollback_command(&it.label))));
        all.push((commands::restart(run), words::RESTART_COMMAND.to_owned()));
        all.push((commands::fork(run), words::FORK_COMMAND.to_owned()));
        all.push((commands::explain(run), words::WHY_COMMAND.to_owned()));
        all.push((commands::logs(run), words::LOGS_COMMAND.to_owned()));
        all
    }

    fn cause_lines(&self, style: Style) -> Vec<String> {
        if let Some(error) = self.error().filter(|_| !self.ended_by_tasks()) {
            return paragraph_lines("", Tone::Bad, &words::error_text(error), style);
        }
        if let Some((_, EventBody::RunCancelled { reason })) = self.chronicle().end {
            return paragraph_lines("", Tone::Plain, &words::cancelled(&texts::plain(reason)), style);
        }
        match self.first_failure() {
            Some(failure) => failure_lines(self.chronicle(), failure, style),
            None => paragraph_lines("", Tone::Plain, words::NO_TASK_FAILED, style),
        }
    }

    fn consequence_lines(&self, style: Style) -> Vec<String> {
        let affected = self.affected();
        if affected.is_empty() {
            return paragraph_lines("", Tone::Plain, words::NOTHING_FOLLOWED, style);
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

    fn tried_lines(&self, style: Style) -> Vec<String> {
        let chronicle = self.chronicle();
        if chronicle.failures.is_empty() && chronicle.answers.is_empty() {
            return paragraph_lines("", Tone::Plain, words::NOTHING_TRIED, style);
        }
        let mut lines = Vec::new();
        for failure in &chronicle.failures {
            lines.extend(failure_lines(chronicle, failure, style));
            if let Some(by) = self.recovered_by(failure) {
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

    fn price_lines(&self, style: Style) -> Vec<String> {
        let (time, money, attempts) = self.price();
        let all = format::money(self.subject.state.spent());
        let told = match attempts {
            0 => words::no_price(&all),
            _ => words::price(&format::duration(time), &format::money(money), attempts, &all),
        };
        let mut lines = paragraph_lines("", Tone::Plain, &told, style);
        let points = &self.chronicle().confidence;
        if let (Some(first), Some(last)) = (points.first(), points.last())
            && first.confidence != last.confidence
        {
            let told = words::confidence_lost(first.confidence, last.confidence);
            lines.extend(paragraph_lines("", Tone::Plain, &told, style));
        }
        lines
    }

    fn next_lines(&self, style: Style) -> Vec<String> {
        let suggestions = self.suggestions();
        let mut lines: Vec<String> =
            suggestions.iter().flat_map(|it| super::live::marked(Mark::Note, it, style)).collect();
        let state = self.subject.state;
        for (gate, question) in state.open_questions() {
            lines.extend(question_lines(state, gate, question, style));
        }
        lines
    }

    fn command_lines(&self, style: Style) -> Vec<String> {
        let all = self.commands();
        let widest = all.iter().map(|(command, _)| super::text::width(command)).max().unwrap_or(0);
        let line = |(command, why): &(String, String)| {
            let line = Line::new(style).plain("  ").add(Tone::Accent, command).pad_to(widest + 4);
            line.add(Tone::Dim, why).render()
        };
        all.iter().map(line).collect()
    }
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
        assert_eq!(data["first_cause"]["task_id"], "task_001");
        let hit: Vec<_> = data["consequences"].as_array().unwrap().iter().map(|it| &it["task_id"]).collect();
        assert_eq!(hit, ["task_001_retry", "task_002", "task_004"]);
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
        assert!(text.contains("made good by Flight search (task_001_retry)"), "{text}");
        assert!(text.contains("2 failed attempts took 20s"), "{text}");
    }

    #[test]
    fn a_limit_or_a_person_is_the_cause_where_no_task_was() {
        assert!(told("out_of_money").0.contains("First cause\nThe run has spent $0.0200"));
        assert!(told("criteria_unmet").0.contains("First cause\nSuccess criteria not met"));
        assert!(told("adjusted_then_cancelled").0.contains("First cause\nRun cancelled: changed my mind"));
    }
}
