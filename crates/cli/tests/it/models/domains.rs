//! Twelve goals in six domains that no pack knows, through the real command with a scripted model: the plan and its
//! order, who got which task, what stood in each prompt and in each agent's order.

use std::collections::BTreeMap;

use candor_testkit::model_server::{Reply, SeenRequest};
use serde_json::{Value, json};

use crate::models::scene::{EASY, Scene, step_of, tiers};
use crate::support::Events;

/// A task as the model answers it: what is to be done, the tasks before it, its output, and who should get it.
type Task = (&'static str, &'static [usize], &'static str, &'static str);

struct Case {
    domain: &'static str,
    request: &'static str,
    /// A file that the request names, with a word that must reach prompts and orders.
    file: Option<(&'static str, &'static str)>,
    /// Names and specializations.
    agents: &'static [(&'static str, &'static str)],
    tasks: &'static [Task],
    /// What the model says must hold of the result.
    criterion: &'static str,
    /// What the phases before ask of decomposition, beside the agents.
    handed: &'static [&'static str],
}

const BOTANY: &[(&str, &str)] = &[
    ("herbarium", "Reads the collection of dried plants and lists its specimens"),
    ("statistician", "Computes averages, variances and tables of measurements"),
    ("editor", "Writes reports and letters about results"),
];
const KITCHEN: &[(&str, &str)] = &[
    ("stocktaker", "Counts what is in the pantry and in the cold store"),
    ("cook", "Composes menus and recipes from ingredients"),
    ("buyer", "Writes shopping lists and orders for suppliers"),
];
const ARCHIVE: &[(&str, &str)] = &[
    ("transcriber", "Transcribes handwritten letters into text"),
    ("translator", "Translates texts between languages"),
    ("indexer", "Builds an index of persons and places"),
];
const PAYROLL: &[(&str, &str)] = &[
    ("timekeeper", "Reads timesheets and adds up the hours of each person"),
    ("accountant", "Computes wages, deductions and taxes"),
    ("auditor", "Compares figures with the rules and reports deviations"),
];
const SOFTWARE: &[(&str, &str)] = &[
    ("coder", "Changes source code and fixes defects"),
    ("tester", "Runs test suites and reports failures"),
    ("releaser", "Writes release notes and changelogs"),
];
const ORQUESTA: &[(&str, &str)] = &[
    ("bibliotecario", "Busca partituras y copia partes de orquesta"),
    ("planificador", "Reparte los ensayos en un calendario"),
    ("redactor", "Escribe programas de mano y avisos"),
];

