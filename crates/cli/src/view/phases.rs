//! The eight phases of a run: how each stands, and what it took.

use candor_engine::{RunState, Stage};
use candor_model::{
    CritiqueVerdict, EventBody, Handoff, HandoffMessage, Phase, PhaseMetrics, Question, Recorded, Timestamp,
};
use serde_json::{Value, json};

use super::status;
use super::style::{Line, Mark, Style, Tone};
use super::words;

const NAME_COLUMNS: usize = 20;
const STANDING_COLUMNS: usize = 36;

/// How a phase stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunSnapshot {
    Done,
    AtWork,
    Waiting,
    Failed,
    ToCome,
}

impl RunSnapshot {
    const fn words(self) -> &'static str {
        match self {
            Self::Done => words::snapshot::DONE,
            Self::AtWork => words::snapshot::AT_WORK,
            Self::Waiting => words::snapshot::WAITING,
            Self::Failed => words::snapshot::FAILED,
            Self::ToCome => words::snapshot::TO_COME,
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Done => "completed",
            Self::AtWork => "in_progress",
            Self::Waiting => "waiting_human",
            Self::Failed => "failed",
            Self::ToCome => "pending",
        }
    }

    const fn mark(self) -> Mark {
        match self {
            Self::Done => Mark::Done,
            Self::AtWork => Mark::Running,
            Self::Waiting => Mark::Question,
            Self::Failed => Mark::Failed,
            Self::ToCome => Mark::Waiting,
        }
    }
}

/// The end of a phase, as it is on the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended<'a> {
    pub(super) at: Timestamp,
    pub(super) handoff: &'a Handoff,
    pub(super) metrics: Option<&'a PhaseMetrics>,
}

/// One of the eight.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhaseView<'a> {
    pub(super) phase: Phase,
    pub(super) snapshot: RunSnapshot,
    attempt: u32,
    /// Its last end, if what came of it still holds.
    pub(super) ended: Option<Ended<'a>>,
    verdict: Option<CritiqueVerdict>,
}

