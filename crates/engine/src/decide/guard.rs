//! The guardrails before anything else: a look at the words, three more if they halt, then a person.

use candor_model::{EventBody, GuardFinding, GuardReport, PromptChange, PromptSource, Severity};
use candor_planning::gates;

use super::draft::Draft;
use super::{choices, phases};
use crate::Refusal;
use crate::state::Stage;

/// How often a look is repeated by itself before a person is asked.
const REPEATS: u32 = 3;

/// The guardrails have looked.
pub(super) fn guarded(draft: &mut Draft<'_>, attempt: u32, report: Box<GuardReport>) -> Result<(), Refusal> {
    match draft.state.stage() {
        Stage::Guarding { attempt: wanted } if *wanted == attempt => {}
        _ => return Err(Refusal::StaleGuard { attempt }),
    }
    let looks = attempt.saturating_sub(draft.state.findings().prompts.guardrails.before);
    let findings = report.findings.clone();
    draft.emit(EventBody::GuardrailsChecked { attempt, report });
    for GuardFinding { rule, severity, message, .. } in &findings {
        let (rule, severity, reason) = (rule.clone(), *severity, message.clone());
        draft.emit(EventBody::GuardrailTripped { rule, severity, reason });
    }
    let halting: Vec<&GuardFinding> = findings.iter().filter(|finding| finding.halts()).collect();
    if halting.is_empty() {
        phases::proceed(draft);
    } else if looks > REPEATS || !halting.iter().any(|finding| finding.tripwire) {
        choices::ask(draft, gates::guardrail(&halting, looks));
    }
    Ok(())
}

/// The guardrails have found something in what was read on the way.
pub(super) fn flagged(draft: &mut Draft<'_>, finding: GuardFinding) {
    let GuardFinding { rule, severity, message, .. } = finding;
    draft.emit(EventBody::GuardrailTripped { rule, severity, reason: message });
}

/// A person overrules the guardrails, and is named for it.
pub(super) fn overrule(draft: &mut Draft<'_>, rules: &[String]) {
    for rule in rules {
        let reason = "overruled by a person".to_owned();
        draft.emit(EventBody::GuardrailTripped { rule: rule.clone(), severity: Severity::Info, reason });
    }
    let attempt = match draft.state.stage() {
        Stage::Guarding { attempt } => *attempt,
        _ => 1,
    };
    let report = Box::new(GuardReport { findings: Vec::new(), evaluation: phases::all_run() });
    draft.emit(EventBody::GuardrailsChecked { attempt, report });
    phases::proceed(draft);
}

/// Goes on with other words, from the guardrails and the evaluation on.
pub(super) fn change_words(
    draft: &mut Draft<'_>,
    text: String,
    source: PromptSource,
    variant: Option<String>,
) {
    let score_before = draft.state.prompts().last().and_then(|prompt| prompt.score);
    let change = Box::new(PromptChange { text, source, score_before, variant });
    choices::withdraw_all(draft, "the request has changed since");
    draft.emit(EventBody::PromptChanged { change });
    phases::proceed(draft);
}
