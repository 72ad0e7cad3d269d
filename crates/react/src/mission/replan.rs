//! Planning a step anew.

use std::sync::Arc;

use candor_model::{
    AgentNote, ListChange, MissionAction, SpeakerRole, StepStrategy, TodoItem, TodoStatus, ToolErrorKind,
    ToolResult, ToolSpec,
};

use super::items::is_waiting;
use super::poll_action::marked;
use super::{Mission, OpenReplan, Wanted};
use crate::strategy::{self, REPLAN_LIMIT_MS, Rejected};
use crate::words::{error_words, redact, shorten};

/// How much of a rationale is kept.
const RATIONALE_CHARS: usize = 300;

impl Mission {
    /// The step that is to be re-planned: one that is being so, one whose tries are used up, or the one at hand
    /// if the model says so.
    pub(super) fn to_replan(&self) -> Option<&TodoItem> {
        if let Some(replan) = &self.replan {
            let ids = replan.changed.as_ref().and_then(|ids| ids.first()).unwrap_or(&replan.item);
            return self.item(ids);
        }
        if let Some(item) = self.asked_step().filter(|item| is_waiting(item)) {
            return Some(item);
        }
        let failed = |item: &&TodoItem| item.result.as_ref().is_some_and(|result| !result.success);
        let used_up = self.waiting().filter(|item| item.attempts >= item.max_attempts).find(failed);
        let by_model = matches!(self.decided, Some(MissionAction::Replan { .. }));
        used_up.or_else(|| self.next_item().filter(|_| by_model))
    }

    /// The step that a person wants another approach to.
    fn asked_step(&self) -> Option<&TodoItem> {
        self.replan_asked.as_ref().and_then(|(item, _)| self.item(item))
    }

    fn is_asked(&self, item: &TodoItem) -> bool {
        self.asked_step().is_some_and(|asked| asked.id == item.id)
    }

    /// A person's wish for another approach to a step that is over, or that is gone, comes too late.
    pub(super) fn asked_too_late(&self) -> Option<Wanted> {
        let (id, _) = self.replan_asked.as_ref()?;
        if self.replan.is_some() || self.item(id).is_some_and(is_waiting) {
            return None;
        }
        Some(Wanted::Note(vec![not_replanned(id, "the step is over", String::new(), 0)]))
    }

    pub(super) fn replan_wanted(&self, item: &TodoItem) -> Wanted {
        if let Some(ended) = self.replan.as_ref().and_then(ended_well) {
            return Wanted::Note(vec![ended]);
        }
        let error = self.error_of(item);
        let by_model = matches!(self.decided, Some(MissionAction::Replan { .. }));
        if !self.settings.replanning && !self.is_asked(item) {
            let status = if by_model { TodoStatus::Skipped } else { TodoStatus::Failed };
            return Wanted::Note(vec![marked(item, status, &error_words(error.error_text()))]);
        }
        if item.replan_count >= self.settings.max_replans && !self.is_asked(item) {
            let what =
                format!("step {} ({}) was re-planned {} times", item.position, item.id, item.replan_count);
            let warning = AgentNote::Warned { text: format!("{what}, which is the limit: it is given up") };
            return Wanted::Note(vec![
                warning,
                marked(item, TodoStatus::Failed, &error_words(error.error_text())),
            ]);
        }
        let name = self.ask_name(format!("replan_{}_{}", item.id, item.replan_count + 1));
        Wanted::Strategy { name, item: Box::new(item.clone()), error: Box::new(error) }
    }

    fn error_of(&self, item: &TodoItem) -> ToolResult {
        let failed = item.result.as_ref().filter(|result| !result.success);
        if let Some((_, said)) = self.replan_asked.as_ref().filter(|_| self.is_asked(item)) {
            let mut words = "a person wants another approach".to_owned();
            if !said.is_empty() {
                words = format!("{words}: {said}");
            }
            if let Some(failed) = failed {
                words = format!("{words}; last error: {}", failed.error_text());
            }
            return ToolResult::failed(ToolErrorKind::Failed, words.as_str());
        }
        failed.cloned().unwrap_or_else(|| match &self.decided {
            Some(MissionAction::Replan { reason }) => {
                ToolResult::failed(ToolErrorKind::Failed, reason.as_str())
            }
            _ => ToolResult::failed(ToolErrorKind::Failed, "it was asked for"),
        })
    }

    /// What becomes of a strategy: noted before and after, whatever it is.
    pub(super) fn heard_strategy(
        &self,
        strategy: Option<&StepStrategy>,
        by: &str,
        took_ms: u64,
        tools: &[Arc<ToolSpec>],
    ) -> Vec<AgentNote> {
        let Some(item) = self.to_replan() else { return Vec::new() };
        let strategy_type = strategy.map(|found| shorten(&found.strategy_type, 40)).unwrap_or_default();
        let mut notes = Vec::new();
        if self.replan.is_none() {
            let confidence = strategy.map_or(0.0, |found| found.confidence);
            let confidence = if confidence.is_finite() { confidence } else { 0.0 };
            notes.push(AgentNote::ReplanTried {
                task_id: item.id.clone(),
                strategy_type: strategy_type.clone(),
                confidence,
                by: by.to_owned(),
            });
        }
        match self.judged(item, strategy, took_ms, tools) {
            Ok((change, strategy)) => {
                notes.extend(self.changed_so(item, change, strategy, strategy_type, took_ms));
            }
            Err(rejected) if self.is_asked(item) => {
                let summary = format!("{}; the step stays as it is", rejected.summary);
                notes.push(not_replanned(&item.id, &summary, strategy_type, took_ms));
            }
            Err(rejected) => notes.extend(given_up(item, &rejected, strategy_type, took_ms)),
        }
        notes
    }

