//! Who works in a phase: on which tier, and whether everyone without whom it may not end was there.

use candor_model::{Broadcast, MessagePriority, Phase};
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::roster::{Roster, trigger};

use crate::Incomplete;

/// The agents that speak for the plan and for better wordings.
const PLANNER: &str = "plan-iterator-agent";
const ENHANCER: &str = "prompt-enhancer-agent";

/// Puts a phase's question to the tier that the roster gives the phase, where it gives another than usual.
pub(super) fn on_tier(roster: &Roster, phase: Phase, incomplete: Incomplete) -> Incomplete {
    let wanted = roster.staff(phase).model;
    match incomplete {
        Incomplete::Asks(mut ask) if wanted != Roster::default().staff(phase).model => {
            ask.tier = wanted;
            Incomplete::Asks(ask)
        }
        other => other,
    }
}

/// Has the phase's lead say that it is done, and checks that nobody mandatory is missing.
pub(super) fn check(roster: &Roster, phase: Phase, report: &mut PhaseReport) -> Result<(), Incomplete> {
    let weak = matches!(&report.result, PhaseResult::Goal { enhancement: Some(_), .. });
    if phase == Phase::Planning {
        report.messages.push(done(phase, PLANNER, report.handoff.summary.clone()));
    } else if weak {
        report.messages.push(done(phase, ENHANCER, "three better wordings are offered".to_owned()));
    }
    let fired = |name: &str| match phase {
        Phase::Evaluation => weak && name == trigger::PROMPT_QUALITY_LOW,
        Phase::Decomposition => [trigger::PHASE_3_START, trigger::PHASE_3A_COMPLETE].contains(&name),
        Phase::Planning => name == trigger::PHASE_4_START,
        _ => false,
    };
    let ran = |agent: &str| report.messages.iter().any(|message| message.from_agent == agent);
    let missing = roster.missing_from(phase, &fired, &ran);
    let names: Vec<&str> = missing.iter().map(|agent| agent.name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let reason = format!(
        "{} must have been at work in phase {} and was not; take `enforcement = \"block\"` out of its definition in \
         the roster, or have somebody do its work",
        names.join(", "),
        phase.number()
    );
    Err(Incomplete::Failed(reason))
}

fn done(phase: Phase, agent: &str, content: String) -> Broadcast {
    Broadcast { priority: MessagePriority::Low, ..Broadcast::completion(phase, agent, content) }
}
