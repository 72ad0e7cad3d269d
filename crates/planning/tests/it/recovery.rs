//! What is done about a failure: which way of the table is taken when.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    AgentCapability, AgentType, ExecutionFeedback, Failure, FailureKind, Plan, PlanningError, ReplanStrategy,
    RetryPolicy, RunId, RunSettings, Seconds, Timestamp, Transience,
};
use candor_planning::recovery::{Situation, Step, Way, next_step, ways};
use candor_planning::replan::{Agents, ReplanContext};
use candor_testkit::fixtures::{self, agent_type, seconds, task_id};

/// A failure of the Paris plan's first task, with what its answer depends on.
struct Case {
    plan: Plan,
    failure: Failure,
    settings: RunSettings,
    known: BTreeMap<AgentType, AgentCapability>,
    open: BTreeMap<AgentType, Option<Timestamp>>,
    used: u32,
    attempt: u32,
    model: bool,
    reports: Vec<Arc<ExecutionFeedback>>,
}

impl Case {
    fn of(failure: Failure) -> Self {
        let registry = fixtures::full_registry();
        Self {
            plan: fixtures::paris_plan(),
            failure,
            settings: RunSettings::default(),
            known: registry.into_iter().map(|agent| (agent.agent_type.clone(), agent)).collect(),
            open: BTreeMap::new(),
            used: 0,
            attempt: 1,
            model: false,
            reports: Vec::new(),
        }
    }

    fn kind(kind: FailureKind, transience: Transience) -> Self {
        Self::of(Failure::new(kind, "it did not work").with_transience(transience))
    }

    fn step(&self) -> Step {
        let mut plan = self.plan.clone();
        let task = &mut plan.subtasks[0];
        task.metadata.failure_count += 1;
        task.metadata.failed_agents.push(task.agent_type.clone());
        let task = task.clone();
        let at = fixtures::time(fixtures::NOON);
        let feedback =
            ExecutionFeedback::failed(task.task_id.clone(), self.failure.clone(), Seconds::whole(1), at);
        let agents = Some(Agents { known: &self.known, open: &self.open });
        next_step(&Situation {
            run_id: &RunId::new("run_1").unwrap(),
            attempt: self.attempt,
            task: &task,
            feedback: &feedback,
            plan: &|| Some(plan.clone()),
            context: ReplanContext {
                goal: None,
                settings: &self.settings,
                now: at,
                agents,
                by_person: false,
                reports: &self.reports,
            },
            retries_used: self.used,
            loop_detected: false,
            model: self.model,
        })
    }

    /// The waits before the repetitions, as long as there are any.
    fn waits(&mut self) -> Vec<f64> {
        let mut waits = Vec::new();
        while let Step::Retry { after } = self.step() {
            waits.push(after.get());
            self.used += 1;
            self.attempt += 1;
        }
        waits
    }

    fn retries(mut self) -> usize {
        self.waits().len()
    }

    fn way(&self) -> Option<Way> {
        match self.step() {
            Step::Revise { way, .. } => Some(way),
            _ => None,
        }
    }
}

#[test]
fn what_may_pass_is_tried_twice_more_after_one_and_four_seconds_with_jitter() {
    // spec: findings RC-04
    let waits = Case::kind(FailureKind::Unavailable, Transience::Transient).waits();
    assert_eq!(waits.len(), 2);
    assert!((1.0..=1.25).contains(&waits[0]) && (4.0..=5.0).contains(&waits[1]), "{waits:?}");
    let again = Case::kind(FailureKind::Unavailable, Transience::Transient).waits();
    assert_eq!(waits, again, "the same attempt waits the same time");
    let mut other = Case::kind(FailureKind::Unavailable, Transience::Transient);
    other.plan.subtasks[0].task_id = task_id("task_009");
    assert_ne!(other.waits()[0], waits[0], "tasks that failed together do not come back together");
}

#[test]
fn an_unknown_failure_is_tried_once_more_and_a_permanent_one_never() {
    let retries = |transience| Case::kind(FailureKind::Crashed, transience).retries();
    assert_eq!((retries(Transience::Unknown), retries(Transience::Permanent)), (1, 0));
}

#[test]
fn a_run_that_began_without_a_default_repeats_nothing() {
    let mut case = Case::kind(FailureKind::Unavailable, Transience::Transient);
    case.settings.retry = None;
    assert_eq!(case.retries(), 0);
}

#[test]
fn the_most_specific_policy_holds() {
    let policy = |max_retries| Some(RetryPolicy { max_retries, backoff_seconds: seconds(0.5) });
    let mut case = Case::kind(FailureKind::Timeout, Transience::Transient);
    case.known.get_mut(&agent_type("flight_agent")).unwrap().retry = policy(4);
    assert_eq!(case.retries(), 4);
    let mut case = Case::kind(FailureKind::Crashed, Transience::Unknown);
    case.known.get_mut(&agent_type("flight_agent")).unwrap().retry = policy(4);
    case.plan.subtasks[0].retry_policy = policy(3);
    let waits = case.waits();
    assert_eq!(waits.len(), 3, "who sets a policy means exit codes that say nothing, too");
    assert!((0.5..=0.625).contains(&waits[0]), "{waits:?}");
    let mut case = Case::kind(FailureKind::TaskError, Transience::Permanent);
    case.plan.subtasks[0].retry_policy = policy(3);
    assert_eq!(case.retries(), 0, "no policy makes a permanent failure pass");
}

