//! A world in which everything is said and done the same way however often it is asked for: phases, agents, models
//! and people whose answers follow from what is on the log alone. The run is a real [`Session`].

use std::collections::VecDeque;
use std::sync::Arc;

use candor_engine::{Input, PhaseReport, PhaseResult, RunState, Stage};
use candor_model::{
    AgentAnswer, AgentNote, Answer, ApprovalAction, Ask, AskPolicy, AskStep, BreakerSettings,
    CalibrationMetrics, Choice, ChoiceKind, ChoiceOption, ChoiceRequest, Consulted, Effect, Enforcement,
    Failure, GateId, GuardReport, Guidance, GuidanceAction, HumanApprovalDecision, HumanApprovalRequest,
    JsonMap, Money, Next, NextCall, NonEmpty, Phase, Plan, PlanTalk, Question, RankedAgent, Recorded,
    RevisionProposal, RunId, RunSettings, Seconds, Share, SubTask, TaskId, Text, Tier, Timestamp, ToolCall,
    ToolHints, ToolResult, Undone,
};
use candor_phases::{Incomplete, PhaseContext};
use candor_planning::conflict::ConflictRules;
use candor_planning::validation::Proposal;
use candor_session::{
    AgentRequest, AttemptEnd, AttemptKey, Ended, Learned, MemoryCircuits, Outcome, PhaseWork, RequestId,
    Session, SessionDeps, SessionInput,
};
use candor_testkit::scenario::phase_report;
use candor_testkit::{consulting, fixtures, phase_fixtures};
use serde_json::{Value, json};

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
    session: Session,
    pub(crate) log: Vec<Recorded>,
    /// How long the log was after each append.
    pub(crate) appends: Vec<usize>,
    now: Timestamp,
    /// What the session asked for and nobody has done yet.
    asked: VecDeque<Effect>,
}

impl Living {
    /// Lives a story from its beginning to its end.
    pub(crate) fn through(story: Story) -> Self {
        let session = Session::new(run_id(), deps(story), Learned::default());
        let mut run = Self::with(story, session, Vec::new(), fixtures::time(fixtures::NOON));
        // Dead processes are dead for a minute: the time for planning must not be up meanwhile.
        let (unattended, planning_timeout) = (story == Story::Unattended, Seconds::whole(3_600));
        let settings = Box::new(RunSettings { unattended, planning_timeout, ..RunSettings::default() });
        run.command(Input::Start { request: WORDS.to_owned(), settings, material: None, origin: None });
        run.go_on();
        run
    }

    /// A new process resumes what the log holds up to here, and goes on to the end.
    pub(crate) fn taken_up(&self, cut: usize) -> Self {
        let log = self.log[..cut].to_vec();
        let now = log.last().unwrap().event.at.plus(fixtures::seconds(60.0));
        let mut session = Session::open(run_id(), deps(self.story), Learned::default(), &log).unwrap();
        session.resume(now).unwrap();
        let mut run = Self::with(self.story, session, log, now);
        run.commit();
        run.go_on();
        run
    }

    fn with(story: Story, session: Session, log: Vec<Recorded>, now: Timestamp) -> Self {
        Self { story, session, log, appends: Vec::new(), now, asked: VecDeque::new() }
    }

    pub(crate) fn state(&self) -> &RunState {
        self.session.state()
    }

    fn command(&mut self, input: Input) {
        self.take(SessionInput::Command(input));
    }

    fn take(&mut self, input: SessionInput) {
        self.now = self.now.plus(fixtures::seconds(0.1));
        let shown = format!("{input:?}");
        if let Err(refusal) = self.session.handle(input, self.now) {
            panic!("{:?}: {refusal}: {shown}", self.story);
        }
        self.commit();
    }

    /// Appends what was decided, and takes note of what is asked for.
    fn commit(&mut self) {
        while let Some(append) = self.session.append(self.now) {
            self.log.extend(self.session.committed(append));
            self.appends.push(self.log.len());
        }
        self.asked.extend(std::iter::from_fn(|| self.session.poll_effect()));
        while let Some((_, reply)) = self.session.poll_reply() {
            reply.unwrap();
        }
        while let Some(cancelled) = self.session.poll_cancelled() {
            let RequestId::Attempt(key) = cancelled else { panic!("{:?}: {cancelled:?}", self.story) };
            let is_it = |effect: &Effect| {
                matches!(effect, Effect::InvokeAgent { task_id, attempt, .. }
                if *task_id == key.task_id && *attempt == key.attempt)
            };
            self.asked.retain(|effect| !is_it(effect));
            self.ends(key, AttemptEnd::Stopped);
        }
    }

