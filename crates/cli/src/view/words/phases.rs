//! What is said of the phases around the work: guardrails, phases, what agents tell each other, other words.

use candor_model::{
    Broadcast, CheckKind, CheckResult, ForkedFrom, GuardReport, MessageType, Phase, PhaseMetrics,
    PlanVersion, PromptChange, PromptSource, Query, QueryResponse, ReadFile, RunId, SpokenBy,
};
use candor_projections::format;
use candor_projections::words::plural;

use super::phase;

pub(in crate::view) const REQUEST_KEPT: &str = "as it was written";

pub(in crate::view) fn guarded(attempt: u32, report: &GuardReport) -> String {
    let look = if attempt > 1 { format!(" (look {attempt})") } else { String::new() };
    let rules = |halting: bool| {
        let found = report.findings.iter().filter(|finding| finding.halts() == halting);
        found.map(|finding| finding.rule.as_str()).collect::<Vec<_>>().join(", ")
    };
    let (halting, told) = (rules(true), rules(false));
    match (halting.is_empty(), told.is_empty()) {
        (false, _) => format!("Guardrails{look} halt the run: {halting}"),
        (true, false) => format!("Guardrails{look} let the request pass, with a warning: {told}"),
        (true, true) => format!("Guardrails{look} found nothing; all eight phases will run"),
    }
}

pub(in crate::view) fn prompt_changed(change: &PromptChange, words: &str) -> String {
    let before = change.score_before.map(|score| format!(", {score}/100 before")).unwrap_or_default();
    let from = prompt_source(Some(change.source), change.variant.as_deref());
    format!("The request is now ({from}{before}): {words}")
}

/// Where words come from.
pub(in crate::view) fn prompt_source(source: Option<PromptSource>, variant: Option<&str>) -> String {
    match source {
        None => REQUEST_KEPT.to_owned(),
        Some(PromptSource::Enhanced) => match variant {
            Some(letter) => format!("variant {letter} that was offered"),
            None => "a variant that was offered".to_owned(),
        },
        Some(PromptSource::OwnWords) => "a person's own words".to_owned(),
        Some(PromptSource::Clarified) => "with what a person added".to_owned(),
        Some(PromptSource::Restarted) => "restarted with other words".to_owned(),
    }
}

pub(in crate::view) fn phase_again(which: Phase, attempt: u32) -> String {
    format!("{} begins again (try {attempt})", phase(which))
}

