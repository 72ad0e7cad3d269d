//! The tool agent at work: a real loop, a toolbox and a cx in memory, and every place where it can be killed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candor_agents::{ToolAgent, ToolAgentConfig};
use candor_model::{
    AgentAnswer, AgentNote, AgentType, AskStep, Asking, Broadcast, Carried, Choice, Consulted, FailureKind,
    FeedbackType, FollowUp, LedgerEntry, ModelCall, Money, Noted, QueryAnswer, Receipt, RunId, Seconds,
    TaskId, Telling, Tier, TokenUse, ToolCall, ToolErrorKind, ToolHints, ToolResult, ToolSpec, Transience,
    Undone, WorkOrder,
};
use candor_ports::{Agent, AgentFailure, Ask, AttemptContext, BoxFuture, PeerChannel, Toolbox};
use candor_react::{MissionSettings, metrics};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const ADDS: ToolHints = ToolHints {
    read_only_hint: false,
    destructive_hint: false,
    idempotent_hint: false,
    open_world_hint: false,
};

type Answers = Box<dyn Fn(&ToolCall, usize) -> ToolResult + Send + Sync>;

/// Tools in memory: `read`, `look` (like it), `add` (changes), `hang` and `install_package`.
struct Tools {
    calls: Mutex<Vec<ToolCall>>,
    answers: Answers,
    carried: Carried,
}

impl Tools {
    fn new(answers: impl Fn(&ToolCall, usize) -> ToolResult + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { calls: Mutex::default(), answers: Box::new(answers), carried: Carried::Unknown })
    }

    fn well() -> Arc<Self> {
        Self::new(|call, _| ToolResult::done(format!("{} did it", call.tool), Some(json!({ "id": "e1" }))))
    }

    fn called(&self) -> Vec<String> {
        self.calls.lock().unwrap().iter().map(|call| call.tool.clone()).collect()
    }
}

fn spec(name: &str, description: &str, required: &str, hints: ToolHints) -> Arc<ToolSpec> {
    let schema = json!({ "type": "object", "properties": { required: { "type": "string" } },
        "required": [required], "additionalProperties": false });
    let undo = (name == "add").then(|| FollowUp {
        tool: "remove".to_owned(),
        arguments: json!({ "id": "${result.id}" }).as_object().unwrap().clone(),
    });
    let (name, description) = (name.to_owned(), description.to_owned());
    Arc::new(ToolSpec { name, description, input_schema: Arc::new(schema), hints, undo, check: None })
}

impl Toolbox for Tools {
    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>> {
        Box::pin(std::future::ready(vec![
            spec("read", "Reads a page of the web", "url", ToolHints::READS),
            spec("look", "Reads a page of the web from a copy", "url", ToolHints::READS),
            spec("add", "Adds an entry to the calendar", "title", ADDS),
            spec("hang", "Never answers", "url", ToolHints::READS),
            spec("install_package", "Installs a package", "package", ADDS),
            spec("wipe", "Removes all", "url", ToolHints::default()),
        ]))
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, ToolResult> {
        let number = {
            let mut calls = self.calls.lock().unwrap();
            calls.push(call.clone());
            calls.len()
        };
        Box::pin(async move {
            if call.tool == "hang" {
                return tokio::select! {
                    () = stop.cancelled() => ToolResult::failed(ToolErrorKind::Cancelled, "stopped"),
                    () = tokio::time::sleep(within) => ToolResult::failed(ToolErrorKind::Timeout, "no answer"),
                };
            }
            (self.answers)(call, number)
        })
    }

    fn verify<'a>(
        &'a self,
        _call: &'a ToolCall,
        _within: Duration,
        _stop: CancellationToken,
    ) -> BoxFuture<'a, Carried> {
        Box::pin(std::future::ready(self.carried))
    }
}

