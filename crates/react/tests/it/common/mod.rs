//! What the tests of the loop share: orders, tools, and a driver that plays the world.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    AgentNote, Carried, Choice, FollowUp, JsonMap, MissionAction, Noted, RunId, Seconds, StepStrategy,
    TaskId, TodoItem, ToolCall, ToolErrorKind, ToolHints, ToolResult, ToolSpec, WorkOrder,
};
use candor_react::{Ending, Heard, Mission, MissionSettings, Wanted};
use serde_json::{Value, json};

#[allow(clippy::needless_pass_by_value, reason = "it is given literals")]
pub fn map(value: Value) -> JsonMap {
    value.as_object().cloned().unwrap_or_default()
}

pub fn order(steps: Value, expected: &[&str]) -> WorkOrder {
    let mut inputs = map(json!({ "city": "Paris", "days": 3 }));
    if !steps.is_null() {
        inputs.insert("steps".to_owned(), steps);
    }
    WorkOrder {
        run_id: RunId::new("run_1").unwrap(),
        task_id: TaskId::new("task_001").unwrap(),
        description: "Plan the trip".to_owned(),
        inputs,
        upstream: BTreeMap::from([(TaskId::new("task_000").unwrap(), map(json!({ "budget": 2000 })))]),
        expected_outputs: expected.iter().map(|name| (*name).to_owned()).collect(),
        attempt: 1,
        idempotency_key: "run_1/task_001/1".to_owned(),
        deadline_seconds: Seconds::whole(60),
        brief: Default::default(),
        context: Vec::new(),
        allow: Vec::new(),
    }
}

pub fn tool(name: &str, description: &str, schema: Value, hints: ToolHints) -> Arc<ToolSpec> {
    Arc::new(ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: Arc::new(schema),
        hints,
        undo: None,
        check: None,
    })
}

const ADDS: ToolHints = ToolHints {
    read_only_hint: false,
    destructive_hint: false,
    idempotent_hint: false,
    open_world_hint: false,
};

/// `read`, `look` (like it), `add` (changes), `wipe` (destroys) and `install_package`.
pub fn tools() -> Vec<Arc<ToolSpec>> {
    let text = |name: &str| {
        json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name],
                "additionalProperties": false })
    };
    let mut add = (*tool("add", "Adds an entry to the calendar", json!({ "type": "object" }), ADDS)).clone();
    add.undo = Some(FollowUp {
        tool: "wipe".to_owned(),
        arguments: map(json!({ "path": "${result.id}", "why": "undo ${arguments.title}" })),
    });
    vec![
        tool("read", "Reads a page of the web", text("url"), ToolHints::READS),
        tool("look", "Reads a page of the web from a copy", text("url"), ToolHints::READS),
        Arc::new(add),
        tool("wipe", "Removes a path for good", json!({ "type": "object" }), ToolHints::default()),
        tool("install_package", "Installs a package", text("package"), ADDS),
    ]
}

pub fn failed(text: &str) -> ToolResult {
    ToolResult::failed(ToolErrorKind::Failed, text)
}

pub fn strategy(kind: &str, confidence: f64, modifications: Value) -> StepStrategy {
    StepStrategy {
        strategy_type: kind.to_owned(),
        rationale: "it may help".to_owned(),
        modifications: map(modifications),
        confidence,
    }
}

type OnStrategy = Box<dyn FnMut(&TodoItem, &ToolResult) -> Option<StepStrategy>>;
type OnAct = Box<dyn FnMut(Option<&TodoItem>) -> Result<MissionAction, String>>;

/// Plays the world for a mission: tools, models, people.
pub struct World {
    pub tools: Vec<Arc<ToolSpec>>,
    pub on_call: Box<dyn FnMut(&ToolCall) -> ToolResult>,
    pub on_strategy: OnStrategy,
    pub on_act: OnAct,
    pub plan: Result<Vec<TodoItem>, String>,
    pub carried: Carried,
    pub answers: Vec<&'static str>,
    pub strategy_ms: u64,
    pub notes: Vec<AgentNote>,
    pub calls: Vec<ToolCall>,
    pub strategies: usize,
    pub acts: usize,
}