#[test]
fn an_agent_that_asks_for_time_gets_it_within_reason() {
    let wait = |after| {
        let failure = Failure::new(FailureKind::RateLimited, "slow down").with_retry_after(Some(after));
        Case::of(failure).waits().first().copied()
    };
    assert!(wait(seconds(30.0)).is_some_and(|wait| (30.0..=37.5).contains(&wait)));
    assert!(wait(seconds(0.1)).is_some_and(|wait| wait >= 1.0), "and never less than the policy says");
    assert_eq!(wait(seconds(3600.0)), None);
    let failure = Failure::new(FailureKind::RateLimited, "slow down").with_retry_after(Some(seconds(3600.0)));
    let mut case = Case::of(failure);
    case.plan.subtasks[0].metadata.ranking.clear();
    let Step::AskPerson { why } = case.step() else { panic!("{:?}", case.step()) };
    assert!(why.contains("3600") && why.contains("120 s"), "{why}");
}

#[test]
fn an_agent_whose_circuit_is_open_is_waited_for_once() {
    // spec: findings RC-13
    let mut case = Case::kind(FailureKind::Unavailable, Transience::Transient);
    case.open.insert(agent_type("flight_agent"), None);
    case.plan.subtasks[0].metadata.ranking.clear();
    assert_eq!(case.retries(), 1);
}

#[test]
fn a_task_goes_to_somebody_else_or_to_nobody() {
    // spec: findings RC-03
    for kind in [FailureKind::Timeout, FailureKind::Crashed, FailureKind::TaskError, FailureKind::Denied] {
        let mut case = Case::kind(kind, Transience::Permanent);
        let Step::Revise { way: Way::OtherAgent, replanned } = case.step() else { panic!("{kind}") };
        assert_eq!(replanned.plan.subtasks[0].agent_type, agent_type("backup_flight_agent"));
        case.open.insert(agent_type("backup_flight_agent"), None);
        assert!(matches!(case.step(), Step::AskPerson { .. }), "{kind}: nobody gets it back");
    }
}

#[test]
fn an_input_that_another_task_has_is_handed_on() {
    let mut failure = Failure::new(FailureKind::TaskError, "no region given");
    failure.missing = Some(Box::new(candor_model::MissingInputs(vec!["region".to_owned()])));
    let mut case = Case::of(failure);
    assert_eq!(case.way(), Some(Way::OtherAgent), "nobody has it");
    let mut report = fixtures::feedback(3, candor_model::FeedbackType::Success, &[]);
    report.actual_outputs = fixtures::object(serde_json::json!({ "region": "north" }));
    case.reports.push(Arc::new(report));
    assert_eq!(case.way(), Some(Way::OtherAgent), "a result that no longer holds is not handed on");
    case.plan.subtasks[2].status = candor_model::TaskStatus::Completed;
    let Step::Revise { way: Way::MissingInput, replanned } = case.step() else { panic!("{:?}", case.step()) };
    let task = &replanned.plan.subtasks[0];
    assert_eq!((task.task_id.as_str(), &task.inputs["region"]), ("task_001_workaround", &"north".into()));
    assert_eq!(task.dependencies, [task_id("task_003")]);
    assert_eq!(task.agent_type, agent_type("flight_agent"), "with what it lacked the same agent can do it");
}

#[test]
fn another_agent_does_not_find_another_total() {
    let case = Case::kind(FailureKind::ConstraintViolated, Transience::Permanent);
    assert_ne!(case.way(), Some(Way::OtherAgent));
}

#[test]
fn a_model_is_asked_once_nobody_else_fits() {
    let mut case = Case::kind(FailureKind::TaskError, Transience::Permanent);
    case.model = true;
    assert_eq!(case.way(), Some(Way::OtherAgent));
    case.plan.subtasks[0].metadata.ranking.clear();
    assert_eq!(case.step(), Step::AskModel);
    case.plan.metadata.revision_count = 3;
    assert!(matches!(case.step(), Step::AskPerson { .. }), "a model's revision counts like any other");
}

#[test]
fn where_nobody_is_there_the_task_is_given_up_with_the_reason() {
    let mut case = Case::kind(FailureKind::TaskError, Transience::Permanent);
    case.settings.unattended = true;
    case.plan.subtasks[0].metadata.ranking.clear();
    let Step::End(error) = case.step() else { panic!("{:?}", case.step()) };
    assert_eq!(
        error.to_string(),
        "Task task_001 failed and nothing is left to try: it did not work",
        "the reason is this failure's"
    );
    case.plan.metadata.revision_count = 3;
    let Step::End(error) = case.step() else { panic!("{:?}", case.step()) };
    assert!(matches!(*error, PlanningError::MaxRevisions { limit: 3, .. }), "{error}");
}

#[test]
fn every_class_has_a_row_that_ends() {
    for class in ReplanStrategy::ALL.iter().copied() {
        let row = ways(class);
        assert_eq!(row.last(), Some(&Way::End), "{class}");
        let mut seen = Vec::new();
        for way in row {
            assert!(!seen.contains(way), "{class}: {way:?} is there twice");
            seen.push(*way);
        }
        assert!(class == ReplanStrategy::Unknown || row.first() == Some(&Way::Retry), "{class}");
    }
}
