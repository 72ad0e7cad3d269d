//! The sections of a report, each as Markdown of its own.

use candor_model::{CriterionResult, IdMap, TaskId, TaskStatus};
use candor_planning::report::{ConstraintCheck, constraint_summary};
use candor_planning::texts;
use candor_projections::chronicle::{Attempt, Chronicle, Failure, Outcome, Revised};
use candor_projections::format;
use candor_projections::report::Subject;
use candor_projections::values::in_short;
use candor_projections::verdict::{CriterionView, RunVerdict};
use candor_projections::warnings;

use super::diagrams;
use super::markdown::{block, bullets, code, inline, table};
use crate::view::lines::LineWriter;
use crate::view::style::Style;
use crate::view::words::{self, column, label, title};
use crate::view::{commands, tree};

/// More rows than this are for programs.
const TIMELINE_ROWS: usize = 200;
const RESULT_ROWS: usize = 200;
const DRAWING_COLUMNS: u16 = 100;

fn section(title: &str, body: &str) -> String {
    if body.trim().is_empty() { String::new() } else { format!("## {title}\n\n{body}") }
}

pub(super) fn head(subject: &Subject<'_>) -> String {
    let state = subject.state;
    let request = inline(state.request());
    let title = if request.is_empty() { inline(state.run_id().as_str()) } else { request };
    let mut facts = vec![
        format!("**{}** {}", label::RUN, code(state.run_id().as_str())),
        format!("**{}** {}", label::STATUS, words::run_status(state.status())),
    ];
    let started = subject.chronicle.started.map(format::day_and_clock);
    facts.extend(started.map(|at| format!("**{}** {at} UTC", label::STARTED)));
    facts.push(format!("**{}** {}", label::COST, inline(&format::money(state.spent()))));
    facts
        .extend(state.confidence().map(|it| format!("**{}** {}", label::CONFIDENCE, format::confidence(it))));
    format!("# {title}\n\n{}\n\n{}\n", inline(&subject.verdict()), facts.join(" · "))
}

pub(super) fn goal(subject: &Subject<'_>) -> String {
    let Some(goal) = subject.state.goal() else { return String::new() };
    let mut text = format!("{}\n", inline(goal.description.as_str()));
    let checks = subject.material().map(|material| constraint_summary(goal, &material).checks);
    let rows: Vec<[String; 4]> = match &checks {
        Some(checks) => checks.iter().map(check_row).collect(),
        None => {
            goal.constraints.iter().map(|it| unchecked_row(it.kind.as_str(), it.value.as_str())).collect()
        }
    };
    if !rows.is_empty() {
        let head = [column::WHAT, column::WANTED, column::FOUND, column::MET];
        text.push_str(&format!("\n{}", table(head, &rows)));
    }
    let criteria = criteria(subject);
    if !criteria.is_empty() {
        text.push_str(&format!("\n**{}**\n\n{}", title::CRITERIA, bullets(criteria)));
    }
    section(title::GOAL, &text)
}

fn check_row(check: &ConstraintCheck) -> [String; 4] {
    let met = match check.met {
        Some(true) => words::YES,
        Some(false) => words::NO,
        None => words::NOT_KNOWN,
    };
    let found = check.found.as_deref().map_or_else(|| words::NOT_SAID.to_owned(), inline);
    [inline(&check.what), inline(&check.wanted), found, met.to_owned()]
}

fn unchecked_row(kind: &str, value: &str) -> [String; 4] {
    [inline(kind), inline(value), words::NOT_SAID.to_owned(), words::NOT_KNOWN.to_owned()]
}

/// The success criteria, each with what was found of it; before that is known, as they stand.
fn criteria(subject: &Subject<'_>) -> Vec<String> {
    let judged = RunVerdict::of(subject.records);
    if judged.criteria.is_empty() {
        let criteria = subject.state.goal().into_iter().flat_map(|goal| &goal.success_criteria);
        return criteria.map(|criterion| inline(criterion)).collect();
    }
    let line = |it: &CriterionView<'_>| {
        let mark = match it.checked.result {
            CriterionResult::Holds => "✓",
            CriterionResult::Fails => "✗",
            CriterionResult::Unchecked => "?",
        };
        format!("{mark} {}", inline(&words::criterion(it.checked)))
    };
    judged.criteria.iter().map(line).collect()
}

