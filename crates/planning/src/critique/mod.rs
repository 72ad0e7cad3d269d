//! What a phase's work is worth, by five checks that need no model, and what follows from them.
//!
//! The checks look at words, figures and fields; they cannot tell whether a text is right. So they are lenient:
//! an ordinary run passes them all, and what fails is told. A person is never asked to judge, only told when
//! three checks or more say that something is wrong.

mod deeds;
mod schema;
mod words;

use std::borrow::{Borrow, Cow};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{
    AlignmentCheck, ConfidenceCheck, ConsistencyCheck, CostCheck, CritiqueChecks, CritiqueVerdict, Handoff,
    PastErrorCheck, Phase, PlanOutcome, SpokenBy,
};
use candor_text::Language;

pub use self::deeds::{Unanswered, of_execution, told_of_tasks, unanswered};
pub use self::words::{overlap, stems, telling};

/// So many of the words must be shared for an output to be about what is wanted.
pub const ENOUGH_OVERLAP: f64 = 0.3;
/// From here on an output is like what went wrong before.
pub const TOO_ALIKE: f64 = 0.7;
/// A phase must be surer than this.
pub const ENOUGH_CONFIDENCE: u8 = 70;
/// Past errors are looked at up to here.
pub const MOST_PAST_ERRORS: usize = 5;
/// Fewer runs than this are no history.
const LEAST_HISTORY: usize = 3;
/// With fewer words than this there is nothing to compare.
const TELLING_WORDS: usize = 3;

/// A phase's work, with what it is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// Phase whose work is judged.
    pub phase: Phase,
    /// What the person wants.
    pub objective: &'a str,
    /// What the phase leaves.
    pub handoff: &'a Handoff,
    /// What the phases before it left.
    pub earlier: &'a BTreeMap<Phase, Arc<Handoff>>,
    /// What the output says of the matter, beyond its summary and data: the words of the tasks, for instance.
    pub said: &'a str,
    /// What models took for such phases before, in tokens; absent if too few runs tell.
    pub expected_tokens: Option<u64>,
    /// What went wrong before in work like this.
    pub past_errors: &'a [String],
}

/// Makes the five checks.
#[must_use]
pub fn checks(work: &Work<'_>) -> CritiqueChecks {
    let issues = schema::issues(work);
    CritiqueChecks {
        objective_alignment: alignment(work),
        consistency_with_project: ConsistencyCheck { pass: issues.is_empty(), issues },
        similar_to_past_error: past_errors(work),
        confidence_level: confidence(work.handoff.context.confidence),
        cost_efficiency: cost_check(work.handoff.context.tokens_consumed, work.expected_tokens),
        judged_by: SpokenBy::Heuristic,
    }
}

/// Whether the words of the output are those of the objective. The first, the third and the last phase speak
/// of money, memory and figures, not of the matter: of them a complete handoff is all that can be asked.
fn alignment(work: &Work<'_>) -> AlignmentCheck {
    if matches!(work.phase, Phase::PreAnalysis | Phase::Context | Phase::Consolidation) {
        let pass = !work.handoff.summary.trim().is_empty();
        let reason = if pass { "speaks of figures, and is complete" } else { "says nothing" };
        return AlignmentCheck { pass, confidence: 50, reason: reason.to_owned() };
    }
    let language = Language::of(work.objective);
    let wanted = stems(work.objective, language);
    if wanted.len() < TELLING_WORDS {
        let reason = "the objective has too few words to compare".to_owned();
        return AlignmentCheck { pass: true, confidence: 50, reason };
    }
    let shared = share_of(&wanted, work, language);
    let percent = (shared * 100.0).round().clamp(0.0, 100.0) as u8;
    let reason = format!("{percent} % of the words are shared with the objective");
    AlignmentCheck { pass: shared >= ENOUGH_OVERLAP, confidence: percent, reason }
}

/// How many of the wanted words the work has, as a part of the smaller of the two (see [`overlap`]). Once every one was found,
/// further words change nothing: no more of the text is read. Other words are kept only until there are as many as are wanted,
/// because then the wanted ones are the smaller part. A handoff's data comes last, because it takes the longest.
fn share_of<'a>(wanted: &BTreeSet<Cow<'_, str>>, work: &Work<'a>, language: Language) -> f64 {
    let mut missing: BTreeSet<&str> = wanted.iter().map(|word| &**word).collect();
    let mut others: BTreeSet<String> = BTreeSet::new();
    let texts: [&dyn Fn() -> Cow<'a, str>; 3] =
        [&|| Cow::Borrowed(work.said), &|| Cow::Borrowed(&work.handoff.summary), &|| {
            Cow::Owned(schema::texts_in(&work.handoff.data.map()))
        }];
    // The letters with which words begin that are looked at: all, until there are enough others.
    let initials = Cell::new(u32::MAX);
    for text in texts {
        for word in words::telling_if(&text(), language, |initial| initials.get() & initial != 0) {
            let was_missing = missing.remove(&*word);
            if missing.is_empty() {
                return 1.0;
            }
            let is_full = others.len() >= wanted.len();
            if !is_full && !was_missing && !wanted.contains(&*word) {
                others.insert(word.into_owned());
            } else if is_full && (was_missing || initials.get() == u32::MAX) {
                initials.set(missing.iter().fold(0, |all, word| all | words::initial(word)));
            }
        }
    }
    let shared = wanted.len() - missing.len();
    let smaller = wanted.len().min(shared + others.len());
    if smaller == 0 { 0.0 } else { shared as f64 / smaller as f64 }
}

