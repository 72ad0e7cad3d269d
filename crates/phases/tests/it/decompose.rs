//! Room 3: what there is to do, broken into steps for one agent each.

use std::collections::{BTreeMap, BTreeSet};

use crate::plan_support::{PARIS, Stage};
use candor_language::split;
use candor_model::Ask;
use candor_model::{MessageType, Phase, SpokenBy, SubTask, TaskId, Text, Tier};
use candor_phases::decompose::{self, HighLevelTask, Listing, TaskType, atomicity, groups, hints, tiers};
use candor_planning::dependencies;
use proptest::prelude::*;
use serde_json::{Value, json};

const FEATURE: &str = "Add accounts to the shop so that customers can sign up and sign in";

fn task(n: usize, words: &str, needs: &[usize]) -> SubTask {
    let mut task =
        SubTask::new(TaskId::numbered(n), Text::new(words.to_owned()).unwrap(), vec![format!("out_{n}")]);
    task.dependencies = needs.iter().map(|need| TaskId::numbered(*need)).collect();
    task
}

fn places(tasks: &[SubTask]) -> Vec<&str> {
    tasks.iter().map(|task| task.metadata.place.as_deref().unwrap()).collect()
}

#[test]
fn a_trivial_question_still_has_a_task_and_a_subtask() {
    // spec: orchestrator PH-11
    let mut stage = Stage::new("What is an invoice?");
    stage.walk(Phase::Decomposition);
    assert_eq!(stage.data(Phase::Decomposition, "highLevelTasks").as_array().unwrap().len(), 1);
    assert_eq!(stage.data(Phase::Decomposition, "executionPlan")["totalSubtasks"], 1);
    assert_eq!(stage.data(Phase::Decomposition, "decomposition")[0]["subtasks"][0]["id"], "T1.1");
}

#[test]
fn the_template_gives_one_high_level_task_each() {
    // spec: orchestrator DC-03 DC-07 DC-08 HO-10
    let mut stage = Stage::new(PARIS);
    stage.walk(Phase::Decomposition);
    let data = |key: &str| stage.data(Phase::Decomposition, key);
    let tasks = data("highLevelTasks");
    let names: Vec<&str> =
        tasks.as_array().unwrap().iter().map(|task| task["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Flight search", "Hotel search", "Activity search", "Budget check"]);
    assert_eq!(stage.handoffs[&Phase::Decomposition].instructions.must_include, names);
    assert_eq!(data("dependencies"), json!({ "T2": ["T1"], "T4": ["T1", "T2", "T3"] }));
    assert_eq!(data("objective"), PARIS);
    let hotel = &data("decomposition")[1]["subtasks"][0];
    assert_eq!((hotel["id"].as_str(), hotel["taskId"].as_str()), (Some("T2.1"), Some("task_002")));
    assert_eq!(hotel["blockedBy"], json!(["T1.1"]));
    assert_eq!(hotel["validation"], "outputs expected: hotel_options");
    assert_eq!(hotel["assignedModel"], "balanced");
    assert!(
        hotel["estimatedTokens"].as_u64().unwrap() < 1000 && !hotel["tools"].as_array().unwrap().is_empty()
    );
    assert_eq!(data("executionPlan")["sequential"], json!(["T1.1", "T2.1", "T3.1", "T4.1"]));
    assert_eq!(data("executionPlan")["parallel"], json!([["T1.1", "T3.1"]]));
    assert_eq!(data("executionPlan")["estimatedDuration"], 60.0);
    assert_eq!(
        data("tasks")[3],
        json!({ "id": "task_004", "name": "Budget check", "priority": "high",
        "deps": ["task_001", "task_002", "task_003"] })
    );
    assert_eq!(data("tasks")[2]["priority"], "medium");
    assert_eq!(data("estimatedTotalTokens"), data("executionPlan")["estimatedTokens"]);
    assert_eq!(data("suggestedExecution"), "sequential_with_parallel_groups");
}

