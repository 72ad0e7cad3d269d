//! A world in which everything is said and done the same way however often it is asked for: phases, agents, models
//! and people whose answers follow from what is on the log alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_engine::{Input, PhaseReport, PhaseResult, RunState, Stage, decide};
use candor_model::{
    AgentNote, Answer, ApprovalAction, AskKey, CalibrationMetrics, Choice, ChoiceKind, ChoiceOption,
    ChoiceRequest, Consulted, Effect, EffectKey, Enforcement, Event, ExecutionFeedback, FeedbackType, GateId,
    GuardReport, Guidance, GuidanceAction, HumanApprovalDecision, HumanApprovalRequest, JsonMap, Money,
    NonEmpty, Phase, Plan, PlanTalk, Question, RankedAgent, Recorded, RunId, RunSettings, Share, TaskId,
    Text, Timestamp, ToolCall, ToolHints, ToolResult, Undone,
};
use candor_planning::validation::Proposal;
use candor_testkit::scenario::phase_report;
use candor_testkit::{consulting, fixtures, phase_fixtures};
use serde_json::json;

/// Which world it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Story {
    /// Everything goes well.
    Plain,
    /// Better words are chosen, the plan is talked about, a task fails, a result does not hold.
    Eventful,
    /// Phases stop and ask, and results never hold.
    Asking,
    /// Nobody is there, and things are asked all the same.
    Unattended,
    /// Agents note what they do, ask people and change the world.
    Desks,
}

/// The first words.
pub(crate) const WORDS: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";
/// More than any story takes.
const MOST_STEPS: usize = 400;

/// A run, and the world around it.
pub(crate) struct Living {
    story: Story,
    pub(crate) state: RunState,
    pub(crate) log: Vec<Recorded>,
    /// How long the log was after each append.
    pub(crate) appends: Vec<usize>,
    now: Timestamp,
    /// What agents answered, by the key of the attempt: asked again, they answer the same.
    answers: BTreeMap<EffectKey, ExecutionFeedback>,
}

impl Living {
    /// Lives a story from its beginning to its end.
    pub(crate) fn through(story: Story) -> Self {
        let run_id = RunId::new("run_kill").unwrap();
        let now = fixtures::time(fixtures::NOON);
        let state = RunState::new(run_id);
        let (log, appends, answers) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut run = Self { story, state, log, appends, now, answers };
        let settings =
            Box::new(RunSettings { unattended: story == Story::Unattended, ..RunSettings::default() });
        run.take(Input::Start { request: WORDS.to_owned(), settings, material: None });
        run.go_on();
        run
    }

    /// A new process takes up what the log holds up to here, and goes on to the end.
    pub(crate) fn taken_up(&self, cut: usize) -> Self {
        let log = self.log[..cut].to_vec();
        let state = RunState::fold(self.state.run_id().clone(), &log).unwrap();
        let now = log.last().unwrap().event.at.plus(fixtures::seconds(60.0));
        let answers = self.answers.clone();
        let mut run = Self { story: self.story, state, log, appends: Vec::new(), now, answers };
        run.take(Input::TakenUp);
        run.go_on();
        run
    }

    fn take(&mut self, input: Input) {
        self.now = self.now.plus(fixtures::seconds(0.1));
        let shown = format!("{input:?}");
        let events: Vec<Event> = decide(&self.state, input, self.now)
            .unwrap_or_else(|refusal| panic!("{:?}: {refusal}: {shown}", self.story));
        for event in events {
            self.state.apply(&event);
            let position = self.state.position();
            self.log.push(Recorded { position, event });
        }
        self.appends.push(self.log.len());
    }

    fn go_on(&mut self) {
        for _ in 0..MOST_STEPS {
            if matches!(self.state.stage(), Stage::Ended(_)) {
                return;
            }
            let mut effects = self.state.effects();
            let next = effects.find(|effect| !matches!(effect, Effect::WaitUntil { .. }));
            let wait = self.state.effects().find(|effect| matches!(effect, Effect::WaitUntil { .. }));
            drop(effects);
            match next.or(wait) {
                Some(effect) => self.perform(&effect),
                None => break,
            }
        }
        let tail: Vec<_> = self.log.iter().rev().take(12).map(|it| format!("{:?}", it.event.body)).collect();
        panic!(
            "{:?} does not end: {} {:?}\n{}",
            self.story,
            self.state.status(),
            self.state.stage(),
            tail.join("\n")
        );
    }

