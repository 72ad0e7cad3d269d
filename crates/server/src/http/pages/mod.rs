//! Pages for people: rendered here, readable without scripts. A small script of our own keeps them live.
//!
//! Everything that a page shows is escaped by the templates; the policy of every answer forbids any script or style
//! but ours, so that even what slipped through would not run.

mod alerts;
mod answer;
mod dag;
mod ending;
mod figures;
mod gantt;
mod glance;
mod installation;
mod layout;
mod list;
mod observed;
mod parts;
mod questions;
mod run;
mod schedules;
mod words;

use axum::Router;
use axum::extract::{Extension, Form, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get, post};
use candor_app::tokens::Scope;
use candor_model::{Position, Question, RunId};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use self::layout::{LANGUAGE, Page, Prefs, THEME};
use self::words::Language;
use super::auth::{Caller, now};
use super::control::{self, Act, ReasonBody, StartBody};
use super::extract::{Query, Run};
use super::problem::Problem;
use super::runs::{ListQuery, all_asked};
use super::{Shared, guard};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("live.js");
const ICON: &str = include_str!("icon.svg");
/// How many events the page of a run shows.
const EVENTS: u32 = 50;
/// How many runs the inbox looks at.
const ASKING: u32 = 100;

/// Adds the pages to a router, and what is told where nothing is.
pub(super) fn add(router: Router<Shared>, server: &Shared) -> Router<Shared> {
    let with = |scope: Scope, handler: MethodRouter<Shared>| {
        handler.layer(middleware::from_fn_with_state((server.clone(), scope), guard::admit))
    };
    let open = Router::new()
        .route("/login", get(log_in_page).post(log_in))
        .route("/logout", post(log_out))
        .route("/prefs", get(prefer))
        .route("/assets/style.css", get(|| asset("text/css; charset=utf-8", STYLE)))
        .route("/assets/live.js", get(|| asset("text/javascript; charset=utf-8", SCRIPT)))
        .route("/assets/icon.svg", get(|| asset("image/svg+xml", ICON)))
        // What browsers ask for where a page names no icon.
        .route("/favicon.ico", get(|| asset("image/svg+xml", ICON)))
        .layer(middleware::from_fn_with_state(server.clone(), guard::same_site));
    router
        .merge(open)
        .route("/", with(Scope::Read, get(runs)))
        .route("/runs", with(Scope::Admin, post(start)))
        .route("/runs/{run}", with(Scope::Read, get(one)))
        .route("/runs/{run}/{act}", with(Scope::Admin, post(act)))
        .route("/runs/{run}/questions/{gate}", with(Scope::Answer, post(answer::answer)))
        .route("/inbox", with(Scope::Read, get(inbox)))
        .route("/agents", with(Scope::Read, get(agents)))
        .route("/tools", with(Scope::Read, get(tools)))
        .route("/config", with(Scope::Read, get(config)))
        .route("/kpis", with(Scope::Read, get(observed::kpis)))
        .route("/kpis/{kpi}", with(Scope::Read, get(observed::kpi)))
        .route("/cost", with(Scope::Read, get(observed::cost)))
        .route("/alerts", with(Scope::Read, get(observed::alerts)))
        .route("/alerts/{alert}/ack", with(Scope::Answer, post(observed::acknowledge)))
        .route("/schedules", with(Scope::Read, get(observed::schedules)))
        .route("/schedules/{schedule}/{act}", with(Scope::Admin, post(observed::act_on_schedule)))
        .fallback(unknown)
}

async fn asset(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "private, max-age=300")], text).into_response()
}

/// What a page comes to: itself, or a page about why not.
type Shown = Result<Html<String>, (StatusCode, Html<String>)>;

fn shown(prefs: &Prefs, page: Result<Page, Problem>) -> Shown {
    page.map(|page| page.render(prefs)).map_err(|problem| failed(prefs, &problem))
}

