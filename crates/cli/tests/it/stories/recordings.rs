//! What a person sees in terminals of 80 and of 120 columns, kept as text: what goes well, what fails and is recovered,
//! what is asked, what ends badly. `UPDATE_SNAPSHOTS=1` writes the recordings again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use candor_testkit::model_server::{Reply, SeenRequest};
use serde_json::{Value, json};
use vt100::Parser;

use crate::command::terminal::{Seen, at_terminal_of};
use crate::models::scene::sensible;
use crate::stories::scene::{Story, task};
use crate::support::{Candor, GENERAL, PARIS, VAGUE};

const ROWS: u16 = 24;
/// Rows that have left the screen at its top and are kept.
const ABOVE: usize = 1_000;
/// The widths at which each situation is recorded.
const WIDTHS: [u16; 2] = [80, 120];
/// No fact is longer with its mark, however wide the terminal: a row, or one column of a table.
const LONGEST: usize = 100;
/// A request is shown as it was typed, however long it is.
const LONG_REQUEST: &str =
    "Collect the figures of the harbour, write a report on them and send the report to all customers by mail";

/// The commands that make a terminal so wide.
fn wide(columns: u16) -> String {
    format!("stty cols {columns} rows {ROWS}; ")
}

/// Everything that is on the screen in the end, and what has left it at its top.
pub(crate) fn rows(bytes: &str, height: u16, columns: u16) -> Vec<String> {
    let mut terminal = Parser::new(height, columns, ABOVE);
    terminal.process(bytes.as_bytes());
    let screen = terminal.screen_mut();
    screen.set_scrollback(usize::MAX);
    let mut rows = Vec::new();
    for above in (1..=screen.scrollback()).rev() {
        screen.set_scrollback(above);
        rows.extend(screen.rows(0, columns).next());
    }
    screen.set_scrollback(0);
    rows.extend(screen.rows(0, columns));
    rows
}

/// The same without what differs from run to run: times and digests.
fn settled(bytes: &str, columns: u16) -> String {
    let time = regex::Regex::new(r"(\d+m )?\d+(\.\d+)? ?(ms|s)\b").unwrap();
    let clock = regex::Regex::new(r"\b\d\d:\d\d:\d\d\b").unwrap();
    let digest = regex::Regex::new(r"\b[0-9a-f]{12,}\b").unwrap();
    let settled = |row: String| {
        let row = clock.replace_all(row.trim_end(), "HH:MM:SS").into_owned();
        digest.replace_all(&time.replace_all(&row, "T"), "DIGEST").into_owned()
    };
    rows(bytes, ROWS, columns).into_iter().map(settled).collect::<Vec<_>>().join("\n").trim().to_owned()
        + "\n"
}

#[track_caller]
fn recorded(name: &str, columns: u16, screen: &str) {
    let seen = settled(screen, columns);
    as_kept(name, columns, &seen);
    told_shortly(&seen);
}

