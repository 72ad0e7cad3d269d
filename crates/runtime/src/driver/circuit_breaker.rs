//! Agents that keep failing are left in peace: what attempts mean for their breakers, and what the run is told.

use candor_engine::Input;
use candor_model::{AgentType, Answer, GuidanceAction, Question, Timestamp};
use candor_ports::AgentFailure;

use super::actor::Actor;
use super::attempt::Ended;
use super::batch::Batch;
use crate::breakers::Rest;

impl Actor {
    /// Counts the end of an attempt. An agent that answers works, whatever it answers; runs with faults made
    /// on purpose say nothing of anybody.
    pub(super) fn note_end(&self, ended: &Ended) {
        let Some(agent) = ended.agent.as_ref().filter(|_| self.book.state.settings().learn) else { return };
        let reason = match &ended.result {
            Ok(_) => None,
            Err(AgentFailure::Stopped | AgentFailure::Waiting { .. }) => return,
            Err(AgentFailure::Failed { reason }) => Some(reason.as_str()),
        };
        let now = self.book.clock.now();
        self.shared.breakers.ended(agent.as_str(), reason.map_or(Ok(()), Err), now, &self.shared.log);
    }

    /// Tells the run who is left in peace now, and who no longer is.
    pub(super) fn note_breakers(&mut self, batch: &mut Batch) {
        let state = &self.book.state;
        let told = |agent: &AgentType| state.resting().contains_key(agent) || state.tried().contains(agent);
        if state.resting().is_empty() && state.tried().is_empty() && !self.shared.breakers.any_open() {
            return;
        }
        let now = self.book.clock.now();
        let declared = self.shared.registry.declared().iter().map(|agent| agent.agent_type.clone());
        let agents: Vec<(AgentType, Option<(String, Timestamp)>)> = declared
            .filter_map(|agent| match self.shared.breakers.snapshot(agent.as_str(), now) {
                Rest::Open { reason, until } => Some((agent, Some((reason, until)))),
                Rest::Tried => None,
                Rest::Closed => told(&agent).then_some((agent, None)),
            })
            .collect();
        for (agent_type, opened) in agents {
            self.take(Input::Breaker { agent_type, opened }, None, batch);
        }
    }

    /// A person who says "once more" means it: the agent's breaker lets that call through.
    pub(super) fn give_a_chance(&self, input: &Input) {
        let Input::Answered { gate, answer: Answer::Guidance(guidance) } = input else { return };
        let Some(Question::Guidance(asked)) = self.book.state.open_questions().get(gate) else { return };
        if guidance.action != GuidanceAction::Retry {
            return;
        }
        let usual = self.book.state.task(&asked.task_id).map(|task| task.agent_type);
        if let Some(agent) = guidance.agent_type.clone().or(usual) {
            self.shared.breakers.give_a_chance(agent.as_str(), &self.shared.log);
        }
    }
}
