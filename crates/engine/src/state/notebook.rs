//! What agents noted while they worked, and the ledger of their side effects.
//!
//! Notes belong to a task for as long as it is not done: whoever makes the next attempt finds them. The ledger
//! outlives tasks, revisions and rollbacks, because the world does not go back by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{
    AgentNote, ChoiceRequest, FollowUp, GateId, LedgerEntry, Money, Noted, ReadFile, Receipt, TaskId,
    ToolCall, ToolHints, ToolResult, UndoStep,
};
use candor_planning::claims;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{RunState, TaskState};

/// How much of what a tool said the ledger keeps.
const SUMMARY: usize = 200;

/// So many web addresses of a run are kept.
const ADDRESSES: usize = 10_000;

/// The key of a file that is to be as it was when it was first read.
const FILE: &str = "file:";

/// Notes and ledger of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Notebook {
    notes: BTreeMap<TaskId, Arc<Vec<Noted>>>,
    ledger: Arc<Vec<LedgerEntry>>,
    /// What is being undone, the next first.
    undoing: Vec<String>,
    /// The web addresses that tools were given or spoke of.
    #[serde(default)]
    addresses: BTreeSet<String>,
    /// The tokens of the models that agents asked, by task.
    #[serde(default)]
    tokens: BTreeMap<TaskId, u64>,
}

impl Notebook {
    fn write(&mut self, task_id: &TaskId, attempt: u32, note: &AgentNote) {
        let notes = self.notes.entry(task_id.clone()).or_default();
        Arc::make_mut(notes).push(Noted { attempt, note: note.clone() });
    }

    fn entry(&mut self, key: &str) -> Option<&mut LedgerEntry> {
        Arc::make_mut(&mut self.ledger).iter_mut().rev().find(|entry| entry.key == key)
    }

    fn receive(&mut self, key: &str, result: &ToolResult) {
        let said = if result.success { &result.content } else { result.error_text() };
        let summary = said.chars().take(SUMMARY).collect();
        let receipt = Receipt { success: result.success, summary, undo: result.undo.clone() };
        if let Some(entry) = self.entry(key) {
            entry.receipt = Some(receipt);
        }
    }

    /// Keeps the web addresses of a call or an answer: an agent that says it was there has them for evidence.
    fn keep_addresses(&mut self, text: &str) {
        let room = ADDRESSES.saturating_sub(self.addresses.len());
        self.addresses.extend(claims::addresses(text).take(room).map(str::to_owned));
    }

    pub(super) fn forget(&mut self, task_id: &TaskId) {
        self.notes.remove(task_id);
    }

    /// After a rollback what was under way begins anew; side effects stay.
    pub(super) fn roll_back(&mut self) {
        self.notes.clear();
        self.undoing.clear();
    }
}

impl RunState {
    /// What was noted for a task so far, in all of its attempts.
    #[must_use]
    pub fn notes(&self, task_id: &TaskId) -> &[Noted] {
        self.notebook.notes.get(task_id).map_or(&[], |notes| notes)
    }

    /// Every change of the world that agents intended, in order, with what is known of it.
    #[must_use]
    pub fn ledger(&self) -> &[LedgerEntry] {
        &self.notebook.ledger
    }

    /// The web addresses that tools were given or spoke of.
    #[must_use]
    pub const fn addresses(&self) -> &BTreeSet<String> {
        &self.notebook.addresses
    }

    /// The tokens of the models that were asked for a task; nothing if none was.
    pub(crate) fn tokens_of(&self, task_id: &TaskId) -> Option<u64> {
        self.notebook.tokens.get(task_id).copied()
    }

    /// The call of a tool that is to be undone now.
    #[must_use]
    pub fn to_undo(&self, key: &str) -> Option<&LedgerEntry> {
        self.ledger().iter().find(|entry| entry.key == key)
    }

    /// The file that is to be as it was now.
    #[must_use]
    pub fn to_restore(&self, key: &str) -> Option<&ReadFile> {
        self.findings().documents.originals.get(key.strip_prefix(FILE)?)
    }

    pub(crate) fn undoing(&self) -> &[String] {
        &self.notebook.undoing
    }

    /// What the run went back behind and could be undone, the latest first: keys, and what each is in words.
    pub(crate) fn undoable(&self) -> Vec<(String, String)> {
        let kept = |entry: &LedgerEntry| {
            self.work().and_then(|work| work.find(&entry.task_id)).is_some_and(|(_, _, run)| run.is_done())
        };
        let calls =
            self.ledger().iter().rev().filter(|entry| !kept(entry) && entry.can_be_undone().is_some());
        let calls = calls.map(|entry| (entry.key.clone(), in_words(&entry.tool, entry)));
        let done = self.work().is_some_and(|work| work.tasks().any(|(_, run)| run.is_done()));
        let files = self.findings().documents.modified().filter(|_| !done);
        calls
            .chain(files.map(|path| (format!("{FILE}{path}"), format!("{path}: as it was when it was read"))))
            .collect()
    }

