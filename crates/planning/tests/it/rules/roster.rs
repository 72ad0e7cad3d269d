//! Who works where, with which tools.

use candor_model::{Phase, Tier};
use candor_planning::roster::{AgentDefinition, PhaseSlot, Roster, trigger};
use candor_planning::rules_file::read;
use candor_planning::score::Score;

use super::files::refusal;

fn agent_of<'a>(roster: &'a Roster, name: &str) -> &'a AgentDefinition {
    roster.agents().find(|agent| agent.name == name).unwrap()
}

#[test]
fn every_named_agent_is_in_its_phase() {
    // spec: orchestrator AG-02
    let roster = Roster::default();
    for (phase, expected) in [
        (Phase::PreAnalysis, &["pre-analysis-agent"][..]),
        (
            Phase::Evaluation,
            &[
                "keyword-detector",
                "complexity-scorer",
                "prompt-quality-scorer",
                "confidence-assessor",
                "prompt-enhancer-agent",
            ],
        ),
        (Phase::Context, &["context-loader", "memory-retriever"]),
        (Phase::Decomposition, &["task-lister-agent", "task-decomposer-agent"]),
        (Phase::Planning, &["plan-iterator-agent", "tool-selector", "strategy-planner", "planning-agent"]),
        (Phase::Execution, &["component-generator", "i18n-manager", "seo-optimizer"]),
        (Phase::Validation, &["validation-agent"]),
        (Phase::Consolidation, &["pattern-detector", "knowledge-consolidator"]),
    ] {
        let names: Vec<&str> = roster.of_phase(phase).map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, expected, "{phase}");
    }
    let places: Vec<_> =
        roster.agents().map(|agent| agent.phase.map_or(8, |slot| slot.phase.number())).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(agent_of(&roster, "task-decomposer-agent").phase.unwrap().to_string(), "3b");
}

#[test]
fn named_agents_have_their_tiers() {
    // spec: orchestrator AG-04
    let roster = Roster::default();
    for (agent, tier) in [
        ("prompt-enhancer-agent", Tier::Balanced),
        ("task-lister-agent", Tier::Balanced),
        ("task-decomposer-agent", Tier::Balanced),
        ("plan-iterator-agent", Tier::Strong),
        ("self-critic", Tier::Fast),
        ("prompt-improvement-detector", Tier::Fast),
        ("chain-analyst", Tier::Balanced),
    ] {
        assert_eq!(agent_of(&roster, agent).model, tier, "{agent}");
    }
}

#[test]
fn every_phase_has_its_usual_staff() {
    // spec: orchestrator PH-16
    let staff = |roster: &Roster| -> Vec<(u32, Tier)> {
        Phase::ALL.iter().map(|phase| (roster.staff(*phase).agents, roster.staff(*phase).model)).collect()
    };
    let usual = [
        (1, Tier::Fast),
        (4, Tier::Balanced),
        (2, Tier::Fast),
        (2, Tier::Balanced),
        (1, Tier::Strong),
        (3, Tier::Strong),
        (2, Tier::Balanced),
        (2, Tier::Fast),
    ];
    assert_eq!(staff(&Roster::default()), usual);
    let text = "[phases.validation]\nagents = 5\nmodel = \"strong\"\n";
    let mut changed = usual;
    changed[6] = (5, Tier::Strong);
    assert_eq!(staff(&read("agents.toml", text).unwrap()), changed, "one phase only");
}

#[test]
fn a_phase_does_not_end_without_the_agents_it_must_have() {
    // spec: orchestrator GR-10
    let roster = Roster::default();
    let missing = |phase, fired: &[&str], ran: &[&str]| -> Vec<String> {
        let found = roster.missing_from(phase, &|name| fired.contains(&name), &|name| ran.contains(&name));
        found.into_iter().map(|agent| agent.name.clone()).collect()
    };
    let both = [trigger::PHASE_3_START, trigger::PHASE_3A_COMPLETE];
    assert_eq!(both, ["phase3_start", "phase3a_complete"]);
    assert_eq!(missing(Phase::Decomposition, &both, &[]), ["task-lister-agent", "task-decomposer-agent"]);
    assert_eq!(missing(Phase::Decomposition, &both, &["task-lister-agent"]), ["task-decomposer-agent"]);
    let done = ["task-lister-agent", "task-decomposer-agent"];
    assert!(missing(Phase::Decomposition, &both, &done).is_empty());
    assert_eq!(missing(Phase::Planning, &["phase4_start"], &[]), ["plan-iterator-agent"]);
    assert!(missing(Phase::Evaluation, &[], &[]).is_empty(), "nobody called it");
    assert_eq!(missing(Phase::Evaluation, &[trigger::PROMPT_QUALITY_LOW], &[]), ["prompt-enhancer-agent"]);
}

