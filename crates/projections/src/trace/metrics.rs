//! A run in records: what each phase and each agent took, and all of them together.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{EventBody, Money, Phase, Recorded, Seconds, Timestamp, TokenUse};
use candor_planning::tally::Tally;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Span, SpanKind, SpanStatus};

/// A run in records.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunMetrics {
    /// The eight phases, in order. Of one that began again, the last time counts.
    pub phases: Vec<PhaseMetrics>,
    /// Every attempt of an agent and every call of a model, in the order of their beginning.
    pub agents: Vec<AgentMetrics>,
    /// Sums over the whole run.
    pub totals: TotalMetrics,
}

/// What a phase took.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhaseMetrics {
    /// Its name, such as `phase_4_planning`.
    pub phase: String,
    /// `pending`, `running`, `complete` or `failed`.
    pub status: &'static str,
    /// Whether it was completed with less than was asked for.
    pub degraded: bool,
    /// Moment of the first event of the phase.
    pub start_time: Option<Timestamp>,
    /// When it ended; absent while it runs.
    pub end_time: Option<Timestamp>,
    /// How long it took, or has taken.
    pub duration: Option<Seconds>,
    /// The tokens that models took.
    pub tokens_input: u64,
    /// The tokens that models gave.
    pub tokens_output: u64,
    /// Charged while the phase ran.
    pub cost: Money,
    /// Those at work in it, by their places in `agents`.
    pub agents: Vec<usize>,
    /// The kinds of errors of those at work.
    pub errors: Vec<String>,
}

/// What an attempt of an agent or a call of a model took. What an agent's own calls of models took stands with the calls.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentMetrics {
    /// The agent, or the step for which a model was asked.
    pub name: String,
    /// The phase, such as `phase_5_execution`; absent outside of all.
    pub phase: Option<String>,
    /// The model, if it is a call of one.
    pub model: Option<String>,
    /// `running`, `complete` or `failed`.
    pub status: &'static str,
    /// How long it took, or has taken.
    pub duration: Seconds,
    /// The tokens of the model.
    pub tokens: TokenPair,
    /// What was charged for it.
    pub cost: Money,
    /// What came out; with content only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// How many attempts at the same task or step came before it.
    pub retries: u64,
}

/// Tokens in and out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenPair {
    /// What the model took, with what its provider had cached.
    pub input: u64,
    /// Tokens that the model wrote.
    pub output: u64,
}

/// What a run took in all.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TotalMetrics {
    /// How long it took, without the time in which people were waited for.
    pub duration: Seconds,
    /// Tokens in and out together.
    pub tokens_total: u64,
    /// Sum of all charges.
    pub cost_total: Money,
    /// Attempts of agents and calls of models.
    pub agents_executed: u64,
    /// Calls that a provider answered from its cache, in part at least.
    pub cache_hits: u64,
    /// The tokens that were read from caches.
    pub cache_savings: u64,
    /// How often the request was put in better words.
    pub prompt_enhancements: u64,
    /// How often the run went back.
    pub rollbacks: u64,
    /// How many attempts were repetitions.
    pub retries: u64,
}

impl RunMetrics {
    /// The records of a run, from its spans and its log.
    pub(super) fn of(spans: &[Span], records: &[Recorded]) -> Self {
        // Each span comes after its parent, so that its phase is known by then.
        let mut phases: BTreeMap<&str, &Span> = BTreeMap::new();
        let mut before: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
        let mut agents = Vec::new();
        let mut members: BTreeMap<&str, Members> = BTreeMap::new();
        for span in spans {
            let above = span.parent.as_deref().and_then(|parent| phases.get(parent).copied());
            let phase = if span.metadata.contains_key("phaseId") { Some(span) } else { above };
            if let Some(phase) = phase {
                phases.insert(&span.id, phase);
            }
            if !is_at_work(span) {
                continue;
            }
            let task = span.metadata.get("taskId").and_then(Value::as_str);
            let retries = before.entry((&span.name, task.or(span.parent.as_deref()))).or_default();
            if let Some(phase) = phase {
                let members = members.entry(&phase.name).or_default();
                if members.phase != phase.id {
                    *members = Members { phase: phase.id.clone(), ..Members::default() };
                }
                members.agents.push(agents.len());
                let error = span.metadata.get("errorType").and_then(Value::as_str);
                members.errors.extend(error.map(str::to_owned));
            }
            agents.push(agent(span, phase, *retries));
            *retries += 1;
        }
        let degraded: BTreeSet<Phase> = records.iter().filter_map(degraded).collect();
        let phases = Phase::ALL.iter().map(|phase| {
            let name = format!("phase_{}_{phase}", phase.number());
            let span = spans.iter().rev().find(|span| span.name == name);
            let of_span = |members: &Members| span.is_some_and(|span| span.id == members.phase);
            let members = members.remove(name.as_str()).filter(of_span).unwrap_or_default();
            record(name, span, &members, &agents, degraded.contains(phase))
        });
        let phases = phases.collect();
        let totals = totals(spans, records, &agents);
        Self { phases, agents, totals }
    }
}

