//! Disagreements between agents, and who decides them.

use candor_model::Tier;
use candor_planning::conflict::{
    Approach, ApproachKind, Conflict, ConflictRules, ConflictType, Escalation, Recommendation,
    ResolutionStrategy, Risk, alignment, detect, needs_person, resolve,
};
use candor_planning::early_exit::{Spent, TaskBudget, on_budget};
use candor_planning::rules_file::read;
use candor_planning::score::Score;
use proptest::prelude::*;

use super::files::refusal;

fn says(agent: &str, text: &str) -> Recommendation {
    Recommendation {
        agent: agent.to_owned(),
        text: text.to_owned(),
        model: None,
        approach: None,
        priority: None,
        confidence: Score::at_most_full(80),
        risks: Vec::new(),
    }
}

fn wants(agent: &str, model: Tier) -> Recommendation {
    Recommendation { model: Some(model), ..says(agent, "use a model") }
}

fn goes(agent: &str, kind: ApproachKind, created: u32, modified: u32, lines: u32) -> Recommendation {
    let approach = Approach { kind, files_created: created, files_modified: modified, lines };
    Recommendation { approach: Some(approach), ..says(agent, "do it") }
}

fn begins(agent: &str, target: &str) -> Recommendation {
    Recommendation { priority: Some(target.to_owned()), ..says(agent, "begin") }
}

fn risky(mut one: Recommendation, risk: Risk) -> Recommendation {
    one.risks.push(risk);
    one
}

fn ended(all: &[Recommendation], objective: &str) -> Conflict {
    resolve(all, objective, &ConflictRules::default()).unwrap()
}

/// Type, strategy, winner and confidence.
fn short(conflict: &Conflict) -> (ConflictType, ResolutionStrategy, Option<&str>, u8) {
    let end = &conflict.resolution;
    (conflict.conflict_type, end.strategy, end.winner.as_deref(), end.confidence.get())
}

#[test]
fn the_higher_tier_wins() {
    // spec: orchestrator CR-01 CR-03
    let conflict = ended(&[wants("a", Tier::Fast), wants("b", Tier::Balanced)], "");
    assert_eq!(short(&conflict), (ConflictType::Model, ResolutionStrategy::HigherModel, Some("b"), 95));
    assert!(!needs_person(&conflict));
    let three = [wants("a", Tier::Balanced), wants("b", Tier::Strong), wants("c", Tier::Strong)];
    assert_eq!(ended(&three, "").resolution.winner.as_deref(), Some("b"), "the first of the highest");
}

#[test]
fn the_smallest_change_wins() {
    // spec: orchestrator CR-01 CR-04
    let extend = goes("b", ApproachKind::Extend, 0, 2, 40);
    let conflict = ended(&[goes("a", ApproachKind::Create, 1, 0, 40), extend], "");
    assert_eq!(short(&conflict), (ConflictType::Approach, ResolutionStrategy::MinimumChange, Some("b"), 85));
    assert!(conflict.resolution.reason.contains("size 2.40"), "{}", conflict.resolution.reason);
    assert!(!needs_person(&conflict));
    let uncounted = [goes("a", ApproachKind::Create, 0, 0, 0), goes("b", ApproachKind::Extend, 0, 3, 0)];
    assert_eq!(ended(&uncounted, "").resolution.winner.as_deref(), Some("b"), "of equal size: the extension");
    let surer = Recommendation { confidence: Score::FULL, ..goes("b", ApproachKind::Extend, 0, 0, 100) };
    let equal = [goes("a", ApproachKind::Extend, 0, 1, 0), surer];
    assert_eq!(ended(&equal, "").resolution.winner.as_deref(), Some("b"), "then the surer one");
    let even = [goes("a", ApproachKind::Extend, 0, 1, 0), goes("b", ApproachKind::Extend, 0, 0, 100)];
    assert_eq!(short(&ended(&even, "")), (ConflictType::Tie, ResolutionStrategy::Hitl, None, 50));
}

#[test]
fn the_user_s_objective_decides_what_comes_first() {
    // spec: orchestrator CR-01 CR-05
    let all = [begins("a", "performance"), begins("b", "SEO")];
    let conflict = ended(&all, "Improve the SEO of the landing page");
    assert_eq!(short(&conflict), (ConflictType::Priority, ResolutionStrategy::UserAlignment, Some("b"), 100));
    assert!(conflict.resolution.reason.contains("100 %") && !needs_person(&conflict));
    let half = ended(&[begins("a", "performance"), begins("b", "SEO audit")], "Improve the SEO of the page");
    assert_eq!(half.resolution.confidence.get(), 50, "the confidence is the alignment");
    for objective in ["Improve the design", "Improve SEO and performance"] {
        let tie = ended(&all, objective);
        assert_eq!(short(&tie), (ConflictType::Tie, ResolutionStrategy::Hitl, None, 50), "{objective}");
        assert!(needs_person(&tie));
    }
}

