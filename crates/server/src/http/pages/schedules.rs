//! The page of schedules, and of who is told of events.

use candor_app::tokens::Scope;
use candor_app::{ScheduleView, WebhookView};
use maud::{Markup, html};

use super::parts;
use super::words::Words;

pub(super) fn page(
    schedules: &[ScheduleView],
    webhooks: &[WebhookView],
    scope: Scope,
    words: &Words,
) -> Markup {
    html! {
        h1 { (words.schedules) }
        div #live-schedules {
            @if schedules.is_empty() { p.empty { (words.no_schedules) } }
            @else {
                div.scroll tabindex="0" role="region" aria-label=(words.schedules) { table {
                    thead { tr {
                        th { (words.schedule) } th { (words.due) } th { (words.next_due) } th { (words.last_due) } th { (words.status) }
                    } }
                    tbody { @for schedule in schedules { (row(schedule, scope, words)) } }
                } }
            }
        }
        @if !webhooks.is_empty() { (receivers(webhooks, words)) }
    }
}

fn row(schedule: &ScheduleView, scope: Scope, words: &Words) -> Markup {
    let ScheduleView { name, cron, timezone, goal, plan, paused, next, next_local, last, .. } = schedule;
    html! {
        tr {
            td.request {
                strong { (name) }
                div.sub {
                    @if let Some(goal) = goal { (goal) }
                    @if let Some(plan) = plan { " " code { (plan.display()) } }
                }
            }
            td.nowrap { code { (cron) } div.sub { (timezone) } }
            td.nowrap { @if next.is_empty() { "–" } @for (at, local) in next.iter().zip(next_local) { div { time datetime=(at.to_string()) { (local) } } } }
            td {
                @if let Some(last) = last {
                    (parts::moment(Some(last.due.unwrap_or(last.at))))
                    @if let Some(run) = &last.run_id { div.sub { a href={ "/runs/" (run) } { (run) } } }
                    @if let Some(problem) = &last.problem { div.sub.bad-text { (problem) } }
                } @else { "–" }
            }
            td {
                @if *paused { span.badge.s-skip { span.dot {} (words.paused) } }
                @else { span.badge.s-ok { span.dot {} (words.on) } }
                @if scope == Scope::Admin {
                    div.actions.below {
                        @if *paused { (act(name, "resume", words.resume)) } @else { (act(name, "pause", words.pause)) }
                        (act(name, "trigger", words.run_now))
                    }
                }
            }
        }
    }
}

fn act(name: &str, act: &str, label: &str) -> Markup {
    html! {
        form method="post" action={ "/schedules/" (name) "/" (act) } {
            button type="submit" aria-label={ (label) ": " (name) } { (label) }
        }
    }
}

fn receivers(webhooks: &[WebhookView], words: &Words) -> Markup {
    html! {
        h2.of-run { (words.webhooks) }
        div.scroll tabindex="0" role="region" aria-label=(words.webhooks) { table {
            thead { tr { th { (words.receiver) } th { (words.events) } th.right { (words.delivered) } th.right { (words.given_up) } th { (words.status) } } }
            tbody { @for hook in webhooks { tr {
                td { strong { (hook.name) } div.sub { (hook.place) } }
                td { @for event in &hook.events { div { (event.as_str()) } } }
                td.num.right { (hook.state.as_ref().map_or(0, |state| state.delivered)) }
                td.num.right { (hook.state.as_ref().map_or(0, |state| state.given_up)) }
                td { (standing(hook, words)) }
            } } }
        } }
    }
}

fn standing(hook: &WebhookView, words: &Words) -> Markup {
    let state = hook.state.clone().unwrap_or_default();
    html! {
        @if let Some(since) = state.failing_since {
            span.badge.s-bad { span.dot {} (words.failing_since) " " (parts::moment(Some(since))) }
            @if let Some(error) = &state.error { div.sub.bad-text { (error) } }
        } @else if let Some(last) = &state.last_delivered {
            span.badge.s-ok { span.dot {} (words.works) }
            div.sub { (parts::moment(Some(last.at))) " · " code.wrap { (last.id) } }
        } @else { span.muted { (words.not_yet) } }
    }
}
