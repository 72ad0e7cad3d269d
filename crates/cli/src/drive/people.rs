//! Questions to people, on the terminal where there is one, and what to type where there is none.

use candor_model::{
    Adjustment, Answer, ApprovalAction, EventBody, Guidance, GuidanceAction, HumanApprovalDecision,
    HumanApprovalRequest, JsonMap, Question, RunId, RunStatus, TaskId,
};
use candor_runtime::{Runtime, Standing};
use serde_json::Value;

use crate::args::DriveOptions;
use crate::data::Looked;
use crate::failure::Failure;
use crate::output;

/// Below this confidence even `--yes` does not approve: a plan that unsure needs eyes.
const TRUSTED_FROM: f64 = 0.3;

/// Answers a question by `--yes`, or by asking on the terminal; nothing if neither is possible.
pub(super) async fn answer(
    question: &Question,
    options: &DriveOptions,
    runtime: &Runtime,
) -> Result<Option<Answer>, Failure> {
    match question {
        Question::Approval { request, .. }
            if options.yes && request.confidence_score.get() >= TRUSTED_FROM =>
        {
            Ok(Some(decision(request, ApprovalAction::Approve, Vec::new(), "approved by --yes")))
        }
        _ if !output::is_interactive() || options.json => Ok(None),
        Question::Approval { request, .. } => ask_approval(request).await,
        Question::Guidance(request) => {
            ask_guidance(&request.task_id, request.failure_count, &request.errors, runtime).await
        }
    }
}

fn decision(
    request: &HumanApprovalRequest,
    action: ApprovalAction,
    adjustments: Vec<Adjustment>,
    comments: &str,
) -> Answer {
    let plan_id = request.plan_id.clone();
    Answer::Approval(HumanApprovalDecision { plan_id, action, adjustments, comments: comments.to_owned() })
}

async fn ask_approval(request: &HumanApprovalRequest) -> Result<Option<Answer>, Failure> {
    eprintln!("\n{}\n", request.plan_summary);
    eprintln!("Confidence {}. Please look at it:", request.confidence_score);
    request.reasons.iter().for_each(|reason| eprintln!("  - {reason}"));
    loop {
        let asked = output::ask("[a]pprove, [r]eject, [c]hange TASK FIELD VALUE, or [l]ater? ").await?;
        let Some(said) = asked else { return Ok(None) };
        let (word, rest) = said.split_once(' ').unwrap_or((&said, ""));
        match word {
            "a" | "approve" | "y" | "yes" => {
                return Ok(Some(decision(
                    request,
                    ApprovalAction::Approve,
                    Vec::new(),
                    "approved at the terminal",
                )));
            }
            "r" | "reject" | "n" | "no" => {
                return Ok(Some(decision(
                    request,
                    ApprovalAction::Reject,
                    Vec::new(),
                    "rejected at the terminal",
                )));
            }
            "c" | "change" => match adjustments(&words(rest)) {
                Ok(changes) => {
                    return Ok(Some(decision(
                        request,
                        ApprovalAction::Adjust,
                        changes,
                        "changed at the terminal",
                    )));
                }
                Err(failure) => eprintln!("{failure}"),
            },
            "l" | "later" | "" => return Ok(None),
            other => eprintln!("`{other}` is none of these."),
        }
    }
}

/// Splits into three words and the rest: the value may have spaces.
fn words(text: &str) -> Vec<String> {
    text.splitn(3, ' ').map(str::to_owned).collect()
}

async fn ask_guidance(
    task: &TaskId,
    failures: u32,
    errors: &[String],
    runtime: &Runtime,
) -> Result<Option<Answer>, Failure> {
    eprintln!("\nTask {task} has failed {failures} times:");
    errors.iter().for_each(|error| eprintln!("  - {error}"));
    let names: Vec<&str> = runtime.staff().declared().iter().map(|agent| agent.agent_type.as_str()).collect();
    eprintln!("Agents: {}", names.join(", "));
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
                eprintln!("`{other}` is none of these.");
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
pub(super) fn why_ended(looked: &Looked) -> String {
    let told = looked.records.iter().rev().find_map(|recorded| match &recorded.event.body {
        EventBody::RunFailed { error, .. } => Some(format!("candor: the run failed: {error}")),
        EventBody::RunAborted { error, suggestion, .. } => {
            Some(format!("candor: the run was aborted: {error}\n{suggestion}"))
        }
        EventBody::RunCancelled { reason } => Some(format!("candor: the run was cancelled: {reason}")),
        _ => None,
    });
    told.unwrap_or_else(|| format!("candor: the run ended as {}", looked.state.status()))
}

/// What a run waits for, and the commands that answer.
pub(super) fn how_to_go_on(run: &RunId, standing: &Standing, more: &str) -> String {
    let mut text = String::new();
    for (_, question) in &standing.questions {
        match question {
            Question::Approval { request, .. } => {
                text.push_str(&format!(
                    "candor: run {run} waits for your approval (confidence {}):\n",
                    request.confidence_score
                ));
                request.reasons.iter().for_each(|reason| text.push_str(&format!("  - {reason}\n")));
                text.push_str(&format!(
                    "Answer with one of:\n  candor approve {run}{more}\n  candor reject {run}{more}\n  \
                     candor adjust {run} TASK FIELD VALUE{more}\n"
                ));
            }
            Question::Guidance(request) => {
                text.push_str(&format!(
                    "candor: run {run} waits for you: task {} has failed {} times:\n",
                    request.task_id, request.failure_count
                ));
                request.errors.iter().for_each(|error| text.push_str(&format!("  - {error}\n")));
                text.push_str(&format!(
                    "Answer with one of:\n  candor answer {run} retry [--agent AGENT]{more}\n  \
                     candor answer {run} skip{more}\n  candor answer {run} abort{more}\n"
                ));
            }
        }
    }
    if standing.status == RunStatus::Paused {
        text.push_str(&format!("candor: run {run} is paused. Go on with: candor resume {run}{more}\n"));
    }
    text.trim_end().to_owned()
}
