//! What a mission wants next.

use std::sync::Arc;

use candor_model::{
    ASK_PERSON, AgentNote, Choice, ChoiceRequest, FailureKind, JsonMap, MissionAction, TodoItem, TodoStatus,
    ToolCall, ToolErrorKind, ToolHints, ToolResult, ToolSpec,
};

use super::{Ending, Limit, Mission, OpenCall};
use crate::question::{self, AGAIN, ANSWER, DONE, END, LEAVE, PERSON, QUESTION};
use crate::words::error_words;
use crate::{list, plan};

/// What is wanted next. Whoever drives the mission does it, and lets it hear what came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// These are to be noted: they follow from what is known. Then it is asked again.
    Note(Vec<AgentNote>),
    /// A model is to list the steps.
    Plan {
        /// Names the question.
        name: String,
    },
    /// A model is to decide what to do next.
    Act {
        /// Names the question.
        name: String,
        /// The step at hand; nothing if all have ended and the outputs are wanted.
        item: Option<Box<TodoItem>>,
    },
    /// A way is wanted to re-plan a step.
    Strategy {
        /// Names the question.
        name: String,
        /// The step.
        item: Box<TodoItem>,
        /// What its tool answered last.
        error: Box<ToolResult>,
    },
    /// A tool is to be called.
    Call {
        /// The step.
        item: String,
        /// The call.
        call: Box<ToolCall>,
        /// What the tool does to the world.
        hints: ToolHints,
        /// Whether it is on the log already that it is called: then it is not noted again.
        again: bool,
    },
    /// It is to be found out whether a call was carried out.
    Verify {
        /// The call.
        call: Box<ToolCall>,
    },
    /// A person is to be asked. It is noted what for, and the mission rests until they have answered.
    Ask {
        /// What for.
        about: String,
        /// The question.
        question: Box<ChoiceRequest>,
    },
    /// Nothing: this is how it ended.
    Done(Box<Ending>),
}

impl Mission {
    /// What is wanted next, with the tools that there are, so many milliseconds after the attempt began.
    #[must_use]
    pub fn poll_action(&self, tools: &[Arc<ToolSpec>], now_ms: u64) -> Wanted {
        let wanted = self.next_wish(tools);
        let (costs_time, costs_steps) = match &wanted {
            Wanted::Note(_) | Wanted::Ask { .. } | Wanted::Done(_) => (false, false),
            Wanted::Verify { .. } | Wanted::Call { again: true, .. } => (true, false),
            _ => (true, true),
        };
        let limit = (costs_time && now_ms >= self.deadline_ms()).then_some(Limit::Time);
        match limit.or_else(|| self.limit().filter(|_| costs_steps)) {
            Some(limit) => Wanted::Done(Box::new(self.ending(Some(limit)))),
            None => wanted,
        }
    }

    fn limit(&self) -> Option<Limit> {
        if self.used.steps() >= self.settings.max_steps {
            Some(Limit::Steps)
        } else if self.used.tokens >= self.settings.max_tokens {
            Some(Limit::Tokens)
        } else {
            let most = self.settings.max_cost?;
            (self.used.cost >= most).then_some(Limit::Money)
        }
    }

    fn next_wish(&self, tools: &[Arc<ToolSpec>]) -> Wanted {
        if let Some(MissionAction::Complete { .. }) = &self.decided {
            return self.done();
        }
        if let Some(wanted) = self.after_an_answer(tools).or_else(|| self.after_an_open_call()) {
            return wanted;
        }
        if self.planned_by.is_none() {
            return self.first_list();
        }
        if let Some(too_late) = self.asked_too_late() {
            return too_late;
        }
        if let Some(item) = self.to_replan() {
            return self.replan_wanted(item);
        }
        match self.next_item() {
            Some(item) => self.for_item(item, tools),
            None => self.without_item(),
        }
    }

    fn done(&self) -> Wanted {
        Wanted::Done(Box::new(self.ending(None)))
    }

    /// Names a question to a model: the same after a restart, another in another attempt.
    pub(super) fn ask_name(&self, name: String) -> String {
        if self.attempt <= 1 { name } else { format!("{name}_attempt_{}", self.attempt) }
    }

    /// What follows from a person's word on a call.
    fn after_an_answer(&self, tools: &[Arc<ToolSpec>]) -> Option<Wanted> {
        let answered = self.answered.as_ref()?;
        if let Some(item) = answered.about.strip_prefix(PERSON) {
            return Some(Wanted::Note(self.said_by_a_person(self.item(item)?, &answered.choice)));
        }
        if let Some(call) = answered.about.strip_prefix(LEAVE) {
            let item = self.item(call.split(' ').nth(1)?)?;
            let reason = match answered.choice.text.trim() {
                _ if answered.choice.by_default => self.refused(item, tools),
                "" => "a person did not allow it".to_owned(),
                words => format!("a person did not allow it: {words}"),
            };
            return Some(Wanted::Note(vec![marked(item, TodoStatus::Failed, &error_words(&reason))]));
        }
        let open =
            self.open.as_ref().filter(|open| answered.about.strip_prefix(END) == Some(&open.call.key))?;
        let is = |option: &str| answered.choice.option.eq_ignore_ascii_case(option);
        let cancelled = |why: &str| returned(open, ToolResult::failed(ToolErrorKind::Cancelled, why));
        Some(Wanted::Note(if is(DONE) {
            let said = answered.choice.text.trim();
            let said = if said.is_empty() { "A person says that it was carried out." } else { said };
            vec![returned(open, ToolResult::done(said, None))]
        } else if is(AGAIN) {
            vec![cancelled("its end is not known; a person wants it to be called again")]
        } else {
            let item = self.item(&open.item).filter(|item| super::items::is_waiting(item));
            let skip =
                item.map(|item| marked(item, TodoStatus::Skipped, "a person wants to go on without it"));
            skip.into_iter().chain([cancelled("its end is not known; a person goes on without it")]).collect()
        }))
    }

