//! Figures with meaning, reports that can be sent on, and lines that fit, in a domain that no pack knows.

use serde_json::{Value, json};

use crate::support::{Candor, GENERAL, Said};

const LONG: &str = "a fact that is far too long for one line of a terminal, and says so at great length";

/// Two agents in Python: one loads shards of an inventory, the other writes about them.
fn warehouse(loader: &str) -> Candor {
    let candor = Candor::with_config(
        "[[agents]]\nagent_type = \"loader\"\nspecialization = \"Loads inventory shards\"\n\
         command = [\"python3\", \"loader.py\"]\n[[agents]]\nagent_type = \"writer\"\n\
         specialization = \"Writes inventory summaries\"\ncommand = [\"python3\", \"writer.py\"]\n",
    );
    candor.write("loader.py", format!("import json, os, sys\ntask = os.environ['CANDOR_TASK_ID']\n{loader}"));
    let summary = "# Week 46\n\nAll <b>shards</b> are in.\n\n- a: 7 rows\n- b: 12 rows\n";
    let answer = json!({ "outputs": { "summary": summary } }).to_string();
    candor.write("writer.py", format!("print({answer:?})"));
    candor
}

/// The file grows with every run: one that stays as it was would prove nothing.
const LOADS: &str = "os.makedirs('out', exist_ok=True)\nwith open('out/a.csv', 'a') as file:\n    file.write('7\\n')\n\
    print(json.dumps({'outputs': {'shards': [{'name': task, 'rows': 7}], 'file': 'out/a.csv'}}))";

fn run(candor: &Candor, tasks: &[&str], name: &str) -> Said {
    write_plan(candor, tasks);
    candor.run(["run", "--plan", "plan.json", "--run-id", name])
}

/// A plan that loads these shards, and then sums them up.
fn write_plan(candor: &Candor, tasks: &[&str]) {
    let load = |id: &&str| {
        json!({"task_id": id, "description": format!("Load inventory shard {id}"), "agent_type": "loader",
               "expected_outputs": ["shards"]})
    };
    let mut all: Vec<Value> = tasks.iter().map(load).collect();
    all.push(json!({"task_id": "sum", "description": "Write the weekly summary", "agent_type": "writer",
                    "dependencies": tasks, "expected_outputs": ["summary"]}));
    candor.write("plan.json", json!({ "subtasks": all }).to_string());
}

#[test]
fn a_failed_task_is_no_progress_and_progress_never_falls() {
    // spec: findings HE-10
    let candor = warehouse(&format!("if task[0] == 'b':\n    sys.exit('no such shard')\n{LOADS}"));
    write_plan(&candor, &["a", "b"]);
    let (_, events) = candor.events(&["run", "--plan", "plan.json", "--run-id", "run_1"]);
    let read = |event: &&Value| {
        let update = &event["update"];
        let status = update["status"].as_str().unwrap_or_default().to_owned();
        (update["progress_percentage"].as_f64().unwrap(), status)
    };
    let told: Vec<(f64, String)> = events.all("progressed").iter().map(read).collect();
    assert!(told.iter().any(|(_, status)| status == "FAILURE"), "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{told:?}");
    assert!(told.iter().all(|(percent, _)| *percent < 100.0), "{told:?}");
}

#[test]
fn nothing_is_estimated_before_it_was_measured() {
    // spec: findings HE-11 HE-12
    let candor = Candor::with_config(GENERAL);
    let goal = "Collect the figures of March, write a summary of them and send it by mail";
    let planned = candor.run(["plan", goal, "--json"]).ended_with(0).json();
    for key in ["cost", "sum_seconds", "critical_path_seconds"] {
        assert_eq!(planned["estimates"][key], Value::Null, "{key}");
    }
    let text = candor.run(["plan", goal]).ended_with(0).stdout;
    assert!(!text.contains("30 s") && !text.contains("token"), "{text}");
    let said = candor.run(["run", goal, "--yes"]);
    assert!(!said.stdout.contains(" left, from"), "{}", said.stdout);
    assert!(!said.stdout.contains("balanced"), "{}", said.stdout);
}

#[test]
fn what_was_measured_is_told_as_a_range_with_its_runs() {
    // spec: findings HE-11 HE-12
    let candor = warehouse(LOADS);
    for n in 1..=3 {
        let said = run(&candor, &["a"], &format!("run_{n}")).ended_with(0);
        assert!(!said.stdout.contains(" runs"), "{n}: {}", said.stdout);
    }
    let said = run(&candor, &["a"], "run_4").ended_with(0);
    assert!(said.stdout.contains(" s left, from 3 runs"), "{}", said.stdout);
    let plan = &candor.run(["report", "run_4", "--json"]).ended_with(0).json()["plan"];
    assert_eq!(plan["subtasks"][0]["metadata"]["duration_basis"]["measured"]["runs"], 3);
}

