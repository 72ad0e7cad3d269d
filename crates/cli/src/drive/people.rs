//! Questions to people, on the terminal where there is one, and what to type where there is none.

use candor_app::LoadedRun;
use candor_model::{
    Adjustment, AgentCapability, Answer, ApprovalAction, EventBody, GateId, Guidance, GuidanceAction,
    JsonMap, Question, RunId, RunStatus, TaskId,
};
use candor_projections::recorded;
use candor_runtime::RunSnapshot;
use serde_json::Value;

use super::prompt::{StillOpen, Verb};
use super::{choice, plan_talk};
use crate::args::DriveOptions;
use crate::failure::Failure;
use crate::lang::language;
use crate::output;
use crate::view::{commands, proposal, words};

/// Below this confidence even `--yes` does not approve: a plan that unsure needs eyes.
const TRUSTED_FROM: f64 = 0.3;

/// Whether somebody is here who can be asked.
pub(super) fn can_be_asked(options: &DriveOptions) -> bool {
    output::is_interactive() && !options.json
}

/// Answers a question by `--yes`, or by asking on the terminal; nothing if neither is possible. `asked` is the question in words.
pub(super) async fn answer(
    question: &Question,
    asked: &str,
    options: &DriveOptions,
    agents: &[AgentCapability],
    open: &mut StillOpen<'_>,
) -> Result<Option<Answer>, Failure> {
    match question {
        Question::Approval { request, .. }
            if options.yes && request.risks.is_empty() && request.confidence_score.get() >= TRUSTED_FROM =>
        {
            let approved =
                plan_talk::approval(request, ApprovalAction::Approve, recorded!("approved by --yes"));
            Ok(Some(Answer::Approval(approved)))
        }
        _ if !can_be_asked(options) => Ok(None),
        Question::Approval { version, request } => plan_talk::ask(*version, request, open).await,
        Question::Guidance(request) => ask_guidance(asked, &request.errors, agents, open).await,
        Question::Choice(request) => choice::ask(request, open).await,
    }
}

/// Why a task failed, each cause once: the same again is not news.
fn causes(errors: &[String]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for cause in errors.iter().map(|error| recorded::told(language(), error)) {
        if !told.contains(&cause) {
            told.push(cause);
        }
    }
    told
}

async fn ask_guidance(
    asked: &str,
    errors: &[String],
    agents: &[AgentCapability],
    open: &mut StillOpen<'_>,
) -> Result<Option<Answer>, Failure> {
    output::complain(&format!("\n{asked}"));
    causes(errors).iter().for_each(|cause| output::complain(&format!("  - {cause}")));
    let names: Vec<&str> = agents.iter().map(|agent| agent.agent_type.as_str()).collect();
    output::complain(&say!("Agents: {}", "Agentes: {}", names.join(", ")));
    loop {
        let Some((verb, rest)) = open.verb(&[Verb::Retry, Verb::Skip, Verb::Abort, Verb::Later]).await?
        else {
            return Ok(None);
        };
        let action = match verb {
            Verb::Retry => GuidanceAction::Retry,
            Verb::Skip => GuidanceAction::Skip,
            _ => GuidanceAction::Abort,
        };
        if !rest.is_empty() && !names.contains(&rest.as_str()) {
            output::complain(&say!("There is no agent {rest}", "No hay ningún agente {rest}"));
            continue;
        }
        let agent_type = candor_model::AgentType::new(&rest).ok();
        let comments = recorded!("answered at the terminal").to_owned();
        return Ok(Some(Answer::Guidance(Guidance { action, agent_type, inputs: JsonMap::new(), comments })));
    }
}

/// Reads changes of a plan: TASK FIELD VALUE, any number of times. A value is JSON, or else text.
pub(crate) fn adjustments(words: &[String]) -> Result<Vec<Adjustment>, Failure> {
    if words.is_empty() || !words.len().is_multiple_of(3) {
        return Err(Failure::usage(word!(
            "a change is TASK FIELD VALUE, for instance: task_001 priority 10",
            "un cambio es TASK FIELD VALUE, por ejemplo: task_001 priority 10"
        )));
    }
    let read = |change: &[String]| match change {
        [task, field, value] => {
            let task_id = TaskId::new(task).map_err(Failure::usage)?;
            Ok(Adjustment { task_id, field: field.clone(), new_value: json_or_text(value) })
        }
        _ => Err(Failure::usage(word!("a change is TASK FIELD VALUE", "un cambio es TASK FIELD VALUE"))),
    };
    words.chunks(3).map(read).collect()
}

