//! `candor code run`: code that a model wrote, checked, run in the real sandbox, judged, and tried again.

use serde_json::{Value, json};

use crate::code::bench::{Bench, Script};
use crate::support::{Candor, Events, Said, until};

const SUM: &str = "context['sum'] = context['num1'] + context['num2']\n";

fn numbers() -> Value {
    json!({ "num1": 5, "num2": 10 })
}

// spec: code-agent AR-01, AR-05, OR-01, OR-13, OR-14
#[test]
fn the_context_comes_back_with_what_was_added_and_how_it_came_about() {
    let bench = Bench::new(Script::writing(&[SUM]), "");
    let result = bench.code("Suma estos dos números", &numbers(), &[]).ended_with(0).json();
    assert_eq!((&result["num1"], &result["num2"], &result["sum"]), (&json!(5), &json!(10), &json!(15)));
    let metadata = &result["_ai_metadata"];
    assert_eq!((&metadata["attempts"], &metadata["errors"]), (&json!(1), &json!([])), "{metadata}");
    assert_eq!(metadata["input_analysis"]["needs_analysis"], json!(false));
    assert_eq!(metadata["data_analysis"], Value::Null);
    assert_eq!(metadata["code_validation"]["valid"], json!(true));
    assert_eq!(metadata["output_validation"]["changes_detected"], json!(["sum"]));
    for who in ["InputAnalyzer", "CodeGenerator", "CodeValidator", "sandbox", "OutputValidator"] {
        assert!(metadata["timings"][who].is_number(), "{who}: {metadata}");
    }
    assert!(metadata["total_time_ms"].as_f64().unwrap() > 0.0);
}

// The phases around the one task ask nobody: a scripted model that is asked anything else fails the test.
// spec: code-agent AR-06, IA-02, CG-02, OV-02
#[test]
fn each_question_goes_to_the_right_model_at_its_temperature() {
    let bench = Bench::new(Script::writing(&[SUM]), "");
    bench.code("Add the numbers", &numbers(), &[]).ended_with(0);
    let seen = |step: &str| {
        let all = bench.asked(step);
        assert_eq!(all.len(), 1, "{step}");
        (all[0].model().to_owned(), all[0].body["temperature"].as_f64().unwrap())
    };
    assert_eq!(seen("analyse_input"), ("quick".to_owned(), 0.3));
    assert_eq!(seen("write_code"), ("best".to_owned(), 0.2));
    assert_eq!(seen("judge_output"), ("quick".to_owned(), 0.3));
    assert_eq!(bench.server.seen().len(), 3);
}

// spec: code-agent CG-16, CG-17, OR-06, OR-08, OR-09, OR-10
#[test]
fn each_failure_goes_back_to_the_one_who_writes_with_all_that_went_wrong_before() {
    let undefined = "context['sum'] = numm1 + 1\n";
    let raising = "context['left'] = 1\ncontext['sum'] = 1 / 0\n";
    let bench = Bench::new(Script::writing(&[undefined, raising, SUM]), "");
    let result = bench.code("Add the numbers", &numbers(), &[]).ended_with(0).json();
    assert_eq!(result["sum"], json!(15));
    assert!(result.get("left").is_none(), "nothing of a rejected attempt stays: {result}");
    let metadata = &result["_ai_metadata"];
    assert_eq!(metadata["attempts"], json!(3));
    let stages: Vec<&str> =
        metadata["errors"].as_array().unwrap().iter().map(|error| error["stage"].as_str().unwrap()).collect();
    assert_eq!(stages, ["code_validation", "execution"]);
    let written = bench.asked("write_code");
    assert_eq!((written.len(), bench.asked("analyse_input").len()), (3, 1));
    assert!(!written[0].says("ERRORES PREVIOS"));
    assert!(written[1].says("ERRORES PREVIOS") && written[1].says("numm1"));
    assert!(written[2].says("numm1") && written[2].says("ZeroDivisionError"));
}

