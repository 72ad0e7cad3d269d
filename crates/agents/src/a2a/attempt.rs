//! One attempt that a peer makes: sent once, followed to its end, withdrawn if nobody wants it any more.
//!
//! Every step is on the run's log before the next follows: that it is about to be sent, what the peer calls it,
//! what the peer asks, what came of it. Whoever takes the attempt up goes on from there and does not send it
//! again. Where nobody can know whether the peer has it, a person decides.

use std::time::Duration;

use a2a::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageConfiguration,
    SendMessageRequest, StreamResponse, SubscribeToTaskRequest, Task, TaskState, methods,
};
use candor_model::{AgentAnswer, AgentNote, Failure, FailureKind, WorkOrder};
use candor_ports::{AgentFailure, AttemptContext};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::notes::{CANCEL, Remote, SEND, Standing, Story};
use super::progress::{Progress, state_name};
use super::record;
use super::rpc::{Events, Peer, Trouble};

/// How long withdrawing a task may take in all.
const WITHDRAW_LIMIT: Duration = Duration::from_secs(2);
/// How long a question may take that is answered at once.
const LOOK_LIMIT: Duration = Duration::from_secs(30);
/// How long a stream may be silent before it is looked whether the task is still there.
const SILENCE_LIMIT: Duration = Duration::from_secs(30);
/// The pauses between two looks.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How often a peer that does not answer is asked again before it is taken for gone.
const MAX_LOSSES: u32 = 5;
/// How many messages of the conversation are looked through for one that was sent.
const HISTORY: i32 = 20;
/// How the protocol says that there is no such task.
const TASK_NOT_FOUND: i32 = -32001;

