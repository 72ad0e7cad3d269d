//! How a result came about, section by section: for whoever wants to know more than the result.

use candor_model::{CriterionResult, TaskId};
use candor_planning::report::{ConstraintCheck, constraint_summary};
use candor_planning::texts;
use candor_projections::chronicle::{Attempt, Chronicle, Failure, Outcome, Revised};
use candor_projections::deliverable::Deliverable;
use candor_projections::format;
use candor_projections::report::Subject;
use candor_projections::verdict::{CriterionView, RunVerdict};
use candor_projections::warnings;

use super::block::{Block, Inline, Span, code, list, paragraph, section, text};
use super::{diagrams, values};
use crate::view::lines::LineWriter;
use crate::view::style::Style;
use crate::view::words::{self, column, title};
use crate::view::{commands, tree};

/// More rows than this are for programs.
const TIMELINE_ROWS: usize = 200;
const DRAWING_COLUMNS: u16 = 100;

pub(super) fn goal(subject: &Subject<'_>) -> Vec<Block> {
    let Some(goal) = subject.state.goal() else { return Vec::new() };
    let mut body = vec![paragraph(goal.description.as_str())];
    let checks = subject.material().map(|material| constraint_summary(goal, &material).checks);
    let rows: Vec<Vec<Span>> = match &checks {
        Some(checks) => checks.iter().map(check_row).collect(),
        None => goal.constraints.iter().map(|it| unchecked_row(&it.label(), it.value.as_str())).collect(),
    };
    if !rows.is_empty() {
        body.push(table(
            &[column::WHAT.text(), column::WANTED.text(), column::FOUND.text(), column::MET.text()],
            rows,
        ));
    }
    let criteria = criteria(subject);
    if !criteria.is_empty() {
        body.push(Block::Text(vec![Inline::Strong(title::CRITERIA.text().to_owned())]));
        body.push(Block::List(criteria.into_iter().map(text).collect()));
    }
    section(3, title::GOAL.text(), body)
}

fn table(head: &[&str], rows: Vec<Vec<Span>>) -> Block {
    Block::Table(head.iter().map(|cell| (*cell).to_owned()).collect(), rows)
}

fn check_row(check: &ConstraintCheck) -> Vec<Span> {
    let met = match check.met {
        Some(met) => words::yes_or_no(met),
        None => words::NOT_KNOWN.text(),
    };
    let found = check.found.as_deref().unwrap_or(words::NOT_SAID.text());
    [check.what.replace('_', " ").as_str(), check.wanted.as_str(), found, met].map(text).into()
}

fn unchecked_row(kind: &str, value: &str) -> Vec<Span> {
    [kind, value, words::NOT_SAID.text(), words::NOT_KNOWN.text()].map(text).into()
}

/// The success criteria, each with what was found of it; before that is known, as they stand.
fn criteria(subject: &Subject<'_>) -> Vec<String> {
    let judged = RunVerdict::told(subject.records, subject.language);
    if judged.criteria.is_empty() {
        let criteria = subject.state.goal().into_iter().flat_map(|goal| &goal.success_criteria);
        return criteria.cloned().collect();
    }
    let line = |it: &CriterionView<'_>| {
        let mark = match it.checked.result {
            CriterionResult::Holds => "✓",
            CriterionResult::Fails => "✗",
            CriterionResult::Unchecked => "?",
        };
        format!("{mark} {}", words::criterion(it.checked))
    };
    judged.criteria.iter().map(line).collect()
}

/// What the steps on the way to the result produced.
pub(super) fn steps(made: &[Deliverable]) -> Vec<Block> {
    let steps = made.iter().filter(|made| !made.is_result);
    let body = steps.flat_map(|step| {
        let name = vec![Inline::Strong(step.task.clone()), Inline::Code(step.task_id.to_string())];
        std::iter::once(Block::Text(name)).chain(values::outputs(&step.outputs))
    });
    section(3, title::STEPS.text(), body.collect())
}

pub(super) fn plan(subject: &Subject<'_>) -> Vec<Block> {
    let Some(plan) = &subject.plan else {
        return section(3, title::PLAN.text(), vec![paragraph(words::NO_PLAN.text())]);
    };
    let style = Style { width: DRAWING_COLUMNS, ..Style::default() };
    let drawn = tree::draw(subject.state, subject.records, style);
    let mut body = vec![Block::Drawing(drawn), Block::Mermaid(diagrams::graph(plan))];
    let repairs = subject.chronicle.first_plan.map(|(_, repairs)| repairs).unwrap_or_default();
    body.extend((!repairs.is_empty()).then(|| paragraph(words::repaired(repairs))));
    section(3, title::PLAN.text(), body)
}

fn task_cell(subject: &Subject<'_>, id: &TaskId) -> Span {
    vec![Inline::Text(subject.chronicle.name(id)), Inline::Code(id.to_string())]
}

