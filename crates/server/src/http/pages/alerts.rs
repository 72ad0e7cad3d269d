//! The page of alerts: those that are active, with who looks into them, and everything that happened to them.

use candor_app::tokens::Scope;
use candor_projections::kpi::{ActiveAlert, AlertBook, AlertChange, AlertLevel, ChangeKind};
use maud::{Markup, html};

use super::parts;
use super::words::Words;

pub(super) fn page(book: &AlertBook, scope: Scope, words: &Words) -> Markup {
    html! {
        h1 { (words.alerts) }
        @if book.active.is_empty() { p.empty { (words.no_alerts) } }
        @for alert in &book.active { (active(alert, scope, words)) }
        @if !book.history.is_empty() {
            section.card {
                h2 { (words.history) }
                div.scroll tabindex="0" role="region" aria-label=(words.history) { table {
                    thead { tr { th { (words.when) } th { (words.what) } th { (words.alert) } th { (words.condition) } } }
                    tbody { @for change in &book.history { (row(change, words)) } }
                } }
            }
        }
    }
}

fn active(alert: &ActiveAlert, scope: Scope, words: &Words) -> Markup {
    html! {
        section.card.(card(alert.level)) {
            h2.of-run { (alert.name) }
            p { span.badge.(class(alert.level)) { span.dot {} (words.level(alert.level)) } " " (alert.message) }
            p.muted { (words.since) " " (parts::moment(Some(alert.timestamp))) " · " a href={ "/kpis/" (figure(&alert.condition)) } { code { (alert.condition) } } }
            @if let Some(acknowledged) = &alert.acknowledged {
                p { "ℹ " (words.investigating) " " strong { (acknowledged.by) } " · " (parts::moment(Some(acknowledged.at))) }
            } @else {
                p { "⚠ " (words.alert_open) }
                @if scope >= Scope::Answer {
                    form method="post" action={ "/alerts/" (super::list::encoded(&alert.name)) "/ack" } {
                        button type="submit" aria-label={ (words.acknowledge) ": " (alert.name) } { (words.acknowledge) }
                    }
                }
            }
        }
    }
}

fn row(change: &AlertChange, words: &Words) -> Markup {
    let alert = &change.alert;
    html! {
        tr {
            td.nowrap { (parts::moment(Some(change.at()))) }
            td.nowrap {
                @match change.kind() {
                    ChangeKind::Raised => { span.badge.(class(alert.level)) { span.dot {} "⚠ " (words.raised) } }
                    ChangeKind::Acknowledged => { span.badge.s-run { span.dot {} "ℹ " (words.acknowledged) } }
                    ChangeKind::Cleared => { span.badge.s-ok { span.dot {} "✓ " (words.cleared) } }
                }
                @if let Some(by) = alert.acknowledged.as_ref().filter(|_| change.raised) { div.sub { (by.by) } }
            }
            td { strong { (alert.name) } div.sub { (alert.message) } }
            td { a href={ "/kpis/" (figure(&alert.condition)) } { code { (alert.condition) } } }
        }
    }
}

/// The figure that a condition is about.
fn figure(condition: &str) -> &str {
    condition.split_whitespace().next().unwrap_or_default()
}

const fn class(level: AlertLevel) -> &'static str {
    match level {
        AlertLevel::Info => "s-run",
        AlertLevel::Warning => "s-ask",
        AlertLevel::Error | AlertLevel::Critical => "s-bad",
    }
}

const fn card(level: AlertLevel) -> &'static str {
    match level {
        AlertLevel::Info | AlertLevel::Warning => "ask",
        AlertLevel::Error | AlertLevel::Critical => "trouble",
    }
}
