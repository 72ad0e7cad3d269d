//! The first list of steps: as the task writes it, or as a model does.

use candor_model::{JsonMap, TodoItem, ToolSpec, WorkOrder};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

use crate::list::{MAX_ITEMS, renumber};
use crate::references::steps_of;

/// The input under which a task lists its steps.
pub(crate) const STEPS: &str = "steps";

/// A step as a task writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    parameters: JsonMap,
    #[serde(default)]
    depends_on: Vec<String>,
    #[serde(default)]
    save_as: Option<String>,
}

/// The steps that a task lists; nothing if it lists none.
pub(crate) fn steps_of_task(order: &WorkOrder) -> Option<Result<Vec<TodoItem>, String>> {
    let written = order.inputs.get(STEPS).filter(|steps| !steps.is_null())?;
    Some(read(written).and_then(checked))
}

fn read(written: &Value) -> Result<Vec<TodoItem>, String> {
    let steps = written.as_array().ok_or("inputs.steps: must be a list of steps")?;
    let of = |(number, step): (usize, &Value)| {
        let step: WrittenStep = candor_model::from_value(step.clone())
            .map_err(|error| format!("inputs.steps[{}]: {error}", number - 1))?;
        Ok(item(number, step))
    };
    (1..).zip(steps).map(of).collect()
}

fn item(number: usize, step: WrittenStep) -> TodoItem {
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let tool = said(step.tool);
    let id = said(step.id).unwrap_or_else(|| format!("step_{number}"));
    let description = match (step.description.trim(), &tool) {
        ("", Some(tool)) => format!("Use {tool}"),
        (text, _) => text.to_owned(),
    };
    TodoItem {
        tool,
        parameters: step.parameters,
        dependencies: step.depends_on,
        save_as: said(step.save_as),
        ..TodoItem::new(id, 0, description)
    }
}

/// Refuses a list that cannot be worked off, and makes steps wait for those that they refer to.
fn checked(mut items: Vec<TodoItem>) -> Result<Vec<TodoItem>, String> {
    if items.is_empty() || items.len() > MAX_ITEMS {
        return Err(format!("inputs.steps: must have 1 to {MAX_ITEMS} steps, has {}", items.len()));
    }
    wait_for_references(&mut items);
    for (number, item) in items.iter().enumerate() {
        let place = format!("inputs.steps[{number}]");
        if item.description.is_empty() {
            return Err(format!("{place}: needs a `description` or a `tool`"));
        }
        if items.iter().take(number).any(|other| other.id == item.id) {
            return Err(format!("{place}.id: `{}` is the id of two steps", item.id));
        }
        if let Some(unknown) = item.dependencies.iter().find(|id| !items.iter().any(|other| other.id == **id))
        {
            let known: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
            return Err(format!("{place}: there is no step `{unknown}`; known are {}", known.join(", ")));
        }
    }
    renumber(&mut items);
    Ok(items)
}

fn wait_for_references(items: &mut [TodoItem]) {
    for item in items {
        for id in steps_of(&item.parameters) {
            if !item.dependencies.contains(&id) {
                item.dependencies.push(id);
            }
        }
    }
}

/// The steps that a model lists, made fit to be worked off, and what had to be left out of them.
pub(crate) fn steps_of_model(items: Vec<TodoItem>, tools: &[Arc<ToolSpec>]) -> (Vec<TodoItem>, Vec<String>) {
    let mut problems = Vec::new();
    let mut kept: Vec<TodoItem> = Vec::new();
    for (number, given) in
        (1..=MAX_ITEMS).zip(items.into_iter().filter(|item| !item.description.trim().is_empty()))
    {
        let is_new = |id: &str| !id.trim().is_empty() && !kept.iter().any(|item| item.id == id);
        let id = if is_new(&given.id) { given.id.clone() } else { format!("step_{number}") };
        let mut item = TodoItem::new(id, 0, given.description.trim());
        item.tool = given.tool.filter(|tool| tools.iter().any(|known| known.name == *tool));
        if item.tool.is_some() {
            item.parameters = given.parameters;
        }
        item.dependencies = given.dependencies;
        item.save_as = given.save_as.filter(|name| !name.trim().is_empty());
        kept.push(item);
    }
    wait_for_references(&mut kept);
    let ids: Vec<String> = kept.iter().map(|item| item.id.clone()).collect();
    for item in &mut kept {
        item.dependencies.retain(|id| {
            let known = ids.contains(id) && *id != item.id;
            if !known {
                problems.push(format!("step {} does not wait for `{id}`, which is no other step", item.id));
            }
            known
        });
    }
    renumber(&mut kept);
    (kept, problems)
}
