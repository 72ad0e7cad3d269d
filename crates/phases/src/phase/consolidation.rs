//! Room 7: what is left of the run. The engine writes report and outcome; this phase says what came out, what it
//! took, and who succeeded at what. Patterns are counted, not interpreted.

mod criteria;
mod patterns;

use std::collections::BTreeMap;

use candor_model::handoff::{ConsolidationOutput, Pattern, PhaseFigures, Produced, RunFigures};
use candor_model::{Broadcast, MessagePriority, MessageType, Phase};
use candor_planning::metrics::COMPLEXITY_UNDERESTIMATE;
use candor_planning::phase::{PhaseReport, PhaseResult};

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
    let good = cx.feedback.iter().filter(|feedback| feedback.feedback_type.is_success());
    let produced = (good.clone().count() <= LARGE).then(|| {
        good.map(|feedback| Produced {
            task_id: feedback.task_id.clone(),
            outputs: feedback.actual_outputs.keys().cloned().collect(),
        })
        .collect()
    });
    let output = ConsolidationOutput {
        metrics: figures(cx, &criteria),
        learnings: patterns.iter().map(patterns::said).collect(),
        patterns,
        produced,
    };
    let mut report = report(summary.clone(), &output, None, PhaseResult::Plain);
    report.messages = messages(&output.patterns, summary);
    report.criteria = criteria;
    report
        .failure_reasons
        .extend(criteria::is_underestimated(cx).then(|| COMPLEXITY_UNDERESTIMATE.to_owned()));
    report
}

/// What the run took, phase by phase.
fn figures(cx: &PhaseContext<'_>, criteria: &BTreeMap<String, f64>) -> RunFigures {
    let phases = cx.handoffs.iter().map(|(phase, handoff)| {
        let figures = PhaseFigures {
            tokens_used: handoff.context.tokens_consumed,
            confidence: handoff.context.confidence,
            quality: handoff.quality,
            spoken_by: handoff.spoken_by,
        };
        (phase.number().to_string(), figures)
    });
    RunFigures {
        run: cx.run_id.clone(),
        phases: phases.collect(),
        total_tokens: criteria::tokens(cx),
        tasks: cx.plan.map_or(0, |plan| plan.subtasks.len()),
        attempts: cx.feedback.len(),
        task_cost: cx.feedback.iter().map(|feedback| feedback.cost).sum(),
        task_duration: cx.feedback.iter().map(|feedback| feedback.duration_seconds).sum(),
        evaluation_criteria: criteria.clone(),
    }
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
