//! `revise_task`: another approach to a task that failed, from what is known of the failure.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    AgentCapability, Ask, ExecutionFeedback, Plan, RevisionProposal, SubTask, TaskStatus, Tier, Timestamp,
};
use candor_planning::recovery;
use candor_planning::replan::{Agents, ReplanContext};
use candor_planning::routing;
use serde_json::Value;

use super::task_lines;
use crate::PhaseContext;

/// How much of a failure's detail, and of a task's inputs, a model is told.
const DETAIL_CHARS: usize = 2_000;

/// Asks for another approach to a task that failed; `note` is what a person said about it.
pub(crate) fn revise_task(
    cx: &PhaseContext<'_>,
    plan: &Plan,
    feedback: &ExecutionFeedback,
    note: Option<&str>,
) -> Ask {
    let mut ask = Ask::expecting::<RevisionProposal>("revise_task", Tier::Balanced);
    let task = plan.task(&feedback.task_id);
    ask.slots.insert("goal", cx.goal.map_or_else(String::new, |goal| goal.description.to_string()));
    ask.slots.insert("task", task.map(told_task).unwrap_or_default());
    ask.slots.insert("failure", told_failure(feedback));
    ask.slots.insert("tried", task.map(tried).unwrap_or_default());
    let open: Vec<SubTask> =
        plan.subtasks.iter().filter(|task| task.status == TaskStatus::Pending).cloned().collect();
    ask.slots.insert("open_tasks", task_lines(&open));
    let routable = cx.agents.iter().filter(|agent| !routing::is_last_resort(&agent.agent_type));
    let agents = routable.take(50).map(routing::agent_line);
    ask.slots.insert("agents", agents.collect::<Vec<_>>().join("\n"));
    if let Some(note) = note {
        ask.slots.insert("note", note.to_owned());
    }
    ask.max_output_tokens = 1_000;
    let fits = Arc::clone(&ask.check);
    let applies = applies(cx, plan.clone(), feedback.clone());
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        if let Ok(proposal) = serde_json::from_value::<RevisionProposal>(value.clone()) {
            // That nothing helps is an answer too.
            let says_so = proposal.nothing_helps.as_deref().is_some_and(|reason| !reason.trim().is_empty());
            problems.extend(applies(&proposal).filter(|_| !says_so));
        }
        problems
    });
    ask
}

/// Says what stands against a proposal, by the same rules by which the engine takes it.
fn applies(
    cx: &PhaseContext<'_>,
    plan: Plan,
    feedback: ExecutionFeedback,
) -> impl Fn(&RevisionProposal) -> Option<String> + Send + Sync + 'static {
    let known: BTreeMap<_, AgentCapability> =
        cx.agents.iter().map(|agent| (agent.agent_type.clone(), agent.clone())).collect();
    let (settings, goal, now, open) =
        (cx.settings.clone(), cx.goal.cloned(), cx.now, BTreeMap::<_, Option<Timestamp>>::new());
    move |proposal| {
        let agents = Some(Agents { known: &known, open: &open });
        let (goal, settings) = (goal.as_ref(), &settings);
        let context = ReplanContext { goal, settings, now, agents, reports: &[], by_person: false };
        recovery::proposal::apply(&plan, &feedback, proposal, &context).err()
    }
}

fn told_task(task: &SubTask) -> String {
    let inputs = serde_json::to_string(&task.inputs).unwrap_or_default();
    format!(
        "{}: {}\nby {}, with the inputs {}\nexpected: {}",
        task.task_id,
        task.description,
        task.agent_type,
        shortened(&inputs),
        task.expected_outputs.join(", ")
    )
}

fn told_failure(feedback: &ExecutionFeedback) -> String {
    let Some(failure) = &feedback.failure else { return feedback.errors.join("\n") };
    let kind = failure.reported_kind.as_deref().unwrap_or(failure.kind.as_str());
    let detail =
        failure.detail.as_deref().map(|detail| format!("\n{}", shortened(detail))).unwrap_or_default();
    format!("{kind} ({}): {}{detail}", failure.transience, failure.message)
}

/// The last part of a long text: that is where the cause stands.
fn shortened(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(DETAIL_CHARS);
    text.chars().skip(skipped).collect()
}

fn tried(task: &SubTask) -> String {
    let agents: Vec<&str> = task.metadata.failed_agents.iter().map(|agent| agent.as_str()).collect();
    format!("by {}\n{}", agents.join(", "), task.metadata.errors_history.join("\n"))
}
