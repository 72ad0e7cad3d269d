//! Records that must act: each is followed from what sets it to what a person sees.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Candor, Events, GENERAL};
use crate::tools::bench::Bench;

/// An agent that does as a program in Python says; the order is in `order`.
fn agent(name: &str, program: &str, more: &str) -> String {
    format!(
        "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"Works in the orchard\"\ncapabilities = [\"orchard\"]\n\
         command = [\"python3\", \"-c\", '''\nimport json, sys, os, time\norder = json.load(sys.stdin)\n{program}''']\n{more}"
    )
}

fn plan(candor: &Candor, tasks: &[Value]) {
    candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
}

fn task(number: usize, agent: &str) -> Value {
    json!({ "task_id": format!("task_{number:03}"), "description": format!("Graft row {number}"),
        "agent_type": agent, "expected_outputs": ["grafted"] })
}

const DONE: &str = "print(json.dumps({'outputs': {'grafted': True}}))";

#[test]
fn of_fifteen_tasks_that_are_ready_at_most_ten_run_at_once() {
    // spec: orchestrator SC-14
    let candor = Candor::with_config(&agent("grafter", &format!("time.sleep(0.3)\n{DONE}"), ""));
    plan(&candor, &(1..=15).map(|n| task(n, "grafter")).collect::<Vec<_>>());
    let (said, events) = candor.events(&["run", "--plan", "plan.json"]);
    said.ended_with(0);
    let (mut running, mut most) = (0_i32, 0);
    for event in &events.0 {
        running += match event["event"].as_str() {
            Some("task_dispatched") => 1,
            Some("task_succeeded" | "task_failed") => -1,
            _ => 0,
        };
        most = most.max(running);
    }
    assert_eq!((most, running), (10, 0), "the surplus runs in waves");
}

#[test]
fn what_the_keyword_detector_finds_changes_complexity_and_quality() {
    // spec: orchestrator SX-03, AC-05
    let candor = Candor::with_config(GENERAL);
    let evaluation = |text: &str| handoff(&candor.events(&["run", text]).1, 1)["data"].clone();
    let plain = evaluation("Add i18n to the landing page of the seed museum");
    let odd = evaluation("Add i18n to the landing page of the seed museum, only English");
    let total = |it: &Value| it["complexity"]["total"].as_u64().unwrap();
    assert!(total(&odd) > total(&plain), "{plain} {odd}");
    assert!(odd["complexity"]["parts"].to_string().contains("exclude each other"), "{odd}");
    assert!(odd["promptQuality"]["issues"].to_string().contains("contradiction"), "{odd}");
    assert!(!plain["promptQuality"]["issues"].to_string().contains("contradiction"), "{plain}");
}

#[test]
fn a_run_that_was_taken_for_less_says_so_in_the_figures_of_the_evaluation() {
    // spec: orchestrator PM-02, PM-04
    let fails = "place = os.environ['CANDOR_TASK_ID'] + '.tries'\ntries = len(open(place).read()) if os.path.exists(place) else 0\n\
         open(place, 'a').write('x')\nif tries < 1: sys.exit(75)\n";
    let retry = "retry = { max_retries = 2, backoff_seconds = 0 }\n";
    let candor = Candor::with_config(&agent("grafter", &format!("{fails}{DONE}"), retry));
    plan(&candor, &(1..=14).map(|n| task(n, "grafter")).collect::<Vec<_>>());
    candor.run(["run", "Graft it", "--plan", "plan.json", "--unattended"]).ended_with(0);
    let figures = candor.run(["metrics", "--json"]).ended_with(0).json();
    let reasons = |phase: &str| figures["phaseMetrics"][phase]["failureReasons"].to_string();
    assert!(reasons("1").contains("complexity_underestimate"), "{figures}");
    assert!(!reasons("7").contains("complexity_underestimate"), "{figures}");
    let criteria = &figures["evaluationCriteria"];
    assert!(criteria["1"]["complexity_calibration"].as_f64().unwrap() < 0.8, "{criteria}");
    assert_eq!(criteria["5"]["execution_success"], 1.0);
    assert_eq!(criteria["7"]["pattern_detection_accuracy"], Value::Null, "no data is not 0");
    candor.run(["metrics"]).ended_with(0).shows(&["complexity_underestimate"]);
}

