//! How the phases do, over all runs: a fold over the ends of phases, and seeds until there is one.
//!
//! Nothing here asks a model: keeping figures must cost next to nothing. What cannot be told is absent, never
//! a zero.

mod formulas;
mod session;

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{Answer, ChoiceKind, EventBody, GateId, Handoff, Phase, PhaseMetrics, Question, Seconds};
use serde::{Deserialize, Serialize};

use crate::gates;

pub use self::formulas::*;
pub use self::session::{SESSION_LINE_BYTES, SessionFigures, session_line};

/// The reason of a phase that did not end at all.
pub const PHASE_FAILED: &str = "phase_failed";

/// The figures of a phase over all its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseRecord {
    /// How often it ended well, from 0 to 1; absent if nobody knows.
    pub success_rate: Option<f64>,
    /// How long it took on average.
    pub avg_duration: Seconds,
    /// What models took and gave on average, in tokens.
    pub tokens_used: u64,
    /// Why it went less well than it should, as codes, each once.
    pub failure_reasons: Vec<String>,
    /// How often it ran.
    pub runs: u64,
    /// Whether these are first guesses, because it has not run yet.
    pub seed: bool,
}

/// What every phase did so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseHistory {
    phases: BTreeMap<Phase, Sums>,
    /// By criterion: how often it was told, and the sum of what was told.
    criteria: BTreeMap<String, (u64, f64)>,
    /// Questions whether results are taken that fail their criteria, and how many results each is about.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    disputed: BTreeMap<GateId, usize>,
    /// The phase that the run of the last event is in.
    #[serde(skip)]
    under_way: Option<Phase>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    completed: u64,
    failed: u64,
    millis: u64,
    tokens: u64,
    reasons: BTreeSet<String>,
}

/// The evaluation took a request for much less than it turned out to be.
pub const COMPLEXITY_UNDERESTIMATE: &str = "complexity_underestimate";
/// The evaluation found no word that says what a request is about.
pub const KEYWORD_MISS: &str = "keyword_miss";

/// The failures of validation that a person overturned, among all.
const FALSE_POSITIVES: &str = "false_positive_rate";

/// The phase that a reason is about, where another one finds it out.
fn reason_of(reason: &str) -> Option<Phase> {
    matches!(reason, COMPLEXITY_UNDERESTIMATE | KEYWORD_MISS).then_some(Phase::Evaluation)
}

/// All figures, under the names that they have outside.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricsExport {
    /// By the number of the phase.
    pub phase_metrics: BTreeMap<u8, PhaseRecord>,
    /// By the number of the phase and the name of the criterion; nothing where there is no data.
    pub evaluation_criteria: BTreeMap<u8, BTreeMap<&'static str, Option<f64>>>,
}

impl PhaseHistory {
    /// Takes one more event of any run into account.
    pub fn apply(&mut self, body: &EventBody) {
        match body {
            EventBody::PhaseCompleted { phase, handoff, metrics } => {
                self.completed(*phase, handoff, metrics.as_deref());
            }
            EventBody::PhaseStarted { phase, .. } => self.under_way = Some(*phase),
            EventBody::PhaseFailed { phase, .. } => self.failed(*phase),
            // Tasks that fail for good end the run without a word on the phase that they were done in.
            EventBody::RunFailed { .. } | EventBody::RunAborted { .. } => {
                if let Some(phase) = self.under_way {
                    self.failed(phase);
                }
            }
            EventBody::TaskReopened { .. } => self.note(FALSE_POSITIVES, 0.0),
            EventBody::HumanAsked { gate, question } => {
                if let Question::Choice(request) = &**question
                    && request.about == ChoiceKind::Validation
                {
                    self.disputed.insert(gate.clone(), request.concerns.len());
                }
            }
            EventBody::HumanAnswered { gate, answer } => self.settled(gate, answer),
            _ => {}
        }
    }

    /// Adds the figures of other runs.
    pub fn merge(&mut self, other: &Self) {
        for (phase, sums) in &other.phases {
            let own = self.phases.entry(*phase).or_default();
            own.completed = own.completed.saturating_add(sums.completed);
            own.failed = own.failed.saturating_add(sums.failed);
            own.millis = own.millis.saturating_add(sums.millis);
            own.tokens = own.tokens.saturating_add(sums.tokens);
            own.reasons.extend(sums.reasons.iter().cloned());
        }
        for (name, (times, sum)) in &other.criteria {
            let own = self.criteria.entry(name.clone()).or_default();
            *own = (own.0.saturating_add(*times), own.1 + sum);
        }
    }

