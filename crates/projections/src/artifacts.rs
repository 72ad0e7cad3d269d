//! What a run produced, one by one: every output of every task that succeeded, under a name that stays the same.

use candor_engine::RunState;
use candor_model::TaskId;
use candor_planning::texts;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::results::latest_outputs;

/// How many bytes of a digest name an artifact.
const NAMED_BY: usize = 8;

/// One output of a task.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Artifact {
    /// Names it within its run.
    pub artifact_id: String,
    /// The task that produced it.
    pub task_id: TaskId,
    /// The task's name for people.
    pub task: String,
    /// The name of the output.
    pub name: String,
    /// `text/plain` for a text, `application/json` for anything else.
    pub media_type: &'static str,
    /// How large it is.
    pub bytes: usize,
}

/// An output with what is in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArtifactContent {
    /// Output as the list shows it.
    #[serde(flatten)]
    pub artifact: Artifact,
    /// What is in it.
    pub content: Value,
}

/// What a run has produced so far, in the order of its plan.
#[must_use]
pub fn artifacts(state: &RunState) -> Vec<ArtifactContent> {
    let latest = latest_outputs(state);
    let Some(plan) = state.plan() else { return Vec::new() };
    let of_task = |task: &candor_model::SubTask| {
        let outputs = latest.get(&task.task_id).copied().cloned().unwrap_or_default();
        let (task_id, name) = (task.task_id.clone(), texts::task_name(task));
        let made =
            outputs.into_iter().map(move |(output, content)| artifact(&task_id, &name, output, content));
        made.collect::<Vec<_>>()
    };
    plan.subtasks.iter().flat_map(of_task).collect()
}

fn artifact(task_id: &TaskId, task: &str, name: String, content: Value) -> ArtifactContent {
    let (media_type, bytes) = match &content {
        Value::String(text) => ("text/plain", text.len()),
        other => ("application/json", other.to_string().len()),
    };
    let digest = Sha256::digest(format!("{task_id}\n{name}").as_bytes());
    let artifact_id = candor_model::hex(digest.iter().take(NAMED_BY));
    let (task_id, task) = (task_id.clone(), task.to_owned());
    let artifact = Artifact { artifact_id, task_id, task, name, media_type, bytes };
    ArtifactContent { artifact, content }
}
