//! Whether a run has reached its goal: the verdict that was recorded, its criteria, and the sentence that says so.
//!
//! This is the only reader of the verdict. Terminal, exit code, status, list, report, post-mortem and the answers of
//! tools show what is here, so that they cannot disagree.

use candor_model::{
    Assessment, CheckKind, CheckedCriterion, EventBody, Evidence, OutcomeRecord, PlanningError, Position,
    Recorded, TaskId, Verdict,
};
use candor_planning::{assessment, texts};
use candor_text::{Language, in_language, word_in};
use serde::Serialize;

use crate::line::shortened;
use crate::recorded;
use crate::words::{self, plural};

/// How many criteria a sentence names.
const NAMED: usize = 2;
/// How long the name of a criterion in a sentence may be.
const NAMED_CHARS: usize = 90;

/// The verdict on a run.
#[derive(Debug, Clone, Serialize)]
pub struct RunVerdict<'a> {
    /// The verdict; absent if the run goes on, or if nobody judged it.
    pub verdict: Option<Verdict>,
    /// The same in a sentence without its full stop; absent if the run goes on.
    pub sentence: Option<String>,
    /// How many criteria hold.
    pub held: u32,
    /// How many criteria there are.
    pub total: u32,
    /// How many statements of agents about what they did could be looked up.
    pub claims: u32,
    /// How many of those nothing supports.
    pub unsupported_claims: u32,
    /// The criteria with what was found of each.
    pub criteria: Vec<CriterionView<'a>>,
}

/// A criterion, what was found of it, and where that can be seen.
#[derive(Debug, Clone, Serialize)]
pub struct CriterionView<'a> {
    /// Criterion with its result and evidence.
    #[serde(flatten)]
    pub checked: &'a CheckedCriterion,
    /// The event that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<Position>,
}

impl<'a> RunVerdict<'a> {
    /// Reads the verdict from a log, with its sentence in English.
    #[must_use]
    pub fn of(records: &'a [Recorded]) -> Self {
        Self::told(records, Language::En)
    }

    /// The same with its sentence in a language.
    #[must_use]
    pub fn told(records: &'a [Recorded], language: Language) -> Self {
        // A run that goes back or goes on has not ended, whatever it was called before.
        let goes_on =
            |it: &Recorded| matches!(it.event.body, EventBody::RolledBack { .. } | EventBody::RunResumed {});
        let since = records.iter().rposition(goes_on).unwrap_or(0);
        let latest = records.get(since..).unwrap_or_default();
        let end = latest.iter().rev().map(|it| &it.event.body).find(|body| body.is_end());
        let judged = latest.iter().rev().find_map(|it| match &it.event.body {
            EventBody::OutcomeRecorded(OutcomeRecord { assessment, .. }) => assessment.as_deref(),
            _ => None,
        });
        let criteria = judged.into_iter().flat_map(|judged| &judged.criteria);
        Self {
            verdict: end.and_then(|end| Verdict::at_end(end, judged.map(|judged| judged.verdict))),
            sentence: end.map(|end| sentence(language, end, judged)),
            held: judged.map_or(0, |judged| judged.held),
            total: judged.map_or(0, |judged| judged.total),
            claims: judged.map_or(0, |judged| judged.claims),
            unsupported_claims: judged.map_or(0, |judged| judged.unsupported_claims),
            criteria: criteria
                .map(|checked| CriterionView { checked, event: shown_by(checked, records) })
                .collect(),
        }
    }
}

/// The verdict as one word, for a list; a dash if there is none.
#[must_use]
pub const fn word(language: Language, verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Verified) => word_in!(language; "verified", "verificada"),
        Some(Verdict::Unverified) => word_in!(language; "not verified", "sin verificar"),
        Some(Verdict::NotMet) => word_in!(language; "not met", "no alcanzado"),
        None => "–",
    }
}