/// Those at work in a phase.
#[derive(Default)]
struct Members {
    /// The id of the phase's span.
    phase: String,
    agents: Vec<usize>,
    errors: Vec<String>,
}

fn degraded(recorded: &Recorded) -> Option<Phase> {
    match &recorded.event.body {
        EventBody::PhaseDegraded { phase, .. } => Some(*phase),
        _ => None,
    }
}

/// Whether somebody is at work in a span: an agent, or a model, or whoever charged something.
fn is_at_work(span: &Span) -> bool {
    matches!(span.kind, SpanKind::Agent | SpanKind::Generation)
}

fn pair(used: TokenUse) -> TokenPair {
    TokenPair { input: used.input + used.cached_read + used.cached_write, output: used.output }
}

fn agent(span: &Span, phase: Option<&Span>, retries: u64) -> AgentMetrics {
    AgentMetrics {
        name: span.name.clone(),
        phase: phase.map(|phase| phase.name.clone()),
        model: span.model.clone(),
        status: status(span.status),
        duration: span.end.since(span.start),
        tokens: span.tokens.map(pair).unwrap_or_default(),
        cost: span.cost.unwrap_or(Money::ZERO),
        output: span.output.clone(),
        retries,
    }
}

const fn status(of: SpanStatus) -> &'static str {
    match of {
        SpanStatus::Complete => "complete",
        SpanStatus::Failed => "failed",
        SpanStatus::Running => "running",
    }
}

fn record(
    phase: String,
    span: Option<&Span>,
    members: &Members,
    agents: &[AgentMetrics],
    degraded: bool,
) -> PhaseMetrics {
    let of = || members.agents.iter().filter_map(|at| agents.get(*at));
    PhaseMetrics {
        status: span.map_or("pending", |span| status(span.status)),
        degraded,
        start_time: span.map(|span| span.start),
        end_time: span.filter(|span| span.status != SpanStatus::Running).map(|span| span.end),
        duration: span.map(|span| span.end.since(span.start)),
        tokens_input: of().map(|agent| agent.tokens.input).sum(),
        tokens_output: of().map(|agent| agent.tokens.output).sum(),
        cost: of().map(|agent| agent.cost).sum(),
        errors: members.errors.clone(),
        agents: members.agents.clone(),
        phase,
    }
}

fn totals(spans: &[Span], records: &[Recorded], agents: &[AgentMetrics]) -> TotalMetrics {
    let figures = Tally::of(records.iter().map(|recorded| &recorded.event)).figures();
    let cached = || spans.iter().filter_map(|span| span.tokens).map(|tokens| tokens.cached_read);
    let is_call = |span: &&Span| is_at_work(span) && (span.kind == SpanKind::Agent || span.tokens.is_some());
    TotalMetrics {
        duration: figures.duration,
        tokens_total: agents.iter().map(|agent| agent.tokens.input + agent.tokens.output).sum(),
        cost_total: agents.iter().map(|agent| agent.cost).sum(),
        agents_executed: spans.iter().filter(is_call).count() as u64,
        cache_hits: cached().filter(|read| *read > 0).count() as u64,
        cache_savings: cached().sum(),
        prompt_enhancements: figures.prompt_enhancements,
        rollbacks: figures.rollbacks,
        retries: figures.retries,
    }
}