    /// A failure of validation that a person overturned was none; one that stood, or that nobody looked at, was.
    fn settled(&mut self, gate: &GateId, answer: &Answer) {
        let Some(results) = self.disputed.remove(gate) else { return };
        let taken =
            matches!(answer, Answer::Choice(choice) if choice.option == gates::ACCEPT && !choice.by_default);
        for _ in 0..results {
            self.note(FALSE_POSITIVES, if taken { 1.0 } else { 0.0 });
        }
    }

    fn note(&mut self, criterion: &str, value: f64) {
        let (times, sum) = self.criteria.entry(criterion.to_owned()).or_default();
        *times = times.saturating_add(1);
        *sum += value;
    }

    fn failed(&mut self, phase: Phase) {
        self.under_way = None;
        let sums = self.phases.entry(phase).or_default();
        sums.failed = sums.failed.saturating_add(1);
        sums.reasons.insert(PHASE_FAILED.to_owned());
    }

    fn completed(&mut self, phase: Phase, handoff: &Handoff, metrics: Option<&PhaseMetrics>) {
        self.under_way = None;
        let sums = self.phases.entry(phase).or_default();
        sums.completed = sums.completed.saturating_add(1);
        let Some(metrics) = metrics else {
            sums.tokens = sums.tokens.saturating_add(handoff.context.tokens_consumed);
            return;
        };
        sums.tokens = sums.tokens.saturating_add(metrics.tokens_used);
        sums.millis = sums.millis.saturating_add(metrics.duration.as_millis());
        for reason in &metrics.failure_reasons {
            let owner = reason_of(reason).unwrap_or(phase);
            self.phases.entry(owner).or_default().reasons.insert(reason.clone());
        }
        for (name, value) in metrics.criteria.iter().filter(|(_, value)| value.is_finite()) {
            self.note(name, *value);
        }
    }

    /// The figures of a phase: its own, or first guesses if it has not run yet.
    #[must_use]
    pub fn record(&self, phase: Phase) -> PhaseRecord {
        let known = self.phases.get(&phase);
        let runs = known.map_or(0, |sums| sums.completed.saturating_add(sums.failed));
        let failure_reasons = known.map_or_else(Vec::new, |sums| sums.reasons.iter().cloned().collect());
        let Some(sums) = known.filter(|_| runs > 0) else {
            return PhaseRecord { failure_reasons, ..seed(phase) };
        };
        PhaseRecord {
            success_rate: Some(sums.completed as f64 / runs as f64),
            avg_duration: Seconds::from_millis(sums.millis / runs),
            tokens_used: sums.tokens / runs,
            failure_reasons,
            runs,
            seed: false,
        }
    }

    /// How well a criterion was met on average; nothing if nobody ever told.
    #[must_use]
    pub fn criterion(&self, name: &str) -> Option<f64> {
        let (times, sum) = self.criteria.get(name)?;
        Some(sum / *times as f64)
    }

    /// All figures, for those who read them outside.
    #[must_use]
    pub fn export(&self) -> MetricsExport {
        let criteria =
            |phase: Phase| criteria_of(phase).iter().map(|name| (*name, self.criterion(name))).collect();
        MetricsExport {
            phase_metrics: Phase::ALL.iter().map(|phase| (phase.number(), self.record(*phase))).collect(),
            evaluation_criteria: Phase::ALL.iter().map(|phase| (phase.number(), criteria(*phase))).collect(),
        }
    }
}

/// The first guess at a phase, before it has run.
#[must_use]
pub fn seed(phase: Phase) -> PhaseRecord {
    let (millis, tokens_used, success_rate) = match phase {
        Phase::PreAnalysis => (300, 50, Some(0.95)),
        Phase::Evaluation => (1_200, 320, Some(0.88)),
        Phase::Context => (800, 180, None),
        Phase::Decomposition => (1_500, 450, None),
        Phase::Planning => (1_500, 400, None),
        Phase::Execution => (3_200, 800, None),
        Phase::Validation => (1_800, 350, None),
        Phase::Consolidation => (400, 80, None),
    };
    PhaseRecord {
        success_rate,
        avg_duration: Seconds::from_millis(millis),
        tokens_used,
        failure_reasons: Vec::new(),
        runs: 0,
        seed: true,
    }
}

/// By what the work of a phase is measured.
#[must_use]
pub const fn criteria_of(phase: Phase) -> &'static [&'static str] {
    match phase {
        Phase::PreAnalysis => &["cache_hit_rate", "budget_accuracy"],
        Phase::Evaluation => &["keyword_precision", "complexity_calibration", "confidence_accuracy"],
        Phase::Context => &["context_relevance", "token_efficiency"],
        Phase::Decomposition => &["decomposition_quality"],
        Phase::Planning => &["plan_completeness"],
        Phase::Execution => &["execution_success", "artifact_quality"],
        Phase::Validation => &["validation_thoroughness", FALSE_POSITIVES],
        Phase::Consolidation => &["pattern_detection_accuracy", "knowledge_persistence"],
    }
}