/// Whether the result reads like something that went wrong before.
fn past_errors(work: &Work<'_>) -> PastErrorCheck {
    if work.past_errors.is_empty() {
        return PastErrorCheck { pass: true, matched_errors: Vec::new() };
    }
    let language = Language::of(work.objective);
    let own = stems(&work.handoff.summary, language);
    let known = work.past_errors.iter().take(MOST_PAST_ERRORS);
    let matched_errors: Vec<String> =
        known.filter(|error| is_alike(&own, &stems(error, language))).cloned().collect();
    PastErrorCheck { pass: matched_errors.is_empty(), matched_errors }
}

fn is_alike(own: &BTreeSet<Cow<'_, str>>, other: &BTreeSet<Cow<'_, str>>) -> bool {
    let shared = own.intersection(other).count() as f64;
    let size = (own.len() as f64 * other.len() as f64).sqrt();
    other.len() >= TELLING_WORDS && shared / size >= TOO_ALIKE
}

/// Nobody's confidence is no failure; its score is 0 then.
fn confidence(told: Option<u8>) -> ConfidenceCheck {
    ConfidenceCheck { pass: told.is_none_or(|score| score > ENOUGH_CONFIDENCE), score: told.unwrap_or(0) }
}

/// Whether a phase took a reasonable number of tokens: half as much again as such phases took before still is. Without
/// a history nothing is unreasonable, and 0 is expected.
///
/// On its own because a phase does not know what its models took; whoever counts can put it right.
#[must_use]
pub fn cost_check(tokens_used: u64, expected: Option<u64>) -> CostCheck {
    let pass = expected.is_none_or(|expected| tokens_used <= expected.saturating_add(expected / 2));
    CostCheck { pass, tokens_used, expected: expected.unwrap_or(0) }
}

/// What a phase is expected to take: the median of past runs in which models worked on it. Fewer than three runs tell
/// nothing.
#[must_use]
pub fn expected_tokens<T: Borrow<PlanOutcome>>(history: &[T], phase: Phase) -> Option<u64> {
    let taken = history.iter().map(T::borrow).filter_map(|outcome| outcome.phase_tokens.get(&phase).copied());
    let mut taken: Vec<u64> = taken.filter(|tokens| *tokens > 0).collect();
    taken.sort_unstable();
    taken.get(taken.len() / 2).copied().filter(|_| taken.len() >= LEAST_HISTORY)
}

/// What follows from so many failed checks: none, go on; one or two, once more; three or more, a person must
/// look.
///
/// Once more makes no sense when rules spoke, because they would say the same again, and it ends with the
/// limit: then the run goes on, and the failed checks are told as a warning.
#[must_use]
pub fn verdict(failed: usize, refinements: u32, max: u32, by: SpokenBy) -> CritiqueVerdict {
    match failed {
        0 => CritiqueVerdict::Continue,
        1 | 2 if by == SpokenBy::Model && refinements < max => CritiqueVerdict::Refine,
        1 | 2 => CritiqueVerdict::Continue,
        _ => CritiqueVerdict::Stop,
    }
}

/// The verdict on these checks. That a phase took more tokens than such phases did says nothing of what its work is worth,
/// and repeating it would take more: it is reported and changes no verdict.
#[must_use]
pub fn decide(checks: &CritiqueChecks, refinements: u32, max: u32, by: SpokenBy) -> CritiqueVerdict {
    let failed = checks.failed().len().saturating_sub(usize::from(!checks.cost_efficiency.pass));
    verdict(failed, refinements, max, by)
}

/// What a person can do about a phase that was stopped, the most telling first. Never empty.
#[must_use]
pub fn stop_alternatives(phase: Phase, checks: &CritiqueChecks) -> Vec<String> {
    let mut ways: Vec<String> = checks
        .similar_to_past_error
        .matched_errors
        .iter()
        .map(|error| format!("say how to avoid what went wrong before: {error}"))
        .collect();
    if !checks.objective_alignment.pass {
        ways.push("say in other words what is wanted: the result hardly speaks of it".to_owned());
    }
    if !checks.consistency_with_project.pass {
        let issues = checks.consistency_with_project.issues.join("; ");
        ways.push(format!("go back to the phase before and settle this: {issues}"));
    }
    if !checks.confidence_level.pass {
        ways.push("give more detail, so that less has to be guessed".to_owned());
    }
    if !checks.cost_efficiency.pass {
        ways.push("ask for less at once, or allow more tokens".to_owned());
    }
    ways.push(format!("go on with what {phase} has, as it is"));
    ways
}