/// What a phase took: `0.2s, 310 tokens, $0.0012, by a model`.
pub(in crate::view) fn phase_figures(metrics: Option<&PhaseMetrics>, by: SpokenBy) -> String {
    // Most phases take a moment that would read as none at all.
    let took = metrics.map(|metrics| match metrics.duration.as_millis() {
        millis @ 0..100 => format!("{millis} ms"),
        _ => format::duration(metrics.duration),
    });
    let tokens = metrics.filter(|metrics| metrics.tokens_used > 0).map(|metrics| tokens(metrics.tokens_used));
    let cost = metrics.filter(|metrics| metrics.cost.micros() > 0).map(|metrics| format::money(metrics.cost));
    let parts = [took, tokens, cost, Some(spoken_by(by).to_owned())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

pub(in crate::view) fn tokens(count: u64) -> String {
    plural(usize::try_from(count).unwrap_or(usize::MAX), "token")
}

pub(in crate::view) const fn spoken_by(by: SpokenBy) -> &'static str {
    match by {
        SpokenBy::Model => "by a model",
        SpokenBy::Heuristic => "by rules",
    }
}

pub(in crate::view) fn plan_answered(version: PlanVersion, question: &str, answer: &str) -> String {
    format!("Asked about plan version {version}: {question} — {answer}")
}

pub(in crate::view) fn reopened(task: &str, reason: &str, dependants: &[String]) -> String {
    let with = match dependants {
        [] => String::new(),
        [one] => format!(", with {one}, which used it"),
        [one, more @ ..] => format!(", with {one} and {} that used it", plural(more.len(), "other task")),
    };
    format!("{task} is done once more{with}, because its result does not hold: {reason}")
}

pub(in crate::view) fn broadcast(message: &Broadcast) -> String {
    let kind = match message.message_type {
        // What a phase itself finds needs no speaker.
        MessageType::Discovery if message.task_id.is_none() => return message.content.clone(),
        MessageType::Discovery => "found",
        MessageType::Warning => "warns",
        MessageType::Completion => "is done",
        MessageType::Request => "needs",
    };
    let task = message.task_id.as_ref().map(|task| format!(" (at {task})")).unwrap_or_default();
    format!("{}{task} {kind}: {}", message.from_agent, message.content)
}

pub(in crate::view) fn queried(query: &Query) -> String {
    format!("{} (at {}) asks {}: {}", query.from_agent, query.task_id, query.to_agent, query.query)
}

pub(in crate::view) fn query_answered(response: &QueryResponse) -> String {
    let QueryResponse { from_agent, to_agent, response, confidence, .. } = response;
    match response {
        Ok(answer) => format!("{from_agent} answers {to_agent} ({confidence}% sure): {answer}"),
        Err(reason) => format!("{from_agent} gave {to_agent} no answer: {reason}"),
    }
}

pub(in crate::view) fn files_read(files: &[ReadFile]) -> String {
    let named: Vec<String> = files
        .iter()
        .map(|file| match &file.text {
            Ok(_) => format!("{} ({})", file.path, bytes(file.bytes)),
            Err(reason) => format!("{} (not read: {reason})", file.path),
        })
        .collect();
    format!("{} looked at: {}", plural(files.len(), "file"), named.join(", "))
}

/// `512 bytes`, `1.2 KB`.
pub(in crate::view) fn bytes(count: u64) -> String {
    if count < 1_000 { format!("{count} bytes") } else { format!("{:.1} KB", count as f64 / 1_000.0) }
}

pub(in crate::view) fn results_checked(results: &[CheckResult]) -> String {
    let passed = results.iter().filter(|result| result.passed).count();
    let failed = results.iter().filter(|result| !result.passed).map(|result| {
        let how = match &result.check.kind {
            CheckKind::Command(words) => words.join(" "),
            CheckKind::File(path) | CheckKind::Content(path) | CheckKind::Written(path) => path.clone(),
            CheckKind::Secrets(_) => "secrets in changed files".to_owned(),
            CheckKind::Program(name) => name.clone(),
        };
        format!("{} ({how}): {}", result.check.task_id, result.detail)
    });
    let failed: Vec<String> = failed.collect();
    let passed = format!("{passed} of {} checks passed", results.len());
    if failed.is_empty() { passed } else { format!("{passed}; failed: {}", failed.join("; ")) }
}

pub(in crate::view) fn forked(run: &RunId, fork: &ForkedFrom) -> String {
    format!("Run {run}, forked from {}", fork_origin(fork))
}

pub(in crate::view) fn fork_origin(fork: &ForkedFrom) -> String {
    format!("{} at checkpoint {}", fork.run_id, fork.checkpoint)
}

/// How a phase stands, in a word or two.
pub(in crate::view) mod phase_status {
    pub(in crate::view) const DONE: &str = "done";
    pub(in crate::view) const AT_WORK: &str = "at work";
    pub(in crate::view) const WAITING: &str = "waits for you";
    pub(in crate::view) const FAILED: &str = "failed";
    pub(in crate::view) const TO_COME: &str = "to come";
}

pub(in crate::view) fn attempt(number: u32) -> String {
    format!("try {number}")
}

pub(in crate::view) fn critique(verdict: candor_model::CritiqueVerdict) -> String {
    format!("critique: {verdict}")
}

/// `phase 3 (decomposition), 12:00:03, 1.2 KB`.
pub(in crate::view) fn rollback_point(number: u8, name: &str, at: &str, size: &str) -> String {
    format!("{number} {name}, {at}, {size}")
}

pub(in crate::view) fn other_points(points: &[String]) -> String {
    format!("checkpoints: {}", points.join(", "))
}

/// `a person's own words, 45/100: Build a site`.
pub(in crate::view) fn prompt(from: &str, score: Option<u8>, words: &str) -> String {
    let score = score.map(|score| format!(", {score}/100")).unwrap_or_default();
    format!("{from}{score}: {words}")
}

pub(in crate::view) fn asked_by_default(option: &str) -> String {
    format!("if nobody answers: {option}")
}
