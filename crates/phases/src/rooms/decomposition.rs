//! Room 3: the tasks. From the plan that was brought, from the pack's template, or from the sentences.

use candor_model::{Goal, JsonMap, Phase, SubTask, TaskId, Text};
use candor_planning::completeness::{self, CATEGORY_KEY};
use candor_planning::phase::{PhaseReport, PhaseResult, RoomDecision};
use serde_json::{Value, json};

use super::evaluation::slots_of;
use super::{Rooms, counted, report, spoken};
use crate::consult::{Said, TasksAnswer, decompose_task};
use crate::goal::Extracted;
use crate::pack::{TaskTemplate, words_in};
use crate::plan_cache::{BrokenDown, normalised};
use crate::slots::Slots;
use crate::split::{self, Step};
use crate::{Desk, Pack, Pause};

pub(super) fn work(rooms: &Rooms, desk: &Desk<'_>) -> Result<PhaseReport, Pause> {
    if let Some(plan) = desk.material.and_then(|material| material.plan.as_deref()) {
        let summary = format!("the plan that was brought has {}", counted(plan.subtasks.len(), "task"));
        return Ok(report(summary, json!({ "source": "brought" }), PhaseResult::Plain));
    }
    let goal = desk.goal.ok_or("there is no goal to break down")?;
    let agents = rooms.agents_for(&goal.goal_type, desk.agents);
    let said = desk.consult("decompose_task", || decompose_task(goal, &agents))?;
    let BrokenDown { source, tasks, guesses } = match &said {
        Some(said) => by_model(rooms, desk, goal, said),
        None => broken_down(rooms, desk, goal),
    };
    if tasks.is_empty() {
        return Err("no task could be found in the request; say what is to be done, step by step".into());
    }
    let summary = format!("{} from {source}", counted(tasks.len(), "task"));
    let reasoning = match guesses.as_slice() {
        [] => format!("taken from {source}"),
        guesses => format!("taken from {source}; {}", guesses.join("; ")),
    };
    let data = json!({ "source": source, "subtasks": tasks, "guesses": guesses });
    let mut report = report(summary.clone(), data, PhaseResult::Plain);
    report.decisions.push(RoomDecision {
        operation: "decompose_task",
        task_id: None,
        input: goal.description.to_string(),
        decision: summary,
        reasoning,
    });
    Ok(spoken(report, said.as_ref().map(|said| said.model.as_str())))
}

/// The tasks that a model gave. Where the pack knows such a task, its parameters are the pack's: they are
/// what its agents understand.
fn by_model(rooms: &Rooms, desk: &Desk<'_>, goal: &Goal, said: &Said<TasksAnswer>) -> BrokenDown {
    let mut tasks = said.answer.subtasks();
    if let Some(pack) = rooms.pack(&goal.goal_type) {
        let slots = slots_of(&extracted(desk));
        let mut known: Vec<&TaskTemplate> = pack.tasks.iter().collect();
        for task in &mut tasks {
            let Some(category) = completeness::category_of(task, &pack.categories) else { continue };
            let Some(place) = known.iter().position(|template| template.category == category) else {
                continue;
            };
            lend(known.remove(place), &slots, task);
        }
    }
    BrokenDown { source: format!("the model {}", said.model), tasks, guesses: Vec::new() }
}

/// Gives a task what its template knows beyond words.
fn lend(template: &TaskTemplate, slots: &Slots, task: &mut SubTask) {
    let Some(usual) = filled(template, 1, slots, &[]) else { return };
    task.inputs = usual.inputs;
    task.retry_policy = usual.retry_policy;
    task.metadata.name = usual.metadata.name;
    task.metadata.other = usual.metadata.other;
}

