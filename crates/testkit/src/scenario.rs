//! Drives one run step by step, for tests that tell a story.
//!
//! Each step is taken live, and then again from the log and from the written state: all three must agree.

use candor_engine::{Input, PhaseReport, PhaseResult, Refusal, RunState, decide};
use candor_model::{
    Answer, ApprovalAction, CalibrationMetrics, Choice, ChoiceRequest, Effect, Event, EventBody,
    ExecutionFeedback, FeedbackType, GateId, GuardFinding, GuardReport, Guidance, GuidanceAction, Handoff,
    HumanApprovalDecision, HumanApprovalRequest, JsonMap, Notification, Phase, Plan, PlanVersion, Question,
    RankedAgent, Recorded, RunId, RunSettings, SpokenBy, Timestamp, Transience,
};
use candor_planning::validation::Proposal;
use serde_json::json;

use crate::fixtures;

/// One run under test.
pub struct Scenario {
    /// The run's state.
    pub state: RunState,
    /// Everything that has happened.
    pub log: Vec<Recorded>,
    /// What the last input led to.
    pub last: Vec<EventBody>,
    /// The present.
    pub now: Timestamp,
}

#[expect(clippy::panic, reason = "a scenario that cannot go on is a failed test")]
#[track_caller]
fn fail_test(what: &str) -> ! {
    panic!("{what}")
}

impl Scenario {
    /// A run that has been started with these limits, and whose words the guardrails have passed.
    #[track_caller]
    pub fn start(settings: RunSettings) -> Self {
        let mut scenario = Self::begin(settings);
        scenario.guard();
        scenario
    }

    /// A run that has been started with these limits, and has not been looked at by the guardrails.
    #[track_caller]
    pub fn begin(settings: RunSettings) -> Self {
        let run_id = RunId::new("run_test").unwrap_or_else(|error| fail_test(&error.to_string()));
        let state = RunState::new(run_id);
        let mut scenario =
            Self { state, log: Vec::new(), last: Vec::new(), now: fixtures::time(fixtures::NOON) };
        let request = "Plan a 3-day trip to Paris in May with a $2000 budget".to_owned();
        scenario.take(Input::Start { request, settings: Box::new(settings), material: None, origin: None });
        scenario
    }

    /// A run of this plan with the whole registry of agents, on its way as far as it goes by itself.
    #[track_caller]
    pub fn of(plan: Plan, settings: RunSettings) -> Self {
        let mut scenario = Self::start(settings);
        scenario.prepare();
        scenario.propose(plan);
        scenario
    }

    /// The Paris run with default limits.
    #[track_caller]
    pub fn paris() -> Self {
        Self::of(fixtures::paris_plan(), RunSettings::default())
    }

    /// Takes an input that must be accepted.
    #[track_caller]
    pub fn take(&mut self, input: Input) -> &[EventBody] {
        match self.try_take(input) {
            Ok(()) => &self.last,
            Err(refusal) => fail_test(&format!("refused: {refusal}")),
        }
    }

    /// Takes an input that may be refused; a refusal must change nothing.
    #[track_caller]
    pub fn try_take(&mut self, input: Input) -> Result<(), Refusal> {
        let events = decide(&self.state, input, self.now)?;
        for event in &events {
            self.state.apply(event);
            let position = self.state.position();
            self.log.push(Recorded { position, event: event.clone() });
        }
        self.last = events.into_iter().map(|event| event.body).collect();
        self.check_replay();
        Ok(())
    }

    #[track_caller]
    fn check_replay(&self) {
        let folded = RunState::fold(self.state.run_id().clone(), &self.log);
        let same = folded.is_ok_and(|folded| folded == self.state);
        let written = serde_json::to_string(&self.state).unwrap_or_default();
        let read = serde_json::from_str::<RunState>(&written);
        if !same || read.is_ok_and(|read| read != self.state) {
            fail_test("living, replaying and writing down give different states");
        }
    }

