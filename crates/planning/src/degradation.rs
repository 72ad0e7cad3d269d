//! The fallback policy of degradation: with how much less than it should a run works, and what is said about it.

use candor_model::{Degradation, Phase};

/// What failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed<'a> {
    /// A model or an agent; another one took its place.
    Agent(&'a str),
    /// Every model of a phase; its rules took their place.
    Phase(Phase),
    /// The way through the phases itself.
    Orchestrator,
    /// Everything.
    All,
}

/// Takes a failure into account. The level never falls within a run.
pub fn note(state: &mut Degradation, failed: &Failed<'_>) {
    let component = match failed {
        Failed::Agent(name) => (*name).to_owned(),
        Failed::Phase(phase) => format!("phase {} ({phase})", phase.number()),
        Failed::Orchestrator => "orchestrator".to_owned(),
        Failed::All => "everything".to_owned(),
    };
    if !state.failed_components.contains(&component) {
        state.failed_components.push(component);
    }
    let phases = state.failed_components.iter().filter(|name| name.starts_with("phase ")).count();
    let level = match failed {
        Failed::Agent(_) => 1,
        Failed::Phase(_) if phases >= 2 => 3,
        Failed::Phase(_) => 2,
        Failed::Orchestrator => 4,
        Failed::All => 5,
    };
    state.level = state.level.max(level);
    state.degraded_output |= level >= 2;
}

/// What a person can do at a level.
#[must_use]
pub const fn recommendation(level: u8) -> &'static str {
    match level {
        0 | 1 => "none needed",
        2 | 3 => "review what the phases named here gave, or retry when the models answer again",
        _ => "retry later, and check the providers with `candor doctor`",
    }
}

/// What is said at the end of a run; nothing if all went as it should.
#[must_use]
pub fn report(state: &Degradation) -> Option<String> {
    if state.level == 0 {
        return None;
    }
    let quality = if state.degraded_output { "degraded: rules spoke in place of models" } else { "normal" };
    Some(format!(
        "Degradation level {}/5\nFailed: {}\nOutput quality: {quality}\nRecommendation: {}",
        state.level,
        state.failed_components.join(", "),
        recommendation(state.level)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(failures: &[Failed<'_>]) -> Degradation {
        let mut state = Degradation::default();
        failures.iter().for_each(|failed| note(&mut state, failed));
        state
    }

    #[test]
    fn each_kind_of_failure_has_its_level() {
        // spec: orchestrator DG-03 DG-04 DG-05 DG-07 DG-08 DG-09 DG-10
        assert_eq!(after(&[]).level, 0);
        assert_eq!(after(&[Failed::Agent("m")]).level, 1);
        assert_eq!(after(&[Failed::Phase(Phase::Decomposition)]).level, 2);
        let two = after(&[Failed::Phase(Phase::Evaluation), Failed::Phase(Phase::Decomposition)]);
        assert_eq!(two.level, 3);
        let twice = after(&[Failed::Phase(Phase::Planning), Failed::Phase(Phase::Planning)]);
        assert_eq!(twice.level, 2, "the same phase twice is one phase");
        assert_eq!(after(&[Failed::Orchestrator]).level, 4);
        assert_eq!(after(&[Failed::All]).level, 5);
    }

    #[test]
    fn the_level_only_rises() {
        // spec: orchestrator DG-02
        let state = after(&[Failed::Phase(Phase::Planning), Failed::Agent("m")]);
        assert_eq!((state.level, state.degraded_output), (2, true));
        assert_eq!(state.failed_components, ["phase 4 (planning)", "m"]);
    }

    #[test]
    fn a_report_is_there_if_and_only_if_something_failed() {
        // spec: orchestrator DG-12 DG-13
        assert_eq!(report(&after(&[])), None);
        let one = report(&after(&[Failed::Agent("acme/small")])).unwrap();
        assert!(one.contains("level 1/5") && one.contains("acme/small") && one.contains("normal"), "{one}");
        assert!(one.contains("none needed"));
        let two = report(&after(&[Failed::Phase(Phase::Planning)])).unwrap();
        assert!(two.contains("degraded") && two.contains("retry"), "{two}");
        assert!(recommendation(4).contains("later"));
    }
}
