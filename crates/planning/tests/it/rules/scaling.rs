//! How many agents, how they run, on which models.

use candor_model::{AgentBrief, ExecutionStrategy, Tier};
use candor_planning::rules_file::read;
use candor_planning::scaling::{self, CountedPer, ScalingRules, TaskClass};
use proptest::prelude::*;

use super::files::refusal;

fn count(complexity: u8, files: u32) -> u32 {
    ScalingRules::default().propose(complexity, files).count
}

#[test]
fn every_complexity_has_its_row() {
    // spec: orchestrator SC-01 SC-05
    use ExecutionStrategy::{Hybrid, Parallel, Sequential};
    let rules = ScalingRules::default();
    for (complexity, agents, mode, mix) in [
        (0, "1", Sequential, "fast"),
        (30, "1", Sequential, "fast"),
        (31, "2-3", Sequential, "fast + balanced"),
        (50, "2-3", Sequential, "fast + balanced"),
        (51, "3-5", Parallel, "fast + balanced"),
        (70, "3-5", Parallel, "fast + balanced"),
        (71, "5-8", Hybrid, "balanced + strong"),
        (85, "5-8", Hybrid, "balanced + strong"),
        (86, "8-15", Hybrid, "balanced + strong"),
        (100, "8-15", Hybrid, "balanced + strong"),
    ] {
        let row = rules.matrix().iter().find(|row| row.complexity.contains(u32::from(complexity))).unwrap();
        assert_eq!((row.agents.to_string().as_str(), row.execution), (agents, mode), "{complexity}");
        assert_eq!(row.models.to_string(), mix, "{complexity}");
        let proposal = rules.propose(complexity, 0);
        assert_eq!((proposal.mode, proposal.mix), (row.execution, row.models), "{complexity}");
        assert_eq!(proposal.parallel, complexity > 50, "{complexity}");
    }
    assert_eq!(rules.propose(0, 0).mix.fast, 100);
    assert!(rules.propose(60, 0).mix.balanced > 50, "a majority");
    assert!(rules.propose(90, 0).mix.strong < 50, "critical parts only");
}

#[test]
fn the_formula_counts_complexity_and_files() {
    // spec: orchestrator SC-02
    for (complexity, files, agents) in [(0, 0, 1), (15, 0, 2), (45, 3, 5), (85, 12, 10), (100, 30, 15)] {
        assert_eq!(scaling::formula(complexity, files), agents, "({complexity}, {files})");
    }
    for (complexity, files, agents) in [(1, 0, 2), (20, 0, 2), (21, 0, 3), (0, 1, 2), (0, 3, 2), (0, 4, 3)] {
        assert_eq!(scaling::formula(complexity, files), agents, "({complexity}, {files})");
    }
    assert_eq!(scaling::formula(100, 0), 6, "complexity adds five at most");
    assert_eq!(scaling::formula(0, u32::MAX), 15);
}

#[test]
fn the_matrix_bounds_the_formula() {
    // spec: orchestrator SC-03
    for (complexity, files, agents) in [(15, 0, 1), (45, 3, 3), (85, 12, 10), (10, 12, 6), (86, 0, 8)] {
        assert_eq!(count(complexity, files), agents, "({complexity}, {files})");
    }
    let many_files = ScalingRules::default().propose(10, 12);
    assert_eq!(many_files.mode, ExecutionStrategy::Sequential, "the mode is the complexity's alone");
    assert_eq!(many_files.mix.to_string(), "fast", "and so is the mix");
}

#[test]
fn agents_are_split_over_the_phases() {
    // spec: orchestrator SC-06
    for (count, execution, validation) in [(10, 8, 3), (1, 1, 1), (2, 1, 1), (4, 2, 2), (15, 13, 5)] {
        let split = (scaling::execution_agents(count), scaling::validation_agents(count));
        assert_eq!(split, (execution, validation), "{count}");
    }
    let json = serde_json::to_value(ScalingRules::default().propose(85, 12)).unwrap();
    for (key, value) in
        [("agentCount", 10), ("minimumAgents", 1), ("executionAgents", 8), ("validationAgents", 3)]
    {
        assert_eq!(json[key], value, "{key}");
    }
    assert_eq!(json["parallel"], true);
    assert_eq!(json["models"]["strong"], 30);
}

#[test]
fn a_plan_stays_within_one_and_fifteen() {
    // spec: orchestrator SC-04 SC-07
    assert!(scaling::check_total(1).is_ok() && scaling::check_total(15).is_ok());
    for agents in [0, 16] {
        let error = scaling::check_total(agents).unwrap_err();
        assert_eq!(error.field, "agents.total");
        assert!(error.problem.contains(&format!("{agents} agents")), "{error}");
    }
}

