//! Agents that recommend contradictory things.

use candor_model::{ChoiceKind, EventBody, Question, Recorded};

use super::block_on;
use super::crew::{Crew, asked, choose, plan};

/// An agent that recommends this about the store of the data, after another has.
fn recommends(before: Option<&str>, name: &str, recommendation: &str) -> String {
    let wait = before.map(|before| format!("wait_for({before:?})")).unwrap_or_default();
    format!(
        r#"
{wait}
tell("discovery", "medium", "a recommendation", recommendation={recommendation})
mark("{name}")
done()
"#
    )
}

fn resolved(log: &[Recorded]) -> Vec<(String, serde_json::Value)> {
    let found = log.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::ConflictResolved(resolved) => {
            Some((resolved.resolution.clone(), resolved.conflict.clone().unwrap_or_default()))
        }
        _ => None,
    });
    found.collect()
}

#[test]
fn a_conflict_about_models_is_settled_by_rule() {
    // spec: orchestrator CR-01 CR-02 CR-03
    block_on(async {
        let fast =
            r#"{"topic": "Store", "text": "a small model is enough", "model": "fast", "confidence": 99}"#;
        let balanced =
            r#"{"topic": "store", "text": "take a better one", "model": "balanced", "confidence": 60}"#;
        let crew = Crew::new()
            .with("thrifty", &recommends(None, "thrifty_spoke", fast))
            .with("thorough", &recommends(Some("thrifty_spoke"), "thorough_spoke", balanced));
        let log = crew.complete(plan(&[("thrifty", &[]), ("thorough", &[])])).await;
        let resolved = resolved(&log);
        assert_eq!(resolved.len(), 1);
        let (resolution, conflict) = &resolved[0];
        assert!(resolution.starts_with("thorough"), "{resolution}");
        assert_eq!(conflict["conflictType"], "model");
        assert_eq!(conflict["resolution"]["strategy"], "higher_model");
        assert_eq!(conflict["resolution"]["winner"], "thorough");
        assert_eq!(conflict["resolution"]["confidence"], 95);
        assert!(
            !log.iter().any(|it| matches!(it.event.body, EventBody::HumanAsked { .. })),
            "nobody is asked"
        );
    });
}

#[test]
fn a_conflict_that_risks_security_always_goes_to_a_person() {
    // spec: orchestrator CR-07 CR-09
    block_on(async {
        let open = r#"{"topic": "access", "text": "open the port", "model": "fast", "confidence": 99, "risks": ["security"]}"#;
        let closed = r#"{"topic": "access", "text": "keep it closed", "model": "strong", "confidence": 10}"#;
        let crew = Crew::new()
            .with("bold", &recommends(None, "bold_spoke", open))
            .with("careful", &recommends(Some("bold_spoke"), "careful_spoke", closed))
            .with("next", r#"mark("begun"); done()"#);
        let run = crew.start(plan(&[("bold", &[]), ("careful", &[]), ("next", &[1, 2])])).await;
        let questions = asked(&run).await;
        assert_eq!(questions.len(), 1);
        let (gate, Question::Choice(request)) = &questions[0] else { panic!("{questions:?}") };
        assert_eq!(request.about, ChoiceKind::Conflict);
        assert_eq!(request.default.as_deref(), Some("stop"), "if nobody is there, nothing is risked");
        assert!(request.reason.contains("security is at risk"), "{}", request.reason);
        assert!(!crew.folder().join("begun").exists());
        let careful = request.options.iter().find(|option| option.label.starts_with("careful")).unwrap();
        choose(&run, gate, &careful.id).await;
        let log = crew.ends(run).await;
        let resolved = resolved(&log);
        assert_eq!(resolved.len(), 1);
        assert!(resolved[0].0.starts_with("careful: keep it closed (a person decided)"), "{}", resolved[0].0);
    });
}
