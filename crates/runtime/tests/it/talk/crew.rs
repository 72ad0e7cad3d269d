//! A crew of real programs: Python agents in a folder, a real log, and runs that they work on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use candor_agents::{AttemptFolder, CommandAgent, FolderInspector};
use candor_engine::Input;
use candor_model::{
    AgentCapability, Answer, BreakerSettings, Broadcast, Choice, EventBody, GateId, Plan, Position, Query,
    QueryResponse, Question, Recorded, RunId, RunSettings, RunStatus, Share, StartMaterial,
};
use candor_phases::Phases;
use candor_ports::{Agent, EventLog, Inspector};
use candor_runtime::{AgentRegistry, RunHandle, RunOrder, Runtime, RuntimeDeps};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;
use tempfile::TempDir;

/// What every agent begins with: `order`, or `query` if it is asked something, and a line to the others.
const CLIENT: &str = r#"
import json, os, socket, sys, time
given = json.load(sys.stdin)
query = given.get("query")
order = None if query else given
if order:
    line = socket.socket(socket.AF_UNIX)
    line.connect(os.environ["CANDOR_BUS"])
    file = line.makefile("rwb")
def send(request):
    file.write((json.dumps(request) + "\n").encode())
    file.flush()
def receive():
    return json.loads(file.readline())
def call(request):
    send(request)
    return receive()
def tell(kind, priority, content, **data):
    return call({"tell": {"messageType": kind, "priority": priority, "content": content, "data": data,
                          "fromAgent": "the_boss"}})
def ask(to, text, timeout=5000):
    return call({"ask": {"toAgent": to, "queryType": "ask_for_data", "query": text, "timeout": timeout}})
def wait_for(path):
    for _ in range(2000):
        if os.path.exists(path):
            return
        time.sleep(0.005)
    sys.exit("waited in vain for " + path)
def mark(path):
    open(path, "w").write("here\n")
def done(**outputs):
    print(json.dumps({"outputs": outputs}))
    sys.exit(0)
def answer(response, confidence=80):
    print(json.dumps({"response": response, "confidence": confidence}))
    sys.exit(0)
"#;

/// A folder with agents and a log.
pub struct Crew {
    _temporary: Option<TempDir>,
    folder: PathBuf,
    agents: Vec<(AgentCapability, Arc<dyn Agent>)>,
    inspector: Arc<dyn Inspector>,
    request: String,
}

impl Crew {
    pub fn new() -> Self {
        let temporary = TempDir::new().unwrap();
        let crew = Self::in_folder(temporary.path());
        Self { _temporary: Some(temporary), ..crew }
    }

    /// One in a folder that somebody else takes care of.
    pub fn in_folder(folder: &Path) -> Self {
        let inspector = Arc::new(FolderInspector::new(folder));
        let request = "Do the work".to_owned();
        Self { _temporary: None, folder: folder.to_owned(), agents: Vec::new(), inspector, request }
    }

    /// The same with someone else who looks at the folder.
    pub fn looked_at_by(self, inspector: Arc<dyn Inspector>) -> Self {
        Self { inspector, ..self }
    }

