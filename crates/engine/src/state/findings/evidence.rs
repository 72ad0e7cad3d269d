//! What was looked up and told while the run went on: messages, files, checks, and repeated failures.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::handoff::{ContextOutput, LoadedItem, ValidationOutput};
use candor_model::{
    Assessment, Broadcast, CheckResult, ExecutionFeedback, Handoff, Phase, Query, QueryResponse, ReadFile,
    TaskId,
};
use candor_planning::loop_guard::Watch;
use serde::{Deserialize, Serialize};

/// What agents told and asked each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentMessages {
    pub(crate) broadcasts: Vec<Arc<Broadcast>>,
    /// The questions that are not answered, by name.
    pub(crate) queries: BTreeMap<String, Query>,
}

impl AgentMessages {
    pub(crate) fn ask(&mut self, query: &Query) {
        self.queries.insert(query.id.clone(), query.clone());
    }
}

/// The files that were read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Documents {
    pub(crate) files: BTreeMap<String, ReadFile>,
    /// Files that were changed since they were first read, as they were then.
    pub(crate) originals: BTreeMap<String, ReadFile>,
    /// What phase 2 loaded for models and agents.
    #[serde(default)]
    pub(crate) loaded: Vec<LoadedItem>,
}

impl Documents {
    /// Keeps what phase 2 loaded; a handoff of another form loads nothing.
    pub(crate) fn handed_over(&mut self, handoff: &Handoff) {
        self.loaded = handoff.output::<ContextOutput>().map(|output| output.loaded).unwrap_or_default();
    }

    pub(crate) fn read(&mut self, files: &[ReadFile]) {
        for file in files {
            let before = self.files.insert(file.path.clone(), file.clone());
            if let Some(before) = before.filter(|before| before.hash != file.hash && before.is_whole()) {
                self.originals.entry(file.path.clone()).or_insert(before);
            }
        }
    }

    /// Forgets the files that were not there, so that they are looked for again.
    pub(crate) fn forget_missing(&mut self) {
        self.files.retain(|_, file| file.text.is_ok() || file.modified.is_some());
    }

    /// The files that are not as they were when they were first read.
    pub(crate) fn modified(&self) -> impl Iterator<Item = &String> {
        let is_other = |path: &str, original: &ReadFile| {
            self.files.get(path).is_none_or(|now| now.hash != original.hash)
        };
        self.originals.iter().filter(move |(path, original)| is_other(path, original)).map(|(path, _)| path)
    }

    /// A file is as it was.
    pub(crate) fn restored(&mut self, path: &str) {
        if let Some(original) = self.originals.remove(path) {
            self.files.insert(path.to_owned(), original);
        }
    }
}

/// What validation looked up and found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ValidationFindings {
    pub(crate) checks: Vec<CheckResult>,
    /// What agents answered to its questions.
    pub(crate) responses: Vec<QueryResponse>,
    /// Success criteria that it found unmet.
    pub(crate) unmet: Vec<String>,
    /// How often each task was done again because its result did not hold.
    pub(crate) reworks: BTreeMap<TaskId, u32>,
    /// The result of each of them that was refused last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) refused: BTreeMap<TaskId, Refused>,
    /// How it judged the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) assessment: Option<Assessment>,
    /// Whether a person took a result that fails its criterion.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) accepted: bool,
}

/// A result that did not hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Refused {
    /// Why.
    pub(crate) reason: String,
    /// What the task had put out.
    pub(crate) result: Arc<ExecutionFeedback>,
}

impl ValidationFindings {
    pub(super) fn begin(&mut self) {
        self.checks.clear();
        self.responses.clear();
        self.unmet.clear();
        self.assessment = None;
        self.accepted = false;
    }

    /// Validation handed over what it found.
    pub(crate) fn handed_over(&mut self, handoff: &Handoff) {
        self.assessment = handoff.output::<ValidationOutput>().ok().and_then(|left| left.assessment);
    }

    /// A question was answered; what a phase itself asked is kept for it.
    pub(crate) fn answered(&mut self, asked: Option<&Query>, response: &QueryResponse) {
        let of_phase = |query: &Query| Phase::ALL.iter().any(|phase| query.from_agent == phase.lead_agent());
        if asked.is_some_and(of_phase) {
            self.responses.push(response.clone());
        }
    }

    pub(crate) fn rework(&mut self, task_id: &TaskId, refused: Option<Refused>) {
        if let Some(refused) = refused {
            self.refused.insert(task_id.clone(), refused);
        }
        let count = self.reworks.entry(task_id.clone()).or_default();
        *count = count.saturating_add(1);
    }

    /// The run went back; what was judged stands if it went back to a point after validation.
    pub(super) fn roll_back(&mut self, stands: bool) {
        self.checks.clear();
        self.unmet.clear();
        self.reworks.clear();
        self.refused.clear();
        if !stands {
            self.assessment = None;
            self.accepted = false;
        }
    }
}

/// Whether the run repeats what has failed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LoopWatch {
    pub(crate) watch: Watch,
    /// Whether the last failure showed a loop.
    pub(crate) detected: bool,
}
