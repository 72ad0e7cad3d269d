//! The fallback policy of degradation: with how much less than it should a run works, and what is said about it.

use candor_model::{Degradation, FailedComponent};

/// Takes a failure into account. The level never falls within a run.
pub fn note(state: &mut Degradation, failed: FailedComponent) {
    let is_new = !state.failed_components.contains(&failed);
    let is_phase = |component: &&FailedComponent| matches!(component, FailedComponent::Phase(_));
    let before = state.failed_components.iter().filter(is_phase).count();
    let level = match failed {
        FailedComponent::Agent(_) => 1,
        FailedComponent::Phase(_) if before + usize::from(is_new) >= 2 => 3,
        FailedComponent::Phase(_) => 2,
        FailedComponent::Orchestrator => 4,
        FailedComponent::All => 5,
    };
    if is_new {
        state.failed_components.push(failed);
    }
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
        state.failed(),
        recommendation(state.level)
    ))
}

#[cfg(test)]
mod tests {
    use candor_model::Phase;

    use super::*;

    fn after(failures: &[FailedComponent]) -> Degradation {
        let mut state = Degradation::default();
        failures.iter().for_each(|failed| note(&mut state, failed.clone()));
        state
    }

    fn agent(name: &str) -> FailedComponent {
        FailedComponent::Agent(name.to_owned())
    }

    #[test]
    fn each_kind_of_failure_has_its_level() {
        // spec: orchestrator DG-03 DG-04 DG-05 DG-07 DG-08 DG-09 DG-10
        assert_eq!(after(&[]).level, 0);
        assert_eq!(after(&[agent("m")]).level, 1);
        assert_eq!(after(&[FailedComponent::Phase(Phase::Decomposition)]).level, 2);
        let two =
            after(&[FailedComponent::Phase(Phase::Evaluation), FailedComponent::Phase(Phase::Decomposition)]);
        assert_eq!(two.level, 3);
        let twice =
            after(&[FailedComponent::Phase(Phase::Planning), FailedComponent::Phase(Phase::Planning)]);
        assert_eq!(twice.level, 2, "the same phase twice is one phase");
        assert_eq!(after(&[FailedComponent::Orchestrator]).level, 4);
        assert_eq!(after(&[FailedComponent::All]).level, 5);
    }

    #[test]
    fn the_level_only_rises() {
        // spec: orchestrator DG-02
        let state = after(&[FailedComponent::Phase(Phase::Planning), agent("m")]);
        assert_eq!((state.level, state.degraded_output), (2, true));
        assert_eq!(state.failed_components, [FailedComponent::Phase(Phase::Planning), agent("m")]);
        assert_eq!(state.failed(), "phase 4 (planning), m");
    }

    #[test]
    fn a_report_is_there_if_and_only_if_something_failed() {
        // spec: orchestrator DG-12 DG-13
        assert_eq!(report(&after(&[])), None);
        let one = report(&after(&[agent("acme/small")])).unwrap();
        assert!(one.contains("level 1/5") && one.contains("acme/small") && one.contains("normal"), "{one}");
        assert!(one.contains("none needed"));
        let two = report(&after(&[FailedComponent::Phase(Phase::Planning)])).unwrap();
        assert!(two.contains("degraded") && two.contains("retry"), "{two}");
        assert!(recommendation(4).contains("later"));
    }
}
