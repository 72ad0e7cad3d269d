//! Several sources of tools as one toolbox, and the part of it that one agent may use.

use std::sync::Arc;
use std::time::Duration;

use candor_model::{Carried, ToolCall, ToolErrorKind, ToolResult, ToolSpec, check_depth};
use candor_ports::{BoxFuture, Toolbox};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fill::fill;
use crate::source::{ServerHealth, ToolSource, check_arguments, with_undo};

/// All tools of an installation, or those of them that one agent may use. Cheap to clone.
#[derive(Clone)]
pub struct Tools {
    parts: Arc<[Arc<dyn ToolSource>]>,
    /// A tool must be let through by each of these.
    allowed: Vec<Arc<[String]>>,
}

impl Tools {
    /// The tools of these sources. Where two have the same name the first one wins.
    #[must_use]
    pub fn new(parts: Vec<Arc<dyn ToolSource>>) -> Self {
        Self { parts: parts.into(), allowed: Vec::new() }
    }

    /// The part that an agent may use: full names, `server.*` for all of a server, `*` for everything.
    ///
    /// Of a part, only what both allow is left: an agent cannot get more than whoever gave it its tools.
    #[must_use]
    pub fn only(&self, patterns: &[String]) -> Self {
        let mut allowed = self.allowed.clone();
        allowed.push(patterns.into());
        Self { parts: Arc::clone(&self.parts), allowed }
    }

    /// Whether a tool of this name may be used, whether or not there is one.
    #[must_use]
    pub fn allows(&self, tool: &str) -> bool {
        self.allowed.iter().all(|patterns| patterns.iter().any(|pattern| fits(pattern, tool)))
    }

    /// How the servers are; `start` starts those that do not run.
    pub async fn health(&self, start: bool) -> Vec<ServerHealth> {
        let ask = |part: Arc<dyn ToolSource>| async move { part.health(start).await };
        self.each(ask).await.into_iter().flatten().collect()
    }

    /// Ends all servers, and returns when nothing of them runs any more.
    pub async fn shutdown(&self) {
        self.each(|part| async move { part.shutdown().await }).await;
    }

    /// Whether any tool of this source may be used; the built-in ones cost nothing to look at.
    fn concerns(&self, source: &str) -> bool {
        let prefix = format!("{source}.");
        let fits = |pattern: &String| pattern == "*" || pattern.starts_with(&prefix);
        source.is_empty() || self.allowed.iter().all(|patterns| patterns.iter().any(fits))
    }

    /// Asks all sources that concern its user at once; the answers come in the order of the sources.
    async fn each<T, F>(&self, ask: impl Fn(Arc<dyn ToolSource>) -> F) -> Vec<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let mut asked = JoinSet::new();
        for (place, part) in self.parts.iter().enumerate().filter(|(_, part)| self.concerns(part.name())) {
            let answer = ask(Arc::clone(part));
            asked.spawn(async move { (place, answer.await) });
        }
        let mut answers = Vec::new();
        while let Some(answer) = asked.join_next().await {
            // A source that panicked has no answer; the others still have theirs.
            answers.extend(answer.ok());
        }
        answers.sort_by_key(|(place, _)| *place);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    /// Who has a tool of this name, as far as its name tells.
    async fn source_of(&self, tool: &str) -> Option<&Arc<dyn ToolSource>> {
        if let Some((server, _)) = tool.split_once('.') {
            return self.parts.iter().find(|part| part.name() == server);
        }
        for part in self.parts.iter().filter(|part| part.name().is_empty()) {
            if find(part, tool).await.is_some() {
                return Some(part);
            }
        }
        None
    }

    /// Calls a tool without asking who may use it.
    async fn call_any(&self, call: &ToolCall, within: Duration, stop: CancellationToken) -> ToolResult {
        let Some(part) = self.source_of(&call.tool).await else {
            return ToolResult::failed(ToolErrorKind::Unavailable, self.unknown(&call.tool));
        };
        if !part.name().is_empty() {
            return part.call(call, within, stop).await;
        }
        // A server checks and fills in by itself, since its tools can change at any time.
        let Some(spec) = find(part, &call.tool).await else {
            return ToolResult::failed(ToolErrorKind::Unavailable, self.unknown(&call.tool));
        };
        match check_arguments(&spec, &call.arguments) {
            Some(failure) => failure,
            None => with_undo(part.call(call, within, stop).await, &spec, &call.arguments),
        }
    }

    async fn find_out(&self, call: &ToolCall, within: Duration, stop: CancellationToken) -> Carried {
        let ends = Instant::now() + within;
        let Some(part) = self.source_of(&call.tool).await else { return Carried::Unknown };
        let Some(check) = find(part, &call.tool).await.and_then(|spec| spec.check.clone()) else {
            return part.verify(call, left(ends), stop).await;
        };
        // The result is what nobody knows: a rule that needs it cannot be followed.
        let Ok(check) = fill(&check, &call.arguments, &Value::Null) else { return Carried::Unknown };
        let Some(checker) = self.source_of(&check.tool).await else { return Carried::Unknown };
        let reads = find(checker, &check.tool).await.is_some_and(|spec| !spec.hints.changes());
        if !reads {
            return Carried::Unknown;
        }
        let question =
            ToolCall { key: format!("{}/check", call.key), tool: check.tool, arguments: check.arguments };
        judge(&self.call_any(&question, left(ends), stop).await)
    }

