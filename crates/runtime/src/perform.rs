//! Performing effects: agents, models, files, checks, questions and undoing. Each runs in a task of its own; what
//! comes of it is mailed to the driver.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use candor_model::{
    AgentAnswer, AgentType, AskId, CheckResult, Effect, Failure, FailureKind, ModelRequest, Query,
    QueryAnswer, QueryResponse, ReadFile, RunId, Seconds, Texts, Undone, WantedCheck, check_depth,
    redact::Stream,
};
use candor_ports::{AgentFailure, AttemptContext, Inspector, Words};
use candor_session::{AttemptEnd, AttemptKey, Ended, Outcome, RequestId, SessionInput};
use tokio_util::sync::CancellationToken;

use crate::attempt_context::AttemptChannel;
use crate::driver::{Driver, Message};
use crate::{AgentRegistry, agent_registry};

/// The longest that anyone waits for another agent's answer; an attempt's own deadline is usually nearer.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

impl Driver {
    pub(crate) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::InvokeAgent { task_id, attempt, agent_type, .. } => {
                self.invoke(AttemptKey { task_id, attempt }, agent_type);
            }
            Effect::AskModel(request) => self.call_model(*request),
            Effect::Embed { texts } => self.embed(texts),
            Effect::ReadFiles { paths } => {
                let reading = self.read_files(&paths);
                self.spawn(RequestId::Files, async move { Some(Outcome::Files(reading.await)) });
            }
            Effect::RunChecks { attempt, checks } => self.check(attempt, checks),
            Effect::QueryAgent { query } => self.put_query(*query),
            Effect::Undo { key, agent_type } => self.undo(key, agent_type),
            // Stopping is a cancelled request; phases work in the session; questions and waits are in the snapshot.
            Effect::StopAgent { .. }
            | Effect::Guard { .. }
            | Effect::RunPhase { .. }
            | Effect::Route { .. }
            | Effect::Revise { .. }
            | Effect::AskHuman { .. }
            | Effect::WaitUntil { .. } => {}
        }
    }

    /// Performs something that may be dropped when nobody waits for it any more.
    fn spawn(&mut self, id: RequestId, work: impl Future<Output = Option<Outcome>> + Send + 'static) {
        let stop = CancellationToken::new();
        self.spawn_whole(id, stop.clone(), async move {
            tokio::select! {
                outcome = work => outcome,
                () = stop.cancelled() => None,
            }
        });
    }

    /// Performs something that ends by itself when it is told to, and says what came of it in every case.
    fn spawn_whole(
        &mut self,
        id: RequestId,
        stop: CancellationToken,
        work: impl Future<Output = Option<Outcome>> + Send + 'static,
    ) {
        self.running.insert(id, stop);
        let mail = self.mail.clone();
        self.tasks.spawn(async move {
            if let Some(outcome) = work.await {
                let input = Box::new(SessionInput::Outcome(outcome));
                // A driver that is gone has nobody left to tell.
                let _ = mail.send(Message::Input { input, reply: None }).await;
            }
        });
    }

    fn invoke(&mut self, key: AttemptKey, agent_type: AgentType) {
        let Some(order) = self.session.work_order(&key) else { return };
        let Some(member) = self.shared.registry.find(&agent_type) else {
            let reason = format!(
                "Agent {agent_type} is unavailable: it is not configured here; add it to candor.toml, or pass the \
                 file that has it with --config"
            );
            let failure = Failure::new(FailureKind::Unavailable, reason).permanent();
            let ended = Box::new(Ended::not_made(key.clone(), failure));
            return self.spawn(RequestId::Attempt(key), async move { Some(Outcome::Attempt(ended)) });
        };
        let (agent, places) = (Arc::clone(&member.agent), member.places.clone());
        let price = member.capability.cost_per_invocation;
        let shared = Arc::clone(&self.shared);
        let stop = CancellationToken::new();
        let cx: Arc<dyn AttemptContext> = Arc::new(AttemptChannel::new(self, key.clone()));
        let token = stop.clone();
        self.spawn_whole(RequestId::Attempt(key.clone()), stop, async move {
            let started = Instant::now();
            let result = match agent_registry::place(places, &token).await {
                Ok(place) => match shared.enter() {
                    Ok(_at_work) => {
                        let result = agent.perform_among(&order, cx, token).await;
                        drop(place);
                        result
                    }
                    Err(short) => {
                        let reason = format!("{agent_type} is not started: {short}");
                        Err(AgentFailure::NoResources { reason })
                    }
                },
                Err(failure) => Err(failure),
            };
            let duration = Seconds::from_millis(since(started).as_millis().max(1));
            let end = match result {
                Ok(answer) => match unrecordable(&answer) {
                    None => AttemptEnd::Answered(Box::new(answer)),
                    Some(failure) => AttemptEnd::Failed(Box::new(failure)),
                },
                Err(AgentFailure::Stopped) => AttemptEnd::Stopped,
                Err(AgentFailure::Waiting { question }) => AttemptEnd::Waiting(question),
                Err(AgentFailure::NoResources { reason }) => AttemptEnd::NoResources(reason),
                Err(AgentFailure::Failed(failure)) => AttemptEnd::Failed(failure),
            };
            Some(Outcome::Attempt(Box::new(Ended { key, agent: Some(agent_type), end, duration, price })))
        });
    }

    fn call_model(&mut self, request: ModelRequest) {
        let Some(models) = self.shared.models.clone() else { return };
        let ModelRequest { id, number, ask, past, limits, after } = request;
        let (words, no_more) = self.words(&id).unzip();
        let (stop, request) = (CancellationToken::new(), RequestId::Model { ask: id.clone(), number });
        self.spawn_whole(request, stop.clone(), async move {
            let wait = Duration::from_millis(after.as_millis());
            if !wait.is_zero() {
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = stop.cancelled() => {}
                }
            }
            let step = Box::new(models.call(&ask, &past, limits, words, stop).await);
            if let Some(no_more) = no_more {
                no_more();
            }
            Some(Outcome::Model { ask: id, number, step })
        });
    }

    /// Lets the observer have the words of a phase's answer as they come, and the last ones when it is told that there are
    /// no more.
    fn words(&self, id: &AskId) -> Option<(Words, impl Fn() + Send + use<>)> {
        let AskId::Phase(key) = id.clone() else { return None };
        let observer = Arc::clone(self.shared.observer.as_ref()?);
        let run = self.session.state().run_id().clone();
        let redactor = Arc::clone(&self.shared.redactor);
        let stream = Mutex::new(Stream::default());
        let say = Arc::new(move |piece: Option<&str>| {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            let words = match piece {
                Some(piece) => stream.push(&redactor, piece),
                None => stream.end(&redactor),
            };
            if !words.is_empty() {
                observer.on_chunk(&run, &key, &words);
            }
        });
        let last = Arc::clone(&say);
        Some((Arc::new(move |piece: &str| say(Some(piece))), move || last(None)))
    }

    fn embed(&mut self, texts: Texts) {
        let Some(meaning) = self.shared.meaning.clone() else { return };
        self.spawn(RequestId::Embed, async move { Some(Outcome::Embedded(meaning.fetch(&texts).await)) });
    }

    /// Reads files; one that is on the log already is read again only if it was changed.
    pub(crate) fn read_files(&self, paths: &[String]) -> impl Future<Output = Vec<ReadFile>> + Send + use<> {
        let inspector = self.shared.inspector.clone();
        let files = self.session.state().files();
        let known: BTreeMap<String, Option<ReadFile>> =
            paths.iter().map(|path| (path.clone(), files.get(path).cloned())).collect();
        async move {
            let mut files = Vec::with_capacity(known.len());
            for (path, known) in known {
                files.push(match (&inspector, known) {
                    (Some(inspector), Some(known)) if inspector.unchanged(&known) => known,
                    (Some(inspector), _) => inspector.read(&path).await,
                    (None, _) => unread(path),
                });
            }
            files
        }
    }

    fn check(&mut self, attempt: u32, checks: Vec<WantedCheck>) {
        let inspector = self.shared.inspector.clone();
        let within = self.session.state().settings().agent_timeout;
        self.spawn(RequestId::Checks { attempt }, async move {
            Some(Outcome::Checks { attempt, results: check_all(inspector, checks, within).await })
        });
    }

    fn put_query(&mut self, query: Query) {
        let (registry, run) = (self.shared.registry.clone(), self.session.state().run_id().clone());
        self.spawn(RequestId::Query { id: query.id.clone() }, async move {
            Some(Outcome::Response(Box::new(answer_of(&registry, &run, &query).await)))
        });
    }

    /// Undoes a change of the world: by the agent that made it, or by whoever keeps the files.
    fn undo(&mut self, key: String, agent: Option<AgentType>) {
        let (state, shared) = (self.session.state(), Arc::clone(&self.shared));
        let run = state.run_id().clone();
        let (entry, file) = (state.to_undo(&key).cloned(), state.to_restore(&key).cloned());
        let within = Duration::from_millis(state.settings().agent_timeout.as_millis());
        let stop = CancellationToken::new();
        let token = stop.clone();
        self.spawn_whole(RequestId::Undo { key: key.clone() }, stop, async move {
            let work = async {
                match (&agent, &entry, &file, &shared.inspector) {
                    (Some(agent), Some(entry), _, _) => match shared.registry.find(agent) {
                        Some(member) => member.agent.undo(&run, entry, token).await,
                        None => Err(format!("{agent}, which made it, is not configured here")),
                    },
                    (_, _, Some(file), Some(inspector)) => inspector.restore(file).await,
                    _ => Err("nobody here can undo it".to_owned()),
                }
            };
            let result = tokio::time::timeout(within, work).await;
            let result = result.unwrap_or_else(|_| Err(format!("it took longer than {within:?}")));
            let undone = match result {
                Ok(summary) => Undone { success: true, summary },
                Err(summary) => Undone { success: false, summary },
            };
            Some(Outcome::Undone { key, undone })
        });
    }
}

