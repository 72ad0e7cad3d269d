//! Agents that keep failing are left in peace: what attempts mean for their breakers, and what the run is told.

use candor_engine::Input;
use candor_model::{AgentType, Answer, GuidanceAction, Question};
use candor_ports::AgentFailure;

use super::actor::Actor;
use super::attempt::Ended;
use super::batch::Batch;

impl Actor {
    /// Counts the end of an attempt. An agent that answers works, whatever it answers; runs with faults made
    /// on purpose say nothing of anybody.
    pub(super) fn note_end(&self, ended: &Ended) {
        let Some(agent) = ended.agent.as_ref().filter(|_| self.book.state.settings().learn) else { return };
        let reason = match &ended.result {
            Ok(_) => None,
            Err(AgentFailure::Stopped) => return,
            Err(AgentFailure::Failed { reason }) => Some(reason.as_str()),
        };
        let now = self.book.clock.now();
        self.shared.breakers.ended(agent.as_str(), reason.map_or(Ok(()), Err), now, &self.shared.log);
    }

    /// Tells the run who is left in peace now, and who no longer is.
    pub(super) fn note_breakers(&mut self, batch: &mut Batch) {
        let told = self.book.state.unavailable();
        if told.is_empty() && !self.shared.breakers.any_open() {
            return;
        }
        let now = self.book.clock.now();
        let declared = self.shared.staff.declared().iter().map(|agent| agent.agent_type.clone());
        let agents: Vec<(AgentType, Option<String>)> = declared
            .map(|agent| (self.shared.breakers.refusal(agent.as_str(), now), agent))
            .map(|(reason, agent)| (agent, reason))
            .filter(|(agent, reason)| told.contains(agent) != reason.is_some())
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
