//! One attempt: does what the mission wants, notes it, asks what it wants next.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use candor_model::{
    AgentAnswer, AgentNote, Carried, FailureKind, MissionAction, Money, ReportedError, Seconds, StepStrategy,
    TodoItem, ToolCall, ToolErrorKind, ToolHints, ToolResult, ToolSpec, WorkOrder,
};
use candor_ports::{AgentFailure, Ask, AttemptContext};
use candor_react::{Ending, Heard, Mission, MissionSettings, Wanted, rules};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answers::{ActionAnswer, PlanAnswer, StrategyAnswer};
use super::{ToolAgentConfig, slots};
use crate::wait::FAR_AWAY;

/// How long a model may look for a way to re-plan a step: within the ten seconds that all of it may take.
const STRATEGY_MS: u64 = 9_500;

/// How long a toolbox that should have answered is waited for.
const GRACE: Duration = Duration::from_secs(2);

/// How many rounds the loop makes at most; its own limits end it long before.
const MAX_ROUNDS: usize = 100_000;

/// Works at one task until it is done, fails or is stopped.
pub(super) async fn perform(
    config: &ToolAgentConfig,
    order: &WorkOrder,
    cx: Arc<dyn AttemptContext>,
    stop: CancellationToken,
) -> Result<AgentAnswer, AgentFailure> {
    let settings = MissionSettings { model: cx.has_models(), ..config.settings.clone() };
    let mission = Mission::resume(order, settings, &cx.notes());
    let drive = Drive {
        config,
        order,
        cx,
        stop,
        mission,
        began: Instant::now(),
        tools: Vec::new(),
        told: BTreeSet::new(),
        by_others: 0,
    };
    drive.run().await
}

struct Drive<'a> {
    config: &'a ToolAgentConfig,
    order: &'a WorkOrder,
    cx: Arc<dyn AttemptContext>,
    stop: CancellationToken,
    mission: Mission,
    began: Instant,
    tools: Vec<Arc<ToolSpec>>,
    /// What was told of tools that are not there.
    told: BTreeSet<String>,
    /// How many notes by others were taken into account.
    by_others: usize,
}