pub(super) fn plan(subject: &Subject<'_>) -> String {
    let Some(plan) = &subject.plan else {
        return section(title::PLAN, &format!("{}\n", words::NO_PLAN));
    };
    let style = Style { width: DRAWING_COLUMNS, ..Style::default() };
    let drawn = tree::draw(subject.state, subject.records, style);
    let mut text = format!("{}\n{}", block("mermaid", &diagrams::graph(plan)), block("text", &drawn));
    let repairs = subject.chronicle.first_plan.map(|(_, repairs)| repairs).unwrap_or_default();
    if !repairs.is_empty() {
        text.push_str(&format!("\n{}\n", inline(&words::repaired(repairs))));
    }
    section(title::PLAN, &text)
}

pub(super) fn results(subject: &Subject<'_>) -> String {
    let good = subject.state.feedback().iter().filter(|feedback| feedback.feedback_type.is_success());
    let latest: IdMap<&TaskId, _> = good.map(|feedback| (&feedback.task_id, feedback)).collect();
    let tasks = subject.plan.iter().flat_map(|plan| &plan.subtasks);
    let done: Vec<_> = tasks.filter(|task| task.status == TaskStatus::Completed).collect();
    let rows = done.iter().take(RESULT_ROWS).filter_map(|task| {
        let outputs = &latest.get(&task.task_id)?.actual_outputs;
        let outputs: Vec<String> = outputs
            .iter()
            .map(|(key, value)| format!("{} {}", code(key), inline(&in_short(value))))
            .collect();
        let result = if outputs.is_empty() { words::NOTHING.to_owned() } else { outputs.join("<br>") };
        Some([task_cell(subject, &task.task_id), result])
    });
    let rows: Vec<[String; 2]> = rows.collect();
    if rows.is_empty() {
        return section(title::RESULTS, &format!("{}\n", words::NO_RESULTS));
    }
    let mut text = table([column::TASK, column::RESULT], &rows);
    let hidden = done.len().saturating_sub(RESULT_ROWS);
    if hidden > 0 {
        text.push_str(&format!("\n{}\n", words::and_more(hidden)));
    }
    section(title::RESULTS, &text)
}

fn task_cell(subject: &Subject<'_>, id: &TaskId) -> String {
    format!("{} {}", inline(&subject.chronicle.name(id)), code(id.as_str()))
}

pub(super) fn timeline(subject: &Subject<'_>) -> String {
    let attempts = &subject.chronicle.attempts;
    if attempts.is_empty() {
        return section(title::TIMELINE, &format!("{}\n", words::NO_ATTEMPTS));
    }
    let rows: Vec<_> = attempts.iter().take(TIMELINE_ROWS).map(|it| attempt_row(subject, it)).collect();
    let head = [
        column::START,
        column::TASK,
        column::AGENT,
        column::ATTEMPT,
        column::OUTCOME,
        column::TOOK,
        column::COST,
    ];
    let mut text = table(head, &rows);
    let hidden = attempts.len().saturating_sub(TIMELINE_ROWS);
    if hidden > 0 {
        let note = words::timeline_folded(hidden, &commands::explain(subject.state.run_id()));
        text.push_str(&format!("\n{}\n", inline(&note)));
    }
    text.push_str(&format!("\n{}", block("text", &diagrams::gantt(&subject.chronicle))));
    section(title::TIMELINE, &text)
}

fn attempt_row(subject: &Subject<'_>, attempt: &Attempt<'_>) -> [String; 7] {
    let chronicle = &subject.chronicle;
    [
        format::offset(chronicle.offset(attempt.started)),
        task_cell(subject, attempt.task_id),
        attempt.agent.map(|agent| inline(&texts::agent_name(agent))).unwrap_or_default(),
        attempt.number.to_string(),
        words::outcome(attempt.outcome).to_owned(),
        format::duration(attempt.took(chronicle.now())),
        inline(&format::money(attempt.cost())),
    ]
}