#[test]
fn a_person_ends_a_tie() {
    // spec: orchestrator CR-06
    let conflict = ended(&[says("a", "use tabs"), says("b", "use spaces")], "format the code");
    assert_eq!(short(&conflict), (ConflictType::Tie, ResolutionStrategy::Hitl, None, 50));
    assert!(needs_person(&conflict));
    let surer = Recommendation { confidence: Score::at_most_full(90), ..says("b", "use spaces") };
    let conflict = ended(&[says("a", "use tabs"), surer], "indent with tabs");
    assert_eq!(short(&conflict).0, ConflictType::Priority, "not equally sure: the objective decides");
    assert_eq!(conflict.resolution.winner.as_deref(), Some("a"));
}

#[test]
fn a_person_always_decides_about_security_and_data() {
    // spec: orchestrator CR-07 CR-09
    for (risk, word) in [(Risk::Security, "security"), (Risk::DataLoss, "data could be lost")] {
        let all = [risky(wants("a", Tier::Fast), risk), wants("b", Tier::Strong)];
        let conflict = ended(&all, "");
        assert_eq!(short(&conflict), (ConflictType::Critical, ResolutionStrategy::Hitl, None, 0));
        assert!(needs_person(&conflict) && conflict.resolution.reason.contains(word));
    }
}

#[test]
fn the_matrix_has_six_rows() {
    // spec: orchestrator CR-08
    use Escalation::{Always, Never, OnTie};
    use ResolutionStrategy::{HigherModel, Hitl, MinimumChange, UserAlignment};
    let rules = ConflictRules::default();
    for (rule, auto, strategy, escalation) in [
        (rules.model(), true, HigherModel, Never),
        (rules.approach(), true, MinimumChange, Never),
        (rules.priority(), true, UserAlignment, OnTie),
        (rules.tie(), false, Hitl, Always),
        (rules.security(), false, Hitl, Always),
        (rules.data_loss(), false, Hitl, Always),
    ] {
        assert_eq!((rule.auto, rule.strategy, rule.escalation), (auto, strategy, escalation));
    }
}

#[test]
fn the_first_kind_of_conflict_counts() {
    // spec: orchestrator CR-09 CR-12
    let everything = |agent: &str, model, kind, target: &str| Recommendation {
        model: Some(model),
        priority: Some(target.to_owned()),
        ..goes(agent, kind, 1, 1, 1)
    };
    let a = everything("a", Tier::Fast, ApproachKind::Create, "x");
    let mut b = everything("b", Tier::Strong, ApproachKind::Extend, "y");
    assert_eq!(detect(&[risky(a.clone(), Risk::Security), b.clone()]), Some(ConflictType::Critical));
    assert_eq!(detect(&[a.clone(), b.clone()]), Some(ConflictType::Model));
    b.model = a.model;
    assert_eq!(detect(&[a.clone(), b.clone()]), Some(ConflictType::Approach));
    b.approach = None;
    assert_eq!(detect(&[a.clone(), b.clone()]), Some(ConflictType::Priority));
    b.priority = Some("X ".to_owned());
    b.text = "else".to_owned();
    assert_eq!(detect(&[a, b]), Some(ConflictType::Tie));
}

#[test]
fn those_who_agree_are_in_no_conflict() {
    assert_eq!(detect(&[]), None);
    assert_eq!(detect(&[wants("a", Tier::Fast)]), None);
    assert_eq!(detect(&[wants("a", Tier::Fast), wants("b", Tier::Fast)]), None);
    assert!(resolve(&[says("a", "x"), says("b", "x")], "x", &ConflictRules::default()).is_none());
}

#[test]
fn sizes_and_alignments_are_always_the_same() {
    // spec: orchestrator CR-10
    let size = |kind, created, modified, lines| {
        goes("a", kind, created, modified, lines).approach.unwrap().size_in_hundredths()
    };
    assert_eq!(size(ApproachKind::Create, 2, 3, 150), 2 * 300 + 3 * 100 + 150);
    assert_eq!(size(ApproachKind::Extend, 0, 1, 50), 150);
    assert_eq!(size(ApproachKind::Create, 0, 0, 0), 300, "something new is at least a file");
    for (text, objective, score) in [
        ("cache the pages", "Cache pages and images", 100),
        ("cache images in memory", "cache pages", 50),
        ("one two three", "three four five", 33),
        ("the of and", "cache pages", 0),
        ("cache pages", "", 0),
    ] {
        assert_eq!(alignment(&says("a", text), objective).get(), score, "{text} / {objective}");
    }
}

#[test]
fn the_record_has_its_documented_names() {
    // spec: orchestrator CR-02
    let conflict = ended(&[wants("a", Tier::Fast), wants("b", Tier::Strong)], "");
    let json = serde_json::to_value(&conflict).unwrap();
    assert_eq!(
        (&json["conflictType"], &json["agentsInvolved"]),
        (&"model".into(), &serde_json::json!(["a", "b"]))
    );
    assert_eq!(json["recommendations"].as_array().unwrap().len(), 2);
    assert_eq!(json["resolution"]["strategy"], "higher_model");
    assert_eq!((&json["resolution"]["winner"], &json["resolution"]["confidence"]), (&"b".into(), &95.into()));
    assert_eq!(candor_model::from_value::<Conflict>(json.clone()).unwrap(), conflict);
    let mut wrong = json;
    wrong["resolution"]["confidence"] = 101.into();
    let error = candor_model::from_value::<Conflict>(wrong).unwrap_err();
    assert_eq!(error.field, "resolution.confidence");
    for name in ["higher_model", "minimum_change", "user_alignment", "hitl", "vote"] {
        assert!(candor_model::from_value::<ResolutionStrategy>(name.into()).is_ok(), "{name}");
    }
}

