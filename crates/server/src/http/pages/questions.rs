//! A question with everything that is needed to answer it, and the form that does.

use std::collections::BTreeSet;

use candor_model::{FailureEscalationRequest, HumanApprovalRequest, Question, RunId, SubTask};
use candor_projections::plans::PlanDiff;
use candor_projections::{format, recorded};
use maud::{Markup, html};

use super::answer::Refused;
use super::words::Words;
use crate::report::QuestionReport;

/// A question and how to answer it.
pub(super) struct Card<'a> {
    pub(super) run: &'a RunId,
    pub(super) report: &'a QuestionReport,
    pub(super) question: Option<&'a Question>,
    /// The task that failed, if it is about one.
    pub(super) task: Option<SubTask>,
    /// The agents that it could be given to instead.
    pub(super) agents: &'a [String],
    /// What changed of the plan since it was shown before.
    pub(super) changes: Option<&'a PlanDiff>,
    /// An answer that was not taken.
    pub(super) refused: Option<&'a Refused>,
    pub(super) words: &'a Words,
}

impl Card<'_> {
    pub(super) fn draw(&self) -> Markup {
        let Self { report, question, words, .. } = self;
        html! {
            section.card.ask aria-labelledby={ "q-" (report.gate) } {
                h2 id={ "q-" (report.gate) } { (words.question) }
                @if let Some(refused) = self.refused { (self.not_taken(refused)) }
                // The script shows it when the plan becomes another while somebody looks.
                @if report.digest.is_some() { p.warn.changed role="status" hidden { (words.plan_changed) } }
                @match question {
                    Some(Question::Approval { request, .. }) => { (plan(request, words)) }
                    Some(Question::Guidance(request)) => { (failing(request, self.task.as_ref(), words)) }
                    Some(Question::Choice(request)) => {
                        p.prewrap { (recorded::told(words.language(), &request.text)) }
                    }
                    None => { p.prewrap { (report.text) } }
                }
                @if let Some(diff) = self.changes { (changes(diff, words)) }
                (self.form())
            }
        }
    }

    fn not_taken(&self, refused: &Refused) -> Markup {
        let is_other_plan = self.question.is_some_and(|question| refused.is_of_another_plan(question));
        html! {
            p.warn role="alert" {
                @if is_other_plan { (self.words.plan_changed) " " (self.words.nothing_decided) }
                @else { (refused.problem.detail()) }
            }
        }
    }

    fn form(&self) -> Markup {
        let Self { run, report, words, .. } = self;
        let takes = |what| report.decisions.iter().any(|decision| decision.takes == Some(what));
        // What takes more than a click is for the command and the API.
        let offered = report.decisions.iter().filter(|it| matches!(it.takes, None | Some("text" | "agent")));
        let typed = self.refused.map(|refused| &refused.form);
        let text = typed.and_then(|form| form.text.as_deref()).unwrap_or_default();
        html! {
            form.answer method="post" action={ "/runs/" (run) "/questions/" (report.gate) } {
                @if let Some(digest) = &report.digest { input type="hidden" name="digest" value=(digest); }
                @if takes("text") {
                    label { (words.your_words) textarea name="text" rows="2" { (text) } }
                }
                @if takes("agent") {
                    label { (words.other_agent) input name="agent" list={ "agents-" (report.gate) } value=[typed.and_then(|form| form.agent.as_deref())]; }
                }
                @if takes("agent") {
                    datalist id={ "agents-" (report.gate) } { @for agent in self.agents { option value=(agent) {} } }
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

fn failing(request: &FailureEscalationRequest, task: Option<&SubTask>, words: &Words) -> Markup {
    // Attempts often fail for the same reason, which is told once.
    let causes: BTreeSet<&String> = request.errors.iter().collect();
    html! {
        p { (words.failing(request)) }
        @if let Some(task) = task { p.muted.prewrap { (task.description) " · " (task.agent_type) } }
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

/// What is likely is easy to see, and what ends something looks like it.
fn weight(decision: &str) -> &'static str {
    match decision {
        "approve" | "retry" => "primary",
        "reject" | "abort" => "danger",
        _ => "plain",
    }
}
