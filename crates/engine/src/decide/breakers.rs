//! Breakers of the installation, as far as this run is told: whoever is left in peace gets no new task.

use candor_model::{AgentType, EventBody};

use super::draft::Draft;

pub(super) fn agent(draft: &mut Draft<'_>, agent_type: AgentType, opened: Option<String>) {
    match (draft.state.is_unavailable(&agent_type), opened) {
        (false, Some(reason)) => draft.say(EventBody::BreakerOpened { agent_type, reason }),
        (true, None) => draft.say(EventBody::BreakerClosed { agent_type }),
        _ => {}
    }
}

pub(super) fn model(draft: &mut Draft<'_>, model: String, opened: Option<String>) {
    draft.say(match opened {
        Some(reason) => EventBody::ModelBreakerOpened { model, reason },
        None => EventBody::ModelBreakerClosed { model },
    });
}
