//! Circuit breakers: whoever keeps being unavailable gets no calls for a while, then one to find out.

use candor_model::{Breaker, BreakerSettings, BreakerState, Timestamp};

use crate::texts;

/// How many calls the success rate looks back on.
const WINDOW: usize = 10;

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The call is made as usual.
    Pass,
    /// It may, and finds out whether things work again.
    Probe,
    /// Not before this time.
    Refused {
        /// When one may be made, as far as is known.
        until: Timestamp,
    },
}

/// What a call's end changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Calls are refused from now on, until a probe is due.
    Opened,
    /// Calls are made as usual again.
    Closed,
}

/// A breaker that nothing has happened to.
#[must_use]
pub fn fresh(agent_id: &str, settings: &BreakerSettings) -> Breaker {
    Breaker {
        agent_id: agent_id.to_owned(),
        state: BreakerState::Closed,
        failure_count: 0,
        failure_threshold: settings.failure_threshold.max(1),
        reset_timeout: settings.reset_timeout,
        last_failure: None,
        last_reason: String::new(),
        adaptive_threshold: settings.adaptive_threshold,
        window: Vec::new(),
        probing_since: None,
    }
}

/// Whether a call may be made now; one that may be a probe is noted as under way.
pub fn admit(breaker: &mut Breaker, now: Timestamp) -> Admission {
    if breaker.state == BreakerState::Closed {
        return Admission::Pass;
    }
    let until = opens_at(breaker);
    if breaker.state == BreakerState::Open && now < until {
        return Admission::Refused { until };
    }
    // A probe whose end was never told (the process died) does not hold the place for ever.
    let patience = breaker.reset_timeout;
    let probed = breaker.probing_since.map(|since| since.plus(patience)).filter(|end| now < *end);
    if let Some(until) = probed {
        return Admission::Refused { until };
    }
    breaker.state = BreakerState::HalfOpen;
    breaker.probing_since = Some(now);
    Admission::Probe
}

/// Whether calls are refused now, without taking the place of a probe.
#[must_use]
pub fn is_open(breaker: &Breaker, now: Timestamp) -> bool {
    breaker.state == BreakerState::Open && now < opens_at(breaker)
}

/// When an open breaker lets a call through again.
#[must_use]
pub fn opens_at(breaker: &Breaker) -> Timestamp {
    breaker.last_failure.unwrap_or(Timestamp::EPOCH).plus(breaker.reset_timeout)
}

/// Counts a call that went well.
pub fn succeeded(breaker: &mut Breaker) -> Option<Change> {
    remember(breaker, true);
    breaker.failure_count = 0;
    breaker.probing_since = None;
    let was = std::mem::replace(&mut breaker.state, BreakerState::Closed);
    (was != BreakerState::Closed).then_some(Change::Closed)
}

/// Counts a call that failed.
pub fn failed(breaker: &mut Breaker, reason: &str, now: Timestamp) -> Option<Change> {
    remember(breaker, false);
    breaker.failure_count = breaker.failure_count.saturating_add(1);
    breaker.last_failure = Some(now);
    reason.clone_into(&mut breaker.last_reason);
    breaker.probing_since = None;
    let enough = breaker.failure_count >= threshold(breaker);
    let opens = match breaker.state {
        BreakerState::Closed => enough,
        BreakerState::HalfOpen => true,
        // A call that was under way when it opened.
        BreakerState::Open => false,
    };
    if opens {
        breaker.state = BreakerState::Open;
    }
    opens.then_some(Change::Opened)
}

/// Lets the next call through, because a person took the matter in hand.
pub fn give_a_chance(breaker: &mut Breaker) {
    if breaker.state != BreakerState::Closed {
        breaker.state = BreakerState::HalfOpen;
        breaker.probing_since = None;
    }
}

/// The share of the latest calls that went well; nothing if there were none.
#[must_use]
pub fn success_rate(breaker: &Breaker) -> Option<f64> {
    let good = breaker.window.iter().filter(|&&good| good).count();
    (!breaker.window.is_empty()).then(|| good as f64 / breaker.window.len() as f64)
}

/// After how many failures in a row it opens.
#[must_use]
pub fn threshold(breaker: &Breaker) -> u32 {
    match success_rate(breaker).filter(|_| breaker.adaptive_threshold && breaker.window.len() >= WINDOW) {
        Some(rate) if rate >= 0.9 => 5,
        Some(rate) if rate >= 0.5 => 3,
        Some(_) => 2,
        None => breaker.failure_threshold,
    }
}