// spec: code-agent OR-12, OR-04
#[test]
fn after_three_attempts_it_fails_for_good_with_everything_that_went_wrong() {
    let bench = Bench::new(Script::writing(&["context['sum'] = nobody\n"]), "");
    let said = bench.code("Add the numbers", &numbers(), &[]).ended_with(1);
    let result = said.json();
    assert_eq!(result["_ai_metadata"]["errors"].as_array().unwrap().len(), 3, "{result}");
    assert_eq!((&result["num1"], result.get("sum")), (&json!(5), None), "the context is as it was");
    assert!(said.stderr.contains("it failed") && said.stderr.contains("nobody"), "{}", said.stderr);
    assert_eq!(bench.asked("write_code").len(), 3);
    assert!(bench.asked("judge_output").is_empty());
}

// spec: code-agent OV-06, OV-08
#[test]
fn a_result_that_is_no_result_is_tried_again_without_asking_a_model() {
    let nothing = "total = context['num1']\n";
    let empty = "context['sum'] = None\n";
    let bench = Bench::new(Script::writing(&[nothing, empty, SUM]), "");
    let result = bench.code("Add the numbers", &numbers(), &[]).ended_with(0).json();
    assert_eq!(result["_ai_metadata"]["attempts"], json!(3));
    assert_eq!(bench.asked("judge_output").len(), 1, "only what could be right is judged");
}

#[test]
fn proven_code_is_used_again_judged_like_new_code_and_dropped_when_it_fails() {
    let picky = "context['share'] = context['part'] / context['whole']\n";
    let bench = Bench::new(Script::writing(&[picky]), "");
    let ask = |part: i64, whole: i64| {
        let context = json!({ "part": part, "whole": whole });
        bench.code("Which share is it?", &context, &[])
    };
    assert_eq!(ask(1, 2).ended_with(0).json()["share"], json!(0.5));
    let again = ask(1, 4).ended_with(0).json();
    assert_eq!(
        (&again["share"], bench.server.seen().len()),
        (&json!(0.25), 4),
        "only the judge was asked again"
    );
    let metrics = bench.run(&["metrics", "--json"]).ended_with(0).json();
    let cache = &metrics["code"]["cache"];
    assert_eq!((&cache["hits"], &cache["misses"]), (&json!(1), &json!(1)), "{cache}");
    assert_ne!(cache["saved"], json!(0), "{cache}");
    ask(1, 0).ended_with(1);
    assert_eq!(bench.asked("write_code").len(), 1 + 3, "what failed is not believed any more");
    ask(1, 2).ended_with(0);
    assert_eq!(bench.asked("write_code").len(), 1 + 3 + 1, "and not there any more");
}

// spec: findings SE-10
#[test]
fn code_that_holds_values_of_its_input_never_answers_for_another_input() {
    for (program, first, second, wrong) in [
        (
            "context['sum'] = context['num1'] + 10\n",
            json!({"num1": 5, "num2": 10}),
            json!({"num1": 5, "num2": 20}),
            json!(15),
        ),
        (
            "context['sum'] = '1234.56' if context['text'] else ''\n",
            json!({"text": "Total: 1234.56"}),
            json!({"text": "Total: 77.10"}),
            json!("1234.56"),
        ),
        ("context['sum'] = 15\n", json!({"num1": 5, "num2": 10}), json!({"num1": 1, "num2": 1}), json!(15)),
    ] {
        let bench = Bench::new(Script::writing(&[program, "context['sum'] = str(len(str(context)))\n"]), "");
        assert_eq!(bench.code("Give the sum", &first, &[]).ended_with(0).json()["sum"], wrong);
        let second = bench.code("Give the sum", &second, &[]).ended_with(0).json();
        assert_eq!(bench.asked("write_code").len(), 2, "it is written anew: {program}");
        assert_ne!(second["sum"], wrong, "{program}");
    }
}

