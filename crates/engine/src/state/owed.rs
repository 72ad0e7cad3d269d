//! What a log owes that ends in the middle of an append. A store appends all or nothing, so this is the second
//! line of defence: what is on the log of a decision is enough to carry the rest of it out.

use candor_model::{
    Account, Answer, AskKey, Choice, ChoiceRequest, Confidence, Consulted, ExecutionFeedback, GateId, Money,
    Payee, Question, TaskId,
};
use serde::{Deserialize, Serialize};

use super::{RunState, Stage, TaskState};

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

/// What was paid for and is to be put on the bill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bill {
    pub(crate) account: Account,
    pub(crate) payee: Payee,
    pub(crate) amount: Money,
}

impl RunState {
    pub(crate) fn owed(&self) -> Option<&Owed> {
        self.owed.as_deref()
    }

    pub(crate) const fn bill(&self) -> Option<&Bill> {
        self.bill.as_ref()
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

    pub(super) fn bill_attempt(&mut self, task_id: &TaskId, feedback: &ExecutionFeedback) {
        let running = self.work().and_then(|work| work.find(task_id)?.2.in_flight());
        let Some(attempt) = running else { return };
        let (agent_type, amount) = (attempt.agent_type.clone(), attempt.unpaid(feedback.cost));
        if amount == Money::ZERO {
            return;
        }
        let payee = Payee::Attempt { task_id: task_id.clone(), agent_type };
        self.bill = Some(Bill { account: Account::Execution, payee, amount });
    }

    /// For a call of a model that an agent made.
    pub(super) fn bill_note(&mut self, ask: &str, step: &Consulted) {
        let Some(call) = step.call.as_ref().filter(|call| call.cost > Money::ZERO) else { return };
        let payee = Payee::Call { operation: ask.to_owned(), model: call.model.clone() };
        self.bill = Some(Bill { account: Account::Execution, payee, amount: call.cost });
    }

    pub(super) fn bill_call(&mut self, ask: &AskKey, step: &Consulted) {
        let Some(call) = step.call.as_ref().filter(|call| call.cost > Money::ZERO) else { return };
        let account = match self.stage {
            Stage::Preparing { .. } | Stage::Proposed => Account::Planning,
            _ => Account::Execution,
        };
        let payee = Payee::Call { operation: ask.step.clone(), model: call.model.clone() };
        self.bill = Some(Bill { account, payee, amount: call.cost });
    }
}