/// What was typed, as JSON if it is that, as text otherwise.
pub(crate) fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Why a run did not come to a good end, in plain words.
///
/// If the cause was `told` already, only what can be done about it.
pub(super) fn why_ended(loaded: &LoadedRun, told: bool) -> String {
    let in_words = |text: &str| recorded::told(language(), text);
    let told = loaded.records.iter().rev().find_map(|recorded| match &recorded.event.body {
        // The last sentence below the frame has said it.
        EventBody::RunFailed { .. } if told => Some(String::new()),
        EventBody::RunFailed { error, .. } => {
            let error = in_words(&error.to_string());
            Some(say!("candor: the run failed: {error}", "candor: la ejecución falló: {error}"))
        }
        EventBody::RunAborted { suggestion, .. } if told => Some(format!("candor: {}", in_words(suggestion))),
        EventBody::RunAborted { error, suggestion, .. } => {
            let (error, suggestion) = (in_words(&error.to_string()), in_words(suggestion));
            Some(say!(
                "candor: the run was aborted: {error}\n{suggestion}",
                "candor: la ejecución se abortó: {error}\n{suggestion}"
            ))
        }
        EventBody::RunCancelled { reason } => {
            Some(say!("candor: the run was cancelled: {reason}", "candor: la ejecución se canceló: {reason}"))
        }
        _ => None,
    });
    told.unwrap_or_else(|| {
        say!("candor: the run ended as {}", "candor: la ejecución terminó: {}", loaded.state.status())
    })
}

/// What a run waits for, and the commands that answer.
pub(super) fn how_to_go_on(run: &RunId, snapshot: &RunSnapshot, more: &str) -> String {
    let mut text = String::new();
    let several = snapshot.questions.len() > 1;
    for (gate, question) in &snapshot.questions {
        text.push_str(&asked(run, gate, question));
        text.push_str(word!("Answer with one of:\n", "Responder con una de:\n"));
        let commands = commands::answers(run, gate, question, several);
        let options = match question {
            Question::Choice(request) => {
                recorded::choice(language(), request).options.iter().cloned().collect()
            }
            Question::Approval { .. } | Question::Guidance(_) => Vec::new(),
        };
        for (at, command) in commands.iter().enumerate() {
            let option = options.get(at);
            let label = option.map(|option| format!("   # {}", option.label)).unwrap_or_default();
            text.push_str(&format!("  {command}{label}\n"));
            let details = option.into_iter().flat_map(|option| option.details.lines());
            details.for_each(|line| text.push_str(&format!("      # {line}\n")));
        }
    }
    if snapshot.status == RunStatus::Paused {
        text.push_str(&say!(
            "candor: run {run} is paused. Go on with: candor resume {run}{more}\n",
            "candor: la ejecución {run} está en pausa. Continuar con: candor resume {run}{more}\n"
        ));
    }
    text.trim_end().to_owned()
}

/// What a run waits for.
fn asked(run: &RunId, gate: &GateId, question: &Question) -> String {
    let (mut text, listed) = match question {
        Question::Choice(request) => (
            say!(
                "candor: run {run} waits for you ({gate}): {}\n",
                "candor: la ejecución {run} espera respuesta ({gate}): {}\n",
                recorded::told(language(), &request.text)
            ),
            Vec::new(),
        ),
        Question::Approval { version, request } => {
            let confidence = request.confidence_score;
            let mut text = say!(
                "candor: run {run} waits for your approval (confidence {confidence}):\n",
                "candor: la ejecución {run} espera aprobación (confianza {confidence}):\n"
            );
            let plan = proposal::lines(*version, request);
            plan.iter()
                .filter(|_| request.brief.is_some())
                .for_each(|line| text.push_str(&format!("  {line}\n")));
            let reasons = request.reasons.iter().chain(&request.reply);
            let listed = reasons.filter(|_| request.brief.is_none());
            (text, listed.map(|line| recorded::told(language(), line)).collect())
        }
        Question::Guidance(request) => (
            say!(
                "candor: run {run} waits for you: task {} has failed {}:\n",
                "candor: la ejecución {run} espera respuesta: la tarea {} ha fallado {}:\n",
                request.task_id,
                words::times(request.failure_count)
            ),
            causes(&request.errors),
        ),
    };
    listed.iter().for_each(|line| text.push_str(&format!("  - {line}\n")));
    text
}