pub(super) fn failures(subject: &Subject<'_>) -> String {
    let failures = &subject.chronicle.failures;
    let partial = subject.chronicle.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Partly);
    let partial = partial.map(|attempt| partial_entry(subject, attempt));
    // What a result that is only a part lacks is told there.
    let done: Vec<_> = subject.chronicle.attempts.iter().filter(|it| it.outcome == Outcome::Done).collect();
    let warned = warnings::of(subject.state).into_iter();
    let warned = warned.filter(|it| done.iter().any(|attempt| *attempt.task_id == it.task_id));
    let warned = warned.map(|it| {
        format!("{}: {}", task_cell(subject, &it.task_id), inline(&words::done_with_warning(&it.warning)))
    });
    let partial: Vec<String> = partial.chain(warned).collect();
    if failures.is_empty() && partial.is_empty() {
        return section(title::FAILURES, &format!("{}\n", words::NO_FAILURES));
    }
    let entries = failures.iter().map(|failure| failure_entry(subject, failure)).chain(partial);
    section(title::FAILURES, &bullets(entries))
}

/// A result that is only a part, with what is missing from it.
fn partial_entry(subject: &Subject<'_>, attempt: &Attempt<'_>) -> String {
    let missing = attempt.feedback.map(|feedback| feedback.errors.join("; ")).unwrap_or_default();
    format!("{}: {}", task_cell(subject, attempt.task_id), inline(&words::done_in_part(&missing)))
}

fn failure_entry(subject: &Subject<'_>, failure: &Failure<'_>) -> String {
    let chronicle = &subject.chronicle;
    let cause = texts::cause(&failure.feedback.errors);
    let attempt = words::attempt_of(&texts::agent_name(failure.agent), failure.attempt);
    let mut parts = vec![format!(
        "{} **{}** {} ({}): {}",
        format::offset(chronicle.offset(failure.at)),
        inline(&chronicle.name(failure.task_id)),
        code(failure.task_id.as_str()),
        inline(&attempt),
        inline(&cause),
    )];
    let others =
        failure.feedback.errors.iter().map(|error| texts::plain(error)).filter(|error| *error != cause);
    let others: Vec<String> = others.collect();
    if !others.is_empty() {
        parts.push(inline(&words::agent_reported(&others.join("; "))));
    }
    if let Some(notice) = failure.notice {
        parts.push(inline(&words::done_about_it(&notice.recovery_strategy, &notice.estimated_delay)));
    }
    if let Some(recovery) = failure.recovery {
        parts.push(inline(&words::reason(&recovery.why)));
        parts.push(inline(&words::impact(&recovery.expected_impact, &recovery.confidence_adjustment)));
    }
    let suggestion = failure.feedback.suggested_adjustments.as_deref();
    parts.extend(suggestion.map(|it| inline(&words::agent_suggested(&texts::plain(it)))));
    parts.join("\n  <br>")
}

pub(super) fn revisions(subject: &Subject<'_>) -> String {
    let revisions = &subject.chronicle.revisions;
    if revisions.is_empty() {
        return section(title::REVISIONS, &format!("{}\n", words::NO_REVISIONS));
    }
    let row = |Revised { at, revision }: &Revised<'_>| {
        let changes: Vec<String> = revision.changes.iter().map(|change| inline(change)).collect();
        [
            code(revision.revision_id.as_str()),
            format::offset(subject.chronicle.offset(*at)),
            inline(&revision.trigger),
            changes.join("<br>"),
            format!("{:+.2}", revision.confidence_delta.get()),
        ]
    };
    let head = [column::REVISION, column::WHEN, column::BECAUSE, column::CHANGES, column::CONFIDENCE];
    section(title::REVISIONS, &table(head, &revisions.iter().map(row).collect::<Vec<_>>()))
}