/// A cx in memory, with a model that answers from a list.
#[derive(Default)]
struct Memory {
    attempt: u32,
    notes: Mutex<Vec<Noted>>,
    answers: Option<Mutex<VecDeque<Value>>>,
    asked: Mutex<Vec<String>>,
    slots: Mutex<Vec<BTreeMap<&'static str, String>>>,
    /// How long the model thinks.
    thinks: Duration,
}

impl Memory {
    fn new(notes: Vec<Noted>) -> Arc<Self> {
        Arc::new(Self { attempt: 1, notes: Mutex::new(notes), ..Self::default() })
    }

    fn with_model(answers: Vec<Value>) -> Arc<Self> {
        Arc::new(Self { attempt: 1, answers: Some(Mutex::new(answers.into())), ..Self::default() })
    }

    fn push(&self, note: AgentNote) {
        self.notes.lock().unwrap().push(Noted { attempt: self.attempt, note });
    }

    fn answer(&self, option: &str, text: &str) {
        let choice = Choice { option: option.to_owned(), text: text.to_owned(), by_default: false };
        self.push(AgentNote::Answered { choice });
    }
}

fn consulted(value: Value) -> Box<Consulted> {
    let call = ModelCall {
        tier: Tier::Fast,
        model: "m".to_owned(),
        prompt: "p".to_owned(),
        request: "r".to_owned(),
        answer: None,
        failure: None,
        tokens: TokenUse { input: 10, ..TokenUse::default() },
        cost: Money::from_micros(100),
        saved: Money::ZERO,
        duration_seconds: Seconds::ZERO,
        details: None,
    };
    Box::new(Consulted { call: Some(call), outcome: AskStep::Accepted { value, repairs: Vec::new() } })
}

impl AttemptContext for Memory {
    fn notes(&self) -> Vec<Noted> {
        self.notes.lock().unwrap().clone()
    }

    fn note(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        self.push(note);
        Box::pin(std::future::ready(Ok(())))
    }

    fn consult(&self, name: String, ask: Ask, _: Money, _: Seconds) -> BoxFuture<'_, Result<Value, String>> {
        Box::pin(async move {
            let known = self.notes().into_iter().find_map(|noted| match noted.note {
                AgentNote::Consulted { ask, step, .. } if ask == name => match step.outcome {
                    AskStep::Accepted { value, .. } => Some(value),
                    _ => None,
                },
                _ => None,
            });
            if let Some(value) = known {
                return Ok(value);
            }
            tokio::time::sleep(self.thinks).await;
            self.asked.lock().unwrap().push(name.clone());
            self.slots.lock().unwrap().push(ask.slots.clone());
            let answers = self.answers.as_ref().ok_or("no models")?;
            let value = answers.lock().unwrap().pop_front().ok_or("the model has nothing to say")?;
            let problems = (ask.check)(&value);
            if !problems.is_empty() {
                return Err(problems.join("; "));
            }
            self.push(AgentNote::Consulted { ask: name, number: 1, step: consulted(value.clone()) });
            Ok(value)
        })
    }

    fn has_models(&self) -> bool {
        self.answers.is_some()
    }
}

impl PeerChannel for Memory {
    fn tell(&self, _: Telling) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn ask(&self, _: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>> {
        Box::pin(std::future::ready(Err("nobody".to_owned())))
    }

    fn heard(&self) -> Vec<Broadcast> {
        Vec::new()
    }

    fn listen(&self, _: usize) -> BoxFuture<'_, Vec<Broadcast>> {
        Box::pin(std::future::pending())
    }
}

fn order(steps: Value, expected: &[&str]) -> WorkOrder {
    let mut order = crate::common::order(60.0);
    order.expected_outputs = expected.iter().map(|name| (*name).to_owned()).collect();
    if !steps.is_null() {
        order.inputs.insert("steps".to_owned(), steps);
    }
    order
}

fn agent(tools: &Arc<Tools>, settings: MissionSettings) -> ToolAgent {
    let toolbox = Arc::clone(tools) as Arc<dyn Toolbox>;
    ToolAgent::new(ToolAgentConfig { settings, ..ToolAgentConfig::new("tools", toolbox) })
}

