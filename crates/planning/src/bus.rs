//! What the agents of one phase tell each other, and who would wait for whom.
//!
//! A view over messages that are kept elsewhere: it loses none and sends none. Each phase has its own bus.

use std::collections::BTreeSet;

use candor_model::{Broadcast, MessagePriority, MessageType, Phase, Query};

/// The messages of one phase.
#[derive(Debug, Clone)]
pub struct Bus<'a> {
    phase: Phase,
    messages: Vec<&'a Broadcast>,
}

/// Which messages somebody wants to have; what is not said matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of these kinds.
    pub message_types: Vec<MessageType>,
    /// That matter at least so much.
    pub at_least: Option<MessagePriority>,
    /// From these agents.
    pub from_agents: Vec<String>,
}

impl Filter {
    /// What the orchestrator listens to: warnings that must stop the phase.
    #[must_use]
    pub fn alarms() -> Self {
        Self {
            message_types: vec![MessageType::Warning],
            at_least: Some(MessagePriority::Critical),
            from_agents: Vec::new(),
        }
    }

    /// Whether the message is wanted.
    #[must_use]
    pub fn matches(&self, message: &Broadcast) -> bool {
        (self.message_types.is_empty() || self.message_types.contains(&message.message_type))
            && self.at_least.is_none_or(|least| message.priority >= least)
            && (self.from_agents.is_empty() || self.from_agents.contains(&message.from_agent))
    }
}

impl<'a> Bus<'a> {
    /// The bus of a phase, out of the messages of a run.
    #[must_use]
    pub fn of(phase: Phase, messages: &'a [Broadcast]) -> Self {
        Self { phase, messages: messages.iter().filter(|message| message.phase == phase).collect() }
    }

    /// The phase.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Everything that was said, in order.
    #[must_use]
    pub fn messages(&self) -> &[&'a Broadcast] {
        &self.messages
    }

    /// Those who spoke and have not said that they are done.
    #[must_use]
    pub fn active_agents(&self) -> BTreeSet<&'a str> {
        let mut active = BTreeSet::new();
        for message in &self.messages {
            if message.message_type == MessageType::Completion {
                active.remove(message.from_agent.as_str());
            } else {
                active.insert(message.from_agent.as_str());
            }
        }
        active
    }

    /// What was found.
    pub fn discoveries(&self) -> impl Iterator<Item = &'a Broadcast> {
        self.of_type(MessageType::Discovery)
    }

    /// What may go wrong.
    pub fn warnings(&self) -> impl Iterator<Item = &'a Broadcast> {
        self.of_type(MessageType::Warning)
    }

    fn of_type(&self, kind: MessageType) -> impl Iterator<Item = &'a Broadcast> {
        self.messages.iter().copied().filter(move |message| message.message_type == kind)
    }

    /// What an agent that listens for `filter` gets; nobody hears themselves.
    pub fn subscribe(&self, agent: &str, filter: &Filter) -> impl Iterator<Item = &'a Broadcast> {
        self.messages
            .iter()
            .copied()
            .filter(move |message| message.from_agent != agent && filter.matches(message))
    }
}

/// Whether a message goes to everyone at work at once; all others are read when somebody asks.
#[must_use]
pub fn pushed(message: &Broadcast) -> bool {
    message.is_pressing()
}

/// Whether, with one more question, agents would wait for each other in a circle. It is refused then.
#[must_use]
pub fn would_wait_in_circles(open: &[Query], new: &Query) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting_for = vec![new.to_agent.as_str()];
    while let Some(agent) = waiting_for.pop() {
        if agent == new.from_agent {
            return true;
        }
        if seen.insert(agent) {
            let asked = open.iter().filter(|query| query.from_agent == agent);
            waiting_for.extend(asked.map(|query| query.to_agent.as_str()));
        }
    }
    false
}
