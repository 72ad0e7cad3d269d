//! From a step to a call: its tool, its arguments, a person's leave.

use std::sync::Arc;

use candor_model::{
    ASK_PERSON, AgentNote, AgentType, JsonMap, MissionAction, TodoItem, TodoStatus, ToolCall, ToolErrorKind,
    ToolSpec,
};
use candor_planning::{loop_guard, risk};
use serde_json::Value;

use super::{Mission, Wanted};
use crate::question::{self, LEAVE, PERSON};
use crate::references;
use crate::words::problem_words;

/// How often a call may come out the same in a row before it is not made any more.
const MAX_SAME: u32 = 3;

/// Why a call is not made.
struct Problem {
    kind: ToolErrorKind,
    text: String,
    /// Whether it makes no sense to try the step again as it is.
    for_good: bool,
}

impl Mission {
    /// The tools that this task may use: those of the settings, and among them those that the order's brief names.
    ///
    /// A brief that names no tool of this toolbox speaks of something else (the plan's words for what a task
    /// needs), and restricts nothing.
    #[must_use]
    pub fn allowed(&self, tools: &[Arc<ToolSpec>]) -> Vec<Arc<ToolSpec>> {
        let names = &self.settings.allowed_tools;
        let in_settings = |tool: &&Arc<ToolSpec>| names.is_empty() || names.contains(&tool.name);
        let briefed = &self.order.brief.tools;
        let is_briefed = |tool: &Arc<ToolSpec>| briefed.contains(&tool.name);
        let restricts = tools.iter().any(is_briefed);
        tools.iter().filter(in_settings).filter(|tool| !restricts || is_briefed(tool)).cloned().collect()
    }

    /// The tools among these that a step is better re-planned with: its own, and those that have not failed as
    /// often as they may in this attempt. Otherwise two that fail would take turns.
    #[must_use]
    pub fn promising(&self, item: &TodoItem, tools: &[Arc<ToolSpec>]) -> Vec<Arc<ToolSpec>> {
        let gave_up = |tool: &str| {
            self.seen.values().any(|seen| seen.tool == tool && seen.failed && seen.times >= MAX_SAME)
        };
        let is_own = |tool: &ToolSpec| item.tool.as_ref() == Some(&tool.name);
        tools.iter().filter(|tool| is_own(tool) || !gave_up(&tool.name)).cloned().collect()
    }

    pub(super) fn call_for(
        &self,
        item: &TodoItem,
        tool: &str,
        parameters: &JsonMap,
        by_model: bool,
        tools: &[Arc<ToolSpec>],
    ) -> Wanted {
        let allowed = self.allowed(tools);
        match self.prepared(tool, parameters, by_model, &allowed) {
            Ok((spec, arguments)) => self.with_leave(item, &spec, arguments),
            Err(problem) => Wanted::Note(vec![not_made(item, &problem, by_model)]),
        }
    }

    fn prepared(
        &self,
        tool: &str,
        parameters: &JsonMap,
        by_model: bool,
        tools: &[Arc<ToolSpec>],
    ) -> Result<(Arc<ToolSpec>, JsonMap), Problem> {
        let problem = |kind, text, for_good| Problem { kind, text, for_good };
        let Some(spec) = tools.iter().find(|spec| spec.name == tool) else {
            let text = format!("there is no tool {tool} that this task may use");
            return Err(problem(ToolErrorKind::Unavailable, text, true));
        };
        let arguments =
            self.filled(parameters).map_err(|text| problem(ToolErrorKind::InvalidArguments, text, true))?;
        let wrong = candor_schema::problems(&Value::Object(arguments.clone()), &spec.input_schema);
        if !wrong.is_empty() {
            return Err(problem(ToolErrorKind::InvalidArguments, wrong.join("; "), true));
        }
        // A task may list the same call as often as it likes; a model that repeats itself is in a loop.
        let by_model = by_model || self.planned_by.as_deref() != Some("task");
        let seen = self.seen.get(&fingerprint(tool, &arguments));
        if let Some(seen) = seen.filter(|seen| seen.times >= MAX_SAME && (by_model || seen.failed)) {
            let why = if seen.failed { format!(": {}", seen.outcome) } else { String::new() };
            let text = format!("the same call of {tool} came out the same {} times{why}", seen.times);
            return Err(problem(ToolErrorKind::Failed, text, false));
        }
        Ok((Arc::clone(spec), arguments))
    }