    /// The guardrails look at the words, and find nothing.
    #[track_caller]
    pub fn guard(&mut self) {
        self.guard_finds(Vec::new());
    }

    /// The guardrails look at the words, and find this.
    #[track_caller]
    pub fn guard_finds(&mut self, findings: Vec<GuardFinding>) {
        let attempt = self.look().unwrap_or_else(|| fail_test("the guardrails are not asked"));
        let report = Box::new(GuardReport { findings, evaluation: Vec::new() });
        self.take(Input::Guarded { attempt, report });
    }

    /// The look that the guardrails are asked for.
    #[must_use]
    pub fn look(&self) -> Option<u32> {
        self.state.effects().find_map(|effect| match effect {
            Effect::Guard { attempt } => Some(attempt),
            _ => None,
        })
    }

    /// Completes the phases up to planning.
    #[track_caller]
    pub fn prepare(&mut self) {
        self.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
        self.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
        self.phase_done(Phase::Context, PhaseResult::Plain);
        self.phase_done(Phase::Decomposition, PhaseResult::Plain);
    }

    /// Completes planning with this plan.
    #[track_caller]
    pub fn propose(&mut self, plan: Plan) {
        let calibration = CalibrationMetrics::default();
        let agents = fixtures::full_registry();
        let proposal =
            Proposal { plan, agents, categories: Vec::new(), calibration, brief: None, added: Vec::new() };
        self.phase_done(Phase::Planning, PhaseResult::Plan(proposal));
    }

    /// Completes a phase with a report that says more than its result.
    #[track_caller]
    pub fn phase_says(&mut self, phase: Phase, result: PhaseResult, say: impl FnOnce(&mut PhaseReport)) {
        let mut report = Box::new(phase_report(result));
        say(&mut report);
        let attempt = self.phase_attempt(phase);
        self.take(Input::PhaseDone { phase, attempt, report });
    }

    /// The phases at work.
    #[must_use]
    pub fn at_work(&self) -> Vec<Phase> {
        let phases = self.state.effects().filter_map(|effect| match effect {
            Effect::RunPhase { phase, .. } => Some(phase),
            _ => None,
        });
        phases.collect()
    }

    /// Completes a phase, whichever try it is.
    #[track_caller]
    pub fn phase_done(&mut self, phase: Phase, result: PhaseResult) {
        let attempt = self.phase_attempt(phase);
        self.take(Input::PhaseDone { phase, attempt, report: Box::new(phase_report(result)) });
    }

    /// Which try of a phase is at work.
    #[must_use]
    pub fn phase_attempt(&self, phase: Phase) -> u32 {
        let attempts = self.state.effects().filter_map(|effect| match effect {
            Effect::RunPhase { phase: current, attempt } if current == phase => Some(attempt),
            _ => None,
        });
        attempts.last().unwrap_or(1)
    }

    /// Completes validation and consolidation.
    #[track_caller]
    pub fn close(&mut self) {
        self.phase_done(Phase::Validation, PhaseResult::Verdict { unmet: Vec::new(), failed: Vec::new() });
        self.phase_done(Phase::Consolidation, PhaseResult::Plain);
    }

    /// The attempt that is under way at a task.
    #[track_caller]
    pub fn attempt(&self, task: &str) -> u32 {
        let running = self.state.effects().find_map(|effect| match effect {
            Effect::InvokeAgent { task_id, attempt, .. } | Effect::StopAgent { task_id, attempt }
                if task_id.as_str() == task =>
            {
                Some(attempt)
            }
            _ => None,
        });
        running.unwrap_or_else(|| fail_test(&format!("{task} is not running")))
    }

    /// The agent of a task under way answers.
    #[track_caller]
    pub fn report(&mut self, task: &str, mut feedback: ExecutionFeedback) -> &[EventBody] {
        feedback.task_id = fixtures::task_id(task);
        feedback.timestamp = self.now;
        let attempt = self.attempt(task);
        let task_id = feedback.task_id.clone();
        self.take(Input::AgentReported { task_id, attempt, feedback: Box::new(feedback) })
    }

