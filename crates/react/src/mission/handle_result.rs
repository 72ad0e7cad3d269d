//! What a mission makes of what came of its wishes: notes, and nothing else.

use std::sync::Arc;

use candor_model::{
    AgentNote, Carried, JsonMap, MissionAction, TodoItem, TodoStatus, ToolErrorKind, ToolResult, ToolSpec,
};

use super::poll_action::{marked, returned};
use super::{Heard, Mission, OpenCall};
use crate::question::END;
use crate::words::error_words;
use crate::{plan, references};

impl Mission {
    /// Turns what came of a wish into notes. They are made durable and applied one after the other.
    #[must_use]
    pub fn handle_result(&self, heard: Heard, tools: &[Arc<ToolSpec>]) -> Vec<AgentNote> {
        match heard {
            Heard::Plan(Ok(items)) => self.heard_plan(items, tools),
            Heard::Plan(Err(reason)) => self.heard_no_plan(&reason),
            Heard::Action(Ok(action)) => vec![AgentNote::Decided { action: Box::new(action) }],
            Heard::Action(Err(reason)) => self.heard_no_action(&reason),
            Heard::Strategy { strategy, by, took_ms } => {
                self.heard_strategy(strategy.as_ref(), &by, took_ms, tools)
            }
            Heard::Returned { key, result } => self.heard_result(&key, *result, tools),
            Heard::Carried { key, carried } => self.heard_carried(&key, carried),
        }
    }

    fn heard_plan(&self, items: Vec<TodoItem>, tools: &[Arc<ToolSpec>]) -> Vec<AgentNote> {
        let (items, problems) = plan::steps_of_model(items, &self.allowed(tools));
        if items.is_empty() {
            return self.heard_no_plan("the model listed no steps");
        }
        let warnings = problems.into_iter().map(|text| AgentNote::Warned { text: error_words(&text) });
        warnings.chain([AgentNote::Planned { items, by: "model".to_owned() }]).collect()
    }

    /// Without a list the whole task is one step: whoever can decide still can.
    fn heard_no_plan(&self, reason: &str) -> Vec<AgentNote> {
        let text = format!("there is no list of steps, so the task is one step: {}", error_words(reason));
        let items = vec![TodoItem::new("step_1", 1, self.order.description.as_str())];
        vec![AgentNote::Warned { text }, AgentNote::Planned { items, by: "rules".to_owned() }]
    }

    fn heard_no_action(&self, reason: &str) -> Vec<AgentNote> {
        let reason = format!("no model decided what to do: {}", error_words(reason));
        let warning = AgentNote::Warned { text: reason.clone() };
        match self.next_item() {
            Some(item) => vec![warning, marked(item, TodoStatus::Failed, &reason)],
            None => {
                let action = MissionAction::Complete { summary: String::new(), outputs: JsonMap::new() };
                vec![warning, AgentNote::Decided { action: Box::new(action) }]
            }
        }
    }

    fn heard_result(&self, key: &str, mut result: ToolResult, tools: &[Arc<ToolSpec>]) -> Vec<AgentNote> {
        let Some(open) = self.open.as_ref().filter(|open| open.call.key == key) else { return Vec::new() };
        if let Some(problem) =
            result.error.as_mut().filter(|problem| problem.kind == ToolErrorKind::Cancelled)
        {
            // Nobody here asked it to stop; it was a try like any other.
            problem.kind = ToolErrorKind::Failed;
        }
        let warning = fill_undo(&mut result, open, tools);
        [returned(open, result)].into_iter().chain(warning).collect()
    }

    fn heard_carried(&self, key: &str, carried: Carried) -> Vec<AgentNote> {
        let Some(open) = self.open.as_ref().filter(|open| open.call.key == key) else { return Vec::new() };
        match carried {
            Carried::Done => {
                let said = "It was carried out; what it answered is lost.";
                vec![returned(open, ToolResult::done(said, None))]
            }
            Carried::NotDone => {
                // A call that was cut off was no try; one that was waited for in vain was.
                let kind = if open.timed_out { ToolErrorKind::Failed } else { ToolErrorKind::Cancelled };
                vec![returned(open, ToolResult::failed(kind, "it was not carried out"))]
            }
            Carried::Unknown => vec![AgentNote::Asked { about: format!("{END}{key}") }],
        }
    }
}

/// Writes into a receipt how the call is undone; says so if that cannot be told.
fn fill_undo(result: &mut ToolResult, open: &OpenCall, tools: &[Arc<ToolSpec>]) -> Option<AgentNote> {
    if !result.success || !open.hints.changes() || result.undo.is_some() {
        return None;
    }
    let undo = tools.iter().find(|tool| tool.name == open.call.tool)?.undo.as_ref()?;
    match references::follow_up(undo, &open.call, result) {
        Ok(undo) => {
            result.undo = Some(undo);
            None
        }
        Err(problem) => {
            let text =
                format!("it cannot be told how {} is undone: {}", open.call.tool, error_words(&problem));
            Some(AgentNote::Warned { text })
        }
    }
}
