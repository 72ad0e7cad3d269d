//! From the log to spans: one pass over the events.

use std::collections::BTreeMap;

use candor_model::{
    AgentNote, Answer, ApprovalAction, AskStep, Consulted, Event, EventBody, GateId, ModelCall, Money, Phase,
    PlanVersion, Position, Question, Recorded, RunId, RunSummary, Seconds, TaskId, Timestamp, TokenUse,
};
use candor_planning::tally::Tally;
use serde_json::{Value, json};

use super::{Content, Span, SpanKind, SpanStatus, Trace, digits, measured, metrics, scores};

/// Answers after which a plan is shown again.
const CHANGING: [&str; 3] = ["modify", "alternative", "regenerate"];

/// The name of every run's trace.
const WORKFLOW: &str = "orchestrator_workflow";

pub(super) fn trace(run: &RunId, records: &[Recorded], content: Content, version: &str) -> Option<Trace> {
    let (first, last) = (records.first()?, records.last()?);
    let mut builder = Builder::new(run, first.event.at, last.event.at, content);
    let mut summary = RunSummary::new(run.clone());
    for recorded in records {
        summary.absorb(&recorded.event);
        builder.apply(recorded);
    }
    let origin = summary.origin.clone();
    builder.root(&summary, version, records);
    let metrics = metrics::RunMetrics::of(&builder.spans, records);
    let follows = origin.as_ref().and_then(|origin| origin.follows.as_ref());
    Some(Trace {
        trace_id: digits(run.as_str(), 16),
        id: format!("orchestrator_{run}"),
        run_id: run.clone(),
        user_id: origin.as_ref().map(|origin| origin.user.clone()),
        session_id: follows.unwrap_or(run).to_string(),
        status: summary.status,
        verdict: summary.verdict,
        scores: scores::of(summary.status, summary.verdict, records),
        metrics,
        spans: builder.spans,
    })
}

struct Builder<'a> {
    run: &'a RunId,
    log_end: Timestamp,
    content: Content,
    spans: Vec<Span>,
    phases: BTreeMap<Phase, usize>,
    attempts: BTreeMap<TaskId, usize>,
    /// The latest attempt at each task, ended or not: what it cost is charged behind its end.
    latest: BTreeMap<TaskId, usize>,
    tools: BTreeMap<String, usize>,
    gates: BTreeMap<GateId, usize>,
    /// The generation that the next charge is for.
    owed: Option<usize>,
    plan_version: Option<PlanVersion>,
    /// How often people had the plan changed since planning began.
    user_iterations: u32,
}

impl<'a> Builder<'a> {
    fn new(run: &'a RunId, start: Timestamp, log_end: Timestamp, content: Content) -> Self {
        let mut builder = Self {
            run,
            log_end,
            content,
            spans: Vec::new(),
            phases: BTreeMap::new(),
            attempts: BTreeMap::new(),
            latest: BTreeMap::new(),
            tools: BTreeMap::new(),
            gates: BTreeMap::new(),
            owed: None,
            plan_version: None,
            user_iterations: 0,
        };
        builder.open(Position::START, WORKFLOW.to_owned(), SpanKind::Span, start, None);
        builder
    }

    /// Begins a span; it lasts until the end of the log unless it is closed before.
    fn open(
        &mut self,
        position: Position,
        name: String,
        kind: SpanKind,
        start: Timestamp,
        parent: Option<usize>,
    ) -> usize {
        let root = self.spans.first().map(|root| root.id.clone());
        let parent =
            parent.and_then(|parent| self.spans.get(parent)).map(|parent| parent.id.clone()).or(root);
        let id = digits(&format!("{}/{position}", self.run), 8);
        self.spans.push(Span {
            id,
            parent,
            name,
            kind,
            start,
            end: self.log_end,
            status: SpanStatus::Running,
            model: None,
            tokens: None,
            cost: None,
            metadata: BTreeMap::new(),
            input: None,
            output: None,
        });
        self.spans.len() - 1
    }

    fn close(&mut self, index: Option<usize>, end: Timestamp, status: SpanStatus) {
        if let Some(span) = index.and_then(|index| self.spans.get_mut(index)) {
            (span.end, span.status) = (end, status);
        }
    }

