//! The fold itself: from the logs of runs to figures.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{
    AgentNote, AgentType, Assessment, CriterionResult, CriterionSource, Event, EventBody, JsonMap, Money,
    Position, Recorded, RunFigures, TaskId, Timestamp, TokenUse, Verdict,
};
use candor_planning::claims;
use candor_planning::tally::Tally;

use super::{FEWEST_SAMPLES, KpiReport, Measured, Targets, Window, report};

/// The figures of an installation, run by run.
#[derive(Debug, Clone)]
pub struct KpiFold {
    window: Window,
    runs: u64,
    ended: u64,
    /// Milliseconds of every call of a model and every attempt of an agent.
    calls: Vec<u64>,
    first_tokens: Vec<u64>,
    durations: Vec<u64>,
    judged: Share,
    first_try: Share,
    outputs: Share,
    validated: Share,
    all: PerRun,
    classes: BTreeMap<String, PerRun>,
    agents: u64,
    cached: u64,
    read: u64,
    parallel: Share,
    depths: Vec<u32>,
    fan_out: u32,
    trips: BTreeSet<(String, Option<Timestamp>)>,
    attempts: u64,
    retries: u64,
    asks: u64,
    fallbacks: u64,
}

/// A part of a whole.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    part: u64,
    whole: u64,
}

impl Share {
    fn count(&mut self, counts: bool) {
        self.whole += 1;
        self.part += u64::from(counts);
    }
}

/// What runs took in all.
#[derive(Debug, Clone, Copy, Default)]
struct PerRun {
    runs: u64,
    tokens: u64,
    cost: Money,
}

impl KpiFold {
    /// Figures over a window, of no run yet.
    #[must_use]
    pub fn new(window: Window) -> Self {
        Self {
            window,
            runs: 0,
            ended: 0,
            calls: Vec::new(),
            first_tokens: Vec::new(),
            durations: Vec::new(),
            judged: Share::default(),
            first_try: Share::default(),
            outputs: Share::default(),
            validated: Share::default(),
            all: PerRun::default(),
            classes: BTreeMap::new(),
            agents: 0,
            cached: 0,
            read: 0,
            parallel: Share::default(),
            depths: Vec::new(),
            fan_out: 0,
            trips: BTreeSet::new(),
            attempts: 0,
            retries: 0,
            asks: 0,
            fallbacks: 0,
        }
    }

    /// Takes a run into account. What a fork shares with another run counts there, and once.
    pub fn add_run(&mut self, records: &[Recorded]) {
        let shared = shared_with_another(records);
        let (own, window) = (records.iter().filter(|recorded| recorded.position > shared), self.window);
        let mut seen = false;
        for event in own.map(|own| &own.event).filter(|event| window.contains(event.at)) {
            seen = true;
            self.add_event(event);
        }
        self.runs += u64::from(seen);
        // Of a run that was rolled back and ended again, the last end counts.
        let Some(end) = records.iter().rev().find(|recorded| recorded.event.body.is_end()) else { return };
        let resumed = records.iter().any(|later| {
            later.position > end.position && matches!(later.event.body, EventBody::RolledBack { .. })
        });
        if !resumed && self.window.contains(end.event.at) {
            let until_end = records.iter().take_while(|recorded| recorded.position <= end.position);
            let assessment = assessed(records);
            self.add_end(&end.event.body, &Tally::of(until_end.map(|it| &it.event)).figures(), assessment);
            if let Some(assessment) = assessment {
                self.add_claims(assessment, records);
            }
        }
    }

    fn add_event(&mut self, event: &Event) {
        match &event.body {
            EventBody::ModelConsulted { step, .. } => {
                self.asks += 1;
                if let Some(call) = &step.call {
                    self.add_call(call.duration_seconds.as_millis(), call.tokens);
                    let first = call.details.as_ref().and_then(|details| details.first_token_seconds);
                    self.first_tokens.extend(first.map(|first| first.as_millis()));
                }
            }
            EventBody::AgentNoted { note, .. } => {
                if let AgentNote::Consulted { step, .. } = &**note {
                    self.asks += 1;
                    if let Some(call) = &step.call {
                        self.add_call(call.duration_seconds.as_millis(), call.tokens);
                        let first = call.details.as_ref().and_then(|details| details.first_token_seconds);
                        self.first_tokens.extend(first.map(|first| first.as_millis()));
                    }
                }
            }
            EventBody::TaskDispatched { .. } => self.attempts += 1,
            EventBody::TaskSucceeded { feedback, .. } => {
                self.calls.push(feedback.duration_seconds.as_millis());
            }
            EventBody::TaskFailed { attempt, feedback, .. } if *attempt > 0 => {
                self.calls.push(feedback.duration_seconds.as_millis());
            }
            EventBody::RetryScheduled(_) | EventBody::Replanned { .. } | EventBody::TaskReopened { .. } => {
                self.retries += 1;
            }
            EventBody::FellBack { .. } => self.fallbacks += 1,
            // Every run that needs the agent is told of its circuit; it opened once.
            EventBody::BreakerOpened { agent_type, until, .. } => {
                self.trips.insert((AgentType::as_str(agent_type).to_owned(), *until));
            }
            EventBody::ModelBreakerOpened { model, .. } => {
                self.trips.insert((model.clone(), Some(event.at)));
            }
            _ => {}
        }
    }