#[test]
fn what_such_tasks_cost_before_is_told_as_a_range_with_its_runs() {
    // spec: findings HE-12
    let candor = warehouse(&LOADS.replace(
        "print(json.dumps({",
        "print(json.dumps({'cost': 0.5 if os.path.exists('dear') else 0.25, ",
    ));
    for n in 1..=3 {
        run(&candor, &["a"], &format!("run_{n}")).ended_with(0);
        candor.write("dear", "");
    }
    let told = candor.run(["run", "--plan", "plan.json", "--run-id", "run_4", "-v"]).ended_with(0).stdout;
    assert!(told.contains("$0.25–$0.5, from 3 runs"), "{told}");
}

#[test]
fn a_report_leads_with_the_result_and_then_says_what_is_missing() {
    // spec: findings HE-14
    let candor = warehouse(LOADS);
    run(&candor, &["a"], "run_1").ended_with(0);
    let text = candor.run(["report", "run_1"]).ended_with(0).stdout;
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("no `{part}` in {text}"));
    assert!(place("## Result") < place("- a: 7 rows"));
    assert!(place("- b: 12 rows") < place("## What is missing"));
    assert!(place("## What is missing") < place("## How it came about"));
    assert!(place("## How it came about") < place("mermaid"));
    assert!(text.contains("[out/a.csv](<out/a.csv>)"), "{text}");
    let data = candor.run(["report", "run_1", "--format", "json"]).ended_with(0).json();
    let results: Vec<_> = data["results"].as_array().unwrap().iter().map(|it| &it["is_result"]).collect();
    assert_eq!(results, [&json!(false), &json!(true)]);
}

