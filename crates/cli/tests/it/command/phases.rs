//! The eight phases as people meet them: in the status, in questions with options, and on the way back.

use serde_json::{Value, json};

use crate::support::{Candor, Events, GENERAL, PARIS, Said, VAGUE, keys, texts};

/// A rule that lets nothing about secrets of the trade begin.
pub(crate) const TRIPWIRE: &str = r#"{"rules": [{"skillId": "no-trade-secrets", "enforcement": "block",
    "priority": "critical", "tripwire": true, "message": "Trade secrets stay here",
    "promptTriggers": {"keywords": ["recipe"], "intent": ["any"]}}]}"#;

/// The record of the workflow has exactly these.
const WORKFLOW: [&str; 14] = [
    "canRestart",
    "canRollback",
    "checkpoint",
    "created",
    "currentPhase",
    "currentPrompt",
    "history",
    "lastCompletedPhase",
    "originalPrompt",
    "promptEnhanced",
    "rollbackTo",
    "status",
    "taskId",
    "updated",
];

fn status(candor: &Candor, run: &str) -> Value {
    candor.run(["status", run, "--json"]).ended_with(0).json()
}

fn finished() -> Candor {
    let candor = Candor::new();
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    candor
}

/// A run that a guardrail halts, with somebody there to be asked.
fn halted() -> (Candor, Said, Events) {
    let config = format!("[limits]\nunattended = false\n[guardrails]\nrules = \"rules.json\"\n{GENERAL}");
    let candor = Candor::with_config(&config);
    candor.write("rules.json", TRIPWIRE);
    let (said, events) = candor.events(&["run", "Write down the recipe of the sauce", "--run-id", "run_1"]);
    (candor, said.ended_with(3), events)
}

