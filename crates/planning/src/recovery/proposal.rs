//! A model's revision: checked against the plan like any other change, and refused if it repeats what failed.

use candor_model::{
    AgentType, ExecutionFeedback, JsonMap, Plan, ProposedChange, ProposedTask, ReplanStrategy,
    RevisionProposal, SubTask, TaskStatus, Text, Tried,
};
use serde_json::Value;

use crate::loop_guard;
use crate::replan::lineage::{self, WORKAROUND};
use crate::replan::{Answer, Draft, Failure, ReplanContext, ReplanRefusal, Replanned, replan_by};

/// The plan as a model wants it after this failure; the error says what is wrong with the proposal.
pub fn apply(
    plan: &Plan,
    feedback: &ExecutionFeedback,
    proposal: &RevisionProposal,
    context: &ReplanContext<'_>,
) -> Result<Replanned, String> {
    if let Some(reason) = proposal.nothing_helps.as_deref().map(str::trim).filter(|reason| !reason.is_empty())
    {
        return Err(format!("nothing helps: {reason}"));
    }
    let failed = plan.task(&feedback.task_id).ok_or("the task is not in the plan any more")?;
    let answer = answer(plan, failed, proposal, context)?;
    let make = |draft: &mut Draft<'_>, failure: &Failure<'_>| Some(answer.make(draft, failure));
    let replanned = replan_by(plan, std::slice::from_ref(feedback), context, make);
    replanned.map_err(|refusal: ReplanRefusal| refusal.to_string())
}

/// A proposal whose every part was found to fit the plan.
struct Checked<'a> {
    strategy: ReplanStrategy,
    /// The new tasks, without ids; empty if the task only waits for others to change.
    tasks: Vec<(SubTask, &'a [usize])>,
    modified: Vec<SubTask>,
}

fn answer<'a>(
    plan: &Plan,
    failed: &SubTask,
    proposal: &'a RevisionProposal,
    context: &ReplanContext<'_>,
) -> Result<Checked<'a>, String> {
    if proposal.tasks.is_empty() {
        return Err("tasks: say what takes the place of the failed task".to_owned());
    }
    let single = proposal.tasks.len() == 1;
    let mut tasks = Vec::new();
    for (n, proposed) in proposal.tasks.iter().enumerate() {
        let wrong = |problem: String| format!("tasks[{n}]: {problem}");
        let task = new_task(failed, proposed, single, context).map_err(wrong)?;
        if let Some(place) = proposed.after.iter().find(|place| **place >= n) {
            return Err(wrong(format!("after: {place} is no earlier new task")));
        }
        if repeats(failed, &task) {
            let agent = &task.agent_type;
            return Err(wrong(format!(
                "{agent} has failed at exactly this; change the agent, the inputs or the way"
            )));
        }
        let same = |(other, _): &(SubTask, &[usize])| {
            other.description == task.description && other.inputs == task.inputs
        };
        if tasks.iter().any(same) {
            return Err(wrong("is the same as an earlier one".to_owned()));
        }
        tasks.push((task, proposed.after.as_slice()));
    }
    let changed = |(n, change): (usize, &ProposedChange)| {
        modified(plan, failed, change, context).map_err(|problem| format!("changes[{n}]: {problem}"))
    };
    let modified = proposal.changes.iter().enumerate().map(changed).collect::<Result<_, _>>()?;
    let strategy = strategy(failed, &tasks);
    Ok(Checked { strategy, tasks, modified })
}

/// What a change amounts to, in the words of the plan's history.
fn strategy(failed: &SubTask, tasks: &[(SubTask, &[usize])]) -> ReplanStrategy {
    match tasks {
        [(task, _)] if task.description != failed.description => ReplanStrategy::FindWorkaround,
        [(task, _)] if task.inputs != failed.inputs => ReplanStrategy::AdjustParameters,
        [_] => ReplanStrategy::RetryDifferentAgent,
        _ => ReplanStrategy::DecomposeFurther,
    }
}

fn new_task(
    failed: &SubTask,
    proposed: &ProposedTask,
    single: bool,
    context: &ReplanContext<'_>,
) -> Result<SubTask, String> {
    let description = Text::new(proposed.description.trim().to_owned()).map_err(|error| error.problem)?;
    let mut task = lineage::unrouted_successor(failed, failed.task_id.clone());
    merge(&mut task.inputs, &proposed.inputs);
    if let Some(agent) = &proposed.agent {
        task.agent_type = known(agent, context)?;
    } else if single && description == failed.description {
        task.agent_type = failed.agent_type.clone();
        task.metadata.ranking.clone_from(&failed.metadata.ranking);
    }
    task.description = description;
    if !single {
        task.expected_outputs.clone_from(&proposed.expected_outputs);
    }
    Ok(task)
}

