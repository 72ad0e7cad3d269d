//! The list of runs, with filters and a form that begins one.

use candor_app::tokens::Scope;
use candor_ports::{RunEntry, RunPage};
use candor_projections::format;
use maud::{Markup, html};

use super::parts;
use super::words::Words;
use crate::http::runs::ListQuery;

/// The statuses that each filter stands for.
const ACTIVE: &str = "preparing,executing,paused,stopping,waiting_human";
const ENDED_BADLY: &str = "failed,aborted,cancelled";

pub(super) fn page(page: &RunPage, query: &ListQuery, scope: Scope, words: &Words) -> Markup {
    html! {
        h1.hidden { (words.runs) }
        @if scope == Scope::Admin { (begin(words)) }
        (filters(query, words))
        div #live-runs { (table(page, query, words)) }
    }
}

fn begin(words: &Words) -> Markup {
    html! {
        form.begin method="post" action="/runs" {
            label.hidden for="goal" { (words.goal) }
            textarea #goal name="goal" rows="1" required maxlength="20000" placeholder=(words.goal_hint) {}
            button.primary type="submit" { (words.start_run) }
        }
    }
}

fn filters(query: &ListQuery, words: &Words) -> Markup {
    let status = query.status.as_deref().unwrap_or_default();
    let asking = query.asking == Some(true);
    let filter = |label: &str, href: String, current: bool| {
        html! { a href=(href) aria-current=[current.then_some("true")] { (label) } }
    };
    html! {
        div.filters {
            nav aria-label=(words.status) {
                (filter(words.all, "/".to_owned(), status.is_empty() && !asking))
                (filter(words.active, format!("/?status={ACTIVE}"), status == ACTIVE))
                (filter(words.waiting, "/?asking=true".to_owned(), asking))
                (filter(words.succeeded, "/?status=completed".to_owned(), status == "completed"))
                (filter(words.failed, format!("/?status={ENDED_BADLY}"), status == ENDED_BADLY))
            }
            form method="get" action="/" role="search" {
                @if !status.is_empty() { input type="hidden" name="status" value=(status); }
                @if asking { input type="hidden" name="asking" value="true"; }
                label.hidden for="q" { (words.search) }
                input #q type="search" name="q" value=(query.q.as_deref().unwrap_or_default()) placeholder=(words.search);
            }
        }
    }
}

fn table(page: &RunPage, query: &ListQuery, words: &Words) -> Markup {
    let texts = [&query.status, &query.q, &query.since, &query.until, &query.project, &query.user];
    let filtered = query.asking.is_some() || texts.iter().any(|text| text.is_some());
    html! {
        @if page.runs.is_empty() {
            p.empty { (if filtered { words.no_runs } else { words.first_run }) }
        } @else {
            div.scroll tabindex="0" role="region" aria-label=(words.runs) {
                table.runs {
                    thead { tr {
                        th { (words.status) } th { (words.request) } th { (words.progress) }
                        th.right { (words.cost) } th { (words.updated) }
                    } }
                    tbody { @for entry in &page.runs { (row(entry, words)) } }
                }
            }
        }
        nav.pages aria-label=(words.older) {
            @if query.cursor.is_some() { a href=(link(query, None)) { "← " (words.newest) } }
            @if let Some(next) = page.next { a href=(link(query, Some(next.0))) { (words.older) " →" } }
        }
    }
}

fn row(RunEntry { summary, .. }: &RunEntry, words: &Words) -> Markup {
    html! {
        tr {
            td.nowrap {
                (parts::badge(summary.status, words))
                @if let Some(verdict) = summary.verdict { " " (parts::verdict(verdict, words)) }
            }
            td.request {
                a href={ "/runs/" (summary.run_id) } { (summary.request) }
                div.sub {
                    code { (summary.run_id) }
                    @if let Some(kind) = &summary.goal_type { " · " (kind) }
                    @if let Some(failure) = &summary.last_failure { span.bad-text { " · " (failure) } }
                }
            }
            td.nowrap { (parts::bar(summary.progress_percentage, words.progress)) }
            td.num.right { (format::money(summary.spent)) }
            td.nowrap.muted { (parts::moment(summary.updated_at)) }
        }
    }
}

/// The same list from another place on.
fn link(query: &ListQuery, cursor: Option<u64>) -> String {
    let mut all: Vec<String> = Vec::new();
    all.extend(query.status.iter().map(|status| format!("status={status}")));
    all.extend(query.asking.iter().map(|asking| format!("asking={asking}")));
    let texts = [
        ("q", &query.q),
        ("since", &query.since),
        ("until", &query.until),
        ("project", &query.project),
        ("user", &query.user),
    ];
    all.extend(texts.iter().filter_map(|(name, text)| Some(format!("{name}={}", encoded(text.as_ref()?)))));
    all.extend(cursor.map(|cursor| format!("cursor={cursor}")));
    format!("/?{}", all.join("&"))
}

/// A text as a value of a query.
pub(super) fn encoded(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(letter).collect()
}
