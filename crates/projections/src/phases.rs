//! The eight phases of a run: how each stands, and what it took.

use std::collections::{BTreeMap, BTreeSet};

use candor_engine::{RunState, Stage};
use candor_model::{
    CritiqueVerdict, EventBody, Handoff, HandoffMessage, Money, Phase, PhaseMetrics, Question, Recorded,
    Seconds, SpokenBy, Timestamp,
};
use serde::Serialize;

/// How a phase stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum PhaseStatus {
    /// It ended, and no rollback has undone it.
    #[serde(rename = "completed")]
    Done,
    /// It is at work.
    #[serde(rename = "in_progress")]
    AtWork,
    /// A person is asked something in it.
    #[serde(rename = "waiting_human")]
    Waiting,
    /// Its last attempt ended without a result.
    #[serde(rename = "failed")]
    Failed,
    /// It has not begun.
    #[serde(rename = "pending")]
    ToCome,
}

impl PhaseStatus {
    /// How a phase stands by the state alone, without a look at the log.
    #[must_use]
    pub fn of(state: &RunState, phase: Phase) -> Self {
        if asked(state).contains(&phase) {
            Self::Waiting
        } else if state.completed_phases().contains(&phase) {
            Self::Done
        } else if at_work(state).contains(&phase) {
            Self::AtWork
        } else {
            Self::ToCome
        }
    }
}

/// The end of a phase, as it is on the log.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// Moment of the end.
    pub at: Timestamp,
    /// What it left for the phases after it.
    pub handoff: &'a Handoff,
    /// Time, tokens and figures that the phase recorded.
    pub metrics: Option<&'a PhaseMetrics>,
}

/// One of the eight.
#[derive(Debug, Clone, Copy)]
pub struct PhaseView<'a> {
    /// Phase that the view is about.
    pub phase: Phase,
    /// State after the last event.
    pub status: PhaseStatus,
    /// How often it was begun.
    pub attempt: u32,
    /// Its last end, if what came of it still holds.
    pub ended: Option<Ended<'a>>,
    /// What the critique of its work said.
    pub verdict: Option<CritiqueVerdict>,
}

/// A phase as data.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseEntry<'a> {
    /// Its number, 0 to 7.
    pub number: u8,
    /// Phase that the entry is about.
    pub name: Phase,
    /// State after the last event.
    pub status: PhaseStatus,
    /// How often it was begun.
    pub attempt: u32,
    /// How long it took.
    pub duration: Option<Seconds>,
    /// How many tokens models took in it.
    pub tokens: Option<u64>,
    /// Charged while the phase ran.
    pub cost: Option<Money>,
    /// Whether a model or the rules produced the result.
    pub spoken_by: Option<SpokenBy>,
    /// What the critique of its work said.
    pub critique: Option<CritiqueVerdict>,
    /// Its result in a sentence.
    pub summary: Option<&'a str>,
    /// How good the result is, where that was judged.
    pub quality: Option<u8>,
    /// Moment of its end.
    pub completed_at: Option<Timestamp>,
    /// How well it did by each of its criteria.
    pub criteria: Option<&'a BTreeMap<String, f64>>,
    /// Codes of what went wrong.
    pub failure_reasons: Option<&'a [String]>,
}