#[test]
fn a_finished_run_shows_its_eight_phases() {
    // spec: orchestrator PH-01 SM-01 SM-02 SM-03 SM-05 HO-02
    let candor = finished();
    let status = status(&candor, "run_1");
    let workflow = &status["workflow"];
    assert_eq!(keys(workflow), WORKFLOW);
    assert_eq!((&workflow["taskId"], &workflow["status"]), (&json!("run_1"), &json!("complete")));
    assert_eq!((&workflow["currentPhase"], &workflow["lastCompletedPhase"]), (&json!(7), &json!(7)));
    assert_eq!((&workflow["promptEnhanced"], &workflow["originalPrompt"]), (&json!(false), &json!(PARIS)));
    assert_eq!(workflow["rollbackTo"], json!([0, 1, 2, 3, 4, 5, 6]));
    let history = workflow["history"].as_array().unwrap();
    let numbers: Vec<u64> = history.iter().map(|entry| entry["phase"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
    for entry in history {
        assert_eq!(entry["status"], "completed");
        assert!(entry["duration"].is_number() && entry["tokens"].is_number(), "{entry}");
    }
    assert_eq!(
        keys(&history[1]),
        [
            "duration",
            "enhanced",
            "newPromptQuality",
            "phase",
            "promptQuality",
            "snapshot",
            "status",
            "tokens"
        ]
    );
    let names: Vec<&str> =
        status["phases"].as_array().unwrap().iter().map(|phase| phase["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 8);
    assert_eq!((names[0], names[7]), ("pre_analysis", "consolidation"));
    let handoffs = status["handoffs"].as_array().unwrap();
    assert_eq!(handoffs.len(), 8);
    for handoff in handoffs {
        let (from, to) = (handoff["fromPhase"].as_u64().unwrap(), handoff["toPhase"].as_u64());
        let expected = match from {
            0 | 1 => Some(2),
            7 => None,
            from => Some(from + 1),
        };
        assert_eq!(to, expected);
    }
    let shown = candor.run(["status", "run_1"]).ended_with(0);
    shown.shows(&["0 Pre-analysis", "7 Consolidation", "by rules", "done", "candor rollback run_1 PHASE"]);
}

#[test]
fn the_points_to_go_back_to_are_listed_with_time_and_size() {
    // spec: orchestrator SM-10
    let candor = finished();
    let points = status(&candor, "run_1")["rollback_points"].as_array().unwrap().clone();
    assert_eq!(points.len(), 7);
    for point in &points {
        assert!(point["at"].is_string() && point["bytes"].as_u64().unwrap() > 0, "{point}");
    }
    candor.run(["status", "run_1"]).shows(&["Rollback points", "3 Decomposition", " UTC, "]);
}

#[test]
fn plain_lines_tell_every_phase_with_what_it_took() {
    let said = Candor::new().run(["run", PARIS, "-v"]).ended_with(0);
    said.shows(&["Guardrails found nothing; all eight phases will run"]).shows(&[
        "Pre-analysis: ",
        "Evaluation: ",
        "Context: ",
        "Decomposition: ",
        "Planning: ",
        "Execution: ",
        "Validation: ",
        "Consolidation: ",
        "s, by rules)",
    ]);
}

#[test]
fn a_rollback_keeps_the_phase_and_runs_those_after_it_again() {
    // spec: orchestrator CM-01 SM-07
    let candor = finished();
    let (said, events) = candor.events(&["rollback", "run_1", "2"]);
    said.ended_with(0);
    let again = ["decomposition", "planning", "execution", "validation", "consolidation"];
    assert_eq!(events.texts("phase_started", "phase"), again);
    let workflow = status(&candor, "run_1")["workflow"].clone();
    assert_eq!((&workflow["status"], &workflow["lastCompletedPhase"]), (&json!("complete"), &json!(7)));
}

#[test]
fn a_rerun_runs_the_phase_itself_too() {
    // spec: orchestrator CM-01
    let candor = finished();
    for (number, first) in [("3", "decomposition"), ("2", "context"), ("6", "validation"), ("5", "execution")]
    {
        let (said, events) = candor.events(&["rollback", "run_1", number, "--rerun"]);
        said.ended_with(0);
        assert_eq!(events.texts("phase_started", "phase")[0], first, "phase {number}");
    }
    for number in ["1", "0"] {
        let (said, events) = candor.events(&["rollback", "run_1", number, "--rerun"]);
        said.ended_with(0);
        let started = events.texts("phase_started", "phase");
        let wanted = if number == "1" { "evaluation" } else { "pre_analysis" };
        assert!(started.iter().take(2).any(|phase| phase == wanted), "{started:?}");
        assert!(started.contains(&"context".to_owned()), "{started:?}");
    }
}

#[test]
fn a_phase_that_cannot_be_gone_back_to_is_refused_and_nothing_changes() {
    // spec: orchestrator FD-04 FD-05 SM-07
    let candor = Candor::with_config(GENERAL);
    candor.run(["run", VAGUE, "--run-id", "run_1"]).ended_with(3);
    let log = || std::fs::read(candor.path("data/candor.db")).unwrap();
    let before = (log(), status(&candor, "run_1"));
    for wrong in ["x", "9", "6", "7", "-1"] {
        let said = candor.run(["rollback", "run_1", wrong]).ended_with(2);
        assert!(said.stderr.contains(wrong), "{}", said.stderr);
        if wrong != "-1" {
            said.tells(&["phase", "0 (pre_analysis)", "1 (evaluation)", "3 (decomposition)"]);
        }
        candor.run(["rollback", "run_1", wrong, "--rerun"]).ended_with(2);
    }
    assert_eq!(before, (log(), status(&candor, "run_1")), "byte for byte");
    candor.run(["rollback", "run_1"]).refused(&["PHASE"]);
    candor.run(["rollback", "nobody", "1"]).refused(&["nobody"]);
}

#[test]
fn a_run_that_waits_says_in_its_record_what_for() {
    // spec: orchestrator SM-02 SM-05
    let candor = Candor::with_config(GENERAL);
    candor.run(["run", VAGUE, "--run-id", "run_1"]).ended_with(3);
    let status = status(&candor, "run_1");
    let workflow = &status["workflow"];
    assert_eq!((&workflow["status"], &workflow["currentPhase"]), (&json!("waiting_human"), &json!(4)));
    assert_eq!(workflow["lastCompletedPhase"], 4);
    assert_eq!(workflow["checkpoint"], "planning_completed");
    assert_eq!(status["phases"][4]["status"], "waiting_human");
    assert_eq!(status["phases"][5]["status"], "pending");
}

#[test]
fn a_restart_with_other_words_keeps_the_history_of_words() {
    // spec: orchestrator SM-06 SM-11
    let candor = finished();
    let other = "Plan a 2-day trip to Rome in June with a $1500 budget";
    let (said, events) = candor.events(&["restart", "run_1", "--prompt", other]);
    said.ended_with(0);
    assert_eq!(events.only("prompt_changed")["change"]["source"], "restarted");
    let status = status(&candor, "run_1");
    assert_eq!(status["workflow"]["originalPrompt"], PARIS);
    assert_eq!(status["workflow"]["currentPrompt"], other);
    assert_eq!(status["workflow"]["promptEnhanced"], true);
    assert_eq!(status["workflow"]["history"][1]["enhanced"], true);
    let prompts: Vec<&str> =
        status["prompts"].as_array().unwrap().iter().map(|prompt| prompt["text"].as_str().unwrap()).collect();
    assert_eq!(prompts, [PARIS, other]);
    candor.run(["status", "run_1"]).shows(&["The request over time", "restarted with other words"]);
    candor.run(["restart", "run_1", "--prompt", " "]).refused(&["--prompt", "empty"]);
}

#[test]
fn a_chosen_wording_changes_what_agents_are_told() {
    // spec: findings GL-14
    for request in ["Crea un componente hero", "Improve the kitchen"] {
        let candor = Candor::with_config(GENERAL);
        let (_, events) = candor.events(&["run", request, "--run-id", "run_1"]);
        let choice = events.all("human_asked")[0]["question"]["choice"].clone();
        assert_eq!(choice["about"], "enhancement");
        let plan = |text: &str| candor.run(["plan", "--json", "--", text]).json();
        let told = |planned: &Value| planned["plan"]["subtasks"][0]["inputs"]["instructions"].clone();
        let before = plan(request);
        assert_eq!(told(&before), json!(null));
        let options = choice["options"].as_array().unwrap();
        let chosen = options.iter().find(|option| option["id"] == "A").unwrap();
        let after = plan(chosen["details"].as_str().unwrap());
        assert!(
            chosen["details"]
                .as_str()
                .unwrap()
                .contains(told(&after).as_str().unwrap().lines().next().unwrap())
        );
        let score = |planned: &Value| planned["goal"]["evaluation"]["promptQuality"]["score"].clone();
        assert_eq!(score(&before), score(&after), "our own words make no request clearer");
    }
}

#[test]
fn a_full_restart_begins_with_the_first_words_again() {
    // spec: orchestrator SM-09
    let candor = finished();
    candor.run(["restart", "run_1", "--prompt", "Plan a 2-day trip to Rome in June"]).ended_with(0);
    let (said, events) = candor.events(&["restart", "run_1"]);
    said.ended_with(0);
    assert_eq!(events.texts("phase_started", "phase").len(), 8);
    let workflow = status(&candor, "run_1")["workflow"].clone();
    assert_eq!((&workflow["currentPrompt"], &workflow["promptEnhanced"]), (&json!(PARIS), &json!(false)));
}

#[test]
fn a_tripwire_looks_four_times_and_then_asks() {
    // spec: orchestrator GR-08 CM-05
    let (candor, said, events) = halted();
    assert_eq!(events.all("guardrails_checked").len(), 4);
    assert!(events.all("phase_started").is_empty(), "nothing begins");
    said.tells(&[
        "# nothing is carried out",
        "Trade secrets stay here",
        "candor answer run_1 stop --data data",
        "candor answer run_1 reword",
    ]);
    let question = &status(&candor, "run_1")["open_questions"][0];
    let choice = &question["question"]["choice"];
    assert_eq!((&choice["about"], &choice["default"]), (&json!("guardrail"), &json!("stop")));
    let ids: Vec<&str> =
        choice["options"].as_array().unwrap().iter().map(|option| option["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["stop", "reword", "continue"]);
    assert_eq!(texts(&question["commands"]).len(), 3);
    candor.run(["status", "run_1"]).shows(&["continue despite the finding", "if nobody answers: stop"]);
}

#[test]
fn an_answer_by_option_goes_on_from_another_process() {
    // spec: orchestrator CM-04 CM-05
    let (candor, ..) = halted();
    candor.run(["answer", "run_1", "perhaps"]).refused(&["perhaps", "stop, reword, continue"]);
    candor.run(["answer", "run_1", "reword"]).refused(&["reword", "words of your own"]);
    candor.run(["answer", "run_1", "stop", "--gate", "nobody"]).refused(&["nobody", "guardrail_1"]);
    candor.run(["answer", "run_1", "stop", "--agent", "writer"]).refused(&["--agent"]);
    assert_eq!(status(&candor, "run_1")["status"], "waiting_human");
    let args =
        ["answer", "run_1", "REWORD", "--text", "Write a text about the sauce", "--gate", "guardrail_1"];
    let (said, events) = candor.events(&args);
    assert!([0, 3].contains(&said.code), "{}", said.stderr);
    assert_eq!(events.only("human_answered")["answer"]["choice"]["option"], "reword");
    assert!(events.texts("phase_started", "phase").contains(&"consolidation".to_owned()) || said.code == 3);
    let prompts = status(&candor, "run_1")["prompts"].as_array().unwrap().len();
    assert_eq!(prompts, 2);
}

#[test]
fn stop_ends_the_run_and_continue_overrules_the_rule() {
    let (candor, ..) = halted();
    candor.run(["answer", "run_1", "stop"]).ended_with(1).tells(&["no-trade-secrets"]);
    assert_eq!(status(&candor, "run_1")["workflow"]["status"], "stopped");
    let (candor, ..) = halted();
    let (_, events) = candor.events(&["answer", "run_1", "continue"]);
    let overruled = &events.all("guardrail_tripped")[0];
    assert_eq!(overruled["reason"], "overruled by a person");
    assert!(!events.all("phase_started").is_empty());
}

#[test]
fn without_anybody_to_ask_the_default_is_taken_on_record() {
    // spec: orchestrator PE-10
    let candor = Candor::with_config(&format!("[guardrails]\nrules = \"rules.json\"\n{GENERAL}"));
    candor.write("rules.json", TRIPWIRE);
    let (said, events) = candor.events(&["run", "Write down the recipe of the sauce"]);
    said.ended_with(1);
    assert_eq!(events.only("run_started")["settings"]["unattended"], true);
    assert_eq!(events.only("human_answered")["answer"]["choice"]["by_default"], true);
    let decided: Vec<&Value> = events
        .all("decision_made")
        .into_iter()
        .filter(|event| event["entry"]["operation"] == "answer_by_default")
        .collect();
    assert_eq!(decided.len(), 1);
}

#[test]
fn the_flag_says_that_nobody_is_there_whatever_the_configuration_says() {
    let candor = Candor::with_config("[limits]\nunattended = false\n");
    let (_, events) = candor.events(&["run", PARIS]);
    assert_eq!(events.only("run_started")["settings"]["unattended"], Value::Null, "left out when false");
    let (_, events) = candor.events(&["run", PARIS, "--unattended"]);
    assert_eq!(events.only("run_started")["settings"]["unattended"], true);
}

#[test]
fn contradictory_instructions_are_noticed_told_and_asked_about() {
    // spec: orchestrator AC-05 AC-06 PE-01
    let candor = Candor::with_config(GENERAL);
    let request = "Write the text about Berlin in Spanish, only English";
    let (said, events) = candor.events(&["run", request, "--run-id", "run_1"]);
    said.ended_with(3).tells(&["contradicts itself", "Spanish", "English", "candor answer run_1 clarify"]);
    let choice = &events.only("human_asked")["question"]["choice"];
    assert_eq!((&choice["about"], &choice["default"]), (&json!("clarification"), &Value::Null));
    let warned =
        events.all("broadcast").into_iter().find(|event| event["message"]["messageType"] == "warning");
    assert_eq!(warned.unwrap()["message"]["priority"], "critical");
    assert!(events.all("task_dispatched").is_empty());
    candor.run(["answer", "run_1", "clarify"]).refused(&["words of your own"]);
    let (said, events) = candor.events(&["answer", "run_1", "clarify", "--text", "English it is", "--yes"]);
    said.ended_with(3);
    let changed = &events.only("prompt_changed")["change"];
    assert_eq!(changed["source"], "clarified");
    assert!(changed["text"].as_str().unwrap().ends_with("Clarification: English it is"));
    let prompts = status(&candor, "run_1")["prompts"].as_array().unwrap().len();
    assert_eq!(prompts, 2, "both wordings are kept");
}

#[test]
fn what_was_told_is_shared_and_counted() {
    // spec: orchestrator HO-08 HO-11 AC-12 SS-04
    let candor = finished();
    let status = status(&candor, "run_1");
    let (_, events) = candor.events(&["watch", "run_1"]);
    let shared = &status["shared"];
    assert_eq!(shared["handoffs"], 8);
    let told = shared["broadcasts"].as_array().unwrap();
    assert_eq!(told.len(), events.all("broadcast").len());
    let speakers: Vec<&str> = told.iter().filter_map(|message| message["fromAgent"].as_str()).collect();
    for agent in ["keyword-detector", "task-lister-agent", "task-decomposer-agent", "plan-iterator-agent"] {
        assert!(speakers.contains(&agent), "{agent} in {speakers:?}");
    }
}