fn unread(path: String) -> ReadFile {
    let text = Err("nobody here can read files".to_owned());
    ReadFile { path, bytes: 0, modified: None, hash: String::new(), text }
}

async fn check_all(
    inspector: Option<Arc<dyn Inspector>>,
    checks: Vec<WantedCheck>,
    within: Seconds,
) -> Vec<CheckResult> {
    let mut results = Vec::with_capacity(checks.len());
    for check in checks {
        let (passed, detail) = match &inspector {
            Some(inspector) => inspector.check(&check.kind, within).await,
            None => (false, "nobody here can check results".to_owned()),
        };
        results.push(CheckResult { check, passed, detail });
    }
    results
}

/// Puts a question to the agent that it is for. Answering takes none of the agent's places: whoever is busy with a
/// task could never be asked about it.
async fn answer_of(registry: &AgentRegistry, run: &RunId, query: &Query) -> QueryResponse {
    let began = Instant::now();
    // When this is dropped, the reason to think about the question is gone.
    let stop = CancellationToken::new();
    let _hang_up = stop.clone().drop_guard();
    let to = &query.to_agent;
    let member = AgentType::new(to.as_str()).ok().and_then(|name| registry.find(&name));
    let answer: Result<QueryAnswer, String> = match member {
        None => Err(unknown(registry, to)),
        Some(member) => tokio::select! {
            biased;
            () = tokio::time::sleep(Duration::from_millis(query.timeout).min(LONGEST_WAIT)) => {
                Err(format!("{to} did not answer within {} ms", query.timeout))
            }
            answer = member.agent.answer(run, query, stop) => {
                answer.map_err(|problem| format!("{to} gave no answer: {problem}"))
            }
        },
    };
    QueryResponse {
        from_agent: query.to_agent.clone(),
        to_agent: query.from_agent.clone(),
        query_id: query.id.clone(),
        confidence: answer.as_ref().map_or(0, |answer| answer.confidence.min(100)),
        response: answer.map(|answer| answer.response),
        processing_time: since(began).as_millis(),
    }
}

fn unknown(registry: &AgentRegistry, to: &str) -> String {
    let names: Vec<&str> = registry.declared().iter().map(|agent| agent.agent_type.as_str()).collect();
    format!("there is no agent `{}`; there are: {}", to.escape_debug(), names.join(", "))
}

fn since(started: Instant) -> Seconds {
    Seconds::from_millis(u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX))
}

/// Why an answer could not be read back from the log, if it could not.
fn unrecordable(answer: &AgentAnswer) -> Option<Failure> {
    let mut outputs = answer.outputs.iter();
    let error = outputs.find_map(|(name, value)| check_depth(&format!("outputs.{name}"), value).err())?;
    Some(Failure::new(FailureKind::BadOutput, format!("The answer cannot be recorded: {error}")).permanent())
}
