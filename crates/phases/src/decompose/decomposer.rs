//! The decomposer: gives every step its place under a high-level task and what it needs to be carried out
//! alone.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{SubTask, TaskId};
use candor_planning::dependencies;

use super::lister::{self, HighLevelTask, Listing, Shelf};
use super::{Breakdown, atomicity, groups, hints, tiers};

/// Puts steps on their shelves; which high-level task needs which follows from the steps.
pub(super) fn place(
    objective: String,
    shelves: Vec<Shelf>,
    mut tasks: Vec<SubTask>,
    complexity: u8,
) -> Breakdown {
    let mut notes = Vec::new();
    let shelves = renumbered(shelves.into_iter().flat_map(|shelf| spread(shelf, &mut notes)).collect());
    put(&shelves, &mut tasks);
    let dependencies = between(&shelves, &tasks);
    let high_level_tasks = shelves.iter().map(|shelf| described(shelf, &tasks)).collect();
    let listing = Listing { objective, high_level_tasks, dependencies, estimated_complexity: complexity };
    finished(listing, tasks, notes, Vec::new())
}

/// Puts steps under the tasks of a list, which says what needs what.
pub(super) fn place_under(
    listing: Listing,
    mut tasks: Vec<SubTask>,
    parents: &[Option<String>],
) -> Breakdown {
    let (mut notes, mut warnings) = (Vec::new(), Vec::new());
    let places = parents_of(&listing, &tasks, parents);
    let Listing { objective, high_level_tasks, dependencies, estimated_complexity } = listing;
    let mut new_ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut shelves, mut number) = (Vec::new(), 0);
    for (at, task) in high_level_tasks.into_iter().enumerate() {
        let steps: Vec<usize> = (0..tasks.len()).filter(|step| places.get(*step) == Some(&at)).collect();
        if steps.is_empty() {
            warnings.push(format!("{} ({}) has no subtask", task.id, task.name));
        }
        let old = task.id.clone();
        for mut shelf in spread(Shelf { task, steps }, &mut notes) {
            number += 1;
            shelf.task.id = format!("T{number}");
            new_ids.entry(old.clone()).or_default().push(shelf.task.id.clone());
            shelves.push(shelf);
        }
    }
    put(&shelves, &mut tasks);
    let dependencies = renamed(&dependencies, &new_ids);
    inherit(&dependencies, &shelves, &mut tasks, &mut warnings);
    let high_level_tasks = shelves.into_iter().map(|shelf| shelf.task).collect();
    let listing = Listing { objective, high_level_tasks, dependencies, estimated_complexity };
    finished(listing, tasks, notes, warnings)
}

/// Fills in what the words of a task tell, where nobody has said it.
pub fn furnish(task: &mut SubTask) {
    let text = task.description.as_str().to_owned();
    if task.metadata.files.is_empty() {
        task.metadata.files = hints::files_in(&text);
    }
    if task.metadata.tools.is_empty() {
        task.metadata.tools = hints::tools_for(&text);
    }
    if task.metadata.validation.is_none() {
        task.metadata.validation = hints::criterion_for(task);
    }
    if task.metadata.estimated_tokens.is_none() {
        task.metadata.estimated_tokens = Some(hints::tokens_for(task, task.metadata.files.len()));
    }
    if task.metadata.tier.is_none() {
        task.metadata.tier = Some(tiers::tier_for(&text));
    }
}

fn finished(
    listing: Listing,
    mut tasks: Vec<SubTask>,
    mut notes: Vec<String>,
    mut warnings: Vec<String>,
) -> Breakdown {
    for task in &mut tasks {
        furnish(task);
    }
    groups::mark(&mut tasks);
    notes.extend(small(&listing, &tasks));
    warnings.extend(tasks.iter().flat_map(atomicity::problems));
    Breakdown { listing, tasks, notes, warnings }
}

/// A note for the tasks that have so few steps that they may be steps themselves.
fn small(listing: &Listing, tasks: &[SubTask]) -> Option<String> {
    let count = |id: &str| tasks.iter().filter(|task| parent_of(task) == Some(id)).count();
    let few: Vec<&str> = listing
        .high_level_tasks
        .iter()
        .map(|task| task.id.as_str())
        .filter(|id| (1..atomicity::FEWEST).contains(&count(id)))
        .collect();
    (!few.is_empty()).then(|| {
        format!(
            "{} have fewer than {} subtasks: they may be atomic already",
            few.join(", "),
            atomicity::FEWEST
        )
    })
}

/// The high-level task that a step is under, by its place.
pub(super) fn parent_of(task: &SubTask) -> Option<&str> {
    task.metadata.place.as_deref()?.split_once('.').map(|(parent, _)| parent)
}

/// A shelf with too many steps becomes several, as even as can be.
fn spread(shelf: Shelf, notes: &mut Vec<String>) -> Vec<Shelf> {
    let count = shelf.steps.len();
    if count <= atomicity::MOST {
        return vec![shelf];
    }
    let parts = count.div_ceil(atomicity::MOST);
    notes.push(format!("{} has {count} subtasks and was split into {parts} tasks", shelf.task.name));
    let chunk = count.div_ceil(parts);
    let of_part = |(number, steps): (usize, &[usize])| {
        let name = format!("{} (part {number} of {parts})", shelf.task.name);
        Shelf { task: HighLevelTask { name, ..shelf.task.clone() }, steps: steps.to_vec() }
    };
    (1..).zip(shelf.steps.chunks(chunk)).map(of_part).collect()
}

fn renumbered(mut shelves: Vec<Shelf>) -> Vec<Shelf> {
    for (number, shelf) in (1..).zip(&mut shelves) {
        shelf.task.id = format!("T{number}");
    }
    shelves
}