    fn perform(&mut self, effect: &Effect) {
        let input = match effect {
            Effect::Guard { attempt } => Input::Guarded { attempt: *attempt, report: Box::new(self.guard()) },
            Effect::RunPhase { phase, attempt } => return self.room(*phase, *attempt),
            Effect::Route { task_id } => Input::Routed { task_id: task_id.clone(), ranking: Ok(ranking()) },
            Effect::InvokeAgent { task_id, attempt, .. } => self.agent(effect, task_id, *attempt),
            Effect::Undo { key, .. } => Input::Undone {
                key: key.clone(),
                undone: Undone { success: true, summary: "as it was".to_owned() },
            },
            Effect::StopAgent { task_id, attempt } => {
                Input::AgentStopped { task_id: task_id.clone(), attempt: *attempt }
            }
            Effect::AskHuman { gate, question } => self.person(gate, question),
            Effect::WaitUntil { at } => {
                self.now = self.now.max(*at);
                Input::Tick
            }
            // The engine by itself asks for none of these; a session does, for the phases.
            Effect::AskModel(_)
            | Effect::Embed { .. }
            | Effect::ReadFiles { .. }
            | Effect::RunChecks { .. }
            | Effect::QueryAgent { .. } => unreachable!("{effect:?}"),
        };
        self.take(input);
    }

    fn guard(&self) -> GuardReport {
        let doubtful = matches!(self.story, Story::Asking) && self.state.request() == WORDS;
        let finding = phase_fixtures::finding("house-rule", Enforcement::Suggest, false);
        GuardReport { findings: doubtful.then_some(finding).into_iter().collect(), evaluation: Vec::new() }
    }

    /// A phase asks a model what it must know, and hands over.
    fn room(&mut self, phase: Phase, attempt: u32) {
        let key = AskKey { phase, attempt, step: "think".to_owned() };
        let asks = matches!(phase, Phase::Evaluation | Phase::Decomposition);
        let known = self.state.consulted(&key);
        if asks && known.last().is_none_or(|step| !step.outcome.is_final()) {
            let number = u32::try_from(known.len()).unwrap() + 1;
            if self.state.open_calls().all(|call| call.ask != key) {
                return self.take(consulting::consulting(&key, 2_000));
            }
            let call = consulting::answered("{}", 1_000);
            return self.take(consulting::consulted(&key, number, Some(call), consulting::accepted()));
        }
        let report = Box::new(self.report(phase));
        self.take(Input::PhaseDone { phase, attempt, report });
    }

    fn report(&self, phase: Phase) -> PhaseReport {
        let result = match phase {
            Phase::Evaluation => PhaseResult::Goal {
                goal: Box::new(fixtures::paris_goal()),
                evaluation: None,
                enhancement: self.is_weak().then(|| Box::new(phase_fixtures::offer(WORDS, 55))),
            },
            Phase::Planning => self.plan(),
            Phase::Validation => PhaseResult::Verdict { unmet: Vec::new(), failed: self.failing() },
            _ => PhaseResult::Plain,
        };
        let mut report = phase_report(result);
        let failed = if phase == Phase::Decomposition && self.story == Story::Asking { 3 } else { 0 };
        report.critique = Some(Box::new(phase_fixtures::checks(failed)));
        let flags = &mut report.handoff.flags;
        match (self.story, phase) {
            (Story::Asking, Phase::PreAnalysis) if self.state.request() == WORDS => {
                flags.needs_user_input = true;
            }
            (Story::Asking, Phase::Context) => flags.blockers.push("no network".to_owned()),
            (Story::Unattended, Phase::Decomposition) => flags.needs_user_input = true,
            _ => {}
        }
        report
    }

    fn is_weak(&self) -> bool {
        matches!(self.story, Story::Eventful | Story::Unattended) && self.state.request() == WORDS
    }

    fn plan(&self) -> PhaseResult {
        let mut plan = fixtures::paris_plan();
        let says = |plan: &mut Plan, words: &str| {
            let task = plan.subtasks.iter_mut().find(|task| task.task_id.as_str() == "task_003").unwrap();
            task.description = Text::or(words, "Do something");
        };
        if self.story == Story::Eventful {
            plan.confidence_score = fixtures::confidence(0.45);
        }
        match self.state.talk() {
            Some(PlanTalk::Question(_)) => return PhaseResult::Reply("because it is quicker".to_owned()),
            Some(PlanTalk::Alternative(id)) => {
                says(&mut plan, &format!("Recommend activities the way of {id}"));
            }
            Some(PlanTalk::Change(words)) => says(&mut plan, words),
            Some(PlanTalk::Anew(_)) | None => {}
        }
        let mut calibration = CalibrationMetrics::default();
        if self.story == Story::Eventful {
            calibration.sample_size = 20;
            calibration.over_confidence_rate = Share::of(5, 10);
        }
        let (agents, brief) = (fixtures::full_registry(), Some(Box::new(phase_fixtures::brief())));
        PhaseResult::Plan(Proposal { plan, agents, categories: Vec::new(), calibration, brief })
    }

    /// What of the results does not hold: the first activities of the eventful run, and those of the asking run
    /// for as long as anybody looks.
    fn failing(&self) -> Vec<(TaskId, String)> {
        let id = fixtures::task_id("task_003");
        let last = self.state.feedback().iter().rev().find(|feedback| feedback.task_id == id);
        let tries = last.and_then(|feedback| feedback.actual_outputs.get("attempt")?.as_u64());
        let holds = match self.story {
            Story::Eventful => tries.is_none_or(|tries| tries > 1),
            Story::Asking => false,
            Story::Plain | Story::Unattended | Story::Desks => true,
        };
        if holds { Vec::new() } else { vec![(id, "fewer than five activities".to_owned())] }
    }