const CASES: &[Case] = &[
    Case {
        domain: "botany",
        request: "List the ferns in specimens.csv, compute the average frond length per species and write a report. \
                  Do not mention the collectors.",
        file: Some(("specimens.csv", "MARK-ASPLENIUM,31\n")),
        agents: BOTANY,
        tasks: &[
            ("List the fern specimens of specimens.csv", &[], "specimens", "herbarium"),
            ("Compute the average frond length per species", &[0], "averages", "statistician"),
            ("Write a report about the results", &[1], "report", "editor"),
        ],
        criterion: "The report names every species",
        handed: &["Focus on: ", "ferns", "Avoid: ", "collectors"],
    },
    Case {
        domain: "botany",
        request: "Compare the variance of leaf widths in 2019 and 2020, and write a letter to the garden about it.",
        file: None,
        agents: BOTANY,
        tasks: &[
            ("Compute the variance of the leaf widths of 2019", &[], "variance_2019", "statistician"),
            ("Compute the variance of the leaf widths of 2020", &[], "variance_2020", "statistician"),
            ("Write a letter about both variances", &[0, 1], "letter", "editor"),
        ],
        criterion: "The letter compares both years",
        handed: &["leaf"],
    },
    Case {
        domain: "kitchen",
        request: "Count what is in the pantry, compose a menu for forty guests from it and write a shopping list. \
                  The menu must include a soup.",
        file: None,
        agents: KITCHEN,
        tasks: &[
            ("Count what is in the pantry", &[], "stock", "stocktaker"),
            ("Compose a menu with a soup for forty guests", &[0], "menu", "cook"),
            ("Write a shopping list of what the pantry lacks", &[0, 1], "shopping_list", "buyer"),
        ],
        criterion: "The menu has a soup",
        handed: &["Must include: ", "soup"],
    },
    Case {
        domain: "kitchen",
        request: "Write an order for the suppliers in suppliers.txt, at most 300 EUR.",
        file: Some(("suppliers.txt", "MARK-GREENGROCER: closed on Mondays\n")),
        agents: KITCHEN,
        tasks: &[("Write an order for the suppliers of suppliers.txt", &[], "order_text", "buyer")],
        criterion: "The order costs at most 300 EUR",
        handed: &["suppliers"],
    },
    Case {
        domain: "archive",
        request: "Transcribe the letters of 1848, translate them into French and build an index of the persons.",
        file: None,
        agents: ARCHIVE,
        tasks: &[
            ("Transcribe the handwritten letters of 1848", &[], "transcripts", "transcriber"),
            ("Translate the transcripts into French", &[0], "translation", "translator"),
            ("Build an index of the persons in the transcripts", &[0], "person_index", "indexer"),
        ],
        criterion: "The index names every person",
        handed: &["letters"],
    },
    Case {
        domain: "archive",
        request: "Build an index of the places in diary.txt. Do not translate anything.",
        file: Some(("diary.txt", "MARK-TRIESTE, the third of March\n")),
        agents: ARCHIVE,
        tasks: &[("Build an index of the places in diary.txt", &[], "place_index", "indexer")],
        criterion: "The index names every place",
        handed: &["Avoid: ", "translate"],
    },
    Case {
        domain: "payroll",
        request: "Add up the hours in timesheet.csv, compute the wages and report every deviation from the tariff.",
        file: Some(("timesheet.csv", "MARK-NIGHTSHIFT,7.5\n")),
        agents: PAYROLL,
        tasks: &[
            ("Read timesheet.csv and add up the hours of each person", &[], "hours", "timekeeper"),
            ("Compute the wages and deductions", &[0], "wages", "accountant"),
            (
                "Compare the wages with the tariff's rules and report deviations",
                &[1],
                "deviations",
                "auditor",
            ),
        ],
        criterion: "Every deviation has an amount",
        handed: &["wages"],
    },
    Case {
        domain: "payroll",
        request: "Compute the taxes on the bonuses of December.",
        file: None,
        agents: PAYROLL,
        tasks: &[("Compute the taxes on the bonuses of December", &[], "taxes", "accountant")],
        criterion: "Each bonus has its tax",
        handed: &["taxes"],
    },
    Case {
        domain: "software",
        request: "Fix the defect described in bug.md, run the tests and write release notes.",
        file: Some(("bug.md", "MARK-OVERFLOW in the parser\n")),
        agents: SOFTWARE,
        tasks: &[
            ("Change the source code so that the defect of bug.md is fixed", &[], "patch", "coder"),
            ("Run the test suite and report failures", &[0], "test_report", "tester"),
            ("Write release notes for the fix", &[0, 1], "release_notes", "releaser"),
        ],
        criterion: "The notes name the defect",
        handed: &["defect"],
    },
    Case {
        domain: "software",
        request: "Write the changelog of version 2.4.1. Never name customers.",
        file: None,
        agents: SOFTWARE,
        tasks: &[("Write the changelog of version 2.4.1", &[], "changelog", "releaser")],
        criterion: "The changelog names the version",
        handed: &["Avoid: ", "customers"],
    },
    Case {
        domain: "orquesta",
        request: "Busca las partituras del concierto, reparte los ensayos de la semana y escribe el programa de mano.",
        file: None,
        agents: ORQUESTA,
        tasks: &[
            ("Busca las partituras del concierto", &[], "partituras", "bibliotecario"),
            ("Reparte los ensayos de la semana en un calendario", &[0], "calendario", "planificador"),
            ("Escribe el programa de mano", &[0], "programa", "redactor"),
        ],
        criterion: "El programa nombra cada obra",
        handed: &["partituras"],
    },
    Case {
        domain: "orquesta",
        request: "Escribe un aviso para los vecinos sobre los ensayos de horario.txt.",
        file: Some(("horario.txt", "MARK-MIERCOLES a las nueve\n")),
        agents: ORQUESTA,
        tasks: &[("Escribe un aviso sobre los ensayos de horario.txt", &[], "aviso", "redactor")],
        criterion: "El aviso dice la hora",
        handed: &["ensayos"],
    },
];