#[test]
fn the_ending_of_the_file_chooses_the_format_and_html_needs_nothing_else() {
    // spec: findings HE-14
    let candor = warehouse(LOADS);
    run(&candor, &["a"], "run_1").ended_with(0);
    candor.run(["report", "run_1", "-o", "r.html"]).ended_with(0);
    let page = std::fs::read_to_string(candor.path("r.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("@media print") && page.contains("prefers-color-scheme: dark"));
    assert!(page.contains("All &lt;b&gt;shards&lt;/b&gt; are in.") && !page.contains("<b>"));
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("<link"));
    assert!(page.contains("<td>a</td><td class=\"n\">7</td>"), "{page}");
    candor.run(["report", "run_1", "-o", "r.json"]).ended_with(0);
    let data = std::fs::read_to_string(candor.path("r.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&data).unwrap()["run_id"], "run_1");
    candor.run(["report", "run_1", "-o", "r.pdf"]).refused(&[".pdf", ".html", "--format"]);
    candor.run(["report", "run_1", "-o", "r.pdf", "--format", "md"]).ended_with(0);
}

#[test]
fn what_was_not_done_is_missing_from_the_result() {
    // spec: findings HE-14
    let candor = warehouse(&format!("if task[0] != 'a':\n    sys.exit('no such shard')\n{LOADS}"));
    assert_ne!(run(&candor, &["a", "b"], "run_1").code, 0);
    let data = candor.run(["report", "run_1", "--format", "json"]).ended_with(0).json();
    let missing = data["missing"].to_string();
    assert!(missing.contains("no such shard") && missing.contains("Write the weekly summary"), "{missing}");
}

#[test]
fn a_failure_line_has_cause_and_a_command_that_shows_the_output() {
    // spec: findings RC-02
    let fails =
        "print('connecting http timeout=30s', file=sys.stderr)\nraise ValueError(\"no column 'price'\")";
    let candor = warehouse(fails);
    let said = run(&candor, &["a"], "run_1");
    let lines: Vec<&str> = said.stdout.lines().collect();
    let at = lines.iter().position(|line| line.contains("Load inventory shard a failed")).unwrap();
    assert!(lines[at].contains("ValueError: no column 'price'"), "{}", lines[at]);
    let command = lines[at + 1..].iter().map(|line| line.trim()).find(|line| line.starts_with("candor logs"));
    let words: Vec<&str> = command.unwrap().split_whitespace().skip(1).collect();
    let shown = Said::of(candor.command(words).output().unwrap()).ended_with(0);
    shown.shows(&[
        "a attempt 1",
        "loader",
        "failed after",
        "connecting http",
        "ValueError: no column 'price'",
    ]);
    // The link of the notification opens too.
    candor.run(["logs", "run_1", "/logs/a"]).ended_with(0).shows(&["connecting http"]);
    let never = candor.run(["logs", "run_1", "sum"]).ended_with(0);
    never.shows(&["── sum: Write the weekly summary, never started ──", "Dependency a failed"]);
}

#[test]
fn logs_are_cut_for_people_and_obeyed_by_no_terminal() {
    // spec: findings DU-08 SE-06
    let noisy = format!("sys.stderr.write('\\x1b[2J\\u202e' + 'x' * 50_000 + ' end')\n{LOADS}");
    let candor = warehouse(&noisy);
    run(&candor, &["a"], "run_1").ended_with(0);
    let shown = candor.run(["logs", "run_1", "a"]).ended_with(0).stdout;
    assert!(shown.len() < 6_000 && shown.contains("bytes left out; --full shows them"), "{shown}");
    assert!(shown.contains(" end") && !shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    let full = candor.run(["logs", "run_1", "a", "--full"]).ended_with(0).stdout;
    assert!(full.len() > 50_000 && !full.contains('\u{1b}'));
    let data = candor.run(["logs", "run_1", "a", "--json"]).ended_with(0).json();
    assert_eq!((&data["outcome"], &data["agent_type"]), (&json!("succeeded"), &json!("loader")));
    assert_eq!(data["outputs"]["shards"][0]["rows"], 7);
    assert!(data["text"].as_str().unwrap().ends_with("x end"));
}

#[test]
fn a_large_result_is_cut_on_every_view_with_the_number_of_bytes_left_out() {
    // spec: findings DU-08
    let candor = Candor::with_config(
        "[[agents]]\nagent_type = \"big\"\nspecialization = \"Writes much\"\neffects = [\"read\"]\n\
         command = [\"sh\", \"agent.sh\"]\n",
    );
    candor.write(
        "agent.sh",
        "cat > /dev/null; printf '{\"outputs\": {\"text\": \"'; head -c 1000000 /dev/zero | tr '\\0' x; printf '\"}}'",
    );
    candor.write(
        "plan.json",
        r#"{"subtasks": [{"task_id": "t", "description": "Write much", "agent_type": "big"}]}"#,
    );
    for more in [&["--run-id", "run_1"][..], &["-v"], &["-q"]] {
        let said = candor.run([&["run", "--plan", "plan.json", "--unattended"], more].concat()).ended_with(0);
        assert!(said.stdout.len() < 10_000, "{more:?}: {} bytes", said.stdout.len());
    }
    for view in ["status", "watch", "explain", "report"] {
        let said = candor.run([view, "run_1"]).ended_with(0);
        assert!(said.stdout.len() < 40_000, "{view}: {} bytes", said.stdout.len());
    }
    let report = candor.run(["report", "run_1"]).stdout;
    assert!(report.contains("bytes left out"), "{}", &report[..report.len().min(2_000)]);
}

#[test]
fn no_fact_on_the_screen_is_longer_than_a_hundred_columns() {
    let candor = warehouse(&format!("sys.exit('{LONG}: {LONG}: {LONG}')"));
    let said = run(&candor, &["a"], "run_1");
    for line in said.stdout.lines().filter(|line| !line.trim_start().starts_with("candor ")) {
        assert!(line.chars().count() <= 111, "{} columns: {line}", line.chars().count());
    }
    assert!(!said.stdout.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn confidence_is_low_for_gibberish_and_high_for_a_clear_fit() {
    // spec: findings HE-13 GL-08
    let candor = Candor::with_config(GENERAL);
    let confidence = |goal: &str| {
        let planned = candor.run(["plan", goal, "--json"]).ended_with(0).json();
        planned["plan"]["confidence_score"].as_f64().unwrap()
    };
    let clear = confidence("Collect the figures and data of March, then write a text that summarises them");
    let poor = confidence("Replace the brake pads of the van and repaint the kitchen ceiling");
    let gibberish = confidence("asdf qwer zxcv");
    assert!(clear >= 0.7, "{clear}");
    assert!(poor < 0.5 && gibberish < 0.5, "{poor} {gibberish}");
}

#[test]
fn metrics_show_predicted_against_actual_success() {
    // spec: findings HE-13
    let candor = warehouse(&format!("if task[0] == 'b':\n    sys.exit('no')\n{LOADS}"));
    run(&candor, &["a"], "run_1").ended_with(0);
    assert_ne!(run(&candor, &["b"], "run_2").code, 0);
    // A run that waits for a person has not ended; one that has ended cannot be answered.
    candor.run(["answer", "run_2", "abort"]);
    let bands = &candor.run(["metrics", "--json"]).ended_with(0).json()["calibration"]["bands"];
    assert_eq!((&bands[0]["runs"], &bands[0]["actual"]), (&json!(2), &json!(0.5)), "{bands}");
    candor.run(["metrics"]).ended_with(0).shows(&["predicted", "succeeded", "50%"]);
}