// spec: findings SE-07
#[test]
fn with_types_only_no_value_reaches_any_model() {
    let marker = "zq-marker-7731";
    let script = Script {
        needs_analysis: true,
        insights: "insights = {'type': 'text', 'sample': context['note'], 'all': dict(context)}\n".to_owned(),
        // One fails with the value in its error, the next is refused by the judge, the third is right.
        programs: [
            "context['n'] = float(context['note'])\n",
            "context['n'] = len(context['note']) + len(context['deep'])\n",
            "context['n'] = len(context['note'])\n",
        ]
        .map(str::to_owned)
        .to_vec(),
        judgements: vec![
            json!({"valid": false, "reason": "too long"}),
            json!({"valid": true, "reason": "it is there"}),
        ],
        ..Script::default()
    };
    let context = json!({ "note": marker, "deep": { "notes": [marker] }, "list": [marker, 7] });
    for (only, seen) in [("true", false), ("false", true)] {
        let bench = Bench::new(script.clone(), &format!("[code]\ntypes_only = {only}\n"));
        bench.code("How long is the note?", &context, &[]).ended_with(0);
        assert_eq!((bench.asked("write_code").len(), bench.asked("judge_output").len()), (3, 2));
        let wires = bench.server.seen().iter().any(|seen| seen.body.to_string().contains(marker));
        assert_eq!(wires, seen, "types_only = {only}");
    }
}

// spec: code-agent QT-08
#[test]
fn without_a_model_given_code_runs_and_written_code_is_asked_for_clearly() {
    let candor = Candor::new();
    candor.write("sum.py", SUM);
    candor.write("context.json", numbers().to_string());
    let code = |more: &[&str]| candor.run([&["code", "run", "--context", "context.json"], more].concat());
    let result = code(&["--code", "sum.py", "--json"]).ended_with(0).json();
    assert_eq!(result["sum"], json!(15));
    code(&["--task", "Add the numbers"]).ended_with(1).tells(&["writing code needs a model", "candor.toml"]);
    candor.write("worse.py", "import os\ncontext['x'] = os.getcwd()\n");
    code(&["--code", "worse.py"]).ended_with(1).tells(&["os"]);
}

// spec: code-agent SB-10
#[test]
fn a_program_that_does_not_end_is_stopped() {
    let candor = Candor::new();
    candor.write("loop.py", "while True:\n    pass\n");
    let began = std::time::Instant::now();
    let said = candor.run(["code", "run", "--code", "loop.py", "--timeout", "1"]);
    said.ended_with(1).tells(&["1 s"]);
    assert!(began.elapsed().as_secs() < 20);
}

#[test]
fn the_time_limit_is_recorded_with_the_run() {
    // spec: findings DU-09
    let candor = Candor::new();
    candor.write("slow.py", "import time\ntime.sleep(60)\n");
    let mut running =
        candor.start(["code", "run", "--code", "slow.py", "--timeout", "2", "--run-id", "run_1"]);
    let is_at_work = || {
        let status = candor.run(["status", "run_1", "--json"]);
        status.stdout.contains("\"in_progress\"")
    };
    let began = std::time::Instant::now();
    while !is_at_work() && began.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // Killed outright, so that nobody can leave a note of what was asked for.
    running.kill().unwrap();
    running.wait().unwrap();
    let resumed = std::time::Instant::now();
    candor.run(["resume", "run_1"]).ended_with(1);
    assert!(resumed.elapsed().as_secs() < 25, "the configured limit is 30 s: {:?}", resumed.elapsed());
}

