//! Who money and tokens went to: by model, phase and task, each part exactly once.
//!
//! The log says a charge directly behind what it is for. So whoever folds it needs to remember one event only.

use candor_model::{Account, AgentNote, EventBody, Money, Payee, Phase, Spend, TaskId, TokenUse, old_logs};

/// One part of what a run spent: tokens when a model answered, or money when it was charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    /// The phase that it was spent in.
    pub phase: Phase,
    /// The task that it was spent on; absent for the work of a phase.
    pub task: Option<TaskId>,
    /// The model, or `agent:NAME` for what an agent charged for itself.
    pub model: String,
    /// Tokens and money of this charge.
    pub spend: Spend,
}

/// Attributes what is spent, event by event.
#[derive(Debug, Clone, Default)]
pub struct Attribution {
    /// What the next charge is for.
    owed: Option<(Phase, Option<TaskId>, String)>,
}

impl Attribution {
    /// What an event of the run spent, if it spent anything.
    pub fn spent(&mut self, body: &EventBody) -> Option<Spent> {
        match body {
            EventBody::ModelConsulted { ask, step, .. } => {
                let call = step.call.as_ref()?;
                Some(self.used(ask.phase, None, &call.model, call.tokens, call.cost))
            }
            EventBody::AgentNoted { task_id, note, .. } => self.noted(task_id, note),
            EventBody::Charged { account, what, amount, payee, .. } => {
                let payee = old_logs::payee(payee.as_deref(), what);
                let (phase, task, model) = self.owed.take().unwrap_or_else(|| paid(*account, &payee));
                let spend = Spend { cost: *amount, ..Spend::default() };
                Some(Spent { phase, task, model, spend })
            }
            _ => None,
        }
    }

    fn noted(&mut self, task_id: &TaskId, note: &AgentNote) -> Option<Spent> {
        let (model, tokens) = match note {
            AgentNote::Consulted { step, .. } => {
                step.call.as_ref().map(|call| (call.model.as_str(), call.tokens))?
            }
            AgentNote::Session { program, tokens, cost, .. } if tokens.is_some() || cost.is_some() => {
                (program.as_str(), tokens.unwrap_or_default())
            }
            _ => return None,
        };
        Some(self.used(Phase::Execution, Some(task_id.clone()), model, tokens, note.cost()))
    }

    fn used(
        &mut self,
        phase: Phase,
        task: Option<TaskId>,
        model: &str,
        tokens: TokenUse,
        cost: Money,
    ) -> Spent {
        let model = model.to_owned();
        self.owed = (cost > Money::ZERO).then(|| (phase, task.clone(), model.clone()));
        Spent { phase, task, model, spend: Spend { tokens, calls: 1, ..Spend::default() } }
    }
}

/// Who a charge that stands alone went to.
fn paid(account: Account, payee: &Payee) -> (Phase, Option<TaskId>, String) {
    let phase = match account {
        Account::Planning => Phase::Planning,
        Account::Execution => Phase::Execution,
    };
    match payee {
        Payee::Attempt { task_id, agent_type } => {
            (Phase::Execution, Some(task_id.clone()), format!("agent:{agent_type}"))
        }
        Payee::Call { model, .. } => (phase, None, model.clone()),
        Payee::Other(what) => (phase, None, what.clone()),
    }
}