async fn perform(
    tools: &Arc<Tools>,
    cx: &Arc<Memory>,
    order: &WorkOrder,
) -> Result<AgentAnswer, AgentFailure> {
    let cx = Arc::clone(cx) as Arc<dyn AttemptContext>;
    agent(tools, MissionSettings::default()).perform_among(order, cx, CancellationToken::new()).await
}

fn three_steps() -> Value {
    json!([
        { "id": "get", "tool": "read", "parameters": { "url": "a" } },
        { "id": "put", "tool": "add", "parameters": { "title": "${steps.get.id}" }, "save_as": "entry" },
        { "id": "see", "tool": "look", "parameters": { "url": "${steps.put.content}" }, "depends_on": ["put"] },
    ])
}

#[tokio::test]
async fn steps_are_worked_off_without_a_model_and_without_a_desk() {
    // spec: planning TA-43
    let tools = Tools::well();
    let order = order(three_steps(), &["entry"]);
    let answer =
        agent(&tools, MissionSettings::default()).perform(&order, CancellationToken::new()).await.unwrap();
    assert_eq!(answer.verdict(), FeedbackType::Success, "{:?}", answer.errors);
    let entry = json!({ "id": "e1", "content": "add did it" });
    assert_eq!(answer.outputs, *json!({ "entry": entry }).as_object().unwrap());
    assert_eq!(answer.cost, Some(Money::ZERO));
    assert_eq!(tools.called(), ["read", "add", "look"]);
}

#[tokio::test]
async fn nothing_to_do_and_nobody_to_ask_is_a_failure_that_says_what_helps() {
    let answer =
        perform(&Tools::well(), &Memory::new(Vec::new()), &order(json!(null), &["x"])).await.unwrap();
    assert_eq!(answer.verdict(), FeedbackType::Failure);
    assert!(answer.errors[0].contains("Configure a model"), "{:?}", answer.errors);
}

#[tokio::test]
async fn killed_anywhere_it_goes_on_and_repeats_nothing_that_is_on_the_log() {
    // spec: planning TA-31, beyond BY-03 BY-12 BY-27
    let order = order(three_steps(), &["entry"]);
    let cx = Memory::new(Vec::new());
    let whole = perform(&Tools::new(fails_once), &cx, &order).await.unwrap();
    let notes = cx.notes();
    assert!(notes.len() >= 9, "{}", notes.len());
    for cut in 0..=notes.len() {
        let kept = notes[..cut].to_vec();
        let tools = Tools::new(move |call, _| fails_once(call, if cut > 3 { 9 } else { 1 }));
        let cx = Memory::new(kept.clone());
        let mut ended = perform(&tools, &cx, &order).await;
        let open = open_change(&kept);
        if open.is_some() {
            let Err(AgentFailure::Waiting { question }) = &ended else { panic!("{cut}: {ended:?}") };
            assert_eq!(
                question.options.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(),
                ["done", "again", "skip"]
            );
            assert!(!tools.called().contains(&"add".to_owned()), "{cut}: never blindly repeated");
            // Asked again, it asks the same and does nothing.
            assert!(matches!(perform(&tools, &cx, &order).await, Err(AgentFailure::Waiting { .. })));
            cx.answer("again", "");
            ended = perform(&tools, &cx, &order).await;
        }
        let answer = ended.unwrap();
        assert_eq!((answer.verdict(), &answer.outputs), (FeedbackType::Success, &whole.outputs), "{cut}");
        let returned: Vec<&String> = kept
            .iter()
            .filter_map(|noted| match &noted.note {
                AgentNote::Returned { key, .. } => Some(key),
                _ => None,
            })
            .collect();
        for call in tools.calls.lock().unwrap().iter() {
            assert!(!returned.contains(&&call.key), "{cut}: {} was made again", call.key);
        }
        keys_are_noted_once(&cx.notes());
    }
}

