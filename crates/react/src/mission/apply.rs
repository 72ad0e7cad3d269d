//! What each note makes of a mission. Nothing here can fail: a note that fits nothing changes nothing.

use candor_model::{
    AgentNote, Choice, Consulted, ListChange, MissionAction, SpeakerRole, TodoItem, TodoStatus, ToolCall,
    ToolErrorKind, ToolHints, ToolResult,
};

use super::{Answered, Message, Mission, OpenCall, OpenReplan, Seen, Used};
use crate::list;
use crate::question::{self, ALLOW, ALLOW_ALL, ANSWER};
use crate::words::{problem_of, shorten};

/// How many warnings are remembered.
const MAX_WARNINGS: usize = 50;

impl Mission {
    /// Takes a note into account: the only way in which a mission changes.
    pub fn apply(&mut self, note: &AgentNote) {
        self.metrics.count(note);
        if !matches!(note, AgentNote::Consulted { .. }) {
            self.turn += 1;
        }
        match note {
            AgentNote::Planned { items, by } => self.planned(items, by),
            AgentNote::Consulted { step, .. } => self.count_model(step),
            AgentNote::Decided { action } => self.decided(action),
            AgentNote::Called { item, call, hints } => self.called(item, call, *hints),
            AgentNote::Returned { key, result } => self.returned(key, result),
            AgentNote::Marked { item, status, attempts, reason } => {
                self.marked(item, *status, *attempts, reason);
            }
            AgentNote::Changed { change } => self.changed(change),
            AgentNote::Said { role, text } => self.said(*role, text),
            AgentNote::ReplanTried { task_id, strategy_type, .. } => {
                let (item, strategy_type) = (task_id.clone(), strategy_type.clone());
                self.replan = Some(OpenReplan { item, strategy_type, said: None, changed: None });
            }
            AgentNote::ReplanEnded { task_id, success, summary, .. } => {
                self.replan_ended(task_id, *success, summary);
            }
            AgentNote::ReplanAsked { item, note } => {
                self.replan_asked = Some((item.clone(), note.clone().unwrap_or_default()));
                // What was asked was about the step as it is, and is not answered any more.
                self.asked = None;
            }
            AgentNote::Asked { about } => self.asked = Some(about.clone()),
            AgentNote::Answered { choice } => self.answered(choice),
            AgentNote::Warned { text } => {
                if self.warnings.len() < MAX_WARNINGS {
                    self.warnings.push(text.clone());
                }
            }
            AgentNote::Remote { .. } | AgentNote::Session { .. } | AgentNote::Worked { .. } => {}
        }
    }

    /// Begins an attempt, if it is a new one.
    pub fn begin(&mut self, attempt: u32) {
        if attempt <= self.attempt {
            return;
        }
        let is_first = self.attempt == 0;
        self.attempt = attempt;
        if is_first {
            return;
        }
        self.used = Used::default();
        self.seen.clear();
        self.warnings.clear();
        self.problem = None;
        if self.open.is_none() {
            self.decided = None;
        }
        self.another_chance();
    }

    fn another_chance(&mut self) {
        let blocked: Vec<String> =
            self.list.items.iter().filter(|item| self.is_lost(item)).map(|item| item.id.clone()).collect();
        for item in &mut self.list.items {
            if blocked.contains(&item.id) {
                item.status = TodoStatus::Pending;
                item.attempts = 0;
                item.result = None;
                self.reasons.remove(&item.id);
            } else if item.status == TodoStatus::Pending {
                item.attempts = 0;
            }
        }
        self.replan = None;
    }

    fn planned(&mut self, items: &[TodoItem], by: &str) {
        self.list.items = items.to_vec();
        list::renumber(&mut self.list.items);
        self.planned_by = Some(by.to_owned());
    }

    fn count_model(&mut self, step: &Consulted) {
        self.consulted += 1;
        if let Some(call) = &step.call {
            self.used.steps += 1;
            self.used.tokens = self.used.tokens.saturating_add(call.tokens.total());
            self.used.cost = self.used.cost + call.cost;
        }
    }

    fn decided(&mut self, action: &MissionAction) {
        self.used.decisions += 1;
        self.history.push(Message::of_action(action));
        let needs_step = matches!(action, MissionAction::Replan { .. } | MissionAction::Skip { .. });
        if needs_step && self.next_item().is_none() {
            let text = "There is no step at hand: call a tool, ask, or complete.";
            self.history.push(Message::new(SpeakerRole::System, text));
        } else {
            self.decided = Some(action.clone());
        }
    }

    fn called(&mut self, item: &str, call: &ToolCall, hints: ToolHints) {
        self.calls += 1;
        self.used.steps += 1;
        if let Some(item) = self.item_mut(item) {
            item.status = TodoStatus::InProgress;
            item.attempts = item.attempts.saturating_add(1);
        }
        let (item, call) = (item.to_owned(), call.clone());
        self.open = Some(OpenCall { item, call, hints, timed_out: false });
    }