pub(super) fn confidence(subject: &Subject<'_>) -> String {
    let points = &subject.chronicle.confidence;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let line = diagrams::sparkline(points.iter().map(|point| point.confidence));
    let span = words::confidence_span(first.confidence, last.confidence);
    let rows = points.iter().map(|point| {
        let at = point.at.map(|at| format::offset(subject.chronicle.offset(at))).unwrap_or_default();
        let cause = words::confidence_cause(&point.cause);
        [at, format::confidence(point.confidence), inline(cause)]
    });
    let table = table([column::WHEN, column::CONFIDENCE, column::CAUSE], &rows.collect::<Vec<_>>());
    section(title::CONFIDENCE, &format!("{line} {span} ({})\n\n{table}", words::SPARKLINE_KEY))
}

pub(super) fn cost(subject: &Subject<'_>) -> String {
    let money = |amount| inline(&format::money(amount));
    let accounts = subject.chronicle.by_account.iter();
    let mut rows: Vec<[String; 2]> =
        accounts.map(|(account, sum)| [words::account(*account).to_owned(), money(*sum)]).collect();
    rows.push([format!("**{}**", words::TOTAL), format!("**{}**", money(subject.chronicle.spent()))]);
    let accounts = table([column::ACCOUNT, column::COST], &rows);
    let agents = subject.chronicle.by_agent();
    let rows = agents.iter().map(|(agent, (made, failed, sum))| {
        [inline(&texts::agent_name(agent)), format::count(*made), format::count(*failed), money(*sum)]
    });
    let rows: Vec<[String; 4]> = rows.collect();
    if rows.is_empty() {
        return section(title::COST, &accounts);
    }
    let agents = table([column::AGENT, column::ATTEMPTS, column::FAILED, column::COST], &rows);
    section(title::COST, &format!("{accounts}\n{agents}"))
}

pub(super) fn people(subject: &Subject<'_>) -> String {
    let chronicle = &subject.chronicle;
    let answers = chronicle.answers.iter().map(|(at, gate, answer)| {
        let when = format::offset(chronicle.offset(*at));
        format!("{when} {}: {}", code(gate.as_str()), inline(&words::answered(answer)))
    });
    section(title::PEOPLE, &bullets(answers))
}

/// What happened beside the tasks: fallbacks, rollbacks, warnings.
pub(super) fn notes(subject: &Subject<'_>) -> String {
    let chronicle = &subject.chronicle;
    let mut writer = LineWriter::new();
    let told = subject.records.iter().filter_map(|recorded| {
        let told = writer.tell(recorded)?;
        Chronicle::is_incident(&recorded.event.body).then_some(told)
    });
    let notes = told.map(|told| {
        let when = format::offset(chronicle.offset(told.at));
        format!("{when} {}", inline(&told.text))
    });
    section(title::NOTES, &bullets(notes.collect::<Vec<_>>()))
}

pub(super) fn lessons(subject: &Subject<'_>) -> String {
    let Some(report) = subject.report() else { return String::new() };
    let lessons = &report.lessons_learned;
    let parts = [
        (words::WHAT_FAILED, &lessons.what_failed),
        (words::WHAT_WORKED, &lessons.what_worked),
        (words::NEXT_TIME, &lessons.recommendations),
    ];
    let parts = parts.iter().filter(|(_, lines)| !lines.is_empty());
    let parts: Vec<String> = parts
        .map(|(title, lines)| format!("**{title}**\n\n{}", bullets(lines.iter().map(|line| inline(line)))))
        .collect();
    section(title::LESSONS, &parts.join("\n"))
}

pub(super) fn further(subject: &Subject<'_>) -> String {
    let run = subject.state.run_id();
    let mut steps =
        vec![(commands::explain(run), words::WHY_COMMAND), (commands::logs(run), words::LOGS_COMMAND)];
    if !subject.chronicle.failures.is_empty() || subject.state.status() != candor_model::RunStatus::Completed
    {
        steps.push((commands::postmortem(run), words::POSTMORTEM_COMMAND));
    }
    section(title::FURTHER, &bullets(steps.iter().map(|(command, why)| format!("{}: {why}", code(command)))))
}