/// How a run ended, in one sentence without its full stop.
#[must_use]
pub fn sentence(language: Language, end: &EventBody, judged: Option<&Assessment>) -> String {
    match end {
        EventBody::RunCompleted { skipped } => match judged {
            None => in_language!(
                language;
                "{}; whether the goal is reached was not recorded",
                "{}; no se registró si se alcanzó el objetivo",
                finished(language, skipped)
            ),
            Some(judged) => completed(language, skipped, judged),
        },
        EventBody::RunFailed { error, .. } => {
            let why = match error.as_ref() {
                PlanningError::CriteriaUnmet { unmet } => named(language, unmet),
                error => recorded::told(language, &words::error_text(error)),
            };
            in_language!(language; "Goal not met: {why}", "Objetivo no alcanzado: {why}")
        }
        EventBody::RunAborted { error, .. } => in_language!(
            language;
            "Goal not met; the run ended early: {}",
            "Objetivo no alcanzado; la ejecución terminó antes de tiempo: {}",
            recorded::told(language, &words::error_text(error))
        ),
        EventBody::RunCancelled { reason } => {
            let reason = texts::plain(reason);
            let why = if reason.trim().is_empty() { String::new() } else { format!(" ({reason})") };
            in_language!(
                language;
                "Goal not met: a person cancelled the run{why}",
                "Objetivo no alcanzado: una persona canceló la ejecución{why}"
            )
        }
        _ => String::new(),
    }
}

fn completed(language: Language, skipped: &[TaskId], judged: &Assessment) -> String {
    match judged.verdict {
        Verdict::Verified => in_language!(
            language;
            "Goal reached: {} of {} criteria hold",
            "Objetivo alcanzado: se cumplen {} de {} criterios",
            judged.held,
            judged.total
        ),
        Verdict::Unverified => {
            let open = assessment::unchecked(judged);
            let what = match open.is_empty() {
                true => words::no_criterion(language).to_owned(),
                false => named(language, &open),
            };
            let finished = finished(language, skipped);
            in_language!(
                language;
                "{finished}; the goal is not verified: {what}",
                "{finished}; objetivo sin verificar: {what}"
            )
        }
        Verdict::NotMet => {
            let accepted = match judged.accepted {
                true => word_in!(language; ", accepted by a person", ", aceptado por una persona"),
                false => "",
            };
            let unmet = named(language, &assessment::unmet(judged));
            in_language!(language; "Goal not met{accepted}: {unmet}", "Objetivo no alcanzado{accepted}: {unmet}")
        }
    }
}

fn finished(language: Language, skipped: &[TaskId]) -> String {
    match skipped.len() {
        0 => word_in!(language; "All tasks finished", "Terminadas todas las tareas").to_owned(),
        left_out => in_language!(
            language;
            "All other tasks finished, {} left out",
            "Terminadas las demás tareas; sin hacer: {}",
            plural(language, left_out, word_in!(language; "task", "tarea"))
        ),
    }
}

/// The first of these, each shortened, and how many more there are.
fn named(language: Language, lines: &[String]) -> String {
    let told = |line: &String| recorded::told(language, &texts::plain(line));
    let first = lines.iter().take(NAMED).map(|line| shortened(&told(line), NAMED_CHARS, true));
    let mut named: Vec<String> = first.collect();
    let more = lines.len().saturating_sub(NAMED);
    named.extend((more > 0).then(|| in_language!(language; "{more} more", "{more} más")));
    named.join("; ")
}

/// Where on the log the evidence of a criterion is.
fn shown_by(checked: &CheckedCriterion, records: &[Recorded]) -> Option<Position> {
    let evidence = checked.evidence.as_ref()?;
    let shows = |body: &EventBody| match (evidence, body) {
        (Evidence::File(path), EventBody::ResultsChecked { results }) => {
            results.iter().any(|it| it.check.kind.path() == Some(path))
        }
        (Evidence::Command(command), EventBody::ResultsChecked { results }) => results
            .iter()
            .any(|it| matches!(&it.check.kind, CheckKind::Command(words) if words.join(" ") == *command)),
        (Evidence::Outputs(task), EventBody::TaskSucceeded { task_id, .. }) => task == task_id,
        (Evidence::Quote(_), EventBody::ModelConsulted { ask, .. }) => ask.step == "judge_result",
        _ => false,
    };
    records.iter().rev().find(|it| shows(&it.event.body)).map(|it| it.position)
}
