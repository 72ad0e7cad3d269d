//! At a terminal: the live view, and questions that are asked there and then.
//!
//! `script` (on every Debian, Fedora and Alpine with util-linux) makes the terminal.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::http::client::Server;
use crate::models::scene::{KEY, SECRET};
use crate::support::{Candor, GENERAL, PARIS, QUICK, VAGUE, until};

/// What was on the screen, how the command ended, and how long it took after the last key.
pub(crate) struct Seen {
    pub(crate) screen: String,
    pub(crate) code: i32,
    after_last_key: Duration,
}

/// Runs a command at a terminal; types each answer when its question is on the screen.
fn at_terminal(candor: &Candor, args: &[&str], answers: &[(&str, &str)]) -> Seen {
    at_terminal_of("", candor, args, answers)
}

/// The same after these commands of a shell, which set the terminal up.
pub(crate) fn at_terminal_of(setup: &str, candor: &Candor, args: &[&str], answers: &[(&str, &str)]) -> Seen {
    let words = [&[env!("CARGO_BIN_EXE_candor"), "--data", "data"], args].concat();
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let mut command = Command::new("script");
    // `exec`: Ctrl-C reaches the whole group, and a shell that waits may die of it and end with 130 by itself.
    command
        .args(["-qefc", &format!("{setup}exec {}", quoted.join(" ")), "/dev/null"])
        .current_dir(candor.folder());
    command
        .env("TERM", "xterm")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .env_remove("CANDOR_DATA")
        .env(KEY, SECRET);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut keys, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let screen = Arc::new(Mutex::new(Vec::new()));
    let shown = Arc::clone(&screen);
    let reader = std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = out.read(&mut chunk) {
            shown.lock().unwrap().extend_from_slice(&chunk[..read]);
        }
    });
    let text = || String::from_utf8_lossy(&screen.lock().unwrap()).into_owned();
    for (question, answer) in answers {
        until(question, || text().contains(question));
        keys.write_all(answer.as_bytes()).unwrap();
    }
    let typed = Instant::now();
    let code = child.wait().unwrap().code().unwrap();
    let after_last_key = typed.elapsed();
    reader.join().unwrap();
    Seen { screen: text(), code, after_last_key }
}

#[test]
fn a_run_is_drawn_as_a_tree_with_a_bar_and_its_cost() {
    let seen = at_terminal(&Candor::new(), &["run", PARIS], &[]);
    assert_eq!(seen.code, 0);
    for part in ["\u{1b}[", "█", "100%", "$0.05", "Flight search", "└─", "Hotel search", "completed"] {
        assert!(seen.screen.contains(part), "no `{part}` in: {}", seen.screen);
    }
    let plain = seen.screen.replace("\u{1b}[0m\u{1b}[32m", "");
    assert!(plain.contains("✓✓✓✓✓✓✓✓"), "all eight phases are done: {}", seen.screen);
}

#[test]
fn a_terminal_can_be_told_to_show_plain_lines() {
    let seen = at_terminal(&Candor::new(), &["run", PARIS, "--plain"], &[]);
    assert!(seen.screen.contains("Goal reached") && !seen.screen.contains("\u{1b}[J"), "{}", seen.screen);
}

#[test]
fn a_plan_is_approved_where_it_is_shown() {
    let candor = Candor::with_config(GENERAL);
    let seen = at_terminal(
        &candor,
        &["run", VAGUE, "--run-id", "run_1", "--unattended"],
        &[("? help", "what?\n"), ("Invalid choice: what?", "?\n"), ("run this plan", "y\n")],
    );
    assert_eq!(seen.code, 0);
    assert!(seen.screen.contains("% only"), "the reasons are told: {}", seen.screen);
    assert_eq!(seen.screen.matches("% only").count(), 1, "once: {}", seen.screen);
    assert!(!seen.screen.contains("candor approve run_1"), "it is asked here: {}", seen.screen);
    assert_eq!(candor.run(["status", "run_1", "--json"]).json()["status"], "completed");
}

#[test]
fn a_plan_is_changed_or_rejected_where_it_is_shown() {
    // spec: findings UX-03
    let candor = Candor::with_config(GENERAL);
    let change = [("? help", "adjust task_001 agent_type mailer\n")];
    assert_eq!(at_terminal(&candor, &["run", VAGUE, "--run-id", "run_1", "--unattended"], &change).code, 0);
    let report = candor.run(["report", "run_1", "--json"]).json();
    assert_eq!(report["plan"]["subtasks"][0]["agent_type"], "mailer");
    // What succeeded once is no blind guess the next time, so this is another folder.
    let candor = Candor::with_config(GENERAL);
    let rejected = at_terminal(
        &candor,
        &["run", VAGUE, "--run-id", "run_2", "--unattended"],
        &[
            ("? help", "r\n"),
            ("Ambiguous choice: r; type re", "rej\n"),
            ("end the run? [y/N]", "n\n"),
            ("[y/N] n\r\n> ", "reject\n"),
            ("> reject\r\nReject the plan and end the run? [y/N] ", "y\n"),
        ],
    );
    assert_eq!(rejected.code, 1, "{}", rejected.screen);
}