pub(super) fn timeline(subject: &Subject<'_>) -> Vec<Block> {
    let attempts = &subject.chronicle.attempts;
    if attempts.is_empty() {
        return section(3, title::TIMELINE.text(), vec![paragraph(words::NO_ATTEMPTS.text())]);
    }
    let rows: Vec<_> = attempts.iter().take(TIMELINE_ROWS).map(|it| attempt_row(subject, it)).collect();
    let head = [
        column::START.text(),
        column::TASK.text(),
        column::AGENT.text(),
        column::ATTEMPT.text(),
        column::OUTCOME.text(),
        column::TOOK.text(),
        column::COST.text(),
    ];
    let mut body = vec![table(&head, rows)];
    let hidden = attempts.len().saturating_sub(TIMELINE_ROWS);
    if hidden > 0 {
        body.push(paragraph(words::timeline_folded(hidden, &commands::explain(subject.state.run_id()))));
    }
    body.push(Block::Drawing(diagrams::gantt(&subject.chronicle)));
    section(3, title::TIMELINE.text(), body)
}

fn attempt_row(subject: &Subject<'_>, attempt: &Attempt<'_>) -> Vec<Span> {
    let chronicle = &subject.chronicle;
    vec![
        text(format::offset(chronicle.offset(attempt.started))),
        task_cell(subject, attempt.task_id),
        attempt.agent.map(|agent| text(texts::agent_name(agent))).unwrap_or_default(),
        text(attempt.number.to_string()),
        text(words::outcome(attempt.outcome)),
        text(format::duration(attempt.took(chronicle.now()))),
        text(format::money(attempt.cost())),
    ]
}

pub(super) fn failures(subject: &Subject<'_>) -> Vec<Block> {
    let failures = subject.chronicle.failures.iter().map(|failure| failure_entry(subject, failure));
    let partial = subject.chronicle.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Partly);
    let partial = partial.map(|attempt| partial_entry(subject, attempt));
    // What a result that is only a part lacks is told there.
    let done: Vec<_> = subject.chronicle.attempts.iter().filter(|it| it.outcome == Outcome::Done).collect();
    let warned = warnings::of(subject.state).into_iter();
    let warned = warned.filter(|it| done.iter().any(|attempt| *attempt.task_id == it.task_id));
    let warned = warned.map(|it| {
        let mut entry = task_cell(subject, &it.task_id);
        entry.push(Inline::Text(words::done_with_warning(&it.warning)));
        entry
    });
    let entries: Vec<Span> = failures.chain(partial).chain(warned).collect();
    let body = if entries.is_empty() {
        vec![paragraph(words::NO_FAILURES.text())]
    } else {
        vec![Block::List(entries)]
    };
    section(3, title::FAILURES.text(), body)
}

/// A result that is only a part, with what is missing from it.
fn partial_entry(subject: &Subject<'_>, attempt: &Attempt<'_>) -> Span {
    let missing = attempt.feedback.map(|feedback| feedback.errors.join("; ")).unwrap_or_default();
    let mut entry = task_cell(subject, attempt.task_id);
    entry.push(Inline::Text(words::done_in_part(&missing)));
    entry
}

fn failure_entry(subject: &Subject<'_>, failure: &Failure<'_>) -> Span {
    let chronicle = &subject.chronicle;
    let cause = words::told(&texts::cause(&failure.feedback.errors));
    let attempt = words::attempt_of(&texts::agent_name(failure.agent), failure.attempt);
    let mut told = vec![format!("({attempt}): {}", words::sentence(&cause))];
    let others: Vec<String> = failure
        .feedback
        .errors
        .iter()
        .map(|error| texts::plain(error))
        .filter(|error| *error != cause)
        .collect();
    if !others.is_empty() {
        told.push(words::sentence(&words::agent_reported(&others.join("; "))));
    }
    told.extend(failure.notice.map(|notice| words::done_about_it(&words::told(&notice.recovery_strategy))));
    if let Some(recovery) = failure.recovery {
        told.push(words::reason(&words::told(&recovery.why)));
        told.push(words::impact(
            &words::told(&recovery.expected_impact),
            &words::told(&recovery.confidence_adjustment),
        ));
    }
    let suggestion = failure.feedback.suggested_adjustments.as_deref();
    told.extend(suggestion.map(|it| words::agent_suggested(&texts::plain(it))));
    vec![
        Inline::Text(format::offset(chronicle.offset(failure.at))),
        Inline::Strong(chronicle.name(failure.task_id)),
        Inline::Code(failure.task_id.to_string()),
        Inline::Text(told.join(" ")),
    ]
}

pub(super) fn revisions(subject: &Subject<'_>) -> Vec<Block> {
    let revisions = &subject.chronicle.revisions;
    if revisions.is_empty() {
        return section(3, title::REVISIONS.text(), vec![paragraph(words::NO_REVISIONS.text())]);
    }
    let row = |Revised { at, revision }: &Revised<'_>| {
        vec![
            code(revision.revision_id.as_str()),
            text(format::offset(subject.chronicle.offset(*at))),
            text(words::told(revision.trigger.as_str())),
            text(words::told(&revision.changes.join("; "))),
            text(format!("{:+.2}", revision.confidence_delta.get())),
        ]
    };
    let head = [
        column::REVISION.text(),
        column::WHEN.text(),
        column::BECAUSE.text(),
        column::CHANGES.text(),
        column::CONFIDENCE.text(),
    ];
    section(3, title::REVISIONS.text(), vec![table(&head, revisions.iter().map(row).collect())])
}

