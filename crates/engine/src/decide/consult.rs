//! Questions to models: money is set aside before a call, its answer is on the log before it is used, and
//! every step down is told.

use std::sync::Arc;

use candor_model::{
    Account, Announcement, AskKey, AskStep, Consulted, EventBody, FallbackKind, Money, Notification,
    OpenCall, Payee, Phase, Severity, Tier,
};

use candor_planning::gates;

use super::draft::Draft;
use super::{choices, outcome, phases};
use crate::state::Stage;
use crate::{Refusal, RunState};

/// A call is about to be made.
pub(super) fn consulting(
    draft: &mut Draft<'_>,
    ask: AskKey,
    tier: Tier,
    model: String,
    reserved: Money,
) -> Result<(), Refusal> {
    phases::check_at_work(draft, ask.phase, ask.attempt)?;
    let state = draft.state;
    if state.open_call(&ask).is_some() {
        return Err(Refusal::AlreadyAsked { ask });
    }
    let number = next_number(draft, &ask);
    if is_answered(draft, &ask) {
        return Err(Refusal::StaleAsk { ask, number });
    }
    check_tokens(draft)?;
    check_budgets(draft, reserved)?;
    draft.emit(EventBody::ModelAsked { call: Box::new(OpenCall { ask, number, tier, model, reserved }) });
    Ok(())
}

/// Whether models may say anything more before a person has allowed it.
fn check_tokens(draft: &Draft<'_>) -> Result<(), Refusal> {
    let (used, allowed) = (draft.state.findings().phases.tokens_used(), tokens_allowed(draft.state));
    if used > allowed { Err(Refusal::NoTokens { used, allowed }) } else { Ok(()) }
}

fn tokens_allowed(state: &RunState) -> u64 {
    state.settings().phase_limits().token_budget.saturating_add(state.findings().phases.tokens_allowed)
}

/// Asks a person whether models may go on, at the call that used up what was allowed.
fn ask_for_tokens(draft: &mut Draft<'_>, phase: Phase) {
    let before = draft.state.findings().phases.tokens_used();
    let ahead = draft.projected();
    let (used, allowed) = (ahead.findings().phases.tokens_used(), tokens_allowed(ahead));
    if before <= allowed && used > allowed {
        choices::ask(draft, gates::tokens(phase, used, allowed));
    }
}

/// Whether the most that a call can cost is left, after everything spent and set aside.
fn check_budgets(draft: &Draft<'_>, needed: Money) -> Result<(), Refusal> {
    let state = draft.state;
    let aside = state.set_aside_for_models();
    if account(draft) == Account::Planning {
        let (spent, budget) = (state.planning_spent(), state.settings().planning_budget);
        if spent + aside + needed > budget {
            return Err(Refusal::NoMoney { account: Account::Planning, spent, aside, budget, needed });
        }
    }
    let money = state.money();
    match money.cap {
        Some(budget) if !money.can_reserve(aside + needed) => {
            let (spent, aside) = (money.spent, aside + money.reserved);
            Err(Refusal::NoMoney { account: Account::Execution, spent, aside, budget, needed })
        }
        _ => Ok(()),
    }
}

/// A step was made.
pub(super) fn consulted(
    draft: &mut Draft<'_>,
    ask: AskKey,
    number: u32,
    step: Consulted,
) -> Result<(), Refusal> {
    let bill = step.call.as_ref().map(|call| (payee(&ask.step, &call.model), call.cost));
    let at_work = phases::check_at_work(draft, ask.phase, ask.attempt);
    let stale = number != next_number(draft, &ask)
        || step.call.is_some() != draft.state.open_call(&ask).is_some()
        || is_answered(draft, &ask);
    if at_work.is_err() || (stale && step.call.is_none()) {
        // It comes too late to be used; what was paid for it is a fact all the same.
        let Some((payee, amount)) = bill.filter(|(_, amount)| *amount > Money::ZERO) else {
            return at_work.and(Err(Refusal::StaleAsk { ask, number }));
        };
        outcome::spent(draft, account(draft), payee, amount);
        return Ok(());
    }
    if stale {
        return Err(Refusal::StaleAsk { ask, number });
    }
    let step = Arc::new(step);
    draft.emit(EventBody::ModelConsulted { ask: Box::new(ask.clone()), number, step: Arc::clone(&step) });
    tell(draft, &ask, &step);
    if let Some((payee, amount)) = bill.filter(|(_, amount)| *amount > Money::ZERO) {
        outcome::spent(draft, account(draft), payee, amount);
    }
    ask_for_tokens(draft, ask.phase);
    Ok(())
}