    /// What a person answered is the result of a step that asks.
    fn said_by_a_person(&self, item: &TodoItem, choice: &Choice) -> Vec<AgentNote> {
        let text = choice.text.trim();
        if !choice.option.eq_ignore_ascii_case(ANSWER) || text.is_empty() {
            return vec![marked(item, TodoStatus::Skipped, "the person gave no answer")];
        }
        let call = self.next_call(item, ASK_PERSON, JsonMap::new());
        let result = ToolResult::done(text, Some(serde_json::json!({ "answer": text })));
        let (key, hints) = (call.key.clone(), ToolHints::READS);
        vec![
            AgentNote::Called { item: item.id.clone(), call: Box::new(call), hints },
            AgentNote::Returned { key, result: Box::new(result) },
        ]
    }

    /// What is to be done about a call whose end is not known.
    fn after_an_open_call(&self) -> Option<Wanted> {
        let open = self.open.as_ref()?;
        let call = Box::new(open.call.clone());
        if !open.hints.changes() || open.hints.idempotent_hint {
            return Some(Wanted::Call { item: open.item.clone(), call, hints: open.hints, again: true });
        }
        let about = format!("{END}{}", open.call.key);
        Some(if self.asked.as_deref() == Some(about.as_str()) {
            Wanted::Ask { about, question: Box::new(question::end(&self.order, &open.call)) }
        } else {
            Wanted::Verify { call }
        })
    }

    fn first_list(&self) -> Wanted {
        match plan::steps_of_task(&self.order) {
            Some(Ok(items)) => Wanted::Note(vec![AgentNote::Planned { items, by: "task".to_owned() }]),
            Some(Err(problem)) => Wanted::Done(Box::new(Ending::failed(FailureKind::TaskError, problem))),
            None if self.settings.model => Wanted::Plan { name: self.ask_name("plan".to_owned()) },
            None => Wanted::Done(Box::new(Ending::failed(
                FailureKind::Unavailable,
                "The tool agent has no model, and the task lists no steps. Configure a model, or give the task an \
                 input `steps`: a list of {description, tool, parameters, save_as}."
                    .to_owned(),
            ))),
        }
    }

    fn for_item(&self, item: &TodoItem, tools: &[Arc<ToolSpec>]) -> Wanted {
        match &self.decided {
            Some(MissionAction::ToolCall { tool, parameters }) => {
                self.call_for(item, tool, parameters, true, tools)
            }
            Some(MissionAction::AskUser { question }) => self.ask(question),
            Some(MissionAction::Skip { reason }) => {
                let reason = if reason.trim().is_empty() { "the model goes on without it" } else { reason };
                Wanted::Note(vec![marked(item, TodoStatus::Skipped, &error_words(reason))])
            }
            // A replan is wanted before the step is, and what completes ends everything.
            Some(MissionAction::Replan { .. } | MissionAction::Complete { .. }) => self.replan_wanted(item),
            None => match &item.tool {
                Some(tool) => self.call_for(item, tool, &item.parameters, false, tools),
                None if self.settings.model => Wanted::Act {
                    name: self.ask_name(format!("act_{}", self.turn)),
                    item: Some(Box::new(item.clone())),
                },
                None => {
                    let reason = "it names no tool, and there is no model to choose one";
                    Wanted::Note(vec![marked(item, TodoStatus::Failed, reason)])
                }
            },
        }
    }

    fn without_item(&self) -> Wanted {
        if let Some(item) = self.waiting().next() {
            return Wanted::Note(vec![self.hopeless(item)]);
        }
        match &self.decided {
            Some(MissionAction::ToolCall { tool, parameters }) => {
                let mut item = TodoItem::new("", 0, format!("Use {tool}"));
                item.tool = Some(tool.clone());
                item.parameters.clone_from(parameters);
                let change = Box::new(list::append_step(&self.list, item));
                Wanted::Note(vec![AgentNote::Changed { change }])
            }
            Some(MissionAction::AskUser { question }) => self.ask(question),
            _ if self.needs_words() => {
                Wanted::Act { name: self.ask_name(format!("act_{}", self.turn)), item: None }
            }
            _ => self.done(),
        }
    }

    /// The end of a step that will never be ready.
    fn hopeless(&self, item: &TodoItem) -> AgentNote {
        match self.lost_behind(item) {
            Some(lost) => {
                let reason = format!("it waits for step {} ({}), which failed", lost.position, lost.id);
                marked(item, TodoStatus::Skipped, &reason)
            }
            None => marked(item, TodoStatus::Failed, "it waits for a step that waits for it"),
        }
    }

    fn ask(&self, text: &str) -> Wanted {
        let about = match &self.asked {
            Some(about) if about.starts_with(QUESTION) => about.clone(),
            _ => format!("{QUESTION}{}", self.turn),
        };
        Wanted::Ask { about, question: Box::new(question::open(&self.order, text)) }
    }
}

pub(super) fn marked(item: &TodoItem, status: TodoStatus, reason: &str) -> AgentNote {
    AgentNote::Marked { item: item.id.clone(), status, attempts: item.attempts, reason: reason.to_owned() }
}

pub(super) fn returned(open: &OpenCall, result: ToolResult) -> AgentNote {
    AgentNote::Returned { key: open.call.key.clone(), result: Box::new(result) }
}