    fn go_on(&mut self) {
        for _ in 0..MOST_STEPS {
            if matches!(self.state().stage(), Stage::Ended(_)) {
                return;
            }
            if let Some(effect) = self.asked.pop_front() {
                self.perform(effect);
            } else if let Some((gate, question)) = self.session.snapshot().questions.into_iter().next() {
                self.command(person(gate, &question));
            } else if let Some(at) = self.session.next_timeout() {
                self.now = self.now.max(at);
                self.command(Input::Tick);
            } else {
                break;
            }
        }
        let tail: Vec<_> = self.log.iter().rev().take(12).map(|it| format!("{:?}", it.event.body)).collect();
        let state = self.state();
        panic!("{:?} does not end: {} {:?}\n{}", self.story, state.status(), state.stage(), tail.join("\n"));
    }

    fn perform(&mut self, effect: Effect) {
        let outcome = match effect {
            Effect::InvokeAgent { task_id, attempt, .. } => {
                return self.agent(AttemptKey { task_id, attempt });
            }
            Effect::AskModel(request) => {
                let call = Some(consulting::answered("{}", 1_000));
                let step = Box::new(Consulted { call, outcome: consulting::accepted() });
                Outcome::Model { ask: request.id, number: request.number, step }
            }
            Effect::Undo { key, .. } => {
                Outcome::Undone { key, undone: Undone { success: true, summary: "as it was".to_owned() } }
            }
            other => unreachable!("nobody asks for this in a story: {other:?}"),
        };
        self.take(SessionInput::Outcome(outcome));
    }

    /// An agent works: it may note and ask before it answers.
    fn agent(&mut self, key: AttemptKey) {
        if self.story == Story::Desks {
            while let Some(note) = self.next_note(&key) {
                self.take(SessionInput::Agent { from: key.clone(), request: AgentRequest::Note(note) });
            }
            if self.state().notes(&key.task_id).len() == 1 {
                return self.ends(key, AttemptEnd::Waiting(Box::new(may_i())));
            }
        }
        let end = answer(self.story, &key);
        self.ends(key, end);
    }

    fn ends(&mut self, key: AttemptKey, end: AttemptEnd) {
        let agent = self.state().task(&key.task_id).map(|task| task.agent_type);
        let ended = Ended { key, agent, end, duration: Seconds::whole(1), price: Money::from_micros(7_000) };
        self.take(SessionInput::Outcome(Outcome::Attempt(Box::new(ended))));
    }

    /// What an agent does before it answers: it pays for a model, asks a person, and changes the world.
    fn next_note(&self, AttemptKey { task_id, attempt }: &AttemptKey) -> Option<AgentNote> {
        let key = format!("{}/{task_id}/{attempt}/1", self.state().run_id());
        match self.state().notes(task_id).len() {
            0 => {
                let call = Some(consulting::answered("{}", 1_500));
                let step = Box::new(Consulted { call, outcome: consulting::accepted() });
                Some(AgentNote::Consulted { ask: "act_1".to_owned(), number: 1, step })
            }
            // The second note is the person's answer.
            2 => {
                let call = ToolCall { key, tool: "book".to_owned(), arguments: JsonMap::new() };
                let (item, hints) = ("step_1".to_owned(), ToolHints::default());
                Some(AgentNote::Called { item, call: Box::new(call), hints })
            }
            3 => Some(AgentNote::Returned { key, result: Box::new(ToolResult::done("booked", None)) }),
            _ => None,
        }
    }
}

fn run_id() -> RunId {
    RunId::new("run_kill").unwrap()
}

fn deps(story: Story) -> SessionDeps {
    // What a breaker has counted dies with the process; a story that depends on it is another test's.
    let settings = BreakerSettings { failure_threshold: u32::MAX, ..BreakerSettings::default() };
    SessionDeps {
        phases: Arc::new(StoryPhases(story)),
        models: Some(Arc::new(OneModel)),
        vectors: None,
        circuits: Arc::new(MemoryCircuits::new(settings)),
        inspects: false,
        declared: fixtures::full_registry().into_iter().map(|agent| agent.agent_type).collect(),
        last_phase: None,
    }
}

/// A model that is always called.
struct OneModel;

impl AskPolicy for OneModel {
    fn next(&self, ask: &Ask, _: &[Consulted], _: Money) -> Next {
        let (model, at_most) = ("acme/medium".to_owned(), Money::from_micros(2_000));
        Next::Call(NextCall { tier: ask.tier, model, at_most, max_output_tokens: 10, after: Seconds::ZERO })
    }

    fn step_down(&self, _: &Ask, _: &[Consulted], reason: &str) -> AskStep {
        consulting::give_up(reason)
    }
}

/// The phases of a story.
struct StoryPhases(Story);

impl PhaseWork for StoryPhases {
    fn guard(&self, cx: &PhaseContext<'_>) -> GuardReport {
        let doubtful = self.0 == Story::Asking && cx.request == WORDS;
        let finding = phase_fixtures::finding("house-rule", Enforcement::Suggest, false);
        GuardReport { findings: doubtful.then_some(finding).into_iter().collect(), evaluation: Vec::new() }
    }

