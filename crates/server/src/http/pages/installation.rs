//! Pages of the installation: agents, tools, configuration; and the inbox, the login and errors.

use candor_model::AgentMeasure;
use maud::{Markup, html};
use serde_json::Value;

use super::words::Words;
use super::{layout, questions};
use crate::http::problem::Problem;
use crate::http::runs::OpenQuestion;

pub(super) fn inbox(all: &[OpenQuestion], agents: &[String], words: &Words) -> Markup {
    html! {
        h1 { (words.inbox) }
        div #live-inbox {
            @if all.is_empty() { p.empty { (words.nothing_asked) } }
            @for asked in all {
                h2.of-run { a href={ "/runs/" (asked.run_id) } { (asked.request) } }
                (questions::Card {
                    run: &asked.run_id, report: &asked.question, question: asked.asked.as_ref(),
                    task: asked.task.clone(), agents, changes: asked.changes.as_ref(), refused: None, words,
                }.draw())
            }
        }
    }
}

pub(super) fn agents(data: &Value, words: &Words) -> Markup {
    let rows = data.get("agents").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    html! {
        h1 { (words.agents) }
        @if rows.is_empty() { p.empty { (words.no_agents) } }
        @else {
            div.scroll tabindex="0" role="region" aria-label=(words.agents) { table {
                thead { tr {
                    th { (words.agent) } th { (words.good_at) } th.right { (words.success) } th.right { (words.latency) }
                    th.right { (words.cost) } th.right { (words.attempts) } th { (words.circuit) }
                } }
                tbody { @for row in rows { (agent(row)) } }
            } }
        }
    }
}

fn agent(row: &Value) -> Markup {
    let known = |field: &str| row.pointer(&format!("/known/{field}"));
    // What is declared is no measurement, and is not mixed with one.
    let measured: AgentMeasure =
        row.get("measured").and_then(|it| serde_json::from_value(it.clone()).ok()).unwrap_or_default();
    let shown = |figure: Option<String>| figure.unwrap_or_else(|| "–".to_owned());
    let circuit = row.pointer("/breaker/state").and_then(Value::as_str).unwrap_or("closed");
    let class = match circuit {
        "closed" => "s-ok",
        "open" => "s-bad",
        _ => "s-ask",
    };
    html! {
        tr {
            td { strong { (text(known("agent_type"))) } }
            td { (text(known("specialization"))) }
            td.num.right { (shown(measured.success_share().map(|share| format!("{:.0} %", share * 100.0)))) }
            td.num.right { (shown(measured.mean_latency_ms().map(|mean| format!("{mean} ms")))) }
            td.num.right { (shown(measured.mean_cost().map(|mean| format!("${mean:.3}")))) }
            td.num.right { (measured.attempts) }
            td {
                span.badge.(class) { span.dot {} (circuit.replace('_', " ")) }
                @if circuit != "closed" { div.sub { (text(row.pointer("/breaker/last_reason"))) } }
            }
        }
    }
}

pub(super) fn tools(data: &Value, words: &Words) -> Markup {
    let list = |name: &str| data.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    html! {
        h1 { (words.tools) }
        @if !list("servers").is_empty() {
            section.card {
                h2 { (words.servers) }
                ul { @for server in list("servers") {
                    li { strong { (text(server.get("name"))) } ": " (text(server.get("state"))) ", " (text(server.get("tools")))
                        @if let Some(error) = server.get("last_error").and_then(Value::as_str) { span.bad-text { " · " (error) } } }
                } }
            }
        }
        @if list("tools").is_empty() { p.empty { (words.no_tools) } }
        @else {
            div.scroll tabindex="0" role="region" aria-label=(words.tools) { table {
                thead { tr { th { (words.tools) } th { (words.effect) } th { (words.what_it_does) } } }
                tbody { @for tool in list("tools") { tr {
                    td.nowrap { code { (text(tool.get("name"))) } }
                    td { (effect(tool, words)) }
                    td { (text(tool.get("description"))) }
                } } }
            } }
        }
    }
}

fn effect(tool: &Value, words: &Words) -> &'static str {
    let hint = |one: &str, other: &str| {
        let hints = tool.get("hints");
        hints.and_then(|hints| hints.get(one).or_else(|| hints.get(other))).and_then(Value::as_bool)
    };
    match (hint("readOnlyHint", "read_only_hint"), hint("destructiveHint", "destructive_hint")) {
        (Some(true), _) => words.reads,
        (_, Some(false)) => words.adds,
        _ => words.destroys,
    }
}

pub(super) fn config(data: &Value, words: &Words) -> Markup {
    let mut rows = Vec::new();
    flatten("", data, &mut rows);
    html! {
        h1 { (words.config) }
        div.scroll tabindex="0" role="region" aria-label=(words.config) { table.config {
            thead { tr { th { (words.setting) } th { (words.value) } } }
            tbody { @for (name, value) in rows { tr { td.nowrap { code { (name) } } td { code.wrap { (value) } } } } }
        } }
    }
}

/// A row for each value, under its full name.
fn flatten(name: &str, value: &Value, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, value) in fields {
                let full = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&full, value, rows);
            }
        }
        value => rows.push((name.to_owned(), value.to_string())),
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

pub(super) fn login(wrong: bool, words: &Words) -> Markup {
    html! {
        section.card.login {
            h1 { (layout::mark()) "Candor" }
            @if wrong { p.bad role="alert" { (words.wrong_token) } }
            form method="post" action="/login" {
                label { (words.token) input type="password" name="token" required autocomplete="off"; }
                button.primary type="submit" { (words.log_in) }
            }
            p.muted { (words.token_hint) }
        }
    }
}

pub(super) fn trouble(problem: &Problem, words: &Words) -> Markup {
    html! {
        section.card.trouble {
            h1 { (words.error) " " (problem.status()) }
            p role="alert" { (problem.detail()) }
            p { a href="/" { (words.back) } }
        }
    }
}
