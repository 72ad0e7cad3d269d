//! A question to a person: declared here, carried out by whoever leads the talk with the agent.

use candor_model::{ASK_PERSON, ToolErrorKind, ToolHints, ToolProblem, ToolSpec};
use schemars::JsonSchema;

use super::{problem, spec_of};

/// What it is given.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used: the call is taken by someone else")]
struct Args {
    /// The question, with all that is needed to answer it.
    #[schemars(length(min = 1))]
    question: String,
}

pub(super) fn spec() -> ToolSpec {
    let description = "Asks a person and waits for the answer. Only for what no other tool can find out.";
    let hints = ToolHints { open_world_hint: true, idempotent_hint: false, ..ToolHints::READS };
    spec_of::<Args>(ASK_PERSON, description, hints)
}

pub(super) fn not_here() -> ToolProblem {
    let message =
        "a question to a person is put by the agent that works on the task; nobody can be asked here";
    problem(ToolErrorKind::Failed, message)
}