#[test]
fn later_leaves_the_run_waiting() {
    let candor = Candor::with_config(GENERAL);
    let seen =
        at_terminal(&candor, &["run", VAGUE, "--run-id", "run_1", "--unattended"], &[("? help", "l\n")]);
    assert_eq!(seen.code, 3);
    assert!(seen.screen.contains("candor approve run_1"));
}

#[test]
fn a_failing_task_is_asked_about_below_the_failures_that_led_there() {
    let candor = Candor::with_config(QUICK);
    let args = ["run", PARIS, "--run-id", "run_1", "--fault", "hotel_agent=error"];
    let seen = at_terminal(&candor, &args, &[("? help", "2\n")]);
    assert_eq!(seen.code, 0);
    let asked = seen.screen.find("What should be done about Hotel search").unwrap();
    let failed = seen.screen.find("Hotel search failed: injected error").unwrap();
    assert!(failed < asked, "{}", seen.screen);
    // What is drawn next does not climb over the question: its first command to the terminal is not "up".
    let answered = seen.screen[asked..].split_once("> 2").unwrap().1;
    let first = answered.split_once("\u{1b}[").unwrap().1;
    assert!(!first.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('A'), "{first}");
}

#[test]
fn ctrl_c_at_a_question_ends_the_command_and_the_run_waits_on() {
    let candor = Candor::with_config(GENERAL);
    let seen =
        at_terminal(&candor, &["run", VAGUE, "--run-id", "run_1", "--unattended"], &[("? help", "\u{3}")]);
    assert!(seen.after_last_key < Duration::from_secs(5), "it did not wait for Enter");
    assert_eq!(seen.code, 3);
    assert_eq!(candor.run(["status", "run_1", "--json"]).json()["status"], "waiting_human");
}

#[test]
fn a_process_that_is_told_to_end_does_not_wait_for_an_answer() {
    let candor = Candor::with_config(GENERAL);
    let args = ["run", VAGUE, "--run-id", "run_1", "--unattended"];
    std::thread::scope(|scope| {
        let terminal = scope.spawn(|| at_terminal(&candor, &args, &[]));
        until("the run waits", || {
            candor.run(["status", "run_1", "--json"]).stdout.contains("\"waiting_human\"")
        });
        // A moment for the question to be on the screen.
        std::thread::sleep(Duration::from_millis(500));
        let process = process_in(candor.folder()).unwrap().to_string();
        Command::new("kill").args(["-TERM", &process]).status().unwrap();
        assert_ne!(terminal.join().unwrap().code, 0);
    });
    assert_eq!(candor.run(["status", "run_1", "--json"]).json()["status"], "waiting_human");
}

#[test]
fn a_plan_can_be_talked_about_where_it_is_shown() {
    // spec: orchestrator IP-05 IP-06
    let candor = Candor::with_config(GENERAL);
    let answers = [
        ("? help", "modify --set task_999 priority 1\n"),
        ("no such task", "revert 9\n"),
        ("Invalid choice", "modify --set task_001 priority 10\n"),
        ("Plan version 2", "1\n"),
    ];
    let seen = at_terminal(&candor, &["run", VAGUE, "--run-id", "run_1", "--unattended"], &answers);
    assert_eq!(seen.code, 0, "{}", seen.screen);
    for part in
        ["Plan version 1", "1 [ap]prove", "[as]k QUESTION", "[reg]enerate", "[rej]ect", "[l]ater (Enter)"]
    {
        assert!(seen.screen.contains(part), "no `{part}` in: {}", seen.screen);
    }
    let report = candor.run(["report", "run_1", "--json"]).json();
    assert_eq!(report["plan"]["subtasks"][0]["priority"], 10);
}

#[test]
fn a_guardrail_asks_where_it_halts() {
    // spec: findings UX-03
    // spec: orchestrator GR-08
    let candor = Candor::with_config(&format!("[guardrails]\nrules = \"rules.json\"\n{GENERAL}"));
    candor.write("rules.json", crate::command::phases::TRIPWIRE);
    let answers = [
        ("? help", "perhaps\n"),
        ("Invalid choice: perhaps", "?\n"),
        ("reword takes words of your own: reword WORDS", "re\n"),
        ("Your words: ", " \n"),
        (", and there are none", "\n"),
        ("Stop the run? It stays on record. [y/N]", "n\n"),
        ("[y/N] n\r\n> ", "STOP\n"),
        ("> STOP\r\nStop the run? It stays on record. [y/N]", "y\n"),
    ];
    let seen = at_terminal(&candor, &["run", "Write down the recipe", "--run-id", "run_1"], &answers);
    assert_eq!(seen.code, 1, "{}", seen.screen);
    assert!(seen.screen.contains("3 [c]ontinue: continue despite the finding"), "{}", seen.screen);
}