    /// A task under way succeeds.
    #[track_caller]
    pub fn succeed(&mut self, task: &str) -> &[EventBody] {
        let mut feedback = fixtures::feedback(1, FeedbackType::Success, &[]);
        feedback.actual_outputs = fixtures::object(json!({ "result": task }));
        self.report(task, feedback)
    }

    /// A task under way fails.
    #[track_caller]
    pub fn fail(&mut self, task: &str, error: &str) -> &[EventBody] {
        self.report(task, fixtures::feedback(1, FeedbackType::Failure, &[error]))
    }

    /// A task under way fails in a way that may pass by itself.
    #[track_caller]
    pub fn fail_for_now(&mut self, task: &str, error: &str) -> &[EventBody] {
        let mut feedback = fixtures::feedback(1, FeedbackType::Failure, &[error]);
        feedback.failure = feedback.failure.map(|failure| failure.with_transience(Transience::Transient));
        self.report(task, feedback)
    }

    /// Every attempt that is to be stopped has stopped.
    #[track_caller]
    pub fn stop_all(&mut self) -> &[EventBody] {
        loop {
            let stopping = self.state.effects().find_map(|effect| match effect {
                Effect::StopAgent { task_id, attempt } => Some((task_id, attempt)),
                _ => None,
            });
            let Some((task_id, attempt)) = stopping else { return &self.last };
            self.take(Input::AgentStopped { task_id, attempt });
        }
    }

    /// A task that waits for an agent gets one.
    #[track_caller]
    pub fn route(&mut self, task: &str, agent: &str) -> &[EventBody] {
        let ranking = vec![RankedAgent {
            agent_type: fixtures::agent_type(agent),
            score: 0.9,
            similarity: 0.9,
            chance: None,
        }];
        self.take(Input::Routed { task_id: fixtures::task_id(task), ranking: Ok(ranking) })
    }

    /// Time passes, and the engine is given a tick.
    #[track_caller]
    pub fn wait(&mut self, seconds: f64) -> &[EventBody] {
        self.now = self.now.plus(fixtures::seconds(seconds));
        self.take(Input::Tick)
    }

    /// Time passes without a tick.
    pub fn pass(&mut self, seconds: f64) {
        self.now = self.now.plus(fixtures::seconds(seconds));
    }

    /// The only open question.
    #[track_caller]
    pub fn question(&self) -> (GateId, Question) {
        let mut open = self.state.open_questions().iter();
        match (open.next(), open.next()) {
            (Some((gate, question)), None) => (gate.clone(), question.clone()),
            _ => fail_test("expected exactly one open question"),
        }
    }

    /// A person decides on the plan.
    #[track_caller]
    pub fn decide_on_plan(&mut self, action: ApprovalAction, adjustments: Vec<candor_model::Adjustment>) {
        let (gate, _) = self.question();
        let decision = HumanApprovalDecision {
            adjustments,
            comments: "as I said".to_owned(),
            ..HumanApprovalDecision::new(fixtures::paris_plan().plan_id, action)
        };
        self.take(Input::Answered { gate, answer: Answer::Approval(decision) });
    }

    /// The only open question, which must have options.
    #[track_caller]
    #[must_use]
    pub fn choice(&self) -> (GateId, ChoiceRequest) {
        match self.question() {
            (gate, Question::Choice(request)) => (gate, request),
            (gate, _) => fail_test(&format!("{gate} has no options")),
        }
    }

    /// The ids of the options of the only open question.
    #[track_caller]
    #[must_use]
    pub fn options(&self) -> Vec<String> {
        self.choice().1.options.iter().map(|option| option.id.clone()).collect()
    }

    /// A person chooses, with these words.
    #[track_caller]
    pub fn choose(&mut self, option: &str, text: &str) {
        match self.try_choose(option, text) {
            Ok(()) => {}
            Err(refusal) => fail_test(&format!("refused: {refusal}")),
        }
    }

