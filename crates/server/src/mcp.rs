//! The MCP server: takes calls, asks the service, and answers with data and words.
//!
//! Over a pair of pipes it serves whoever started it. Over HTTP every call comes with a token, whose scope decides which
//! tools it may call, and whose name is noted.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use candor_app::{Service, StartRequest};
use candor_model::{JsonMap, Position, RunId};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ConstString,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation, InitializeResultMethod,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, serve_server_with_ct};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::decision;
use crate::error::ApiError;
use crate::http::{Caller, Shared, note};
use crate::inputs::{
    self, ApproveInput, CancelInput, PlanInput, ResumeInput, RunInput, StatusInput, patience,
};
use crate::report::{RunReport, RunsReport};
use crate::tools::{self, APPROVE, CANCEL, PLAN, RESUME, RUN, STATUS};
use crate::wait::Waiter;
use crate::wire::Wire;

/// How many runs are listed.
const LISTED: u32 = 20;
/// What goes on record when nobody says why a run is cancelled.
const NO_REASON: &str = "asked for over MCP";

/// Why the server could not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client and the server could not agree on how to speak.
    #[error("the MCP client could not be served: {0}")]
    Begin(#[source] Box<ServerInitializeError>),
    /// The server itself broke down.
    #[error("the MCP server broke down: {0}")]
    Broken(#[from] tokio::task::JoinError),
}

/// Serves an installation over a pair of streams until the input ends or `stop` is cancelled.
///
/// Calls that wait for a run are answered at once then; what is driven is left to whoever owns the service.
pub async fn serve(
    service: Arc<Service>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    // Cancelled with `stop`, and also when the input ends.
    let gone = stop.child_token();
    let server = McpServer { service, gone: gone.clone(), tools: Arc::new(tools::all()), http: None };
    let wire = Wire::new(input, output, gone);
    match serve_server_with_ct(server, wire, stop).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(ServeError::from),
        // A client that never said anything is served well by an end.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(ServeError::Begin(Box::new(error))),
    }
}

/// Tools of Candor for clients of the Model Context Protocol.
pub(crate) struct McpServer {
    service: Arc<Service>,
    gone: CancellationToken,
    tools: Arc<Vec<Tool>>,
    /// Where callers are known by their tokens: present over HTTP only.
    http: Option<Shared>,
}

/// What a call comes to: data and words.
struct Reply {
    data: Value,
    text: String,
}

impl Reply {
    fn new(data: &impl Serialize, text: String) -> Result<Self, ApiError> {
        let data = serde_json::to_value(data)
            .map_err(|error| ApiError::new(format!("the answer cannot be written as JSON: {error}")))?;
        Ok(Self { data, text })
    }

    fn into_result(self) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(self.text)]);
        result.structured_content = Some(self.data);
        result
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("candor", env!("CARGO_PKG_VERSION")).with_title("Candor");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(tools::INSTRUCTIONS)
    }

    /// The tools that the caller may call.
    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let allowed = |tool: &&Tool| self.refused(&tool.name, &context).is_none();
        Ok(ListToolsResult::with_all_items(self.tools.iter().filter(allowed).cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // A method that is known comes here when its parameters cannot be read.
        if [InitializeResultMethod::VALUE, CallToolRequestMethod::VALUE].contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("the parameters of `{method}` cannot be read"),
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(refusal) = self.refused(&request.name, &context) {
            return Ok(CallToolResult::error(vec![ContentBlock::text(refusal.to_string())]).into());
        }
        let arguments = request.arguments.unwrap_or_default();
        let replied = match request.name.as_ref() {
            PLAN => self.plan(arguments).await,
            RUN => self.run(arguments, &context).await,
            STATUS => self.status(arguments, &context).await,
            APPROVE => self.approve(arguments, &context).await,
            CANCEL => self.cancel(arguments, &context).await,
            RESUME => self.resume(arguments, &context).await,
            other => return Err(unknown(other, &self.tools)),
        };
        let result = match replied {
            Ok(reply) => reply.into_result(),
            Err(trouble) => CallToolResult::error(vec![ContentBlock::text(trouble.to_string())]),
        };
        Ok(result.into())
    }
}

/// Whose token came with a call over HTTP.
fn caller(context: &RequestContext<RoleServer>) -> Option<&Caller> {
    context.extensions.get::<Parts>()?.extensions.get()
}

fn unknown(name: &str, tools: &[Tool]) -> ErrorData {
    let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    ErrorData::invalid_params(format!("there is no tool `{name}`; there are {}", known.join(", ")), None)
}

impl McpServer {
    /// Serves callers whose tokens the HTTP server knows.
    pub(crate) fn over_http(http: Shared, tools: Arc<Vec<Tool>>) -> Self {
        let (service, gone) = http.for_mcp();
        Self { service, gone, tools, http: Some(http) }
    }

    /// Why a caller may not call a tool, if so. Without HTTP the caller owns this process.
    fn refused(&self, tool: &str, context: &RequestContext<RoleServer>) -> Option<ApiError> {
        self.http.as_ref()?;
        let Some(caller) = caller(context) else { return Some(ApiError::new("nobody knows who calls")) };
        let needs = tools::scope(tool)?;
        let (has, needed) = (caller.scope.as_str(), needs.as_str());
        (caller.scope < needs).then(|| {
            ApiError::new(format!("`{tool}` takes a token of scope {needed}, and yours has {has}"))
                .hint("Nothing was done.")
        })
    }

