//! The questions with options that a run puts to people: what is said, what can be chosen, and what is done when
//! nobody can be asked.
//!
//! A question whose wrong answer can do harm has "stop" as its default, or none at all.

use candor_model::{
    Broadcast, ChoiceKind, ChoiceOption, ChoiceRequest, Enhancement, GuardFinding, NonEmpty, Phase, TaskId,
};

/// Goes on as it is.
pub const CONTINUE: &str = "continue";
/// Ends the run without carrying anything out.
pub const STOP: &str = "stop";
/// Goes on with other words.
pub const REWORD: &str = "reword";
/// Does it once more.
pub const RETRY: &str = "retry";
/// Takes the result as it is.
pub const ACCEPT: &str = "accept";
/// Goes back to an earlier phase.
pub const ROLLBACK: &str = "rollback";
/// Undoes the side effects behind the point to which the run went back.
pub const UNDO: &str = "undo";
/// Leaves it as it is.
pub const KEEP: &str = "keep";
/// Keeps the request as it was written.
pub const ORIGINAL: &str = "D";
/// Takes a request that the person writes.
pub const OWN_WORDS: &str = "E";

/// The letters of the variants that are offered.
const LETTERS: [&str; 3] = ["A", "B", "C"];

fn request(
    about: ChoiceKind,
    phase: Option<Phase>,
    reason: String,
    text: String,
    options: Vec<ChoiceOption>,
) -> ChoiceRequest {
    let options = NonEmpty::or_one(options, stop);
    ChoiceRequest { about, phase, reason, text, options, default: None, concerns: Vec::new() }
}

fn stop() -> ChoiceOption {
    ChoiceOption::new(STOP, "stop the run", "nothing is carried out; the run stays on record")
}

fn reword() -> ChoiceOption {
    ChoiceOption::with_text(
        REWORD,
        "say it in other words",
        "the run starts again from the evaluation with them",
    )
}

/// A guardrail has halted the run, and repeating the look did not help.
#[must_use]
pub fn guardrail(findings: &[&GuardFinding], looks: u32) -> ChoiceRequest {
    let said: Vec<String> =
        findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.message)).collect();
    let reason = said.join("\n");
    let text = format!("A guardrail halts this run ({looks} looks, the same each time). {}", said.join(" "));
    let onward = ChoiceOption::new(
        CONTINUE,
        "continue despite the finding",
        "the rule is overruled for this run, on record",
    );
    let mut request = request(ChoiceKind::Guardrail, None, reason, text, vec![stop(), reword(), onward]);
    request.default = Some(STOP.to_owned());
    request.concerns = findings.iter().map(|finding| finding.rule.clone()).collect();
    request
}

/// The request could be said better.
#[must_use]
pub fn enhancement(offer: &Enhancement) -> ChoiceRequest {
    let original = &offer.original;
    let issues = original.issues.join(", ");
    let variants = LETTERS.iter().zip(&offer.variants).map(|(letter, variant)| {
        let label = format!("{}/100: {}", variant.score, variant.improvements.join(", "));
        ChoiceOption::new(letter, label, variant.text.clone())
    });
    let keep = ChoiceOption::new(
        ORIGINAL,
        format!("keep the original ({}/100)", original.score),
        original.text.clone(),
    );
    let own = ChoiceOption::with_text(
        OWN_WORDS,
        "write it yourself",
        "the run starts again from the evaluation with it",
    );
    let options: Vec<_> = variants.chain([keep, own]).collect();
    let reason = format!("the request scores {}/100 ({issues}); 70 is enough", original.score);
    let text = format!(
        "The request says too little to plan well: {}/100 ({issues}). Recommended: {}.",
        original.score, offer.recommendation
    );
    let mut request = request(ChoiceKind::Enhancement, Some(Phase::Evaluation), reason, text, options);
    request.default = Some(ORIGINAL.to_owned());
    request
}

/// Instructions contradict each other. Only a person can say which holds, so there is no default.
#[must_use]
pub fn contradiction(phase: Phase, found: &[String]) -> ChoiceRequest {
    let listed = found.join("; ");
    let text = format!("The request contradicts itself: {listed}. Which holds?");
    let clarify = ChoiceOption::with_text(
        "clarify",
        "say which holds",
        "your words are added to the request, and the run starts again from the evaluation",
    );
    let onward = ChoiceOption::new(CONTINUE, "go on as it is", "the agents see both instructions");
    let options = vec![clarify, reword(), onward, stop()];
    request(ChoiceKind::Clarification, Some(phase), listed, text, options)
}

/// A phase does not know enough to go on.
#[must_use]
pub fn unclear(phase: Phase, areas: &[String]) -> ChoiceRequest {
    let listed = if areas.is_empty() { "the scope is not clear".to_owned() } else { areas.join("; ") };
    let text = format!("Phase {} ({phase}) needs your word: {listed}", phase.number());
    let clarify = ChoiceOption::with_text(
        "clarify",
        "say what is meant",
        "your words are added to the request, and the run starts again from the evaluation",
    );
    let onward =
        ChoiceOption::new(CONTINUE, "go on as it is", "what is unclear is guessed, and said to be guessed");
    let mut request =
        request(ChoiceKind::Clarification, Some(phase), listed, text, vec![clarify, onward, stop()]);
    request.default = Some(CONTINUE.to_owned());
    request
}

