//! What single events say that need nothing but themselves: phases, decisions on the plan, circumstances.

use candor_model::{AfterStop, AskStep, Confidence, CritiqueVerdict, EventBody, Severity};
use candor_planning::texts;

use super::style::Mark;
use super::words;

/// What a line is made of, before it gets its time; with what to type or to know next.
pub(super) struct Said(pub(super) Severity, pub(super) Mark, pub(super) String, pub(super) Vec<String>);

pub(super) fn note(text: String) -> Option<Said> {
    said(Mark::Note, text)
}

pub(super) fn said(mark: Mark, text: String) -> Option<Said> {
    Some(Said(Severity::Info, mark, text, Vec::new()))
}

pub(super) fn warning(text: String) -> Option<Said> {
    Some(Said(Severity::Warning, Mark::Warning, text, Vec::new()))
}

pub(super) fn error(text: String) -> Option<Said> {
    Some(Said(Severity::Error, Mark::Failed, text, Vec::new()))
}

pub(super) fn say_phase(body: &EventBody) -> Option<Said> {
    match body {
        EventBody::PhaseCompleted { phase, handoff, metrics } => {
            let figures = words::phase_figures(metrics.as_deref(), handoff.spoken_by);
            note(words::phase_done(*phase, &handoff.summary, &figures))
        }
        EventBody::PhaseFailed { phase, reason } => error(words::phase_failed(*phase, &texts::plain(reason))),
        EventBody::PhaseDegraded { phase, reason } => warning(words::phase_degraded(*phase, reason)),
        EventBody::GoalDefined { goal } => note(words::goal_defined(goal)),
        EventBody::PromptScored { score, issues, .. } => note(words::prompt_scored(*score, issues)),
        EventBody::Critiqued { phase, verdict, notes, .. } if *verdict != CritiqueVerdict::Continue => {
            warning(words::critiqued(*phase, *verdict, notes))
        }
        _ => None,
    }
}

pub(super) fn say_plan(body: &EventBody) -> Option<Said> {
    match body {
        EventBody::PlanAdjusted { adjustments, .. } => said(Mark::Note, words::adjusted(adjustments)),
        EventBody::PlanApproved { note: why, .. } => note(words::approved(why)),
        EventBody::PlanRejected { comments, .. } => warning(words::rejected(comments)),
        EventBody::ConfidenceChanged { before, after, cause } => {
            confidence_moved(*before, *after, words::confidence_cause(cause.as_str()))
        }
        _ => None,
    }
}

fn confidence_moved(before: Confidence, after: Confidence, cause: &str) -> Option<Said> {
    note(words::confidence_moved(before, after, cause))
}

pub(super) fn say_circumstance(body: &EventBody) -> Option<Said> {
    match body {
        EventBody::GuardrailTripped { rule, severity, reason } => {
            let mark = if *severity == Severity::Error { Mark::Failed } else { Mark::Warning };
            Some(Said(*severity, mark, words::guardrail(rule, reason), Vec::new()))
        }
        EventBody::ModelConsulted { ask, step, .. } => {
            let told = words::models::consulted(ask, step)?;
            match step.outcome {
                AskStep::Accepted { .. } => note(told),
                _ => warning(told),
            }
        }
        EventBody::ModelBreakerOpened { model, reason } => {
            warning(words::models::breaker_opened(model, reason))
        }
        EventBody::ModelBreakerClosed { model } => note(words::models::breaker_closed(model)),
        EventBody::BreakerTried { agent_type } => note(words::models::tried(&texts::agent_name(agent_type))),
        EventBody::BreakerOpened { agent_type, reason, .. } => {
            warning(words::breaker_opened(&texts::agent_name(agent_type), reason))
        }
        EventBody::BreakerClosed { agent_type } => {
            note(words::breaker_closed(&texts::agent_name(agent_type)))
        }
        EventBody::FellBack { what, from, to, reason, .. } => {
            warning(words::fell_back(what, from, to, reason))
        }
        EventBody::Degraded { level, reason } => warning(words::degraded(*level, reason)),
        EventBody::BudgetExceeded { account, spent, budget } => {
            error(words::budget_exceeded(*account, *spent, *budget))
        }
        EventBody::ConflictResolved(resolved) => {
            note(words::conflict(&resolved.between, &resolved.resolution))
        }
        EventBody::RunResumed {} => note(words::RESUMED.text().to_owned()),
        EventBody::StopRequested { then } => note(match then.as_ref() {
            AfterStop::Cancel { .. } => words::STOPPING_TO_CANCEL.text().to_owned(),
            AfterStop::Abort { .. } => words::STOPPING_TO_ABORT.text().to_owned(),
            AfterStop::RollBack { to, .. } => words::stopping_to_roll_back(*to),
        }),
        EventBody::RolledBack { to, run_budget } => said(Mark::Again, words::rolled_back(*to, *run_budget)),
        _ => None,
    }
}