/// `read` fails at its first call.
fn fails_once(call: &ToolCall, number: usize) -> ToolResult {
    if call.tool == "read" && number == 1 && call.key.ends_with("/1") {
        return ToolResult::failed(ToolErrorKind::Failed, "hiccup");
    }
    ToolResult::done("done", Some(json!({ "id": "e1" })))
}

fn open_change(notes: &[Noted]) -> Option<String> {
    match &notes.last()?.note {
        AgentNote::Called { call, hints, .. } if hints.changes() => Some(call.key.clone()),
        _ => None,
    }
}

fn keys_are_noted_once(notes: &[Noted]) {
    let mut keys: Vec<&String> = Vec::new();
    for noted in notes {
        if let AgentNote::Called { call, .. } = &noted.note {
            assert!(!keys.contains(&&call.key), "{} is noted twice", call.key);
            keys.push(&call.key);
        }
    }
}

#[tokio::test]
async fn rules_plan_anew_what_fails_when_there_is_no_model() {
    // spec: planning TA-36 TA-42
    let tools = Tools::new(|call, number| match (call.tool.as_str(), number) {
        ("read", 1..=3) => ToolResult::failed(ToolErrorKind::MissingDependency, "No module named 'lxml'"),
        _ => ToolResult::done("fine", None),
    });
    let cx = Memory::new(Vec::new());
    let steps = json!([
        { "id": "lacks", "tool": "read", "parameters": { "url": "a" } },
        { "id": "bad", "tool": "read", "parameters": { "ulr": "b" } },
        { "id": "gone", "description": "Read a page of the web", "tool": "fetch_page", "parameters": { "url": "c" } },
    ]);
    let answer = perform(&tools, &cx, &order(steps, &[])).await.unwrap();
    assert_eq!(answer.verdict(), FeedbackType::Success, "{:?}", answer.errors);
    let called = tools.called();
    assert_eq!(called[..6], ["read", "read", "read", "install_package", "read", "read"]);
    let figures = metrics(&cx.notes());
    assert_eq!((figures.replans().tried, figures.success_rate()), (3, Some(1.0)));
    assert_eq!(figures.strategies.len(), 3, "{figures:?}");
}