    fn returned(&mut self, key: &str, result: &ToolResult) {
        let Some(mut open) = self.open.take_if(|open| open.call.key == key) else { return };
        if let Some(item) = self.item_mut(&open.item) {
            item.result = Some(result.clone());
        }
        self.problem = result.error.clone();
        if may_have_been_done(&open, result) {
            // The end of a call that must not be made twice is not known just because nobody waited for it.
            open.timed_out = true;
            self.open = Some(open);
            return;
        }
        self.history.push(Message::of_result(&open.call, result));
        self.watch(&open.call, open.hints, result);
        self.answered = None;
        if matches!(self.decided, Some(MissionAction::ToolCall { .. })) {
            self.decided = None;
        }
        let Some(item) = self.item_mut(&open.item) else { return };
        if result.success {
            item.status = TodoStatus::Completed;
        } else if item.status == TodoStatus::InProgress {
            item.status = TodoStatus::Pending;
            if is_kind(result, ToolErrorKind::Cancelled) {
                item.attempts = item.attempts.saturating_sub(1);
            }
        }
    }

    /// The guard against loops counts calls that come out the same in a row.
    fn watch(&mut self, call: &ToolCall, hints: ToolHints, result: &ToolResult) {
        let outcome = if result.success {
            super::call::fingerprint("answer", &result_map(result))
        } else {
            shorten(result.error_text(), 200)
        };
        let name = super::call::fingerprint(&call.tool, &call.arguments);
        if result.success && hints.changes() {
            // The world is another one now: what failed before may go well.
            self.seen.retain(|other, _| *other == name);
        }
        let first = || Seen { tool: call.tool.clone(), outcome: outcome.clone(), times: 0, failed: false };
        let seen = self.seen.entry(name).or_insert_with(first);
        seen.times = if seen.outcome == outcome { seen.times.saturating_add(1) } else { 1 };
        seen.outcome = outcome;
        seen.failed = !result.success;
    }

    fn marked(&mut self, id: &str, status: TodoStatus, attempts: u32, reason: &str) {
        if !matches!(self.decided, Some(MissionAction::Complete { .. })) {
            self.decided = None;
        }
        if self.open.is_none() {
            self.answered = None;
        }
        let Some(item) = self.item_mut(id) else { return };
        item.status = status;
        item.attempts = attempts;
        let position = item.position;
        if reason.is_empty() {
            return;
        }
        if status == TodoStatus::Pending {
            item.result = Some(problem_of(reason));
        }
        self.reasons.insert(id.to_owned(), reason.to_owned());
        let text = format!("Step {position} ({id}) is {status}: {reason}");
        self.history.push(Message::new(SpeakerRole::System, text));
    }

    fn changed(&mut self, change: &ListChange) {
        list::apply_change(&mut self.list, change);
        self.decided = None;
        if let Some(replan) = &mut self.replan {
            replan.changed = Some(change.items.iter().map(|item| item.id.clone()).collect());
        }
    }

    fn said(&mut self, role: SpeakerRole, text: &str) {
        self.history.push(Message::new(role, text));
        if let Some(replan) = &mut self.replan {
            replan.said = Some(text.to_owned());
        }
    }

    fn replan_ended(&mut self, id: &str, success: bool, summary: &str) {
        self.replan = None;
        if self.replan_asked.take_if(|(item, _)| item == id).is_some() || success {
            return;
        }
        if matches!(self.decided, Some(MissionAction::Replan { .. })) {
            self.decided = None;
        }
        if let Some(item) = self.item_mut(id) {
            item.replan_count = item.replan_count.saturating_add(1);
            item.status = TodoStatus::Failed;
            self.reasons.insert(id.to_owned(), summary.to_owned());
        }
    }

    fn answered(&mut self, choice: &Choice) {
        let Some(about) = self.asked.take() else { return };
        if about.starts_with(question::QUESTION) {
            return self.heard_a_person(choice);
        }
        let is = |option: &str| choice.option.eq_ignore_ascii_case(option);
        match about.strip_prefix(question::LEAVE) {
            Some(call) if is(ALLOW) => {
                self.granted.insert(call.to_owned());
            }
            Some(call) if is(ALLOW_ALL) => {
                let tool = call.split(' ').next().unwrap_or_default();
                self.granted_tools.insert(tool.to_owned());
            }
            _ => self.answered = Some(Answered { about, choice: choice.clone() }),
        }
    }

    fn heard_a_person(&mut self, choice: &Choice) {
        let said = choice.option.eq_ignore_ascii_case(ANSWER) && !choice.text.trim().is_empty();
        let message = if said {
            Message::new(SpeakerRole::User, choice.text.trim())
        } else {
            Message::new(SpeakerRole::System, "The person gave no answer; go on without it.")
        };
        self.history.push(message);
        self.decided = None;
    }
}

/// Whether a call that ended without an answer may have changed the world, and would do so once more.
fn may_have_been_done(open: &OpenCall, result: &ToolResult) -> bool {
    let twice_is_more = open.hints.changes() && !open.hints.idempotent_hint;
    let no_end = is_kind(result, ToolErrorKind::Timeout) || is_kind(result, ToolErrorKind::Lost);
    !open.timed_out && twice_is_more && no_end
}

fn is_kind(result: &ToolResult, kind: ToolErrorKind) -> bool {
    result.error.as_ref().is_some_and(|problem| problem.kind == kind)
}

/// What a call answered, without how long it took.
fn result_map(result: &ToolResult) -> candor_model::JsonMap {
    let mut map = candor_model::JsonMap::new();
    map.insert("content".to_owned(), result.content.clone().into());
    map.insert("data".to_owned(), result.data.clone().unwrap_or_default());
    map
}