    fn add_call(&mut self, millis: u64, tokens: TokenUse) {
        self.calls.push(millis);
        self.cached += tokens.cached_read;
        self.read += tokens.input + tokens.cached_read;
    }

    fn add_end(&mut self, end: &EventBody, figures: &RunFigures, assessment: Option<&Assessment>) {
        self.ended += 1;
        self.durations.push(figures.duration.as_millis());
        // What a person cancelled says nothing of how well runs end.
        if !matches!(end, EventBody::RunCancelled { .. }) {
            let not_met = assessment.is_some_and(|assessment| assessment.verdict == Verdict::NotMet);
            let well = matches!(end, EventBody::RunCompleted { .. }) && !not_met;
            self.judged.count(well);
            self.first_try.count(well && figures.retries == 0);
        }
        if let Some(assessment) = assessment.filter(|it| it.verdict != Verdict::Unverified) {
            self.validated.count(assessment.verdict == Verdict::Verified);
        }
        let per_class = figures.class.as_ref().map(|class| self.classes.entry(class.clone()).or_default());
        for sums in [Some(&mut self.all), per_class].into_iter().flatten() {
            sums.runs += 1;
            sums.tokens += figures.total.tokens.total();
            sums.cost = sums.cost + figures.total.cost;
        }
        if figures.tasks > 0 {
            self.agents += u64::from(figures.agents);
            self.parallel.whole += u64::from(figures.tasks);
            self.parallel.part += u64::from(figures.parallel_tasks);
            self.depths.push(figures.depth);
            self.fan_out = self.fan_out.max(figures.fan_out);
        }
    }

    /// Outputs with a statement that could be looked up, and those of them with one that nothing supports.
    ///
    /// An assessment lists the statements that nothing supports, and only counts the others: whose they are is told by
    /// the outputs themselves.
    fn add_claims(&mut self, assessment: &Assessment, records: &[Recorded]) {
        let mut outputs: BTreeMap<Option<&TaskId>, bool> = BTreeMap::new();
        let mut listed: BTreeSet<&TaskId> = BTreeSet::new();
        for claim in assessment.criteria.iter().filter(|it| it.source == CriterionSource::Claim) {
            listed.extend(&claim.task_id);
            if claim.result != CriterionResult::Unchecked {
                *outputs.entry(claim.task_id.as_ref()).or_default() |= claim.result == CriterionResult::Fails;
            }
        }
        if assessment.claims > assessment.unsupported_claims {
            for (task, said) in last_outputs(records) {
                if !listed.contains(task) && !claims::of(said, &[]).is_empty() {
                    outputs.insert(Some(task), false);
                }
            }
        }
        outputs.values().for_each(|unsupported| self.outputs.count(*unsupported));
    }

    /// The figures with their targets.
    #[must_use]
    pub fn report(&self, targets: &Targets) -> KpiReport {
        self.report_from(FEWEST_SAMPLES, targets)
    }

