//! What came of a run: whether its goal was reached and by what evidence, what it produced, and what went wrong.

use candor_app::LoadedRun;
use candor_model::{CriterionResult, Evidence, RunId, RunStatus};
use candor_projections::deliverable::deliverables;
use candor_projections::postmortem::Case;
use candor_projections::recorded;
use candor_projections::report::Subject;
use candor_projections::results::Results;
use candor_projections::verdict::RunVerdict;
use candor_projections::words as projected;
use maud::{Markup, html};
use serde_json::Value;

use super::parts;
use super::words::Words;

/// How many tasks' outputs are shown; the tasks below have all.
const RESULTS: usize = 12;
/// Up to how many values a list is shown as one.
const LISTED: usize = 20;

pub(super) fn draw(run: &RunId, loaded: &LoadedRun, words: &Words) -> Markup {
    let judged = RunVerdict::told(&loaded.records, words.language());
    html! {
        (verdict(run, &judged, words))
        (result(loaded, words))
        (trouble(loaded, &judged, words))
    }
}

fn verdict(run: &RunId, judged: &RunVerdict<'_>, words: &Words) -> Markup {
    html! {
        @if !judged.criteria.is_empty() || judged.sentence.is_some() {
            section.card aria-labelledby="h-verdict" {
                h2 #h-verdict { (words.verdict) }
                @if let Some(sentence) = &judged.sentence { p { (sentence) } }
                @if !judged.criteria.is_empty() {
                    div.scroll tabindex="0" role="region" aria-label=(words.criteria) { table {
                        thead { tr { th { (words.criterion) } th { (words.status) } th { (words.found) } th { (words.evidence) } } }
                        tbody { @for it in &judged.criteria {
                            @let checked = it.checked;
                            tr {
                                td { code { (checked.criterion) } }
                                td { span.badge.(class(checked.result)) { span.dot {} (words.criterion(checked.result)) } }
                                td { (recorded::told(words.language(), &checked.found)) }
                                td.muted {
                                    @if let Some(evidence) = &checked.evidence { (evidence_text(evidence)) }
                                    @if let Some(event) = it.event { " " a href={ "/api/v1/runs/" (run) "/events?after=" (event.0.saturating_sub(1)) "&limit=1" } { "#" (event.0) } }
                                }
                            }
                        } }
                    } }
                }
            }
        }
    }
}

/// What the last tasks produced, once the run has ended: what a reader came for.
fn result(loaded: &LoadedRun, words: &Words) -> Markup {
    if !loaded.state.status().is_end() {
        return html! {};
    }
    let made = deliverables(&Subject::of(&loaded.state, &loaded.records));
    let results: Vec<_> = made.iter().filter(|made| made.is_result).collect();
    let language = words.language();
    html! {
        @if !results.is_empty() {
            section.card aria-labelledby="h-result" {
                h2 #h-result { (words.result) }
                @if Results::told(&loaded.state, language).sample_data { p.warn { (projected::sample_data(language)) } }
                @for made in results.iter().take(RESULTS) {
                    h3 { a href={ "#task-" (made.task_id) } { (made.task) } }
                    dl.outputs { @for (name, value) in &made.outputs {
                        div { dt { (name.replace('_', " ")) } dd { (output(value)) } }
                    } }
                }
                @if results.len() > RESULTS { p.note { (projected::and_more(language, results.len().saturating_sub(RESULTS))) } }
            }
        }
    }
}

/// Prose and figures as they are, and what has parts as JSON.
fn output(value: &Value) -> Markup {
    match value {
        Value::String(text) => html! { span.prewrap { (text) } },
        Value::Number(_) | Value::Bool(_) => html! { span.num { (value) } },
        Value::Array(all) if (1..=LISTED).contains(&all.len()) && all.iter().all(is_plain) => {
            html! { ul { @for value in all { li { (output(value)) } } } }
        }
        other => parts::value(other),
    }
}

/// Whether a value is shown as it is. A long list of them is folded like other data.
const fn is_plain(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_))
}

/// Why a run went wrong, and what can be done. What the verdict says already is not said again.
fn trouble(loaded: &LoadedRun, judged: &RunVerdict<'_>, words: &Words) -> Markup {
    let status = loaded.state.status();
    if !status.is_end() || status == RunStatus::Completed {
        return html! {};
    }
    let told = Case::of(&loaded.state, &loaded.records).told_in(words.language()).post_mortem();
    html! {
        section.card.trouble aria-labelledby="h-why" {
            h2 #h-why { (words.why) }
            @if judged.sentence.is_none() { p { (told.outcome) } }
            @if let Some(first) = &told.first_cause { p.bad { (first.name) ": " (recorded::told(words.language(), &first.cause)) } }
            @if !told.suggestions.is_empty() {
                h3 { (words.suggestions) }
                ul { @for suggestion in &told.suggestions { li { (recorded::told(words.language(), suggestion)) } } }
            }
        }
    }
}

const fn class(result: CriterionResult) -> &'static str {
    match result {
        CriterionResult::Holds => "s-ok",
        CriterionResult::Fails => "s-bad",
        CriterionResult::Unchecked => "s-ask",
    }
}

fn evidence_text(evidence: &Evidence) -> String {
    match evidence {
        Evidence::File(path) => path.clone(),
        Evidence::Command(command) => format!("$ {command}"),
        Evidence::Outputs(task) => task.to_string(),
        Evidence::Quote(words) => format!("“{words}”"),
    }
}