#[test]
fn both_agents_leave_a_record() {
    // spec: orchestrator GR-10 DC-01
    let report = Stage::new(PARIS).walk(Phase::Decomposition);
    let operations: Vec<&str> = report.decisions.iter().map(|made| made.operation).collect();
    assert_eq!(operations, ["list_tasks", "decompose_task"]);
    let spoke: Vec<(&str, MessageType)> =
        report.messages.iter().map(|message| (message.from_agent.as_str(), message.message_type)).collect();
    let done = MessageType::Completion;
    assert_eq!(spoke, [("task-lister-agent", done), ("task-decomposer-agent", done)]);
}

#[test]
fn the_structure_changes_no_step() {
    let text = "Validate the invoices, then search the activities of last week and finally book a hotel for the \
                team. Write a report about the invoices. After that, send it to the accountant.";
    let mut stage = Stage::new(text);
    stage.walk(Phase::Decomposition);
    let tasks: Vec<SubTask> = serde_json::from_value(stage.data(Phase::Decomposition, "subtasks")).unwrap();
    let steps = split::split(text);
    assert_eq!(tasks.len(), steps.len());
    for (n, (task, step)) in tasks.iter().zip(&steps).enumerate() {
        assert_eq!(task.task_id, TaskId::numbered(n + 1));
        assert_eq!(task.description.as_str(), step.description);
        let needs: Vec<TaskId> = step.depends_on.iter().map(|need| TaskId::numbered(need + 1)).collect();
        assert_eq!(task.dependencies, needs);
    }
    // Three sentences, and the three steps of the first are under it.
    assert_eq!(places(&tasks)[..4], ["T1.1", "T1.2", "T1.3", "T2.1"]);
    assert_eq!(stage.data(Phase::Decomposition, "highLevelTasks").as_array().unwrap().len(), 3);
}

#[test]
fn eight_steps_are_split_over_tasks_and_two_are_accepted_with_a_note() {
    // spec: orchestrator DC-09
    let steps: Vec<SubTask> = (1..=8).map(|n| task(n, "Sort the letters", &[])).collect();
    let made = decompose::by_rules("Sort the letters", steps.clone(), 10);
    assert_eq!(made.listing.high_level_tasks.len(), 2);
    assert_eq!(places(&made.tasks), ["T1.1", "T1.2", "T1.3", "T1.4", "T2.1", "T2.2", "T2.3", "T2.4"]);
    assert!(made.notes[0].contains("has 8 subtasks and was split into 2"), "{:?}", made.notes);
    let seven = decompose::by_rules("Sort the letters", steps[..7].to_vec(), 10);
    assert_eq!((seven.listing.high_level_tasks.len(), seven.notes.len()), (1, 0));
    let two = decompose::by_rules("Sort the letters", steps[..2].to_vec(), 10);
    assert_eq!(two.tasks.len(), 2);
    assert!(two.notes[0].contains("T1 have fewer than 3"), "{:?}", two.notes);
}

#[test]
fn a_step_that_costs_too_much_or_cannot_be_checked_is_told() {
    // spec: orchestrator DC-10
    let long = format!("Read {}", "one page after the other ".repeat(60));
    let mut unchecked = task(2, "Sing", &[]);
    unchecked.expected_outputs.clear();
    let made =
        decompose::by_rules("Read. Sing. Go.", vec![task(1, &long, &[]), unchecked, task(3, "Go", &[])], 10);
    assert!(made.warnings[0].contains("fewer than 1000"), "{:?}", made.warnings);
    assert!(made.warnings[1].contains("how its success is checked"), "{:?}", made.warnings);
    let mut edge = made.tasks[2].clone();
    edge.metadata.estimated_tokens = Some(999);
    assert!(atomicity::problems(&edge).is_empty());
    edge.metadata.estimated_tokens = Some(1000);
    assert_eq!(atomicity::problems(&edge).len(), 1);
}

#[test]
fn independent_steps_on_one_file_are_not_grouped() {
    // spec: orchestrator DC-11
    let text = |a: &str, b: &str| {
        let tasks = vec![task(1, &format!("Edit {a}"), &[]), task(2, &format!("Format {b}"), &[])];
        decompose::by_rules("x", tasks, 10).tasks
    };
    assert_eq!(groups::parallel(&text("src/a.rs", "src/b.rs")), [vec![0, 1]]);
    let same = text("src/a.rs", "src/a.rs");
    assert_eq!(same[0].metadata.files, ["src/a.rs"]);
    assert!(groups::parallel(&same).is_empty() && same[0].metadata.parallel_group.is_none());
}

