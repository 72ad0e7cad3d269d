//! Which task a person means: by id, by place, by number, or by words of its name.

use candor_model::{Plan, SubTask, TaskId};
use candor_text::{alike, fold};

use super::words::{Word, written};

/// Words around a reference that name no task by themselves.
const FILLERS: &[&str] = &[
    "the", "a", "an", "this", "that", "one", "of", "for", "task", "tasks", "step", "steps", "subtask",
    "number", "no", "el", "la", "los", "las", "un", "una", "de", "del", "tarea", "tareas", "paso", "pasos",
    "numero",
];

/// Words for places in the plan.
const ORDINALS: &[(&[&str], usize)] = &[
    (&["first", "1st", "primera", "primero", "primer"], 1),
    (&["second", "2nd", "segunda", "segundo"], 2),
    (&["third", "3rd", "tercera", "tercero", "tercer"], 3),
    (&["fourth", "4th", "cuarta", "cuarto"], 4),
    (&["fifth", "5th", "quinta", "quinto"], 5),
    (&["sixth", "6th", "sexta", "sexto"], 6),
    (&["seventh", "7th", "septima", "septimo"], 7),
    (&["eighth", "8th", "octava", "octavo"], 8),
    (&["ninth", "9th", "novena", "noveno"], 9),
    (&["tenth", "10th", "decima", "decimo"], 10),
];

/// The same for words that were cut already.
pub(super) fn resolve(said: &[Word], plan: &Plan) -> Result<Vec<TaskId>, String> {
    let shown = written(said);
    if let Some(task) = exact(said, plan) {
        return Ok(vec![task]);
    }
    let telling: Vec<&Word> = said.iter().filter(|word| word.quoted || !word.is_any(FILLERS)).collect();
    if let [only] = telling.as_slice() {
        let of_parent = under(&only.plain, plan);
        if !of_parent.is_empty() {
            return Ok(of_parent);
        }
        if let Some(task) = exact(std::slice::from_ref(*only), plan).or_else(|| at(&only.plain, plan)) {
            return Ok(vec![task]);
        }
    }
    by_words(&telling, plan).map_err(|found| match found.as_slice() {
        [] => format!("\"{shown}\" is no task of this plan; its tasks are {}", listed(plan.subtasks.iter())),
        several => {
            let tasks = plan.subtasks.iter().filter(|task| several.contains(&task.task_id));
            format!("\"{shown}\" can be {}; say which one by its id", listed(tasks))
        }
    })
}

/// One task, or in plain words why not.
pub(super) fn resolve_one(said: &[Word], plan: &Plan) -> Result<TaskId, String> {
    let found = resolve(said, plan)?;
    match found.as_slice() {
        [task] => Ok(task.clone()),
        several => {
            let tasks = plan.subtasks.iter().filter(|task| several.contains(&task.task_id));
            Err(format!("\"{}\" is several tasks: {}; say which one", written(said), listed(tasks)))
        }
    }
}

/// By its id, its place or its whole name.
fn exact(said: &[Word], plan: &Plan) -> Option<TaskId> {
    let whole: Vec<&str> = said.iter().map(|word| word.plain.as_str()).collect();
    let whole = whole.join(" ");
    let is_it = |task: &&SubTask| {
        let texts =
            [Some(task.task_id.as_str()), task.metadata.place.as_deref(), task.metadata.name.as_deref()];
        texts.into_iter().flatten().any(|text| fold(text) == whole)
    };
    plan.subtasks.iter().find(is_it).map(|task| task.task_id.clone())
}

/// All tasks under a high-level task such as `t2`.
fn under(place: &str, plan: &Plan) -> Vec<TaskId> {
    let is_under = |task: &&SubTask| {
        let parent =
            task.metadata.place.as_deref().and_then(|place| place.split_once('.')).map(|(parent, _)| parent);
        parent.is_some_and(|parent| fold(parent) == place)
    };
    plan.subtasks.iter().filter(is_under).map(|task| task.task_id.clone()).collect()
}

/// By its number in the plan.
fn at(word: &str, plan: &Plan) -> Option<TaskId> {
    if ["last", "ultima", "ultimo"].contains(&word) {
        return plan.subtasks.last().map(|task| task.task_id.clone());
    }
    let named = ORDINALS.iter().find(|(words, _)| words.contains(&word)).map(|(_, number)| *number);
    let number = named.or_else(|| word.trim_start_matches('#').parse().ok())?;
    plan.subtasks.get(number.checked_sub(1)?).map(|task| task.task_id.clone())
}

/// By words: first of the names, then of everything that a task says. The error has what fits, if it is not one.
fn by_words(telling: &[&Word], plan: &Plan) -> Result<Vec<TaskId>, Vec<TaskId>> {
    let wanted: Vec<&str> = telling.iter().flat_map(|word| word.plain.split_whitespace()).collect();
    if wanted.is_empty() {
        return Err(Vec::new());
    }
    let fitting = |text: fn(&SubTask) -> String| -> Vec<TaskId> {
        let has_all = |task: &&SubTask| {
            let text = text(task);
            let text = fold(&text);
            let own: Vec<&str> = candor_text::words(&text).collect();
            wanted.iter().all(|wanted| own.iter().any(|own| alike(own, wanted)))
        };
        plan.subtasks.iter().filter(has_all).map(|task| task.task_id.clone()).collect()
    };
    let by_name = fitting(|task| task.metadata.name.clone().unwrap_or_default());
    if by_name.len() == 1 {
        return Ok(by_name);
    }
    let by_text = fitting(|task| {
        format!("{} {}", task.metadata.name.as_deref().unwrap_or_default(), task.description.as_str())
    });
    if by_text.len() == 1 { Ok(by_text) } else { Err(by_text) }
}

/// Tasks as they are told to a person.
pub(super) fn listed<'a>(tasks: impl Iterator<Item = &'a SubTask>) -> String {
    let mut texts: Vec<String> = tasks.take(13).map(told).collect();
    if texts.len() > 12 {
        texts.truncate(12);
        texts.push("…".to_owned());
    }
    texts.join(", ")
}

/// A task as it is told to a person.
pub(super) fn told(task: &SubTask) -> String {
    let name = task.metadata.name.as_deref().unwrap_or_else(|| task.description.as_str());
    let short: String = name.chars().take(60).collect();
    format!("{} ({short}{})", task.task_id, if short.len() < name.len() { "…" } else { "" })
}