    fn agent(&mut self, effect: &Effect, task_id: &TaskId, attempt: u32) -> Input {
        if let Some(input) = self.at_its_desk(task_id, attempt) {
            return input;
        }
        let key = effect.key(self.state.run_id());
        let story = self.story;
        let at = self.now;
        let feedback = self.answers.entry(key).or_insert_with(|| answer(story, task_id, attempt, at));
        Input::AgentReported { task_id: task_id.clone(), attempt, feedback: Box::new(feedback.clone()) }
    }

    /// What an agent does at its desk before it answers: it looks, pays for a model, asks, and changes the world.
    fn at_its_desk(&self, task_id: &TaskId, attempt: u32) -> Option<Input> {
        if self.story != Story::Desks {
            return None;
        }
        let key = format!("{}/{task_id}/{attempt}/1", self.state.run_id());
        let note = match self.state.notes(task_id).len() {
            0 => {
                let step = Consulted {
                    call: Some(consulting::answered("{}", 1_500)),
                    outcome: consulting::accepted(),
                };
                AgentNote::Consulted { ask: "act_1".to_owned(), number: 1, step: Box::new(step) }
            }
            1 => {
                let request = Box::new(may_i());
                return Some(Input::AgentAsks { task_id: task_id.clone(), attempt, request });
            }
            2 => {
                let call = ToolCall { key, tool: "book".to_owned(), arguments: JsonMap::new() };
                let (item, hints) = ("step_1".to_owned(), ToolHints::default());
                AgentNote::Called { item, call: Box::new(call), hints }
            }
            3 => AgentNote::Returned { key, result: Box::new(ToolResult::done("booked", None)) },
            _ => return None,
        };
        Some(Input::Noted { task_id: task_id.clone(), attempt, note: Arc::new(note) })
    }

    fn person(&self, gate: &GateId, question: &Question) -> Input {
        let answer = match question {
            Question::Approval { request, .. } => on_plan(request),
            Question::Guidance(_) => Answer::Guidance(Guidance {
                action: GuidanceAction::Retry,
                agent_type: None,
                inputs: JsonMap::new(),
                comments: String::new(),
            }),
            Question::Choice(request) => {
                let option = match request.about {
                    ChoiceKind::Enhancement => "A",
                    ChoiceKind::Validation => "accept",
                    ChoiceKind::Clarification => "clarify",
                    ChoiceKind::Agent => "allow",
                    _ => "continue",
                };
                let (option, text) = (option.to_owned(), "for two people".to_owned());
                Answer::Choice(Choice { option, text, by_default: false })
            }
        };
        Input::Answered { gate: gate.clone(), answer }
    }
}

fn may_i() -> ChoiceRequest {
    let allow = || ChoiceOption::new("allow", "allow it", "");
    ChoiceRequest {
        about: ChoiceKind::Agent,
        phase: None,
        reason: "booking costs money".to_owned(),
        text: "May it be booked?".to_owned(),
        options: NonEmpty::or_one(vec![allow()], allow),
        default: None,
        concerns: Vec::new(),
    }
}

/// First a question, then another way, then a change, then yes.
fn on_plan(request: &HumanApprovalRequest) -> Answer {
    let action = match (request.round, &request.reply) {
        _ if !request.choices.contains(&ApprovalAction::Ask) => ApprovalAction::Approve,
        (0, None) => ApprovalAction::Ask,
        (0, Some(_)) => ApprovalAction::Alternative,
        (1, _) => ApprovalAction::Modify,
        _ => ApprovalAction::Approve,
    };
    Answer::Approval(HumanApprovalDecision {
        comments: "Recommend museums in Paris".to_owned(),
        alternative: Some("B".to_owned()),
        digest: Some(request.digest.clone()),
        ..HumanApprovalDecision::new(request.plan_id.clone(), action)
    })
}

fn answer(story: Story, task_id: &TaskId, attempt: u32, at: Timestamp) -> ExecutionFeedback {
    let fails = story == Story::Eventful && task_id.as_str() == "task_001";
    let (kind, errors) = match fails {
        true => (FeedbackType::Failure, &["Agent timeout after 10s"][..]),
        false => (FeedbackType::Success, &[][..]),
    };
    let mut feedback = fixtures::feedback(1, kind, errors);
    (feedback.task_id, feedback.timestamp) = (task_id.clone(), at);
    feedback.cost = Money::from_micros(7_000);
    if !fails {
        feedback.actual_outputs = fixtures::object(json!({ "result": task_id.as_str(), "attempt": attempt }));
    }
    feedback
}

fn ranking() -> Vec<RankedAgent> {
    let agent_type = fixtures::agent_type("activity_agent");
    vec![RankedAgent { agent_type, score: 0.9, similarity: 0.9 }]
}