/// An agent of the user's, on lines 1 to 8.
const MINE: &str = "[[agents]]\nname = \"proof-reader\"\ndescription = \"Reads proofs.\"\nmodel = \"fast\"\n\
                    phase = \"6b\"\ntools = [\"read\", \"edit\"]\n[agents.activation]\ntriggers = [\"phase6_start\"]\n\
                    enforcement = \"block\"\ndependsOn = [\"validation-agent\"]\n";

#[test]
fn users_add_agents() {
    // spec: orchestrator AG-01
    let roster: Roster = read("agents.toml", MINE).unwrap();
    let mine = agent_of(&roster, "proof-reader");
    assert_eq!(mine.phase, Some(PhaseSlot { phase: Phase::Validation, letter: Some('b') }));
    assert_eq!(mine.tools, ["read", "edit"]);
    assert_eq!(roster.agents().count(), Roster::default().agents().count() + 1);
    let json = serde_json::to_value(mine).unwrap();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    for key in [
        "name",
        "description",
        "model",
        "phase",
        "tools",
        "activation",
        "mission",
        "input",
        "output",
        "rules",
    ] {
        assert!(keys.contains(&key), "{key}");
    }
    assert_eq!(json["activation"]["dependsOn"][0], "validation-agent");
    assert_eq!(candor_model::from_value::<AgentDefinition>(json).unwrap(), *mine);
}

#[test]
fn a_known_agent_is_described_anew_but_stays_in_its_place() {
    // spec: orchestrator AG-01 GR-10
    let lister = "[[agents]]\nname = \"task-lister-agent\"\ndescription = \"Ours.\"\nmodel = \"strong\"\n\
                  phase = \"3a\"\n[agents.activation]\ntriggers = [\"phase3_start\"]\nenforcement = \"block\"\n";
    let roster: Roster = read("agents.toml", lister).unwrap();
    assert_eq!(agent_of(&roster, "task-lister-agent").model, Tier::Strong);
    assert_eq!(roster.agents().count(), Roster::default().agents().count());
    for (text, place) in [
        (lister.replace("3a", "3b"), "5: agents[0].phase"),
        (lister.replace("\"block\"", "\"suggest\""), "6: agents[0].activation"),
        (lister.replace("phase3_start", "never"), "6: agents[0].activation"),
    ] {
        let told = refusal::<Roster>("agents.toml", &text);
        assert!(told.starts_with(&format!("agents.toml:{place}: ")), "{told}");
    }
}

#[test]
fn agents_that_cannot_stand_are_refused_with_line_and_field() {
    // spec: orchestrator AG-01 SF-03
    let second = MINE.replace("proof-reader", "other").replace("validation-agent", "proof-reader");
    for (text, place, words) in [
        (MINE.replace("\"fast\"", "\"fats\""), "4: agents[0].model", "did you mean `fast`?"),
        (MINE.replace("\"edit\"", "\"edti\""), "6: agents[0].tools[1]", "did you mean `edit`?"),
        (MINE.replace("6b", "8"), "5: agents[0].phase", "unknown phase"),
        (MINE.replace("6b", "3ab"), "5: agents[0].phase", "unknown phase"),
        (MINE.replace("\"6b\"", "12"), "5: agents[0].phase", "unknown phase"),
        (
            MINE.replace("validation-agent", "validator"),
            "10: agents[0].activation.dependsOn[0]",
            "no agent of that name",
        ),
        (MINE.replace("proof-reader", "proof reader"), "2: agents[0].name", "letters, digits"),
        (MINE.replace("Reads proofs.", ""), "3: agents[0].description", "is empty"),
        (MINE.replace("[\"phase6_start\"]", "[]"), "8: agents[0].activation.triggers", "nothing would call"),
        (format!("{MINE}{MINE}"), "12: agents[1].name", "there twice"),
        (MINE.replace("validation-agent", "other") + &second, "10: agents[0].activation.dependsOn", "circle"),
        (
            "[phases.context]\nagents = 0\nmodel = \"fast\"\n".to_owned(),
            "2: phases.context.agents",
            "1 to 15",
        ),
        ("[phases.contxt]\n".to_owned(), "1: phases.contxt", "did you mean `context`?"),
    ] {
        let told = refusal::<Roster>("agents.toml", &text);
        assert!(told.starts_with(&format!("agents.toml:{place}: ")), "{told}");
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn a_score_is_a_whole_number_from_zero_to_a_hundred() {
    // spec: orchestrator FD-03
    assert_eq!(candor_model::from_json::<Score>("100").unwrap(), Score::FULL);
    assert!(candor_model::from_json::<Score>("101").unwrap_err().problem.contains("0 to 100"));
    assert!(candor_model::from_json::<Score>("-1").is_err());
    assert_eq!((Score::share(1, 3).get(), Score::share(2, 3).get(), Score::share(0, 0).get()), (33, 67, 0));
}
