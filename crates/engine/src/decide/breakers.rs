//! Breakers of the installation, as far as this run is told: whoever is left in peace gets no new task, and
//! then one at a time until it works again.

use candor_model::{AgentType, EventBody, Timestamp};

use super::draft::Draft;
use super::schedule;

pub(super) fn agent(draft: &mut Draft<'_>, agent_type: AgentType, opened: Option<(String, Timestamp)>) {
    match (draft.state.resting().get(&agent_type), opened) {
        (Some(Some(known)), Some((_, until))) if *known >= until => {}
        (_, Some((reason, until))) => {
            draft.emit(EventBody::BreakerOpened { agent_type, reason, until: Some(until) });
        }
        (_, None) if draft.state.tried().contains(&agent_type) || draft.state.is_unavailable(&agent_type) => {
            draft.emit(EventBody::BreakerClosed { agent_type });
            schedule::after_change(draft);
        }
        (_, None) => {}
    }
}

/// Lets those be tried whose rest is over; whether there was anyone.
pub(super) fn try_again(draft: &mut Draft<'_>) -> bool {
    let now = draft.now;
    let rested = draft.state.resting().iter().filter(|(_, until)| until.is_some_and(|until| until <= now));
    let rested: Vec<AgentType> = rested.map(|(agent, _)| agent.clone()).collect();
    let any = !rested.is_empty();
    for agent_type in rested {
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