    pub(super) fn apply_undo(&mut self, step: &UndoStep) {
        match step {
            UndoStep::Requested { keys } => self.notebook.undoing.clone_from(keys),
            UndoStep::Ended { key, undone } => {
                self.notebook.undoing.retain(|open| open != key);
                if let Some(entry) = self.notebook.entry(key) {
                    entry.undone = Some(undone.clone());
                } else if let Some(path) = key.strip_prefix(FILE)
                    && undone.success
                {
                    self.findings_mut().documents.restored(path);
                }
            }
        }
    }

    /// The attempt that asked a person is suspended until it is answered.
    pub(super) fn suspend(&mut self, request: &ChoiceRequest, gate: &GateId) {
        if let Some(task_id) = asked_by(request) {
            self.change_attempt(&task_id, |attempt| attempt.waits_for = Some(gate.clone()));
        }
    }

    pub(super) fn take_note(&mut self, task_id: &TaskId, attempt: u32, note: &AgentNote) {
        self.notebook.write(task_id, attempt, note);
        match note {
            AgentNote::Called { call, hints, .. } => {
                for text in call.arguments.values().filter_map(Value::as_str) {
                    self.notebook.keep_addresses(text);
                }
                if hints.changes() {
                    self.intend(task_id, attempt, call, *hints);
                }
            }
            AgentNote::Answered { .. } => self.change_attempt(task_id, |attempt| attempt.waits_for = None),
            AgentNote::Returned { key, result } => {
                self.notebook.keep_addresses(&result.content);
                self.notebook.receive(key, result);
            }
            AgentNote::Consulted { ask, step, .. } => {
                self.pay_within(task_id, note.cost());
                if let Some(call) = &step.call {
                    let tokens = self.notebook.tokens.entry(task_id.clone()).or_default();
                    *tokens = tokens.saturating_add(call.tokens.total());
                }
                self.bill_note(ask, step);
            }
            AgentNote::Session { tokens, .. } => {
                self.pay_within(task_id, note.cost());
                if let Some(used) = tokens {
                    let tokens = self.notebook.tokens.entry(task_id.clone()).or_default();
                    *tokens = tokens.saturating_add(used.total());
                }
            }
            // They are for whoever makes the next attempt.
            AgentNote::Planned { .. }
            | AgentNote::Decided { .. }
            | AgentNote::Marked { .. }
            | AgentNote::Changed { .. }
            | AgentNote::Said { .. }
            | AgentNote::ReplanTried { .. }
            | AgentNote::ReplanEnded { .. }
            | AgentNote::ReplanAsked { .. }
            | AgentNote::Worked { .. }
            | AgentNote::Asked { .. }
            | AgentNote::Warned { .. }
            | AgentNote::Remote { .. } => {}
        }
    }

    fn intend(&mut self, task_id: &TaskId, attempt: u32, call: &ToolCall, hints: ToolHints) {
        let running = self.work().and_then(|work| work.find(task_id)?.2.in_flight());
        let Some(agent_type) = running.map(|running| running.agent_type.clone()) else { return };
        if self.notebook.entry(&call.key).is_some() {
            return;
        }
        Arc::make_mut(&mut self.notebook.ledger).push(LedgerEntry {
            key: call.key.clone(),
            task_id: task_id.clone(),
            attempt,
            agent_type,
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            hints,
            receipt: None,
            undone: None,
        });
    }

    /// What an attempt spends is taken from what was set aside for it.
    fn pay_within(&mut self, task_id: &TaskId, amount: Money) {
        let mut freed = Money::ZERO;
        self.change_attempt(task_id, |attempt| {
            freed = amount.min(attempt.reserved);
            attempt.reserved = attempt.reserved.saturating_sub(freed);
            attempt.charged = attempt.charged + amount;
        });
        self.budget.allowance.release(freed);
    }

    fn change_attempt(&mut self, task_id: &TaskId, change: impl FnOnce(&mut super::Attempt)) {
        let Some((work, index)) = self.work_at(task_id) else { return };
        if let Some(TaskState::InFlight(attempt)) = work.run_mut(index).map(|run| &mut run.state) {
            change(attempt);
        }
    }
}

/// The task whose agent asks.
pub(crate) fn asked_by(request: &ChoiceRequest) -> Option<TaskId> {
    TaskId::new(request.concerns.first()?).ok()
}

fn in_words(tool: &str, entry: &LedgerEntry) -> String {
    let undo = entry.can_be_undone().map(|FollowUp { tool, .. }| tool.as_str()).unwrap_or_default();
    let what = ["path", "name", "id", "url"].iter().find_map(|name| entry.arguments.get(*name)?.as_str());
    match what {
        Some(what) => format!("{tool} {what} (by {undo})"),
        None => format!("{tool} of {} (by {undo})", entry.task_id),
    }
}
