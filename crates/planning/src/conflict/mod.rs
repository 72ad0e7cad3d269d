//! What holds when agents recommend different things.
//!
//! Disagreements about models, approaches and what comes first are decided by criteria, without asking.
//! Where nothing tells the recommendations apart, a person decides; where security or data is at risk, a
//! person always does, whatever the trust. When the budget is critical, the caller takes the recommended
//! tiers down first (see [`crate::early_exit`]) and lets the remaining ones compete here.

mod measure;
mod record;
mod rules;

pub use self::measure::alignment;
pub use self::record::{
    Approach, ApproachKind, Conflict, ConflictType, Recommendation, Resolution, ResolutionStrategy, Risk,
};
pub use self::rules::{ConflictRule, ConflictRules, Escalation, WrittenConflictRules};
use crate::score::Score;

const SURE_OF_MODEL: Score = Score::at_most_full(95);
const SURE_OF_APPROACH: Score = Score::at_most_full(85);
const UNDECIDED: Score = Score::at_most_full(50);

/// What the recommendations disagree about; nothing if there are fewer than two or they say the same.
///
/// A disagreement of several kinds counts as the first of: critical, model, approach, priority, tie. Words
/// that differ while the agents are not equally sure are a question of priority: what the user wants decides.
#[must_use]
pub fn detect(recommendations: &[Recommendation]) -> Option<ConflictType> {
    let differing = |same: fn(&Recommendation, &Recommendation) -> bool| differ(recommendations, same);
    if !differing(same_advice) {
        return None;
    }
    Some(if recommendations.iter().any(|one| !one.risks.is_empty()) {
        ConflictType::Critical
    } else if differing(|a, b| same_if_said(a.model.as_ref(), b.model.as_ref())) {
        ConflictType::Model
    } else if differing(|a, b| same_if_said(a.approach.as_ref(), b.approach.as_ref())) {
        ConflictType::Approach
    } else if differing(|a, b| same_if_said(target(a).as_ref(), target(b).as_ref()))
        || differing(|a, b| a.confidence == b.confidence)
    {
        ConflictType::Priority
    } else {
        ConflictType::Tie
    })
}

/// Ends a disagreement by the rules; nothing if there is none.
#[must_use]
pub fn resolve(
    recommendations: &[Recommendation],
    objective: &str,
    rules: &ConflictRules,
) -> Option<Conflict> {
    let kind = detect(recommendations)?;
    let decided = match kind {
        ConflictType::Critical => Some(critical(recommendations)),
        ConflictType::Model => by_rule(rules.model(), || by_model(recommendations)),
        ConflictType::Approach => by_rule(rules.approach(), || by_change(recommendations)),
        ConflictType::Priority => by_rule(rules.priority(), || by_alignment(recommendations, objective)),
        ConflictType::Tie => None,
    };
    // A criterion that tells nobody apart leaves a tie, whatever the disagreement was about.
    let (conflict_type, resolution) = match decided {
        Some(resolution) => (kind, resolution),
        None => (
            ConflictType::Tie,
            asked("nothing tells the recommendations apart, so a person decides", UNDECIDED),
        ),
    };
    Some(Conflict {
        conflict_type,
        agents_involved: recommendations.iter().map(|one| one.agent.clone()).collect(),
        recommendations: recommendations.to_vec(),
        resolution,
    })
}

/// Whether a person has to decide.
#[must_use]
pub fn needs_person(conflict: &Conflict) -> bool {
    conflict.resolution.strategy == ResolutionStrategy::Hitl
}

fn differ(all: &[Recommendation], same: impl Fn(&Recommendation, &Recommendation) -> bool) -> bool {
    all.iter().enumerate().any(|(place, one)| all.iter().skip(place + 1).any(|other| !same(one, other)))
}

fn same_advice(a: &Recommendation, b: &Recommendation) -> bool {
    a.text == b.text
        && a.model == b.model
        && a.approach == b.approach
        && a.priority == b.priority
        && a.risks == b.risks
}

/// Whoever says nothing disagrees with nobody.
fn same_if_said<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
    a.zip(b).is_none_or(|(a, b)| a == b)
}

fn target(one: &Recommendation) -> Option<String> {
    one.priority.as_ref().map(|target| target.trim().to_lowercase())
}

/// What the criterion gives, unless the rules want a person.
fn by_rule(rule: &ConflictRule, criterion: impl FnOnce() -> Option<Resolution>) -> Option<Resolution> {
    if rule.auto {
        return criterion();
    }
    Some(asked("the rules of this installation let a person decide", UNDECIDED))
}

fn critical(all: &[Recommendation]) -> Resolution {
    let at_risk = |risk| all.iter().any(|one| one.risks.contains(&risk));
    let what = match (at_risk(Risk::Security), at_risk(Risk::DataLoss)) {
        (true, true) => "security is at risk and data could be lost",
        (true, false) => "security is at risk",
        _ => "data could be lost",
    };
    asked(&format!("{what}, so a person always decides"), Score::ZERO)
}

fn by_model(all: &[Recommendation]) -> Option<Resolution> {
    let highest = all.iter().filter_map(|one| one.model).max()?;
    let winner = all.iter().find(|one| one.model == Some(highest))?;
    let reason =
        format!("the {highest} tier is the highest that was recommended; quality comes before speed");
    Some(won(ResolutionStrategy::HigherModel, winner, reason, SURE_OF_MODEL))
}

/// The smallest change; among equal ones the extension, then the one whose agent is surest.
fn by_change(all: &[Recommendation]) -> Option<Resolution> {
    let rank = |one: &Recommendation, approach: &Approach| {
        (approach.size_in_hundredths(), approach.kind, std::cmp::Reverse(one.confidence))
    };
    let ranked = || all.iter().filter_map(|one| one.approach.as_ref().map(|how| (rank(one, how), one, how)));
    let (best, winner, how) = ranked().min_by_key(|(rank, ..)| *rank)?;
    if ranked().any(|(other, _, another)| other == best && another != how) {
        return None;
    }
    let hundredths = how.size_in_hundredths();
    let size = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    let reason = format!("it is the smallest change (size {size}), and nothing is built that is not needed");
    Some(won(ResolutionStrategy::MinimumChange, winner, reason, SURE_OF_APPROACH))
}

fn by_alignment(all: &[Recommendation], objective: &str) -> Option<Resolution> {
    let best = all.iter().map(|one| alignment(one, objective)).max()?;
    let mut nearest = all.iter().filter(|one| alignment(one, objective) == best);
    let winner = nearest.next()?;
    let alike = |other: &Recommendation| match (target(winner), target(other)) {
        (None, None) => other.text == winner.text,
        (ours, theirs) => ours == theirs,
    };
    if !nearest.all(alike) {
        return None;
    }
    let reason = format!("it is nearest to what the user wants ({best} % alignment with the objective)");
    Some(won(ResolutionStrategy::UserAlignment, winner, reason, best))
}

fn won(
    strategy: ResolutionStrategy,
    winner: &Recommendation,
    reason: String,
    confidence: Score,
) -> Resolution {
    Resolution { strategy, winner: Some(winner.agent.clone()), reason, confidence }
}

fn asked(reason: &str, confidence: Score) -> Resolution {
    Resolution { strategy: ResolutionStrategy::Hitl, winner: None, reason: reason.to_owned(), confidence }
}