/// What a caller is told instead of being let through.
#[must_use]
pub fn refusal(breaker: &Breaker, until: Timestamp, now: Timestamp) -> String {
    let wait = until.since(now).get().ceil();
    let Breaker { agent_id, failure_count, last_reason, .. } = breaker;
    let name = agent_id.strip_prefix("model:").unwrap_or(agent_id);
    let last = texts::short_cause(std::slice::from_ref(last_reason));
    format!("{name}: circuit open after {failure_count} failures, retry in {wait} s. Last error: {last}")
}

fn remember(breaker: &mut Breaker, good: bool) {
    breaker.window.push(good);
    let extra = breaker.window.len().saturating_sub(WINDOW);
    breaker.window.drain(..extra);
}

#[cfg(test)]
mod tests {
    use candor_model::Seconds;

    use super::*;

    fn at(seconds: u32) -> Timestamp {
        Timestamp::EPOCH.plus(Seconds::whole(1_000 + seconds))
    }

    fn opened() -> Breaker {
        let mut breaker = fresh("a", &BreakerSettings::default());
        for _ in 0..3 {
            failed(&mut breaker, "down", at(0));
        }
        breaker
    }

    #[test]
    fn a_fresh_breaker_has_the_usual_figures() {
        // spec: orchestrator ER-01
        let breaker = fresh("a", &BreakerSettings::default());
        let json = serde_json::to_value(&breaker).unwrap();
        assert_eq!(json["agentId"], "a");
        assert_eq!(json["state"], "CLOSED");
        assert_eq!((&json["failureCount"], &json["failureThreshold"]), (&0.into(), &3.into()));
        assert_eq!(breaker.reset_timeout, Seconds::whole(30));
        assert_eq!(success_rate(&breaker), None);
    }

    #[test]
    fn the_third_failure_opens_it_and_says_so_once() {
        // spec: orchestrator ER-02
        let mut breaker = fresh("a", &BreakerSettings::default());
        let told: Vec<_> = (0..4).map(|n| failed(&mut breaker, "down", at(n))).collect();
        assert_eq!(told, [None, None, Some(Change::Opened), None]);
        let mut lucky = fresh("b", &BreakerSettings::default());
        failed(&mut lucky, "down", at(0));
        failed(&mut lucky, "down", at(0));
        succeeded(&mut lucky);
        assert_eq!(failed(&mut lucky, "down", at(1)), None, "only failures in a row count");
    }

    #[test]
    fn an_open_one_refuses_for_thirty_seconds_and_then_lets_one_call_through() {
        // spec: orchestrator ER-03 ER-04
        let mut breaker = opened();
        assert_eq!(admit(&mut breaker, at(29)), Admission::Refused { until: at(30) });
        assert_eq!(admit(&mut breaker, at(31)), Admission::Probe);
        assert!(matches!(admit(&mut breaker, at(31)), Admission::Refused { .. }), "one probe at a time");
        assert_eq!(succeeded(&mut breaker), Some(Change::Closed));
        assert_eq!((breaker.failure_count, admit(&mut breaker, at(31))), (0, Admission::Pass));
        let mut unlucky = opened();
        assert_eq!(admit(&mut unlucky, at(31)), Admission::Probe);
        assert_eq!(failed(&mut unlucky, "still down", at(32)), Some(Change::Opened));
        assert_eq!(admit(&mut unlucky, at(33)), Admission::Refused { until: at(62) });
    }

    #[test]
    fn a_probe_that_nobody_ended_does_not_block_for_ever() {
        let mut breaker = opened();
        assert_eq!(admit(&mut breaker, at(31)), Admission::Probe);
        assert_eq!(admit(&mut breaker, at(62)), Admission::Probe);
    }

    #[test]
    fn the_threshold_follows_the_success_rate_when_asked_to() {
        // spec: orchestrator ER-05
        let with = |good: usize| {
            let settings = BreakerSettings { adaptive_threshold: true, ..BreakerSettings::default() };
            let window = (0..10).map(|n| n < good).collect();
            threshold(&Breaker { window, ..fresh("a", &settings) })
        };
        assert_eq!((with(4), with(5), with(8), with(9), with(10)), (2, 3, 3, 5, 5));
    }

    #[test]
    fn whoever_is_refused_is_told_how_long_and_why() {
        let breaker = opened();
        let text = refusal(&breaker, at(30), at(10));
        assert!(
            text.contains("retry in 20 s") && text.contains("down") && text.contains("3 failures"),
            "{text}"
        );
    }
}