/// One attempt at a task, from the first message to the last.
pub(super) struct Attempt<'a> {
    pub(super) peer: &'a Peer,
    pub(super) order: &'a WorkOrder,
    pub(super) cx: Option<&'a dyn AttemptContext>,
    pub(super) story: Story,
    /// The same for the same sending, also after a restart.
    pub(super) key: String,
    pub(super) began: Instant,
    /// The state that was noted last.
    pub(super) noted: Option<&'static str>,
    /// What the others were told of what the peer says.
    pub(super) told: Vec<String>,
    /// The task at the peer, as soon as it has a name.
    at: Option<Remote>,
    /// Whether the peer may be at work on it.
    open: bool,
    /// Whether an intent is noted and no receipt.
    pub(super) owed: bool,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(peer: &'a Peer, order: &'a WorkOrder, cx: Option<&'a dyn AttemptContext>) -> Self {
        let story = Story::of(&cx.map(AttemptContext::notes).unwrap_or_default(), order.attempt);
        let key = match story.withdrawn {
            0 => order.idempotency_key.clone(),
            before => format!("{}/{}", order.idempotency_key, before + 1),
        };
        let at = match &story.standing {
            Standing::At(remote) | Standing::Answered(remote, _) => Some(remote.clone()),
            _ => None,
        };
        let open = at.is_some() || story.standing == Standing::Unknown;
        let owed = open;
        let noted = story.asked.then_some(state_name(&TaskState::InputRequired));
        Self { peer, order, cx, story, key, began: Instant::now(), noted, told: Vec::new(), at, open, owed }
    }

    /// Goes on from where the attempt stands, to its end or to a question.
    pub(super) async fn run(&mut self) -> Result<AgentAnswer, AgentFailure> {
        let progress = match self.story.standing.clone() {
            Standing::Over(Some(remote), result) if result.success && result.data.is_none() => {
                self.look(&remote.task, 0).await
            }
            Standing::Over(_, result) => return record::recorded(&result),
            Standing::GivenUp => {
                return Err(AgentFailure::failed(FailureKind::Cancelled, record::given_up(self.peer)));
            }
            Standing::Fresh => match self.begin().await {
                Err(Trouble::Lost(problem)) => return self.find_or_ask(&problem).await,
                sent => sent,
            },
            Standing::Unknown => return self.find_or_ask("Candor was stopped while it sent the task").await,
            Standing::At(remote) => self.look(&remote.task, 0).await,
            Standing::Answered(_, choice) if choice.option.eq_ignore_ascii_case(CANCEL) => {
                return Err(AgentFailure::failed(
                    FailureKind::Cancelled,
                    record::withdrawn_by_person(self.peer),
                ));
            }
            Standing::Answered(remote, choice) => self.reply(&remote, &choice.text).await,
        };
        self.finish(progress).await
    }

    /// Ends the attempt: withdraws what the peer may be at work on, and notes what is known.
    pub(super) async fn end(&mut self, result: &Result<AgentAnswer, AgentFailure>) {
        let failure = match result {
            Ok(_) | Err(AgentFailure::Waiting { .. }) => return,
            Err(failure) => failure,
        };
        // Time is short, and a peer that is gone or slow cannot keep anybody waiting.
        let _ = timeout(WITHDRAW_LIMIT, self.close(failure)).await;
    }

    async fn close(&mut self, failure: &AgentFailure) -> Result<(), Trouble> {
        let withdrawn = self.open && self.withdraw().await;
        let over = !self.open && *failure != AgentFailure::Stopped;
        // Without the peer's word nobody knows, and the ledger says so by saying nothing.
        if self.owed && (withdrawn || over) {
            self.give_receipt(record::failed(failure, self.began)).await?;
        }
        Ok(())
    }

    /// Follows the task to where nothing more comes, and says what that means.
    async fn finish(&mut self, progress: Result<Progress, Trouble>) -> Result<AgentAnswer, AgentFailure> {
        let followed = match progress {
            Ok(progress) => self.follow(progress).await,
            Err(trouble) => Err(trouble),
        };
        match followed {
            Ok(progress) => self.conclude(&progress).await,
            Err(Trouble::Refused { code: Some(TASK_NOT_FOUND), .. }) => {
                self.open = false;
                Err(AgentFailure::failed(FailureKind::Unavailable, record::forgotten(self.peer)))
            }
            Err(trouble) => Err(Failure::from(trouble).into()),
        }
    }

    /// Sends the task for the first time.
    async fn begin(&mut self) -> Result<Progress, Trouble> {
        self.note(record::intent(self.peer, self.order, &self.key)).await?;
        (self.open, self.owed) = (true, true);
        let message = Message {
            message_id: self.key.clone(),
            context_id: Some(self.key.clone()),
            ..Message::new(Role::User, record::parts(self.peer, self.order))
        };
        let sent = self.send(message, Progress::default()).await;
        match &sent {
            Ok(progress) if !progress.is_known() => {
                let address = self.peer.address();
                return Err(Trouble::Lost(format!("{address} ended its answer without saying anything")));
            }
            Err(Trouble::Unreachable(_) | Trouble::Refused { .. }) if self.at.is_none() => self.open = false,
            _ => {}
        }
        sent
    }

    /// Gives a person's answer to the peer, unless it has it already.
    async fn reply(&mut self, remote: &Remote, text: &str) -> Result<Progress, Trouble> {
        let id = format!("{}/answer/{}", self.key, self.story.answers);
        let task = self.task(&remote.task, HISTORY).await?;
        let arrived = task.0.history.iter().flatten().any(|message| message.message_id == id);
        let progress = Progress::of(task.0, task.1)?;
        if arrived || progress.state() != TaskState::InputRequired {
            return Ok(progress);
        }
        let message = Message {
            message_id: id,
            context_id: Some(remote.context.clone()).filter(|context| !context.is_empty()),
            task_id: Some(remote.task.clone()),
            ..Message::new(Role::User, vec![Part::text(text)])
        };
        self.send(message, progress.before_reply()).await
    }

    async fn send(&mut self, message: Message, mut progress: Progress) -> Result<Progress, Trouble> {
        let streaming = self.peer.card.described.streaming;
        let configuration = SendMessageConfiguration {
            accepted_output_modes: None,
            task_push_notification_config: None,
            history_length: Some(0),
            // The name of the task is needed at once: for the notes, and to withdraw it.
            return_immediately: (!streaming).then_some(true),
        };
        let request =
            SendMessageRequest { message, configuration: Some(configuration), metadata: None, tenant: None };
        if streaming {
            let events = self.peer.stream(methods::SEND_STREAMING_MESSAGE, &request).await?;
            self.drain(events, &mut progress).await?;
            return Ok(progress);
        }
        let value = self.peer.call(methods::SEND_MESSAGE, &request).await?;
        let size = value.to_string().len();
        progress.absorb(self.peer.read::<StreamResponse>(value)?, size)?;
        self.keep_up(&progress).await?;
        Ok(progress)
    }

    /// Takes in a stream until nothing more comes of it; whoever called looks what that means.
    async fn drain(&mut self, mut events: Events<'_>, progress: &mut Progress) -> Result<(), Trouble> {
        while !progress.is_settled() {
            match timeout(SILENCE_LIMIT, events.next()).await {
                Ok(Ok(Some((event, size)))) => progress.absorb(event, size)?,
                Ok(Ok(None)) => break,
                // Silent for long or cut off: if the task has a name, looking tells more.
                Err(_) if progress.is_known() => break,
                Err(_) => continue,
                Ok(Err(trouble)) if trouble.may_pass() && progress.is_known() => break,
                Ok(Err(trouble)) => return Err(trouble),
            }
            self.keep_up(progress).await?;
        }
        Ok(())
    }

    /// Looks after the task until it is settled.
    async fn follow(&mut self, mut progress: Progress) -> Result<Progress, Trouble> {
        self.keep_up(&progress).await?;
        let (mut pause, mut streaming) = (FIRST_PAUSE, self.peer.card.described.streaming);
        while !progress.is_settled() {
            if streaming {
                match self.subscribe(&mut progress).await {
                    Ok(()) if progress.is_settled() => break,
                    // It has ended meanwhile, or does not let anybody listen: looking tells.
                    Err(Trouble::Refused { .. }) => streaming = false,
                    Err(trouble) if !trouble.may_pass() => return Err(trouble),
                    _ => {}
                }
            }
            let later = self.look(&progress.task, 0).await?;
            progress = progress.renewed(later);
            self.keep_up(&progress).await?;
            if !progress.is_settled() {
                sleep(pause).await;
                pause = (pause * 3 / 2).min(LONGEST_PAUSE);
            }
        }
        Ok(progress)
    }

    /// Listens to the events of a task that runs.
    async fn subscribe(&mut self, progress: &mut Progress) -> Result<(), Trouble> {
        let request = SubscribeToTaskRequest { id: progress.task.clone(), tenant: None };
        let events = self.peer.stream(methods::SUBSCRIBE_TO_TASK, &request).await?;
        self.drain(events, progress).await
    }

    async fn look(&self, task: &str, history: i32) -> Result<Progress, Trouble> {
        let (task, size) = self.task(task, history).await?;
        Progress::of(task, size)
    }

    async fn task(&self, task: &str, history: i32) -> Result<(Task, usize), Trouble> {
        let request = GetTaskRequest { id: task.to_owned(), history_length: Some(history), tenant: None };
        let value = self.patiently(methods::GET_TASK, &request).await?;
        let size = value.to_string().len();
        Ok((self.peer.read(value)?, size))
    }

    /// Asks something that changes nothing, again if the peer does not answer.
    async fn patiently(&self, method: &str, request: &impl Serialize) -> Result<Value, Trouble> {
        let mut pause = FIRST_PAUSE;
        let mut losses = 0;
        loop {
            let answer = timeout(LOOK_LIMIT, self.peer.call(method, request)).await.unwrap_or_else(|_| {
                Err(Trouble::Lost(format!(
                    "{} did not answer in {} s",
                    self.peer.address(),
                    LOOK_LIMIT.as_secs()
                )))
            });
            match answer {
                Err(trouble) if trouble.may_pass() && losses < MAX_LOSSES => losses += 1,
                answer => return answer,
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Looks whether the peer has what was sent; if nobody can tell, a person decides.
    async fn find_or_ask(&mut self, problem: &str) -> Result<AgentAnswer, AgentFailure> {
        match self
            .patiently(methods::LIST_TASKS, &self.listing())
            .await
            .ok()
            .and_then(|listed| self.found(&listed))
        {
            Some(task) => {
                let progress = self.look(&task, 0).await;
                self.finish(progress).await
            }
            None => Err(self.ask(SEND, record::unknown_question(self.peer, problem)).await),
        }
    }

    /// All tasks of the conversation that this attempt began.
    fn listing(&self) -> ListTasksRequest {
        ListTasksRequest {
            context_id: Some(self.key.clone()),
            status: None,
            page_size: None,
            page_token: None,
            history_length: Some(0),
            status_timestamp_after: None,
            include_artifacts: None,
            tenant: None,
        }
    }

    /// The task of this attempt among those that a peer lists: one that runs, or the first.
    fn found(&self, listed: &Value) -> Option<String> {
        let tasks = listed.get("tasks").and_then(Value::as_array)?.iter();
        let tasks: Vec<Task> = tasks.filter_map(|task| serde_json::from_value(task.clone()).ok()).collect();
        let mut ours = tasks.iter().filter(|task| task.context_id == self.key);
        let running = ours.clone().find(|task| !task.status.state.is_terminal());
        running.or_else(|| ours.next()).map(|task| task.id.clone())
    }

    /// Tells the peer that nobody wants the task any more; whether it said that it is canceled.
    async fn withdraw(&self) -> bool {
        let found = match &self.at {
            Some(remote) => Some(remote.task.clone()),
            None => {
                let listed = self.peer.call(methods::LIST_TASKS, &self.listing()).await;
                listed.ok().and_then(|listed| self.found(&listed))
            }
        };
        let Some(task) = found else { return false };
        let request = CancelTaskRequest { id: task, metadata: None, tenant: None };
        let answer = self.peer.call(methods::CANCEL_TASK, &request).await;
        answer.is_ok_and(|task| task.pointer("/status/state") == Some(&json!(TaskState::Canceled)))
    }

    /// Notes what is new of the task, and tells the others what the peer says of its work.
    async fn keep_up(&mut self, progress: &Progress) -> Result<(), Trouble> {
        let state = state_name(&progress.state());
        let new = self.at.is_none() || (progress.is_settled() && self.noted != Some(state));
        if !progress.task.is_empty() && new {
            let (task, context) = (progress.task.clone(), progress.context.clone());
            self.at = Some(Remote { task: task.clone(), context: context.clone() });
            self.note(AgentNote::Remote { task, context, state: state.to_owned() }).await?;
            self.noted = Some(state);
        }
        self.open = !progress.is_over();
        self.pass_on(progress).await;
        Ok(())
    }
}