/// Keeps its order for the test to read, and puts out what is expected of it.
const WORKER: &str = "import json, pathlib, sys\n\
    order = json.load(sys.stdin)\n\
    pathlib.Path('orders').mkdir(exist_ok=True)\n\
    pathlib.Path('orders', order['task_id'] + '.json').write_text(json.dumps(order))\n\
    print(json.dumps({'outputs': {name: 'RESULT-' + name + ' by ' + sys.argv[1] + ': ' + order['description'] \
    for name in order['expected_outputs']}}))\n";

const INSTRUCTIONS: &str = "MARK-HOUSE-RULES: metric units only.";

impl Case {
    fn scene(&'static self) -> Scene {
        let agents: String = self.agents.iter().map(|(name, knows)| agent(name, knows)).collect();
        let scene =
            Scene::configured(|url| format!("{EASY}[planning]\nmin_agents = 1\n{}{agents}", tiers(url, "")));
        scene.candor.write("worker.py", WORKER);
        scene.candor.write("AGENTS.md", INSTRUCTIONS);
        if let Some((name, text)) = self.file {
            scene.candor.write(name, text);
        }
        scene.server.route(|seen| self.answer(seen));
        scene
    }

    fn answer(&self, seen: &SeenRequest) -> Reply {
        let task = |(description, needs, output, _): &Task| json!({ "description": description, "dependencies": needs, "expected_outputs": [output] });
        match step_of(seen) {
            "parse_goal" => Reply::json(json!({
                "goal_type": "generic", "success_criteria": [self.criterion] })),
            "decompose_task" => {
                Reply::json(json!({ "tasks": self.tasks.iter().map(task).collect::<Vec<_>>() }))
            }
            "plan" => Reply::json(json!({ "strategy": "hybrid", "confidence": 0.9, "risks": [],
                "alternatives": [
                    { "name": "less", "description": "Do less.", "trade_off": "Sooner." },
                    { "name": "later", "description": "Do it later.", "trade_off": "Calmer." },
                ] })),
            "judge_result" => {
                let quote = format!("RESULT-{}", self.tasks.last().unwrap().2);
                Reply::json(json!({ "judgements": [
                    { "criterion": self.number(seen), "holds": true, "quote": quote, "reason": "it is there" }] }))
            }
            _ => Reply::text("no"),
        }
    }

    fn check(&'static self) {
        let scene = self.scene();
        let args = ["run", self.request, "--json", "--yes", "--allow", "message", "--allow", "deploy"];
        let events = Events(scene.run(&args).ended_with(0).lines());
        self.check_plan(&events);
        self.check_order(&events);
        self.check_orders_of_agents(&scene);
        self.check_prompts(&scene);
        let judged = events.only("outcome_recorded")["assessment"]["criteria"].as_array().unwrap();
        let own =
            judged.iter().find(|it| it["criterion"].as_str().unwrap().contains(self.criterion)).unwrap();
        assert_eq!((&own["result"], &own["source"]), (&json!("holds"), &json!("model")), "{}", self.request);
    }

    /// The number under which the model is asked for this case's own criterion.
    fn number(&self, seen: &SeenRequest) -> usize {
        let messages = seen.messages();
        let mut lines = messages.iter().flat_map(|(_, words)| words.lines());
        let line = lines.find(|line| line.contains(self.criterion)).unwrap_or_default();
        line.split(|letter: char| !letter.is_ascii_digit()).find_map(|word| word.parse().ok()).unwrap_or(1)
    }

