//! A period in one record: what was completed, what it took, by model and by phase.

use std::collections::BTreeMap;

use candor_model::{EventBody, Money, Phase, Recorded, Seconds, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::efficiency::RunOutcome;
use crate::kpi::Window;

/// A period in one record.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Period that the sums are about.
    pub period: Window,
    /// How many runs completed in it.
    pub tasks_completed: u64,
    /// How many runs ended in it.
    pub tasks_ended: u64,
    /// The tokens of these runs.
    pub total_tokens: u64,
    /// Sum of the charges of these runs.
    pub total_cost: Money,
    /// How long they took on average, without waiting for people; absent without runs.
    pub avg_duration: Option<Seconds>,
    /// The share of tokens that providers read from their caches; absent if no model was asked.
    pub cache_hit_rate: Option<f64>,
    /// Money that reading from caches saved.
    pub cache_savings: Money,
    /// How often a request was changed for better words.
    pub prompt_enhancements: u64,
    /// Sums by provider and model.
    pub by_model: BTreeMap<String, ModelSum>,
    /// By phase, 0 to 7.
    pub by_phase: BTreeMap<u8, PhaseSum>,
}

/// What one model took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct ModelSum {
    /// Tokens of all its calls.
    pub tokens: u64,
    /// Charged for all its calls.
    pub cost: Money,
    /// How often it was asked.
    pub tasks: u64,
}

/// What one phase took on average.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhaseSum {
    /// How long, without waiting for people.
    pub avg_duration: Seconds,
    /// Average number of tokens.
    pub avg_tokens: f64,
}

/// Sums of a phase: how often it was completed, milliseconds.
type PhaseTimes = BTreeMap<u8, (u64, u64)>;

/// Collects what runs of a period took.
#[derive(Debug, Clone)]
pub struct SummaryFold {
    summary: Summary,
    millis: u64,
    cached: u64,
    read: u64,
    phase_tokens: BTreeMap<u8, u64>,
    phase_times: PhaseTimes,
}

impl SummaryFold {
    /// A period without runs.
    #[must_use]
    pub fn new(period: Window) -> Self {
        let summary = Summary {
            period,
            tasks_completed: 0,
            tasks_ended: 0,
            total_tokens: 0,
            total_cost: Money::from_micros(0),
            avg_duration: None,
            cache_hit_rate: None,
            cache_savings: Money::from_micros(0),
            prompt_enhancements: 0,
            by_model: BTreeMap::new(),
            by_phase: BTreeMap::new(),
        };
        let (phase_tokens, phase_times) = (BTreeMap::new(), BTreeMap::new());
        Self { summary, millis: 0, cached: 0, read: 0, phase_tokens, phase_times }
    }

    /// Takes a run into account, if it ended within the period.
    pub fn add(&mut self, outcome: &RunOutcome, records: &[Recorded]) {
        let summary = &mut self.summary;
        if !summary.period.contains(outcome.ended_at) {
            return;
        }
        let figures = &outcome.figures;
        summary.tasks_ended += 1;
        summary.tasks_completed += u64::from(outcome.completed);
        summary.total_tokens += figures.total.tokens.total();
        summary.total_cost = summary.total_cost + figures.total.cost;
        summary.cache_savings = summary.cache_savings + figures.saved;
        summary.prompt_enhancements += figures.prompt_enhancements;
        self.millis += figures.duration.as_millis();
        self.cached += figures.total.tokens.cached_read;
        self.read += figures.total.tokens.input + figures.total.tokens.cached_read;
        for (model, spend) in &figures.by_model {
            let sum = summary.by_model.entry(model.clone()).or_default();
            sum.tokens += spend.tokens.total();
            sum.cost = sum.cost + spend.cost;
            sum.tasks += spend.calls;
        }
        for (phase, spend) in &figures.by_phase {
            *self.phase_tokens.entry(phase.number()).or_default() += spend.tokens.total();
        }
        add_phases(&mut self.phase_times, records);
    }

    /// Closes the sums and divides what is an average.
    #[must_use]
    pub fn summary(mut self) -> Summary {
        let summary = &mut self.summary;
        let ended = summary.tasks_ended;
        summary.avg_duration = (ended > 0).then(|| Seconds::from_millis(self.millis / ended.max(1)));
        summary.cache_hit_rate = (self.read > 0).then(|| self.cached as f64 / self.read as f64);
        for (phase, (count, millis)) in &self.phase_times {
            let tokens = self.phase_tokens.get(phase).copied().unwrap_or(0) as f64;
            let avg_duration = Seconds::from_millis(millis / (*count).max(1));
            let avg_tokens = tokens / (*count).max(1) as f64;
            summary.by_phase.insert(*phase, PhaseSum { avg_duration, avg_tokens });
        }
        self.summary
    }
}

/// Adds how long each phase took, from its start to its completion, without the time in which somebody was asked.
fn add_phases(times: &mut PhaseTimes, records: &[Recorded]) {
    let mut begun: BTreeMap<Phase, (Timestamp, u64)> = BTreeMap::new();
    let (mut waited, mut open, mut since) = (0_u64, 0_u32, Timestamp::EPOCH);
    for event in records.iter().map(|recorded| &recorded.event) {
        match &event.body {
            EventBody::PhaseStarted { phase, .. } => {
                begun.insert(*phase, (event.at, waited));
            }
            EventBody::PhaseCompleted { phase, .. } => {
                let Some((at, before)) = begun.remove(phase) else { continue };
                let took = event.at.since(at).as_millis().saturating_sub(waited.saturating_sub(before));
                let (count, millis) = times.entry(phase.number()).or_default();
                (*count, *millis) = (*count + 1, *millis + took);
            }
            EventBody::HumanAsked { .. } => {
                since = if open == 0 { event.at } else { since };
                open += 1;
            }
            EventBody::HumanAnswered { .. } if open > 0 => {
                open -= 1;
                waited += if open == 0 { event.at.since(since).as_millis() } else { 0 };
            }
            _ => {}
        }
    }
}
