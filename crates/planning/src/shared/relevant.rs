//! What of the shared state each phase may look at.

use candor_model::handoff::PreAnalysisOutput;
use candor_model::{JsonMap, Phase};
use serde::Serialize;
use serde_json::Value;

use super::SharedState;

pub(super) fn to(state: &SharedState, phase: Phase) -> JsonMap {
    let context = &state.context;
    let left = |by: Phase| value(&state.communication.handed_over(by).map(|handoff| &handoff.data));
    let shown = match phase {
        Phase::PreAnalysis | Phase::Evaluation => vec![("user_message", value(&state.user_message))],
        Phase::Context => {
            vec![("evaluation", left(Phase::Evaluation)), ("cache_status", cache_status(state))]
        }
        Phase::Decomposition => vec![
            ("objective", value(&objective(state))),
            ("loaded_context", left(Phase::Context)),
            ("discoveries", value(&context.discoveries)),
        ],
        Phase::Planning => vec![
            ("discoveries", value(&context.discoveries)),
            ("decisions", value(&context.decisions)),
            ("decomposition", left(Phase::Decomposition)),
        ],
        Phase::Execution => vec![
            ("plan", left(Phase::Planning)),
            ("files", value(&context.files_read)),
            ("tools", value(&tools(state))),
        ],
        Phase::Validation => vec![
            ("executionResults", left(Phase::Execution)),
            ("warnings", value(&context.warnings)),
            ("modified_files", value(&context.files_modified)),
        ],
        Phase::Consolidation => {
            vec![("all_metrics", value(&state.metrics)), ("all_learnings", value(&state.learnings))]
        }
    };
    shown.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn value<T: Serialize>(of: &T) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

fn objective(state: &SharedState) -> &str {
    state.objective.as_deref().unwrap_or(&state.user_message)
}

/// What the pre-analysis found in the cache; nothing if it did not look.
fn cache_status(state: &SharedState) -> Value {
    let left = state.communication.handed_over(Phase::PreAnalysis);
    let left: Option<PreAnalysisOutput> = left.and_then(|handoff| handoff.output().ok());
    value(&left.and_then(|left| left.cached))
}

/// The tools that the phases so far have used, each once.
fn tools(state: &SharedState) -> Vec<&str> {
    let used = state.communication.handoffs.iter().flat_map(|logged| &logged.handoff.context.tools_used);
    let mut tools: Vec<&str> = used.map(String::as_str).collect();
    tools.sort_unstable();
    tools.dedup();
    tools
}
