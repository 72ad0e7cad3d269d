//! The list of steps, and the ways in which one of them gives way to others.
//!
//! Each way looks first and returns a [`ListChange`] that can be applied, or says why there is none; the list is
//! not touched before [`apply_change`]. Whoever makes a change counts it: the steps that come of it inherit the
//! count of the one that they stand for, one higher.

use candor_model::{JsonMap, ListChange, TodoItem, TodoList, TodoStatus};
use serde_json::Value;

use crate::references::rename_step;

/// How many steps a list has at most.
pub const MAX_ITEMS: usize = 100;

/// How many steps one step is broken into at most.
pub const MAX_SUBTASKS: usize = 10;

/// The same tool with other parameters: `parameters` is all that the tool is given from now on.
///
/// # Errors
/// Why the step cannot be changed so.
pub fn modify_step(
    list: &TodoList,
    position: u32,
    modifications: &JsonMap,
    max_replans: u32,
) -> Result<ListChange, String> {
    let item = replannable(list, position, max_replans)?;
    let parameters = parameters(modifications)?.ok_or("the strategy names no `parameters`")?;
    let item = TodoItem { parameters, ..fresh(item) };
    Ok(ListChange { position, items: vec![item] })
}

/// Another tool: `tool`, and `parameters` if it is not given what the one before was. The step has a new id.
///
/// # Errors
/// Why the step cannot be changed so.
pub fn replace_step(
    list: &TodoList,
    position: u32,
    modifications: &JsonMap,
    max_replans: u32,
) -> Result<ListChange, String> {
    let item = replannable(list, position, max_replans)?;
    let tool = modifications.get("tool").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if tool.is_empty() {
        return Err("the strategy names no `tool`".to_owned());
    }
    let parameters = parameters(modifications)?.unwrap_or_else(|| item.parameters.clone());
    let id = free_id(list, &format!("{}_r{}", item.id, item.replan_count + 1), &[]);
    let item = TodoItem { id, tool: Some(tool.to_owned()), parameters, ..fresh(item) };
    Ok(ListChange { position, items: vec![item] })
}

/// Several smaller steps, one after the other. Each has a `description`, and may have a `tool` with its
/// `parameters`.
///
/// # Errors
/// Why the step cannot be broken up so.
pub fn decompose_step(
    list: &TodoList,
    position: u32,
    subtasks: &[Value],
    max_replans: u32,
) -> Result<ListChange, String> {
    let item = replannable(list, position, max_replans)?;
    if subtasks.is_empty() || subtasks.len() > MAX_SUBTASKS {
        return Err(format!("a step is broken into 1 to {MAX_SUBTASKS} others, not {}", subtasks.len()));
    }
    if list.items.len() + subtasks.len() > MAX_ITEMS + 1 {
        return Err(format!("a list has {MAX_ITEMS} steps at most"));
    }
    let mut items: Vec<TodoItem> = Vec::with_capacity(subtasks.len());
    for (letter, subtask) in ('a'..='z').zip(subtasks) {
        let id = free_id(list, &format!("{}_{letter}", item.id), &items);
        let mut step = self::subtask(subtask, item)?;
        step.id = id;
        if let Some(before) = items.last() {
            step.dependencies = vec![before.id.clone()];
        }
        items.push(step);
    }
    if let Some(last) = items.last_mut() {
        last.save_as.clone_from(&item.save_as);
    }
    Ok(ListChange { position, items })
}

/// One more step, at the end.
#[must_use]
pub fn append_step(list: &TodoList, mut item: TodoItem) -> ListChange {
    let position = u32::try_from(list.items.len()).unwrap_or(u32::MAX).saturating_add(1);
    item.id = free_id(list, &format!("step_{position}"), &[]);
    ListChange { position, items: vec![item] }
}

