//! Room 7: what is left of the run. The engine writes report and outcome; this room says what came out.

use candor_planning::phase::{PhaseReport, PhaseResult};
use serde_json::{Value, json};

use super::report;
use crate::Desk;

pub(super) fn work(desk: &Desk<'_>) -> PhaseReport {
    let failed = desk.feedback.iter().filter(|feedback| !feedback.feedback_type.is_success()).count();
    let revisions = desk.plan.map_or(0, |plan| plan.metadata.revisions_made());
    let summary = format!("attempts: {}, failed: {failed}, revisions: {revisions}", desk.feedback.len());
    let produced: Vec<Value> = desk
        .feedback
        .iter()
        .filter(|feedback| feedback.feedback_type.is_success())
        .map(|feedback| {
            json!({ "task_id": feedback.task_id, "outputs": feedback.actual_outputs.keys().collect::<Vec<_>>() })
        })
        .collect();
    // A large plan's list is in its own events; here it would only repeat them.
    let data = if produced.len() > 100 { json!({}) } else { json!({ "produced": produced }) };
    report(summary, data, PhaseResult::Plain)
}
