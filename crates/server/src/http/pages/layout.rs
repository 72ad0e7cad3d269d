//! The frame of every page: head, navigation, language and theme.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::Html;
use maud::{DOCTYPE, Markup, html};

use super::list::encoded;
use super::words::{Language, Words};
use crate::http::problem::Problem;

/// The cookies that remember what a person prefers.
pub(super) const LANGUAGE: &str = "candor_lang";
/// Light or dark; unset is as the system has it.
pub(super) const THEME: &str = "candor_theme";

/// How a person wants pages, and where they are.
#[derive(Debug, Clone)]
pub(super) struct Prefs {
    pub(super) language: Language,
    pub(super) theme: Option<&'static str>,
    /// Path and query of the page, for links that come back to it.
    pub(super) path: String,
}

impl Prefs {
    pub(super) fn words(&self) -> &'static Words {
        self.language.words()
    }

    fn of(headers: &HeaderMap, path: &str) -> Self {
        let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let language = cookie(headers, LANGUAGE)
            .and_then(Language::of)
            .or_else(|| accepted.into_iter().flat_map(|all| all.split(',')).find_map(Language::of))
            .unwrap_or(Language::English);
        let theme = match cookie(headers, THEME) {
            Some("dark") => Some("dark"),
            Some("light") => Some("light"),
            _ => None,
        };
        Self { language, theme, path: path.to_owned() }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Prefs {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let place = parts.uri.path_and_query().map_or_else(|| parts.uri.path(), |place| place.as_str());
        Ok(Self::of(&parts.headers, place))
    }
}

fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// Frame and content of a page.
pub(super) struct Page {
    /// What the browser's tab says.
    pub(super) title: String,
    /// The entry of the navigation that it belongs to.
    pub(super) at: &'static str,
    /// The stream whose events change it, if any does.
    pub(super) live: Option<String>,
    /// Where it is read again, if not at its own address.
    pub(super) place: Option<String>,
    /// What is on it.
    pub(super) content: Markup,
}

impl Page {
    pub(super) fn render(self, prefs: &Prefs) -> Html<String> {
        let words = prefs.words();
        let Self { title, at, live, place, content } = self;
        let page = html! {
            (DOCTYPE)
            html lang=(prefs.language.code()) data-theme=[prefs.theme] {
                (head(&title))
                body {
                    a.skip href="#main" { (words.skip) }
                    (header_bar(prefs, at))
                    main #main tabindex="-1" data-live=[live] data-place=[place] { (content) }
                }
            }
        };
        Html(page.into_string())
    }
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · Candor" }
            link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
            link rel="stylesheet" href="/assets/style.css";
            script type="module" src="/assets/live.js" {}
        }
    }
}

fn header_bar(prefs: &Prefs, at: &str) -> Markup {
    let words = prefs.words();
    let entries = [
        ("/", words.runs),
        ("/inbox", words.inbox),
        ("/kpis", words.kpis),
        ("/cost", words.cost),
        ("/alerts", words.alerts),
        ("/schedules", words.schedules),
        ("/agents", words.agents),
        ("/tools", words.tools),
        ("/config", words.config),
    ];
    html! {
        header.bar {
            a.brand href="/" { (mark()) span { "Candor" } }
            @if !at.is_empty() {
                nav aria-label="Candor" {
                    @for (path, name) in entries {
                        a href=(path) aria-current=[(path == at).then_some("page")] { (name) }
                    }
                }
            }
            div.prefs {
                span.live-mark #live-mark hidden { span.dot {} (words.live) }
                (preference(prefs, "theme", "dark", words.theme_dark, "only-light"))
                (preference(prefs, "theme", "light", words.theme_light, "only-dark"))
                @let other = match prefs.language { Language::English => "es", Language::Spanish => "en" };
                (preference(prefs, "lang", other, words.other_language, ""))
                @if !at.is_empty() {
                    form method="post" action="/logout" { button.link type="submit" { (words.log_out) } }
                }
            }
        }
    }
}

fn preference(prefs: &Prefs, name: &str, value: &str, label: &str, class: &str) -> Markup {
    html! {
        a.pref.(class) href={ "/prefs?" (name) "=" (value) "&back=" (encoded(&prefs.path)) } { (label) }
    }
}

/// The mark: an unbroken line with an open end.
pub(super) fn mark() -> Markup {
    html! {
        svg.mark viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" {
            path d="M15.6 5.2 A7 7 0 1 0 15.6 14.8" fill="none" stroke-width="2.6" stroke-linecap="round" {}
            circle cx="10" cy="10" r="2.2" {}
        }
    }
}
