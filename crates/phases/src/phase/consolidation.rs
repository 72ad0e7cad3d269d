//! Room 7: what is left of the run. The engine writes report and outcome; this phase says what came out, what it
//! took, and who succeeded at what. Patterns are counted, not interpreted.

mod criteria;
mod patterns;

use candor_model::{Broadcast, JsonMap, MessagePriority, MessageType, Phase};
use candor_planning::phase::{PhaseReport, PhaseResult};
use serde_json::{Value, json};

use self::patterns::Pattern;
use super::{counted, report};
use crate::PhaseContext;

/// A larger plan's lists are in its own events; here they would only repeat them.
const LARGE: usize = 100;

pub(super) fn work(cx: &PhaseContext<'_>) -> PhaseReport {
    let failed = cx.feedback.iter().filter(|feedback| !feedback.feedback_type.is_success()).count();
    let revisions = cx.plan.map_or(0, |plan| plan.metadata.revisions_made());
    let summary = format!("attempts: {}, failed: {failed}, revisions: {revisions}", cx.feedback.len());
    let patterns = patterns::counted_in(cx);
    let criteria = criteria::known(cx);
    let mut data = json!({
        "metrics": metrics(cx, &criteria),
        "patterns": patterns,
        "learnings": patterns.iter().map(Pattern::said).collect::<Vec<_>>(),
    });
    let produced = cx.feedback.iter().filter(|feedback| feedback.feedback_type.is_success());
    if produced.clone().count() <= LARGE {
        let listed = produced.map(|feedback| {
            json!({ "task_id": feedback.task_id, "outputs": feedback.actual_outputs.keys().collect::<Vec<_>>() })
        });
        if let Some(data) = data.as_object_mut() {
            data.insert("produced".to_owned(), listed.collect());
        }
    }
    let mut report = report(summary.clone(), data, PhaseResult::Plain);
    report.messages = messages(&patterns, summary);
    report.criteria = criteria;
    report
}

/// What the run took, phase by phase.
fn metrics(cx: &PhaseContext<'_>, criteria: &std::collections::BTreeMap<String, f64>) -> Value {
    let phases: JsonMap = cx
        .handoffs
        .iter()
        .map(|(phase, handoff)| {
            let context = &handoff.context;
            let figures = json!({
                "tokensUsed": context.tokens_consumed, "confidence": context.confidence,
                "quality": handoff.quality, "spokenBy": handoff.spoken_by,
            });
            (phase.number().to_string(), figures)
        })
        .collect();
    let spent: candor_model::Money = cx.feedback.iter().map(|feedback| feedback.cost).sum();
    let took: candor_model::Seconds = cx.feedback.iter().map(|feedback| feedback.duration_seconds).sum();
    json!({
        "run": cx.run_id,
        "phases": phases,
        "totalTokens": criteria::tokens(cx),
        "tasks": cx.plan.map_or(0, |plan| plan.subtasks.len()),
        "attempts": cx.feedback.len(),
        "taskCost": spent,
        "taskDuration": took,
        "evaluationCriteria": criteria,
    })
}

fn messages(patterns: &[Pattern], summary: String) -> Vec<Broadcast> {
    let seen = format!("{} of task and agent counted", counted(patterns.len(), "combination"));
    vec![
        Broadcast {
            message_type: MessageType::Discovery,
            priority: MessagePriority::Low,
            ..Broadcast::completion(Phase::Consolidation, "pattern-detector", seen)
        },
        Broadcast::completion(Phase::Consolidation, "knowledge-consolidator", summary),
    ]
}
