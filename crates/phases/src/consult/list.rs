//! `list_tasks`: what there is to do, in a few large tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::Ask;
use candor_model::{Goal, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mend::Mendable;
use crate::decompose::{HighLevelTask, Listing};

/// What there is to do, as a model lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ListAnswer {
    /// What is wanted, in a sentence.
    #[schemars(length(min = 1, max = 400))]
    pub(crate) objective: String,
    /// The large tasks, in the order of the work.
    #[schemars(length(min = 1, max = 12))]
    pub(crate) high_level_tasks: Vec<HighLevelTask>,
    /// For each task that needs others: their ids.
    #[serde(default)]
    pub(crate) dependencies: BTreeMap<String, Vec<String>>,
    /// How much there is to it, from 0 to 100.
    #[schemars(range(min = 0, max = 100))]
    pub(crate) estimated_complexity: u8,
    /// What a person must say first because the scope cannot be told; absent if it is clear.
    #[serde(default)]
    pub(crate) unclear: Option<String>,
}

impl ListAnswer {
    /// The answer as a list.
    pub(crate) fn listing(&self) -> Listing {
        Listing {
            objective: self.objective.clone(),
            high_level_tasks: self.high_level_tasks.clone(),
            dependencies: self.dependencies.clone(),
            estimated_complexity: self.estimated_complexity.min(100),
        }
    }

    /// What a person must say first, if anything.
    pub(crate) fn open_question(&self) -> Option<&str> {
        self.unclear.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }
}

impl Mendable for ListAnswer {
    fn mend(&mut self) -> Vec<String> {
        let mut listing = self.listing();
        let warnings = listing.break_cycles();
        self.dependencies = listing.dependencies;
        warnings
    }
}

/// Asks what there is to do. `context` is what was loaded from before, in lines.
pub(crate) fn list_tasks(goal: &Goal, context: String, complexity: u8) -> Ask {
    let mut ask = Ask::expecting::<ListAnswer>("list_tasks", Tier::Balanced);
    ask.slots.insert("goal", goal.description.to_string());
    ask.slots.insert("context", context);
    ask.slots.insert("complexity", complexity.to_string());
    ask.max_output_tokens = 1_500;
    let fits = Arc::clone(&ask.check);
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        if let Ok(answer) = serde_json::from_value::<ListAnswer>(value.clone()) {
            if answer.high_level_tasks.is_empty() {
                problems
                    .push("highLevelTasks: there must be at least one, trivial ones count too".to_owned());
            }
            problems.extend(answer.listing().problems());
        }
        problems
    });
    ask
}

#[cfg(test)]
mod tests {
    use candor_testkit::fixtures;
    use serde_json::json;

    use super::*;

    fn problems(tasks: &[(&str, &str)], dependencies: &Value) -> String {
        let ask = list_tasks(&fixtures::paris_goal(), "src/main.rs".to_owned(), 77);
        let tasks: Vec<Value> = tasks
            .iter()
            .map(|(id, kind)| json!({ "id": id, "name": "n", "type": kind, "description": "d" }))
            .collect();
        let answer = json!({ "objective": "o", "highLevelTasks": tasks, "dependencies": dependencies,
            "estimatedComplexity": 70 });
        (ask.check)(&answer).join("\n")
    }

    #[test]
    fn the_prompt_has_the_objective_the_context_and_the_complexity() {
        // spec: orchestrator DC-02
        let ask = list_tasks(&fixtures::paris_goal(), "src/main.rs".to_owned(), 77);
        assert!(ask.slots["goal"].contains("Paris"));
        assert_eq!((ask.slots["context"].as_str(), ask.slots["complexity"].as_str()), ("src/main.rs", "77"));
    }

    #[test]
    fn unknown_kinds_strange_ids_and_dependencies_on_nothing_are_refused() {
        // spec: orchestrator DC-03 DC-05
        assert_eq!(problems(&[("T1", "model"), ("T2", "api")], &json!({ "T2": ["T1"] })), "");
        assert!(problems(&[("T1", "magic")], &json!({})).contains("magic"));
        assert!(problems(&[("T1", "api")], &json!({ "T1": ["T7"] })).contains("`T7` is none"));
        assert!(problems(&[("one", "api")], &json!({})).contains("write T1"));
        assert!(problems(&[("T1", "api"), ("T1", "ui")], &json!({})).contains("twice"));
        assert!(problems(&[], &json!({})).contains("at least one"));
        let circle = problems(&[("T1", "api"), ("T2", "ui")], &json!({ "T1": ["T2"], "T2": ["T1"] }));
        assert!(circle.contains("T1 → T2 → T1"), "{circle}");
    }
}