#[test]
fn tiers_follow_the_words() {
    // spec: orchestrator DC-12
    let cases = [
        ("Rename the variable in main.rs", Tier::Fast),
        ("Change the config to port 80", Tier::Fast),
        ("Format the tables", Tier::Fast),
        ("Refactor the config loader", Tier::Balanced),
        ("Implement the search logic", Tier::Balanced),
        ("Write tests for the parser", Tier::Balanced),
        ("Find hotels in Rome", Tier::Balanced),
        ("Decide on the architecture of the store", Tier::Strong),
        ("Design the scheduling algorithm", Tier::Strong),
        ("Check the password rules", Tier::Strong),
        ("Revisa la seguridad del servidor", Tier::Strong),
    ];
    for (words, tier) in cases {
        assert_eq!(tiers::tier_for(words), tier, "{words}");
    }
}

#[test]
fn files_tools_and_criteria_follow_the_words() {
    // spec: orchestrator DC-07 DC-13
    let read =
        "Compare `src/a.rs`, docs/plan.md and (data.csv) with https://x.org/y.html and/or 24/7 reports.";
    assert_eq!(hints::files_in(read), ["src/a.rs", "docs/plan.md", "data.csv"]);
    assert_eq!(hints::tools_for("Search flights"), ["search"]);
    assert_eq!(hints::tools_for("Write and run the tests"), ["write", "run"]);
    assert_eq!(hints::tools_for("Meditate"), ["read"]);
    let criterion = |words: &str| hints::criterion_for(&task(1, words, &[])).unwrap();
    assert_eq!(criterion("Find hotels"), "outputs expected: out_1");
    assert_eq!(criterion("Make `cargo test` pass."), "command: cargo test");
    assert_eq!(criterion("Write the summary to notes.md"), "file exists: notes.md");
    assert_eq!(criterion("Read notes.md"), "outputs expected: out_1");
}

/// Six tasks for accounts, as a model would list them, and fifteen steps.
fn accounts(ask: &Ask) -> Option<Value> {
    let listed = [
        ("T1", "User record", "model"),
        ("T2", "Sign up", "api"),
        ("T3", "Sign in", "api"),
        ("T4", "Session check", "security"),
        ("T5", "Guard for pages", "ui"),
        ("T6", "Tests of accounts", "test"),
    ];
    match ask.step {
        "list_tasks" => Some(json!({
            "objective": "Customers of the shop have accounts",
            "highLevelTasks": listed.map(|(id, name, kind)| json!({ "id": id, "name": name, "type": kind,
                "description": format!("{name} for accounts of the shop"), "affectedFiles": [], "requiredContext": [] })),
            "dependencies": { "T2": ["T1"], "T3": ["T1"], "T4": ["T1"], "T5": ["T1"], "T6": ["T1", "T2", "T3", "T4", "T5"] },
            "estimatedComplexity": 80,
        })),
        "decompose_task" => {
            let step = |parent: &str, words: &str, needs: &[usize], file: &str| {
                json!({ "description": format!("{words} of the shop's accounts"), "dependencies": needs, "parent": parent,
                    "files": [file], "tools": ["write"], "validation": format!("file exists: {file}") })
            };
            Some(json!({ "tasks": [
                step("T1", "Write the record", &[], "user.rs"), step("T1", "Add the table", &[0], "user.sql"),
                step("T2", "Write the sign-up form", &[], "up.html"), step("T2", "Answer sign-up", &[2], "up.rs"), step("T2", "Mail a greeting", &[3], "mail.rs"),
                step("T3", "Write the sign-in form", &[], "in.html"), step("T3", "Answer sign-in", &[5], "in.rs"),
                step("T4", "Check sessions", &[], "session.rs"), step("T4", "End sessions", &[7], "end.rs"),
                step("T5", "Guard the pages", &[], "guard.rs"), step("T5", "Show the refusal", &[9], "refuse.html"),
                step("T6", "Test sign-up", &[], "t_up.rs"), step("T6", "Test sign-in", &[], "t_in.rs"),
                step("T6", "Test sessions", &[], "t_s.rs"), step("T6", "Test the guard", &[], "t_g.rs"),
            ] }))
        }
        _ => None,
    }
}