#[test]
fn validation_opens_only_the_results_that_its_short_form_cannot_judge() {
    // spec: orchestrator CX-05
    let rows = "print(json.dumps({'outputs': {'rows': [{'tree': n} for n in range(100)], 'grafted': True}}))";
    let candor = Candor::with_config(&agent("grafter", rows, ""));
    let mut counted = task(2, "grafter");
    counted["metadata"] = json!({ "validation": "count rows >= 100" });
    plan(&candor, &[task(1, "grafter"), counted]);
    let (said, events) = candor.events(&["run", "--plan", "plan.json"]);
    said.ended_with(0);
    assert_eq!(handoff(&events, 6)["data"]["expanded"], json!(["task_002"]));
}

/// What a phase handed over.
fn handoff(events: &Events, phase: u64) -> Value {
    let numbered = |event: &&&Value| event["phase"] == phase || event["handoff"]["fromPhase"] == phase;
    let all = events.all("phase_completed");
    let names = [
        "pre_analysis",
        "evaluation",
        "context",
        "decomposition",
        "planning",
        "execution",
        "validation",
        "consolidation",
    ];
    let name = names[usize::try_from(phase).unwrap()];
    let found = all.iter().find(|event| event["phase"] == name).or_else(|| all.iter().find(numbered));
    found.unwrap_or_else(|| panic!("{all:?}"))["handoff"].clone()
}

#[test]
fn without_models_every_phase_has_its_rules_and_a_template_of_ones_own_is_the_plan() {
    // spec: orchestrator DG-11, DG-14
    let candor = Candor::with_config(&format!(
        "[limits]\napproval_threshold = 0.05\nabort_threshold = 0.01\n[packs]\nfolders = [\"orchard\"]\n{}",
        agent("grafter", "print(json.dumps({'outputs': {'soil': 'loam'}}))", "")
    ));
    fs::create_dir(candor.path("orchard")).unwrap();
    let pack = "name = \"orchard\"\ndescription = \"Orchards\"\ngoal_type = \"orchard\"\nkeywords = [\"orchard\"]\nfixed_plan = true\n\
        [[tasks]]\ncategory = \"soil\"\nname = \"Soil check\"\ndescription = \"Take a core of the soil in every row\"\noutputs = [\"soil\"]\nseconds = 7\n";
    candor.write("orchard/pack.toml", pack);
    let (said, events) = candor.events(&["run", "Make the old orchard bear fruit again", "--yes"]);
    said.ended_with(0);
    assert!(events.only("plan_proposed").to_string().contains("Take a core of the soil in every row"));
    let spoken: Vec<String> =
        events.all("phase_completed").iter().map(|event| event["handoff"]["spoken_by"].to_string()).collect();
    assert_eq!(spoken.len(), 8);
    assert!(spoken.iter().all(|by| by.contains("heuristic")), "{spoken:?}");
}

#[test]
fn a_plan_that_waits_is_shown_with_all_that_a_person_decides_on() {
    // spec: orchestrator IP-04
    let candor =
        Candor::with_config(&format!("[limits]\napproval = \"always\"\nunattended = false\n{GENERAL}"));
    let request = "Collect the figures of the harvest, collect the prices of the market, then write a report and mail it to the co-op. Do not name the pickers.";
    let said = candor.run(["run", request, "--run-id", "run_1"]).ended_with(3);
    let shown = said.stdout + &said.stderr;
    for part in [
        "Plan version 1, strategy ",
        "Agents: ",
        "at once",
        "Task      Action",
        "task_001  Collect the figures of the harvest",
        "task_001, task_002",
        "Risks:",
        "Alternatives:",
        "(recommended)",
        "Why you are asked:",
    ] {
        assert!(shown.contains(part), "no `{part}` in: {shown}");
    }
    let plan = candor.run(["plan", request]);
    plan.shows(&["strategy: ", "tasks, up to ", "must not: name the pickers", "risk: ", "alternative: "]);
}

#[test]
fn a_failure_that_a_person_overturns_counts_as_a_false_alarm_of_validation() {
    // spec: orchestrator PM-04
    let few = "print(json.dumps({'outputs': {'rows': [1], 'grafted': True}}))";
    let config = format!(
        "[limits]\nunattended = false\n[limits.rooms]\nmax_reworks = 0\n{}",
        agent("grafter", few, "")
    );
    let rate = |candor: &Candor| {
        let figures = candor.run(["metrics", "--json"]).ended_with(0).json();
        figures["evaluationCriteria"]["6"]["false_positive_rate"].clone()
    };
    let candor = Candor::with_config(&config);
    assert_eq!(rate(&candor), Value::Null);
    let mut counted = task(1, "grafter");
    counted["metadata"] = json!({ "validation": "count rows >= 100" });
    plan(&candor, &[counted]);
    for (run, answer, expected) in [("run_1", "accept", 1.0), ("run_2", "stop", 0.5)] {
        candor.run(["run", "--plan", "plan.json", "--run-id", run]).ended_with(3);
        candor.run(["answer", run, answer]);
        assert_eq!(rate(&candor), expected, "{answer}");
    }
}

