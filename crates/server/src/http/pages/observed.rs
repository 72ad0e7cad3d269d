//! Answers with the pages of figures and schedules.

use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{Html, Redirect};

use super::layout::{Page, Prefs};
use super::{Shown, alerts as alerts_page, failed, figures, page, schedules as schedule_page, shown};
use crate::http::Shared;
use crate::http::auth::Caller;
use crate::http::extract::Query;
use crate::http::observe::{self, ScheduleAct, SinceQuery};
use crate::http::problem::Problem;

/// How far back money and efficiency look if nobody says.
const MONTH: &str = "30d";
/// How far back key figures look if nobody says and nothing is configured.
const DAY: &str = "24h";

type Asked = Result<Query<SinceQuery>, Problem>;

pub(super) async fn kpis(State(server): State<Shared>, prefs: Prefs, query: Asked) -> Shown {
    let words = prefs.words();
    let made = async {
        let Query(query) = query?;
        let (report, trails) = server.service.kpi_series(query.age()?).await?;
        let since = query.since.as_deref().or(Some(DAY));
        Ok(page(words.kpis, "/kpis", figures::kpis(&report, &trails, since, words)))
    };
    shown(&prefs, made.await)
}

pub(super) async fn kpi(
    State(server): State<Shared>,
    prefs: Prefs,
    Path(path): Path<Vec<(String, String)>>,
    query: Asked,
) -> Shown {
    let words = prefs.words();
    let made = async {
        let Query(query) = query?;
        let name = observe::named(path, "kpi");
        let (report, _) = server.service.kpis(query.age()?).await?;
        let found = report.kpis.iter().find(|kpi| kpi.name == name);
        let kpi = found.ok_or_else(|| Problem::not_found("there is no such figure"))?;
        let shares = server.service.contributions(kpi.name, query.age()?).await?;
        let content = figures::kpi(kpi, &shares, query.since.as_deref().or(Some(DAY)), words);
        Ok(page(words.kpi_name(kpi.name), "/kpis", content))
    };
    shown(&prefs, made.await)
}

pub(super) async fn cost(State(server): State<Shared>, prefs: Prefs, query: Asked) -> Shown {
    let words = prefs.words();
    let made = async {
        let Query(query) = query?;
        let since = SinceQuery { since: Some(query.since.unwrap_or_else(|| MONTH.to_owned())) };
        let age = since.age()?;
        let spent = server.service.spending(age).await?;
        let (efficiency, summary) = server.service.efficiency(age).await?;
        let content = figures::cost(&spent, &efficiency, &summary, since.since.as_deref(), words);
        Ok(page(words.cost_page, "/cost", content))
    };
    shown(&prefs, made.await)
}

pub(super) async fn alerts(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    prefs: Prefs,
) -> Shown {
    let words = prefs.words();
    let judged = server.service.kpis(None).await.map_err(Problem::from);
    let content = judged.map(|(_, book)| alerts_page::page(&book, caller.scope, words));
    shown(&prefs, content.map(|content| page(words.alerts, "/alerts", content)))
}

pub(super) async fn acknowledge(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    prefs: Prefs,
    Path(path): Path<Vec<(String, String)>>,
) -> Result<Redirect, (StatusCode, Html<String>)> {
    let done = observe::acknowledge_alert(&server, &caller, &observe::named(path, "alert")).await;
    done.map(|_| Redirect::to("/alerts")).map_err(|problem| failed(&prefs, &problem))
}

pub(super) async fn schedules(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    prefs: Prefs,
) -> Shown {
    let words = prefs.words();
    let made = async {
        let (schedules, webhooks) = (server.service.schedules().await?, server.service.webhooks().await?);
        let content = schedule_page::page(&schedules, &webhooks, caller.scope, words);
        let live = Some("/api/v1/events/stream".to_owned());
        Ok(Page { live, ..page(words.schedules, "/schedules", content) })
    };
    shown(&prefs, made.await)
}

pub(super) async fn act_on_schedule(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    prefs: Prefs,
    Path(path): Path<Vec<(String, String)>>,
) -> Result<Redirect, (StatusCode, Html<String>)> {
    let (name, act) = (observe::named(path.clone(), "schedule"), observe::named(path, "act"));
    let done = async {
        let act = match act.as_str() {
            "pause" => ScheduleAct::Pause,
            "resume" => ScheduleAct::Resume,
            "trigger" => ScheduleAct::Trigger,
            _ => return Err(Problem::not_found("there is nothing here")),
        };
        observe::act_on_schedule(&server, &caller, &name, act).await
    };
    let begun = done.await.map_err(|problem| failed(&prefs, &problem))?;
    Ok(Redirect::to(&begun.map_or_else(|| "/schedules".to_owned(), |run| format!("/runs/{run}"))))
}
