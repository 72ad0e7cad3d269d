//! What people say to a plan that waits for them: approve, reject, adjust, ask, choose, modify, regenerate, revert.

use candor_app::load_run;
use candor_engine::Input;
use candor_model::{
    Answer, ApprovalAction, GateId, HumanApprovalDecision, HumanApprovalRequest, PlanVersion, Question,
};

use super::control::AtRun;
use crate::args::{
    AdjustArgs, ApproveArgs, AskArgs, ChooseArgs, DriveOptions, GlobalOptions, ModifyArgs, RegenerateArgs,
    RevertArgs, Shown,
};
use crate::drive::adjustments;
use crate::failure::Failure;
use crate::view::words;

/// What is said to a plan, before it is known which plan that is.
struct Say<'a> {
    run: &'a str,
    shown: &'a Shown,
    drive: &'a DriveOptions,
    action: ApprovalAction,
    words: String,
}

pub(crate) async fn approve(global: &GlobalOptions, args: &ApproveArgs) -> Result<u8, Failure> {
    yes_or_no(global, args, ApprovalAction::Approve).await
}

pub(crate) async fn reject(global: &GlobalOptions, args: &ApproveArgs) -> Result<u8, Failure> {
    yes_or_no(global, args, ApprovalAction::Reject).await
}

async fn yes_or_no(
    global: &GlobalOptions,
    args: &ApproveArgs,
    action: ApprovalAction,
) -> Result<u8, Failure> {
    let ApproveArgs { run, comments, shown, drive } = args;
    say(global, Say { run, shown, drive, action, words: comments.clone() }, |_| {}).await
}

pub(crate) async fn adjust(global: &GlobalOptions, args: &AdjustArgs) -> Result<u8, Failure> {
    let changes = adjustments(&args.changes)?;
    let AdjustArgs { run, comments, shown, drive, .. } = args;
    let said = Say { run, shown, drive, action: ApprovalAction::Adjust, words: comments.clone() };
    say(global, said, |decision| decision.adjustments = changes).await
}

pub(crate) async fn ask(global: &GlobalOptions, args: &AskArgs) -> Result<u8, Failure> {
    let AskArgs { run, words, shown, drive } = args;
    say(global, Say { run, shown, drive, action: ApprovalAction::Ask, words: words.join(" ") }, |_| {}).await
}

pub(crate) async fn choose(global: &GlobalOptions, args: &ChooseArgs) -> Result<u8, Failure> {
    let ChooseArgs { run, alternative, shown, drive } = args;
    let said = Say { run, shown, drive, action: ApprovalAction::Alternative, words: String::new() };
    let letter = alternative.trim().to_uppercase();
    say(global, said, |decision| decision.alternative = Some(letter)).await
}

pub(crate) async fn modify(global: &GlobalOptions, args: &ModifyArgs) -> Result<u8, Failure> {
    let ModifyArgs { run, words, changes, shown, drive } = args;
    let changes = if changes.is_empty() { Vec::new() } else { adjustments(changes)? };
    let said = Say { run, shown, drive, action: ApprovalAction::Modify, words: words.join(" ") };
    say(global, said, |decision| decision.adjustments = changes).await
}

pub(crate) async fn regenerate(global: &GlobalOptions, args: &RegenerateArgs) -> Result<u8, Failure> {
    let RegenerateArgs { run, words, shown, drive } = args;
    let said = Say { run, shown, drive, action: ApprovalAction::Regenerate, words: words.join(" ") };
    say(global, said, |_| {}).await
}

pub(crate) async fn revert(global: &GlobalOptions, args: &RevertArgs) -> Result<u8, Failure> {
    let RevertArgs { run, version, shown, drive } = args;
    let said = Say { run, shown, drive, action: ApprovalAction::Version, words: String::new() };
    say(global, said, |decision| decision.version = Some(PlanVersion(*version))).await
}

/// Says something to the plan that is shown, and to no other.
async fn say(
    global: &GlobalOptions,
    said: Say<'_>,
    complete: impl FnOnce(&mut HumanApprovalDecision),
) -> Result<u8, Failure> {
    let at = AtRun::find(global, said.run).await?;
    let (gate, request) = shown_plan(&at).await?;
    let seen = said.shown.digest.clone().or_else(|| Some(request.digest.clone()));
    let mut decision = HumanApprovalDecision {
        comments: at.app.without_secrets(said.words),
        digest: seen.filter(|digest| !digest.is_empty()),
        ..HumanApprovalDecision::new(request.plan_id, said.action)
    };
    complete(&mut decision);
    let input = Input::Answered { gate, answer: Answer::Approval(decision) };
    at.submit(global, input, said.drive).await
}

async fn shown_plan(at: &AtRun) -> Result<(GateId, HumanApprovalRequest), Failure> {
    let state = load_run(&at.log, &at.run).await?.state;
    let found = state.open_questions().iter().find_map(|(gate, question)| match question {
        Question::Approval { request, .. } => Some((gate.clone(), request.clone())),
        Question::Guidance(_) | Question::Choice(_) => None,
    });
    found.ok_or_else(|| {
        Failure::usage(say!(
            "run {} ({}) does not wait for approval",
            "la ejecución {} ({}) no espera aprobación",
            at.run,
            words::run_status(state.status())
        ))
    })
}
