//! Stories whose logs are golden: kept permanently, and read by every later version.
//!
//! Each story was lived through once by the version that introduced it, and its log committed. Later
//! versions replay those logs; they never write them again. New stories get new files.

mod desks;
mod phases;

use candor_engine::{Input, PhaseResult, RunState};
use candor_model::{
    Account, Adjustment, AgentType, ApprovalAction, ConflictResolution, CritiqueVerdict, Event, EventBody,
    FallbackKind, FeedbackType, GuidanceAction, ModelErrorKind, Money, Payee, Phase, Position, ProposedTask,
    Recorded, RevisionProposal, RunSettings, Seconds, Severity,
};
use serde_json::json;

use crate::consulting;
use crate::fixtures::{self, paris_plan, plan_of, task_id};
use crate::scenario::Scenario;

/// A story's name, and how it is told.
pub type Story = (&'static str, fn() -> Vec<Event>);

/// Every story by its name.
pub const STORIES: [Story; 26] = [
    ("paris", paris),
    ("backup_agent", backup_agent),
    ("over_budget", over_budget),
    ("escalated_and_skipped", escalated_and_skipped),
    ("adjusted_then_cancelled", adjusted_then_cancelled),
    ("rolled_back_and_aborted", rolled_back_and_aborted),
    ("asked_again_and_rejected", asked_again_and_rejected),
    ("out_of_money", out_of_money),
    ("criteria_unmet", criteria_unmet),
    ("rest_of_the_vocabulary", rest_of_the_vocabulary),
    ("taken_up_after_a_crash", taken_up_after_a_crash),
    ("asked_models", asked_models),
    ("left_in_peace", left_in_peace),
    ("reworded", phases::reworded),
    ("plan_talked_about", phases::plan_talked_about),
    ("done_again", phases::done_again),
    ("agents_talk", phases::agents_talk),
    ("doubts_unattended", phases::doubts_unattended),
    ("round_in_circles", phases::round_in_circles),
    ("forked", phases::forked),
    ("at_their_desks", desks::at_their_desks),
    ("chain_of_work", desks::chain_of_work),
    ("assistant_session", desks::assistant_session),
    ("given_up_and_resumed", given_up_and_resumed),
    ("waited_for_a_circuit", left_in_peace),
    ("revised_by_a_model", revised_by_a_model),
];

/// The log of a story, as a run would have it.
///
/// # Panics
/// If there is no such story.
#[must_use]
pub fn story(name: &str) -> Vec<Recorded> {
    let known = STORIES.iter().find(|(story, _)| *story == name);
    recorded(known.map(|(_, tell)| tell()).unwrap_or_else(|| no_such(name)))
}

#[expect(clippy::panic, reason = "a test that names no story is a failed test")]
fn no_such(name: &str) -> ! {
    panic!("there is no story {name}")
}

/// Events in their places on a log.
#[must_use]
pub fn recorded(events: Vec<Event>) -> Vec<Recorded> {
    let places = (1..).map(Position);
    places.zip(events).map(|(position, event)| Recorded { position, event }).collect()
}

/// What a state must still say when its log is replayed by a later version.
#[must_use]
pub fn essence(state: &RunState) -> serde_json::Value {
    let plan = state.plan();
    let tasks = plan.iter().flat_map(|plan| &plan.subtasks);
    let tasks: Vec<_> =
        tasks.map(|task| json!([task.task_id, task.status, task.agent_type, task.dependencies])).collect();
    json!({
        "position": state.position(),
        "status": state.status(),
        "confidence": state.confidence(),
        "spent": state.spent(),
        "tasks": tasks,
        "open_questions": state.open_questions().keys().collect::<Vec<_>>(),
        "checkpoints": state.checkpoints().iter().map(|point| &point.label).collect::<Vec<_>>(),
        "feedback": state.feedback().len(),
    })
}

fn finish(mut run: Scenario, tasks: &[&str]) -> Vec<Event> {
    for task in tasks {
        run.pass(1.0);
        run.succeed(task);
    }
    run.close();
    run.events()
}

fn paris() -> Vec<Event> {
    finish(Scenario::paris(), &["task_001", "task_003", "task_002", "task_004"])
}

fn backup_agent() -> Vec<Event> {
    let mut run = Scenario::paris();
    run.fail("task_001", "Agent timeout after 10s");
    finish(run, &["task_001_retry", "task_003", "task_002", "task_004"])
}

fn taken_up_after_a_crash() -> Vec<Event> {
    let mut run = Scenario::paris();
    run.succeed("task_003");
    run.pass(3600.0);
    run.take(Input::TakenUp);
    finish(run, &["task_001", "task_002", "task_004"])
}

fn asked_models() -> Vec<Event> {
    let mut run = Scenario::start(RunSettings::default());
    let key = consulting::ask(Phase::Evaluation, "parse_goal");
    run.take(consulting::consulting(&key, 4_000));
    run.take(Input::TakenUp);
    run.take(consulting::consulting(&key, 4_000));
    let down = consulting::fall_back("timeout: no answer in 30 s");
    run.take(consulting::consulted(&key, 2, Some(consulting::failed(ModelErrorKind::Timeout)), down));
    let model = "acme/medium".to_owned();
    run.take(Input::ModelBreaker { model: model.clone(), opened: Some("no answer in 30 s".to_owned()) });
    run.take(consulting::consulting(&key, 4_000));
    let answer = consulting::answered("```json\n{\"destination\": \"Paris\"}\n```", 2_000);
    run.take(consulting::consulted(&key, 3, Some(answer), consulting::accepted()));
    run.take(Input::ModelBreaker { model, opened: None });
    run.phase_done(Phase::PreAnalysis, PhaseResult::Plain);
    run.phase_done(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()));
    run.phase_done(Phase::Context, PhaseResult::Plain);
    let key = consulting::ask(Phase::Decomposition, "decompose_task");
    run.take(consulting::consulted(&key, 1, None, consulting::give_up("no tier answers")));
    run.phase_done(Phase::Decomposition, PhaseResult::Plain);
    run.propose(paris_plan());
    finish(run, &["task_001", "task_003", "task_002", "task_004"])
}

