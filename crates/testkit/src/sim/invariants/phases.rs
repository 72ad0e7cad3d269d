//! The invariants of the phases: guardrails first, phases in order and begun before they are done, people asked properly.

use std::collections::{BTreeMap, BTreeSet};

use candor_engine::{RunState, Stage};
use candor_model::{
    Answer, ApprovalAction, Choice, EventBody, GateId, GuardFinding, HumanApprovalDecision, Phase,
    PlanVersion, Question, RunSettings,
};
use candor_planning::approval;

use super::invariant;

/// What the invariant keeps in mind of the phases.
#[derive(Debug, Clone, Default)]
pub(super) struct PhaseInvariants {
    /// Whether the guardrails must have passed the words.
    needed: bool,
    /// The words that they passed last.
    passed: Option<String>,
    at_work: BTreeSet<Phase>,
    gates: BTreeMap<GateId, Question>,
    /// The version that was shown and approved, until that is on record.
    approved: Option<(GateId, PlanVersion)>,
}

impl PhaseInvariants {
    /// Reads one event; before it, the results of the phases `done` hold, and the request has these `words`.
    pub(super) fn check(
        &mut self,
        body: &EventBody,
        done: &BTreeSet<Phase>,
        settings: &RunSettings,
        words: &str,
    ) -> Result<(), String> {
        match body {
            EventBody::RunStarted { flags, .. } => self.needed = flags.contains(&1),
            EventBody::GuardrailsChecked { report, .. } => {
                let passes = !report.findings.iter().any(GuardFinding::halts);
                self.passed = passes.then(|| words.to_owned());
            }
            EventBody::PhaseStarted { phase, .. } => {
                let before = (0..phase.number()).filter_map(Phase::numbered);
                let missing = before.filter(|_| phase.number() >= 2).find(|phase| !done.contains(phase));
                invariant(missing.is_none(), || format!("{phase} began before {missing:?} was done"))?;
                self.at_work.insert(*phase);
            }
            EventBody::PhaseCompleted { phase, .. } => {
                let begun = self.at_work.remove(phase);
                invariant(begun, || format!("{phase} was completed and had not been begun"))?;
            }
            EventBody::PhaseFailed { phase, .. } => _ = self.at_work.remove(phase),
            EventBody::PlanAnswered { .. } => _ = self.at_work.remove(&Phase::Planning),
            EventBody::StopRequested { .. }
            | EventBody::RolledBack { .. }
            | EventBody::PromptChanged { .. } => self.at_work.clear(),
            EventBody::HumanAsked { gate, question } => {
                self.gates.insert(gate.clone(), Question::clone(question));
            }
            EventBody::HumanAnswered { gate, answer } => self.answered(gate, answer, settings)?,
            EventBody::PlanApproved { version, gate: Some(gate), .. } => {
                let shown = self.approved.take();
                invariant(shown.as_ref() == Some(&(gate.clone(), *version)), || {
                    format!("version {version} was approved at {gate}, and {shown:?} was answered")
                })?;
            }
            EventBody::RunCompleted { .. } => {
                invariant(done.len() == Phase::ALL.len(), || {
                    format!("the run is complete with {done:?} done")
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// What was answered was offered, and is about the plan that was shown.
    fn answered(&mut self, gate: &GateId, answer: &Answer, settings: &RunSettings) -> Result<(), String> {
        match (self.gates.remove(gate), answer) {
            (Some(Question::Choice(request)), Answer::Choice(Choice { option, text, by_default })) => {
                let offered = request.option(option).ok_or_else(|| format!("{option} was not offered"))?;
                invariant(!offered.takes_text || !text.trim().is_empty(), || {
                    format!("{option} without words")
                })?;
                let is_default = request.default.as_ref() == Some(option);
                invariant(!by_default || (settings.unattended && is_default), || {
                    format!("{option} was taken by default at {gate}")
                })
            }
            (Some(Question::Approval { version, request }), Answer::Approval(decision)) => {
                let HumanApprovalDecision { action, digest, .. } = decision;
                invariant(request.choices.is_empty() || request.choices.contains(action), || {
                    format!("{action} was not offered at {gate}")
                })?;
                invariant(digest.as_ref().is_none_or(|digest| *digest == request.digest), || {
                    format!("an answer about another plan was taken at {gate}")
                })?;
                let approves = match action {
                    ApprovalAction::Approve => Some(version),
                    ApprovalAction::Adjust => Some(version.next()),
                    _ => None,
                };
                self.approved = approves.map(|version| (gate.clone(), version));
                Ok(())
            }
            (Some(Question::Guidance(_)), Answer::Guidance(_)) => Ok(()),
            (question, answer) => Err(format!("{answer:?} is no answer to {question:?}")),
        }
    }

    /// After an append: nothing is at work on words that the guardrails have not passed, and the plan that is
    /// shown is the plan that there is.
    pub(super) fn check_state(&mut self, state: &RunState) -> Result<(), String> {
        let working = matches!(
            state.stage(),
            Stage::Preparing { .. } | Stage::Proposed | Stage::Executing | Stage::Closing { .. }
        );
        let passed = !self.needed || self.passed.as_deref() == Some(state.request());
        invariant(!working || passed, || {
            format!("`{}` is worked at unseen by the guardrails", state.request())
        })?;
        let words = state.prompts().last().map(|prompt| prompt.text.as_str());
        invariant(words == Some(state.request()), || {
            format!("the history of words ends with {words:?}, the run's are {}", state.request())
        })?;
        self.shown_is_there(state)
    }

    fn shown_is_there(&self, state: &RunState) -> Result<(), String> {
        let shown = state.open_questions().values().find_map(|question| match question {
            Question::Approval { request, .. } if *state.stage() == Stage::Proposed => Some(request),
            _ => None,
        });
        let (Some(request), Some(plan)) = (shown, state.plan()) else { return Ok(()) };
        invariant(approval::digest(&plan) == request.digest, || {
            "the plan that is shown is another one".to_owned()
        })
    }
}
