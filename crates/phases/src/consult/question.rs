//! `answer_question`: what a person asked about the plan that they were shown.

use std::sync::Arc;

use candor_model::Ask;
use candor_model::{Goal, Plan, PlanBrief, Tier};
use candor_planning::texts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::task_lines;

/// An answer to a question about a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionAnswer {
    /// The answer, in the language of the question.
    #[schemars(length(min = 1, max = 1500))]
    pub(crate) answer: String,
}

/// Asks for an answer to a person's question. `reasons` is why things were decided, a line each.
pub(crate) fn answer_question(
    question: &str,
    goal: &Goal,
    plan: &Plan,
    brief: Option<&PlanBrief>,
    reasons: &[String],
) -> Ask {
    let mut ask = Ask::expecting::<QuestionAnswer>("answer_question", Tier::Strong);
    ask.slots.insert("question", question.to_owned());
    ask.slots.insert("goal", goal.description.to_string());
    ask.slots.insert("tasks", task_lines(&plan.subtasks));
    ask.slots.insert("brief", brief.map(figures).unwrap_or_default());
    ask.slots.insert("decisions", reasons.join("\n"));
    ask.max_output_tokens = 500;
    let fits = Arc::clone(&ask.check);
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        let is_blank = value.get("answer").and_then(Value::as_str).is_some_and(|text| text.trim().is_empty());
        if is_blank {
            problems.push("answer: is empty".to_owned());
        }
        problems
    });
    ask
}

/// The plan's figures in lines; its tasks are told apart from them.
fn figures(brief: &PlanBrief) -> String {
    let mut lines = vec![
        format!("strategy: {}", brief.strategy),
        format!(
            "agents: {} ({} side by side, {} one after the other)",
            brief.agents.total, brief.agents.parallel, brief.agents.sequential
        ),
    ];
    lines.extend(brief.estimates.cost.map(|cost| format!("cost by the agents' prices: ${cost}")));
    lines.extend(brief.estimates.measured.map(|time| format!("measured before: {}", texts::measured(time))));
    let risk = |risk: &candor_model::Risk| {
        format!("risk ({}): {}; {}", risk.level, risk.description, risk.mitigation)
    };
    lines.extend(brief.risks.iter().map(risk));
    lines.extend(
        brief
            .alternatives
            .iter()
            .map(|other| format!("alternative {}: {}; {}", other.id, other.name, other.tradeoff)),
    );
    lines.join("\n")
}
