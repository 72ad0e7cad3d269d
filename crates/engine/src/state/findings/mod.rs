//! What the phases have found and people have said so far, beside the goal and the plan.

mod dialogue;
mod evidence;
mod phase_progress;
mod prompts;

use std::collections::BTreeSet;

use candor_model::{Phase, PlanVersion, PromptChange, QueryResponse, Timestamp};
use serde::{Deserialize, Serialize};

pub(crate) use self::dialogue::PlanDialogue;
pub use self::dialogue::ShownPlan;
pub(crate) use self::evidence::{AgentMessages, Documents, LoopWatch, Refused, ValidationFindings};
pub(crate) use self::phase_progress::PhaseProgress;
pub use self::prompts::PromptEntry;
pub(crate) use self::prompts::Prompts;

/// What the phases have found and people have said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Findings {
    /// The run's words, how they were judged, and whether the guardrails let them in.
    pub(crate) prompts: Prompts,
    /// What is said about the plan before it is approved.
    pub(crate) dialogue: PlanDialogue,
    /// How far the phases are, and what they took.
    pub(crate) phases: PhaseProgress,
    /// What agents told and asked each other.
    pub(crate) messages: AgentMessages,
    /// The files that were read.
    pub(crate) documents: Documents,
    /// What validation looked up and found.
    pub(crate) validation: ValidationFindings,
    /// Whether the run repeats itself.
    pub(crate) loops: LoopWatch,
}

impl Findings {
    /// The run goes on with other words: what was found of the old ones no longer holds.
    pub(super) fn change_words(&mut self, change: &PromptChange, at: Timestamp) {
        self.prompts.change(change, at);
        self.phases.refinements.clear();
        self.phases.completed.retain(|phase| *phase == Phase::PreAnalysis);
        // Plans for other words are nothing to go back to.
        self.dialogue.shown.clear();
        self.dialogue.forget_wishes();
    }

    pub(super) fn start_phase(&mut self, phase: Phase, at: Timestamp) {
        self.phases.start(phase, at);
        match phase {
            Phase::Validation => self.validation.begin(),
            // A file that was not there may be there now.
            Phase::Context => self.documents.forget_missing(),
            _ => {}
        }
    }

    /// A question of an agent or a phase was answered.
    pub(super) fn answer_query(&mut self, response: &QueryResponse) {
        let asked = self.messages.queries.remove(&response.query_id);
        self.validation.answered(asked.as_ref(), response);
    }

    /// The plan that was shown is answered for in words, and still stands.
    pub(super) fn answered(&mut self, answer: &str) {
        self.dialogue.answered(answer);
        self.phases.completed.insert(Phase::Planning);
    }

    /// The run went back to where the results of these phases held.
    pub(super) fn roll_back(&mut self, completed: BTreeSet<Phase>, version: Option<PlanVersion>) {
        self.validation.roll_back(completed.contains(&Phase::Validation));
        self.phases.completed = completed;
        self.phases.refinements.clear();
        self.dialogue.roll_back(version);
        self.prompts.offers = 0;
        self.messages.queries.clear();
        self.loops = LoopWatch::default();
    }
}