#[test]
fn what_people_see_is_the_context_and_the_way_there() {
    let bench = Bench::new(Script::writing(&[SUM]), "");
    bench.candor.write("context.json", numbers().to_string());
    let said =
        bench.run(&["code", "run", "--task", "Add the numbers", "--context", "context.json"]).ended_with(0);
    let context: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(
        context,
        json!({ "num1": 5, "num2": 10, "sum": 15 }),
        "data for the next program, and nothing else"
    );
    let said = said.tells(&[
        "CodeGenerator",
        "CodeValidator",
        "sandbox",
        "OutputValidator",
        "candor code chain run_",
    ]);
    assert!(
        !said.stderr.contains("Pre-analysis"),
        "what goes on around the task is of no interest: {}",
        said.stderr
    );
    bench.run(&["code", "chain", "last"]).ended_with(0).shows(&["CodeGenerator", "changed: sum", "$0.0"]);
    let chain = bench.run(&["code", "chain", "last", "--json"]).ended_with(0).json();
    let links: Vec<&str> =
        chain["chain"].as_array().unwrap().iter().map(|link| link["component"].as_str().unwrap()).collect();
    let expected = ["cache", "InputAnalyzer", "CodeGenerator", "CodeValidator", "sandbox", "OutputValidator"];
    assert_eq!(links.iter().filter(|link| expected.contains(link)).count(), expected.len(), "{links:?}");
}

#[test]
fn bad_input_is_refused_with_words() {
    let candor = Candor::new();
    candor.write("list.json", "[1, 2]");
    candor.write("broken.json", "{\"a\": ");
    let code = |more: &[&str]| -> Said { candor.run([&["code", "run"], more].concat()) };
    code(&[]).ended_with(2);
    code(&["--task", " "]).ended_with(2).tells(&["say what is to be done"]);
    code(&["--task", "x", "--context", "list.json"]).ended_with(2).tells(&["must be a JSON object"]);
    code(&["--task", "x", "--context", "broken.json"]).ended_with(2).tells(&["broken.json", "is not JSON"]);
    code(&["--task", "x", "--timeout=-1"]).ended_with(2).tells(&["--timeout"]);
    let config = candor.write("candor.toml", "[code]\npool = 2\nmemory = 3\n");
    code(&["--task", "x"]).ended_with(2).tells(&["memory", "memory_mb"]);
    std::fs::remove_file(config).unwrap();
}

// spec: code-agent AR-08
#[test]
fn e2b_needs_its_key_and_says_so() {
    let candor = Candor::with_config("[code]\nrunner = \"e2b\"\n");
    candor.write("sum.py", "context['x'] = 1\n");
    let mut command = candor.command(["--data", "data", "code", "run", "--code", "sum.py"]);
    let said = Said::of(command.env_remove("E2B_API_KEY").output().unwrap());
    said.ended_with(1).tells(&["E2B_API_KEY"]);
}

