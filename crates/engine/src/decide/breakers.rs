//! Breakers of the installation, as far as this run is told: an agent whose circuit is open gets no new task, and
//! one whose circuit is half-open one at a time until it works again.

use candor_model::{AgentType, EventBody, Timestamp};

use super::draft::Draft;
use super::schedule;

pub(super) fn agent(draft: &mut Draft<'_>, agent_type: AgentType, opened: Option<(String, Timestamp)>) {
    match (draft.state.open_circuits().get(&agent_type), opened) {
        (Some(Some(known)), Some((_, until))) if *known >= until => {}
        (_, Some((reason, until))) => {
            draft.emit(EventBody::BreakerOpened { agent_type, reason, until: Some(until) });
        }
        (_, None) if is_known(draft, &agent_type) => {
            draft.emit(EventBody::BreakerClosed { agent_type });
            schedule::after_change(draft);
        }
        (_, None) => {}
    }
}

/// Whether the run was told that the agent's circuit is open or half-open.
fn is_known(draft: &Draft<'_>, agent_type: &AgentType) -> bool {
    draft.state.half_open_circuits().contains(agent_type) || draft.state.is_unavailable(agent_type)
}

/// Half-opens the circuits whose time is over; whether there was any.
pub(super) fn try_again(draft: &mut Draft<'_>) -> bool {
    let now = draft.now;
    let open = draft.state.open_circuits().iter();
    let due = open.filter(|(_, until)| until.is_some_and(|until| until <= now));
    let due: Vec<AgentType> = due.map(|(agent, _)| agent.clone()).collect();
    let any = !due.is_empty();
    for agent_type in due {
        draft.emit(EventBody::BreakerTried { agent_type });
    }
    any
}

pub(super) fn model(draft: &mut Draft<'_>, model: String, opened: Option<String>) {
    draft.emit(match opened {
        Some(reason) => EventBody::ModelBreakerOpened { model, reason },
        None => EventBody::ModelBreakerClosed { model },
    });
}