impl Drive<'_> {
    async fn run(mut self) -> Result<AgentAnswer, AgentFailure> {
        self.look_at_tools().await?;
        for _ in 0..MAX_ROUNDS {
            if self.stop.is_cancelled() {
                return Err(AgentFailure::Stopped);
            }
            self.take_notes_of_others();
            match self.mission.poll_action(&self.tools, self.now_ms()) {
                Wanted::Note(notes) => self.note_all(notes).await?,
                Wanted::Plan { name } => self.plan(name).await?,
                Wanted::Act { name, item } => self.act(name, item.as_deref()).await?,
                Wanted::Strategy { name, item, error } => self.replan(name, &item, &error).await?,
                Wanted::Call { item, call, hints, again } => self.call(item, &call, hints, again).await?,
                Wanted::Verify { call } => self.verify(&call).await?,
                Wanted::Ask { about, question } => {
                    if self.mission.asked() != Some(about.as_str()) {
                        self.note(AgentNote::Asked { about }).await?;
                    }
                    return Err(AgentFailure::Waiting { question });
                }
                Wanted::Done(ending) => return Ok(self.answer(*ending)),
            }
        }
        Err(AgentFailure::failed(
            FailureKind::OverBudget,
            format!("{} went round {MAX_ROUNDS} times without an end; please report it", self.config.name),
        ))
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn left_ms(&self) -> u64 {
        self.mission.deadline_ms().saturating_sub(self.now_ms())
    }

    /// The moment at which everything has to have ended.
    fn deadline(&self) -> Instant {
        self.began + Duration::from_millis(self.order.deadline_seconds.as_millis()).min(FAR_AWAY)
    }

    async fn look_at_tools(&mut self) -> Result<(), AgentFailure> {
        let left = Duration::from_millis(self.left_ms()).min(FAR_AWAY);
        tokio::select! {
            biased;
            () = self.stop.cancelled() => return Err(AgentFailure::Stopped),
            tools = self.config.toolbox.tools() => self.tools = tools,
            // Without them the mission ends by itself, and says what is left.
            () = tokio::time::sleep(left) => {}
        }
        self.tell_troubles().await
    }

    /// Tools that are not there are missed later, by a step that cannot say why: so it is told now, once.
    async fn tell_troubles(&mut self) -> Result<(), AgentFailure> {
        for trouble in self.config.toolbox.troubles().await {
            let text = candor_react::shorten(&candor_react::redact(&trouble), 500);
            if self.told.insert(text.clone()) {
                self.note(AgentNote::Warned { text }).await?;
            }
        }
        Ok(())
    }

    /// Notes something, and takes it into account once it is durable.
    async fn note(&mut self, note: AgentNote) -> Result<(), AgentFailure> {
        self.cx.note(note.clone()).await.map_err(|reason| self.not_taken(&reason))?;
        self.mission.apply(&note);
        Ok(())
    }

    /// Notes something that may be lost, and takes it into account at once.
    async fn note_buffered(&mut self, note: AgentNote) -> Result<(), AgentFailure> {
        self.cx.note_buffered(note.clone()).await.map_err(|reason| self.not_taken(&reason))?;
        self.mission.apply(&note);
        Ok(())
    }

    fn not_taken(&self, reason: &str) -> AgentFailure {
        let message = format!("{} stopped: its notes are not taken: {reason}", self.config.name);
        AgentFailure::failed(FailureKind::Cancelled, message)
    }

    async fn note_all(&mut self, notes: Vec<AgentNote>) -> Result<(), AgentFailure> {
        for note in notes {
            self.note(note).await?;
        }
        Ok(())
    }

    async fn handle_result(&mut self, heard: Heard) -> Result<(), AgentFailure> {
        let notes = self.mission.handle_result(heard, &self.tools);
        self.note_all(notes).await
    }

    async fn plan(&mut self, name: String) -> Result<(), AgentFailure> {
        self.look_at_tools().await?;
        let ask = slots::plan(&self.mission, &self.mission.allowed(&self.tools), self.config.tier);
        let answer = self.consult(name, ask, self.model_ms()).await?;
        let plan = answer.and_then(|value| read::<PlanAnswer>(value).map(PlanAnswer::into_items));
        self.handle_result(Heard::Plan(plan)).await
    }

    async fn act(&mut self, name: String, item: Option<&TodoItem>) -> Result<(), AgentFailure> {
        self.look_at_tools().await?;
        let allowed = self.mission.allowed(&self.tools);
        let ask = slots::act(&self.mission, item, allowed, self.config.tier);
        let answer = self.consult(name, ask, self.model_ms()).await?;
        let action: Result<MissionAction, String> =
            answer.and_then(read::<ActionAnswer>).and_then(ActionAnswer::into_action);
        self.handle_result(Heard::Action(action)).await
    }

    async fn replan(
        &mut self,
        name: String,
        item: &TodoItem,
        error: &ToolResult,
    ) -> Result<(), AgentFailure> {
        let began = Instant::now();
        self.look_at_tools().await?;
        let allowed = self.mission.allowed(&self.tools);
        let by_model = self.model_strategy(name, item, error, &allowed).await?;
        let (strategy, by) = match by_model {
            Ok(strategy) => (Some(strategy), "model"),
            Err(reason) => {
                if self.cx.has_models() {
                    let text = format!("no model found a way to re-plan step {}: {reason}", item.position);
                    self.note(AgentNote::Warned { text: candor_react::shorten(&text, 200) }).await?;
                }
                let by_rules = |tools: &[Arc<ToolSpec>]| rules::strategy(item, error, tools);
                let promising = self.mission.promising(item, &allowed);
                (by_rules(&promising).or_else(|| by_rules(&allowed)), "rules")
            }
        };
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.handle_result(Heard::Strategy { strategy, by: by.to_owned(), took_ms }).await
    }

    async fn model_strategy(
        &mut self,
        name: String,
        item: &TodoItem,
        error: &ToolResult,
        tools: &[Arc<ToolSpec>],
    ) -> Result<Result<StepStrategy, String>, AgentFailure> {
        if !self.cx.has_models() {
            return Ok(Err("there is no model".to_owned()));
        }
        let ask = slots::replan(&self.mission, item, error, tools, self.config.tier);
        let within = STRATEGY_MS.min(self.left_ms());
        let answer = self.consult(name, ask, within).await?;
        Ok(answer.and_then(read::<StrategyAnswer>).map(StrategyAnswer::into_strategy))
    }

    fn model_ms(&self) -> u64 {
        self.mission.settings().model_timeout.as_millis().min(self.left_ms())
    }

    /// Asks a model. What it took is on the log, and is taken into account from there.
    async fn consult(
        &mut self,
        name: String,
        mut ask: Ask,
        within_ms: u64,
    ) -> Result<Result<Value, String>, AgentFailure> {
        ask.role.clone_from(&self.config.role);
        let left = self.mission.money_left();
        let within = Duration::from_millis(within_ms).min(FAR_AWAY);
        let answer = tokio::select! {
            biased;
            () = self.stop.cancelled() => return Err(AgentFailure::Stopped),
            answer = self.cx.consult(name, ask, left, Seconds::from_millis(within_ms)) => answer,
            () = tokio::time::sleep(within) => Err(format!("no answer within {within_ms} ms")),
        };
        self.take_model_notes();
        Ok(answer)
    }

    /// What a person asked of this attempt since it began is on the log already.
    fn take_notes_of_others(&mut self) {
        for note in self.cx.noted_by_others(self.by_others) {
            self.by_others += 1;
            self.mission.apply(&note);
        }
    }

    fn take_model_notes(&mut self) {
        let notes = self.cx.notes();
        let of_models = notes.iter().filter(|noted| matches!(noted.note, AgentNote::Consulted { .. }));
        for noted in of_models.skip(self.mission.consulted()) {
            self.mission.apply(&noted.note);
        }
    }

    async fn call(
        &mut self,
        item: String,
        call: &ToolCall,
        hints: ToolHints,
        again: bool,
    ) -> Result<(), AgentFailure> {
        if !again {
            let called = AgentNote::Called { item, call: Box::new(call.clone()), hints };
            // What only looks can be done again; an intent must be on the log before anything is changed.
            if hints.changes() { self.note(called).await? } else { self.note_buffered(called).await? }
        }
        let within = self.tool_time();
        let began = Instant::now();
        let called = self.config.toolbox.call(call, within, self.stop.clone());
        let none = |kind, text: String| ToolResult::failed(kind, text);
        let mut result = tokio::select! {
            result = called => result,
            () = tokio::time::sleep_until((began + within + GRACE).min(self.deadline())) => {
                none(ToolErrorKind::Timeout, format!("no answer within {} ms", within.as_millis()))
            }
            () = after(&self.stop, GRACE) => none(ToolErrorKind::Cancelled, "it was stopped".to_owned()),
        };
        let cancelled = matches!(&result.error, Some(problem) if problem.kind == ToolErrorKind::Cancelled);
        if cancelled && self.stop.is_cancelled() {
            // Whether it was carried out is found out by whoever goes on: an intent without a receipt.
            return Err(AgentFailure::Stopped);
        }
        if result.duration_ms == 0 {
            result.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        }
        self.handle_result(Heard::Returned { key: call.key.clone(), result: Box::new(result) }).await
    }

    async fn verify(&mut self, call: &ToolCall) -> Result<(), AgentFailure> {
        let within = self.tool_time();
        let carried = tokio::select! {
            carried = self.config.toolbox.verify(call, within, self.stop.clone()) => carried,
            () = tokio::time::sleep(within + GRACE) => Carried::Unknown,
            () = after(&self.stop, GRACE) => return Err(AgentFailure::Stopped),
        };
        if self.stop.is_cancelled() {
            // A check that was cut off proves nothing.
            return Err(AgentFailure::Stopped);
        }
        self.handle_result(Heard::Carried { key: call.key.clone(), carried }).await
    }

    fn tool_time(&self) -> Duration {
        let own = self.mission.settings().tool_timeout.as_millis();
        Duration::from_millis(own.min(self.left_ms()))
    }

    fn answer(&self, ending: Ending) -> AgentAnswer {
        let notes = self.cx.notes();
        let own = notes.iter().filter(|noted| noted.attempt == self.order.attempt);
        let cost: Money = own.map(|noted| noted.note.cost()).sum();
        AgentAnswer {
            outputs: ending.outputs,
            cost: Some(cost),
            feedback_type: Some(ending.verdict),
            errors: ending.errors,
            error: ending.failure.as_ref().map(ReportedError::from),
            suggested_adjustments: ending.advice,
            messages: Vec::new(),
        }
    }
}

/// Returns a while after the order to stop.
async fn after(stop: &CancellationToken, a_while: Duration) {
    stop.cancelled().await;
    tokio::time::sleep(a_while).await;
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, String> {
    candor_model::from_value(value).map_err(|error| format!("the model's answer cannot be read: {error}"))
}