/// The goal in tasks: as it was broken down before for the same words and the same facts, or anew.
fn broken_down(rooms: &Rooms, desk: &Desk<'_>, goal: &Goal) -> BrokenDown {
    let extracted = extracted(desk);
    let facts = serde_json::to_string(&extracted).unwrap_or_default();
    let key = format!("{}\n{}\n{facts}", goal.goal_type, normalised(desk.request));
    if let Some(mut kept) = rooms.cache().get(&key) {
        kept.source.push_str(", as it was broken down before");
        return kept;
    }
    let template = rooms.pack(&goal.goal_type).and_then(|pack| from_template(pack, &extracted, desk.request));
    let made = template.unwrap_or_else(|| from_words(goal.description.as_str()));
    rooms.cache().insert(key, made.clone());
    made
}

/// What the evaluation read from the request.
fn extracted(desk: &Desk<'_>) -> Extracted {
    let left = desk.left(Phase::Evaluation, "extracted").cloned().unwrap_or_default();
    serde_json::from_value(left).unwrap_or_default()
}

/// The pack's usual tasks, filled with what the goal says; nothing if it says too little for them.
fn from_template(pack: &Pack, extracted: &Extracted, request: &str) -> Option<BrokenDown> {
    let slots = slots_of(extracted);
    let wanted: Vec<&TaskTemplate> = pack
        .tasks
        .iter()
        .filter(|task| task.only_with.as_ref().is_none_or(|slot| slots.get(slot).is_some()))
        .filter(|task| task.only_with_words.is_empty() || words_in(request, &task.only_with_words) > 0)
        .collect();
    let places: Vec<&str> = wanted.iter().map(|task| task.category.as_str()).collect();
    let tasks: Option<Vec<SubTask>> =
        (1..).zip(&wanted).map(|(n, task)| filled(task, n, &slots, &places)).collect();
    let tasks = tasks.filter(|tasks| !tasks.is_empty())?;
    Some(BrokenDown { source: format!("the template of pack {}", pack.name), tasks, guesses: Vec::new() })
}

fn filled(template: &TaskTemplate, n: usize, slots: &Slots, places: &[&str]) -> Option<SubTask> {
    let description = Text::new(slots.fill(&template.description).ok()?).ok()?;
    let mut task = SubTask::new(TaskId::numbered(n), description, template.outputs.clone());
    let needed = (1..).zip(places).filter(|(_, place)| template.needs.iter().any(|need| need == *place));
    task.dependencies = needed.map(|(n, _)| TaskId::numbered(n)).collect();
    let inputs =
        template.inputs.iter().filter_map(|(key, value)| Some((key.clone(), slots.fill_value(value)?)));
    task.inputs = inputs.collect();
    task.priority = template.priority;
    task.estimated_duration_seconds = template.seconds;
    task.retry_policy = template.retry;
    task.metadata.name = Some(template.name.clone());
    task.metadata.other = JsonMap::from_iter([(CATEGORY_KEY.to_owned(), json!(template.category))]);
    Some(task)
}

/// The steps that the words themselves tell.
fn from_words(text: &str) -> BrokenDown {
    let steps = split::split(text);
    let guessed = steps.iter().filter(|step| step.guessed).count();
    let tasks = (1..).zip(&steps).filter_map(|(n, step)| task_of(step, n)).collect();
    let guesses = match guessed {
        0 => Vec::new(),
        _ => vec![format!("{guessed} of {} steps were cut or ordered by guess", steps.len())],
    };
    BrokenDown { source: "the sentences of the request".to_owned(), tasks, guesses }
}

fn task_of(step: &Step, n: usize) -> Option<SubTask> {
    let description = Text::new(step.description.clone()).ok()?;
    let mut task = SubTask::new(TaskId::numbered(n), description, vec![format!("output_{n}")]);
    task.dependencies = step.depends_on.iter().map(|&index| TaskId::numbered(index + 1)).collect();
    Some(task)
}

/// The tasks that this room left.
pub(super) fn left_by(desk: &Desk<'_>) -> Result<Vec<SubTask>, String> {
    let left = desk.left(Phase::Decomposition, "subtasks").cloned().unwrap_or(Value::Null);
    candor_model::from_value(left).map_err(|error| format!("the tasks that were handed over: {error}"))
}
