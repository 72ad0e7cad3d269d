//! Whether a run has reached its goal: the verdict that was recorded, its criteria, and the sentence that says so.
//!
//! This is the only reader of the verdict. Terminal, exit code, status, list, report, post-mortem and the answers of
//! tools show what is here, so that they cannot disagree.

use candor_model::{
    Assessment, CheckKind, CheckedCriterion, EventBody, Evidence, OutcomeRecord, PlanningError, Position,
    Recorded, TaskId, Verdict,
};
use candor_planning::{assessment, texts};
use serde::Serialize;

use crate::line::shortened;
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
    /// The criterion.
    #[serde(flatten)]
    pub checked: &'a CheckedCriterion,
    /// The event that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<Position>,
}

impl<'a> RunVerdict<'a> {
    /// Reads the verdict from a log.
    #[must_use]
    pub fn of(records: &'a [Recorded]) -> Self {
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
            sentence: end.map(|end| sentence(end, judged)),
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
pub const fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Verified) => "verified",
        Some(Verdict::Unverified) => "not verified",
        Some(Verdict::NotMet) => "not met",
        None => "–",
    }
}

/// How a run ended, in one sentence without its full stop.
#[must_use]
pub fn sentence(end: &EventBody, judged: Option<&Assessment>) -> String {
    match end {
        EventBody::RunCompleted { skipped } => match judged {
            None => format!("{}; whether the goal is reached was not recorded", finished(skipped)),
            Some(judged) => completed(skipped, judged),
        },
        EventBody::RunFailed { error, .. } => match error.as_ref() {
            PlanningError::CriteriaUnmet { unmet } => format!("Goal not met: {}", named(unmet)),
            error => format!("Goal not met: {}", words::error_text(error)),
        },
        EventBody::RunAborted { error, .. } => {
            format!("Goal not met; the run ended early: {}", words::error_text(error))
        }
        EventBody::RunCancelled { reason } if reason.trim().is_empty() => {
            "Goal not met: a person cancelled the run".to_owned()
        }
        EventBody::RunCancelled { reason } => {
            format!("Goal not met: a person cancelled the run ({})", texts::plain(reason))
        }
        _ => String::new(),
    }
}

fn completed(skipped: &[TaskId], judged: &Assessment) -> String {
    match judged.verdict {
        Verdict::Verified => {
            format!("Goal reached: {} of {} criteria hold", judged.held, judged.total)
        }
        Verdict::Unverified => {
            let open = assessment::unchecked(judged);
            let what = if open.is_empty() { words::NO_CRITERION.to_owned() } else { named(&open) };
            format!("{}; the goal is not verified: {what}", finished(skipped))
        }
        Verdict::NotMet => {
            let accepted = if judged.accepted { ", accepted by a person" } else { "" };
            format!("Goal not met{accepted}: {}", named(&assessment::unmet(judged)))
        }
    }
}

fn finished(skipped: &[TaskId]) -> String {
    match skipped.len() {
        0 => "All tasks finished".to_owned(),
        left_out => format!("All other tasks finished, {} left out", plural(left_out, "task")),
    }
}

/// The first of these, each shortened, and how many more there are.
fn named(lines: &[String]) -> String {
    let first = lines.iter().take(NAMED).map(|line| shortened(&texts::plain(line), NAMED_CHARS, true));
    let mut named: Vec<String> = first.collect();
    let more = lines.len().saturating_sub(NAMED);
    named.extend((more > 0).then(|| format!("{more} more")));
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
