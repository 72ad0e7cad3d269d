//! A task in the hands of a tool agent: everything that is known of it, folded from its notes.

mod apply;
mod call;
mod ending;
mod handle_result;
mod history;
mod items;
mod poll_action;
mod replan;

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{
    Choice, MissionAction, Money, Noted, StepStrategy, TodoItem, TodoList, ToolCall, ToolHints, ToolProblem,
    ToolResult, WorkOrder,
};
use serde::{Deserialize, Serialize};

use crate::{Metrics, MissionSettings};

pub use self::ending::{Ending, Limit};
pub use self::history::Message;
pub use self::poll_action::Wanted;

/// A task in the hands of a tool agent.
///
/// A new attempt at the same task goes on with the same list: what is done stays done, and people's leave stays
/// given. What failed, and what was left out because of it, gets another chance with its tries counted anew; how
/// often it was re-planned is not forgotten. Limits and the guard against loops begin anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mission {
    order: WorkOrder,
    settings: MissionSettings,
    /// The attempt that is being made; 0 before the first note.
    attempt: u32,
    list: TodoList,
    /// Who made the list; nothing while there is none.
    planned_by: Option<String>,
    history: Vec<Message>,
    /// The call whose end is not known yet.
    open: Option<OpenCall>,
    /// What the model decided, for as long as it is not done.
    decided: Option<MissionAction>,
    /// What a person was asked and has not answered.
    asked: Option<String>,
    /// What a person answered, for as long as nothing followed from it.
    answered: Option<Answered>,
    /// The calls that a person gave leave for.
    granted: BTreeSet<String>,
    /// The tools that a person gave leave for.
    granted_tools: BTreeSet<String>,
    replan: Option<OpenReplan>,
    /// The step that a person wants another approach to, and what they say about it.
    #[serde(default)]
    replan_asked: Option<(String, String)>,
    /// Why steps failed or were left out, by their ids.
    reasons: BTreeMap<String, String>,
    /// The guard against loops: calls, and how often they came out the same in a row.
    seen: BTreeMap<String, Seen>,
    warnings: Vec<String>,
    /// How the last call of a tool in this attempt failed; nothing if it went well.
    problem: Option<ToolProblem>,
    used: Used,
    /// How many notes there are, without those of models: it numbers questions.
    turn: u64,
    /// How many calls of tools were made: it numbers them.
    calls: u64,
    /// How many notes of models there are.
    consulted: usize,
    metrics: Metrics,
}

/// A call whose end is not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OpenCall {
    item: String,
    call: ToolCall,
    hints: ToolHints,
    /// Whether it ended without an answer: it may have been carried out all the same.
    timed_out: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Answered {
    about: String,
    choice: Choice,
}

/// A step that is being re-planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OpenReplan {
    item: String,
    strategy_type: String,
    said: Option<String>,
    /// The steps that came of it.
    changed: Option<Vec<String>>,
}

/// How a call came out, and how often in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    tool: String,
    outcome: String,
    times: u32,
    failed: bool,
}

/// What was used in this attempt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Used {
    steps: u32,
    /// What the model decided: a cx that answers from memory makes no steps, and must not make a loop endless.
    decisions: u32,
    tokens: u64,
    cost: Money,
}

impl Used {
    fn steps(self) -> u32 {
        self.steps.max(self.decisions)
    }
}

/// What came of something that was wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// The steps that a model listed, or why there are none.
    Plan(Result<Vec<TodoItem>, String>),
    /// What a model decided, or why it did not.
    Action(Result<MissionAction, String>),
    /// A way to plan the step anew, if one was found.
    Strategy {
        /// The way.
        strategy: Option<StepStrategy>,
        /// `model` or `rules`.
        by: String,
        /// How long it took to find.
        took_ms: u64,
    },
    /// What came of a call.
    Returned {
        /// The call.
        key: String,
        /// Its result.
        result: Box<ToolResult>,
    },
    /// Whether a call whose end nobody knew was carried out.
    Carried {
        /// The call.
        key: String,
        /// Whether it was.
        carried: candor_model::Carried,
    },
}

impl Mission {
    /// A task of which nothing is done.
    #[must_use]
    pub fn new(order: &WorkOrder, settings: MissionSettings) -> Self {
        let list = TodoList { list_id: order.task_id.to_string(), items: Vec::new() };
        Self {
            order: order.clone(),
            settings,
            attempt: 0,
            list,
            planned_by: None,
            history: Vec::new(),
            open: None,
            decided: None,
            asked: None,
            answered: None,
            granted: BTreeSet::new(),
            granted_tools: BTreeSet::new(),
            replan: None,
            replan_asked: None,
            reasons: BTreeMap::new(),
            seen: BTreeMap::new(),
            warnings: Vec::new(),
            problem: None,
            used: Used::default(),
            turn: 0,
            calls: 0,
            consulted: 0,
            metrics: Metrics::default(),
        }
    }

    /// A task as its notes tell it, at the beginning of the order's attempt or where that was left.
    #[must_use]
    pub fn resume(order: &WorkOrder, settings: MissionSettings, notes: &[Noted]) -> Self {
        let mut mission = Self::new(order, settings);
        for noted in notes {
            mission.begin(noted.attempt);
            mission.apply(&noted.note);
        }
        mission.begin(order.attempt);
        mission
    }

    /// The steps.
    #[must_use]
    pub const fn list(&self) -> &TodoList {
        &self.list
    }

    /// What was said so far, in order.
    #[must_use]
    pub fn history(&self) -> &[Message] {
        &self.history
    }

    /// What the task is.
    #[must_use]
    pub const fn order(&self) -> &WorkOrder {
        &self.order
    }

    /// What it must keep to.
    #[must_use]
    pub const fn settings(&self) -> &MissionSettings {
        &self.settings
    }

    /// The figures, over all attempts.
    #[must_use]
    pub const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// How many steps of models it knows of; those behind are new to it.
    #[must_use]
    pub const fn consulted(&self) -> usize {
        self.consulted
    }

    /// What a person was asked and has not answered.
    #[must_use]
    pub fn asked(&self) -> Option<&str> {
        self.asked.as_deref()
    }

    /// What models may still cost in this attempt.
    #[must_use]
    pub fn money_left(&self) -> Money {
        self.settings.max_cost.map_or(Money::MAX, |most| most.saturating_sub(self.used.cost))
    }

    /// When the attempt has to end with what it has, in milliseconds from its beginning: a little before the
    /// order's deadline, so that the answer still arrives.
    #[must_use]
    pub fn deadline_ms(&self) -> u64 {
        let whole = self.order.deadline_seconds.as_millis();
        whole.saturating_sub((whole / 20).clamp(1, 200))
    }
}