#[test]
fn a_prompt_closes_when_another_terminal_has_answered() {
    // spec: findings UX-04
    let candor = Candor::with_config(GENERAL);
    let seen = std::thread::scope(|scope| {
        let terminal =
            scope.spawn(|| at_terminal(&candor, &["run", VAGUE, "--run-id", "run_1", "--unattended"], &[]));
        until("the run waits", || {
            candor.run(["status", "run_1", "--json"]).stdout.contains("\"waiting_human\"")
        });
        candor.run(["approve", "run_1"]).ended_with(0).tells(&["told the process"]);
        terminal.join().unwrap()
    });
    assert_eq!(seen.code, 0, "{}", seen.screen);
    assert!(seen.screen.contains("Answered elsewhere."), "{}", seen.screen);
}

/// Answers what a run asks over the API of a server, as soon as it asks.
fn answer_by_api(server: &Server) {
    let asked = || server.get("/api/v1/questions").ended_with(200).json()["questions"].clone();
    until("the run asks", || asked().as_array().is_some_and(|asked| !asked.is_empty()));
    // A moment for the question to be on the screen.
    std::thread::sleep(Duration::from_millis(500));
    let question = asked()[0].clone();
    let (run, gate) = (question["run_id"].as_str().unwrap(), question["gate"].as_str().unwrap());
    let body = serde_json::json!({ "decision": "approve", "digest": question["digest"] });
    server.post(&format!("/api/v1/runs/{run}/questions/{gate}"), body).ended_with(202);
}

#[test]
fn a_prompt_closes_when_a_server_has_answered() {
    // spec: findings UX-04
    // Driven here and answered over the API, and driven by the server that is asked about it here.
    for is_remote in [false, true] {
        let candor = Candor::with_config(GENERAL);
        let server = Server::start(&candor);
        let at = format!("export CANDOR_SERVER=http://{} CANDOR_TOKEN={}; ", server.address, server.token);
        let (setup, args) = (if is_remote { &at } else { "" }, ["run", VAGUE, "--unattended"]);
        let seen = std::thread::scope(|scope| {
            let terminal = scope.spawn(|| at_terminal_of(setup, &candor, &args, &[]));
            answer_by_api(&server);
            terminal.join().unwrap()
        });
        assert_eq!(seen.code, 0, "{}", seen.screen);
        assert!(seen.screen.contains("Answered elsewhere."), "{}", seen.screen);
    }
}

#[test]
fn colours_are_used_where_they_are_wanted() {
    let candor = Candor::new();
    // `ESC [ 3 digit m` is a colour, `ESC [ 3 A` moves the cursor.
    let coloured = |said: &str| said.split("\u{1b}[3").skip(1).any(|rest| rest.get(1..2) == Some("m"));
    let run = |args: &[&str]| candor.run([&["run", PARIS, "--plain"], args].concat()).stdout;
    assert!(!coloured(&run(&[])), "a pipe");
    assert!(coloured(&run(&["--color", "always"])));
    let shown = at_terminal(&candor, &["run", PARIS], &[]).screen;
    assert!(coloured(&shown));
    let never = at_terminal(&candor, &["run", PARIS, "--color", "never"], &[]).screen;
    assert!(!coloured(&never) && never.contains("100%"), "{never}");
    let no_color = at_terminal_of("export NO_COLOR=1; ", &candor, &["run", PARIS], &[]).screen;
    assert!(!coloured(&no_color), "{no_color}");
    let dumb = at_terminal_of("export TERM=dumb; ", &candor, &["run", PARIS], &[]).screen;
    assert!(!dumb.contains('\u{1b}') && dumb.contains("Goal reached"), "{dumb}");
}

/// The process of the command that runs in this folder.
fn process_in(folder: &std::path::Path) -> Option<u32> {
    processes_in(folder).first().copied()
}

fn processes_in(folder: &std::path::Path) -> Vec<u32> {
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let here =
        processes.filter(|it| std::fs::read_link(it.path().join("cwd")).is_ok_and(|cwd| cwd == folder));
    let named = |it: &std::fs::DirEntry| {
        std::fs::read_to_string(it.path().join("comm")).is_ok_and(|name| name.trim() == "candor")
    };
    here.filter(named).filter_map(|it| it.file_name().to_str()?.parse().ok()).collect()
}

/// The processor time that a process has used, in hundredths of a second.
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    [11, 12].map(|at: usize| fields[at].parse::<u64>().unwrap()).iter().sum()
}

