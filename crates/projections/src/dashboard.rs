//! One run and the installation at a glance: tiles, phases, who is at work, alerts. The terminal, the API and the page
//! show the same data.

use std::collections::BTreeSet;

use candor_model::{EventBody, Money, Phase, Recorded, RunId, RunStatus, Seconds};
use schemars::JsonSchema;
use serde::Serialize;

use crate::efficiency::EfficiencyReport;
use crate::kpi::{ActiveAlert, KpiReport};
use crate::spend::SpendReport;
use crate::summary::Summary;
use crate::trace::{Content, Span, SpanKind, SpanStatus, Trace};

/// How many of those who work or worked last are shown.
const MOST_AGENTS: usize = 12;

/// What a call of a model or an agent should take at most on average, in seconds.
const LATENCY_TARGET: f64 = 5.0;

/// Everything at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Dashboard {
    /// The run that is looked at; absent if there is none.
    pub run: Option<RunDashboard>,
    /// Key figures of all runs in the window.
    pub kpis: KpiReport,
    /// The alerts that are active, the latest first.
    pub alerts: Vec<ActiveAlert>,
    /// The same time in one record.
    pub summary: Summary,
    /// What tokens and money bought in that time.
    pub efficiency: EfficiencyReport,
}

/// One run at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunDashboard {
    /// Id of the run that is shown.
    pub run_id: RunId,
    /// Status after the last event.
    pub status: RunStatus,
    /// What it is for, in the person's own words.
    pub request: String,
    /// Tokens, latency and cost against what is allowed.
    pub tiles: Vec<Tile>,
    /// A row for each phase, from 0 to 7.
    pub phases: Vec<PhaseRow>,
    /// Who works, and who worked last, the latest first.
    pub agents: Vec<AgentRow>,
}

/// A figure against its limit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Tile {
    /// `tokens`, `latency` or `cost`.
    pub name: &'static str,
    /// The figure: tokens, seconds, dollars; absent without data.
    pub value: Option<f64>,
    /// What is allowed or wanted; absent without a limit.
    pub limit: Option<f64>,
}

/// A phase of the run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PhaseRow {
    /// Number from 0 to 7.
    pub number: u8,
    /// Phase that the row is about.
    pub name: Phase,
    /// `complete`, `running`, `pending`, `failed` or `degraded`.
    pub status: &'static str,
    /// How long it took, or has taken until the log ends.
    pub duration: Option<Seconds>,
    /// The tokens of models.
    pub tokens: u64,
    /// How many attempts of agents and calls of models there were.
    pub agents: u64,
    /// The model that was asked last.
    pub model: Option<String>,
    /// Charged while the phase ran.
    pub cost: Money,
}

/// An attempt of an agent, or a call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentRow {
    /// Such as `phase-1-parse_goal`, or the agent with its task.
    pub name: String,
    /// Running, complete or failed.
    pub status: SpanStatus,
    /// How long it took.
    pub duration: Seconds,
    /// What came of it, in a few words that are no text of a person or a model.
    pub result: String,
}

impl RunDashboard {
    /// The run as its log tells it; nothing without events.
    #[must_use]
    pub fn of(run: &RunId, records: &[Recorded]) -> Option<Self> {
        let trace = Trace::of(run, records, Content::Without, "")?;
        let spend = SpendReport::of_run(records);
        let degraded: BTreeSet<Phase> = records
            .iter()
            .filter_map(|recorded| match &recorded.event.body {
                EventBody::PhaseDegraded { phase, .. } => Some(*phase),
                _ => None,
            })
            .collect();
        let phases = Phase::ALL.iter().map(|phase| row(*phase, &trace, &spend, &degraded)).collect();
        let calls = || trace.spans.iter().filter(|span| is_call(span));
        let mut agents: Vec<AgentRow> = calls().map(|span| agent_row(span, &trace)).collect();
        agents.reverse();
        agents.truncate(MOST_AGENTS);
        let tiles = tiles(records, &trace, &spend);
        let request = records.iter().find_map(|recorded| match &recorded.event.body {
            EventBody::RunStarted { request, .. } => Some(request.clone()),
            _ => None,
        });
        let request = request.unwrap_or_default();
        Some(Self { run_id: run.clone(), status: trace.status, request, tiles, phases, agents })
    }
}

