//! Requests in JSON-RPC 2.0: read, sent to whoever answers them, and answered in kind.

use a2a::{
    A2AError, CancelTaskRequest, GetTaskRequest, JsonRpcId, JsonRpcRequest, JsonRpcResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest,
    Task, TaskState, TaskStatus, methods,
};
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use candor_app::tokens::Scope;
use candor_model::{RunId, RunStatus};
use candor_ports::{RunEntry, RunPage, RunQuery, Seq};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::super::Shared;
use super::super::auth::Caller;
use super::super::control::{self, Act, ReasonBody};
use super::super::extract::unread;
use super::conversations::Conversations;
use super::messages::{Taken, found, take};
use super::{Refusal, needs, stream, task};

/// How many tasks a page has if nobody says, and at most.
const USUAL_TASKS: u32 = 50;
const MOST_TASKS: u32 = 100;
/// How long a run may take to stop before its task is shown as it stands.
const STOPPING: std::time::Duration = std::time::Duration::from_secs(10);

/// Answers a JSON-RPC request.
pub(super) async fn call(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return unread(&rejection).into_response(),
    };
    let request = match read(&body) {
        Ok(request) => request,
        Err((id, error)) => return answered(id, Err::<Value, _>(error.into())),
    };
    let id = request.id.clone();
    let result = match version(&headers, query.as_deref()) {
        Ok(()) => dispatch(server, caller, request).await,
        Err(error) => Err(error.into()),
    };
    result.unwrap_or_else(|refusal| answered(id, Err::<Value, _>(refusal)))
}

/// Reads a request; what is none is answered under its own id, if it has one.
fn read(body: &[u8]) -> Result<JsonRpcRequest, (JsonRpcId, A2AError)> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| (JsonRpcId::Null, A2AError::parse_error(format!("this is not JSON: {error}"))))?;
    let id =
        value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok()).unwrap_or(JsonRpcId::Null);
    let wrong = || A2AError::invalid_request("this is not a request of JSON-RPC 2.0");
    let request = serde_json::from_value::<JsonRpcRequest>(value).map_err(|_| (id.clone(), wrong()))?;
    if request.jsonrpc == "2.0" { Ok(request) } else { Err((id, wrong())) }
}

/// Refuses other versions of the protocol. A client that names none speaks 0.3.
fn version(headers: &HeaderMap, query: Option<&str>) -> Result<(), A2AError> {
    let header = headers.get(a2a::SVC_PARAM_VERSION).and_then(|version| version.to_str().ok());
    let pairs = query.unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let mut asked =
        pairs.filter(|(name, _)| name.eq_ignore_ascii_case(a2a::SVC_PARAM_VERSION)).map(|(_, it)| it);
    let version =
        header.or(asked.next_back()).map(str::trim).filter(|version| !version.is_empty()).unwrap_or("0.3");
    if version == a2a::VERSION {
        return Ok(());
    }
    Err(A2AError::new(
        a2a::error_code::VERSION_NOT_SUPPORTED,
        format!("version {version} is not spoken here; send `A2A-Version: {}`", a2a::VERSION),
    ))
}

async fn dispatch(server: Shared, caller: Caller, request: JsonRpcRequest) -> Result<Response, Refusal> {
    let JsonRpcRequest { id, method, params, .. } = request;
    let params = params.unwrap_or_else(|| json!({}));
    match method.as_str() {
        methods::SEND_MESSAGE => send(server, &caller, id, parsed(params)?).await,
        methods::SEND_STREAMING_MESSAGE => {
            let SendMessageRequest { message, .. } = parsed(params)?;
            let taken = take(&server, &caller, message).await?;
            stream::follow(server, id, taken).await
        }
        methods::GET_TASK => {
            let GetTaskRequest { id: task, history_length, .. } = parsed(params)?;
            let run = found(&server, &task).await?;
            let shown = task::shown(&server, &run).await?;
            Ok(answered(id, Ok(task::with_history(shown, history_length))))
        }
        methods::LIST_TASKS => Ok(answered(id, list(&server, parsed(params)?).await)),
        methods::CANCEL_TASK => Ok(answered(id, cancel(&server, &caller, parsed(params)?).await)),
        methods::SUBSCRIBE_TO_TASK => subscribe(server, id, parsed(params)?).await,
        methods::CREATE_PUSH_CONFIG
        | methods::GET_PUSH_CONFIG
        | methods::LIST_PUSH_CONFIGS
        | methods::DELETE_PUSH_CONFIG => Err(A2AError::push_notification_not_supported().into()),
        methods::GET_EXTENDED_AGENT_CARD => {
            Err(A2AError::unsupported_operation("there is no other card than the one at the usual place")
                .into())
        }
        other => Err(A2AError::method_not_found(other).into()),
    }
}