// Model answers are on the log: whoever goes on after a crash pays for none of them again.
#[test]
fn a_run_that_was_killed_goes_on_where_it_was_without_asking_twice() {
    let bench = Bench::new(Script { slow_judge: true, ..Script::writing(&[SUM]) }, "");
    bench.candor.write("context.json", numbers().to_string());
    let words =
        ["code", "run", "--task", "Add the numbers", "--context", "context.json", "--run-id", "run_1"];
    let mut child = bench.command(&words).spawn().unwrap();
    until("the result is judged", || !bench.asked("judge_output").is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    bench.server.route(Script::writing(&["raise ValueError('nobody should ask')\n"]).play());
    let said = bench.run(&["resume", "run_1", "--json"]).ended_with(0);
    let done = Events(said.lines());
    assert_eq!(done.only("task_succeeded")["feedback"]["actual_outputs"]["sum"], json!(15));
    assert_eq!((bench.asked("write_code").len(), bench.asked("analyse_input").len()), (1, 1));
}

#[test]
fn a_run_that_is_interrupted_has_not_failed_and_says_how_to_go_on() {
    let bench = Bench::new(Script { slow_judge: true, ..Script::writing(&[SUM]) }, "");
    bench.candor.write("context.json", numbers().to_string());
    let words = ["code", "run", "--task", "Add the numbers", "--context", "context.json", "--json"];
    let child = bench.command(&words).spawn().unwrap();
    until("the result is judged", || !bench.asked("judge_output").is_empty());
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let said = Said::of(child.wait_with_output().unwrap()).ended_with(130).tells(&["candor resume run_"]);
    assert!(!said.stderr.contains("failed"), "{}", said.stderr);
    assert_eq!(said.stdout, "");
}

// spec: findings SE-06
#[test]
fn what_a_program_says_of_its_failure_does_not_drive_the_terminal() {
    let candor = Candor::new();
    candor.write("loud.py", "context['a'] = 1\nraise ValueError('\\x1b[31mred\\x1b]0;title\\x07 \\x9b2J \\u202etxt \\u200bend')\n");
    let said = candor.run(["code", "run", "--code", "loud.py"]).ended_with(1).stderr;
    assert!(said.contains("ValueError") && said.contains("end"), "{said}");
    let odd =
        |letter: &char| (letter.is_control() && *letter != '\n') || "\u{202e}\u{200b}".contains(*letter);
    assert_eq!(said.chars().find(odd), None, "{said:?}");
}

#[test]
fn a_context_that_is_too_deep_or_too_large_is_refused_by_its_field() {
    let candor = Candor::new();
    candor.write("sum.py", SUM);
    let deep = format!("{{\"rows\": {}1{}}}", "[".repeat(80), "]".repeat(80));
    candor.write("context.json", deep);
    let code = || candor.run(["code", "run", "--code", "sum.py", "--context", "context.json"]);
    code().ended_with(2).tells(&["context.rows", "64 levels"]);
    candor.write("context.json", format!("{{\"text\": \"{}\"}}", "x".repeat(33 << 20)));
    code().ended_with(2).tells(&["context.json", "at most 32 MB"]);
    candor.write("context.json", "{}");
    candor.write("sum.py", format!("# {}", "x".repeat(2 << 20)));
    code().ended_with(2).tells(&["sum.py", "at most 1 MB"]);
}

// spec: findings SE-12
#[test]
fn the_check_refuses_what_is_certainly_wrong() {
    let candor = Candor::new();
    candor.write("context.json", json!({ "a": 4, "b": 2 }).to_string());
    for (program, told) in [
        ("exit()\ncontext['c'] = 1\n", "PY403"),
        ("context['c'] = input()\n", "PY403"),
        ("total = context['a'] + context['b']\n", "PY106"),
        ("context = [1]\n", "PY502"),
        ("del context['a']\ncontext['c'] = context['a']\n", "PY201"),
        ("context.pop('a')\ncontext['c'] = context['a']\n", "PY201"),
        ("import math\ncontext['c'] = math.squareroot(context['a'])\n", "PY303"),
        ("context['c'] = open('/etc/passwd').read()\n", "PY404"),
        ("import email.utils\ncontext['c'] = email.utils.os.getcwd()\n", "PY402"),
        ("import tempfile\ncontext['c'] = tempfile._os.getcwd()\n", "PY402"),
        ("context['c'] = print.__self__.eval('1')\n", "PY402"),
        ("import pandas as pd\ncontext['c'] = pd.eval('1')\n", "PY402"),
    ] {
        candor.write("p.py", program);
        let check = candor.run(["code", "check", "p.py", "--context", "context.json", "--json"]);
        let found = check.ended_with(1).json();
        let codes: Vec<&str> =
            found["errors"].as_array().unwrap().iter().map(|e| e["code"].as_str().unwrap()).collect();
        assert!(codes.contains(&told), "{program}: {found}");
    }
    let right = "import math, statistics\ncontext['c'] = math.sqrt(context['a']) + statistics.mean([1, 2])\n";
    candor.write("p.py", right);
    candor.run(["code", "check", "p.py", "--context", "context.json"]).ended_with(0);
}