#[test]
fn the_reference_flow_has_the_model_first_and_the_tests_last() {
    // spec: orchestrator DC-01 DC-06 DC-08 DC-14 DC-15
    let mut stage = Stage::complex(FEATURE, 80);
    stage.voice = Some(accounts);
    let report = stage.walk(Phase::Decomposition);
    assert_eq!(report.handoff.spoken_by, SpokenBy::Model);
    let steps: Vec<&str> =
        stage.asked.iter().map(|ask| ask.step).filter(|step| *step != "parse_goal").collect();
    assert_eq!(steps, ["list_tasks", "decompose_task"], "the lister is done before the decomposer begins");
    let told = &stage.asked.last().unwrap().slots;
    assert!(
        told["listed"].contains("T4: Session check for accounts of the shop (after T1)"),
        "{}",
        told["listed"]
    );
    assert_eq!(told["agent_count"], "5", "what the matrix gives for 80 and no files");
    let order = stage.data(Phase::Decomposition, "executionPlan")["sequential"].as_array().unwrap().clone();
    assert_eq!(order.len(), 15);
    assert_eq!(order[..2], [json!("T1.1"), json!("T1.2")]);
    assert!(order[11..].iter().all(|id| id.as_str().unwrap().starts_with("T6.")), "{order:?}");
    let parallel = stage.data(Phase::Decomposition, "executionPlan")["parallel"].to_string();
    assert!(
        parallel.contains(r#"["T2.1","T3.1","T4.1","T5.1"]"#)
            && parallel.contains(r#"["T2.2","T3.2","T4.2","T5.2"]"#),
        "{parallel}"
    );
    let first_of_sign_up = &stage.data(Phase::Decomposition, "decomposition")[1]["subtasks"][0];
    assert_eq!(
        first_of_sign_up["blockedBy"],
        json!(["T1.2"]),
        "it waits for the last step of what its task needs"
    );
    let test = &stage.data(Phase::Decomposition, "decomposition")[5]["subtasks"][0];
    assert_eq!(test["blockedBy"], json!(["T1.2", "T2.3", "T3.2", "T4.2", "T5.2"]));
}

#[test]
fn where_there_is_little_to_do_the_rules_list_and_a_decision_says_so() {
    let mut stage = Stage::complex(FEATURE, 60);
    stage.voice = Some(accounts);
    let report = stage.walk(Phase::Decomposition);
    assert!(stage.asked.iter().all(|ask| ask.step != "list_tasks"));
    assert!(report.decisions[0].reasoning.contains("complexity of 61"), "{}", report.decisions[0].reasoning);
    assert!(
        stage.asked.last().unwrap().slots["listed"].contains("T1: Add accounts"),
        "the rules' list is told"
    );
}

#[test]
fn an_unclear_scope_waits_for_a_person_before_anything_is_broken_down() {
    // spec: orchestrator DC-04
    let mut stage = Stage::complex(FEATURE, 80);
    stage.voice = Some(|ask: &Ask| {
        let mut answer = accounts(ask).filter(|_| ask.step == "list_tasks")?;
        answer["unclear"] = json!("Which shop is meant?");
        Some(answer)
    });
    let report = stage.walk(Phase::Decomposition);
    assert!(report.handoff.flags.needs_user_input);
    assert_eq!(report.handoff.flags.uncertainty_areas, ["Which shop is meant?"]);
    assert!(stage.asked.iter().all(|ask| ask.step != "decompose_task"), "no model works on a guess");
}

#[test]
fn a_circle_is_refused_and_then_broken_by_the_order_of_the_list() {
    // spec: orchestrator DC-05
    let mut stage = Stage::complex(FEATURE, 80);
    stage.voice = Some(|ask: &Ask| {
        let mut answer = accounts(ask)?;
        if ask.step == "list_tasks" {
            answer["dependencies"]["T1"] = json!(["T2"]);
            let problems = (ask.check)(&answer).join("\n");
            assert!(problems.contains("T1 → T2 → T1"), "{problems}");
        }
        Some(answer)
    });
    stage.walk(Phase::Decomposition);
    let warnings = stage.data(Phase::Decomposition, "warnings").to_string();
    assert!(warnings.contains("T1 no longer waits for T2"), "{warnings}");
    assert_eq!(stage.data(Phase::Decomposition, "dependencies")["T2"], json!(["T1"]));
    assert!(stage.data(Phase::Decomposition, "dependencies").get("T1").is_none());
}

#[test]
fn the_longest_request_is_still_told_in_full() {
    let text: String = (1..=260).map(|n| format!("- Sort box {n}\n")).collect();
    let mut stage = Stage::new(&text);
    stage.walk(Phase::Decomposition);
    let count = stage.data(Phase::Decomposition, "subtasks").as_array().unwrap().len();
    assert_eq!(count, split::MAX_STEPS);
    assert!(
        stage.handoffs[&Phase::Decomposition].data.map().contains_key("decomposition"),
        "200 are still told"
    );
}

fn listing(count: usize, edges: &[(usize, usize)]) -> Listing {
    let high = |n: usize| HighLevelTask {
        id: format!("T{n}"),
        name: format!("n{n}"),
        kind: TaskType::Api,
        description: "d".to_owned(),
        affected_files: Vec::new(),
        required_context: Vec::new(),
    };
    let mut dependencies: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (task, need) in edges {
        dependencies.entry(format!("T{task}")).or_default().push(format!("T{need}"));
    }
    Listing {
        objective: "o".to_owned(),
        high_level_tasks: (1..=count).map(high).collect(),
        dependencies,
        estimated_complexity: 50,
    }
}

/// Whether one task is needed by the other, directly or through others.
fn leads_to(tasks: &[SubTask], from: usize, to: usize) -> bool {
    let needs = |at: usize| {
        let ids: BTreeSet<&TaskId> = tasks[at].dependencies.iter().collect();
        (0..tasks.len()).filter(move |other| ids.contains(&tasks[*other].task_id))
    };
    needs(to).any(|need| need == from || leads_to(tasks, from, need))
}

fn plans() -> impl Strategy<Value = Vec<SubTask>> {
    let step = (prop::collection::vec(0usize..12, 0..3), prop::sample::select(&["", "a.rs", "b.rs", "c.rs"]));
    prop::collection::vec(step, 1..12).prop_map(|steps| {
        let made = steps.into_iter().enumerate().map(|(at, (needs, file))| {
            let needs: Vec<usize> =
                needs.into_iter().filter(|need| *need < at).map(|need| need + 1).collect();
            task(at + 1, &format!("Edit {file} now"), &needs)
        });
        made.collect()
    })
}

proptest! {
    #[test]
    fn every_subtask_is_once_in_the_order_and_groups_are_free_of_conflicts(tasks in plans()) {
        // spec: orchestrator DC-08 DC-11
        let before: Vec<_> = tasks.iter().map(|it| (it.task_id.clone(), it.dependencies.clone())).collect();
        let made = decompose::by_rules("Edit a.rs now. Edit b.rs now. Edit c.rs now.", tasks, 20);
        let after: Vec<_> = made.tasks.iter().map(|it| (it.task_id.clone(), it.dependencies.clone())).collect();
        prop_assert_eq!(before, after);
        let order = groups::order(&made.tasks);
        prop_assert_eq!(order.iter().copied().collect::<BTreeSet<_>>().len(), made.tasks.len());
        prop_assert_eq!(order.len(), made.tasks.len());
        for (at, step) in order.iter().enumerate() {
            prop_assert!(order[at..].iter().all(|later| !leads_to(&made.tasks, *later, *step)));
        }
        for group in groups::parallel(&made.tasks) {
            for (n, one) in group.iter().enumerate() {
                for other in &group[n + 1..] {
                    prop_assert!(!leads_to(&made.tasks, *one, *other) && !leads_to(&made.tasks, *other, *one));
                    let files = &made.tasks[*one].metadata.files;
                    prop_assert!(files.iter().all(|file| !made.tasks[*other].metadata.files.contains(file)));
                }
            }
        }
        let unique: BTreeSet<&str> = places(&made.tasks).into_iter().collect();
        prop_assert_eq!(unique.len(), made.tasks.len());
        prop_assert_eq!(made.listing.problems(), Vec::<String>::new());
    }

    #[test]
    fn lists_lose_their_circles_and_nothing_else(edges in prop::collection::vec((1usize..6, 1usize..6), 0..10)) {
        // spec: orchestrator DC-05
        let mut list = listing(5, &edges);
        let had_circle = list.problems().iter().any(|problem| problem.contains("circle"));
        let before = list.clone();
        let removed = list.break_cycles();
        prop_assert_eq!(had_circle, !removed.is_empty());
        prop_assert!(list.problems().is_empty(), "{:?}", list.problems());
        if !had_circle {
            prop_assert_eq!(before, list);
        }
    }

    #[test]
    fn inherited_dependencies_make_no_circle(
        edges in prop::collection::vec((2usize..5, 1usize..5), 0..5),
        parents in prop::collection::vec(1usize..5, 1..10),
        needs in prop::collection::vec((0usize..10, 0usize..10), 0..6),
    ) {
        // spec: orchestrator DC-15
        let edges: Vec<_> = edges.into_iter().filter(|(task, need)| need < task).collect();
        let mut tasks: Vec<SubTask> = (1..=parents.len()).map(|n| task(n, "Do it", &[])).collect();
        for (later, earlier) in needs {
            let (Some(id), true) = (tasks.get(earlier).map(|it| it.task_id.clone()), earlier < later) else { continue };
            if let Some(step) = tasks.get_mut(later) {
                step.dependencies.push(id);
            }
        }
        let parents: Vec<Option<String>> = parents.iter().map(|n| Some(format!("T{n}"))).collect();
        let made = decompose::under(listing(4, &edges), tasks, &parents);
        prop_assert!(dependencies::check(&made.tasks).is_valid);
    }
}

#[test]
fn a_phase_does_not_end_without_its_mandatory_agents() {
    // spec: orchestrator GR-10
    let agent = |name: &str, enforcement: &str| {
        format!(
            "[[agents]]\nname = \"{name}\"\ndescription = \"Draws\"\nmodel = \"fast\"\nphase = \"3c\"\ntools = [\"read\"]\n\
             [agents.activation]\ntriggers = [\"phase3_start\"]\npriority = \"high\"\nenforcement = \"{enforcement}\"\n"
        )
    };
    let visit = |enforcement: &str| {
        let text = agent("diagram-agent", enforcement);
        let roster = candor_planning::rules_file::read("agents.toml", &text).unwrap();
        let mut stage = Stage::new(PARIS);
        let rules = candor_phases::Rulebook { roster, ..Default::default() };
        stage.phases = stage.phases.clone().with_rules(rules);
        stage.walk(Phase::Context);
        stage.visit(Phase::Decomposition, None).map(|report| report.messages.len())
    };
    assert_eq!(visit("suggest"), Ok(2));
    let reason = visit("block").unwrap_err();
    assert!(reason.contains("diagram-agent must have been at work in phase 3"), "{reason}");
}

#[test]
fn a_room_asks_on_the_tier_that_the_roster_gives_it() {
    // spec: orchestrator PH-16
    let asked_on = |text: &str| {
        let roster = candor_planning::rules_file::read("agents.toml", text).unwrap();
        let mut stage = Stage::new(PARIS);
        let rules = candor_phases::Rulebook { roster, ..Default::default() };
        stage.phases = stage.phases.clone().with_rules(rules);
        stage.voice = Some(|_| None);
        stage.walk(Phase::Decomposition);
        let tier = |step: &str| stage.asked.iter().find(|ask| ask.step == step).map(|ask| ask.tier);
        (tier("parse_goal"), tier("decompose_task"))
    };
    assert_eq!(asked_on(""), (Some(Tier::Balanced), Some(Tier::Balanced)));
    let strong = "[phases.decomposition]\nagents = 2\nmodel = \"strong\"\n";
    assert_eq!(asked_on(strong), (Some(Tier::Balanced), Some(Tier::Strong)), "one phase, and no other");
}