#[test]
fn the_dashboard_fits_its_terminal_and_rests_while_nothing_happens() {
    // spec: orchestrator DB-05 DB-06
    let agents = "[[agents]]\nagent_type = \"press\"\nspecialization = \"Prints\"\ncommand = [\"sh\", \"-c\", \"cat > /dev/null; echo jam >&2; exit 3\"]\n\
        [[agents]]\nagent_type = \"dryer\"\nspecialization = \"Dries\"\ncommand = [\"sh\", \"-c\", \"cat > /dev/null; until [ -e dry ]; do sleep 0.2; done; echo '{\\\"outputs\\\":{\\\"dry\\\":1}}'\"]\n";
    let candor = Candor::with_config(&format!(
        "[limits]\nagent_timeout = 60\n[limits.retry]\nmax_retries = 0\n{agents}"
    ));
    let plan = |agent: &str| {
        let task =
            serde_json::json!({"task_id": "t1", "description": "Print the poster", "agent_type": agent});
        serde_json::json!({ "subtasks": [task] }).to_string()
    };
    candor.write("press.json", plan("press"));
    candor.write("dryer.json", plan("dryer"));
    candor.run(["run", "--plan", "press.json", "--unattended", "--run-id", "run_1"]).ended_with(1);
    for (columns, language, words) in [
        (80, "en", ["aborted", "✗ 5 Execution", "Last 24 h: 1 run, 1 ended", "Circuits opened"]),
        (120, "es", ["abortada", "✗ 5 Ejecución", "Últimas 24 h: 1 ejecución", "Circuitos abiertos"]),
    ] {
        let setup = format!("stty cols {columns} rows 40; ");
        let seen = at_terminal_of(&setup, &candor, &["--lang", language, "dashboard", "run_1"], &[]);
        let fits = |line: &str| line.trim_end().chars().count() <= columns;
        assert!(seen.screen.lines().all(fits), "wider than {columns}:\n{}", seen.screen);
        words.iter().for_each(|word| assert!(seen.screen.contains(word), "no {word} in:\n{}", seen.screen));
    }
    // A run under way is followed; while its agent sleeps, nothing is drawn.
    let mut run = candor.start(["run", "--plan", "dryer.json", "--unattended", "--run-id", "run_2"]);
    until("the dryer is at work", || {
        candor.run(["status", "run_2", "--json"]).stdout.contains("in_progress")
    });
    std::thread::scope(|scope| {
        let watched = scope.spawn(|| at_terminal(&candor, &["dashboard", "run_2"], &[]));
        let mut process = None;
        let is_another = |found: &u32| *found != run.id();
        until("the dashboard runs", || {
            process = processes_in(candor.folder()).into_iter().find(is_another);
            process.is_some()
        });
        std::thread::sleep(Duration::from_secs(2));
        let before = ticks(process.unwrap());
        std::thread::sleep(Duration::from_secs(3));
        let used = ticks(process.unwrap()) - before;
        candor.write("dry", "");
        assert!(used <= 6, "{used} hundredths of a second in 3 s");
        assert!(watched.join().unwrap().screen.contains("completed"));
    });
    assert!(run.wait().unwrap().success());
}

#[test]
fn drawing_a_run_that_waits_for_its_agents_costs_next_to_nothing() {
    // spec: findings UX-04
    let sleeper = "[limits]\nagent_timeout = 60\n[[agents]]\nagent_type = \"sleeper\"\nspecialization = \"Sleeps\"\n\
        command = [\"sh\", \"-c\", \"cat > /dev/null; sleep 9; echo '{\\\"outputs\\\":{\\\"result\\\":1}}'\"]\n";
    let candor = Candor::with_config(sleeper);
    let task = |n: u32| serde_json::json!({"task_id": format!("t{n}"), "description": format!("Sleep {n}"), "agent_type": "sleeper"});
    candor.write(
        "plan.json",
        serde_json::json!({ "subtasks": (1..=8).map(task).collect::<Vec<_>>() }).to_string(),
    );
    std::thread::scope(|scope| {
        let terminal = scope.spawn(|| at_terminal(&candor, &["run", "--plan", "plan.json"], &[]));
        let mut process = None;
        until("the command runs", || {
            process = process_in(candor.folder());
            process.is_some()
        });
        std::thread::sleep(Duration::from_secs(2));
        let process = process.unwrap();
        let (before, since) = (ticks(process), Instant::now());
        std::thread::sleep(Duration::from_secs(5));
        let (used, seconds) = (ticks(process) - before, since.elapsed().as_secs_f64());
        // 2 % of a core is 2 hundredths of a second in a second.
        assert!(used as f64 <= 2.0 * seconds, "{used} hundredths of a second in {seconds:.1} s");
        assert_eq!(terminal.join().unwrap().code, 0);
    });
}