/// Whether the task could go to someone who failed at it, with the same inputs and in the same words; whoever fits best
/// may be one of them.
fn repeats(failed: &SubTask, task: &SubTask) -> bool {
    let may_get = |agent: &AgentType| task.agent_type.is_tbd() || task.agent_type == *agent;
    let same = task.inputs == failed.inputs && task.description == failed.description;
    let failed_at_it = failed.metadata.failed_agents.iter().chain([&failed.agent_type]).any(may_get);
    let was_tried = |tried: &Tried| {
        let call = loop_guard::fingerprint(&tried.agent_type, task.description.as_str(), &task.inputs);
        may_get(&tried.agent_type) && tried.call == call
    };
    (same && failed_at_it) || failed.metadata.tried.iter().any(was_tried)
}

fn modified(
    plan: &Plan,
    failed: &SubTask,
    change: &ProposedChange,
    context: &ReplanContext<'_>,
) -> Result<SubTask, String> {
    let ProposedChange { task_id, description, agent, inputs, dependencies } = change;
    let task = plan.task(task_id).filter(|task| task.task_id != failed.task_id);
    let task = task.ok_or_else(|| format!("`{task_id}` is no other task of the plan"))?;
    if task.status != TaskStatus::Pending {
        return Err(format!("{task_id} has begun or is over"));
    }
    let mut task = task.clone();
    if let Some(text) = description {
        task.description = Text::new(text.trim().to_owned()).map_err(|error| error.problem)?;
    }
    if let Some(agent) = agent {
        task.agent_type = known(agent, context)?;
    }
    if let Some(needs) = dependencies {
        task.dependencies.clone_from(needs);
    }
    merge(&mut task.inputs, inputs);
    Ok(task)
}

fn merge(inputs: &mut JsonMap, wanted: &JsonMap) {
    for (name, value) in wanted {
        if *value == Value::Null {
            inputs.remove(name);
        } else {
            inputs.insert(name.clone(), value.clone());
        }
    }
}

fn known(name: &str, context: &ReplanContext<'_>) -> Result<AgentType, String> {
    let agents = context.agents.ok_or_else(|| format!("agent: `{name}` is not known"))?;
    let found = agents.known.keys().find(|agent| agent.as_str() == name);
    let names = || agents.known.keys().map(AgentType::as_str).collect::<Vec<_>>().join(", ");
    found.cloned().ok_or_else(|| format!("agent: there is no `{name}`; there are {}", names()))
}

impl Checked<'_> {
    fn make(&self, draft: &mut Draft<'_>, failure: &Failure<'_>) -> Answer {
        let failed = draft.current(failure.task);
        let stem = lineage::stem(&failed);
        let ids = match self.tasks.len() {
            1 => vec![draft.fresh_id(&stem, WORKAROUND)],
            count => draft.fresh_numbered_ids(&stem, count),
        };
        let mut tasks: Vec<SubTask> = Vec::new();
        for ((task, after), id) in self.tasks.iter().zip(&ids) {
            let mut task = task.clone();
            task.task_id = id.clone();
            task.dependencies.extend(after.iter().filter_map(|&place| ids.get(place).cloned()));
            tasks.push(task);
        }
        join(&mut tasks, &failed);
        let changes = tasks.iter().map(|task| change(&failed, task));
        let others = self.modified.iter().map(|task| format!("Change task {}", task.task_id));
        let changes = changes.chain(others).collect();
        draft.replace(&failed.task_id, tasks);
        self.modified.iter().for_each(|task| draft.modify(task.clone()));
        Answer { strategy: self.strategy, changes }
    }
}

/// Those who waited for the failed task wait for the last of the new ones: so it waits for all the others, and puts
/// out what the failed task should have.
fn join(tasks: &mut [SubTask], failed: &SubTask) {
    let Some((last, others)) = tasks.split_last_mut() else { return };
    for task in others.iter() {
        let needed = others.iter().any(|other| other.dependencies.contains(&task.task_id));
        if !needed && !last.dependencies.contains(&task.task_id) {
            last.dependencies.push(task.task_id.clone());
        }
    }
    for output in &failed.expected_outputs {
        if !last.expected_outputs.contains(output) {
            last.expected_outputs.push(output.clone());
        }
    }
}

fn change(failed: &SubTask, task: &SubTask) -> String {
    let by = if task.agent_type.is_tbd() { String::new() } else { format!(" by {}", task.agent_type) };
    format!("Replace task {} by {}{by}", failed.task_id, task.task_id)
}
