//! The table of endpoints: method, path, scope, what is taken and answered, and who answers. The router and the OpenAPI
//! document are made of it, so that neither can know more than the other.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{MethodRouter, get, post};
use candor_app::tokens::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::{Shared, a2a, control, guard, inspect, limits, mcp, observe, openapi, pages, runs, sse};

/// How a schema is made.
type Described = fn(&mut SchemaGenerator) -> Schema;

/// An endpoint with all that router and OpenAPI document need of it.
pub(super) struct Endpoint {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) scope: Scope,
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) query: Option<Described>,
    pub(super) body: Option<Described>,
    pub(super) header: Option<(&'static str, &'static str)>,
    pub(super) status: u16,
    pub(super) answer: Option<Described>,
    pub(super) media: &'static str,
    pub(super) handler: MethodRouter<Shared>,
}

impl Endpoint {
    pub(super) fn get(
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        handler: MethodRouter<Shared>,
    ) -> Self {
        Self {
            method: "get",
            path,
            scope: Scope::Read,
            id,
            summary,
            query: None,
            body: None,
            header: None,
            status: 200,
            answer: None,
            media: "application/json",
            handler,
        }
    }

    pub(super) fn post(
        path: &'static str,
        scope: Scope,
        id: &'static str,
        summary: &'static str,
        handler: MethodRouter<Shared>,
    ) -> Self {
        Self { method: "post", scope, status: 202, ..Self::get(path, id, summary, handler) }
    }

    pub(super) fn query<T: JsonSchema>(self) -> Self {
        Self { query: Some(|generator| T::json_schema(generator)), ..self }
    }

    pub(super) fn body<T: JsonSchema>(self) -> Self {
        Self { body: Some(|generator| generator.subschema_for::<T>()), ..self }
    }

    pub(super) fn answers<T: JsonSchema>(self) -> Self {
        Self { answer: Some(|generator| generator.subschema_for::<T>()), ..self }
    }
}

/// Every endpoint that needs a token.
pub(super) fn all() -> Vec<Endpoint> {
    let parts = [listing(), following(), telling(), of_installation(), changing(), observe::endpoints()];
    parts.into_iter().flatten().collect()
}

fn listing() -> Vec<Endpoint> {
    vec![
        Endpoint::get(
            "/api/v1/runs",
            "listRuns",
            "List runs, the most recently changed first",
            get(runs::list),
        )
        .query::<runs::ListQuery>()
        .answers::<runs::RunList<'static>>(),
        Endpoint::get("/api/v1/runs/{run}", "getRun", "Show where a run stands", get(runs::one)),
        Endpoint::get(
            "/api/v1/runs/{run}/events",
            "listEvents",
            "List the events of a run",
            get(runs::events),
        )
        .query::<runs::EventsQuery>()
        .answers::<runs::EventPage>(),
        Endpoint::get(
            "/api/v1/runs/{run}/tasks",
            "listTasks",
            "List the tasks of a run with their attempts",
            get(runs::tasks),
        ),
        Endpoint::get(
            "/api/v1/runs/{run}/plans",
            "listPlans",
            "List the versions of a run's plan",
            get(runs::plans),
        ),
        Endpoint::get(
            "/api/v1/runs/{run}/plans/diff",
            "diffPlans",
            "Compare two versions of a run's plan",
            get(runs::diff),
        )
        .query::<runs::DiffQuery>(),
        Endpoint::get(
            "/api/v1/runs/{run}/questions",
            "listRunQuestions",
            "List what a run asks",
            get(runs::questions),
        )
        .answers::<runs::Questions>(),
        Endpoint::get("/api/v1/questions", "listQuestions", "List what all runs ask", get(runs::inbox))
            .query::<runs::InboxQuery>()
            .answers::<runs::Questions>(),
    ]
}

fn following() -> Vec<Endpoint> {
    let stream = |endpoint: Endpoint| Endpoint { media: "text/event-stream", ..endpoint };
    vec![
        stream(
            Endpoint::get(
                "/api/v1/runs/{run}/events/stream",
                "streamEvents",
                "Follow the events of a run",
                get(sse::run),
            )
            .query::<sse::StreamQuery>(),
        ),
        stream(
            Endpoint::get(
                "/api/v1/events/stream",
                "streamAllEvents",
                "Follow the events of all runs",
                get(sse::all),
            )
            .query::<sse::StreamQuery>(),
        ),
    ]
}