#[test]
fn the_plan_decides_how_many_agents_work_and_says_why() {
    // spec: orchestrator SC-07
    let candor = Candor::with_config(&agent("grafter", DONE, ""));
    let request = "Graft the pears, prune the quinces and then weigh the plums of the orchard";
    let (said, events) = candor.events(&["run", request, "--run-id", "run_1", "--yes"]);
    said.ended_with(0);
    let proposed = handoff(&events, 4)["data"]["scaling"]["agentCount"].as_u64().unwrap();
    let plan = &events.only("plan_proposed")["plan"];
    let tasks = plan["subtasks"].as_array().unwrap().len();
    assert_eq!(tasks, 3, "{plan}");
    assert!((1..=15).contains(&proposed), "{proposed}");
    let explained = candor.run(["explain", "--operation", "scale_agents"]).ended_with(0).stdout;
    assert!(
        explained.contains(&format!("propose {proposed}")) && explained.contains(&format!("{tasks} tasks")),
        "{explained}"
    );
}

#[test]
fn the_eleventh_tool_call_of_a_simple_request_is_told_and_stops_nothing() {
    // spec: orchestrator SC-09
    for (calls, told) in [(10, 0), (11, 1), (13, 1)] {
        let bench = Bench::new(&["list_files"], "[tools.builtin]\nfolder = \"work\"\n");
        let steps: Vec<Value> = (1..=calls)
            .map(|n| json!({ "id": format!("look{n}"), "tool": "list_files", "parameters": {}, "save_as": "result" }))
            .collect();
        bench.plan(&json!(steps));
        let events =
            bench.told(&["run", "Look after the work", "--plan", "plan.json", "--run-id", "run_1"], 0);
        let tripped: Vec<_> = events
            .all("guardrail_tripped")
            .into_iter()
            .filter(|event| event["rule"] == "tool_calls")
            .cloned()
            .collect();
        assert_eq!(tripped.len(), told, "{calls}: {tripped:?}");
        assert!(
            tripped
                .iter()
                .all(|event| event["reason"].as_str().unwrap().contains("11 tool calls; 10 are usual")),
            "{tripped:?}"
        );
    }
}

#[test]
fn an_audit_of_dependencies_fails_validation_where_the_tool_is_there() {
    // spec: orchestrator SX-05
    let audit = "import pathlib, sys\nknown = dict(line.split('==') for line in pathlib.Path('advisories.txt').read_text().split())\n\
        bad = [line for line in pathlib.Path('requirements.txt').read_text().split() if known.get(line.split('==')[0]) == line.split('==')[1]]\n\
        print('\\n'.join('known vulnerability in ' + line for line in bad))\nsys.exit(1 if bad else 0)\n";
    let writer = "open('requirements.txt', 'w').write(open('wanted.txt').read())\n";
    let gate =
        |tool: &str| format!("[[gates]]\nname = \"audit\"\ncheck = \"command: {tool}\"\noptional = true\n");
    let run = |tool: &str, wanted: &str| {
        let candor = Candor::with_config(&format!(
            "{}{}",
            agent("grafter", &format!("{writer}{DONE}"), ""),
            gate(tool)
        ));
        candor.write("audit.py", audit);
        candor.write("advisories.txt", "pearlib==1.0\n");
        candor.write("wanted.txt", wanted);
        plan(&candor, &[task(1, "grafter")]);
        candor.run(["run", "Graft it", "--plan", "plan.json", "--unattended", "--plain", "-v"])
    };
    let said = run("python3 audit.py", "pearlib==1.0\n").ended_with(1);
    assert!(
        said.stdout.contains("gate audit") && said.stdout.contains("known vulnerability in pearlib==1.0"),
        "{}",
        said.stdout
    );
    run("python3 audit.py", "pearlib==1.1\n").ended_with(0);
    let skipped = run("no-such-audit", "pearlib==1.0\n").ended_with(0);
    assert!(skipped.stdout.contains("`no-such-audit` is not installed"), "{}", skipped.stdout);
}
