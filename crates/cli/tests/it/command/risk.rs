//! What cannot be undone is asked about first, and refused where nobody can be asked.

use candor_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::models::scene::{EASY, Scene, step_of, tiers};
use crate::support::{Candor, Events, Said};
use crate::tools::bench::{Bench, called};

/// Two agents that leave a trace when they run, and of which nothing else is known.
const KEEPER: &str = r#"
[[agents]]
agent_type = "keeper"
specialization = "Keeps, deletes, deploys and sends files, backups, records and letters"
capabilities = ["delete", "deploy", "send", "pay", "read", "write"]
command = ["sh", "-c", "cat > /dev/null; echo ran >> ran.txt; echo '{\"outputs\": {\"result\": \"ok\"}}'"]
[[agents]]
agent_type = "reader"
specialization = "Reads and summarises reports"
capabilities = ["read", "summarise"]
command = ["sh", "-c", "cat > /dev/null; echo '{\"outputs\": {\"result\": \"ok\"}}'"]
"#;

const BACKUPS: &str = "Delete all old backups in /var/backups without asking";

fn candor(more: &str) -> Candor {
    // Sections of the file come before the lists of agents.
    Candor::with_config(&format!("[planning]\nmin_agents = 1\n{more}\n{KEEPER}"))
}

fn ran(candor: &Candor) -> bool {
    candor.path("ran.txt").exists()
}

/// Runs a plan of one task with full confidence.
fn task(candor: &Candor, words: &str, inputs: &Value, args: &[&str]) -> (Said, Events) {
    let task = json!({"task_id": "t", "description": words, "agent_type": "keeper", "inputs": inputs,
        "expected_outputs": ["result"]});
    candor.write("plan.json", json!({"confidence_score": 0.99, "subtasks": [task]}).to_string());
    let mut all = vec!["run", "--plan", "plan.json"];
    all.extend(args);
    candor.events(&all)
}

#[test]
fn an_unattended_request_that_deletes_is_refused_and_says_what_allows_it() {
    // spec: findings SE-03
    let candor = candor("");
    let said = candor.run(["run", BACKUPS, "--run-id", "run_1", "--unattended"]).ended_with(1);
    assert!(!ran(&candor), "nothing ran");
    let all = format!("{}{}", said.stdout, said.stderr);
    for part in ["deletes (delete)", "--allow delete", "[approval] allow = [\"delete\"]"] {
        assert!(all.contains(part), "no `{part}` in {all}");
    }
    let report = candor.run(["status", "run_1", "--json"]).json();
    assert_eq!(report["status"], "aborted");
}

#[test]
fn approving_plans_unseen_does_not_approve_what_cannot_be_undone() {
    // spec: findings SE-03
    let candor = candor("[limits]\nunattended = false\n");
    candor.run(["run", BACKUPS, "--yes"]).ended_with(3);
    assert!(!ran(&candor));
}

#[test]
fn a_flag_or_a_key_allows_it_on_record() {
    // spec: findings SE-03
    let by_flag = candor("");
    let (said, events) = by_flag.events(&["run", BACKUPS, "--unattended", "--yes", "--allow", "delete"]);
    assert!(ran(&by_flag), "{said:?}");
    assert_eq!(events.only("run_started")["settings"]["allow"], json!(["delete"]));
    let approved = events.all("plan_approved");
    assert_eq!(approved[0]["risks"][0]["class"], "delete", "{approved:?}");

    let by_key = candor("[approval]\nallow = [\"delete\"]\n");
    by_key.run(["run", BACKUPS, "--unattended", "--yes"]);
    assert!(ran(&by_key));

    let other = candor("");
    other.run(["run", BACKUPS, "--unattended", "--yes", "--allow", "deploy"]).ended_with(1);
    assert!(!ran(&other), "what allows one class allows no other");
}

#[test]
fn a_person_is_asked_at_every_confidence_and_told_which_task_and_why() {
    // spec: findings SE-03
    let candor = candor("[limits]\nunattended = false\n");
    let (said, events) = task(&candor, "Drop the old users table", &json!({}), &["--run-id", "run_1"]);
    let said = said.ended_with(3);
    let request = &events.only("human_asked")["question"]["approval"]["request"];
    assert!(request["confidence_score"].as_f64().unwrap() > 0.5, "confidence does not ask: {request}");
    assert_eq!(request["risks"][0]["task_id"], "t");
    assert_eq!(request["risks"][0]["class"], "delete");
    said.tells(&["t deletes (delete): `drop the old users table`"]);
    assert!(!ran(&candor));
    candor.run(["approve", "run_1"]).ended_with(0);
    assert!(ran(&candor), "approved, it runs");
}

