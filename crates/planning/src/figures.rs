//! What is known of an agent: what it declares, corrected by what was measured.
//!
//! A declaration counts as much as a few attempts, so that one unlucky call does not ruin a good agent and
//! a hundred of them do.

use candor_model::{AgentCapability, AgentMeasure, Money, Share};

/// How many attempts a declaration is worth.
pub const DECLARATION_WEIGHT: u64 = 10;

/// The agent's figures as the mean of what it declares and of what was measured.
#[must_use]
pub fn corrected(declared: &AgentCapability, measured: &AgentMeasure) -> AgentCapability {
    if measured.attempts == 0 {
        return declared.clone();
    }
    let weight = DECLARATION_WEIGHT as f64;
    let successes = declared.success_rate.get() * weight + measured.successes as f64;
    let rate = successes / (weight + measured.attempts as f64);
    AgentCapability {
        success_rate: Share::new(rate.clamp(0.0, 1.0)).unwrap_or(declared.success_rate),
        avg_latency_ms: mean(declared.avg_latency_ms, measured.latency_ms, measured.attempts),
        cost_per_invocation: Money::from_micros(mean(
            declared.cost_per_invocation.micros(),
            measured.cost.micros(),
            measured.attempts,
        )),
        ..declared.clone()
    }
}

fn mean(declared: u64, sum: u64, attempts: u64) -> u64 {
    let weighed = declared.saturating_mul(DECLARATION_WEIGHT).saturating_add(sum);
    weighed / attempts.saturating_add(DECLARATION_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> AgentCapability {
        candor_model::from_json(
            r#"{"agent_type":"a","success_rate":0.9,"avg_latency_ms":1000,"cost_per_invocation":0.02}"#,
        )
        .unwrap()
    }

    #[test]
    fn an_agent_that_keeps_failing_loses_its_good_name_little_by_little() {
        let once = AgentMeasure { attempts: 1, successes: 0, latency_ms: 1000, cost: Money::ZERO };
        let after_one = corrected(&agent(), &once).success_rate.get();
        assert!((after_one - 9.0 / 11.0).abs() < 1e-9);
        let often = AgentMeasure { attempts: 90, successes: 0, latency_ms: 90_000, cost: Money::ZERO };
        assert!((corrected(&agent(), &often).success_rate.get() - 0.09).abs() < 1e-9);
    }

    #[test]
    fn latency_and_cost_move_towards_what_was_measured() {
        let measured = AgentMeasure {
            attempts: 10,
            successes: 10,
            latency_ms: 30_000,
            cost: Money::from_micros(400_000),
        };
        let known = corrected(&agent(), &measured);
        assert_eq!(known.avg_latency_ms, 2000);
        assert_eq!(known.cost_per_invocation, Money::from_micros(30_000));
    }

    #[test]
    fn no_measure_and_absurd_measures_do_no_harm() {
        assert_eq!(corrected(&agent(), &AgentMeasure::default()), agent());
        let absurd =
            AgentMeasure { attempts: u64::MAX, successes: u64::MAX, latency_ms: u64::MAX, cost: Money::MAX };
        assert!(corrected(&agent(), &absurd).success_rate.get() <= 1.0);
    }
}