/// Writes each step's place into it.
fn put(shelves: &[Shelf], tasks: &mut [SubTask]) {
    for shelf in shelves {
        for (number, step) in (1..).zip(&shelf.steps) {
            if let Some(task) = tasks.get_mut(*step) {
                task.metadata.place = Some(format!("{}.{number}", shelf.task.id));
            }
        }
    }
}

/// A high-level task needs those before it whose steps its own steps need.
fn between(shelves: &[Shelf], tasks: &[SubTask]) -> BTreeMap<String, Vec<String>> {
    let shelf_of: BTreeMap<&TaskId, usize> = (0..)
        .zip(shelves)
        .flat_map(|(at, shelf)| {
            shelf.steps.iter().filter_map(move |step| Some((&tasks.get(*step)?.task_id, at)))
        })
        .collect();
    let mut found = BTreeMap::new();
    for (at, shelf) in shelves.iter().enumerate() {
        let steps = shelf.steps.iter().filter_map(|step| tasks.get(*step));
        let needed = steps.flat_map(|task| &task.dependencies).filter_map(|id| shelf_of.get(id)).copied();
        let before: BTreeSet<usize> = needed.filter(|need| *need < at).collect();
        let ids: Vec<String> =
            before.iter().filter_map(|need| Some(shelves.get(*need)?.task.id.clone())).collect();
        if !ids.is_empty() {
            found.insert(shelf.task.id.clone(), ids);
        }
    }
    found
}

/// The task of a shelf with the files that its steps name, and what it must know from others.
fn described(shelf: &Shelf, tasks: &[SubTask]) -> HighLevelTask {
    let mut task = shelf.task.clone();
    let steps = || shelf.steps.iter().filter_map(|step| tasks.get(*step));
    let own: BTreeSet<&TaskId> = steps().map(|step| &step.task_id).collect();
    let from_others: BTreeSet<&TaskId> =
        steps().flat_map(|step| &step.dependencies).filter(|id| !own.contains(id)).collect();
    task.required_context = from_others.iter().map(|id| format!("the results of {id}")).collect();
    for file in steps().flat_map(|step| hints::files_in(step.description.as_str())) {
        if !task.affected_files.contains(&file) {
            task.affected_files.push(file);
        }
    }
    task
}

/// The place in the list of each step's parent.
fn parents_of(listing: &Listing, tasks: &[SubTask], parents: &[Option<String>]) -> Vec<usize> {
    let texts: Vec<String> =
        listing.high_level_tasks.iter().map(|task| format!("{} {}", task.name, task.description)).collect();
    let by_words = lister::assigned(tasks, &texts);
    let named = |step: usize| {
        let id = parents.get(step)?.as_deref()?;
        listing.high_level_tasks.iter().position(|task| task.id == id)
    };
    by_words.into_iter().enumerate().map(|(step, fits)| named(step).unwrap_or(fits)).collect()
}

/// The same dependencies by the ids after renumbering; whoever needed a task that was split needs all its parts.
fn renamed(
    dependencies: &BTreeMap<String, Vec<String>>,
    new_ids: &BTreeMap<String, Vec<String>>,
) -> BTreeMap<String, Vec<String>> {
    let new = |id: &String| new_ids.get(id).cloned().unwrap_or_default();
    let mut renamed = BTreeMap::new();
    for (task, needs) in dependencies {
        let needs: Vec<String> = needs.iter().flat_map(new).collect();
        for id in new(task).into_iter().filter(|_| !needs.is_empty()) {
            renamed.insert(id, needs.clone());
        }
    }
    renamed
}

/// If a task needs another, its first steps wait for the other's last ones, unless its steps say more exactly
/// what they wait for.
fn inherit(
    dependencies: &BTreeMap<String, Vec<String>>,
    shelves: &[Shelf],
    tasks: &mut [SubTask],
    warnings: &mut Vec<String>,
) {
    let steps_of =
        |id: &String| shelves.iter().find(|shelf| shelf.task.id == *id).map(|shelf| shelf.steps.clone());
    for (task, needs) in dependencies {
        for need in needs {
            let (Some(own), Some(others)) = (steps_of(task), steps_of(need)) else { continue };
            let (own_ids, other_ids) = (ids(tasks, &own), ids(tasks, &others));
            if own.iter().any(|step| needs_any(tasks, *step, &other_ids)) {
                continue;
            }
            let last: Vec<TaskId> = other_ids
                .iter()
                .filter(|id| {
                    !others.iter().any(|step| needs_any(tasks, *step, &BTreeSet::from([(*id).clone()])))
                })
                .cloned()
                .collect();
            let first: Vec<usize> =
                own.iter().copied().filter(|step| !needs_any(tasks, *step, &own_ids)).collect();
            let before: Vec<SubTask> = tasks.to_vec();
            for step in first {
                if let Some(step) = tasks.get_mut(step) {
                    step.dependencies.extend(last.iter().cloned());
                }
            }
            if !dependencies::check(tasks).is_valid {
                tasks.clone_from_slice(&before);
                warnings.push(format!("{task} does not wait for {need}: the steps themselves say otherwise"));
            }
        }
    }
}

fn ids(tasks: &[SubTask], steps: &[usize]) -> BTreeSet<TaskId> {
    steps.iter().filter_map(|step| Some(tasks.get(*step)?.task_id.clone())).collect()
}

fn needs_any(tasks: &[SubTask], step: usize, wanted: &BTreeSet<TaskId>) -> bool {
    tasks.get(step).is_some_and(|task| task.dependencies.iter().any(|id| wanted.contains(id)))
}
