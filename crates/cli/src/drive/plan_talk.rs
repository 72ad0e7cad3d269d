//! A plan that waits, at the terminal: everything that can be said to it, as letters.

use candor_model::{Answer, ApprovalAction, HumanApprovalDecision, HumanApprovalRequest, PlanVersion};

use super::people::adjustments;
use crate::failure::Failure;
use crate::output;
use crate::view::proposal;

/// What can be typed: the decision, its letter, its word, and how it is offered.
const WORDS: [(ApprovalAction, &str, &str, &str); 9] = [
    (ApprovalAction::Approve, "a", "approve", "[a]pprove"),
    (ApprovalAction::Ask, "q", "question", "[q]uestion WORDS"),
    (ApprovalAction::Alternative, "p", "pick", "[p]ick LETTER"),
    (ApprovalAction::Modify, "m", "modify", "[m]odify WORDS"),
    (ApprovalAction::Modify, "s", "set", "[s]et TASK FIELD VALUE"),
    (ApprovalAction::Regenerate, "g", "generate", "[g]enerate again"),
    (ApprovalAction::Version, "v", "version", "[v]ersion NUMBER"),
    (ApprovalAction::Adjust, "c", "change", "[c]hange TASK FIELD VALUE and run"),
    (ApprovalAction::Reject, "r", "reject", "[r]eject"),
];

/// Shows the plan and asks what is to be done with it; nothing if that is left for later.
pub(super) async fn ask(
    version: PlanVersion,
    request: &HumanApprovalRequest,
) -> Result<Option<Answer>, Failure> {
    tell!("");
    proposal::lines(version, request).iter().for_each(|line| tell!("{line}"));
    let offered: Vec<_> = WORDS.iter().filter(|(action, ..)| is_offered(request, *action)).collect();
    let listed: Vec<&str> = offered.iter().map(|(.., shown)| *shown).collect();
    let prompt = format!("{}, or [l]ater? ", listed.join(", "));
    loop {
        let Some(said) = output::ask(&prompt).await? else { return Ok(None) };
        let (word, rest) = said.split_once(' ').unwrap_or((&said, ""));
        let word = match word {
            "l" | "later" | "" => return Ok(None),
            "y" | "yes" => "a",
            "n" | "no" => "r",
            word => word,
        };
        let known = offered.iter().find(|(_, letter, name, _)| *letter == word || *name == word);
        let Some((action, letter, ..)) = known else {
            tell!("Invalid choice: {word}");
            continue;
        };
        match decision(request, *action, letter, rest.trim()).await {
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
    letter: &str,
    rest: &str,
) -> Result<Option<HumanApprovalDecision>, Failure> {
    let mut decision = approval(request, action, said_at_terminal(action));
    match letter {
        "q" | "m" => {
            let Some(words) = words(rest).await? else { return Ok(None) };
            decision.comments = words;
        }
        "g" => rest.clone_into(&mut decision.comments),
        "p" => decision.alternative = Some(rest.to_uppercase()),
        "v" => {
            let number =
                rest.parse().map_err(|_| Failure::usage("a version is a number, for instance: v 1"))?;
            decision.version = Some(PlanVersion(number));
        }
        "s" | "c" => {
            let change: Vec<String> = rest.splitn(3, ' ').map(str::to_owned).collect();
            decision.adjustments = adjustments(&change)?;
        }
        _ => {}
    }
    Ok(Some(decision))
}

/// The words that go with a letter, asked for if they were not typed with it.
async fn words(rest: &str) -> Result<Option<String>, Failure> {
    if !rest.is_empty() {
        return Ok(Some(rest.to_owned()));
    }
    Ok(output::ask("Your words: ").await?.filter(|words| !words.is_empty()))
}

const fn said_at_terminal(action: ApprovalAction) -> &'static str {
    match action {
        ApprovalAction::Approve => "approved at the terminal",
        ApprovalAction::Reject => "rejected at the terminal",
        ApprovalAction::Adjust => "changed at the terminal",
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
