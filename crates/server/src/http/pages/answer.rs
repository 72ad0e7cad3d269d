//! Answers from the form below a question. One that is not taken is given back above the question as it is now, with what
//! the person had typed: a plan may have changed while its page was open, or somebody else may have been quicker.

use axum::extract::{Extension, Form, Path, State};
use axum::http::StatusCode;
use axum::response::{Html, Redirect};
use candor_model::{GateId, Question, RunId};
use serde::Deserialize;

use super::layout::Prefs;
use super::{failed, of_run};
use crate::http::Shared;
use crate::http::auth::Caller;
use crate::http::control::{self, AnswerBody};
use crate::http::extract::Run;
use crate::http::problem::Problem;

/// An answer from the form.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct AnswerForm {
    decision: String,
    /// Names the plan that the person saw.
    #[serde(default)]
    pub(super) digest: Option<String>,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) agent: Option<String>,
}

/// An answer that was not taken.
#[derive(Debug)]
pub(super) struct Refused {
    /// The question that it was meant for.
    pub(super) gate: String,
    pub(super) form: AnswerForm,
    pub(super) problem: Problem,
}

impl Refused {
    /// Whether a question is the one that was meant, or asks about the same plan as it is now.
    pub(super) fn is_about(&self, gate: &GateId, question: &Question) -> bool {
        self.gate == gate.as_str() || self.is_of_another_plan(question)
    }

    /// Whether the plan is another than the one that was answered.
    pub(super) fn is_of_another_plan(&self, question: &Question) -> bool {
        let Question::Approval { request, .. } = question else { return false };
        self.form.digest.as_ref().is_some_and(|seen| *seen != request.digest)
    }
}

pub(super) async fn answer(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    mut prefs: Prefs,
    run: Result<Run, Problem>,
    Path(path): Path<Vec<(String, String)>>,
    Form(form): Form<AnswerForm>,
) -> Result<Redirect, (StatusCode, Html<String>)> {
    let Run(run) = run.map_err(|problem| failed(&prefs, &problem))?;
    let gate = path.into_iter().find(|(name, _)| name == "gate").map(|(_, gate)| gate).unwrap_or_default();
    let Err(problem) = control::decide(&server, &caller, &run, &gate, body(form.clone())).await else {
        return Ok(Redirect::to(&format!("/runs/{run}")));
    };
    // Links that come back lead to the run: this address only takes answers.
    prefs.path = format!("/runs/{run}");
    Err(given_back(&server, &prefs, &run, Refused { gate, form, problem }).await)
}

fn body(form: AnswerForm) -> AnswerBody {
    let AnswerForm { decision, digest, text, agent } = form;
    let text = text.filter(|text| !text.trim().is_empty());
    // The field stands beside all decisions, and means something to one.
    let agent = agent.filter(|agent| decision == "retry" && !agent.trim().is_empty());
    AnswerBody { decision, digest, text, agent, ..AnswerBody::default() }
}

async fn given_back(
    server: &Shared,
    prefs: &Prefs,
    run: &RunId,
    refused: Refused,
) -> (StatusCode, Html<String>) {
    match of_run(server, prefs, run, Some(&refused)).await {
        Ok(page) => (StatusCode::CONFLICT, page.render(prefs)),
        Err(problem) => failed(prefs, &problem),
    }
}