    /// A person chooses what may not be there to be chosen.
    #[track_caller]
    pub fn try_choose(&mut self, option: &str, text: &str) -> Result<(), Refusal> {
        let (gate, _) = self.question();
        let choice = Choice { option: option.to_owned(), text: text.to_owned(), by_default: false };
        self.try_take(Input::Answered { gate, answer: Answer::Choice(choice) })
    }

    /// A person says something to the plan that may not be taken.
    #[track_caller]
    pub fn try_say(
        &mut self,
        action: ApprovalAction,
        say: impl FnOnce(&mut HumanApprovalDecision),
    ) -> Result<(), Refusal> {
        let (gate, question) = self.question();
        let Question::Approval { request, .. } = question else { fail_test("no plan is shown") };
        let mut decision = HumanApprovalDecision::new(request.plan_id, action);
        say(&mut decision);
        self.try_take(Input::Answered { gate, answer: Answer::Approval(decision) })
    }

    /// A person says something to the plan.
    #[track_caller]
    pub fn say(&mut self, action: ApprovalAction, say: impl FnOnce(&mut HumanApprovalDecision)) {
        if let Err(refusal) = self.try_say(action, say) {
            fail_test(&format!("refused: {refusal}"));
        }
    }

    /// What is shown of the plan.
    #[track_caller]
    #[must_use]
    pub fn shown(&self) -> (PlanVersion, HumanApprovalRequest) {
        match self.question() {
            (_, Question::Approval { version, request }) => (version, request),
            (gate, _) => fail_test(&format!("{gate} shows no plan")),
        }
    }

    /// How often such an event is on the log.
    #[must_use]
    pub fn count(&self, wanted: impl Fn(&EventBody) -> bool) -> usize {
        self.log.iter().filter(|recorded| wanted(&recorded.event.body)).count()
    }

    /// A person says what to do about a task.
    #[track_caller]
    pub fn guide(&mut self, action: GuidanceAction, agent: Option<&str>) {
        let (gate, _) = self.question();
        let guidance = Guidance {
            action,
            agent_type: agent.map(fixtures::agent_type),
            inputs: JsonMap::new(),
            comments: "as I said".to_owned(),
        };
        self.take(Input::Answered { gate, answer: Answer::Guidance(guidance) });
    }

    /// The tasks that agents are at work on, in the plan's order.
    #[must_use]
    pub fn running(&self) -> Vec<String> {
        let running = self.state.effects().filter_map(|effect| match effect {
            Effect::InvokeAgent { task_id, .. } => Some(task_id.to_string()),
            _ => None,
        });
        running.collect()
    }

    /// The tasks that the last input started, in order.
    #[must_use]
    pub fn started(&self) -> Vec<String> {
        let started = self.last.iter().filter_map(|body| match body {
            EventBody::TaskDispatched { task_id, .. } => Some(task_id.to_string()),
            _ => None,
        });
        started.collect()
    }

    /// What people were told by the last input.
    #[must_use]
    pub fn told(&self) -> Vec<&Notification> {
        let told = self.last.iter().filter_map(|body| match body {
            EventBody::Notified { notification } => Some(notification.as_ref()),
            _ => None,
        });
        told.collect()
    }

    /// All events so far.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.log.iter().map(|recorded| recorded.event.clone()).collect()
    }

    /// The plan as it stands.
    #[track_caller]
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.state.plan().unwrap_or_else(|| fail_test("there is no plan"))
    }

    /// The ids of the plan's tasks, in order.
    #[track_caller]
    #[must_use]
    pub fn task_ids(&self) -> Vec<String> {
        self.plan().subtasks.iter().map(|task| task.task_id.to_string()).collect()
    }
}

/// What a phase reports that has little to say beside its result.
#[must_use]
pub fn phase_report(result: PhaseResult) -> PhaseReport {
    let handoff = Handoff::new(SpokenBy::Heuristic, "done".to_owned(), JsonMap::new());
    PhaseReport::new(handoff, result)
}