impl World {
    pub fn new(on_call: impl FnMut(&ToolCall) -> ToolResult + 'static) -> Self {
        Self {
            tools: tools(),
            on_call: Box::new(on_call),
            on_strategy: Box::new(|_, _| None),
            on_act: Box::new(|_| Err("no model".to_owned())),
            plan: Err("no model".to_owned()),
            carried: Carried::Unknown,
            answers: Vec::new(),
            strategy_ms: 1,
            notes: Vec::new(),
            calls: Vec::new(),
            strategies: 0,
            acts: 0,
        }
    }

    pub fn well() -> Self {
        Self::new(|call| ToolResult::done(format!("{} did it", call.tool), None))
    }

    pub fn with_strategy(
        mut self,
        find: impl FnMut(&TodoItem, &ToolResult) -> Option<StepStrategy> + 'static,
    ) -> Self {
        self.on_strategy = Box::new(find);
        self
    }

    pub fn take(&mut self, mission: &mut Mission, notes: Vec<AgentNote>) {
        for note in notes {
            mission.apply(&note);
            self.notes.push(note);
        }
    }

    /// Works until it ends, or until a person is asked who does not answer.
    pub fn run(&mut self, mission: &mut Mission) -> Option<Ending> {
        for _ in 0..500 {
            match mission.poll_action(&self.tools.clone(), 0) {
                Wanted::Done(ending) => return Some(*ending),
                Wanted::Ask { about, .. } if self.answers.is_empty() => {
                    if mission.asked() != Some(about.as_str()) {
                        self.take(mission, vec![AgentNote::Asked { about }]);
                    }
                    return None;
                }
                wanted => self.step(mission, wanted),
            }
        }
        panic!("the mission does not end: {:?}", self.notes.last());
    }

    fn step(&mut self, mission: &mut Mission, wanted: Wanted) {
        let tools = self.tools.clone();
        let heard = match wanted {
            Wanted::Note(notes) => return self.take(mission, notes),
            Wanted::Plan { .. } => Heard::Plan(self.plan.clone()),
            Wanted::Act { item, .. } => {
                self.acts += 1;
                Heard::Action((self.on_act)(item.as_deref()))
            }
            Wanted::Strategy { item, error, .. } => {
                self.strategies += 1;
                assert_ne!(item.status, candor_model::TodoStatus::Failed);
                let strategy = (self.on_strategy)(&item, &error);
                Heard::Strategy { strategy, by: "model".to_owned(), took_ms: self.strategy_ms }
            }
            Wanted::Call { item, call, hints, again } => {
                if !again {
                    let called = AgentNote::Called { item, call: call.clone(), hints };
                    self.take(mission, vec![called]);
                }
                self.calls.push((*call).clone());
                let result = Box::new((self.on_call)(&call));
                Heard::Returned { key: call.key.clone(), result }
            }
            Wanted::Verify { call } => Heard::Carried { key: call.key.clone(), carried: self.carried },
            Wanted::Ask { about, .. } => {
                let mut notes = Vec::new();
                if mission.asked() != Some(about.as_str()) {
                    notes.push(AgentNote::Asked { about });
                }
                let option = self.answers.remove(0).to_owned();
                let choice = Choice { text: "as I say".to_owned(), option, by_default: false };
                notes.push(AgentNote::Answered { choice });
                return self.take(mission, notes);
            }
            Wanted::Done(_) => return,
        };
        let notes = mission.handle_result(heard, &tools);
        self.take(mission, notes);
    }

    pub fn noted(&self) -> Vec<Noted> {
        self.notes.iter().map(|note| Noted { attempt: 1, note: note.clone() }).collect()
    }

    pub fn called(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.tool.as_str()).collect()
    }

    pub fn warnings(&self) -> Vec<&str> {
        fn text(note: &AgentNote) -> Option<&str> {
            if let AgentNote::Warned { text } = note { Some(text) } else { None }
        }
        self.notes.iter().filter_map(text).collect()
    }
}

pub fn mission(steps: Value, expected: &[&str]) -> Mission {
    mission_with(steps, expected, MissionSettings::default())
}

pub fn mission_with(steps: Value, expected: &[&str], settings: MissionSettings) -> Mission {
    Mission::resume(&order(steps, expected), settings, &[])
}
