//! What a phase thinks of its own work, and what follows from it.

use candor_model::{CritiqueChecks, CritiqueVerdict, EventBody, Phase, SpokenBy};
use candor_planning::{critique, gates};

use super::choices;
use super::draft::Draft;

/// What is to be done about a phase's work.
pub(super) enum Next {
    /// It stands.
    Continue,
    /// It must be done once more.
    Again,
    /// A person is asked once the phase's work is on record: what failed, and what could help.
    Ask(Vec<String>, Vec<String>),
}

/// Judges a phase's work by its own checks. Whoever gets `Again` must not use the work and begins it once more.
pub(super) fn judge(
    draft: &mut Draft<'_>,
    phase: Phase,
    checks: Option<Box<CritiqueChecks>>,
    spoken_by: SpokenBy,
) -> Next {
    let Some(mut checks) = checks else { return Next::Continue };
    // A phase does not know what its models took.
    let tokens = draft.state.findings().phases.tokens.get(&phase).copied().unwrap_or(0);
    let expected = Some(checks.cost_efficiency.expected).filter(|expected| *expected > 0);
    checks.cost_efficiency = critique::cost_check(tokens, expected);
    let failed = checks.failed();
    let settings = draft.state.settings();
    let before =
        draft.state.findings().phases.refinements.get(&phase).map_or(0, |refinement| refinement.count);
    let verdict = critique::decide(&checks, before, settings.phase_limits().max_refinements, spoken_by);
    let ways = critique::stop_alternatives(phase, &checks);
    draft.emit(EventBody::Critiqued { phase, verdict, notes: failed.clone(), checks: Some(checks) });
    match verdict {
        CritiqueVerdict::Continue => Next::Continue,
        CritiqueVerdict::Refine => Next::Again,
        CritiqueVerdict::Stop => Next::Ask(failed, ways),
    }
}

/// Puts the question, if the critique says stop; says whether it did.
pub(super) fn put(draft: &mut Draft<'_>, phase: Phase, next: Next) -> bool {
    let Next::Ask(failed, ways) = next else { return false };
    choices::put(draft, gates::critique(phase, &failed, &ways));
    true
}