/// All eight, in order.
pub(super) fn of<'a>(state: &RunState, records: &'a [Recorded]) -> Vec<PhaseView<'a>> {
    let mut views: Vec<PhaseView<'a>> = Phase::ALL
        .iter()
        .map(|phase| PhaseView {
            phase: *phase,
            snapshot: RunSnapshot::ToCome,
            attempt: 0,
            ended: None,
            verdict: None,
        })
        .collect();
    for Recorded { event, .. } in records {
        let of = |phase: Phase| usize::from(phase.number());
        match &event.body {
            EventBody::PhaseStarted { phase, attempt } => {
                if let Some(view) = views.get_mut(of(*phase)) {
                    *view = PhaseView {
                        attempt: *attempt,
                        snapshot: RunSnapshot::ToCome,
                        verdict: None,
                        ..*view
                    };
                }
            }
            EventBody::PhaseCompleted { phase, handoff, metrics } => {
                if let Some(view) = views.get_mut(of(*phase)) {
                    view.ended = Some(Ended { at: event.at, handoff, metrics: metrics.as_deref() });
                }
            }
            EventBody::PhaseFailed { phase, .. } => {
                if let Some(view) = views.get_mut(of(*phase)) {
                    view.snapshot = RunSnapshot::Failed;
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
    let (at_work, asked) = (status::phases(state), asked(state));
    for view in &mut views {
        let done = state.completed_phases().contains(&view.phase);
        if asked.contains(&view.phase) {
            view.snapshot = RunSnapshot::Waiting;
        } else if done {
            view.snapshot = RunSnapshot::Done;
        } else if at_work.contains(&view.phase) {
            view.snapshot = RunSnapshot::AtWork;
        }
        view.ended = view.ended.filter(|_| done);
    }
    views
}

/// The phases in which a person is asked something.
fn asked(state: &RunState) -> Vec<Phase> {
    let of = |question: &Question| match question {
        Question::Approval { .. } if *state.stage() == Stage::Proposed => Some(Phase::Planning),
        Question::Approval { .. } | Question::Guidance(_) => Some(Phase::Execution),
        Question::Choice(request) => request.phase,
    };
    state.open_questions().values().filter_map(of).collect()
}

impl PhaseView<'_> {
    fn line(&self, style: Style) -> String {
        let name = format!("{} {}", self.phase.number(), words::phase(self.phase));
        let line = Line::new(style).mark(self.snapshot.mark()).plain(&name).pad_to(NAME_COLUMNS);
        let snapshot = match self.attempt {
            0 | 1 => self.snapshot.words().to_owned(),
            attempt => format!("{}, {}", self.snapshot.words(), words::attempt(attempt)),
        };
        let mut told = vec![];
        told.extend(self.ended.map(|ended| words::phase_figures(ended.metrics, ended.handoff.spoken_by)));
        told.extend(self.verdict.map(words::critique));
        line.add(self.snapshot.mark().tone(), &snapshot)
            .pad_to(STANDING_COLUMNS)
            .add(Tone::Dim, &told.join(", "))
            .render()
    }

    fn json(&self) -> Value {
        let metrics = self.ended.and_then(|ended| ended.metrics);
        let handoff = self.ended.map(|ended| ended.handoff);
        json!({
            "number": self.phase.number(),
            "name": self.phase,
            "status": self.snapshot.code(),
            "attempt": self.attempt,
            "duration": metrics.map(|metrics| metrics.duration),
            "tokens": metrics.map(|metrics| metrics.tokens_used),
            "cost": metrics.map(|metrics| metrics.cost),
            "spokenBy": handoff.map(|handoff| handoff.spoken_by),
            "critique": self.verdict,
            "summary": handoff.map(|handoff| &handoff.summary),
            "quality": handoff.and_then(|handoff| handoff.quality),
            "completedAt": self.ended.map(|ended| ended.at),
            "criteria": metrics.map(|metrics| &metrics.criteria),
            "failureReasons": metrics.map(|metrics| &metrics.failure_reasons),
        })
    }
}

/// A line for each phase.
pub(super) fn lines(state: &RunState, records: &[Recorded], style: Style) -> Vec<String> {
    of(state, records).iter().map(|view| view.line(style)).collect()
}

/// The phases as data.
pub(super) fn json(state: &RunState, records: &[Recorded]) -> Value {
    of(state, records).iter().map(PhaseView::json).collect()
}

/// Every handoff there was, as a message of its own.
pub(super) fn handoffs(records: &[Recorded]) -> Vec<HandoffMessage> {
    let handed = records.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::PhaseCompleted { phase, handoff, .. } => {
            Some(HandoffMessage::of(*phase, handoff, recorded.event.at))
        }
        _ => None,
    });
    handed.collect()
}

/// All eight in a line, for a screen that is drawn again and again: it costs no look at the log.
pub(super) fn strip(state: &RunState, style: Style) -> String {
    let (at_work, asked) = (status::phases(state), asked(state));
    let mut line = Line::new(style);
    for phase in Phase::ALL {
        let snapshot = if asked.contains(phase) {
            RunSnapshot::Waiting
        } else if state.completed_phases().contains(phase) {
            RunSnapshot::Done
        } else if at_work.contains(phase) {
            RunSnapshot::AtWork
        } else {
            RunSnapshot::ToCome
        };
        line = line.add(snapshot.mark().tone(), snapshot.mark().symbol(style.unicode));
    }
    let now: Vec<String> = Phase::ALL
        .iter()
        .filter(|phase| at_work.contains(phase) || asked.contains(phase))
        .map(|phase| format!("{} {}", phase.number(), words::phase(*phase)))
        .collect();
    line.add(Tone::Dim, &format!(" {}", now.join(", "))).render()
}
