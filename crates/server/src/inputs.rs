//! What each tool takes. The comments are the descriptions that a model reads in the schemas.

use std::time::Duration;

use candor_model::{JsonMap, TaskId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ApiError;

/// How long a call waits if it does not say.
const USUAL_WAIT: u64 = 30;
/// How long a call may wait.
const LONGEST_WAIT: u64 = 600;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanInput {
    /// What is to be reached, in plain words. Say limits too: "Plan a 3-day trip to Paris in May with a $2000
    /// budget".
    pub(crate) goal: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunInput {
    /// What is to be reached, in plain words. Say limits too: "Plan a 3-day trip to Paris in May with a $2000
    /// budget".
    pub(crate) goal: String,
    /// How many seconds to wait for an end or a question before answering; 30 if not given. 0 returns as soon as
    /// the run is stored. The run goes on afterwards.
    #[schemars(range(min = 0, max = 600))]
    #[serde(default)]
    pub(crate) wait_seconds: Option<u64>,
    /// True: nobody can be asked, so questions that have a default are answered by it, on record. False:
    /// questions wait for `approve`. If not given: as configured, otherwise false.
    #[serde(default)]
    pub(crate) unattended: Option<bool>,
    /// The run that this one continues: its name, the beginning of it, or `last`.
    #[serde(default)]
    pub(crate) follows: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusInput {
    /// The run: its name, the beginning of it, or `last`. Without it the latest runs are listed.
    #[serde(default)]
    pub(crate) run_id: Option<String>,
    /// How many seconds to wait until the run ends or comes to wait for a person (with another question than now);
    /// 0 if not given: looks and returns.
    #[schemars(range(min = 0, max = 600))]
    #[serde(default)]
    pub(crate) wait_seconds: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApproveInput {
    /// The run: its name, the beginning of it, or `last`.
    pub(crate) run_id: String,
    /// The question that is answered (`questions[].gate`); may be left out when only one is open.
    #[serde(default)]
    pub(crate) gate: Option<String>,
    /// One of the question's `decisions`. On a plan: approve, reject, adjust (with `changes`, then runs), modify
    /// (with `changes` or `text`, then shows it again), ask (with `text`), alternative (with `alternative`),
    /// regenerate, version (with `version`). On a task that keeps failing: retry, skip, abort. On any other
    /// question: the id of one of its options.
    pub(crate) decision: String,
    /// The digest of the plan that was shown (`questions[].digest`). Needed for every decision on a plan; a plan
    /// with another digest is not decided on.
    #[serde(default)]
    pub(crate) digest: Option<String>,
    /// Words of the person's own: a comment, a question, a change, or the text that an option takes.
    #[serde(default)]
    pub(crate) text: Option<String>,
    /// Changes of the plan, for adjust and modify.
    #[serde(default)]
    pub(crate) changes: Vec<ChangeInput>,
    /// The letter of an alternative, for alternative.
    #[serde(default)]
    pub(crate) alternative: Option<String>,
    /// The number of an earlier version, for version.
    #[serde(default)]
    pub(crate) version: Option<u32>,
    /// Another agent for the failing task, for retry.
    #[serde(default)]
    pub(crate) agent: Option<String>,
    /// Other inputs for the failing task, for retry.
    #[serde(default)]
    pub(crate) inputs: JsonMap,
    /// How many seconds to wait for what follows (an end or the next question) before answering; 30 if not given.
    #[schemars(range(min = 0, max = 600))]
    #[serde(default)]
    pub(crate) wait_seconds: Option<u64>,
}

/// One field of one task that gets a new value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeInput {
    /// Task whose field is changed.
    pub(crate) task_id: TaskId,
    /// The field, for instance `priority`, `agent_type` or `inputs.max_price`.
    pub(crate) field: String,
    /// Value that takes the place of the old one.
    pub(crate) value: Value,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelInput {
    /// The run: its name, the beginning of it, or `last`.
    pub(crate) run_id: String,
    /// Why, for the record.
    #[serde(default)]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumeInput {
    /// The run: its name, the beginning of it, or `last`.
    pub(crate) run_id: String,
    /// How many seconds to wait for an end or a question before answering; 30 if not given.
    #[schemars(range(min = 0, max = 600))]
    #[serde(default)]
    pub(crate) wait_seconds: Option<u64>,
}

/// Reads the arguments of a call.
pub(crate) fn read<T: DeserializeOwned>(tool: &str, arguments: JsonMap) -> Result<T, ApiError> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        ApiError::new(format!("{tool} cannot be called like this: {error}"))
            .hint("Call it again with arguments that fit its input schema; nothing was done.")
    })
}

/// How long a call waits.
pub(crate) fn patience(said: Option<u64>) -> Result<Duration, ApiError> {
    match said.unwrap_or(USUAL_WAIT) {
        seconds @ 0..=LONGEST_WAIT => Ok(Duration::from_secs(seconds)),
        seconds => Err(ApiError::new(format!(
            "wait_seconds is {seconds}, and a call waits at most {LONGEST_WAIT} seconds"
        ))
        .hint("Wait less, and then again with status: runs go on while nobody waits. Nothing was done.")),
    }
}