    /// A phase asks a model what it must know, and hands over.
    fn work(&self, phase: Phase, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
        let asks = matches!(phase, Phase::Evaluation | Phase::Decomposition);
        let told = cx.answers.map(|answers| answers.0("think"));
        let is_told = told.is_some_and(|steps| steps.last().is_some_and(|step| step.outcome.is_final()));
        if asks && !is_told {
            return Err(Incomplete::Asks(Box::new(Ask::expecting::<Value>("think", Tier::Balanced))));
        }
        Ok(self.report(phase, cx))
    }

    fn route(&self, _: &SubTask, _: &PhaseContext<'_>) -> Result<Vec<RankedAgent>, Incomplete> {
        let agent_type = fixtures::agent_type("activity_agent");
        Ok(vec![RankedAgent { agent_type, score: 0.9, similarity: 0.9, chance: None }])
    }

    fn revise(
        &self,
        _: &SubTask,
        _: Option<&str>,
        _: &PhaseContext<'_>,
    ) -> Result<Option<RevisionProposal>, Incomplete> {
        Ok(None)
    }

    fn conflict_rules(&self) -> ConflictRules {
        ConflictRules::default()
    }
}

impl StoryPhases {
    fn report(&self, phase: Phase, cx: &PhaseContext<'_>) -> PhaseReport {
        let result = match phase {
            Phase::Evaluation => PhaseResult::Goal {
                goal: Box::new(fixtures::paris_goal()),
                evaluation: None,
                enhancement: self.is_weak(cx).then(|| Box::new(phase_fixtures::offer(WORDS, 55))),
            },
            Phase::Planning => self.plan(cx),
            Phase::Validation => PhaseResult::Verdict { unmet: Vec::new(), failed: self.failing(cx) },
            _ => PhaseResult::Plain,
        };
        let mut report = phase_report(result);
        let failed = if phase == Phase::Decomposition && self.0 == Story::Asking { 3 } else { 0 };
        report.critique = Some(Box::new(phase_fixtures::checks(failed)));
        let flags = &mut report.handoff.flags;
        match (self.0, phase) {
            (Story::Asking, Phase::PreAnalysis) if cx.request == WORDS => flags.needs_user_input = true,
            (Story::Asking, Phase::Context) => flags.blockers.push("no network".to_owned()),
            (Story::Unattended, Phase::Decomposition) => flags.needs_user_input = true,
            _ => {}
        }
        report
    }

    fn is_weak(&self, cx: &PhaseContext<'_>) -> bool {
        matches!(self.0, Story::Eventful | Story::Unattended) && cx.request == WORDS
    }

    fn plan(&self, cx: &PhaseContext<'_>) -> PhaseResult {
        let mut plan = fixtures::paris_plan();
        let says = |plan: &mut Plan, words: &str| {
            let task = plan.subtasks.iter_mut().find(|task| task.task_id.as_str() == "task_003").unwrap();
            task.description = Text::or(words, "Do something");
        };
        if self.0 == Story::Eventful {
            plan.confidence_score = fixtures::confidence(0.45);
        }
        match cx.talk {
            Some(PlanTalk::Question(_)) => return PhaseResult::Reply("because it is quicker".to_owned()),
            Some(PlanTalk::Alternative(id)) => {
                says(&mut plan, &format!("Recommend activities the way of {id}"));
            }
            Some(PlanTalk::Change(words)) => says(&mut plan, words),
            Some(PlanTalk::Anew(_)) | None => {}
        }
        let mut calibration = CalibrationMetrics::default();
        if self.0 == Story::Eventful {
            calibration.sample_size = 20;
            calibration.over_confidence_rate = Share::of(5, 10);
        }
        let (agents, brief) = (fixtures::full_registry(), Some(Box::new(phase_fixtures::brief())));
        PhaseResult::Plan(Proposal {
            plan,
            agents,
            categories: Vec::new(),
            calibration,
            brief,
            added: Vec::new(),
        })
    }

    /// What of the results does not hold: the first activities of the eventful run, and those of the asking run
    /// for as long as anybody looks.
    fn failing(&self, cx: &PhaseContext<'_>) -> Vec<(TaskId, String)> {
        let id = fixtures::task_id("task_003");
        let last = cx.feedback.iter().rev().find(|feedback| feedback.task_id == id);
        let tries = last.and_then(|feedback| feedback.actual_outputs.get("attempt")?.as_u64());
        let holds = match self.0 {
            Story::Eventful => tries.is_none_or(|tries| tries > 1),
            Story::Asking => false,
            Story::Plain | Story::Unattended | Story::Desks => true,
        };
        if holds { Vec::new() } else { vec![(id, "fewer than five activities".to_owned())] }
    }
}

fn person(gate: GateId, question: &Question) -> Input {
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
    Input::Answered { gate, answer }
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

fn answer(story: Story, key: &AttemptKey) -> AttemptEnd {
    if story == Story::Eventful && key.task_id.as_str() == "task_001" {
        return AttemptEnd::Failed(Box::new(Failure::timed_out(Seconds::whole(10))));
    }
    let outputs = fixtures::object(json!({ "result": key.task_id.as_str(), "attempt": key.attempt }));
    AttemptEnd::Answered(Box::new(AgentAnswer::success(outputs)))
}
