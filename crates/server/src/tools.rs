//! The tools: what they are called, what they say of themselves, what they take and give.

use std::sync::Arc;

use candor_app::tokens::Scope;
use candor_model::JsonMap;
use rmcp::model::{Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::Value;

use crate::inputs::{ApproveInput, CancelInput, PlanInput, ResumeInput, RunInput, StatusInput};
use crate::report::RunReport;

pub(crate) const PLAN: &str = "plan";
pub(crate) const RUN: &str = "run";
pub(crate) const STATUS: &str = "status";
pub(crate) const APPROVE: &str = "approve";
pub(crate) const CANCEL: &str = "cancel";
pub(crate) const RESUME: &str = "resume";

/// What a model is told before it sees the tools.
pub(crate) const INSTRUCTIONS: &str = "Candor turns a goal in plain words into a checked plan and has agents \
    carry it out durably. Call `run` with a goal; it answers when the run has ended, when it waits for a person, \
    or after a while. If it waits, show the question to the person, and pass their decision on with `approve` \
    (for a plan with the digest that was shown). Do not decide for them unless they asked you to. If it still \
    runs, call `status` with the run_id and wait_seconds. Runs survive this connection: `status` lists them, \
    `resume` continues one without an active driver. `plan` only shows what would be done.";

const ABOUT_PLAN: &str = "Shows the plan that would be made for a goal: tasks, agents, order, estimates, risks, \
    alternatives, and whether it can be carried out. Nothing is carried out and nothing is kept.";
const ABOUT_RUN: &str = "Plans a goal and carries it out. The goal is stored before anything happens, and the \
    run goes on in this server whether anybody waits or not: cancelling this call only ends the waiting (the \
    tool `cancel` ends the run). Answers when the run has ended (results, or what failed and what can be done), \
    when it waits for a person (its open questions, with the decisions that can be taken), or when wait_seconds \
    have passed (then call `status`). Each call begins a new run.";
const ABOUT_STATUS: &str = "Shows one run: tasks with their results, open questions, failures, and what to call \
    next. Without run_id: the latest runs. With wait_seconds it waits for the run to end or to ask something.";
const ABOUT_APPROVE: &str = "Answers an open question of a run: approves, rejects or changes a plan, says what \
    is to be done about a task that keeps failing, or picks an option. `status` shows the questions, the \
    decisions that each takes, and the digest of the plan that is shown: a decision on a plan holds for exactly \
    that plan and is refused if it has changed. The decision is a person's. Approving lets agents act.";
const ABOUT_CANCEL: &str = "Stops everything that a run does and ends it for good. What its agents have already \
    done in the world stays done.";
const ABOUT_RESUME: &str = "Goes on with a run that was paused or interrupted and has no active driver. What has \
    succeeded is not done again.";

/// What a token must allow for a tool to be called with it; nothing for a tool that there is not. Planning may ask
/// models, which costs money.
pub(crate) fn scope(tool: &str) -> Option<Scope> {
    match tool {
        STATUS => Some(Scope::Read),
        APPROVE => Some(Scope::Answer),
        PLAN | RUN | CANCEL | RESUME => Some(Scope::Admin),
        _ => None,
    }
}

/// All tools, in the order in which they are usually needed.
pub(crate) fn all() -> Vec<Tool> {
    let looks = || ToolAnnotations::new().read_only(true).destructive(false).idempotent(true);
    let acts = || ToolAnnotations::new().read_only(false).destructive(true);
    // Agents reach out into the world; looking at the log does not. Planning may ask a model.
    vec![
        tool::<PlanInput>(PLAN, "Plan a goal", ABOUT_PLAN, looks().open_world(true)),
        of_a_run(tool::<RunInput>(
            RUN,
            "Carry out a goal",
            ABOUT_RUN,
            acts().idempotent(false).open_world(true),
        )),
        tool::<StatusInput>(STATUS, "Look at runs", ABOUT_STATUS, looks().open_world(false)),
        of_a_run(tool::<ApproveInput>(
            APPROVE,
            "Answer a question of a run",
            ABOUT_APPROVE,
            acts().idempotent(false).open_world(true),
        )),
        of_a_run(tool::<CancelInput>(
            CANCEL,
            "Cancel a run",
            ABOUT_CANCEL,
            acts().idempotent(true).open_world(false),
        )),
        of_a_run(tool::<ResumeInput>(
            RESUME,
            "Go on with a run",
            ABOUT_RESUME,
            acts().idempotent(true).open_world(true),
        )),
    ]
}

fn tool<Input: JsonSchema>(
    name: &'static str,
    title: &str,
    about: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, about, schema::<Input>()).with_title(title).with_annotations(annotations)
}

/// A tool that answers with where a run stands.
fn of_a_run(tool: Tool) -> Tool {
    tool.with_raw_output_schema(schema::<RunReport>())
}

fn schema<T: JsonSchema>() -> Arc<JsonMap> {
    match Value::from(schemars::schema_for!(T)) {
        Value::Object(mut fields) => {
            fields.remove("title");
            fields.remove("description");
            Arc::new(fields)
        }
        // A schema that says nothing is `true`, and no type here has one.
        _ => Arc::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_description_a_schema_and_honest_hints() {
        let tools = all();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, [PLAN, RUN, STATUS, APPROVE, CANCEL, RESUME]);
        for tool in &tools {
            assert!(tool.description.as_ref().is_some_and(|about| about.len() > 80), "{}", tool.name);
            assert_eq!(tool.input_schema.get("type"), Some(&Value::from("object")), "{}", tool.name);
            let hints = tool.annotations.clone().unwrap();
            let looks = [PLAN, STATUS].contains(&tool.name.as_ref());
            assert_eq!(hints.read_only_hint, Some(looks), "{}", tool.name);
            assert_eq!(hints.destructive_hint, Some(!looks), "{}", tool.name);
            assert!(scope(&tool.name).is_some(), "{}", tool.name);
        }
    }
}
