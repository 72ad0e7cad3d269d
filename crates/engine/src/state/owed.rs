//! What a log owes that ends in the middle of an append. A store appends all or nothing, so this is the second
//! line of defence: what is on the log of a decision is enough to carry the rest of it out.

use candor_model::{Answer, Choice, ChoiceRequest, Confidence, GateId, Question, TaskId};
use serde::{Deserialize, Serialize};

use super::{RunState, TaskState};

/// What the last event on the log must be followed by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Owed {
    /// A person chose; what was chosen is to be done.
    Chosen {
        /// What they were asked.
        request: ChoiceRequest,
        /// What they chose.
        choice: Choice,
    },
    /// The plan was revised; how sure it is now is to be said.
    Revised {
        /// How sure.
        after: Confidence,
    },
}

impl RunState {
    pub(crate) fn owed(&self) -> Option<&Owed> {
        self.owed.as_deref()
    }

    /// The tasks that failed and about which nothing has been done.
    pub(crate) fn left_failed(&self) -> Vec<TaskId> {
        let tasks = self.work().into_iter().flat_map(|work| work.tasks());
        let failed = tasks.filter(|(_, run)| run.state == TaskState::Failed);
        failed.map(|(task, _)| task.task_id.clone()).collect()
    }

    pub(super) fn owe_choice(&mut self, gate: &GateId, answer: &Answer) {
        if let (Answer::Choice(choice), Some(Question::Choice(request))) = (answer, self.gates.get(gate)) {
            let (request, choice) = (request.clone(), choice.clone());
            self.owed = Some(Box::new(Owed::Chosen { request, choice }));
        }
    }

    pub(super) fn owe_confidence(&mut self, after: Confidence) {
        if self.confidence().is_some_and(|before| before != after) {
            self.owed = Some(Box::new(Owed::Revised { after }));
        }
    }
}