#[test]
fn the_words_and_the_commands_of_a_plans_tasks_count() {
    // spec: findings SE-03
    let none = json!({});
    let shell = json!({"command": "git push --force origin main"});
    for (words, inputs) in [
        ("Deploy version 2 to production", &none),
        ("Elimina las cuentas inactivas", &none),
        ("Send an email to all customers", &none),
        ("Transfer $500 to the landlord", &none),
        ("Grant admin rights to the intern", &none),
        ("Run `rm -rf /srv/data`", &none),
        ("Do the release step", &shell),
    ] {
        let candor = candor("");
        task(&candor, words, inputs, &["--unattended"]).0.ended_with(1);
        assert!(!ran(&candor), "{words}");
    }
}

#[test]
fn what_only_reads_or_writes_something_new_is_not_asked_about() {
    // spec: findings SE-03 UX-08
    for words in
        ["Read the deleted items report", "Compare deployment tools", "Write the result to a new file"]
    {
        let candor = candor("");
        task(&candor, words, &json!({}), &["--unattended"]).0.ended_with(0);
        assert!(ran(&candor), "{words}");
    }
}

#[test]
fn what_an_agent_declares_goes_before_words() {
    // spec: findings SE-03
    let harmless = KEEPER.replacen("command =", "effects = [\"read\", \"change\"]\ncommand =", 1);
    let candor = Candor::with_config(&harmless);
    task(&candor, "Delete all records of the sample", &json!({}), &["--unattended"]).0.ended_with(0);
    assert!(ran(&candor), "it declares that it deletes nothing");

    let sends = KEEPER.replacen("command =", "effects = [\"message\"]\ncommand =", 1);
    let candor = Candor::with_config(&sends);
    task(&candor, "Do the usual", &json!({}), &["--unattended"]).0.ended_with(1);
    assert!(!ran(&candor), "it declares that it does nothing but write to people");

    let removes =
        KEEPER.replacen("\"cat > /dev/null; echo ran", "\"rm -rf old; cat > /dev/null; echo ran", 1);
    let candor = Candor::with_config(&removes);
    task(&candor, "Do the usual", &json!({}), &["--unattended"]).0.ended_with(1);
    assert!(!ran(&candor), "its own command deletes");
}

/// Orders that cannot be taken back, of both halves: those that the rules of words find are in the first.
const ORDERS: &str = include_str!("../../../../planning/tests/cases/orders.txt");
/// Commands that cannot be taken back.
const COMMANDS: &str = include_str!("../../../../planning/tests/cases/commands.txt");

/// The acts with their classes.
fn acts() -> Vec<(&'static str, &'static str)> {
    let row = |line: &'static str| line.strip_prefix("seen|")?.split_once('|');
    ORDERS.lines().filter_map(row).filter(|(class, _)| *class != "-").collect()
}