    /// The same where so few samples have a value: one run says what it contributes, and nothing of a rate.
    #[must_use]
    pub fn report_from(&self, fewest: u64, targets: &Targets) -> KpiReport {
        let enough = |value, samples| enough(value, samples, fewest);
        let share = |part| share(part, fewest);
        let mean = |values: &[u64]| mean(values, fewest);
        let mut measured = BTreeMap::new();
        let mut calls = self.calls.clone();
        calls.sort_unstable();
        for (name, percent) in [("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99)] {
            measured.insert(name, enough(percentile(&calls, percent), calls.len()));
        }
        measured.insert("ttft", mean(&self.first_tokens));
        measured.insert("totalDuration", mean(&self.durations));
        measured.insert("taskCompletionRate", share(self.judged));
        measured.insert("firstAttemptSuccess", share(self.first_try));
        measured.insert("hallucinationRate", share(self.outputs));
        measured.insert("validationPassRate", share(self.validated));
        self.add_per_run(&mut measured, fewest);
        let runs_with_tasks = self.depths.len() as u64;
        measured.insert("agentsPerTask", share(Share { part: self.agents, whole: runs_with_tasks }));
        measured.insert("cacheHitRate", share(Share { part: self.cached, whole: self.read }));
        measured.insert("parallelizationRatio", share(self.parallel));
        // One run is enough to say how deep or how wide it went.
        let deepest = self.depths.iter().max().map(|depth| f64::from(*depth));
        measured.insert("depth", Measured { value: deepest, samples: runs_with_tasks });
        let depths: Vec<u64> = self.depths.iter().map(|depth| u64::from(*depth)).collect();
        measured.insert("averageDepth", mean(&depths));
        let widest = (runs_with_tasks > 0).then(|| f64::from(self.fan_out));
        measured.insert("fanOut", Measured { value: widest, samples: runs_with_tasks });
        let hours = self.window.hours();
        let trips = (self.runs > 0 && hours > 0.0).then(|| self.trips.len() as f64 / hours);
        measured.insert("circuitBreakerTrips", Measured { value: trips, samples: self.runs });
        measured.insert("retryRate", share(Share { part: self.retries, whole: self.attempts }));
        let choices = self.attempts + self.asks;
        measured.insert("fallbackRate", share(Share { part: self.fallbacks, whole: choices }));
        report(self.window, (self.runs, self.ended), &measured, targets)
    }

    fn add_per_run(&self, measured: &mut BTreeMap<&'static str, Measured>, fewest: u64) {
        let of = |class: &str| self.classes.get(class).copied().unwrap_or_default();
        for (tokens, cost, sums) in [
            ("tokensPerTask", "costPerTask", self.all),
            ("tokensPerTask.simple", "costPerTask.simple", of("simple")),
            ("tokensPerTask.standard", "costPerTask.standard", of("standard")),
            ("tokensPerTask.complex", "costPerTask.complex", of("complex")),
        ] {
            let each = |sum: f64| {
                enough((sums.runs > 0).then(|| sum / sums.runs as f64), sums.runs as usize, fewest)
            };
            // A run that asked no model took no tokens: that says nothing of what runs take.
            let tokens_known = sums.tokens > 0;
            let value = each(sums.tokens as f64);
            measured.insert(tokens, Measured { value: value.value.filter(|_| tokens_known), ..value });
            measured.insert(cost, each(sums.cost.micros() as f64 / 1e6));
        }
    }
}

/// How many events at its beginning a run shares with the one that it was forked from.
fn shared_with_another(records: &[Recorded]) -> Position {
    match records.first().map(|first| &first.event.body) {
        Some(EventBody::RunStarted { forked_from: Some(fork), .. }) => fork.position,
        _ => Position::START,
    }
}

/// What each task put out last.
fn last_outputs(records: &[Recorded]) -> BTreeMap<&TaskId, &JsonMap> {
    let outputs = records.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::TaskSucceeded { task_id, feedback, .. } => Some((task_id, &feedback.actual_outputs)),
        _ => None,
    });
    outputs.collect()
}

fn assessed(records: &[Recorded]) -> Option<&Assessment> {
    records.iter().rev().find_map(|recorded| match &recorded.event.body {
        EventBody::OutcomeRecorded(record) => record.assessment.as_deref(),
        _ => None,
    })
}

/// What so many of 100 stay within, by the nearest rank.
fn percentile(sorted: &[u64], percent: usize) -> Option<f64> {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).map(|millis| *millis as f64)
}

fn enough(value: Option<f64>, samples: usize, fewest: u64) -> Measured {
    let samples = samples as u64;
    Measured { value: value.filter(|_| samples >= fewest), samples }
}

fn share(Share { part, whole }: Share, fewest: u64) -> Measured {
    let value = (whole > 0).then(|| part as f64 / whole as f64);
    enough(value, usize::try_from(whole).unwrap_or(usize::MAX), fewest)
}

fn mean(values: &[u64], fewest: u64) -> Measured {
    let sum: u64 = values.iter().sum();
    share(Share { part: sum, whole: values.len() as u64 }, fewest)
}