    fn with_leave(&self, item: &TodoItem, spec: &ToolSpec, arguments: JsonMap) -> Wanted {
        if spec.name == ASK_PERSON {
            let text = arguments.get("question").and_then(Value::as_str).unwrap_or_default();
            let question = Box::new(question::open(&self.order, text));
            return Wanted::Ask { about: format!("{PERSON}{}", item.id), question };
        }
        let call = self.next_call(item, &spec.name, arguments);
        let leave = format!("{} {} {}", call.tool, item.id, fingerprint(&call.tool, &call.arguments));
        let granted = self.granted.contains(&leave) || self.granted_tools.contains(&call.tool);
        let class = risk::of_call(spec, &call.arguments);
        let allowed = granted || self.order.allow.contains(&class);
        if self.settings.approve.needs_leave(class) && !allowed {
            let question = question::leave(&self.order, &call, class);
            return Wanted::Ask { about: format!("{LEAVE}{leave}"), question: Box::new(question) };
        }
        Wanted::Call { item: item.id.clone(), call: Box::new(call), hints: spec.hints, again: false }
    }

    /// Why the call of a step was not made where nobody can be asked, and what would allow it.
    pub(super) fn refused(&self, item: &TodoItem, tools: &[Arc<ToolSpec>]) -> String {
        let (tool, parameters) = match &self.decided {
            Some(MissionAction::ToolCall { tool, parameters }) => (Some(tool), parameters),
            _ => (item.tool.as_ref(), &item.parameters),
        };
        let spec = tools.iter().find(|spec| Some(&spec.name) == tool);
        let class = spec.zip(self.filled(parameters).ok()).map(|(spec, given)| risk::of_call(spec, &given));
        let Some(class) = class else { return "nobody could be asked whether it may be called".to_owned() };
        format!("not allowed in an unattended run without --allow {class}: it {}", class.does())
    }

    pub(super) fn next_call(&self, item: &TodoItem, tool: &str, arguments: JsonMap) -> ToolCall {
        let key = format!("{}/{}/{}", self.order.idempotency_key, item.id, self.calls + 1);
        ToolCall { key, tool: tool.to_owned(), arguments }
    }

    /// Parameters with what they refer to.
    pub(super) fn filled(&self, parameters: &JsonMap) -> Result<JsonMap, String> {
        references::fill(parameters, &|path| {
            self.look_up(path).map_err(|problem| format!("`${{{path}}}` means nothing: {problem}"))
        })
    }

    fn look_up(&self, path: &str) -> Result<Value, String> {
        let (root, rest) = path.split_once('.').unwrap_or((path, ""));
        let (name, deeper) = rest.split_once('.').unwrap_or((rest, ""));
        match root {
            "inputs" => {
                let value =
                    self.order.inputs.get(name).ok_or_else(|| format!("the task has no input `{name}`"))?;
                references::at(value, deeper).cloned().ok_or_else(|| format!("the input has no `{deeper}`"))
            }
            "upstream" => {
                let outputs = self.order.upstream.iter().find(|(id, _)| id.to_string() == name);
                let (_, outputs) =
                    outputs.ok_or_else(|| format!("the task does not wait for a task `{name}`"))?;
                let outputs = Value::Object(outputs.clone());
                references::at(&outputs, deeper).cloned().ok_or_else(|| format!("it gave no `{deeper}`"))
            }
            "steps" => {
                let item = self.item(name).ok_or_else(|| format!("there is no step `{name}`"))?;
                let result = item.result.as_ref().filter(|result| result.success);
                let result =
                    result.ok_or_else(|| format!("step `{name}` is {} and has no result", item.status))?;
                references::of_result(result, deeper)
            }
            _ => Err("it begins with none of `inputs`, `upstream`, `steps`".to_owned()),
        }
    }
}

/// A step whose call is not made. What would fail again is not tried again, except by a model that can do better
/// now that it knows.
fn not_made(item: &TodoItem, problem: &Problem, by_model: bool) -> AgentNote {
    let more = if by_model && problem.for_good { item.attempts.saturating_add(1) } else { item.max_attempts };
    AgentNote::Marked {
        item: item.id.clone(),
        status: TodoStatus::Pending,
        attempts: more.max(1),
        reason: problem_words(problem.kind, &problem.text),
    }
}

/// Names a call by what it is, so that the same is known again.
pub(super) fn fingerprint(tool: &str, arguments: &JsonMap) -> String {
    match AgentType::new("tool") {
        Ok(agent) => loop_guard::fingerprint(&agent, tool, arguments),
        Err(_) => format!("{tool} {}", Value::Object(arguments.clone())),
    }
}