fn parsed<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    let wrong = |error| A2AError::invalid_params(format!("the parameters cannot be read: {error}"));
    serde_json::from_value(params).map_err(|error| wrong(error).into())
}

async fn send(
    server: Shared,
    caller: &Caller,
    id: JsonRpcId,
    request: SendMessageRequest,
) -> Result<Response, Refusal> {
    let SendMessageRequest { message, configuration, .. } = request;
    let (history, at_once, push) = configuration.map_or((None, false, false), |it| {
        (
            it.history_length,
            it.return_immediately.unwrap_or(false),
            it.task_push_notification_config.is_some(),
        )
    });
    if push {
        return Err(A2AError::push_notification_not_supported().into());
    }
    let taken = take(&server, caller, message).await?;
    if at_once {
        let shown = task::shown(&server, &taken.run).await?;
        return Ok(answered(id, Ok(SendMessageResponse::Task(task::with_history(shown, history)))));
    }
    stream::later(server, id, taken, history)
}

async fn subscribe(
    server: Shared,
    id: JsonRpcId,
    request: SubscribeToTaskRequest,
) -> Result<Response, Refusal> {
    let run = found(&server, &request.id).await?;
    let view = server.service.look(&run).await?.view;
    if view.status.is_end() {
        return Err(A2AError::unsupported_operation(format!("task {run} has ended ({})", view.status)).into());
    }
    stream::follow(server, id, Taken { run, after: Some(view.position) }).await
}

async fn cancel(server: &Shared, caller: &Caller, request: CancelTaskRequest) -> Result<Task, Refusal> {
    needs(caller, Scope::Admin)?;
    let run = found(server, &request.id).await?;
    let view = server.service.look(&run).await?.view;
    match view.status {
        RunStatus::Cancelled => {}
        status if status.is_end() => return Err(A2AError::task_not_cancelable(&request.id).into()),
        _ => {
            control::perform(server, caller, &run, Act::Cancel(ReasonBody::default())).await?;
            // Agents are stopped before a run is cancelled; that takes a moment.
            let _ = tokio::time::timeout(STOPPING, server.service.rest(&run, Some(view.position))).await;
        }
    }
    Ok(task::with_history(task::shown(server, &run).await?, Some(0)))
}

/// The tasks of a conversation, or all: their states, without what they brought unless that is asked for.
async fn list(server: &Shared, request: ListTasksRequest) -> Result<ListTasksResponse, Refusal> {
    let size = match request.page_size {
        None => USUAL_TASKS,
        Some(size) => {
            u32::try_from(size).ok().filter(|size| (1..=MOST_TASKS).contains(size)).ok_or_else(|| {
                A2AError::invalid_params(format!("pageSize is {size}; it is a number from 1 to {MOST_TASKS}"))
            })?
        }
    };
    let context = request.context_id.as_deref().filter(|context| !context.is_empty());
    let (tasks, next, total) = match context {
        Some(context) => of_conversation(server, context, &request).await?,
        None => of_all(server, size, &request).await?,
    };
    Ok(ListTasksResponse {
        tasks,
        next_page_token: next.map(|next| next.0.to_string()).unwrap_or_default(),
        page_size: i32::try_from(size).unwrap_or(i32::MAX),
        total_size: i32::try_from(total).unwrap_or(i32::MAX),
    })
}

