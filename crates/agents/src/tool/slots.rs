//! What models are told: everything that comes from outside stands in a slot, where it is data.

use std::sync::Arc;

use candor_model::{ContextText, Tier, TodoItem, ToolResult, ToolSpec};
use candor_ports::Ask;
use candor_react::{Mission, redact, shorten};
use serde_json::{Value, json};

use super::answers::{ActionAnswer, PlanAnswer, StrategyAnswer};

/// How much of one tool's description and schema is shown.
const TOOL_CHARS: usize = 1_500;
/// How many tools are shown.
const MAX_TOOLS: usize = 100;
/// How much of the history is shown: the last of it.
const HISTORY_CHARS: usize = 16_000;
/// How much of the inputs is shown.
const INPUT_CHARS: usize = 8_000;

/// A list of steps, please.
pub(super) fn plan(mission: &Mission, tools: &[Arc<ToolSpec>], tier: Tier) -> Ask {
    let mut ask = Ask::expecting::<PlanAnswer>("plan_steps", tier);
    ask.max_output_tokens = 2048;
    ask.slots.insert("task", task(mission));
    ask.slots.insert("inputs", inputs(mission));
    ask.slots.insert("outputs", mission.order().expected_outputs.join(", "));
    ask.slots.insert("tools", tool_lines(tools));
    ask.tell("project", ContextText::for_prompt(&mission.order().context));
    ask
}

/// Asks the model for its next action.
pub(super) fn act(mission: &Mission, item: Option<&TodoItem>, tools: Vec<Arc<ToolSpec>>, tier: Tier) -> Ask {
    let mut ask = Ask::expecting::<ActionAnswer>("choose_action", tier);
    ask.max_output_tokens = 2048;
    ask.slots.insert("task", task(mission));
    ask.slots.insert("inputs", inputs(mission));
    ask.slots.insert("outputs", mission.order().expected_outputs.join(", "));
    let at_hand = item.map_or_else(|| "(all steps have ended)".to_owned(), item_line);
    ask.slots.insert("step", at_hand);
    ask.slots.insert("steps", mission.list().items.iter().map(item_line).collect::<Vec<_>>().join("\n"));
    ask.slots.insert("history", history(mission));
    ask.slots.insert("tools", tool_lines(&tools));
    ask.tell("project", ContextText::for_prompt(&mission.order().context));
    let shape = Arc::clone(&ask.check);
    ask.check = Arc::new(move |value| {
        let problems = shape(value);
        if problems.is_empty() { action_problems(value, &tools) } else { problems }
    });
    ask
}

/// A way to re-plan a step, please.
pub(super) fn replan(
    mission: &Mission,
    item: &TodoItem,
    error: &ToolResult,
    tools: &[Arc<ToolSpec>],
    tier: Tier,
) -> Ask {
    let mut ask = Ask::expecting::<StrategyAnswer>("replan_step", tier);
    ask.slots.insert("task", task(mission));
    ask.slots.insert("step", item_line(item));
    let error = json!({ "success": false, "error": error.error, "content": shorten(&error.content, 1_000) });
    ask.slots.insert("error", redact(&error.to_string()));
    ask.slots.insert("steps", mission.list().items.iter().map(item_line).collect::<Vec<_>>().join("\n"));
    ask.slots.insert("history", history(mission));
    ask.slots.insert("tools", tool_lines(tools));
    ask
}

/// What is wrong with a decision, for the model to correct.
fn action_problems(value: &Value, tools: &[Arc<ToolSpec>]) -> Vec<String> {
    let Ok(answer) = candor_model::from_value::<ActionAnswer>(value.clone()) else { return Vec::new() };
    let action = match answer.into_action() {
        Ok(action) => action,
        Err(problem) => return vec![problem],
    };
    let candor_model::MissionAction::ToolCall { tool, parameters } = action else { return Vec::new() };
    let Some(spec) = tools.iter().find(|spec| spec.name == tool) else {
        let known: Vec<&str> = tools.iter().map(|spec| spec.name.as_str()).collect();
        return vec![format!("tool: there is no {tool}; {}", crate::text::suggestion(&tool, &known))];
    };
    let refers = Value::Object(parameters.clone()).to_string().contains("${");
    let problems = candor_schema::problems(&Value::Object(parameters), &spec.input_schema);
    if refers { Vec::new() } else { problems.into_iter().map(|one| format!("parameters: {one}")).collect() }
}

fn task(mission: &Mission) -> String {
    let order = mission.order();
    let mut text = order.description.clone();
    for boundary in &order.brief.boundaries {
        text.push_str(&format!("\nMust not: {boundary}"));
    }
    text
}

/// What the task was given, with the names by which parameters refer to it.
fn inputs(mission: &Mission) -> String {
    let order = mission.order();
    let own = order.inputs.iter().map(|(name, value)| format!("${{inputs.{name}}} = {}", cut(value)));
    let others = order.upstream.iter().flat_map(|(task, outputs)| {
        outputs.iter().map(move |(name, value)| format!("${{upstream.{task}.{name}}} = {}", cut(value)))
    });
    own.chain(others).collect::<Vec<_>>().join("\n")
}

fn cut(value: &Value) -> String {
    shorten(&redact(&value.to_string()), INPUT_CHARS)
}

fn item_line(item: &TodoItem) -> String {
    let tool = item.tool.as_deref().map(|tool| format!(" [{tool} {}]", cut(&json!(item.parameters))));
    let tries = if item.attempts > 0 { format!(", tried {} times", item.attempts) } else { String::new() };
    format!(
        "{}. {} ({}{tries}): {}{}",
        item.position,
        item.id,
        item.status,
        item.description,
        tool.unwrap_or_default()
    )
}

/// The last of what was said and done.
fn history(mission: &Mission) -> String {
    let mut kept = Vec::new();
    let mut length = 0;
    for message in mission.history().iter().rev() {
        length += message.text.len();
        if length > HISTORY_CHARS && !kept.is_empty() {
            kept.push("(earlier messages are left out)".to_owned());
            break;
        }
        kept.push(format!("{}: {}", message.role, message.text));
    }
    kept.reverse();
    kept.join("\n")
}

fn tool_lines(tools: &[Arc<ToolSpec>]) -> String {
    let line = |tool: &Arc<ToolSpec>| {
        let text = format!("{}: {} parameters {}", tool.name, tool.description, tool.input_schema);
        shorten(&text, TOOL_CHARS)
    };
    tools.iter().take(MAX_TOOLS).map(line).collect::<Vec<_>>().join("\n")
}
