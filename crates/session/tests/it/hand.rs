//! A driver that a test moves by hand, with a log that others can write to.

use std::sync::Arc;

use candor_engine::{Input, Refusal};
use candor_model::{
    AgentAnswer, Answer, ApprovalAction, Ask, AskPolicy, AskStep, Consulted, Effect, EventBody,
    HumanApprovalDecision, JsonMap, Money, Next, NextCall, Phase, Question, Recorded, RunId, RunSettings,
    Seconds, StartMaterial, TaskId, Timestamp,
};
use candor_phases::Phases;
use candor_session::{
    Append, AttemptEnd, AttemptKey, Ended, Learned, MemoryCircuits, Outcome, RequestId, Session, SessionDeps,
    SessionInput, Ticket,
};
use candor_testkit::{consulting, fixtures};

/// A model that is always called, for a cent of a cent.
struct OneModel;

impl AskPolicy for OneModel {
    fn next(&self, ask: &Ask, _: &[Consulted], _: Money) -> Next {
        let (model, at_most) = ("acme/medium".to_owned(), Money::from_micros(100));
        Next::Call(NextCall { tier: ask.tier, model, at_most, max_output_tokens: 10, after: Seconds::ZERO })
    }

    fn step_down(&self, _: &Ask, _: &[Consulted], reason: &str) -> AskStep {
        consulting::give_up(reason)
    }
}

pub(crate) fn deps() -> SessionDeps {
    SessionDeps {
        phases: Arc::new(Phases::new(Vec::new(), 0)),
        models: Some(Arc::new(OneModel)),
        vectors: None,
        circuits: Arc::new(MemoryCircuits::default()),
        inspects: false,
        declared: [fixtures::agent_type("worker")].into(),
        last_phase: None,
    }
}

/// A session, its log, and the time.
pub(crate) struct Hand {
    pub(crate) session: Session,
    pub(crate) log: Vec<Recorded>,
    pub(crate) now: Timestamp,
}

impl Hand {
    /// A run with so many tasks that do not depend on each other; nothing is appended yet.
    pub(crate) fn started(tasks: usize, deps: SessionDeps) -> Self {
        let agents = [fixtures::full_registry().remove(0)].map(|agent| candor_model::AgentCapability {
            agent_type: fixtures::agent_type("worker"),
            ..agent
        });
        let learned = Learned { agents: agents.into(), ..Learned::default() };
        let session = Session::new(RunId::new("run_hand").unwrap(), deps, learned);
        let mut hand = Self { session, log: Vec::new(), now: fixtures::time(fixtures::NOON) };
        let tasks = (1..=tasks).map(|n| fixtures::simple_task(n, "Do something", &[], "worker"));
        let plan = Some(Arc::new(fixtures::plan_of(tasks.collect(), 0.9)));
        // What is to be done is clear: the phases ask no model.
        let settings = Box::new(RunSettings { direct: true, ..RunSettings::default() });
        let material = Some(Box::new(StartMaterial { plan, ..StartMaterial::default() }));
        let start = Input::Start { request: "Do it all".to_owned(), settings, material, origin: None };
        hand.command(start).unwrap();
        hand
    }

    /// A run whose tasks are given out.
    pub(crate) fn at_work(tasks: usize) -> Self {
        let mut hand = Self::started(tasks, deps());
        hand.commit();
        while let Some((gate, Question::Approval { request, .. })) = hand.session.snapshot().questions.pop() {
            let decision = HumanApprovalDecision::new(request.plan_id.clone(), ApprovalAction::Approve);
            hand.command(Input::Answered { gate, answer: Answer::Approval(decision) }).unwrap();
            hand.commit();
        }
        while hand.session.poll_reply().is_some() {}
        hand
    }

    pub(crate) fn command(&mut self, input: Input) -> Result<Ticket, Refusal> {
        self.session.handle(SessionInput::Command(input), self.now)
    }

    pub(crate) fn append(&mut self) -> Append {
        self.session.append(self.now).expect("there is something to append")
    }

    /// Appends what was decided; how many events it were.
    pub(crate) fn commit(&mut self) -> usize {
        let Some(append) = self.session.append(self.now) else { return 0 };
        assert_eq!(append.from.0, self.log.len() as u64, "nobody else wrote");
        let recorded = self.session.committed(append);
        let count = recorded.len();
        self.log.extend(recorded);
        count
    }

    /// Another process gives the run a command.
    pub(crate) fn elsewhere(&mut self, input: Input) {
        let run_id = self.session.state().run_id().clone();
        let mut other = Session::open(run_id, deps(), Learned::default(), &self.log).unwrap();
        other.handle(SessionInput::Command(input), self.now).unwrap();
        let append = other.append(self.now).unwrap();
        self.log.extend(other.committed(append));
    }

    pub(crate) fn effects(&mut self) -> Vec<Effect> {
        std::iter::from_fn(|| self.session.poll_effect()).collect()
    }

    pub(crate) fn cancelled(&mut self) -> Vec<RequestId> {
        std::iter::from_fn(|| self.session.poll_cancelled()).collect()
    }

    pub(crate) fn ends(&mut self, task: usize, end: AttemptEnd) {
        let (agent, price) = (Some(fixtures::agent_type("worker")), Money::ZERO);
        let ended = Ended { key: attempt(task), agent, end, duration: Seconds::whole(1), price };
        let outcome = Outcome::Attempt(Box::new(ended));
        self.session.handle(SessionInput::Outcome(outcome), self.now).unwrap();
    }

    pub(crate) fn has(&self, fits: impl Fn(&EventBody) -> bool) -> bool {
        self.log.iter().any(|recorded| fits(&recorded.event.body))
    }
}

pub(crate) fn attempt(task: usize) -> AttemptKey {
    AttemptKey { task_id: TaskId::numbered(task), attempt: 1 }
}

pub(crate) fn success() -> AttemptEnd {
    AttemptEnd::Answered(Box::new(AgentAnswer::success(JsonMap::new())))
}

pub(crate) fn tasks_given_out(effects: &[Effect]) -> usize {
    effects.iter().filter(|effect| matches!(effect, Effect::InvokeAgent { .. })).count()
}

/// A dry run, up to a phase.
pub(crate) fn dry(last: Phase) -> SessionDeps {
    SessionDeps { last_phase: Some(last), ..deps() }
}