    fn judged<'a>(
        &self,
        item: &TodoItem,
        strategy: Option<&'a StepStrategy>,
        took_ms: u64,
        tools: &[Arc<ToolSpec>],
    ) -> Result<(ListChange, &'a StepStrategy), Rejected> {
        let nothing = |why: String| Rejected { summary: strategy::NO_STRATEGY.to_owned(), why };
        if took_ms > REPLAN_LIMIT_MS {
            return Err(nothing(format!("it took {took_ms} ms, at most {REPLAN_LIMIT_MS} are allowed")));
        }
        let allowed = self.allowed(tools);
        let most = if self.is_asked(item) { u32::MAX } else { self.settings.max_replans };
        let arguments = |parameters: &candor_model::JsonMap| self.filled(parameters).ok();
        let change = strategy::change(strategy, &self.list, item.position, most, &allowed, &arguments)?;
        strategy.map(|strategy| (change, strategy)).ok_or_else(|| nothing(String::new()))
    }

    fn changed_so(
        &self,
        item: &TodoItem,
        change: ListChange,
        strategy: &StepStrategy,
        strategy_type: String,
        took_ms: u64,
    ) -> Vec<AgentNote> {
        let rationale = shorten(&redact(&strategy.rationale), RATIONALE_CHARS);
        let mut notes = Vec::new();
        if self.replan.as_ref().is_none_or(|replan| replan.said.is_none()) {
            let first = format!("{}{rationale}", replanned(item.position, &strategy_type));
            let text = format!("{first}\n{}", details(&change));
            notes.push(AgentNote::Said { role: SpeakerRole::System, text });
        }
        let new_task_ids = new_ids(&item.id, change.items.iter().map(|item| item.id.clone()).collect());
        notes.push(AgentNote::Changed { change: Box::new(change) });
        notes.push(AgentNote::ReplanEnded {
            task_id: item.id.clone(),
            strategy_type,
            success: true,
            summary: rationale,
            new_task_ids,
            duration_ms: took_ms,
        });
        notes
    }
}

/// What the history says of a step that was re-planned, up to the rationale.
fn replanned(position: u32, strategy_type: &str) -> String {
    format!("Replanned step {position}: {strategy_type} - ")
}

/// The steps that came of it, for the model.
fn details(change: &ListChange) -> String {
    let lines: Vec<String> = change
        .items
        .iter()
        .map(|item| {
            let tool = item.tool.as_deref().unwrap_or("no tool yet");
            let parameters = serde_json::to_string(&item.parameters).unwrap_or_default();
            format!("{}: {} [{tool}] {}", item.id, item.description, shorten(&redact(&parameters), 300))
        })
        .collect();
    lines.join("\n")
}

fn new_ids(old: &str, ids: Vec<String>) -> Vec<String> {
    ids.into_iter().filter(|id| id != old).collect()
}

/// The end of a replan whose change is in effect, told from what was noted of it.
fn ended_well(replan: &OpenReplan) -> Option<AgentNote> {
    let ids = replan.changed.clone()?;
    let said = replan.said.as_deref().unwrap_or_default();
    let first = said.lines().next().unwrap_or_default();
    let summary = first.split_once(&format!("{} - ", replan.strategy_type)).map_or(first, |(_, rest)| rest);
    Some(AgentNote::ReplanEnded {
        task_id: replan.item.clone(),
        strategy_type: replan.strategy_type.clone(),
        success: true,
        summary: summary.to_owned(),
        new_task_ids: new_ids(&replan.item, ids),
        duration_ms: 0,
    })
}

fn not_replanned(step: &str, summary: &str, strategy_type: String, took_ms: u64) -> AgentNote {
    AgentNote::ReplanEnded {
        task_id: step.to_owned(),
        strategy_type,
        success: false,
        summary: summary.to_owned(),
        new_task_ids: Vec::new(),
        duration_ms: took_ms,
    }
}

fn given_up(item: &TodoItem, rejected: &Rejected, strategy_type: String, took_ms: u64) -> Vec<AgentNote> {
    let why = error_words(&rejected.why);
    let text =
        format!("step {} ({}) was not re-planned: {}: {why}", item.position, item.id, rejected.summary);
    let failed = item.result.as_ref().map_or("", ToolResult::error_text);
    let reason = if failed.is_empty() { rejected.summary.clone() } else { error_words(failed) };
    vec![
        not_replanned(&item.id, &rejected.summary, strategy_type, took_ms),
        AgentNote::Warned { text },
        marked(item, TodoStatus::Failed, &reason),
    ]
}
