//! What an assistant is told, and how its last words become outputs.

use candor_model::{AgentAnswer, ContextText, FeedbackType, JsonMap, WorkOrder};
use serde::Serialize;
use serde_json::Value;

/// What the answer is called when no output is expected.
const TEXT: &str = "text";

/// The order as a prompt.
pub(super) fn prompt(order: &WorkOrder, role: &str, resumed: bool) -> String {
    let again = "You were interrupted while you worked on the task below. Look at what is done already, do not do \
                 it twice, and finish the rest.";
    let mut parts = vec![if resumed { again.to_owned() } else { String::new() }, role.trim().to_owned()];
    let mut add = |title: &str, text: String| {
        if !text.trim().is_empty() {
            parts.push(format!("# {title}\n{}", text.trim()));
        }
    };
    add("Task", order.description.clone());
    add("Inputs", json(&order.inputs, order.inputs.is_empty()));
    add("Results of earlier tasks", json(&order.upstream, order.upstream.is_empty()));
    add("Context", ContextText::for_prompt(&order.context));
    add("Boundaries", order.brief.boundaries.join("\n"));
    add("Answer", wanted(&order.expected_outputs));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn json(value: &impl Serialize, empty: bool) -> String {
    if empty { String::new() } else { serde_json::to_string_pretty(value).unwrap_or_default() }
}

fn wanted(expected: &[String]) -> String {
    let alone = "Nobody can answer questions while you work: decide yourself, and say what you assumed.";
    let form = match expected {
        [] => "End with a short report of what you did and what came of it.".to_owned(),
        [only] => format!("Your last message is taken as the output `{only}`: it holds the result itself."),
        many => format!(
            "End your last message with one JSON object in a ```json block, with exactly these keys: {}.",
            many.join(", ")
        ),
    };
    format!("{alone}\n{form}")
}

/// The last message as an answer: with the outputs that were expected, or with what is missing.
pub(super) fn answer(said: &str, expected: &[String]) -> AgentAnswer {
    let object = last_object(said).filter(|object| expected.iter().any(|name| object.contains_key(name)));
    let outputs = match (object, expected) {
        (Some(object), _) => object,
        (None, [only]) => JsonMap::from_iter([(only.clone(), Value::from(said))]),
        (None, _) => JsonMap::from_iter([(TEXT.to_owned(), Value::from(said))]),
    };
    let missing = expected.iter().filter(|name| !outputs.contains_key(*name));
    let errors: Vec<String> = missing.map(|name| format!("`{name}` is missing")).collect();
    let feedback_type = (!errors.is_empty()).then_some(FeedbackType::PartialSuccess);
    AgentAnswer { outputs, errors, feedback_type, ..AgentAnswer::default() }
}

/// The JSON object that a text is, or that its last block of code holds.
fn last_object(said: &str) -> Option<JsonMap> {
    let read = |text: &str| serde_json::from_str::<JsonMap>(text.trim()).ok();
    let block = || {
        let (before, _) = said.trim_end().rsplit_once("```")?;
        let (_, block) = before.rsplit_once("```")?;
        read(block.trim_start_matches("json"))
    };
    read(said).or_else(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(said: &str, expected: &[&str]) -> AgentAnswer {
        answer(said, &expected.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_message_becomes_the_outputs_that_were_expected() {
        assert_eq!(Value::from(of("Fixed it.", &[]).outputs), json!({ "text": "Fixed it." }));
        assert_eq!(Value::from(of("Fixed it.", &["patch"]).outputs), json!({ "patch": "Fixed it." }));
        let both = "Done.\n```json\n{\"a\": 1, \"b\": [2]}\n```\n";
        assert_eq!(Value::from(of(both, &["a", "b"]).outputs), json!({ "a": 1, "b": [2] }));
        assert_eq!(Value::from(of("{\"a\": 1}", &["a"]).outputs), json!({ "a": 1 }));
        // A block that has nothing to do with what was asked for is part of the words.
        let other = "Run\n```json\n{\"x\": 1}\n```";
        assert_eq!(Value::from(of(other, &["a"]).outputs), json!({ "a": other }));
    }

    #[test]
    fn what_is_missing_is_named() {
        let answer = of("```json\n{\"a\": 1}\n```", &["a", "b"]);
        assert_eq!(answer.errors, ["`b` is missing"]);
        assert_eq!(answer.verdict(), FeedbackType::PartialSuccess);
        assert_eq!(of("no block", &["a", "b"]).errors.len(), 2);
        assert_eq!(of("no block", &["a"]).verdict(), FeedbackType::Success);
    }
}