#[test]
fn a_file_can_have_a_person_asked() {
    // spec: orchestrator CR-11
    for text in ["[model]\nauto = false\n", "[model]\nstrategy = \"hitl\"\nescalation = \"always\"\n"] {
        let rules: ConflictRules = read("conflict-rules.toml", text).unwrap();
        let all = [wants("a", Tier::Fast), wants("b", Tier::Strong)];
        let conflict = resolve(&all, "", &rules).unwrap();
        assert_eq!(short(&conflict), (ConflictType::Model, ResolutionStrategy::Hitl, None, 50));
        assert_eq!(rules.approach(), ConflictRules::default().approach(), "the others are as usual");
    }
}

#[test]
fn no_file_decides_what_a_person_must() {
    // spec: orchestrator CR-11 SF-03
    for (text, place, words) in [
        ("[security]\nauto = true\n", "2: security.auto", "where security is at risk, only a person"),
        ("\n[dataLoss]\nauto = true\n", "3: dataLoss.auto", "where data could be lost, only a person"),
        ("[security]\nstrategy = \"higher_model\"\n", "2: security.strategy", "only a person decides"),
        ("[security]\nescalation = \"never\"\n", "2: security.escalation", "`always`"),
        ("[tie]\nauto = true\n", "2: tie.auto", "nothing tells"),
        ("[approach]\nstrategy = \"vote\"\n", "2: approach.strategy", "reserved"),
        ("[approach]\nstrategy = \"higher_model\"\n", "2: approach.strategy", "not a criterion"),
        ("[model]\nauto = true\nstrategy = \"hitl\"\n", "2: model.auto", "keep one of them"),
        ("[model]\nescalation = \"always\"\n", "2: model.escalation", "`auto` = false"),
        ("[model]\nstrategy = \"higer_model\"\n", "2: model.strategy", "did you mean `higher_model`?"),
        ("[dataloss]\n", "1: dataloss", "did you mean `dataLoss`?"),
    ] {
        let told = refusal::<ConflictRules>("conflict-rules.toml", text);
        assert!(told.starts_with(&format!("conflict-rules.toml:{place}: ")), "{told}");
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn a_critical_budget_comes_before_the_higher_tier() {
    // spec: orchestrator EE-03 CR-03
    let exit = on_budget(&TaskBudget::default(), Spent { tokens: 45_000, ..Spent::default() }).unwrap();
    assert!(exit.model_downgrade);
    let lowered = |one: Recommendation| Recommendation {
        model: one.model.map(|tier| tier.below().unwrap_or(tier)),
        ..one
    };
    let all = [lowered(wants("a", Tier::Strong)), lowered(wants("b", Tier::Fast))];
    let conflict = ended(&all, "");
    assert_eq!(conflict.resolution.winner.as_deref(), Some("a"));
    assert_eq!(conflict.recommendations[0].model, Some(Tier::Balanced));
    let even = [lowered(wants("a", Tier::Balanced)), lowered(wants("b", Tier::Fast))];
    assert_eq!(detect(&even), None, "after the downgrade they want the same");
}

fn any_recommendation() -> impl Strategy<Value = Recommendation> {
    let tier = prop::option::of(prop::sample::select(Tier::ALL));
    let target = prop::option::of("[a-c]{1,2}");
    ("[a-c ]{0,6}", tier, target, 0_u8..=100, any::<bool>(), any::<bool>()).prop_map(
        |(text, model, priority, sure, risk, how)| Recommendation {
            model,
            priority,
            confidence: Score::at_most_full(sure),
            risks: if risk { vec![Risk::DataLoss] } else { Vec::new() },
            approach: how.then_some(Approach {
                kind: ApproachKind::Extend,
                files_created: 0,
                files_modified: u32::from(sure % 3),
                lines: 0,
            }),
            ..says("x", &text)
        },
    )
}

proptest! {
    #[test]
    fn there_is_a_winner_or_a_person(all in prop::collection::vec(any_recommendation(), 0..5)) {
        // spec: orchestrator CR-02 CR-07
        if let Some(conflict) = resolve(&all, "a b", &ConflictRules::default()) {
            prop_assert_eq!(conflict.resolution.winner.is_none(), needs_person(&conflict));
            let risk = all.iter().any(|one| !one.risks.is_empty());
            prop_assert_eq!(risk, conflict.conflict_type == ConflictType::Critical);
            prop_assert!(!risk || needs_person(&conflict));
        } else {
            prop_assert_eq!(detect(&all), None);
        }
    }
}