    /// Notes who did something, where callers have names.
    async fn note(
        &self,
        context: &RequestContext<RoleServer>,
        action: &'static str,
        run: &RunId,
        detail: String,
    ) {
        if let (Some(http), Some(caller)) = (&self.http, caller(context)) {
            note(http, caller, action, Some(run), detail).await;
        }
    }

    async fn plan(&self, arguments: JsonMap) -> Result<Reply, ApiError> {
        let PlanInput { goal } = inputs::read(PLAN, arguments)?;
        let planned = self.service.plan(&goal).await?;
        Ok(Reply { data: planned.data, text: planned.text })
    }

    async fn run(&self, arguments: JsonMap, context: &RequestContext<RoleServer>) -> Result<Reply, ApiError> {
        let RunInput { goal, wait_seconds, unattended, follows } = inputs::read(RUN, arguments)?;
        let patience = patience(wait_seconds)?;
        let waiter = self.waiter(context);
        let user = caller(context).map(|caller| caller.name.clone());
        let request = StartRequest { goal: Some(goal), unattended, user, follows, ..StartRequest::default() };
        let run = self.service.begin(request).await?.run;
        self.note(context, "start", &run, String::new()).await;
        self.rested(waiter, &run, None, patience).await
    }

    async fn status(
        &self,
        arguments: JsonMap,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, ApiError> {
        let StatusInput { run_id, wait_seconds } = inputs::read(STATUS, arguments)?;
        let patience = patience(Some(wait_seconds.unwrap_or(0)))?;
        let Some(named) = run_id else {
            let runs = RunsReport::of(self.service.latest(LISTED).await?);
            return Reply::new(&runs, runs.text());
        };
        let run = self.found(&named).await?;
        if patience.is_zero() {
            return self.report(&run).await;
        }
        let waiter = self.waiter(context);
        let seen = self.service.look(&run).await?.view.position;
        self.rested(waiter, &run, Some(seen), patience).await
    }

    async fn approve(
        &self,
        arguments: JsonMap,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, ApiError> {
        let input: ApproveInput = inputs::read(APPROVE, arguments)?;
        let patience = patience(input.wait_seconds)?;
        let run = self.found(&input.run_id).await?;
        let view = self.service.look(&run).await?.view;
        let (gate, question) = decision::asked(&view, input.gate.as_deref())?;
        let detail = format!("{gate}: {}", input.decision);
        let answer = decision::answer(&view, &gate, &question, input)?;
        let waiter = self.waiter(context);
        self.service.answer(&run, gate, answer).await.map_err(|trouble| {
            ApiError::from(trouble)
                .hint(format!("Nothing was decided. `{STATUS}` with run_id={run} shows what is open now."))
        })?;
        self.note(context, "answer", &run, detail).await;
        self.rested(waiter, &run, Some(view.position), patience).await
    }

    async fn cancel(
        &self,
        arguments: JsonMap,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, ApiError> {
        let CancelInput { run_id, reason } = inputs::read(CANCEL, arguments)?;
        let run = self.found(&run_id).await?;
        let seen = self.service.look(&run).await?.view.position;
        let waiter = self.waiter(context);
        let reason = reason.unwrap_or_else(|| NO_REASON.to_owned());
        self.service.cancel(&run, &reason).await?;
        self.note(context, "cancel", &run, reason).await;
        // Agents are stopped before a run is cancelled; that takes a moment.
        self.rested(waiter, &run, Some(seen), patience(None)?).await
    }

    async fn resume(
        &self,
        arguments: JsonMap,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, ApiError> {
        let ResumeInput { run_id, wait_seconds } = inputs::read(RESUME, arguments)?;
        let patience = patience(wait_seconds)?;
        let run = self.found(&run_id).await?;
        let waiter = self.waiter(context);
        self.service.resume(&run).await?;
        self.note(context, "resume", &run, String::new()).await;
        self.rested(waiter, &run, None, patience).await
    }

    fn waiter(&self, context: &RequestContext<RoleServer>) -> Waiter {
        Waiter::new(&self.service, context, self.gone.clone())
    }

    async fn found(&self, named: &str) -> Result<RunId, ApiError> {
        let list = || format!("`{STATUS}` without run_id lists the latest runs.");
        self.service.find(named).await.map_err(|trouble| ApiError::from(trouble).hint(list()))
    }

    /// Waits for a run, and says where it stands then.
    async fn rested(
        &self,
        mut waiter: Waiter,
        run: &RunId,
        after: Option<Position>,
        patience: Duration,
    ) -> Result<Reply, ApiError> {
        waiter.wait(&self.service, run, after, patience).await?;
        self.report(run).await
    }

    async fn report(&self, run: &RunId) -> Result<Reply, ApiError> {
        let report = RunReport::of(self.service.look(run).await?);
        let text = report.text();
        Reply::new(&report, text)
    }
}