type Listed = (Vec<Task>, Option<Seq>, usize);

async fn of_conversation(
    server: &Shared,
    context: &str,
    request: &ListTasksRequest,
) -> Result<Listed, Refusal> {
    let mut tasks = Vec::new();
    let runs: Vec<RunId> = Conversations::of(server.service.folder()).runs(context);
    // The latest first. What was never begun is no task.
    for run in runs.iter().rev() {
        if server.service.exists(run).await? {
            let shown = task::with_history(task::shown(server, run).await?, request.history_length);
            let wanted = request
                .status
                .as_ref()
                .is_none_or(|state| *state == TaskState::Unspecified || *state == shown.status.state);
            tasks.extend(wanted.then_some(shown));
        }
    }
    tasks.dedup_by(|one, other| one.id == other.id);
    let artifacts = request.include_artifacts == Some(true);
    tasks.iter_mut().filter(|_| !artifacts).for_each(|task| task.artifacts = None);
    let total = tasks.len();
    Ok((tasks, None, total))
}

async fn of_all(server: &Shared, size: u32, request: &ListTasksRequest) -> Result<Listed, Refusal> {
    let token = request.page_token.as_deref().filter(|token| !token.is_empty());
    let before = token.map(str::parse).transpose();
    let before = before.map_err(|_| A2AError::invalid_params("pageToken is none of ours"))?.map(Seq);
    let state = request.status.clone().unwrap_or_default();
    let statuses = RunStatus::ALL.iter().copied();
    let statuses =
        statuses.filter(|status| state != TaskState::Unspecified && task::state_of(*status, None) == state);
    let query = RunQuery { statuses: statuses.collect(), before, limit: size, ..RunQuery::default() };
    if state != TaskState::Unspecified && query.statuses.is_empty() {
        return Ok((Vec::new(), None, 0));
    }
    let RunPage { runs, next } = server.service.page(query).await?;
    let conversations = Conversations::of(server.service.folder());
    let tasks: Vec<Task> = runs.into_iter().map(|entry| in_short(&conversations, entry)).collect();
    let total = tasks.len() + usize::from(next.is_some());
    Ok((tasks, next, total))
}

/// A task as a list shows it.
fn in_short(conversations: &Conversations, RunEntry { summary, .. }: RunEntry) -> Task {
    let heard = conversations.heard(&summary.run_id);
    let state = task::state_of(summary.status, summary.verdict);
    Task {
        context_id: task::context_of(&summary.run_id, &heard),
        id: summary.run_id.to_string(),
        status: TaskStatus { state, message: None, timestamp: task::timestamp(summary.updated_at) },
        artifacts: None,
        history: None,
        metadata: None,
    }
}

/// An answer in JSON-RPC, unless HTTP has to say no.
fn answered(id: JsonRpcId, result: Result<impl Serialize, Refusal>) -> Response {
    match result {
        Err(Refusal::Http(problem)) => problem.into_response(),
        result => ([(header::CONTENT_TYPE, "application/json")], written(id, result)).into_response(),
    }
}

/// An answer in JSON-RPC as text.
pub(super) fn written(id: JsonRpcId, result: Result<impl Serialize, Refusal>) -> String {
    let result = result.and_then(|value| {
        serde_json::to_value(value).map_err(|error| A2AError::internal(error.to_string()).into())
    });
    let response = match result {
        Ok(value) => JsonRpcResponse::success(id, value),
        Err(Refusal::Rpc(error)) => JsonRpcResponse::error(id, error.to_jsonrpc_error()),
        Err(Refusal::Http(problem)) => {
            JsonRpcResponse::error(id, A2AError::internal(problem.detail()).to_jsonrpc_error())
        }
    };
    serde_json::to_string(&response).unwrap_or_default()
}