/// Puts a change into effect. What waited for the step that gives way waits for the last of those in its place.
pub fn apply_change(list: &mut TodoList, change: &ListChange) {
    let at = usize::try_from(change.position.saturating_sub(1)).unwrap_or(usize::MAX).min(list.items.len());
    let old = (at < list.items.len()).then(|| list.items.remove(at));
    let stands_in = change.items.last().map(|item| item.id.clone());
    if let Some(old) = old.filter(|old| !change.items.iter().any(|item| item.id == old.id)) {
        for item in &mut list.items {
            point_to(item, &old.id, stands_in.as_deref());
        }
    }
    let behind = list.items.split_off(at);
    list.items.extend(change.items.iter().cloned());
    list.items.extend(behind);
    renumber(&mut list.items);
}

/// Numbers the steps by their places.
pub(crate) fn renumber(items: &mut [TodoItem]) {
    for (position, item) in (1..).zip(items) {
        item.position = position;
    }
}

fn point_to(item: &mut TodoItem, old: &str, new: Option<&str>) {
    if let Some(place) = item.dependencies.iter().position(|id| id == old) {
        item.dependencies.remove(place);
        if let Some(new) = new.filter(|new| !item.dependencies.iter().any(|id| id == new)) {
            item.dependencies.insert(place, new.to_owned());
        }
    }
    if let Some(new) = new {
        rename_step(&mut item.parameters, old, new);
    }
}

fn replannable(list: &TodoList, position: u32, max_replans: u32) -> Result<&TodoItem, String> {
    let item = list
        .items
        .iter()
        .find(|item| item.position == position)
        .ok_or_else(|| format!("there is no step {position}; the list has {}", list.items.len()))?;
    if item.status == TodoStatus::Completed {
        return Err(format!("step {position} is done; it is not re-planned"));
    }
    if item.replan_count >= max_replans {
        return Err(format!(
            "step {position} was re-planned {} times, which is the limit",
            item.replan_count
        ));
    }
    Ok(item)
}

/// The step as if it had not been tried, re-planned once more.
fn fresh(item: &TodoItem) -> TodoItem {
    TodoItem {
        status: TodoStatus::Pending,
        attempts: 0,
        replan_count: item.replan_count.saturating_add(1),
        result: None,
        ..item.clone()
    }
}

fn parameters(modifications: &JsonMap) -> Result<Option<JsonMap>, String> {
    match modifications.get("parameters") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(map)) => Ok(Some(map.clone())),
        Some(_) => Err("`parameters` must be an object".to_owned()),
    }
}

fn subtask(subtask: &Value, item: &TodoItem) -> Result<TodoItem, String> {
    let (description, given) = match subtask {
        Value::String(text) => (text.trim(), None),
        Value::Object(map) => {
            let text = map.get("description").and_then(Value::as_str).unwrap_or_default();
            (text.trim(), Some(map))
        }
        _ => ("", None),
    };
    if description.is_empty() {
        return Err("each of `subtasks` needs a `description`".to_owned());
    }
    let tool = given.and_then(|map| map.get("tool")).and_then(Value::as_str).map(str::trim);
    let parameters = given.map(parameters).transpose()?.flatten().unwrap_or_default();
    Ok(TodoItem {
        description: description.to_owned(),
        tool: tool.filter(|tool| !tool.is_empty()).map(str::to_owned),
        parameters,
        save_as: None,
        ..fresh(item)
    })
}

/// The wished id, or the first like it that neither the list nor the steps to come have, nor had: the ids of those
/// that stand for a step begin with its id.
fn free_id(list: &TodoList, wished: &str, coming: &[TodoItem]) -> String {
    let is_of = |item: &TodoItem, id: &str| {
        item.id.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let taken = |id: &str| list.items.iter().chain(coming).any(|item| is_of(item, id));
    if !taken(wished) {
        return wished.to_owned();
    }
    // A list has few steps: one of as many numbers is free.
    let numbered = (2..).map(|number: u32| format!("{wished}_{number}"));
    numbered.take(MAX_ITEMS * 2).find(|id| !taken(id)).unwrap_or_else(|| format!("{wished}_x"))
}