fn failed(prefs: &Prefs, problem: &Problem) -> (StatusCode, Html<String>) {
    let words = prefs.words();
    let status = StatusCode::from_u16(problem.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let content = installation::trouble(problem, words);
    (status, page(words.error, "-", content).render(prefs))
}

/// What is told where there is no page: a browser is shown one with a way back, a program gets a problem.
async fn unknown(prefs: Prefs, headers: HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepted.contains("text/html") {
        return failed(&prefs, &Problem::not_found(prefs.words().not_found)).into_response();
    }
    Problem::not_found("there is nothing here; GET /api/v1/openapi.json lists what there is").into_response()
}

fn page(title: &str, at: &'static str, content: Markup) -> Page {
    Page { title: title.to_owned(), at, live: None, place: None, content }
}

async fn runs(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    prefs: Prefs,
    query: Result<Query<ListQuery>, Problem>,
) -> Shown {
    let words = prefs.words();
    let made = async {
        let Query(query) = query?;
        let found = server.service.page(query.query()?).await?;
        let live = query.cursor.is_none().then(|| "/api/v1/events/stream".to_owned());
        Ok(Page { live, ..page(words.runs, "/", list::page(&found, &query, caller.scope, words)) })
    };
    shown(&prefs, made.await)
}

async fn one(State(server): State<Shared>, prefs: Prefs, run: Result<Run, Problem>) -> Shown {
    let made = async {
        let Run(run) = run?;
        of_run(&server, &prefs, &run, None).await
    };
    shown(&prefs, made.await)
}

/// The page of a run, with an answer that was not taken if there is one.
async fn of_run(
    server: &Shared,
    prefs: &Prefs,
    run: &RunId,
    refused: Option<&answer::Refused>,
) -> Result<Page, Problem> {
    let loaded = server.service.load(run).await?;
    let head = loaded.state.position();
    let after = Position(head.0.saturating_sub(u64::from(EVENTS)));
    let events = server.service.events(run, after, EVENTS).await?;
    let (driver, error) = (server.service.driver(run).await, server.service.failure_of(run));
    let agents = other_agents(server, loaded.state.open_questions().values()).await?;
    let (words, now) = (prefs.words(), now());
    let parts = run::Shown {
        run,
        loaded: &loaded,
        driver,
        error,
        events: &events,
        refused,
        agents: &agents,
        now,
        words,
    };
    let content = parts.page();
    let live = (!loaded.state.status().is_end())
        .then(|| format!("/api/v1/runs/{run}/events/stream?after={}", head.0));
    let place = refused.map(|_| format!("/runs/{run}"));
    Ok(Page { live, place, ..page(loaded.state.request(), "/", content) })
}

/// The agents that are offered where a question about a failed task is among these.
async fn other_agents(
    server: &Shared,
    mut questions: impl Iterator<Item = &Question>,
) -> Result<Vec<String>, Problem> {
    if !questions.any(|question| matches!(question, Question::Guidance(_))) {
        return Ok(Vec::new());
    }
    let known = server.service.agents().await?;
    let names = known.get("agents").and_then(Value::as_array).into_iter().flatten();
    Ok(names.filter_map(|agent| Some(agent.pointer("/known/agent_type")?.as_str()?.to_owned())).collect())
}

async fn inbox(State(server): State<Shared>, prefs: Prefs) -> Shown {
    let words = prefs.words();
    let made = async {
        let all = all_asked(&server, ASKING).await?;
        let agents = other_agents(&server, all.iter().filter_map(|it| it.asked.as_ref())).await?;
        let content = installation::inbox(&all, &agents, words);
        let live = Some("/api/v1/events/stream".to_owned());
        Ok(Page { live, ..page(words.inbox, "/inbox", content) })
    };
    shown(&prefs, made.await)
}

async fn agents(State(server): State<Shared>, prefs: Prefs) -> Shown {
    let words = prefs.words();
    let made = async {
        let (data, bands) = (server.service.agents().await?, server.service.calibration().await?);
        let content = html! { (installation::agents(&data, words)) (glance::calibration(&bands, words)) };
        Ok(page(words.agents, "/agents", content))
    };
    shown(&prefs, made.await)
}

async fn tools(State(server): State<Shared>, prefs: Prefs) -> Shown {
    let words = prefs.words();
    let data = server.service.tools().await.map_err(Problem::from);
    shown(&prefs, data.map(|data| page(words.tools, "/tools", installation::tools(&data, words))))
}

async fn config(State(server): State<Shared>, prefs: Prefs) -> Shown {
    let words = prefs.words();
    let data = server.service.configuration().map_err(Problem::from);
    shown(&prefs, data.map(|data| page(words.config, "/config", installation::config(&data, words))))
}

/// A goal from the form.
#[derive(Deserialize)]
struct GoalForm {
    goal: String,
}

async fn start(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    prefs: Prefs,
    Form(form): Form<GoalForm>,
) -> Result<Redirect, (StatusCode, Html<String>)> {
    let body = StartBody { goal: Some(form.goal), ..StartBody::default() };
    let begun = control::begin(&server, &caller, None, body).await;
    begun
        .map(|(run, _)| Redirect::to(&format!("/runs/{}", run.run_id)))
        .map_err(|problem| failed(&prefs, &problem))
}

async fn act(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    prefs: Prefs,
    run: Result<Run, Problem>,
    Path(path): Path<Vec<(String, String)>>,
) -> Result<Redirect, (StatusCode, Html<String>)> {
    let done = async {
        let Run(run) = run?;
        let act = match path.iter().find(|(name, _)| name == "act").map(|(_, act)| act.as_str()) {
            Some("pause") => Act::Pause(ReasonBody::default()),
            Some("resume") => Act::Resume,
            Some("cancel") => Act::Cancel(ReasonBody::default()),
            _ => return Err(Problem::not_found("there is nothing here")),
        };
        control::perform(&server, &caller, &run, act).await?;
        Ok(Redirect::to(&format!("/runs/{run}")))
    };
    done.await.map_err(|problem| failed(&prefs, &problem))
}

/// The code of a login link.
#[derive(Deserialize)]
struct CodeQuery {
    #[serde(default)]
    code: Option<String>,
}

async fn log_in_page(
    State(server): State<Shared>,
    prefs: Prefs,
    query: Result<Query<CodeQuery>, Problem>,
) -> Response {
    let Some(code) = query.ok().and_then(|Query(query)| query.code) else { return login(&prefs, false) };
    welcomed(&prefs, server.doorkeeper.log_in_by_code(&code))
}

/// A token from the form.
#[derive(Deserialize)]
struct TokenForm {
    token: String,
}

async fn log_in(
    State(server): State<Shared>,
    peer: Option<Extension<super::listen::Peer>>,
    prefs: Prefs,
    Form(form): Form<TokenForm>,
) -> Response {
    let entered = server.doorkeeper.log_in_by_token(form.token.trim());
    if matches!(entered, Ok(None))
        && let Some(Extension(peer)) = peer
        && let Err(problem) = server.limits.failure(peer.0.ip())
    {
        return failed(&prefs, &problem).into_response();
    }
    welcomed(&prefs, entered)
}

/// A browser that logged in gets its cookie, and is sent on by a page of our own: a cookie with SameSite=Strict does not
/// come along on a redirect that began elsewhere, such as in a terminal or a mail.
fn welcomed(prefs: &Prefs, entered: Result<Option<String>, candor_app::AppError>) -> Response {
    match entered {
        Ok(Some(cookie)) => {
            let on =
                "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=/\"><a href=\"/\">Candor</a>";
            ([(header::SET_COOKIE, cookie)], Html(on)).into_response()
        }
        Ok(None) => login(prefs, true),
        Err(error) => failed(prefs, &error.into()).into_response(),
    }
}

fn login(prefs: &Prefs, wrong: bool) -> Response {
    let status = if wrong { StatusCode::FORBIDDEN } else { StatusCode::OK };
    let content = installation::login(wrong, prefs.words());
    (status, page(prefs.words().log_in, "", content).render(prefs)).into_response()
}

async fn log_out(State(server): State<Shared>, headers: HeaderMap) -> Response {
    ([(header::SET_COOKIE, server.doorkeeper.log_out(&headers))], Redirect::to("/login")).into_response()
}

/// What a person prefers.
#[derive(Deserialize)]
struct PrefsQuery {
    #[serde(default)]
    lang: Option<String>,
    #[serde(default)]
    theme: Option<String>,
    #[serde(default)]
    back: Option<String>,
}

async fn prefer(Query(query): Query<PrefsQuery>) -> Response {
    // Only paths of our own: `//host` would lead elsewhere.
    let is_ours = |path: &String| path.starts_with('/') && !path.starts_with("//") && !path.contains('\\');
    let back = query.back.filter(is_ours).unwrap_or_else(|| "/".to_owned());
    let kept = |name: &str, value: &str| {
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000")
    };
    let language =
        query.lang.as_deref().and_then(Language::of).map(|language| kept(LANGUAGE, language.code()));
    let theme = query
        .theme
        .as_deref()
        .filter(|theme| ["dark", "light"].contains(theme))
        .map(|theme| kept(THEME, theme));
    let mut response = Redirect::to(&back).into_response();
    for cookie in language.into_iter().chain(theme) {
        if let Ok(cookie) = header::HeaderValue::from_str(&cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    response
}
