//! A question with everything that is needed to answer it, and the form that does.

use std::collections::BTreeSet;

use candor_model::{FailureEscalationRequest, HumanApprovalRequest, Question, RunId};
use candor_projections::plans::PlanDiff;
use candor_projections::{format, recorded};
use maud::{Markup, html};

use super::words::Words;
use crate::report::QuestionReport;

/// Shows a question and how to answer it. `diff` is what changed since the version that was shown before.
pub(super) fn card(
    run: &RunId,
    report: &QuestionReport,
    question: Option<&Question>,
    diff: Option<&PlanDiff>,
    words: &Words,
) -> Markup {
    html! {
        section.card.ask aria-labelledby={ "q-" (report.gate) } {
            h2 id={ "q-" (report.gate) } { (words.question) }
            @match question {
                Some(Question::Approval { request, .. }) => { (plan(request, words)) }
                Some(Question::Guidance(request)) => { (failing(request, words)) }
                Some(Question::Choice(request)) => {
                    p.prewrap { (recorded::told(words.language(), &request.text)) }
                }
                None => { p.prewrap { (report.text) } }
            }
            @if let Some(diff) = diff { (changes(diff, words)) }
            (form(run, report, words))
        }
    }
}

fn plan(recorded: &HumanApprovalRequest, words: &Words) -> Markup {
    let request = &recorded::approval(words.language(), recorded);
    // What one is unsure of stands above as a reason.
    let said = |text: &str| request.reasons.iter().any(|reason| text.contains(reason.as_str()));
    let risks = request.brief.iter().flat_map(|brief| &brief.risks);
    let doubts: Vec<_> = risks.filter(|risk| !said(&risk.description)).collect();
    html! {
        pre.plan { (request.plan_summary.trim_end()) }
        @if let Some(reply) = &request.reply { blockquote { (reply) } }
        dl.facts {
            div { dt { (words.confidence) } dd { (format::confidence(request.confidence_score)) } }
            @if let Some(brief) = &request.brief {
                div { dt { (words.estimate) } dd {
                    (brief.estimates.duration.map_or_else(|| words.unknown.to_owned(), format::duration))
                    @if let Some(cost) = brief.estimates.cost { " · " (format::money(cost)) }
                } }
            }
        }
        ul.reasons { @for reason in request.reasons.iter() { li { (reason) } } }
        @if !request.risks.is_empty() || !doubts.is_empty() {
            h3 { (words.risks) }
            ul.risks {
                @for risk in &request.risks { li.s-bad { span.tag { (risk.class) } (risk.evidence) } }
                @for risk in &doubts {
                    li { span.tag { (recorded::told(words.language(), risk.level.as_str())) } (risk.description) span.muted { " — " (risk.mitigation) } }
                }
            }
        }
        @if !request.criteria.is_empty() {
            h3 { (words.criteria) }
            ul { @for criterion in &request.criteria { li { code { (criterion) } } } }
        }
    }
}

fn failing(request: &FailureEscalationRequest, words: &Words) -> Markup {
    // Attempts often fail for the same reason, which is told once.
    let causes: BTreeSet<&String> = request.errors.iter().collect();
    html! {
        p { (words.failing(request)) }
        ul.bad { @for cause in causes { li { (recorded::told(words.language(), cause)) } } }
    }
}

/// What changed from one version of a plan to the next.
pub(super) fn changes(diff: &PlanDiff, words: &Words) -> Markup {
    html! {
        h3 { (words.changes) " (" (diff.from) " → " (diff.to) ")" }
        ul.diff {
            @for task in &diff.added { li.plus { (task.name) " " span.muted { (words.added) } } }
            @for task in &diff.removed { li.minus { (task.name) " " span.muted { (words.removed) } } }
            @for change in &diff.changed {
                li { (change.task_id) " · " (change.field) ": " del { (change.before) } " " ins { (change.after) } }
            }
        }
    }
}

fn form(run: &RunId, report: &QuestionReport, words: &Words) -> Markup {
    let takes = |what| report.decisions.iter().any(|decision| decision.takes == Some(what));
    // What takes more than a click is for the command and the API.
    let offered = report.decisions.iter().filter(|it| matches!(it.takes, None | Some("text" | "agent")));
    html! {
        form.answer method="post" action={ "/runs/" (run) "/questions/" (report.gate) } {
            @if let Some(digest) = &report.digest { input type="hidden" name="digest" value=(digest); }
            @if takes("text") {
                label { (words.your_words) textarea name="text" rows="2" {} }
            }
            @if takes("agent") {
                label { (words.other_agent) input name="agent"; }
            }
            div.buttons {
                @for decision in offered {
                    @let known = if report.kind == "choice" { None } else { words.decision(&decision.decision) };
                    @let option = recorded::told(words.language(), &decision.label);
                    @let (label, what) = known.unwrap_or((&decision.decision, &option));
                    button.(weight(&decision.decision)) type="submit" name="decision" value=(decision.decision) title=(what) {
                        (label)
                        @if report.digest.is_none() && what != label { span.muted { " · " (what) } }
                    }
                }
            }
        }
    }
}

/// What is likely is easy to see, and what ends something looks like it.
fn weight(decision: &str) -> &'static str {
    match decision {
        "approve" | "retry" => "primary",
        "reject" | "abort" => "danger",
        _ => "plain",
    }
}
