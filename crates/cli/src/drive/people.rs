//! Questions to people, on the terminal where there is one, and what to type where there is none.

use candor_app::LoadedRun;
use candor_model::{
    Adjustment, AgentCapability, Answer, ApprovalAction, Choice, ChoiceRequest, EventBody, GateId, Guidance,
    GuidanceAction, JsonMap, Question, RunId, RunStatus, TaskId,
};
use candor_projections::format;
use candor_runtime::RunSnapshot;
use serde_json::Value;

use super::plan_talk;
use crate::args::DriveOptions;
use crate::failure::Failure;
use crate::output;
use crate::view::{commands, proposal};

/// Below this confidence even `--yes` does not approve: a plan that unsure needs eyes.
const TRUSTED_FROM: f64 = 0.3;

/// Whether somebody is here who can be asked.
pub(super) fn can_be_asked(options: &DriveOptions) -> bool {
    output::is_interactive() && !options.json
}

/// Answers a question by `--yes`, or by asking on the terminal; nothing if neither is possible.
pub(super) async fn answer(
    question: &Question,
    options: &DriveOptions,
    agents: &[AgentCapability],
) -> Result<Option<Answer>, Failure> {
    match question {
        Question::Approval { request, .. }
            if options.yes && request.risks.is_empty() && request.confidence_score.get() >= TRUSTED_FROM =>
        {
            let approved = plan_talk::approval(request, ApprovalAction::Approve, "approved by --yes");
            Ok(Some(Answer::Approval(approved)))
        }
        _ if !can_be_asked(options) => Ok(None),
        Question::Approval { version, request } => plan_talk::ask(*version, request).await,
        Question::Guidance(request) => {
            ask_guidance(&request.task_id, request.failure_count, &request.errors, agents).await
        }
        Question::Choice(request) => ask_choice(request).await,
    }
}

async fn ask_choice(request: &ChoiceRequest) -> Result<Option<Answer>, Failure> {
    tell!("\n{}", request.text);
    for option in request.options.iter() {
        tell!("  [{}] {}", option.id, option.label);
        option.details.lines().for_each(|line| tell!("      {line}"));
    }
    loop {
        let Some(said) = output::ask("Which? (an empty line leaves it for later) ").await? else {
            return Ok(None);
        };
        let (word, rest) = said.trim().split_once(' ').unwrap_or((said.trim(), ""));
        if word.is_empty() {
            return Ok(None);
        }
        let Some(option) = request.option(word) else {
            tell!("Invalid choice: {word}");
            continue;
        };
        let text = match (option.takes_text, rest.trim()) {
            (true, "") => output::ask("Your words: ").await?.unwrap_or_default(),
            (_, rest) => rest.to_owned(),
        };
        let choice = Choice { option: option.id.clone(), text, by_default: false };
        return Ok(Some(Answer::Choice(choice)));
    }
}

async fn ask_guidance(
    task: &TaskId,
    failures: u32,
    errors: &[String],
    agents: &[AgentCapability],
) -> Result<Option<Answer>, Failure> {
    tell!("\nTask {task} has failed {}:", format::times(failures));
    errors.iter().for_each(|error| tell!("  - {error}"));
    let names: Vec<&str> = agents.iter().map(|agent| agent.agent_type.as_str()).collect();
    tell!("Agents: {}", names.join(", "));
    loop {
        let asked = output::ask("[r]etry [AGENT], [s]kip, [a]bort, or [l]ater? ").await?;
        let Some(said) = asked else { return Ok(None) };
        let (word, agent) = said.split_once(' ').unwrap_or((&said, ""));
        let action = match word {
            "r" | "retry" => GuidanceAction::Retry,
            "s" | "skip" => GuidanceAction::Skip,
            "a" | "abort" => GuidanceAction::Abort,
            "l" | "later" | "" => return Ok(None),
            other => {
                tell!("Invalid choice: {other}");
                continue;
            }
        };
        let comments = "answered at the terminal".to_owned();
        let agent_type = candor_model::AgentType::new(agent.trim()).ok();
        return Ok(Some(Answer::Guidance(Guidance { action, agent_type, inputs: JsonMap::new(), comments })));
    }
}

/// Reads changes of a plan: TASK FIELD VALUE, any number of times. A value is JSON, or else text.
pub(crate) fn adjustments(words: &[String]) -> Result<Vec<Adjustment>, Failure> {
    if words.is_empty() || !words.len().is_multiple_of(3) {
        return Err(Failure::usage("a change is TASK FIELD VALUE, for instance: task_001 priority 10"));
    }
    let read = |change: &[String]| match change {
        [task, field, value] => {
            let task_id = TaskId::new(task).map_err(Failure::usage)?;
            Ok(Adjustment { task_id, field: field.clone(), new_value: json_or_text(value) })
        }
        _ => Err(Failure::usage("a change is TASK FIELD VALUE")),
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
    let told = loaded.records.iter().rev().find_map(|recorded| match &recorded.event.body {
        EventBody::RunFailed { error, .. } => Some(format!("candor: the run failed: {error}")),
        EventBody::RunAborted { suggestion, .. } if told => Some(format!("candor: {suggestion}")),
        EventBody::RunAborted { error, suggestion, .. } => {
            Some(format!("candor: the run was aborted: {error}\n{suggestion}"))
        }
        EventBody::RunCancelled { reason } => Some(format!("candor: the run was cancelled: {reason}")),
        _ => None,
    });
    told.unwrap_or_else(|| format!("candor: the run ended as {}", loaded.state.status()))
}

/// What a run waits for, and the commands that answer.
pub(super) fn how_to_go_on(run: &RunId, snapshot: &RunSnapshot, more: &str) -> String {
    let mut text = String::new();
    let several = snapshot.questions.len() > 1;
    for (gate, question) in &snapshot.questions {
        text.push_str(&asked(run, gate, question));
        text.push_str("Answer with one of:\n");
        let commands = commands::answers(run, gate, question, several);
        let options = match question {
            Question::Choice(request) => request.options.iter().as_slice(),
            Question::Approval { .. } | Question::Guidance(_) => &[],
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
        text.push_str(&format!("candor: run {run} is paused. Go on with: candor resume {run}{more}\n"));
    }
    text.trim_end().to_owned()
}

/// What a run waits for.
fn asked(run: &RunId, gate: &GateId, question: &Question) -> String {
    let (mut text, listed) = match question {
        Question::Choice(request) => {
            (format!("candor: run {run} waits for you ({gate}): {}\n", request.text), Vec::new())
        }
        Question::Approval { version, request } => {
            let confidence = request.confidence_score;
            let mut text = format!("candor: run {run} waits for your approval (confidence {confidence}):\n");
            let plan = proposal::lines(*version, request);
            plan.iter()
                .filter(|_| request.brief.is_some())
                .for_each(|line| text.push_str(&format!("  {line}\n")));
            let reasons = request.reasons.iter().filter(|_| request.brief.is_none());
            let mut listed: Vec<&String> = reasons.collect();
            listed.extend(request.reply.as_ref().filter(|_| request.brief.is_none()));
            (text, listed.into_iter().cloned().collect())
        }
        Question::Guidance(request) => (
            format!(
                "candor: run {run} waits for you: task {} has failed {}:\n",
                request.task_id,
                format::times(request.failure_count)
            ),
            request.errors.clone(),
        ),
    };
    listed.iter().for_each(|line| text.push_str(&format!("  - {line}\n")));
    text
}
