//! A plan that waits, at the terminal: everything that can be said to it, by the verbs of the commands.

use candor_model::{Answer, ApprovalAction, HumanApprovalDecision, HumanApprovalRequest, PlanVersion};

use super::people::adjustments;
use super::prompt::{StillOpen, Verb};
use crate::failure::Failure;
use crate::output;
use crate::view::proposal;

/// Which decision each verb stands for, in the order in which they are offered.
const DECISIONS: [(Verb, ApprovalAction); 8] = [
    (Verb::Approve, ApprovalAction::Approve),
    (Verb::Ask, ApprovalAction::Ask),
    (Verb::Choose, ApprovalAction::Alternative),
    (Verb::Modify, ApprovalAction::Modify),
    (Verb::Adjust, ApprovalAction::Adjust),
    (Verb::Regenerate, ApprovalAction::Regenerate),
    (Verb::Revert, ApprovalAction::Version),
    (Verb::Reject, ApprovalAction::Reject),
];

/// Shows the plan and asks what is to be done with it; nothing if that is left for later.
pub(super) async fn ask(
    version: PlanVersion,
    request: &HumanApprovalRequest,
    open: &mut StillOpen<'_>,
) -> Result<Option<Answer>, Failure> {
    tell!("");
    proposal::lines(version, request).iter().for_each(|line| output::complain(line));
    let decisions = DECISIONS.iter().filter(|(_, action)| is_offered(request, *action));
    let offered: Vec<Verb> = decisions.map(|(verb, _)| *verb).chain([Verb::Later]).collect();
    loop {
        let Some((verb, rest)) = open.verb(&offered).await? else { return Ok(None) };
        let Some((_, action)) = DECISIONS.iter().find(|(known, _)| *known == verb) else { return Ok(None) };
        match decision(request, *action, verb, &rest, open).await {
            Ok(Some(decision)) => return Ok(Some(Answer::Approval(decision))),
            Ok(None) => {}
            Err(failure) => tell!("{failure}"),
        }
    }
}

/// Whether this can be decided now. Nobody can pick an alternative where none is shown.
fn is_offered(request: &HumanApprovalRequest, action: ApprovalAction) -> bool {
    let usual = [ApprovalAction::Approve, ApprovalAction::Adjust, ApprovalAction::Reject];
    let offered = if request.choices.is_empty() { &usual[..] } else { &request.choices };
    let pickable = request.brief.as_ref().is_some_and(|brief| brief.alternatives.len() > 1);
    offered.contains(&action) && (action != ApprovalAction::Alternative || pickable)
}

/// What was typed as a decision; nothing if the words that it takes did not come.
async fn decision(
    request: &HumanApprovalRequest,
    action: ApprovalAction,
    verb: Verb,
    rest: &str,
    open: &mut StillOpen<'_>,
) -> Result<Option<HumanApprovalDecision>, Failure> {
    let mut decision = approval(request, action, said_at_terminal(action));
    let changes = |words: &str| {
        let words: Vec<String> = words.trim().splitn(3, ' ').map(str::to_owned).collect();
        adjustments(&words)
    };
    match (verb, rest.strip_prefix("--set ")) {
        (Verb::Modify, Some(change)) => decision.adjustments = changes(change)?,
        (Verb::Adjust, _) => decision.adjustments = changes(rest)?,
        (Verb::Ask | Verb::Modify, _) => {
            let Some(words) = words(rest, open).await? else { return Ok(None) };
            decision.comments = words;
        }
        (Verb::Regenerate, _) => rest.clone_into(&mut decision.comments),
        (Verb::Choose, _) => decision.alternative = Some(rest.to_uppercase()),
        (Verb::Revert, _) => {
            let number = rest.parse().map_err(|_| {
                Failure::usage(word!(
                    "a version is a number, for instance: revert 1",
                    "una versión es un número, por ejemplo: revert 1"
                ))
            })?;
            decision.version = Some(PlanVersion(number));
        }
        _ => {}
    }
    Ok(Some(decision))
}

/// The words that go with a verb, asked for if they were not typed with it.
async fn words(rest: &str, open: &mut StillOpen<'_>) -> Result<Option<String>, Failure> {
    if !rest.is_empty() {
        return Ok(Some(rest.to_owned()));
    }
    Ok(open.line(word!("Your words: ", "Texto: ")).await?.filter(|words| !words.is_empty()))
}

const fn said_at_terminal(action: ApprovalAction) -> &'static str {
    match action {
        ApprovalAction::Approve => recorded!("approved at the terminal"),
        ApprovalAction::Reject => recorded!("rejected at the terminal"),
        ApprovalAction::Adjust => recorded!("changed at the terminal"),
        _ => "",
    }
}

/// A decision on exactly the plan that is shown.
pub(super) fn approval(
    request: &HumanApprovalRequest,
    action: ApprovalAction,
    comments: &str,
) -> HumanApprovalDecision {
    HumanApprovalDecision {
        comments: comments.to_owned(),
        digest: Some(request.digest.clone()).filter(|digest| !digest.is_empty()),
        ..HumanApprovalDecision::new(request.plan_id.clone(), action)
    }
}