/// The model that is paid for an operation.
pub(super) fn payee(operation: &str, model: &str) -> Payee {
    Payee::Call { operation: operation.to_owned(), model: model.to_owned() }
}

/// Tells people that something less good takes a model's place.
fn tell(draft: &mut Draft<'_>, ask: &AskKey, step: &Consulted) {
    let phase = ask.phase;
    match &step.outcome {
        AskStep::FallBack { from, to, reason } => draft.emit(EventBody::FellBack {
            what: ask.step.clone(),
            from: named(*from, step),
            to: format!("the {to} tier"),
            reason: reason.clone(),
            kind: Some(FallbackKind::Model),
        }),
        AskStep::GiveUp { reason, .. } => {
            draft.emit(EventBody::PhaseDegraded { phase, reason: reason.clone() });
            draft.notify(Notification::Announcement(Announcement {
                severity: Severity::Warning,
                timestamp: draft.now,
                task_id: None,
                title: format!("Phase {} ({phase}) works by rules", phase.number()),
                // The reason is said in the same breath, by the event before.
                text: format!("No model could answer {}", ask.step),
                suggestion: Some("`candor doctor` says which models answer".to_owned()),
            }));
        }
        AskStep::Accepted { .. } | AskStep::Repeat { .. } | AskStep::AskAgain { .. } => return,
    }
    let (before, after) = (draft.state.degradation().level, draft.state.degradation_after(phase, step));
    if after.level > before {
        let reason = format!("failed: {}", after.failed());
        draft.emit(EventBody::Degraded { level: after.level, reason });
    }
}

fn named(tier: Tier, step: &Consulted) -> String {
    match &step.call {
        Some(call) => format!("the {tier} tier ({})", call.model),
        None => format!("the {tier} tier"),
    }
}

/// The process that made these calls is gone. They are made again, and what was set aside for them stays so:
/// they may have been paid.
pub(super) fn taken_up(draft: &mut Draft<'_>) {
    let lost: Vec<OpenCall> = draft.state.open_calls().cloned().collect();
    for OpenCall { ask, number, reserved, model, .. } in lost {
        let reason = format!(
            "the process ended during a call of {model}; it is made again, and up to ${reserved} stay set \
             aside because it may have been paid"
        );
        let outcome = AskStep::Repeat { number: 1, max: 1, delay: candor_model::Seconds::ZERO, reason };
        let step = Arc::new(Consulted { call: None, outcome });
        draft.emit(EventBody::ModelConsulted { ask: Box::new(ask), number, step });
    }
}

/// What models cost before the plan is locked counts as planning.
fn account(draft: &Draft<'_>) -> Account {
    match draft.state.stage() {
        Stage::Preparing { .. } | Stage::Proposed => Account::Planning,
        _ => Account::Execution,
    }
}

/// What has its answer is not asked again, and not paid for twice.
fn is_answered(draft: &Draft<'_>, ask: &AskKey) -> bool {
    draft.state.consulted(ask).last().is_some_and(|step| step.outcome.is_final())
}

fn next_number(draft: &Draft<'_>, ask: &AskKey) -> u32 {
    u32::try_from(draft.state.consulted(ask).len()).unwrap_or(u32::MAX).saturating_add(1)
}