    fn note(&mut self, index: usize, facts: impl IntoIterator<Item = (&'static str, Value)>) {
        if let Some(span) = self.spans.get_mut(index) {
            let facts = facts.into_iter().filter(|(_, value)| !value.is_null());
            span.metadata.extend(facts.map(|(name, value)| (name.to_owned(), value)));
        }
    }

    /// The same of the latest attempt at a phase.
    fn note_phase(&mut self, phase: Phase, facts: impl IntoIterator<Item = (&'static str, Value)>) {
        if let Some(index) = self.phases.get(&phase).copied() {
            self.note(index, facts);
        }
    }

    fn text(&self, text: impl FnOnce() -> Option<String>) -> Option<String> {
        if self.content == Content::With { text() } else { None }
    }

    fn apply(&mut self, Recorded { position, event }: &Recorded) {
        let at = event.at;
        match &event.body {
            EventBody::PhaseStarted { .. }
            | EventBody::PhaseCompleted { .. }
            | EventBody::PhaseFailed { .. } => self.phase(*position, event),
            EventBody::TaskDispatched { task_id, attempt, agent_type, .. } => {
                let parent = self.phases.get(&Phase::Execution).copied();
                let index = self.open(*position, agent_type.to_string(), SpanKind::Agent, at, parent);
                self.note(index, [("taskId", json!(task_id)), ("attempt", json!(attempt))]);
                self.attempts.insert(task_id.clone(), index);
                self.latest.insert(task_id.clone(), index);
            }
            EventBody::TaskSucceeded { task_id, feedback, .. } => {
                let index = self.attempts.remove(task_id);
                let output = self.text(|| serde_json::to_string(&feedback.actual_outputs).ok());
                if let Some(span) = index.and_then(|index| self.spans.get_mut(index)) {
                    span.output = output;
                }
                self.close(index, at, SpanStatus::Complete);
            }
            EventBody::TaskFailed { task_id, feedback, .. } => {
                let index = self.attempts.remove(task_id);
                if let (Some(index), Some(failure)) = (index, &feedback.failure) {
                    self.note(index, [("errorType", json!(failure.kind))]);
                }
                self.close(index, at, SpanStatus::Failed);
            }
            EventBody::TaskStopped { task_id, reason, .. } => {
                let index = self.attempts.remove(task_id);
                if let Some(index) = index {
                    self.note(index, [("stopped", json!(reason))]);
                }
                self.close(index, at, SpanStatus::Failed);
            }
            EventBody::ModelConsulted { ask, step, .. } => {
                let parent = self.phases.get(&ask.phase).copied();
                self.consulted(*position, &ask.step, step, at, parent);
            }
            EventBody::AgentNoted { task_id, note, .. } => self.noted(*position, task_id, note, at),
            EventBody::Charged { amount, payee, .. } => {
                self.charged(*position, *amount, payee.as_deref(), at);
            }
            EventBody::PlanProposed { version, plan, .. } => {
                self.plan_version = Some(*version);
                self.note_phase(Phase::Decomposition, [("subtasks", json!(plan.subtasks.len()))]);
                self.note_phase(Phase::Planning, [("plan_version", json!(version))]);
            }
            EventBody::PlanAdjusted { version, .. } => {
                self.plan_version = Some(*version);
                self.note_phase(Phase::Planning, [("plan_version", json!(version))]);
            }
            EventBody::PlanApproved { .. } => self.note_phase(Phase::Planning, [("approved", json!(true))]),
            EventBody::PromptScored { score, .. } => {
                self.note_phase(Phase::Evaluation, [("prompt_quality", json!(score))]);
            }
            EventBody::HumanAsked { .. }
            | EventBody::HumanAnswered { .. }
            | EventBody::QuestionWithdrawn { .. }
            | EventBody::PlanAnswered { .. } => self.person(*position, event),
            _ => {}
        }
    }

    fn phase(&mut self, position: Position, event: &Event) {
        match &event.body {
            EventBody::PhaseStarted { phase, attempt } => {
                let name = format!("phase_{}_{phase}", phase.number());
                let index = self.open(position, name, SpanKind::Span, event.at, None);
                self.note(index, [("phaseId", json!(phase.number())), ("attempt", json!(attempt))]);
                if *phase == Phase::Planning {
                    self.user_iterations = 0;
                    self.note(index, [("user_iterations", json!(0)), ("approved", json!(false))]);
                }
                let before = self.phases.insert(*phase, index);
                // A phase that begins again has not come to its end.
                if before.and_then(|it| self.spans.get(it)).is_some_and(|it| it.status == SpanStatus::Running)
                {
                    self.close(before, event.at, SpanStatus::Failed);
                }
            }
            EventBody::PhaseCompleted { phase, handoff, .. } => {
                let index = self.phases.get(phase).copied();
                self.close(index, event.at, SpanStatus::Complete);
                if let Some(index) = index {
                    let facts =
                        [("quality", json!(handoff.quality)), ("producedBy", json!(handoff.spoken_by))];
                    self.note(index, facts);
                }
            }
            EventBody::PhaseFailed { phase, .. } => {
                self.close(self.phases.get(phase).copied(), event.at, SpanStatus::Failed);
            }
            _ => {}
        }
    }

    /// One generation for each call of a model.
    fn consulted(
        &mut self,
        position: Position,
        step: &str,
        consulted: &Consulted,
        at: Timestamp,
        parent: Option<usize>,
    ) {
        self.owed = None;
        let Some(call) = &consulted.call else { return };
        let start = before(at, call.duration_seconds);
        let index = self.open(position, step.to_owned(), SpanKind::Generation, start, parent);
        let failed = call.failure.is_some();
        self.close(Some(index), at, if failed { SpanStatus::Failed } else { SpanStatus::Complete });
        self.note(index, call_facts(call, &consulted.outcome));
        let input = self.text(|| call.details.as_ref().and_then(|details| details.prompt.clone()));
        let output = self.text(|| call.answer.clone());
        if let Some(span) = self.spans.get_mut(index) {
            span.model = Some(call.model.clone());
            span.tokens = Some(call.tokens);
            (span.input, span.output) = (input, output);
        }
        self.owed = (call.cost > Money::ZERO).then_some(index);
    }

    fn noted(&mut self, position: Position, task_id: &TaskId, note: &AgentNote, at: Timestamp) {
        let parent = self.attempts.get(task_id).copied();
        match note {
            AgentNote::Consulted { ask, step, .. } => self.consulted(position, ask, step, at, parent),
            AgentNote::Session { program, tokens, cost, .. } if tokens.is_some() || cost.is_some() => {
                let index = self.generation(position, program, *tokens, at, parent);
                self.owed = cost.is_some_and(|cost| cost > Money::ZERO).then_some(index);
            }
            AgentNote::Called { call, .. } => {
                let index = self.open(position, call.tool.clone(), SpanKind::Tool, at, parent);
                let input = self.text(|| serde_json::to_string(&call.arguments).ok());
                if let Some(span) = self.spans.get_mut(index) {
                    span.input = input;
                }
                self.tools.insert(call.key.clone(), index);
            }
            AgentNote::Returned { key, result } => {
                let index = self.tools.remove(key);
                let output = self.text(|| Some(result.content.clone()));
                if let Some(span) = index.and_then(|index| self.spans.get_mut(index)) {
                    span.output = output;
                }
                let status = if result.success { SpanStatus::Complete } else { SpanStatus::Failed };
                self.close(index, at, status);
            }
            _ => {}
        }
    }

    fn generation(
        &mut self,
        position: Position,
        name: &str,
        tokens: Option<TokenUse>,
        at: Timestamp,
        parent: Option<usize>,
    ) -> usize {
        let index = self.open(position, name.to_owned(), SpanKind::Generation, at, parent);
        self.close(Some(index), at, SpanStatus::Complete);
        if let Some(span) = self.spans.get_mut(index) {
            (span.model, span.tokens) = (Some(name.to_owned()), tokens);
        }
        index
    }

    /// Money goes to the call that it was charged for; what stands alone is a generation of its own.
    fn charged(
        &mut self,
        position: Position,
        amount: Money,
        payee: Option<&candor_model::Payee>,
        at: Timestamp,
    ) {
        let index = self.owed.take().unwrap_or_else(|| {
            let (name, parent) = match payee {
                Some(candor_model::Payee::Attempt { task_id, agent_type }) => {
                    (format!("agent:{agent_type}"), self.latest.get(task_id).copied())
                }
                Some(candor_model::Payee::Call { model, .. }) => (model.clone(), None),
                Some(candor_model::Payee::Other(_)) | None => ("other".to_owned(), None),
            };
            self.generation(position, &name, None, at, parent)
        });
        if let Some(span) = self.spans.get_mut(index) {
            span.cost = Some(span.cost.unwrap_or(Money::ZERO) + amount);
        }
    }

    fn person(&mut self, position: Position, event: &Event) {
        const NAME: &str = "user_interaction";
        let at = event.at;
        match &event.body {
            EventBody::HumanAsked { gate, question } => {
                let index = self.open(position, NAME.to_owned(), SpanKind::Event, at, None);
                let kind = match &**question {
                    Question::Approval { .. } => "approval",
                    Question::Guidance(_) => "guidance",
                    Question::Choice(_) => "choice",
                };
                self.note(index, [("question", json!(kind)), ("planVersion", json!(self.plan_version))]);
                self.gates.insert(gate.clone(), index);
            }
            EventBody::HumanAnswered { gate, answer } => {
                let index = self.gates.remove(gate);
                let (kind, choice) = answered(answer);
                if let Some(index) = index {
                    self.note(index, [("type", json!(kind)), ("userChoice", json!(choice))]);
                }
                if matches!(**answer, Answer::Approval(_)) && CHANGING.contains(&kind) {
                    self.user_iterations += 1;
                    self.note_phase(Phase::Planning, [("user_iterations", json!(self.user_iterations))]);
                }
                self.close(index, at, SpanStatus::Complete);
            }
            EventBody::QuestionWithdrawn { gate, .. } => {
                let index = self.gates.remove(gate);
                self.close(index, at, SpanStatus::Complete);
            }
            EventBody::PlanAnswered { version, .. } => {
                let index = self.open(position, NAME.to_owned(), SpanKind::Event, at, None);
                self.note(index, [("type", json!("question")), ("planVersion", json!(version))]);
                self.close(Some(index), at, SpanStatus::Complete);
            }
            _ => {}
        }
    }

    /// What is said of the run itself.
    fn root(&mut self, summary: &RunSummary, version: &str, records: &[Recorded]) {
        let figures = Tally::of(records.iter().map(|recorded| &recorded.event)).figures();
        let facts = [
            ("version", json!(version)),
            ("phases", json!(Phase::ALL.len())),
            ("status", json!(summary.status)),
            ("verdict", json!(summary.verdict)),
            ("project", json!(summary.origin.as_ref().and_then(|origin| origin.project.clone()))),
            ("taskType", json!(figures.task_type)),
            ("class", json!(figures.class)),
            ("planVersion", json!(self.plan_version)),
            ("attempts", json!(figures.attempts)),
            ("retries", json!(figures.retries)),
            ("fallbacks", json!(figures.fallbacks)),
            ("rollbacks", json!(figures.rollbacks)),
        ];
        self.note(0, facts);
        let ended = summary.status.is_end();
        let well = summary.status == candor_model::RunStatus::Completed;
        let input = self.text(|| Some(summary.request.clone()));
        // What was under way when the run ended did not come to its own end.
        for span in self.spans.iter_mut().filter(|span| ended && span.status == SpanStatus::Running) {
            span.status = SpanStatus::Failed;
        }
        measured::add(&mut self.spans);
        if let Some(root) = self.spans.first_mut() {
            root.parent = None;
            root.input = input;
            root.status = match (ended, well) {
                (false, _) => SpanStatus::Running,
                (true, true) => SpanStatus::Complete,
                (true, false) => SpanStatus::Failed,
            };
        }
    }
}

fn before(at: Timestamp, took: Seconds) -> Timestamp {
    let took = i64::try_from(took.as_millis()).unwrap_or(0);
    Timestamp::from_millis(at.as_millis().saturating_sub(took))
}

/// How a model was asked, and how its answer was judged.
fn call_facts(call: &ModelCall, outcome: &AskStep) -> [(&'static str, Value); 7] {
    let details = call.details.as_deref();
    let outcome = match outcome {
        AskStep::Accepted { .. } => "accepted",
        AskStep::Repeat { .. } => "repeat",
        AskStep::AskAgain { .. } => "ask_again",
        AskStep::FallBack { .. } => "fall_back",
        AskStep::GiveUp { .. } => "give_up",
    };
    [
        ("tier", json!(call.tier)),
        ("prompt", json!(call.prompt)),
        ("outcome", json!(outcome)),
        ("errorType", json!(call.failure.as_ref().map(|failure| failure.kind))),
        ("temperature", json!(details.and_then(|details| details.temperature))),
        ("maxTokens", json!(details.and_then(|details| details.max_tokens))),
        ("firstTokenSeconds", json!(details.and_then(|details| details.first_token_seconds))),
    ]
}

/// What a person did, and what they chose.
fn answered(answer: &Answer) -> (&'static str, String) {
    match answer {
        Answer::Approval(decision) => {
            let action = decision.action.as_str();
            let kind = match decision.action {
                ApprovalAction::Approve => "approve",
                ApprovalAction::Reject => "reject",
                ApprovalAction::Ask => "question",
                ApprovalAction::Alternative => "alternative",
                ApprovalAction::Regenerate => "regenerate",
                ApprovalAction::Adjust | ApprovalAction::Modify | ApprovalAction::Version => "modify",
            };
            let which =
                decision.alternative.clone().or(decision.version.map(|version| version.0.to_string()));
            let choice =
                which.map_or_else(|| action.to_lowercase(), |it| format!("{} {it}", action.to_lowercase()));
            (kind, choice)
        }
        Answer::Guidance(guidance) => ("modify", guidance.action.as_str().to_lowercase()),
        Answer::Choice(choice) => ("alternative", choice.option.clone()),
    }
}
