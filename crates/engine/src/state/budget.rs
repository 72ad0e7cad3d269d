//! What the run spends: what is left, what planning paid for, and what is paid for but not yet on the log.

use candor_model::{
    Account, AskKey, Consulted, EventBody, ExecutionFeedback, Money, Payee, TaskId, old_logs,
};
use candor_planning::budget::Allowance;
use serde::{Deserialize, Serialize};

use super::{RunState, Stage};

/// The money of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Budget {
    pub(crate) allowance: Allowance,
    pub(crate) planning_spent: Money,
    /// What planning paid for, in order.
    paid: Vec<(Payee, Money)>,
    /// Set by an event that costs something, until the charge for it is on the log.
    bill: Option<Bill>,
}

/// What was paid for and is to be put on the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bill {
    pub(crate) account: Account,
    pub(crate) payee: Payee,
    pub(crate) amount: Money,
}

impl Budget {
    pub(super) fn charge(&mut self, account: Account, amount: Money, payee: Option<&Payee>, what: &str) {
        self.bill = None;
        self.allowance.charge(amount);
        if account == Account::Planning {
            self.planning_spent = self.planning_spent + amount;
            self.paid.push((old_logs::payee(payee, what).into_owned(), amount));
        }
    }
}

impl RunState {
    pub(super) fn charge(&mut self, body: &EventBody) {
        let EventBody::Charged { account, amount, what, payee, .. } = body else { return };
        self.budget.charge(*account, *amount, payee.as_deref(), what);
    }

    /// Everything that was spent.
    #[must_use]
    pub const fn spent(&self) -> Money {
        self.budget.allowance.spent
    }

    /// What planning paid for so far, in order.
    #[must_use]
    pub fn bills(&self) -> &[(Payee, Money)] {
        &self.budget.paid
    }

    /// What models cost for an operation of planning, such as `decompose_task`.
    pub(crate) fn cost_of(&self, operation: &str) -> Money {
        let ours = |payee: &Payee| matches!(payee, Payee::Call { operation: paid, .. } if paid == operation);
        self.budget.paid.iter().filter(|(payee, _)| ours(payee)).map(|(_, amount)| *amount).sum()
    }

    pub(crate) const fn money(&self) -> &Allowance {
        &self.budget.allowance
    }

    pub(crate) const fn planning_spent(&self) -> Money {
        self.budget.planning_spent
    }

    pub(crate) const fn bill(&self) -> Option<&Bill> {
        self.budget.bill.as_ref()
    }

    pub(super) fn bill_attempt(&mut self, task_id: &TaskId, feedback: &ExecutionFeedback) {
        let running = self.work().and_then(|work| work.find(task_id)?.2.in_flight());
        let Some(attempt) = running else { return };
        let (agent_type, amount) = (attempt.agent_type.clone(), attempt.unpaid(feedback.cost));
        if amount == Money::ZERO {
            return;
        }
        let payee = Payee::Attempt { task_id: task_id.clone(), agent_type };
        self.budget.bill = Some(Bill { account: Account::Execution, payee, amount });
    }

    /// For a call of a model that an agent made.
    pub(super) fn bill_note(&mut self, ask: &str, step: &Consulted) {
        self.bill_call(Account::Execution, ask, step);
    }

    /// For a call of a model that a phase made.
    pub(super) fn bill_ask(&mut self, ask: &AskKey, step: &Consulted) {
        let account = match self.stage {
            Stage::Preparing { .. } | Stage::Proposed => Account::Planning,
            _ => Account::Execution,
        };
        self.bill_call(account, &ask.step, step);
    }

    fn bill_call(&mut self, account: Account, operation: &str, step: &Consulted) {
        let Some(call) = step.call.as_ref().filter(|call| call.cost > Money::ZERO) else { return };
        let payee = Payee::Call { operation: operation.to_owned(), model: call.model.clone() };
        self.budget.bill = Some(Bill { account, payee, amount: call.cost });
    }
}
