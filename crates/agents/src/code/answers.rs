//! What models answer, and how strictly it is read.

use candor_model::{JsonMap, Tier};
use candor_ports::Ask;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How demanding a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TaskComplexity {
    /// A trivial task with a small context.
    Simple,
    /// Some logic, a moderate context.
    Medium,
    /// Deep analysis, several steps.
    Complex,
}

/// Whether the data must be analysed first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(super) struct InputAnswer {
    /// Whether the data must be analysed before the task can be solved.
    pub(super) needs_analysis: bool,
    /// How demanding the task is.
    pub(super) complexity: TaskComplexity,
    /// Why, in a sentence.
    pub(super) reasoning: String,
}

/// Whether a result is what was asked for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(super) struct JudgeAnswer {
    /// Whether the task was really done.
    pub(super) valid: bool,
    /// Why, in a sentence.
    pub(super) reason: String,
}

/// Code, and what its author would like to look up first.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct CodeAnswer {
    #[serde(default)]
    pub(super) code: String,
    #[serde(default)]
    pub(super) tool_calls: Vec<ToolRequest>,
}

/// A tool that a model would like to have called.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ToolRequest {
    pub(super) function: String,
    #[serde(default)]
    pub(super) arguments: JsonMap,
}

/// The function that models may ask for.
pub(super) const SEARCH: &str = "search_documentation";

/// A question for code; with the offer to look something up first, or without.
pub(super) fn ask_for_code(step: &'static str, tier: Tier, temperature: f64, offer: bool) -> Ask {
    let mut ask = Ask::expecting::<InputAnswer>(step, tier);
    ask.schema = Some(if offer { offering_schema() } else { code_schema() });
    ask.check =
        std::sync::Arc::new(|value: &Value| match candor_model::from_value::<CodeAnswer>(value.clone()) {
            Ok(_) => Vec::new(),
            Err(error) => vec![error.to_string()],
        });
    ask.temperature = Some(temperature);
    ask.max_output_tokens = 4_096;
    ask
}

fn code_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "code": { "type": "string", "description": "Python, and nothing else" } },
        "required": ["code"],
    })
}

/// The same with a list of searches, which the answer may ask for instead of, or beside, code.
fn offering_schema() -> Value {
    let arguments = json!({
        "type": "object",
        "properties": {
            "library": { "type": "string", "description": "the library, such as pymupdf or pandas" },
            "query": { "type": "string", "description": "what to look for in its documentation" },
        },
        "required": ["library", "query"],
    });
    json!({
        "type": "object",
        "properties": {
            "code": { "type": "string", "description": "Python, and nothing else; may be empty if tool_calls is not" },
            "tool_calls": {
                "type": "array",
                "description": "what to look up before the code is written; empty if nothing",
                "items": {
                    "type": "object",
                    "properties": {
                        // No `enum`: it would refuse the whole answer for one call that nobody knows.
                        "function": { "type": "string", "description": format!("always {SEARCH}") },
                        "arguments": arguments,
                    },
                    "required": ["function", "arguments"],
                },
            },
        },
        "required": ["code", "tool_calls"],
    })
}