pub(super) fn confidence(subject: &Subject<'_>) -> Vec<Block> {
    let points = &subject.chronicle.confidence;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let line = diagrams::sparkline(points.iter().map(|point| point.confidence));
    let span = words::confidence_span(first.confidence, last.confidence);
    let rows = points.iter().map(|point| {
        let at = point.at.map(|at| format::offset(subject.chronicle.offset(at))).unwrap_or_default();
        let cause = words::confidence_cause(&point.cause);
        vec![text(at), text(format::confidence(point.confidence)), text(cause)]
    });
    let table =
        table(&[column::WHEN.text(), column::CONFIDENCE.text(), column::CAUSE.text()], rows.collect());
    section(
        3,
        title::CONFIDENCE.text(),
        vec![paragraph(format!("{line} {span} ({})", words::SPARKLINE_KEY.text())), table],
    )
}

pub(super) fn cost(subject: &Subject<'_>) -> Vec<Block> {
    let money = |amount| text(format::money(amount));
    let accounts = subject.chronicle.by_account.iter();
    let mut rows: Vec<Vec<Span>> =
        accounts.map(|(account, sum)| vec![text(words::account(*account)), money(*sum)]).collect();
    rows.push(vec![text(words::TOTAL.text()), money(subject.chronicle.spent())]);
    let mut body = vec![table(&[column::ACCOUNT.text(), column::COST.text()], rows)];
    let agents = subject.chronicle.by_agent();
    let rows = agents.iter().map(|(agent, (made, failed, sum))| {
        let counts = [*made, *failed].map(|count| text(format::count(count)));
        std::iter::once(text(texts::agent_name(agent))).chain(counts).chain([money(*sum)]).collect()
    });
    let rows: Vec<Vec<Span>> = rows.collect();
    if !rows.is_empty() {
        body.push(table(
            &[column::AGENT.text(), column::ATTEMPTS.text(), column::FAILED.text(), column::COST.text()],
            rows,
        ));
    }
    section(3, title::COST.text(), body)
}

pub(super) fn people(subject: &Subject<'_>) -> Vec<Block> {
    let chronicle = &subject.chronicle;
    let answers = chronicle.answers.iter().map(|(at, gate, answer)| {
        vec![
            Inline::Text(format::offset(chronicle.offset(*at))),
            Inline::Code(gate.to_string()),
            Inline::Text(words::answered(answer)),
        ]
    });
    section(3, title::PEOPLE.text(), list(answers.collect()))
}

/// What happened beside the tasks: fallbacks, rollbacks, warnings.
pub(super) fn notes(subject: &Subject<'_>) -> Vec<Block> {
    let chronicle = &subject.chronicle;
    let mut writer = LineWriter::new();
    let told = subject.records.iter().filter_map(|recorded| {
        let told = writer.tell(recorded)?;
        Chronicle::is_incident(&recorded.event.body).then_some(told)
    });
    let notes = told.map(|told| {
        let when = format::offset(chronicle.offset(told.at));
        text(format!("{when} {}", told.text))
    });
    section(3, title::NOTES.text(), list(notes.collect()))
}

pub(super) fn lessons(subject: &Subject<'_>) -> Vec<Block> {
    let Some(report) = subject.report() else { return Vec::new() };
    let lessons = &report.lessons_learned;
    let parts = [
        (words::WHAT_FAILED.text(), &lessons.what_failed),
        (words::WHAT_WORKED.text(), &lessons.what_worked),
        (words::NEXT_TIME.text(), &lessons.recommendations),
    ];
    let parts = parts.iter().filter(|(_, lines)| !lines.is_empty());
    let body = parts.flat_map(|(title, lines)| {
        let entries = lines.iter().map(|line| text(words::told(line))).collect();
        [Block::Text(vec![Inline::Strong((*title).to_owned())]), Block::List(entries)]
    });
    section(3, title::LESSONS.text(), body.collect())
}

pub(super) fn further(subject: &Subject<'_>) -> Vec<Block> {
    let run = subject.state.run_id();
    let mut steps = vec![
        (commands::explain(run), words::WHY_COMMAND.text()),
        (commands::logs(run, None), words::LOGS_COMMAND.text()),
    ];
    if !subject.chronicle.failures.is_empty() || subject.state.status() != candor_model::RunStatus::Completed
    {
        steps.push((commands::postmortem(run), words::POSTMORTEM_COMMAND.text()));
    }
    let entry = |(command, why): (String, &str)| vec![Inline::Code(command), Inline::Text(why.to_owned())];
    section(3, title::FURTHER.text(), list(steps.into_iter().map(entry).collect()))
}