#[tokio::test]
async fn a_model_plans_acts_replans_and_completes() {
    // spec: planning TA-02 TA-11
    let tools = Tools::new(|call, _| match call.tool.as_str() {
        "read" => ToolResult::failed(ToolErrorKind::Failed, "no such page"),
        _ => ToolResult::done("the text", None),
    });
    let cx = Memory::with_model(vec![
        json!({ "steps": [{ "description": "Read it", "tool": "read", "parameters": { "url": "a" } },
                          { "description": "Note it" }] }),
        json!({ "strategy_type": "SWAP_TOOL", "rationale": "a copy is enough", "confidence": 0.9, "tool": "look" }),
        json!({ "action": "tool_call", "tool": "add", "parameters": { "title": "x" } }),
        json!({ "action": "complete", "summary": "ok", "outputs": { "flight_options": ["AF1"], "n": 1 } }),
    ]);
    let order = order(json!(null), &["flight_options", "n"]);
    let answer = perform(&tools, &cx, &order).await.unwrap();
    assert_eq!(answer.verdict(), FeedbackType::Success, "{:?}", answer.errors);
    assert_eq!(answer.outputs["flight_options"], json!(["AF1"]));
    assert_eq!(answer.cost, Some(Money::from_micros(400)), "what the attempt's models cost");
    assert_eq!(tools.called(), ["read", "read", "read", "look", "add"]);
    let asked = cx.asked.lock().unwrap().clone();
    assert_eq!((asked[0].as_str(), asked[1].as_str()), ("plan", "replan_step_1_1"));
    // Every answer is known by its name after a restart: cut anywhere, no question is put twice.
    let notes = cx.notes();
    for cut in 0..=notes.len() {
        let left: Vec<Value> = notes[cut..]
            .iter()
            .filter_map(|noted| match &noted.note {
                AgentNote::Consulted { step, .. } => match &step.outcome {
                    AskStep::Accepted { value, .. } => Some(value.clone()),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        if open_change(&notes[..cut]).is_some() {
            continue;
        }
        let again = Memory::with_model(left);
        again.notes.lock().unwrap().extend(notes[..cut].iter().cloned());
        let answer = perform(&tools, &again, &order).await.unwrap();
        assert_eq!(answer.verdict(), FeedbackType::Success, "{cut}: {:?}", answer.errors);
    }
}

#[tokio::test]
async fn what_is_asked_of_a_person_is_asked_once_and_their_word_is_found_among_the_notes() {
    // spec: beyond BY-03
    let tools = Tools::well();
    let cx = Memory::new(Vec::new());
    let steps = json!([{ "tool": "read", "parameters": { "url": "a" } }, { "tool": "wipe", "parameters": { "url": "b" } }]);
    let order = order(steps, &[]);
    let Err(AgentFailure::Waiting { question }) = perform(&tools, &cx, &order).await else { panic!() };
    assert!(question.text.contains("wipe"));
    assert_eq!(question.default.as_deref(), Some("deny"), "where nobody can be asked");
    cx.answer("allow", "");
    let answer = perform(&tools, &cx, &order).await.unwrap();
    assert_eq!(answer.verdict(), FeedbackType::Success);
    assert_eq!(tools.called(), ["read", "wipe"], "earlier work is not done again");
    let asked = cx.notes().iter().filter(|noted| matches!(noted.note, AgentNote::Asked { .. })).count();
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_question_of_the_model_reaches_the_person_and_their_words_the_model() {
    // spec: beyond BY-03
    let cx = Memory::with_model(vec![
        json!({ "steps": [{ "description": "Go" }] }),
        json!({ "action": "ask_user", "question": "Which Paris?" }),
        json!({ "action": "tool_call", "tool": "read", "parameters": { "url": "texas" } }),
        json!({ "action": "complete", "outputs": { "x": 1 } }),
    ]);
    let (tools, order) = (Tools::well(), order(json!(null), &["x", "y"]));
    let Err(AgentFailure::Waiting { question }) = perform(&tools, &cx, &order).await else { panic!() };
    assert_eq!(question.text, "Which Paris?");
    cx.answer("answer", "The one in Texas");
    let answer = perform(&tools, &cx, &order).await.unwrap();
    assert_eq!(answer.verdict(), FeedbackType::PartialSuccess, "y is missing");
    let slots = cx.slots.lock().unwrap().clone();
    assert!(slots[2]["history"].contains("user: The one in Texas"), "{}", slots[2]["history"]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_thinks_too_long_about_a_replan_gives_way_to_rules() {
    // spec: planning TA-29 TA-33, QT-08
    let tools = Tools::new(|call, _| match call.tool.as_str() {
        "read" => ToolResult::failed(ToolErrorKind::Denied, "forbidden"),
        _ => ToolResult::done("fine", None),
    });
    let mut cx = Memory { attempt: 1, answers: Some(Mutex::default()), ..Memory::default() };
    cx.thinks = Duration::from_secs(11);
    let cx = Arc::new(cx);
    let steps = json!([{ "id": "a", "tool": "read", "parameters": { "url": "a" } }]);
    let began = tokio::time::Instant::now();
    let answer = perform(&tools, &cx, &order(steps, &["page"])).await.unwrap();
    assert_eq!(answer.verdict(), FeedbackType::Failure, "{:?}", answer.errors);
    let ended = cx.notes().into_iter().find_map(|noted| match noted.note {
        AgentNote::ReplanEnded { success, duration_ms, .. } => Some((success, duration_ms)),
        _ => None,
    });
    let (success, took) = ended.unwrap();
    assert!(!success && took <= 10_000, "{took}");
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn stopping_ends_the_call_at_work_and_leaves_its_end_open() {
    // spec: beyond BY-09
    let tools = Tools::well();
    let cx = Memory::new(Vec::new());
    let stop = CancellationToken::new();
    let order = order(json!([{ "tool": "hang", "parameters": { "url": "a" } }]), &[]);
    let began = Instant::now();
    let agent = agent(&tools, MissionSettings::default());
    let performing = agent.perform_among(&order, Arc::clone(&cx) as Arc<dyn AttemptContext>, stop.clone());
    let stopping = async {
        while tools.called().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(performing, stopping);
    assert_eq!(ended, Err(AgentFailure::Stopped));
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(
        matches!(cx.notes().last().unwrap().note, AgentNote::Called { .. }),
        "no receipt for what was cut off"
    );
}

#[tokio::test]
async fn at_the_deadline_there_is_what_was_done_and_how_to_go_on() {
    // spec: beyond BY-08 BY-09
    let tools = Tools::well();
    let steps = json!([
        { "id": "a", "tool": "read", "parameters": { "url": "a" }, "save_as": "page" },
        { "id": "b", "tool": "hang", "parameters": { "url": "b" } },
    ]);
    let mut order = order(steps, &["page"]);
    order.deadline_seconds = Seconds::new(1.0).unwrap();
    let cx = Memory::new(Vec::new());
    let began = Instant::now();
    let answer = perform(&tools, &cx, &order).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(answer.verdict(), FeedbackType::PartialSuccess);
    assert_eq!(answer.outputs["page"]["id"], "e1");
    assert!(answer.errors[0].contains("of 1 s"), "{:?}", answer.errors);
    assert!(answer.suggested_adjustments.unwrap().contains("another attempt"));
}

#[tokio::test]
async fn a_desk_that_takes_no_more_notes_ends_the_attempt() {
    struct Closed;
    impl AttemptContext for Closed {
        fn notes(&self) -> Vec<Noted> {
            Vec::new()
        }
        fn note(&self, _: AgentNote) -> BoxFuture<'_, Result<(), String>> {
            Box::pin(std::future::ready(Err("the attempt is over".to_owned())))
        }
        fn consult(&self, _: String, _: Ask, _: Money, _: Seconds) -> BoxFuture<'_, Result<Value, String>> {
            Box::pin(std::future::ready(Err(String::new())))
        }
        fn has_models(&self) -> bool {
            false
        }
    }
    impl PeerChannel for Closed {
        fn tell(&self, _: Telling) -> BoxFuture<'_, Result<(), String>> {
            Box::pin(std::future::ready(Ok(())))
        }
        fn ask(&self, _: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>> {
            Box::pin(std::future::ready(Err(String::new())))
        }
        fn heard(&self) -> Vec<Broadcast> {
            Vec::new()
        }
        fn listen(&self, _: usize) -> BoxFuture<'_, Vec<Broadcast>> {
            Box::pin(std::future::pending())
        }
    }
    let tools = Tools::well();
    let order = order(three_steps(), &[]);
    let agent = agent(&tools, MissionSettings::default());
    let ended = agent.perform_among(&order, Arc::new(Closed), CancellationToken::new()).await;
    assert!(
        matches!(&ended, Err(AgentFailure::Failed(failure)) if failure.message.contains("the attempt is over")),
        "{ended:?}"
    );
    assert!(tools.called().is_empty(), "nothing is done that is not noted first");
}

fn entry(undo: Option<FollowUp>) -> LedgerEntry {
    LedgerEntry {
        key: "k".to_owned(),
        task_id: TaskId::new("task_001").unwrap(),
        attempt: 1,
        agent_type: AgentType::new("tools").unwrap(),
        tool: "add".to_owned(),
        arguments: Default::default(),
        hints: ADDS,
        receipt: Some(Receipt { success: true, summary: String::new(), undo }),
        undone: None,
    }
}

#[tokio::test]
async fn a_change_is_undone_as_its_receipt_says() {
    // spec: beyond BY-27
    let tools = Tools::well();
    let cx = Memory::new(Vec::new());
    perform(&tools, &cx, &order(three_steps(), &["entry"])).await.unwrap();
    let undo = cx.notes().into_iter().find_map(|noted| match noted.note {
        AgentNote::Returned { result, .. } => result.undo,
        _ => None,
    });
    let agent = agent(&tools, MissionSettings::default());
    let run = RunId::new("run_1").unwrap();
    let said = agent.undo(&run, &entry(undo.clone()), CancellationToken::new()).await.unwrap();
    assert!(said.contains("remove undid it"), "{said}");
    let last = tools.calls.lock().unwrap().last().unwrap().clone();
    assert_eq!((last.key.as_str(), &last.arguments["id"]), ("k/undo", &json!("e1")));
    assert!(agent.undo(&run, &entry(None), CancellationToken::new()).await.is_err());
    let mut done = entry(undo);
    done.undone = Some(Undone { success: true, summary: String::new() });
    assert!(agent.undo(&run, &done, CancellationToken::new()).await.is_err(), "not twice");
}

#[tokio::test]
async fn what_tools_say_of_themselves_stands_in_slots_only() {
    let cx = Memory::with_model(vec![json!({ "steps": [{ "description": "Go" }] })]);
    let _ = perform(&Tools::well(), &cx, &order(json!(null), &["x"])).await;
    let slots = cx.slots.lock().unwrap().clone();
    assert!(slots[0]["tools"].contains("read: Reads a page of the web"));
    assert!(slots[0]["inputs"].contains("${inputs.destination} = \"Paris\""));
}

#[tokio::test]
async fn the_kind_of_a_tools_failure_is_that_of_the_attempt() {
    // spec: findings RC-01
    for (kind, expected) in [
        (ToolErrorKind::Unavailable, FailureKind::Unavailable),
        (ToolErrorKind::InvalidArguments, FailureKind::TaskError),
        (ToolErrorKind::MissingDependency, FailureKind::Unavailable),
        (ToolErrorKind::Timeout, FailureKind::Timeout),
        (ToolErrorKind::Lost, FailureKind::Unavailable),
        (ToolErrorKind::Denied, FailureKind::Denied),
        (ToolErrorKind::Failed, FailureKind::TaskError),
    ] {
        let tools = Tools::new(move |_, _| ToolResult::failed(kind, "row 7, http timeout=30s"));
        let order = order(json!([{ "id": "a", "tool": "read", "parameters": { "url": "x" } }]), &["page"]);
        let answer = perform(&tools, &Memory::new(Vec::new()), &order).await.unwrap();
        let failure = answer.failure().unwrap();
        assert_eq!(failure.kind, expected, "{kind}: {failure:?}");
        assert!(failure.message.contains("row 7"), "{kind}: {failure:?}");
    }
    let tools = Tools::well();
    let unknown = order(json!([{ "id": "a", "tool": "gone", "parameters": {} }]), &["page"]);
    let failure = perform(&tools, &Memory::new(Vec::new()), &unknown).await.unwrap().failure().unwrap();
    assert_eq!(failure.kind, FailureKind::Unavailable, "{failure:?}");
    let failure =
        perform(&tools, &Memory::new(Vec::new()), &order(Value::Null, &[])).await.unwrap().failure().unwrap();
    assert_eq!((failure.kind, failure.transience), (FailureKind::Unavailable, Transience::Permanent));
    let few = MissionSettings { max_steps: 1, ..MissionSettings::default() };
    let cx: Arc<dyn AttemptContext> = Memory::new(Vec::new());
    let failing = Tools::new(|_, _| ToolResult::failed(ToolErrorKind::Failed, "no"));
    let two = order(json!([{ "id": "a", "tool": "read", "parameters": { "url": "x" } }]), &["page"]);
    let answer = agent(&failing, few).perform_among(&two, cx, CancellationToken::new()).await.unwrap();
    assert_eq!(answer.failure().unwrap().kind, FailureKind::OverBudget, "{answer:?}");
}