/// What took time of its own: what an agent charged for itself did not.
fn is_call(span: &Span) -> bool {
    match span.kind {
        SpanKind::Agent | SpanKind::Tool => true,
        SpanKind::Generation => span.tokens.is_some(),
        SpanKind::Span | SpanKind::Event => false,
    }
}

fn tiles(records: &[Recorded], trace: &Trace, spend: &SpendReport) -> Vec<Tile> {
    let settings = records.iter().find_map(|recorded| match &recorded.event.body {
        EventBody::RunStarted { settings, .. } => Some(settings),
        _ => None,
    });
    let calls: Vec<f64> =
        trace.spans.iter().filter(|it| is_call(it)).map(|it| it.end.since(it.start).get()).collect();
    let latency = (!calls.is_empty()).then(|| calls.iter().sum::<f64>() / calls.len() as f64);
    let budget = settings.and_then(|settings| settings.run_budget).map(Money::as_dollars);
    let tokens = settings.map(|settings| settings.phase_limits().token_budget as f64);
    let used = spend.total.tokens.total() as f64;
    vec![
        Tile { name: "tokens", value: Some(used), limit: tokens },
        Tile { name: "latency", value: latency, limit: Some(LATENCY_TARGET) },
        Tile { name: "cost", value: Some(spend.total.cost.as_dollars()), limit: budget },
    ]
}

fn row(phase: Phase, trace: &Trace, spend: &SpendReport, degraded: &BTreeSet<Phase>) -> PhaseRow {
    let name = format!("phase_{}_{phase}", phase.number());
    // Of a phase that began again, the last time counts.
    let span = trace.spans.iter().rev().find(|span| span.name == name);
    let within: Vec<&Span> = span.map_or_else(Vec::new, |phase| {
        let child = |span: &&Span| span.parent.as_deref() == Some(phase.id.as_str());
        trace.spans.iter().filter(child).filter(|span| is_call(span)).collect()
    });
    let spent = spend.by_phase.iter().find(|row| row.name == phase.as_str()).map(|row| row.spend);
    let spent = spent.unwrap_or_default();
    let status = match span.map(|span| span.status) {
        None => "pending",
        Some(SpanStatus::Failed) => "failed",
        Some(SpanStatus::Running) if trace.status.is_end() => "failed",
        Some(SpanStatus::Running) => "running",
        Some(SpanStatus::Complete) if degraded.contains(&phase) => "degraded",
        Some(SpanStatus::Complete) => "complete",
    };
    PhaseRow {
        number: phase.number(),
        name: phase,
        status,
        duration: span.map(|span| span.end.since(span.start)),
        tokens: spent.tokens.total(),
        agents: within.len() as u64,
        model: within.iter().rev().find_map(|span| span.model.clone()),
        cost: spent.cost,
    }
}

fn agent_row(span: &Span, trace: &Trace) -> AgentRow {
    let fact = |name: &str| span.metadata.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    let parent = span.parent.as_ref().and_then(|id| trace.spans.iter().find(|it| it.id == *id));
    let number = parent.and_then(|parent| parent.name.strip_prefix("phase_")).and_then(|it| it.get(..1));
    let name = match (span.kind, number, fact("taskId")) {
        (SpanKind::Agent, _, Some(task)) => format!("{} {task}", span.name),
        (_, Some(number), _) => format!("phase-{number}-{}", span.name),
        _ => span.name.clone(),
    };
    let tokens = span.tokens.map(|tokens| format!("{} tokens", tokens.total()));
    let result = fact("errorType").or_else(|| fact("stopped")).or(tokens).unwrap_or_default();
    AgentRow { name, status: span.status, duration: span.end.since(span.start), result }
}
