//! Strategies by rules: what speaks when there is no model, or it does not answer in time.
//!
//! Something that is not installed → install it first, or use another tool; a parameter that does not fit → the
//! nearest that the tool's schema takes; a tool that is gone, or keeps failing → the most similar one that takes
//! what the step gives. How sure a strategy is says how plain the case was; nothing is made up.

mod likeness;
mod module;
mod parameters;
mod swap;

use std::sync::Arc;

use candor_model::{JsonMap, StepStrategy, StrategyType, TodoItem, ToolErrorKind, ToolResult, ToolSpec};
use serde_json::Value;

/// The strategy that the rules have for a step that failed so, among the tools that it may use.
#[must_use]
pub fn strategy(item: &TodoItem, error: &ToolResult, tools: &[Arc<ToolSpec>]) -> Option<StepStrategy> {
    let kind = error.error.as_ref().map_or(ToolErrorKind::Failed, |problem| problem.kind);
    match kind {
        ToolErrorKind::InvalidArguments => parameters::strategy(item, tools),
        // A tool that may not be used is not got around with another one.
        ToolErrorKind::Denied | ToolErrorKind::Cancelled => None,
        ToolErrorKind::Unavailable | ToolErrorKind::Timeout | ToolErrorKind::Lost => {
            swap::strategy(item, kind, tools)
        }
        ToolErrorKind::MissingDependency => {
            let module = module::missing(error.error_text());
            let installed = module.and_then(|module| module::install_first(item, &module, tools));
            installed.or_else(|| swap::strategy(item, kind, tools))
        }
        // What the schema says of the parameters tells more than the words of a failure do.
        ToolErrorKind::Failed => {
            parameters::strategy(item, tools).or_else(|| swap::strategy(item, kind, tools))
        }
    }
}

fn strategy_of(
    strategy_type: StrategyType,
    rationale: String,
    modifications: &[(&str, Value)],
    confidence: f64,
) -> StepStrategy {
    let named = |(name, value): &(&str, Value)| ((*name).to_owned(), value.clone());
    StepStrategy {
        strategy_type: strategy_type.as_str().to_owned(),
        rationale,
        modifications: modifications.iter().map(named).collect::<JsonMap>(),
        confidence: (confidence.clamp(0.0, 1.0) * 100.0).round() / 100.0,
    }
}

fn named<'a>(tools: &'a [Arc<ToolSpec>], name: &str) -> Option<&'a Arc<ToolSpec>> {
    tools.iter().find(|tool| tool.name == name)
}