/// All eight, in order.
#[must_use]
pub fn of<'a>(state: &RunState, records: &'a [Recorded]) -> Vec<PhaseView<'a>> {
    let mut views: Vec<PhaseView<'a>> = Phase::ALL
        .iter()
        .map(|phase| PhaseView {
            phase: *phase,
            status: PhaseStatus::ToCome,
            attempt: 0,
            ended: None,
            verdict: None,
        })
        .collect();
    // Phases that began and have not ended, since the last rollback.
    let mut open = BTreeSet::new();
    for Recorded { event, .. } in records {
        let of = |phase: Phase| usize::from(phase.number());
        match &event.body {
            EventBody::PhaseStarted { phase, attempt } => {
                open.insert(*phase);
                if let Some(view) = views.get_mut(of(*phase)) {
                    *view =
                        PhaseView { attempt: *attempt, status: PhaseStatus::ToCome, verdict: None, ..*view };
                }
            }
            EventBody::RolledBack { .. } => open.clear(),
            EventBody::PhaseCompleted { phase, handoff, metrics } => {
                open.remove(phase);
                if let Some(view) = views.get_mut(of(*phase)) {
                    view.ended = Some(Ended { at: event.at, handoff, metrics: metrics.as_deref() });
                }
            }
            EventBody::PhaseFailed { phase, .. } => {
                if let Some(view) = views.get_mut(of(*phase)) {
                    view.status = PhaseStatus::Failed;
                }
            }
            EventBody::Critiqued { phase, verdict, .. } => {
                if let Some(view) = views.get_mut(of(*phase)) {
                    view.verdict = Some(*verdict);
                }
            }
            _ => {}
        }
    }
    for view in &mut views {
        // The state knows nothing of a phase that failed: that is on the log only.
        match PhaseStatus::of(state, view.phase) {
            // The end of the run was the end of what was at work.
            PhaseStatus::ToCome if state.status().is_end() && open.contains(&view.phase) => {
                view.status = PhaseStatus::Failed;
            }
            PhaseStatus::ToCome => {}
            status => view.status = status,
        }
        view.ended = view.ended.filter(|_| state.completed_phases().contains(&view.phase));
    }
    views
}

impl<'a> PhaseView<'a> {
    /// The phase as data.
    #[must_use]
    pub fn entry(&self) -> PhaseEntry<'a> {
        let metrics = self.ended.and_then(|ended| ended.metrics);
        let handoff = self.ended.map(|ended| ended.handoff);
        PhaseEntry {
            number: self.phase.number(),
            name: self.phase,
            status: self.status,
            attempt: self.attempt,
            duration: metrics.map(|metrics| metrics.duration),
            tokens: metrics.map(|metrics| metrics.tokens_used),
            cost: metrics.map(|metrics| metrics.cost),
            spoken_by: handoff.map(|handoff| handoff.spoken_by),
            critique: self.verdict,
            summary: handoff.map(|handoff| handoff.summary.as_str()),
            quality: handoff.and_then(|handoff| handoff.quality),
            completed_at: self.ended.map(|ended| ended.at),
            criteria: metrics.map(|metrics| &metrics.criteria),
            failure_reasons: metrics.map(|metrics| metrics.failure_reasons.as_slice()),
        }
    }
}

/// The phases that are at work.
#[must_use]
pub fn at_work(state: &RunState) -> Vec<Phase> {
    match state.stage() {
        Stage::Preparing { open, .. } => open.iter().copied().collect(),
        Stage::Proposed => vec![Phase::Planning],
        Stage::Executing => vec![Phase::Execution],
        Stage::Closing { phase } => vec![*phase],
        Stage::New | Stage::Guarding { .. } | Stage::Stopping { .. } | Stage::Ended(_) => Vec::new(),
    }
}

/// The phases in which a person is asked something.
#[must_use]
pub fn asked(state: &RunState) -> Vec<Phase> {
    let of = |question: &Question| match question {
        Question::Approval { .. } if *state.stage() == Stage::Proposed => Some(Phase::Planning),
        Question::Approval { .. } | Question::Guidance(_) => Some(Phase::Execution),
        Question::Choice(request) => request.phase,
    };
    state.open_questions().values().filter_map(of).collect()
}

/// Every handoff there was, as a message of its own.
#[must_use]
pub fn handoffs(records: &[Recorded]) -> Vec<HandoffMessage> {
    let handed = records.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::PhaseCompleted { phase, handoff, .. } => {
            Some(HandoffMessage::of(*phase, handoff, recorded.event.at))
        }
        _ => None,
    });
    handed.collect()
}