    fn check_plan(&self, events: &Events) {
        let plan = events.only("plan_proposed")["plan"]["subtasks"].as_array().unwrap();
        let name = |index: usize| format!("task_{:03}", index + 1);
        assert_eq!(plan.len(), self.tasks.len(), "{}: {plan:?}", self.request);
        for (task, (description, needs, _, agent)) in plan.iter().zip(self.tasks) {
            let needs: Vec<String> = needs.iter().map(|index| name(*index)).collect();
            assert_eq!(task["description"], *description, "{}", self.domain);
            assert_eq!(task["dependencies"], json!(needs), "{description}");
            assert_eq!(task["agent_type"], *agent, "{description}");
        }
    }

    /// Nothing starts before what it needs has succeeded.
    fn check_order(&self, events: &Events) {
        for (index, (_, needs, ..)) in self.tasks.iter().enumerate() {
            let at = |kind: &str, index: usize| {
                let id = format!("task_{:03}", index + 1);
                events.position(|event| event["event"] == kind && event.to_string().contains(&id))
            };
            let started = at("task_dispatched", index);
            assert!(needs.iter().all(|need| at("task_succeeded", *need) < started), "{}", self.request);
        }
    }

    fn check_orders_of_agents(&self, scene: &Scene) {
        for (index, (description, needs, output, agent)) in self.tasks.iter().enumerate() {
            let path = scene.candor.path(&format!("orders/task_{:03}.json", index + 1));
            let order: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            assert_eq!(order["description"], *description);
            assert_eq!(order["expected_outputs"], json!([output]));
            let given: BTreeMap<String, Value> = serde_json::from_value(order["upstream"].clone()).unwrap();
            let wanted: Vec<String> = needs.iter().map(|need| self.result(*need)).collect();
            let texts: Vec<&str> =
                given.values().filter_map(|it| it.as_object()?.values().next()?.as_str()).collect();
            assert_eq!(texts, wanted, "{agent} gets what it needs, and no more");
            for marker in self.markers() {
                assert!(order["context"].to_string().contains(marker), "{description}: {marker}");
            }
        }
    }

    fn result(&self, index: usize) -> String {
        let (description, _, output, agent) = self.tasks[index];
        format!("RESULT-{output} by {agent}: {description}")
    }

    fn markers(&self) -> impl Iterator<Item = &str> {
        let of_file = self.file.and_then(|(_, text)| text.split([',', ':', ' ']).next());
        ["MARK-HOUSE-RULES"].into_iter().chain(of_file)
    }

    fn check_prompts(&self, scene: &Scene) {
        // A plan that the critique sends back is asked for again; the last one holds.
        let only = |step: &str| {
            let asked = scene.asked(step);
            asked.last().unwrap_or_else(|| panic!("no {step} for {}", self.request)).clone()
        };
        assert!(only("parse_goal").says(self.request));
        let (split, plan, judge) = (only("decompose_task"), only("plan"), only("judge_result"));
        assert!(split.says(self.request) && judge.says(self.request) && judge.says(self.criterion));
        for prompt in [&split, &plan, &judge] {
            for marker in self.markers() {
                assert!(prompt.says(marker), "{}: no {marker} for {}", self.request, step_of(prompt));
            }
        }
        for (name, _) in self.agents {
            let chosen = self.tasks.iter().any(|(.., agent)| agent == name);
            assert!(split.says(name) && (plan.says(name) || !chosen), "{name}");
        }
        let messages = split.messages();
        let (_, question) = messages.last().unwrap();
        let (_, handed) = question.split_once("What the phases before ask of you:").unwrap();
        for part in self.handed {
            assert!(handed.contains(part), "{}: no {part} in {handed}", self.request);
        }
        for (index, (description, ..)) in self.tasks.iter().enumerate() {
            assert!(plan.says(description), "{description}");
            assert!(judge.says(&self.result(index)), "{description}");
        }
    }
}

fn agent(name: &str, knows: &str) -> String {
    let capability = knows.split(' ').take(2).collect::<Vec<_>>().join("_").to_lowercase();
    format!(
        "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"{knows}\"\ncapabilities = [\"{capability}\"]\n\
         command = [\"python3\", \"worker.py\", \"{name}\"]\n"
    )
}