fn left_in_peace() -> Vec<Event> {
    let mut run = Scenario::start(RunSettings::default());
    run.prepare();
    let agent_type = fixtures::agent_type("flight_agent");
    let until = run.now.plus(Seconds::whole(30));
    let opened = Some(("three failures".to_owned(), until));
    run.take(Input::Breaker { agent_type: agent_type.clone(), opened });
    let task = |n| fixtures::simple_task(n, &format!("Search flights {n}"), &[], "flight_agent");
    run.propose(plan_of(vec![task(1), task(2)], 0.9));
    run.wait(30.0);
    run.succeed("task_001");
    run.take(Input::Breaker { agent_type, opened: None });
    finish(run, &["task_002"])
}

fn over_budget() -> Vec<Event> {
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002"] {
        run.succeed(task);
    }
    run.report("task_004", fixtures::over_budget_feedback());
    finish(run, &["task_001", "task_002", "task_004"])
}

fn escalated_and_skipped() -> Vec<Event> {
    let settings = RunSettings { escalate_after_failures: 1, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    run.fail("task_001", "Error 1");
    run.guide(GuidanceAction::Retry, Some("backup_flight_agent"));
    run.fail("task_001", "Error 2");
    run.guide(GuidanceAction::Skip, None);
    finish(run, &["task_002", "task_003", "task_004"])
}

fn adjusted_then_cancelled() -> Vec<Event> {
    let mut run = Scenario::of(plan_of(paris_plan().subtasks, 0.45), RunSettings::default());
    let adjustment = |task: &str, field: &str, new_value| Adjustment {
        task_id: task_id(task),
        field: field.to_owned(),
        new_value,
    };
    let changes = vec![
        adjustment("task_003", "priority", json!(10)),
        adjustment("task_002", "inputs.max_price_per_night", json!(150)),
    ];
    run.decide_on_plan(ApprovalAction::Adjust, changes);
    run.take(Input::Pause { reason: "lunch".to_owned() });
    run.succeed("task_001");
    run.take(Input::Resume);
    run.take(Input::Cancel { reason: "changed my mind".to_owned() });
    run.stop_all();
    run.events()
}

fn rolled_back_and_aborted() -> Vec<Event> {
    let settings = RunSettings { max_revisions: 1, unattended: true, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    run.take(Input::Spent {
        account: Account::Planning,
        payee: Payee::Other("a model's call".to_owned()),
        amount: Money::from_micros(1_800),
    });
    run.succeed("task_001");
    run.report("task_002", fixtures::fully_booked_feedback());
    let approved =
        run.state.checkpoints().iter().find(|point| point.label.contains("approved")).map(|point| point.id);
    run.take(Input::RollBack {
        to: approved.unwrap_or_default(),
        run_budget: Some(Money::from_micros(5_000_000)),
    });
    run.stop_all();
    run.fail("task_001", "Agent timeout after 10s");
    run.fail("task_003", "Agent timeout after 10s");
    run.succeed("task_001_retry");
    run.succeed("task_002");
    run.events()
}

/// Nothing is left to try for a task: the rest is done, the run ends, and is resumed once the cause is gone.
fn given_up_and_resumed() -> Vec<Event> {
    let mut run = Scenario::of(paris_plan(), RunSettings { unattended: true, ..RunSettings::default() });
    run.fail_for_now("task_003", "no route to host");
    run.wait(2.0);
    run.fail("task_003", "the disk is full");
    run.succeed("task_001");
    run.succeed("task_002");
    run.take(Input::Resume);
    finish(run, &["task_003", "task_004"])
}

/// A model has nothing to propose, then something; a person wants another approach to a task at work.
fn revised_by_a_model() -> Vec<Event> {
    let settings = RunSettings { unattended: true, revise_with_model: true, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    run.fail("task_003", "the disk is full");
    let failed = task_id("task_003");
    let task = ProposedTask { description: "List six activities".to_owned(), ..ProposedTask::default() };
    let proposal = RevisionProposal {
        why: "a shorter list fits".to_owned(),
        tasks: vec![ProposedTask { agent: Some("activity_agent".to_owned()), ..task }],
        ..RevisionProposal::default()
    };
    run.take(Input::Revised { task_id: failed, number: 1, proposal: Ok(Box::new(proposal)) });
    let (again, note) = (task_id("task_003_workaround"), Some("ask the museum".to_owned()));
    run.take(Input::Replan { task_id: again.clone(), step: None, note });
    run.take(Input::AgentStopped { task_id: again.clone(), attempt: 1 });
    run.take(Input::Revised { task_id: again, number: 2, proposal: Err("no model could answer".to_owned()) });
    run.succeed("task_001");
    run.succeed("task_002");
    run.events()
}

fn asked_again_and_rejected() -> Vec<Event> {
    let mut run = Scenario::of(plan_of(paris_plan().subtasks, 0.55), RunSettings::default());
    run.fail("task_001", "Agent timeout after 10s");
    run.succeed("task_003");
    run.decide_on_plan(ApprovalAction::Reject, Vec::new());
    run.events()
}

fn out_of_money() -> Vec<Event> {
    let settings = RunSettings { run_budget: Some(Money::from_micros(21_000)), ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    let mut answer = fixtures::feedback(1, FeedbackType::Success, &[]);
    answer.cost = Money::from_micros(20_000);
    run.report("task_001", answer);
    run.events()
}

fn criteria_unmet() -> Vec<Event> {
    let mut run = Scenario::paris();
    for task in ["task_001", "task_003", "task_002", "task_004"] {
        run.succeed(task);
    }
    let unmet = vec!["At least 5 activities planned".to_owned()];
    run.phase_done(Phase::Validation, PhaseResult::Verdict { unmet, failed: Vec::new() });
    run.phase_done(Phase::Consolidation, PhaseResult::Plain);
    run.events()
}

/// What no engine says yet, but every reader must know.
fn rest_of_the_vocabulary() -> Vec<Event> {
    let run = Scenario::start(RunSettings::default());
    let agent_type = AgentType::tbd();
    let text = |text: &str| text.to_owned();
    let bodies = vec![
        EventBody::GuardrailTripped {
            rule: text("no_secrets"),
            severity: Severity::Warning,
            reason: text("a key in the request"),
        },
        EventBody::PromptScored { score: 64, issues: vec![text("no dates")], evaluation: None },
        EventBody::PhaseDegraded { phase: Phase::Context, reason: text("no memory") },
        EventBody::Degraded { level: 2, reason: text("no model") },
        EventBody::BreakerOpened {
            agent_type: agent_type.clone(),
            reason: text("five failures"),
            until: None,
        },
        EventBody::BreakerClosed { agent_type },
        EventBody::FellBack {
            what: text("goal"),
            from: text("model"),
            to: text("heuristic"),
            reason: text("no model"),
            kind: Some(FallbackKind::Model),
        },
        EventBody::Critiqued {
            phase: Phase::Planning,
            verdict: CritiqueVerdict::Refine,
            notes: vec![text("one alternative only")],
            checks: None,
        },
        EventBody::ConflictResolved(Box::new(ConflictResolution {
            between: vec![text("a"), text("b")],
            resolution: text("a holds"),
            conflict: None,
        })),
        EventBody::PhaseFailed { phase: Phase::Context, reason: text("no memory") },
    ];
    let mut events = run.events();
    events.extend(bodies.into_iter().map(|body| Event::new(run.now, body)));
    events
}