/// A phase handed over something that must be settled first.
#[must_use]
pub fn blocked(phase: Phase, blockers: &[String]) -> ChoiceRequest {
    let listed = blockers.join("; ");
    let text = format!("Phase {} ({phase}) is blocked: {listed}", phase.number());
    let settled =
        ChoiceOption::new(RETRY, "it is settled", "the phase looks again, and the run goes on if it is");
    let onward = ChoiceOption::new(CONTINUE, "go on without it", "what is missing stays on record");
    let options = vec![settled, onward, reword(), stop()];
    let mut request = request(ChoiceKind::Blocker, Some(phase), listed, text, options);
    request.default = Some(STOP.to_owned());
    request
}

/// A phase's own critique says stop.
#[must_use]
pub fn critique(phase: Phase, failed: &[String], ways: &[String]) -> ChoiceRequest {
    let listed = failed.join("; ");
    let text = format!(
        "Phase {} ({phase}) is not satisfied with its own work: {listed}. What could help: {}.",
        phase.number(),
        ways.join("; ")
    );
    let back = ChoiceOption::with_text(ROLLBACK, "go back", "the number of the phase whose result is kept");
    let onward = ChoiceOption::new(CONTINUE, "go on as it is", "what failed stays on record");
    let options = vec![onward, back, reword(), stop()];
    let mut request = request(ChoiceKind::Critique, Some(phase), listed, text, options);
    request.default = Some(STOP.to_owned());
    request
}

/// An agent warned of something critical.
#[must_use]
pub fn alarm(message: &Broadcast) -> ChoiceRequest {
    let who = match &message.task_id {
        Some(task) => format!("{} (at {task})", message.from_agent),
        None => message.from_agent.clone(),
    };
    let text =
        format!("{who} warns: {}. Nothing new is started until you say what is to be done.", message.content);
    let onward = ChoiceOption::new(CONTINUE, "go on", "the warning stays on record");
    let mut request = request(
        ChoiceKind::Warning,
        Some(message.phase),
        message.content.clone(),
        text,
        vec![onward, stop()],
    );
    request.default = Some(STOP.to_owned());
    request
}

/// Agents contradict each other, and no rule decides.
#[must_use]
pub fn conflict(phase: Phase, reason: &str, sides: &[(String, String)], critical: bool) -> ChoiceRequest {
    let options: Vec<ChoiceOption> = (1..)
        .zip(sides)
        .map(|(n, (agent, says))| {
            ChoiceOption::new(&n.to_string(), format!("{agent}: {says}"), String::new())
        })
        .chain([stop()])
        .collect();
    let text = format!("Agents contradict each other, and that is yours to decide: {reason}");
    let mut request = request(ChoiceKind::Conflict, Some(phase), reason.to_owned(), text, options);
    request.default = critical.then(|| STOP.to_owned());
    request.concerns = sides.iter().map(|(agent, _)| agent.clone()).collect();
    request
}

/// The results of tasks keep failing their own criteria.
#[must_use]
pub fn validation(failed: &[(TaskId, String)], tries: u32) -> ChoiceRequest {
    let listed: Vec<String> = failed.iter().map(|(task, why)| format!("{task}: {why}")).collect();
    let listed = listed.join("; ");
    let text = format!("After {tries} more tries the result still fails its criterion: {listed}");
    let accept =
        ChoiceOption::new(ACCEPT, "take it as it is", "the run goes on; what failed stays on record");
    let retry = ChoiceOption::new(RETRY, "once more", "only the tasks that failed are done again");
    let mut request =
        request(ChoiceKind::Validation, Some(Phase::Validation), listed, text, vec![retry, accept, stop()]);
    request.concerns = failed.iter().map(|(task, _)| task.to_string()).collect();
    // Nobody is there to say more: the run comes to its end, and its verdict says what does not hold.
    request.default = Some(ACCEPT.to_owned());
    request
}

/// Models have used what they may.
#[must_use]
pub fn tokens(phase: Phase, used: u64, allowed: u64) -> ChoiceRequest {
    let reason = format!("models have used {used} of {allowed} tokens");
    let text = format!(
        "Models have used {used} tokens, and {allowed} were allowed. Until you say more, rules speak."
    );
    let onward = ChoiceOption::new(CONTINUE, "allow as many again", "models are asked again");
    let rules = ChoiceOption::new("rules", "go on by rules", "no model is asked any more in this run");
    let mut request = request(ChoiceKind::Budget, Some(phase), reason, text, vec![onward, rules, stop()]);
    request.default = Some("rules".to_owned());
    request
}

/// The run went back, and the world did not: these changes could be undone.
#[must_use]
pub fn undo(changes: &[(String, String)]) -> ChoiceRequest {
    let listed: Vec<&str> = changes.iter().map(|(_, words)| words.as_str()).collect();
    let reason = listed.join("; ");
    let text = format!("The run went back behind its own side effects: {reason}. Undo them?");
    let undo = ChoiceOption::new(UNDO, "undo them", "the latest first; what cannot be undone is told");
    let keep = ChoiceOption::new(KEEP, "leave everything as it is", "a warning stays on record");
    let mut request = request(ChoiceKind::Undo, None, reason, text, vec![undo, keep]);
    // Whoever goes back is there, and nobody else knows whether the world should follow.
    request.concerns = changes.iter().map(|(key, _)| key.clone()).collect();
    request
}