#[test]
fn twelve_goals_in_six_domains_are_planned_ordered_given_out_and_told_in_every_prompt() {
    let domains: std::collections::BTreeSet<&str> = CASES.iter().map(|case| case.domain).collect();
    assert_eq!((CASES.len(), domains.len()), (12, 6));
    let failed = |case: &&&'static Case| std::panic::catch_unwind(|| case.check()).is_err();
    let failed: Vec<&str> =
        CASES.iter().collect::<Vec<_>>().iter().filter(failed).map(|case| case.request).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

const ELECTION: &str = "Prepare the count of the by-election: recruit 24 counters, train them, test the tabulators, and publish the \
    results unless a recount is requested.";

/// A model that lists two large tasks, splits only the first, and knows two other ways.
fn election(seen: &SeenRequest) -> Reply {
    let schema = seen.body.pointer("/response_format/json_schema/name").and_then(Value::as_str);
    let listed =
        |id: &str, name: &str| json!({ "id": id, "name": name, "type": "docs", "description": name });
    match step_of(seen) {
        "parse_goal" => Reply::json(json!({ "goal_type": "generic" })),
        "decompose_task" => {
            Reply::json(json!({ "tasks": [{ "description": "Train the counters", "parent": "T1",
            "files": [], "tools": ["read"], "validation": "outputs not empty", "expected_outputs": ["trained"] }] }))
        }
        "plan" => {
            Reply::json(json!({ "strategy": "hybrid", "confidence": 0.8, "risks": [], "alternatives": [
            { "name": "by hand", "description": "Count by hand in two shifts.", "trade_off": "Slower, nothing to test." },
            { "name": "borrow", "description": "Borrow tabulators.", "trade_off": "Cheaper, later." },
        ] }))
        }
        _ if schema == Some("list_tasks") || seen.says("highLevelTasks") => Reply::json(json!({
            "objective": "The count is prepared", "estimatedComplexity": 70,
            "highLevelTasks": [listed("T1", "Train the counters"), listed("T2", "Insure the ballot boxes")] })),
        _ => Reply::text("no"),
    }
}

fn election_office() -> Scene {
    let agents = agent("trainer", "Trains counters and officers") + &agent("printer", "Prints ballots");
    let limits = "approval = \"always\"\nunattended = false\n";
    let scene = Scene::configured(|url| {
        format!(
            "{}[planning]\nmin_agents = 1\n{}{agents}",
            EASY.replace("[limits]\n", &format!("[limits]\n{limits}")),
            tiers(url, "")
        )
    });
    scene.candor.write("worker.py", WORKER);
    scene.server.route(election);
    scene
}

#[test]
fn the_alternatives_of_a_model_are_offered_to_whoever_approves() {
    // spec: findings GL-13
    let scene = election_office();
    let said = scene.run(&["run", ELECTION, "--run-id", "run_1", "--plain"]).ended_with(3);
    let shown = said.stdout + &said.stderr;
    assert!(shown.contains("by hand") && shown.contains("Slower, nothing to test"), "{shown}");
    let status = scene.run(&["status", "run_1", "--json"]).json();
    let request = &status["open_questions"][0]["question"]["approval"]["request"];
    let ways = request.to_string();
    assert!(ways.contains("Count by hand in two shifts.") && ways.contains("Borrow tabulators."), "{ways}");
}

#[test]
fn what_was_to_be_included_and_is_in_no_task_is_a_gap_that_is_told() {
    // spec: orchestrator HO-05
    let scene = election_office();
    let events = Events(scene.run(&["run", ELECTION, "--json", "--run-id", "run_1"]).ended_with(3).lines());
    let of = |phase: &str| {
        events.all("phase_completed").into_iter().find(|event| event["phase"] == phase).unwrap()["handoff"]
            .clone()
    };
    let wanted = of("decomposition")["nextPhaseInstructions"]["mustInclude"].to_string();
    assert!(wanted.contains("Insure the ballot boxes"), "{}", of("decomposition"));
    let gaps = of("planning")["data"]["gaps"].to_string();
    assert!(gaps.contains("`Insure the ballot boxes` was asked for and is in no task"), "{gaps}");
    assert!(!gaps.contains("Train the counters"), "{gaps}");
    let status = scene.run(&["status", "run_1", "--json"]).stdout;
    assert!(status.contains("Insure the ballot boxes"), "{status}");
}
