//! One line per run in the history of a session: so short that keeping it costs nothing.

use std::collections::BTreeMap;

use candor_model::{Money, Phase, PhaseMetrics, RunId, RunStatus, Timestamp};
use serde_json::json;

use crate::texts::shortened;

/// A line of the history is shorter than this.
pub const SESSION_LINE_BYTES: usize = 1_024;

/// How much of the request is kept, tried from the longest on.
const REQUEST_CHARS: [usize; 4] = [120, 60, 20, 0];

/// What a line of the history tells.
#[derive(Debug, Clone, Copy)]
pub struct SessionFigures<'a> {
    /// Names the line of the history.
    pub run_id: &'a RunId,
    /// When it ended.
    pub at: Timestamp,
    /// The person's own words.
    pub request: &'a str,
    /// How it ended.
    pub status: RunStatus,
    /// What its phases took.
    pub phases: &'a BTreeMap<Phase, PhaseMetrics>,
}

/// A run as one line of JSON, without the line's end.
#[must_use]
pub fn session_line(run: &SessionFigures<'_>) -> String {
    let line = |chars: usize| written(run, chars);
    let short = REQUEST_CHARS.iter().map(|chars| line(*chars)).find(|line| line.len() < SESSION_LINE_BYTES);
    // Only an absurdly long name is left then.
    short.unwrap_or_else(|| json!({ "at": run.at, "status": run.status }).to_string())
}

fn written(run: &SessionFigures<'_>, chars: usize) -> String {
    let request: String = shortened(run.request, chars).chars().filter(|it| !it.is_control()).collect();
    let tokens: u64 = run.phases.values().map(|phase| phase.tokens_used).fold(0, u64::saturating_add);
    let cost: Money = run.phases.values().map(|phase| phase.cost).sum();
    let phases: Vec<_> = run
        .phases
        .iter()
        .map(|(phase, took)| json!([phase.number(), took.duration, took.tokens_used]))
        .collect();
    json!({
        "run": run.run_id, "at": run.at, "request": request, "status": run.status,
        "tokens": tokens, "cost": cost, "phases": phases,
    })
    .to_string()
}