/// Compares a screen with the one that is kept.
#[track_caller]
pub(crate) fn as_kept(name: &str, columns: u16, seen: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stories/recordings");
    let path = folder.join(format!("{name}_{columns}.txt"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::create_dir_all(&folder).unwrap();
        fs::write(&path, seen).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(seen, kept, "the screen of `{name}` has changed; UPDATE_SNAPSHOTS=1 records it again");
}

/// Every fact keeps to its length.
#[track_caller]
fn told_shortly(seen: &str) {
    // spec: findings UX-04
    for fact in seen.lines().flat_map(|line| line.split("  ")).filter(|fact| *fact != LONG_REQUEST) {
        assert!(fact.trim().chars().count() <= LONGEST, "too long: {fact}");
    }
}

/// The words of a recording, without what is only drawn or was shortened.
fn words(recording: &str) -> BTreeSet<&str> {
    let is_word = |word: &&str| word.contains(char::is_alphabetic) && !word.contains('…');
    recording.split_whitespace().filter(is_word).collect()
}

#[test]
fn lines_are_broken_between_words() {
    // spec: findings UX-04
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stories/recordings");
    let mut compared = 0;
    for file in fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix("_80.txt") else {
            continue;
        };
        let narrow = fs::read_to_string(&path).unwrap();
        let wide = fs::read_to_string(folder.join(format!("{name}_120.txt"))).unwrap();
        // Of a word that is cut in two, each part is in the narrow terminal only, and the whole in the wide one only.
        let (narrow, wide) = (words(&narrow), words(&wide));
        let is_part = |word: &&&str| wide.difference(&narrow).any(|whole| whole.contains(**word));
        let cut: Vec<_> = narrow.difference(&wide).filter(is_part).collect();
        assert!(cut.is_empty(), "{name}: {cut:?}");
        compared += 1;
    }
    assert!(compared >= 10, "{compared} situations");
}

#[test]
#[should_panic(expected = "too long")]
fn a_fact_that_is_too_long_is_noticed() {
    told_shortly(&format!("✗ oven failed: {}\n", "very ".repeat(20)));
}

/// Records what `show` makes of a terminal at each width, and how the command ended.
#[track_caller]
fn at_each_width(name: &str, code: i32, show: impl Fn(&str) -> Seen) {
    for columns in WIDTHS {
        let seen = show(&wide(columns));
        assert_eq!(seen.code, code, "{}", seen.screen);
        recorded(name, columns, &seen.screen);
    }
}

/// A bakery: one weighs, one bakes, one packs.
fn bakery(oven: Value) -> Story {
    Story::new()
        .command("weigher", "Weighs flour and water", json!({ "*": ["ok"] }))
        .command("oven", "Bakes bread in the oven", oven)
        .command("packer", "Packs bread into boxes", json!({ "*": ["ok"] }))
}

fn order_of_the_day() -> Value {
    json!([
        task("weigh", "weigher", "Weigh the flour for sixty loaves", &[]),
        task("bake", "oven", "Bake sixty loaves of rye bread", &["weigh"]),
        task("pack", "packer", "Pack the loaves into boxes", &["bake"]),
    ])
}

fn for_good(message: &str) -> Value {
    json!({ "error": { "kind": "task_error", "message": message, "retryable": false } })
}

#[test]
fn a_success() {
    at_each_width("success", 0, |setup| bakery(json!({ "*": ["ok"] })).seen(setup, order_of_the_day(), &[]));
}

#[test]
fn a_goal_that_is_verified() {
    at_each_width("verified", 0, |setup| {
        at_terminal_of(setup, &Candor::new(), &["run", PARIS, "--run-id", "run_1"], &[])
    });
}

#[test]
fn one_retry() {
    let oven = || bakery(json!({ "*": ["exit 1 the flame went out", "ok"] }));
    at_each_width("retry", 0, |setup| oven().seen(setup, order_of_the_day(), &[]));
}

#[test]
fn another_agent() {
    at_each_width("other_agent", 0, |setup| {
        let story = bakery(json!({ "*": [for_good("the door of oven 1 does not close")] })).command(
            "second_oven",
            "Bakes rye bread and loaves in the oven",
            json!({ "*": ["ok"] }),
        );
        story.seen(setup, order_of_the_day(), &[])
    });
}

#[test]
fn a_revision_by_a_model() {
    let revision = json!({ "why": "the oven holds forty loaves at a time", "tasks": [
        { "description": "Bake forty loaves of rye bread", "agent": "oven", "inputs": { "loaves": 40 } },
        { "description": "Bake twenty loaves of rye bread", "agent": "oven", "inputs": { "loaves": 20 }, "after": [0] }] });
    at_each_width("revision", 0, |setup| {
        let revision = revision.clone();
        let scripts = json!({ "bake_": ["ok"], "bake": [for_good("sixty loaves do not fit into the oven")] });
        let story = bakery(scripts).model(move |seen: &SeenRequest| {
            if seen.says("Step: find another approach to a task") {
                Reply::json(revision.clone())
            } else {
                sensible(seen)
            }
        });
        story.seen(setup, order_of_the_day(), &[])
    });
}

#[test]
fn a_limit() {
    let story = || bakery(json!({ "*": ["exit 1 the flame went out"] }));
    at_each_width("limit", 1, |setup| story().seen(setup, order_of_the_day(), &[]));
}

#[test]
fn a_question_about_a_task() {
    let answers = [("? help", "retry\n")];
    at_each_width("question", 0, |setup| {
        bakery(json!({ "*": [for_good("the gas is off"), "ok"] })).seen(setup, order_of_the_day(), &answers)
    });
}

#[test]
fn a_run_that_a_person_aborts() {
    let answers = [("? help", "abort\n"), ("[y/N]", "y\n")];
    at_each_width("abort", 1, |setup| {
        bakery(json!({ "*": [for_good("the gas is off")] })).seen(setup, order_of_the_day(), &answers)
    });
}

#[test]
fn a_plan_that_is_shown_for_approval() {
    let args = ["run", VAGUE, "--run-id", "run_1", "--unattended"];
    let answers = [("? help", "?\n"), ("run this plan", "y\n")];
    at_each_width("approval", 0, |setup| {
        at_terminal_of(setup, &Candor::with_config(GENERAL), &args, &answers)
    });
}

#[test]
fn a_project_that_is_set_up() {
    let answers = [
        ("Which agent", "?\n"),
        ("Nothing is written", "\n"),
        ("Its command [sh mill.sh]: ", "\n"),
        ("What does it do", "Mills grain\n"),
        ("Which model?", "\n"),
    ];
    let keys = "export OLLAMA_HOST=127.0.0.1:1 ANTHROPIC_API_KEY=x; unset OPENAI_API_KEY GEMINI_API_KEY; ";
    at_each_width("init", 0, |setup| {
        let candor = Candor::new();
        candor.write("mill.sh", "cat > /dev/null; echo '{\"outputs\": {\"flour\": 3}}'\n");
        candor.write("rye.csv", "field,tonnes\nnorth,3\n");
        at_terminal_of(&format!("{setup}{keys}"), &candor, &["init"], &answers)
    });
}

#[test]
fn a_choice_at_a_guardrail() {
    let answers = [
        ("? help", "?\n"),
        ("takes words of your own", "s\n"),
        ("[y/N]", "n\n"),
        ("[y/N] n\r\n> ", "1\n"),
        ("> 1\r\nStop the run? It stays on record. [y/N]", "y\n"),
    ];
    let args = ["run", "Write down the recipe", "--run-id", "run_1"];
    at_each_width("choice", 1, |setup| {
        let candor = Candor::with_config(&format!("[guardrails]\nrules = \"rules.json\"\n{GENERAL}"));
        candor.write("rules.json", crate::command::phases::TRIPWIRE);
        at_terminal_of(setup, &candor, &args, &answers)
    });
}

#[test]
fn a_plan_with_an_act_that_cannot_be_undone() {
    let answers = [("? help", "rej\n"), ("[y/N]", "y\n")];
    at_each_width("risks", 1, |setup| {
        let sends = GENERAL.replace("\"send_mail\"]\n", "\"send_mail\"]\neffects = [\"message\"]\n");
        let args = ["run", LONG_REQUEST, "--run-id", "run_1"];
        at_terminal_of(setup, &Candor::with_config(&sends), &args, &answers)
    });
}

#[test]
fn a_plan_that_waits_for_approval_while_nobody_is_there() {
    let args = ["run", VAGUE, "--run-id", "run_1", "--unattended"];
    at_each_width("waiting", 3, |setup| {
        at_terminal_of(&format!("{setup}exec < /dev/null; "), &Candor::with_config(GENERAL), &args, &[])
    });
}

#[test]
fn a_goal_that_is_not_met() {
    at_each_width("not_met", 1, |setup| {
        let story = bakery(json!({ "*": ["ok"] }));
        let goal = json!({ "goal_id": "goal_1", "goal_type": "generic", "description": "Bake sixty loaves",
            "success_criteria": ["count result >= 60"] });
        story.candor.write("goal.json", goal.to_string());
        story.candor.write("plan.json", json!({ "subtasks": order_of_the_day() }).to_string());
        let args = ["run", "--goal", "goal.json", "--plan", "plan.json", "--run-id", "run_1"];
        story.at_terminal(setup, &args, &[])
    });
}

#[test]
fn a_run_that_is_resumed_after_an_interruption() {
    at_each_width("resumed", 0, |setup| {
        let story = bakery(json!({ "*": ["hang"] }));
        let broken = story.seen(setup, order_of_the_day(), &[("33%", "\u{3}")]);
        assert_eq!(broken.code, 130, "{}", broken.screen);
        story.now("oven", json!({ "*": ["ok"] }));
        story.at_terminal(setup, &["resume", "run_1"], &[])
    });
}

#[test]
fn a_goal_that_no_agent_can_do() {
    at_each_width("nobody", 1, |setup| {
        let words = "Translate the lease into Finnish and have it notarised";
        at_terminal_of(setup, &Candor::new(), &["run", words, "--run-id", "run_1"], &[])
    });
}

#[test]
fn the_screen_in_spanish() {
    // spec: findings UX-10
    let spanish = |setup: &str| format!("{setup}export CANDOR_LANG=es; ");
    let answers =
        [("? ayuda", "?\n"), ("con este agente", "abort\n"), ("[s/N]", "n\n"), ("[s/N] n\r\n> ", "retry\n")];
    at_each_width("spanish", 0, |setup| {
        let story = bakery(json!({ "*": [for_good("se fue el gas"), "ok"] }));
        story.seen(&spanish(setup), order_of_the_day(), &answers)
    });
}

#[test]
fn a_plan_that_is_shown_for_approval_in_spanish() {
    // spec: findings UX-10
    let goal = "Recoge las cifras del puerto, escribe un informe sobre ellas y mándalo por correo";
    let args = ["run", goal, "--run-id", "run_1", "--allow", "message"];
    let answers = [("? ayuda", "ask ¿qué puede salir mal?\n"), ("Respuesta: ", "reject\n"), ("[s/N]", "s\n")];
    at_each_width("spanish_approval", 1, |setup| {
        let candor = Candor::with_config(&format!("[limits]\napproval = \"always\"\n{GENERAL}"));
        at_terminal_of(&format!("{setup}export CANDOR_LANG=es; "), &candor, &args, &answers)
    });
}

#[test]
fn a_plan_that_is_taller_than_a_narrow_terminal_is_drawn_in_place() {
    // spec: findings UX-04
    let tasks: Vec<Value> = (1..=40)
        .map(|n| task(&format!("t{n}"), "oven", &format!("Bake tray number {n} of rye bread"), &[]))
        .collect();
    for (columns, environment) in [(40, ""), (80, ""), (80, "export NO_COLOR=1; "), (80, "export LC_ALL=C; ")]
    {
        let story = Story::with_limits("max_parallel_tasks = 4\nagent_timeout = 30").command(
            "oven",
            "Bakes bread in the oven",
            json!({ "t7": ["exit 1 the flame went out", "ok"] }),
        );
        let seen = story.seen(&format!("{}{environment}", wide(columns)), json!(tasks), &[]);
        assert_eq!(seen.code, 0, "{}", seen.screen);
        let rows = rows(&seen.screen, ROWS, columns);
        let heads = rows.iter().filter(|row| row.contains("run_1")).count();
        assert_eq!(heads, 1, "a frame was left behind at {columns} columns: {rows:#?}");
        assert!(rows.iter().any(|row| row.contains(" more: ") && row.contains("done")), "{rows:#?}");
        let coloured = seen.screen.split("\u{1b}[3").skip(1).any(|rest| rest.get(1..2) == Some("m"));
        assert_eq!(coloured, !environment.contains("NO_COLOR"), "{environment}");
    }
}