#[test]
fn three_classes_have_their_bounds_and_budgets() {
    // spec: orchestrator SC-08 SC-09
    use TaskClass::{Complex, Simple, Standard};
    let rules = ScalingRules::default();
    for (complexity, class, tier, agents) in [
        (0, Simple, Tier::Fast, "1"),
        (30, Simple, Tier::Fast, "1"),
        (31, Standard, Tier::Balanced, "2-4"),
        (60, Standard, Tier::Balanced, "2-4"),
        (61, Complex, Tier::Strong, "5-15"),
        (100, Complex, Tier::Strong, "5-15"),
    ] {
        let proposal = rules.propose(complexity, 0);
        assert_eq!(proposal.class, class, "{complexity}");
        let rule = rules.classes().rule(class);
        assert_eq!((rule.model, rule.agents.to_string().as_str()), (tier, agents));
        assert_eq!(rule.tool_calls, proposal.tool_calls);
    }
    let simple = rules.propose(15, 0).tool_calls;
    assert_eq!((simple.per, simple.calls.unwrap().to_string().as_str()), (CountedPer::Task, "3-10"));
    let standard = rules.propose(45, 0).tool_calls;
    assert_eq!((standard.per, standard.calls.unwrap().max), (CountedPer::Agent, Some(15)));
    let complex = rules.propose(90, 0).tool_calls;
    assert_eq!((complex.per, complex.calls), (CountedPer::Responsibility, None));
}

#[test]
fn the_worked_examples_come_out() {
    // spec: orchestrator SC-13
    let rules = ScalingRules::default();
    let question = rules.propose(15, 0);
    assert_eq!((question.count, question.mode), (1, ExecutionStrategy::Sequential));
    assert_eq!(question.mix.to_string(), "fast");
    let component = rules.propose(45, 3);
    assert_eq!((component.count, component.mode), (3, ExecutionStrategy::Sequential));
    assert_eq!(component.mix.to_string(), "fast + balanced");
    let feature = rules.propose(85, 12);
    assert_eq!((feature.count, feature.mode, feature.execution_agents), (10, ExecutionStrategy::Hybrid, 8));
    assert_eq!(feature.mix.to_string(), "balanced + strong");
    assert_eq!((feature.mix.balanced, feature.mix.strong), (70, 30));
}

#[test]
fn no_more_than_ten_run_at_once() {
    // spec: orchestrator SC-14
    let largest = ScalingRules::default().propose(100, 30);
    assert_eq!((largest.count, scaling::agents_at_once(u32::MAX)), (15, 10));
    assert_eq!((scaling::agents_at_once(4), scaling::agents_at_once(0)), (4, 1));
}

/// Two rows that are in order, on lines 1 to 6 and 7 to 12.
fn two_rows(change: (&str, &str)) -> String {
    let text = "[[matrix]]\ncomplexity = \"0-30\"\nfiles = \"0-1\"\nagents = 1\nexecution = \"sequential\"\n\
                models = { fast = 100 }\n[[matrix]]\ncomplexity = \"31-100\"\nfiles = \"2+\"\nagents = \"2-6\"\n\
                execution = \"parallel\"\nmodels = { balanced = 60, strong = 40 }\n";
    assert!(text.contains(change.0), "{}", change.0);
    text.replace(change.0, change.1)
}

#[test]
fn a_file_can_change_everything() {
    // spec: orchestrator SC-15
    let text = two_rows(("0-30", "0-30"))
        + "[classes.simple]\ncomplexity = \"0–30\"\nmodel = \"strong\"\n\
        agents = 2\ntoolCalls = { calls = \"1-5\", per = \"agent\" }\n";
    let rules: ScalingRules = read("scaling-rules.toml", &text).unwrap();
    let proposal = rules.propose(99, 40);
    assert_eq!((proposal.count, proposal.mode), (6, ExecutionStrategy::Parallel));
    assert_eq!(rules.classes().simple.model, Tier::Strong);
    assert_eq!(rules.propose(3, 0).tool_calls.calls.unwrap().max, Some(5));
    assert_eq!(rules.classes().complex, ScalingRules::default().classes().complex, "left out: as usual");
}