    fn unknown(&self, tool: &str) -> String {
        let names: Vec<_> =
            self.parts.iter().map(|part| part.name()).filter(|name| !name.is_empty()).collect();
        match tool.split_once('.') {
            Some((server, _)) if names.is_empty() => {
                format!("there is no tool `{tool}`: no server `{server}`, nor any other, is configured")
            }
            Some((server, _)) => format!(
                "there is no tool `{tool}`: no server `{server}` is configured; the servers are {}",
                names.join(", ")
            ),
            None => format!("there is no tool `{tool}`; tools of servers are called `server.tool`"),
        }
    }

    fn denied(&self, tool: &str) -> ToolResult {
        let patterns = self.allowed.last().map_or_else(String::new, |patterns| patterns.join(", "));
        let may = if patterns.is_empty() { "none at all".to_owned() } else { patterns };
        let message = format!("this agent may not use the tool `{tool}`; it may use {may}");
        ToolResult::failed(ToolErrorKind::Denied, message)
    }
}

/// Leaves out data that could not be read back from the log. The call was made, so it stays a success.
fn leave_out_deep(result: &mut ToolResult) {
    let problem = result.data.as_ref().and_then(|data| check_depth("data", data).err());
    if let Some(problem) = problem {
        result.data = None;
        result.cut = true;
        result.content.push_str(&format!("\n[left out: {problem}]"));
    }
}

impl Toolbox for Tools {
    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>> {
        Box::pin(async move {
            let lists = self.each(|part| async move { part.tools().await }).await;
            let mut tools: Vec<Arc<ToolSpec>> = Vec::new();
            for spec in lists.into_iter().flatten().filter(|spec| self.allows(&spec.name)) {
                if !tools.iter().any(|known| known.name == spec.name) {
                    tools.push(spec);
                }
            }
            tools
        })
    }

    fn troubles(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async move {
            let troubled = |server: ServerHealth| {
                let problem = server.last_error.filter(|_| server.tools == 0)?;
                Some(format!("the server `{}` has no tools now: {problem}", server.name))
            };
            self.health(false).await.into_iter().filter_map(troubled).collect()
        })
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            if !self.allows(&call.tool) {
                return self.denied(&call.tool);
            }
            let begun = Instant::now();
            let mut result = self.call_any(call, within, stop).await;
            leave_out_deep(&mut result);
            result.duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            result
        })
    }

    fn verify<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Carried> {
        Box::pin(async move {
            // Looking for the tools can start servers: the deadline holds for that as well.
            let found = self.find_out(call, within, stop.clone());
            tokio::select! {
                carried = tokio::time::timeout(within, found) => carried.unwrap_or(Carried::Unknown),
                () = stop.cancelled() => Carried::Unknown,
            }
        })
    }
}

/// What a check says. Only an answer is one: a check that did not come to its end tells nothing, and taking that
/// for "not done" would do things twice.
fn judge(result: &ToolResult) -> Carried {
    match &result.error {
        _ if result.success => Carried::Done,
        Some(problem) if problem.kind != ToolErrorKind::Failed => Carried::Unknown,
        _ => Carried::NotDone,
    }
}

async fn find(part: &Arc<dyn ToolSource>, tool: &str) -> Option<Arc<ToolSpec>> {
    part.tools().await.into_iter().find(|spec| spec.name == tool)
}

fn left(ends: Instant) -> Duration {
    ends.saturating_duration_since(Instant::now())
}

fn fits(pattern: &str, tool: &str) -> bool {
    match pattern.strip_suffix(".*") {
        _ if pattern == "*" => true,
        Some(server) => tool.split_once('.').is_some_and(|(name, _)| name == server),
        None => pattern == tool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(patterns: &[&str]) -> Tools {
        let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        Tools::new(Vec::new()).only(&patterns)
    }

    #[test]
    fn patterns_name_a_tool_a_server_or_everything() {
        // spec: planning TA-35
        let tools = only(&["time.*", "git.log", "read_file"]);
        assert!(["time.now", "time.a.b", "git.log", "read_file"].iter().all(|tool| tools.allows(tool)));
        assert!(
            !["timer.now", "time", "git.push", "git.log2", "write_file"]
                .iter()
                .any(|tool| tools.allows(tool))
        );
        assert!(only(&["*"]).allows("anything.at_all") && !only(&[]).allows("read_file"));
    }

    #[test]
    fn a_part_of_a_part_has_no_more_than_both_allow() {
        // spec: planning TA-35
        let narrow = only(&["time.*"]).only(&["*".to_owned()]);
        assert!(narrow.allows("time.now") && !narrow.allows("git.push"));
    }

    #[test]
    fn only_an_answer_tells_whether_something_was_done() {
        assert_eq!(judge(&ToolResult::done("there", None)), Carried::Done);
        assert_eq!(judge(&ToolResult::failed(ToolErrorKind::Failed, "no such file")), Carried::NotDone);
        for kind in [ToolErrorKind::Timeout, ToolErrorKind::Unavailable, ToolErrorKind::Denied] {
            assert_eq!(judge(&ToolResult::failed(kind, "?")), Carried::Unknown);
        }
    }
}