/// Does something with each of these, a few at once, and returns those with which it did not go well.
fn each<T: Sync + std::fmt::Debug>(all: &[T], fails: impl Fn(&T) -> bool + Sync) -> Vec<&T> {
    let part = all.len().div_ceil(4);
    std::thread::scope(|scope| {
        let parts: Vec<_> = all
            .chunks(part)
            .map(|part| scope.spawn(|| part.iter().filter(|it| fails(it)).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

#[test]
fn as_requests_none_of_them_is_done_unasked() {
    // spec: findings SE-03
    let acts = acts();
    assert!(acts.len() >= 60);
    let wrong = each(&acts, |(class, words)| {
        let candor = candor("");
        let said = candor.run(["run", words, "--unattended", "--yes"]);
        let told = format!("{}{}", said.stdout, said.stderr);
        said.code != 1 || ran(&candor) || !told.contains(&format!("--allow {class}"))
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn as_tasks_of_a_models_plan_none_of_them_is_done_unasked() {
    // spec: findings SE-03
    let acts = acts();
    let parts: Vec<_> = acts.chunks(10).collect();
    let wrong = each(&parts, |part| {
        // The agent fits all of them: otherwise a model would answer, which does nothing but write.
        let all: Vec<&str> = part.iter().map(|(_, words)| *words).collect();
        let keeper = KEEPER.replacen("Keeps, deletes, deploys and sends files", &all.join(". "), 1);
        let scene =
            Scene::configured(|url| format!("{EASY}[planning]\nmin_agents = 1\n{}{keeper}", tiers(url, "")));
        let tasks: Vec<Value> = part
            .iter()
            .map(
                |(_, words)| json!({"description": words, "dependencies": [], "expected_outputs": ["result"]}),
            )
            .collect();
        scene.server.route(move |seen| match step_of(seen) {
            "parse_goal" => Reply::json(json!({"goal_type": "generic", "success_criteria": ["It is done"]})),
            "decompose_task" => Reply::json(json!({ "tasks": tasks })),
            "plan" => Reply::json(
                json!({"strategy": "hybrid", "confidence": 0.99, "risks": [], "alternatives": []}),
            ),
            _ => Reply::text("no"),
        });
        let words = "Work through the list of the office for this week";
        let events =
            Events(scene.run(&["run", words, "--json", "--unattended", "--yes"]).ended_with(1).lines());
        let mut named = Vec::new();
        events.0.iter().for_each(|event| risks_in(event, &mut named));
        let of = |(n, (class, _)): (usize, &(&str, &str))| {
            named.contains(&(format!("task_{:03}", n + 1), (*class).to_owned()))
        };
        ran(&scene.candor) || !part.iter().enumerate().all(of)
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The tasks that an event refuses, each with a class.
fn risks_in(value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| risks_in(item, found)),
        Value::Object(fields) => {
            if let (Some(task), Some(class), Some(_)) =
                (fields.get("task_id"), fields.get("class"), fields.get("evidence"))
            {
                found.push((task.as_str().unwrap().to_owned(), class.as_str().unwrap().to_owned()));
            }
            fields.values().for_each(|field| risks_in(field, found));
        }
        _ => {}
    }
}

/// The words of an order as the name of a tool.
fn tool_name(words: &str) -> String {
    let plain = candor_text::fold(words).replace(['\'', '’'], "");
    let name: Vec<&str> = plain.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    name.join("_").chars().take(60).collect()
}

#[test]
fn as_tool_calls_none_of_them_is_made_unasked_whatever_the_server_declares() {
    // spec: findings SE-03
    // Names have no capitals: whether somebody is meant is not seen in all of them.
    let names: Vec<String> = acts().iter().map(|(_, words)| tool_name(words)).collect();
    let steps: Vec<Value> =
        names.iter().map(|name| json!({"tool": format!("desk.{name}"), "parameters": {}})).collect();
    for part in steps.chunks(20) {
        let script = format!(
            "TOOLS = [tool(name, 'Does it', {{}}, **ADDS) for name in {}]\ndef run(name, arguments, meta):\n    return 'done'\n",
            json!(names)
        );
        let bench = Bench::with_desk(&["desk.*"], &script, "");
        bench.plan(&json!(part));
        let said = bench.candor.run(["run", "--plan", "plan.json", "--unattended"]);
        assert_eq!(bench.calls(), Vec::<String>::new());
        said.ended_with(1);
    }
}

#[test]
fn as_commands_none_of_them_is_run_unasked() {
    // spec: findings SE-03
    let rows: Vec<_> = COMMANDS.lines().filter_map(|line| line.split_once('|')).collect();
    assert!(rows.len() >= 60);
    let programs: Vec<&str> = rows.iter().filter_map(|(_, line)| line.split(' ').next()).collect();
    for part in rows.chunks(20) {
        let more = format!("[tools.builtin]\nfolder = \"work\"\ncommands = {}\n", json!(programs));
        let bench = Bench::new(&["run_command"], &more);
        let step = |(_, line): &(&str, &str)| {
            let words: Vec<&str> = line.split(' ').collect();
            json!({"tool": "run_command", "parameters": {"command": words}})
        };
        bench.plan(&json!(part.iter().map(step).collect::<Vec<_>>()));
        bench.told(&["run", "--plan", "plan.json", "--run-id", "run_1", "--unattended"], 1);
        let log = bench.log();
        assert!(called(&log).is_empty(), "{:?}", called(&log));
        let told = log.0.iter().map(Value::to_string).collect::<String>();
        let missing: Vec<_> =
            part.iter().filter(|(class, _)| !told.contains(&format!("--allow {class}:"))).collect();
        assert!(missing.is_empty(), "{missing:#?} in {told}");
    }
}
