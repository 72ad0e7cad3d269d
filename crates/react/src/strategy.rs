//! Whether a strategy can be used, and what it makes of the list.

use std::sync::Arc;

use candor_model::{JsonMap, ListChange, StepStrategy, StrategyType, TodoList, ToolSpec};
use serde_json::Value;

use crate::list;

/// A strategy that is less sure than this is none.
pub const MIN_CONFIDENCE: f64 = 0.6;

/// How long it may take to re-plan a step, in milliseconds: finding a strategy and putting it into effect.
pub const REPLAN_LIMIT_MS: u64 = 10_000;

/// What is said when nothing was found, or nothing that is sure enough.
pub const NO_STRATEGY: &str = "No viable replan strategy found";

/// Why a strategy is not used: in short, and the whole story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rejected {
    pub(crate) summary: String,
    pub(crate) why: String,
}

/// What a strategy makes of the list; nothing is changed.
///
/// `arguments` fills in what parameters refer to, as far as it is known.
pub(crate) fn change(
    strategy: Option<&StepStrategy>,
    list: &TodoList,
    position: u32,
    max_replans: u32,
    tools: &[Arc<ToolSpec>],
    arguments: &dyn Fn(&JsonMap) -> Option<JsonMap>,
) -> Result<ListChange, Rejected> {
    let none = |why: String| Rejected { summary: NO_STRATEGY.to_owned(), why };
    let strategy = strategy.ok_or_else(|| none("nothing was found that could help".to_owned()))?;
    // Written so that not-a-number is refused too.
    if !(MIN_CONFIDENCE..=1.0).contains(&strategy.confidence) {
        let why = format!("its confidence is {}, at least {MIN_CONFIDENCE} is needed", strategy.confidence);
        return Err(none(why));
    }
    let Ok(kind) = strategy.strategy_type.parse::<StrategyType>() else {
        let name = crate::shorten(&strategy.strategy_type, 40);
        let known: Vec<&str> = StrategyType::ALL.iter().map(|kind| kind.as_str()).collect();
        let summary = format!("Unknown strategy type {name}");
        return Err(Rejected { summary, why: format!("known are {}", known.join(", ")) });
    };
    let changed = changed(kind, strategy, list, position, max_replans);
    changed
        .and_then(|change| usable(&change, tools, arguments).map(|()| change))
        .map_err(|why| Rejected { summary: format!("Failed to apply {kind}"), why })
}

fn changed(
    kind: StrategyType,
    strategy: &StepStrategy,
    list: &TodoList,
    position: u32,
    max_replans: u32,
) -> Result<ListChange, String> {
    let modifications = &strategy.modifications;
    match kind {
        StrategyType::RetryWithParams => list::modify_step(list, position, modifications, max_replans),
        StrategyType::SwapTool => list::replace_step(list, position, modifications, max_replans),
        StrategyType::DecomposeTask => {
            let subtasks = modifications.get("subtasks").and_then(Value::as_array);
            let subtasks = subtasks.ok_or("the strategy names no `subtasks`")?;
            list::decompose_step(list, position, subtasks, max_replans)
        }
    }
}

/// Whether the steps of a change use only tools that may be used, with arguments that they take.
fn usable(
    change: &ListChange,
    tools: &[Arc<ToolSpec>],
    arguments: &dyn Fn(&JsonMap) -> Option<JsonMap>,
) -> Result<(), String> {
    for item in &change.items {
        let Some(name) = &item.tool else { continue };
        let Some(tool) = tools.iter().find(|tool| tool.name == *name) else {
            return Err(format!("the tool {name} is not among those that may be used"));
        };
        // What refers to steps that are still to come cannot be judged before they are done.
        let Some(arguments) = arguments(&item.parameters) else { continue };
        let problems = candor_schema::problems(&Value::Object(arguments), &tool.input_schema);
        if !problems.is_empty() {
            return Err(format!("{name} does not take these parameters: {}", problems.join("; ")));
        }
    }
    Ok(())
}
