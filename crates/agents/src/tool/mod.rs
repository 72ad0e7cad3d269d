//! The tool agent: works through a list of steps with tools, and re-plans what fails.
//!
//! What it does next is decided in [`candor_react`], which touches nothing; here it is done: tools are called,
//! models and people asked, and everything noted at the cx before anything follows from it. Whoever takes the
//! task up again, in this process or another, goes on where the notes end.

mod answers;
mod drive;
mod notebook;
mod slots;

use std::sync::Arc;
use std::time::Duration;

use candor_model::{AgentAnswer, LedgerEntry, RunId, Tier, ToolCall, ToolErrorKind, WorkOrder};
use candor_ports::{Agent, AgentFailure, AttemptContext, BoxFuture, Toolbox};
use candor_react::{MissionSettings, redact, shorten};
use tokio_util::sync::CancellationToken;

pub use self::notebook::Notebook;

/// What a tool agent is made of.
#[derive(Clone)]
pub struct ToolAgentConfig {
    /// What it is called, in messages.
    pub name: String,
    /// Tools that the agent may call.
    pub toolbox: Arc<dyn Toolbox>,
    /// The tools that changes are undone with, which a person asks for: its own need not have them.
    pub undo: Arc<dyn Toolbox>,
    /// What each of its attempts must keep to. Whether there is a model is seen at the cx.
    pub settings: MissionSettings,
    /// How capable a model it needs.
    pub tier: Tier,
    /// Who it is, for its models.
    pub role: String,
}

impl ToolAgentConfig {
    /// A tool agent with the usual limits.
    #[must_use]
    pub fn new(name: impl Into<String>, toolbox: Arc<dyn Toolbox>) -> Self {
        let undo = Arc::clone(&toolbox);
        let (settings, role) = (MissionSettings::default(), String::new());
        Self { name: name.into(), toolbox, undo, settings, tier: Tier::Balanced, role }
    }
}

/// An agent that works with tools.
pub struct ToolAgent {
    config: ToolAgentConfig,
}

impl ToolAgent {
    /// An agent that is made so.
    #[must_use]
    pub const fn new(config: ToolAgentConfig) -> Self {
        Self { config }
    }

    /// Undoes a change of the world with the call that its receipt names.
    async fn undo_entry(&self, entry: &LedgerEntry, stop: CancellationToken) -> Result<String, String> {
        let Some(undo) = entry.can_be_undone() else {
            return Err(format!("{} says nothing of how its call is undone", entry.tool));
        };
        let key = format!("{}/undo", entry.key);
        let call = ToolCall { key, tool: undo.tool.clone(), arguments: undo.arguments.clone() };
        let within = Duration::from_millis(self.config.settings.tool_timeout.as_millis());
        let result = self.config.undo.call(&call, within, stop).await;
        let said = |text: &str| shorten(&redact(text), 200);
        if result.success {
            return Ok(format!("{} undid it: {}", undo.tool, said(&result.content)));
        }
        let unknown = matches!(&result.error, Some(problem) if problem.kind == ToolErrorKind::Timeout);
        let advice = if unknown { "; nobody knows whether it is undone, please look" } else { "" };
        Err(format!("{} could not undo it: {}{advice}", undo.tool, said(result.error_text())))
    }
}

impl Agent for ToolAgent {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        self.perform_among(order, Arc::new(Notebook::new(order.attempt)), stop)
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(drive::perform(&self.config, order, cx, stop))
    }

    fn undo<'a>(
        &'a self,
        _run: &'a RunId,
        entry: &'a LedgerEntry,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(self.undo_entry(entry, stop))
    }
}