fn telling() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/v1/runs/{run}/report", "getReport", "Report on a run", get(runs::report)),
        Endpoint::get(
            "/api/v1/runs/{run}/explanation",
            "explainRun",
            "Explain a run",
            get(runs::explanation),
        )
        .query::<runs::ExplainQuery>(),
        Endpoint::get(
            "/api/v1/runs/{run}/postmortem",
            "getPostMortem",
            "Tell what went wrong in a run",
            get(runs::post_mortem),
        ),
        Endpoint::get(
            "/api/v1/runs/{run}/timeline",
            "getTimeline",
            "List the attempts of a run in time",
            get(runs::timeline),
        ),
        Endpoint::get("/api/v1/runs/{run}/cost", "getCost", "Break down what a run cost", get(runs::cost)),
        Endpoint::get(
            "/api/v1/runs/{run}/effects",
            "listEffects",
            "List the side effects of a run",
            get(runs::effects),
        ),
    ]
}

fn of_installation() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/v1/agents", "listAgents", "List the agents", get(inspect::agents)),
        Endpoint::get("/api/v1/tools", "listTools", "List the tools", get(inspect::tools)),
        Endpoint::get("/api/v1/packs", "listPacks", "List the packs", get(inspect::packs)),
        Endpoint::get("/api/v1/config", "getConfig", "Show the configuration", get(inspect::config)),
        Endpoint {
            scope: Scope::Admin,
            ..Endpoint::get("/api/v1/audit", "listAudit", "List who did what", get(inspect::audit))
                .query::<inspect::AuditQuery>()
                .answers::<inspect::AuditList>()
        },
        Endpoint::get("/api/v1/openapi.json", "getOpenApi", "Describe this API", get(openapi::document)),
    ]
}

fn changing() -> Vec<Endpoint> {
    use Scope::{Admin, Answer};
    let run = |path, id, summary, handler| {
        Endpoint::post(path, Admin, id, summary, handler).answers::<control::Accepted>()
    };
    vec![
        Endpoint {
            status: 201,
            header: Some((
                "Idempotency-Key",
                "The same key begins the same run once, however often it is sent",
            )),
            ..run("/api/v1/runs", "startRun", "Start a run", post(control::start))
                .body::<control::StartBody>()
        },
        Endpoint::post(
            "/api/v1/runs/{run}/questions/{gate}",
            Answer,
            "answerQuestion",
            "Answer a question of a run",
            post(control::answer),
        )
        .body::<control::AnswerBody>()
        .answers::<control::Accepted>(),
        run(
            "/api/v1/runs/{run}/pause",
            "pauseRun",
            "Start no new task of a run until it is resumed",
            post(control::pause),
        )
        .body::<control::ReasonBody>(),
        run("/api/v1/runs/{run}/resume", "resumeRun", "Go on with a run", post(control::resume))
            .body::<control::NoBody>(),
        run(
            "/api/v1/runs/{run}/cancel",
            "cancelRun",
            "Stop everything a run does and end it",
            post(control::cancel),
        )
        .body::<control::ReasonBody>(),
        run(
            "/api/v1/runs/{run}/rollback",
            "rollBackRun",
            "Go back to an earlier phase of a run",
            post(control::roll_back),
        )
        .body::<control::RollbackBody>(),
        run("/api/v1/runs/{run}/restart", "restartRun", "Restart a run", post(control::restart))
            .body::<control::PromptBody>(),
        Endpoint {
            status: 201,
            ..run(
                "/api/v1/runs/{run}/fork",
                "forkRun",
                "Begin a new run where another one once was",
                post(control::fork),
            )
            .body::<control::ForkBody>()
        },
    ]
}

/// Puts API, pages, MCP, A2A and metrics on one router.
pub(super) fn router(server: &Shared) -> Router {
    let mut router = Router::new();
    for endpoint in all() {
        let admit = middleware::from_fn_with_state((server.clone(), endpoint.scope), guard::admit);
        router = router.route(endpoint.path, endpoint.handler.layer(admit));
    }
    let router = a2a::add(mcp::add(router, server), server);
    pages::add(router, server)
        .route("/health", get(inspect::health))
        .route("/ready", get(inspect::ready))
        .layer(DefaultBodyLimit::max(limits::BODY))
        .layer(middleware::from_fn(guard::around))
        .with_state(server.clone())
}