    /// The same, asked for something else.
    pub fn asked_to(self, request: &str) -> Self {
        Self { request: request.to_owned(), ..self }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn attempts(&self) -> AttemptFolder {
        AttemptFolder(self.folder.join("attempts"))
    }

    /// The same with an agent that is this Python program.
    pub fn with(self, name: &str, script: &str) -> Self {
        let path = self.folder.join(format!("{name}.py"));
        std::fs::write(&path, format!("{CLIENT}\n{script}")).unwrap();
        let agent = CommandAgent::new(["python3", path.to_str().unwrap()]).unwrap();
        let agent = agent.in_folder(&self.folder).noted_in(self.attempts());
        self.with_agent(name, Arc::new(agent))
    }

    pub fn with_agent(mut self, name: &str, agent: Arc<dyn Agent>) -> Self {
        let capability = AgentCapability {
            agent_type: fixtures::agent_type(name),
            capabilities: vec!["work".to_owned()],
            specialization: "Does the work".to_owned(),
            cost_per_invocation: fixtures::dollars(0.0),
            avg_latency_ms: 1,
            success_rate: Share::ALL,
            max_concurrent: None,
            timeout: None,
            max_cost: None,
            retry: None,
            // What their tasks say of messages is a story; they write files.
            effects: Some(vec![candor_model::RiskClass::Change]),
        };
        self.agents.push((capability, agent));
        self
    }

    pub fn log(&self) -> Arc<SqliteLog> {
        Arc::new(SqliteLog::open(&self.folder.join("candor.db"), OpenOptions::default()).unwrap().0)
    }

    pub fn runtime(&self) -> Runtime {
        let breakers = BreakerSettings { failure_threshold: u32::MAX, ..BreakerSettings::default() };
        let inspector = Some(Arc::clone(&self.inspector));
        let equipment = RuntimeDeps { breakers, inspector, ..RuntimeDeps::default() };
        let registry = AgentRegistry::new(self.agents.clone());
        Runtime::with_models(self.log(), registry, Phases::new(Vec::new(), 0), None, equipment)
    }

    /// Starts a run of a plan.
    pub async fn start(&self, plan: Plan) -> RunHandle {
        self.start_with(plan, RunSettings::default()).await
    }

    pub async fn start_with(&self, plan: Plan, settings: RunSettings) -> RunHandle {
        let material = StartMaterial { goal: None, plan: Some(Arc::new(plan)) };
        let order = RunOrder {
            run_id: run_id(),
            request: self.request.clone(),
            settings,
            material: Some(material),
            origin: None,
        };
        self.runtime().start(order, None).await.unwrap()
    }

    /// Has a run of a plan come to its end, which must be good; gives its log.
    pub async fn complete(&self, plan: Plan) -> Vec<Recorded> {
        self.ends(self.start(plan).await).await
    }

    /// Waits for the end of a run, which must be good; gives its log.
    pub async fn ends(&self, run: RunHandle) -> Vec<Recorded> {
        let ended = tokio::time::timeout(Duration::from_secs(30), run.ended()).await;
        let log = self.read().await;
        assert_eq!(ended.expect("it hangs").unwrap(), RunStatus::Completed, "{log:#?}");
        log
    }

    pub async fn read(&self) -> Vec<Recorded> {
        self.log().read(&run_id(), Position::START).await.unwrap()
    }
}

pub fn run_id() -> RunId {
    RunId::new("run_1").unwrap()
}

/// A plan of tasks for these agents, each after those with these numbers.
pub fn plan(tasks: &[(&str, &[usize])]) -> Plan {
    let task = |(n, (agent, after)): (usize, &(&str, &[usize]))| {
        fixtures::simple_task(n, &format!("Do part {n} of the work"), after, agent)
    };
    fixtures::plan_of((1..).zip(tasks).map(task).collect(), 0.9)
}

/// The outputs of the n-th task.
pub fn outputs(log: &[Recorded], n: usize) -> serde_json::Value {
    let wanted = candor_model::TaskId::numbered(n);
    let found = log.iter().find_map(|recorded| match &recorded.event.body {
        EventBody::TaskSucceeded { task_id, feedback, .. } if *task_id == wanted => {
            Some(feedback.actual_outputs.clone())
        }
        _ => None,
    });
    found.unwrap_or_else(|| panic!("task {n} has no outputs: {log:#?}")).into()
}

/// What was told by the agents at work.
pub fn told(log: &[Recorded]) -> Vec<Broadcast> {
    let told = log.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::Broadcast { message } => Some(Broadcast::clone(message)),
        _ => None,
    });
    told.filter(|message| message.phase == candor_model::Phase::Execution && message.task_id.is_some())
        .collect()
}

/// Every question with what came of it, in the order in which they were asked.
pub fn queries(log: &[Recorded]) -> Vec<(Query, Option<QueryResponse>)> {
    let mut all: Vec<(Query, Option<QueryResponse>)> = Vec::new();
    for recorded in log {
        match &recorded.event.body {
            EventBody::AgentQueried { query } => all.push((Query::clone(query), None)),
            EventBody::QueryAnswered { response } => {
                let asked = all.iter_mut().rfind(|(query, _)| query.id == response.query_id);
                let asked = asked.expect("an answer without a question");
                assert!(asked.1.replace(QueryResponse::clone(response)).is_none(), "answered twice");
            }
            _ => {}
        }
    }
    all
}

/// Waits until the run waits for a person and nothing is at work; gives what is asked.
pub async fn asked(run: &RunHandle) -> Vec<(GateId, Question)> {
    let mut snapshot = run.snapshot();
    let waits = snapshot.wait_for(|now| !now.questions.is_empty() && !now.busy);
    let now = tokio::time::timeout(Duration::from_secs(20), waits).await.expect("nobody is asked");
    now.unwrap().questions.clone()
}

/// Chooses an option at a gate.
pub async fn choose(run: &RunHandle, gate: &GateId, option: &str) {
    let choice = Choice { option: option.to_owned(), text: String::new(), by_default: false };
    run.submit(Input::Answered { gate: gate.clone(), answer: Answer::Choice(choice) }).await.unwrap();
}