#[test]
fn files_that_cannot_stand_are_refused_with_line_and_field() {
    // spec: orchestrator SC-15 SF-03 FD-03
    for (change, place, words) in [
        (("31-100", "32-100"), "8: matrix[1].complexity", "leaves a gap: complexity 31 is in no range"),
        (("31-100", "30-100"), "8: matrix[1].complexity", "overlaps"),
        (("31-100", "31-99"), "8: matrix[1].complexity", "leaves complexity 100 in no range"),
        (("31-100", "31-140"), "8: matrix[1].complexity", "beyond 100"),
        (("31-100", "31+"), "8: matrix[1].complexity", "beyond 100"),
        (("0-30", "1-30"), "2: matrix[0].complexity", "leaves a gap: complexity 0 "),
        (("0-30", "30-0"), "2: matrix[0].complexity", "ends before it starts"),
        (("0-30", "low"), "2: matrix[0].complexity", "is not a range"),
        (("2+", "2-9"), "9: matrix[1].files", "leaves files 10 and up"),
        (("0-1", "0+"), "9: matrix[1].files", "without an end"),
        (("agents = 1", "agents = 0"), "4: matrix[0].agents", "not within 1-15"),
        (("agents = 1", "agents = -1"), "4: matrix[0].agents", "-1 is less than 0"),
        (("2-6", "2-16"), "10: matrix[1].agents", "not within 1-15"),
        (("agents = 1", "agents = \"3-9\""), "10: matrix[1].agents", "never fall"),
        (("strong = 40", "strong = 41"), "12: matrix[1].models", "make 101 percent"),
        (("strong = 40", "string = 40"), "12: matrix[1].models.string", "did you mean `strong`?"),
        (("parallel", "paralel"), "11: matrix[1].execution", "did you mean `parallel`?"),
    ] {
        let told = refusal::<ScalingRules>("scaling-rules.toml", &two_rows(change));
        assert!(told.starts_with(&format!("scaling-rules.toml:{place}: ")), "{told}");
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn json_is_refused_with_line_and_field_too() {
    // spec: orchestrator SC-15 SF-03
    let value = |text: &str| toml_as_json(text);
    let told = refusal::<ScalingRules>("s.json", &value(&two_rows(("31-100", "33-100"))));
    assert!(told.contains("matrix[1].complexity: `33-100` leaves a gap: complexity 31-32 "), "{told}");
    let line: usize = told.split(':').nth(1).unwrap().parse().unwrap();
    let shown = value(&two_rows(("31-100", "33-100")));
    assert!(shown.lines().nth(line - 1).unwrap().contains("33-100"), "{told}\n{shown}");
}

fn toml_as_json(text: &str) -> String {
    serde_json::to_string_pretty(&toml::from_str::<serde_json::Value>(text).unwrap()).unwrap()
}

#[test]
fn classes_are_checked_like_the_matrix() {
    // spec: orchestrator SC-15 SC-09
    let class = |name: &str, complexity: &str, calls: &str| {
        format!(
            "[classes.{name}]\ncomplexity = \"{complexity}\"\nmodel = \"fast\"\nagents = 1\ntoolCalls = {calls}\n"
        )
    };
    for (text, words) in [
        (class("simple", "0-29", "{ calls = \"3-10\", per = \"task\" }"), "classes.standard.complexity"),
        (class("simple", "0-30", "{ per = \"task\" }"), "s.toml:5: classes.simple.toolCalls.calls: missing"),
        (class("simple", "0-30", "{ calls = \"3+\", per = \"task\" }"), "a budget has an end"),
        (class("simple", "0-30", "{ calls = 0, per = \"task\" }"), "at least 1"),
        (class("complex", "61-100", "{ calls = 9, per = \"responsibility\" }"), "stated by the plan"),
        (class("hard", "61-100", "{}"), "s.toml:1: classes.hard: unknown field"),
        ("matrix = []\n".to_owned(), "s.toml:1: matrix: has no rows"),
    ] {
        let told = refusal::<ScalingRules>("s.toml", &text);
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn no_agent_starts_without_a_whole_brief() {
    // spec: orchestrator SC-11
    let brief = AgentBrief {
        objective: "List the tasks".to_owned(),
        output_format: "JSON".to_owned(),
        tools: Vec::new(),
        boundaries: vec!["Change nothing".to_owned()],
    };
    assert!(brief.check().is_ok());
    let without: [(&str, AgentBrief); 4] = [
        ("objective", AgentBrief { objective: " ".to_owned(), ..brief.clone() }),
        ("outputFormat", AgentBrief { output_format: String::new(), ..brief.clone() }),
        ("tools", AgentBrief { tools: vec![String::new()], ..brief.clone() }),
        ("boundaries", AgentBrief { boundaries: Vec::new(), ..brief }),
    ];
    for (field, brief) in without {
        assert_eq!(brief.check().unwrap_err().field, field);
    }
    let written = r#"{"objective": "o", "outputFormat": "f", "boundaries": ["b"]}"#;
    assert_eq!(candor_model::from_json::<AgentBrief>(written).unwrap_err().field, "tools");
}

proptest! {
    #[test]
    fn a_proposal_is_always_possible(complexity in any::<u8>(), files in any::<u32>(), limit in any::<u32>()) {
        // spec: orchestrator SC-04 SC-14
        let rules = ScalingRules::default();
        let proposal = rules.propose(complexity, files);
        prop_assert!((1..=15).contains(&proposal.count));
        prop_assert!((1..=10).contains(&scaling::agents_at_once(limit)));
        prop_assert!((1..=proposal.count).contains(&proposal.execution_agents));
        prop_assert!((1..=proposal.count).contains(&proposal.validation_agents));
        prop_assert!(rules.propose(complexity, files.saturating_add(1)).count >= proposal.count);
        prop_assert!(rules.propose(complexity.saturating_add(1), files).count >= proposal.count);
    }
}
