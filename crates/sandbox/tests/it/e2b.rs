//! Programs in sandboxes of E2B, against a server of our own that answers like E2B and really runs them.

use std::time::{Duration, Instant};

use candor_model::{FailureKind, JsonMap, Seconds, Transience};
use candor_ports::{CodeFault, CodeJob, CodeLimit, CodeOutcome, CodeResult, CodeRun, CodeRunner};
use candor_sandbox::e2b::{E2b, E2bConfig, E2bError, Secret};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::e2b_support::{Act, KEY, Script, Server, TOKEN};

mod fixtures {
    use super::*;

    pub(crate) fn config(server: &Server) -> E2bConfig {
        let mut config = E2bConfig::new(KEY);
        config.api = server.url.clone();
        config.sandbox_url = Some(server.url.clone());
        config
    }

    pub(crate) fn job(code: &str, context: Value) -> CodeJob {
        let Value::Object(context) = context else { panic!("a context is a map") };
        let timeout = Duration::from_secs(20);
        CodeJob { code: code.to_owned(), context, result: CodeResult::Context, timeout }
    }

    pub(crate) async fn run_job(server: &Server, job: &CodeJob) -> Result<CodeRun, CodeFault> {
        E2b::new(config(server)).unwrap().run(job, CancellationToken::new()).await
    }

    /// Runs a program on a server that behaves, which must be left without a sandbox.
    pub(crate) async fn run(code: &str, context: Value) -> CodeRun {
        let server = Server::start(Script::default()).await;
        let run = run_job(&server, &job(code, context)).await.unwrap();
        assert_eq!(server.lines(), ["POST /sandboxes", "POST /execute", "DELETE /sandboxes/i1x"]);
        assert_eq!(server.open_sandboxes(), 0);
        run
    }

    /// What is told when a server misbehaves; a sandbox that was made must be gone.
    pub(crate) async fn fault(script: Script) -> (String, Vec<String>) {
        let server = Server::start(script).await;
        let mut job = job("context['x'] = 1", json!({}));
        job.timeout = Duration::from_secs(3);
        let fault = run_job(&server, &job).await.unwrap_err();
        assert_eq!(server.open_sandboxes(), 0, "{:?}", server.lines());
        assert!(!fault.0.message.contains(KEY), "{fault}");
        (fault.0.message, server.lines())
    }

    pub(crate) fn refusing(status: u16) -> Act {
        let body = json!({ "code": status, "message": format!("so said E2B to {KEY}") });
        Act::Answer(status, "", body.to_string())
    }

    pub(crate) fn opening(acts: impl Into<Vec<Act>>) -> Script {
        Script { open: acts.into().into(), ..Script::default() }
    }

    pub(crate) fn running(acts: impl Into<Vec<Act>>) -> Script {
        Script { run: acts.into().into(), ..Script::default() }
    }

    pub(crate) fn finished(run: &CodeRun) -> &JsonMap {
        match &run.outcome {
            CodeOutcome::Finished { result } => result,
            other => panic!("{other:?}\n{}", run.stderr),
        }
    }

    pub(crate) fn bad(run: &CodeRun) -> &str {
        match &run.outcome {
            CodeOutcome::BadResult { reason } => reason,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn no_result(run: &CodeRun) -> &str {
        match &run.outcome {
            CodeOutcome::NoResult { reason } => reason,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn raised(run: &CodeRun) -> (&str, &str, Option<u32>, &str) {
        match &run.outcome {
            CodeOutcome::Raised { name, text, line, trace } => (name, text, *line, trace),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn mebibytes() -> String {
        let text = "x".repeat(1024 * 1024);
        format!("{}\n", json!({ "type": "stdout", "text": text }))
    }
}

use self::fixtures::*;

// ---- What is sent.

// spec: code-agent SB-01, SB-02
#[tokio::test]
async fn a_sandbox_is_made_used_and_ended_as_e2bs_libraries_do_it() {
    let server = Server::start(Script::default()).await;
    let mut job = job("context['x'] = 1", json!({}));
    job.timeout = Duration::from_millis(4_200);
    let run = run_job(&server, &job).await.unwrap();
    assert_eq!(Value::Object(finished(&run).clone()), json!({ "x": 1 }));
    let seen = server.seen();
    let [open, execute, end] = seen.as_slice() else { panic!("{:?}", server.lines()) };
    assert_eq!((open.method.as_str(), open.path.as_str()), ("POST", "/sandboxes"));
    assert_eq!(open.headers["x-api-key"], KEY);
    assert_eq!(open.headers["content-type"], "application/json");
    // Its own end is a little after that of the program: 4.2 s, in whole seconds, and fifteen more.
    let expected = json!({
        "templateID": "code-interpreter-v1", "timeout": 20, "autoPause": false, "secure": true,
        "allow_internet_access": false,
    });
    assert_eq!(open.body, expected);
    assert_eq!((execute.method.as_str(), execute.path.as_str()), ("POST", "/execute"));
    let header = |name: &str| execute.headers.get(name).map(String::as_str);
    assert_eq!(header("x-access-token"), Some(TOKEN));
    assert_eq!(header("e2b-sandbox-id"), Some("i1x"));
    assert_eq!(header("e2b-sandbox-port"), Some("49999"));
    assert_eq!(header("e2b-traffic-access-token"), None);
    // The key is for the service; a sandbox runs programs that nobody trusts.
    assert!(execute.headers.values().all(|value| !value.contains(KEY)));
    assert!(execute.body["code"].as_str().unwrap().contains("__NOVA_RESULT__:"));
    assert_eq!((end.method.as_str(), end.path.as_str()), ("DELETE", "/sandboxes/i1x"));
    assert_eq!(end.headers["x-api-key"], KEY);
}

#[tokio::test]
async fn tokens_are_sent_if_the_service_gives_them_and_only_then() {
    let says = [("envdAccessToken".to_owned(), Value::Null), ("trafficAccessToken".to_owned(), json!("tt"))];
    let server = Server::start(Script { says: says.into(), ..Script::default() }).await;
    run_job(&server, &job("", json!({}))).await.unwrap();
    let execute = &server.seen()[1];
    assert_eq!(execute.headers.get("x-access-token"), None);
    assert_eq!(execute.headers["e2b-traffic-access-token"], "tt");
}

#[tokio::test]
async fn template_internet_and_patterns_of_addresses_can_be_chosen() {
    let server = Server::start(Script::default()).await;
    let mut config = config(&server);
    (config.template, config.internet) = ("mine".to_owned(), true);
    config.sandbox_url = Some(format!("{}/{{id}}/{{port}}/", server.url));
    let fault =
        E2b::new(config).unwrap().run(&job("", json!({})), CancellationToken::new()).await.unwrap_err();
    // Our server knows no such path; what counts is that it was asked there.
    assert!(fault.0.message.contains("status 401"), "{fault}");
    let seen = server.seen();
    assert_eq!(
        (&seen[0].body["templateID"], &seen[0].body["allow_internet_access"]),
        (&json!("mine"), &json!(true))
    );
    assert_eq!(server.lines()[1..], ["POST /i1x/49999/execute", "DELETE /sandboxes/i1x"]);
}

// ---- What comes of programs.

// spec: code-agent SB-03, SB-04, NX-14
#[tokio::test]
async fn any_text_arrives_and_comes_back_unchanged() {
    let odd = "'''+x+'''\n\\\"é";
    let texts = json!({
        "odd": odd, odd: 1, "more": "\u{0}\u{1b}[0m\r\n\u{2028}😀{{code}}\"\"\" {x} %s !ls",
        "deep": [{ "n": [1, -2.5, 1e300, true, null, u64::MAX, i64::MIN] }],
    });
    let code = "assert context['odd'] == \"'''+x+'''\\n\\\\\\\"\\u00e9\", context['odd']\ncontext['same'] = context['odd']";
    let run = run(code, texts.clone()).await;
    let mut expected = texts;
    expected["same"] = json!(odd);
    assert_eq!(Value::Object(finished(&run).clone()), expected);
    assert_eq!(run.warnings, [""; 0]);
}

// spec: code-agent SB-03
#[tokio::test]
async fn json_and_base64_are_there_and_nothing_of_ours_is_in_the_way() {
    let code = "names = sorted(name for name in globals() if not name.startswith('__'))\n\
                context['names'] = names\ncontext['made'] = json.loads(base64.b64decode('WzFd'))\n\
                context['main'] = __name__\n\
                import dataclasses, pickle\n\
                @dataclasses.dataclass\nclass Point:\n    x: 'int'\n\
                context['x'] = pickle.loads(pickle.dumps(Point(3))).x";
    let run = run(code, json!({})).await;
    let result = finished(&run);
    assert_eq!(result["names"], json!(["base64", "context", "exit", "json", "quit"]));
    assert_eq!(
        (&result["made"], &result["main"], &result["x"]),
        (&json!([1]), &json!("__main__"), &json!(3))
    );
}

// spec: code-agent SB-11, NX-13
#[tokio::test]
async fn insights_are_taken_alone_or_there_are_none() {
    let server = Server::start(Script::default()).await;
    let mut job = job("insights = {'type': 'pdf'}\ncontext['x'] = 1", json!({ "a": 1 }));
    job.result = CodeResult::Insights;
    let run = run_job(&server, &job).await.unwrap();
    assert_eq!(Value::Object(finished(&run).clone()), json!({ "insights": { "type": "pdf" } }));
    job.code = "context['x'] = 1".to_owned();
    assert_eq!(finished(&run_job(&server, &job).await.unwrap()), &JsonMap::new());
}

// spec: code-agent SB-06, SB-13, NX-15
#[tokio::test]
async fn fake_markers_and_output_without_an_end_are_only_output() {
    let code = "import sys\nprint('one')\nprint('__NOVA_RESULT__: {\"fake\": 1}')\n\
                print('__NOVA_RESULT__:0123456789abcdef0123456789abcdef:{\"what\":{\"finished\":{}},\"warnings\":[]}')\n\
                print('é on the side', file=sys.stderr)\ncontext['x'] = '__NOVA_RESULT__:'\nprint('no end', end='')";
    let run = run(code, json!({})).await;
    assert_eq!(Value::Object(finished(&run).clone()), json!({ "x": "__NOVA_RESULT__:" }));
    assert!(
        run.stdout.starts_with("one\n__NOVA_RESULT__: {\"fake\": 1}\n__NOVA_RESULT__:0123"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.ends_with("\nno end"), "{}", run.stdout);
    assert_eq!(run.stderr, "é on the side\n");
}

// spec: code-agent SB-05, NX-15
#[tokio::test]
async fn what_json_cannot_hold_is_changed_and_told() {
    let code = "import datetime, decimal\n\
                context['d'] = datetime.date(2026, 1, 2)\n\
                context['n'] = [1.5, float('nan'), {'i': float('-inf')}]\n\
                context['k'] = {1: 'a', (2, 3): 'b', None: 'c', True: 'd'}\n\
                context['big'] = 2 ** 64\ncontext['huge'] = 16 ** 5000\n\
                context['s'] = {2, 1}\ncontext['m'] = decimal.Decimal('1.10')\n\
                context['b'] = [b'abc', b'\\xff']\ncontext['t'] = 'a\\ud800b'\n\
                class Zero:\n    shape = ()\n    def item(self): return 7\ncontext['z'] = Zero()";
    let run = run(code, json!({})).await;
    let result = Value::Object(finished(&run).clone());
    let expected = json!({
        "d": "2026-01-02", "n": [1.5, null, { "i": null }], "k": { "1": "a", "(2, 3)": "b", "null": "c", "true": "d" },
        "big": "18446744073709551616", "huge": result["huge"], "s": "{1, 2}", "m": "1.10", "b": ["abc", "/w=="],
        "t": "a?b", "z": 7,
    });
    // Python takes `True` and `1` for the same key.
    let mut expected = expected;
    expected["k"] = json!({ "1": "d", "(2, 3)": "b", "null": "c" });
    assert_eq!(result, expected);
    assert!(result["huge"].as_str().unwrap().starts_with("0x1000"));
    let told = [
        "`context.d` is of the type date and was turned into text",
        "`context.n[1]` is nan, which JSON cannot hold, and was turned into null",
        "`context.n[2].i` is -inf, which JSON cannot hold, and was turned into null",
        "`context.t` holds half characters, which were turned into question marks",
        "`context.b[1]` is of the type bytes and was turned into base64",
    ];
    for warning in told {
        assert!(run.warnings.iter().any(|told| told == warning), "{warning}: {:?}", run.warnings);
    }
}

#[tokio::test]
async fn of_many_warnings_the_first_ones_are_told() {
    let run = run("context['n'] = [float('nan')] * 1000", json!({})).await;
    assert_eq!(run.warnings.len(), 21);
    assert_eq!(run.warnings[20], "and 980 more of this kind");
}

// spec: code-agent SB-01
#[tokio::test]
async fn a_context_that_is_no_map_or_cannot_be_told_is_a_bad_result() {
    let cases = [
        ("context = [1]", "the program made `context` a list; it must stay a map (dict)"),
        ("del context", "the program deleted the variable `context`"),
        ("context['me'] = context", "`context.me` holds itself; JSON cannot tell of that"),
        ("x = []\nfor _ in range(200): x = [x]\ncontext['x'] = x", "is nested more than 100 deep"),
        ("class C:\n  def __str__(self): raise ValueError('no')\ncontext['c'] = C()", "turned into JSON: no"),
        ("class C:\n  def __str__(self): raise SystemExit\ncontext['c'] = C()", "turned into JSON"),
    ];
    for (code, reason) in cases {
        let run = run(code, json!({})).await;
        assert!(bad(&run).contains(reason), "{code}: {}", bad(&run));
    }
}

// spec: code-agent SB-01
#[tokio::test]
async fn a_result_may_be_as_deep_as_is_said() {
    let code = "x = 1\nfor _ in range(99): x = [x]\ncontext['x'] = x";
    finished(&run(code, json!({})).await);
}

// spec: code-agent SB-07
#[tokio::test]
async fn a_result_that_was_tampered_with_is_told_with_its_cause() {
    let code = "import sys, os\nframe = sys._getframe()\nwhile 'marker' not in frame.f_locals: frame = frame.f_back\n\
                sys.stdout.write(frame.f_locals['marker'] + ' {bad\\n')\nsys.stdout.flush()\nos._exit(0)";
    let run = run(code, json!({})).await;
    assert!(bad(&run).starts_with("Invalid JSON in result: key must be a string"), "{}", bad(&run));
}

// spec: code-agent SB-08, NX-19
#[tokio::test]
async fn whoever_leaves_early_has_no_result() {
    let cases = [
        ("exit()", "the program left with exit() before its end"),
        ("quit(3)", "exit(3)"),
        ("import sys\nsys.exit('enough')", "exit('enough')"),
        ("raise SystemExit", "exit()"),
        (
            "import os\nprint('__NOVA_RESULT__: {bad', flush=True)\nos._exit(0)",
            "the program ended without a result",
        ),
        ("import os\nos._exit(7)", "the Python process ended before the program did"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "the Python process ended"),
    ];
    for (code, reason) in cases {
        let run = run(&format!("context['x'] = 1\n{code}"), json!({})).await;
        assert!(no_result(&run).contains(reason), "{code}: {}", no_result(&run));
    }
}

// spec: code-agent SB-02, SB-09
#[tokio::test]
async fn exceptions_are_told_with_name_text_line_and_trace() {
    let run = run("print('before')\n\ndef f():\n    return 1/0\nf()\n", json!({})).await;
    let (name, text, line, trace) = raised(&run);
    assert_eq!((name, text, line), ("ZeroDivisionError", "division by zero", Some(4)));
    assert!(trace.contains("File \"<code>\", line 5, in <module>\n    f()\n"), "{trace}");
    assert!(trace.contains("return 1/0") && !trace.contains("_candor"), "{trace}");
    assert_eq!(run.stdout, "before\n");
}

// spec: code-agent SB-09
#[tokio::test]
async fn the_line_is_that_of_the_program_also_where_others_raise() {
    let cases = [
        ("x = 1\nx =\n", "SyntaxError", Some(2)),
        ("\n\njson.loads('{')", "JSONDecodeError", Some(3)),
        ("def f():\n  f()\nf()", "RecursionError", Some(2)),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", Some(1)),
        ("class Own(Exception):\n  def __str__(self): raise self\nraise Own", "Own", Some(3)),
        ("x = '\u{0}'", "SyntaxError", None),
        ("'''+x+'''\nundefined", "NameError", Some(2)),
    ];
    for (code, expected, at) in cases {
        let run = run(code, json!({})).await;
        let (name, text, line, _) = raised(&run);
        // How Python calls a null character differs between its versions.
        let name = if name == "ValueError" { "SyntaxError" } else { name };
        assert_eq!((name, line.filter(|_| at.is_some())), (expected, at), "{code}: {text}");
    }
}

#[tokio::test]
async fn more_memory_than_there_is_is_a_limit() {
    let run = run("raise MemoryError", json!({})).await;
    assert!(matches!(run.outcome, CodeOutcome::Limit { limit: CodeLimit::Memory, .. }), "{:?}", run.outcome);
}

// spec: code-agent SB-02
#[tokio::test]
async fn nothing_of_a_run_is_left_for_the_next() {
    let server = Server::start(Script::default()).await;
    let code = "import os\ncontext['was'] = sorted(os.listdir('.'))\nopen('left', 'w').write('x')\n\
                import builtins\ncontext['had'] = hasattr(builtins, 'mine')\nbuiltins.mine = 1";
    for n in 1..=2 {
        let run = run_job(&server, &job(code, json!({}))).await.unwrap();
        assert_eq!(Value::Object(finished(&run).clone()), json!({ "was": [], "had": false }), "run {n}");
    }
    let lines = server.lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("POST /sandboxes")).count(), 2);
    assert_eq!(server.open_sandboxes(), 0);
}

// spec: code-agent SB-13
#[tokio::test]
async fn of_much_output_the_beginning_and_the_end_are_kept() {
    let code = "import sys\nfor stream in (sys.stdout, sys.stderr):\n  print('first', 'x' * 300_000, 'last', file=stream)\n\
                context['x'] = 1";
    let run = run(code, json!({})).await;
    finished(&run);
    for text in [&run.stdout, &run.stderr] {
        assert!(text.starts_with("first ") && text.ends_with(" last\n"), "{}", text.len());
        assert!(text.len() < 66_000 && text.contains("bytes left out"), "{}", text.len());
    }
}

// spec: code-agent SB-01
#[tokio::test]
async fn large_contexts_go_both_ways() {
    let text = "é\"\\".repeat(500_000);
    let run = run("context['n'] = len(context['big'])", json!({ "big": text })).await;
    assert_eq!(
        (&finished(&run)["n"], finished(&run)["big"].as_str()),
        (&json!(1_500_000), Some(text.as_str()))
    );
}

// ---- Ends before the end.

// spec: code-agent SB-10, SB-02
#[tokio::test]
async fn an_endless_loop_is_ended_in_time() {
    let server = Server::start(Script::default()).await;
    let mut job = job("while True: pass", json!({}));
    job.timeout = Duration::from_secs(1);
    let begun = Instant::now();
    let run = run_job(&server, &job).await.unwrap();
    assert_eq!(run.outcome, CodeOutcome::TimedOut);
    let took = begun.elapsed();
    assert!((1.0..2.5).contains(&took.as_secs_f64()), "{took:?}");
    assert!((1.0..2.0).contains(&run.duration.as_secs_f64()), "{:?}", run.duration);
    assert_eq!(server.lines().last().unwrap(), "DELETE /sandboxes/i1x");
    assert_eq!(server.open_sandboxes(), 0);
}

// spec: code-agent SB-10, SB-13
#[tokio::test]
async fn what_was_printed_before_the_time_was_up_is_kept() {
    let server = Server::start(Script::default()).await;
    let mut job = job("print('begun', flush=True)\nwhile True: pass", json!({}));
    job.timeout = Duration::from_secs(4);
    let run = run_job(&server, &job).await.unwrap();
    assert_eq!((run.outcome, run.stdout.as_str()), (CodeOutcome::TimedOut, "begun\n"));
}

// spec: code-agent SB-02
#[tokio::test]
async fn whoever_is_asked_to_stop_stops_soon() {
    let server = Server::start(Script::default()).await;
    let stop = CancellationToken::new();
    let (e2b, job) = (E2b::new(config(&server)).unwrap(), job("while True: pass", json!({})));
    let begun = Instant::now();
    let (run, ()) = tokio::join!(e2b.run(&job, stop.clone()), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        stop.cancel();
    });
    assert_eq!(run.unwrap().outcome, CodeOutcome::Stopped);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(server.open_sandboxes(), 0);
}

// spec: code-agent SB-02
#[tokio::test]
async fn stopped_while_its_sandbox_is_made_nothing_is_run_and_the_sandbox_is_ended() {
    let server = Server::start(opening([Act::Late(Duration::from_millis(300))])).await;
    let stop = CancellationToken::new();
    let (e2b, job) = (E2b::new(config(&server)).unwrap(), job("", json!({})));
    let (run, ()) = tokio::join!(e2b.run(&job, stop.clone()), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.cancel();
    });
    assert_eq!(run.unwrap().outcome, CodeOutcome::Stopped);
    server.all_gone().await;
    assert_eq!(server.lines(), ["POST /sandboxes", "DELETE /sandboxes/i1x"]);
}

// spec: code-agent SB-02
#[tokio::test]
async fn stopped_before_it_began_nothing_is_sent() {
    let server = Server::start(Script::default()).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let run = E2b::new(config(&server)).unwrap().run(&job("", json!({})), stop).await.unwrap();
    assert_eq!((run.outcome, server.lines().len()), (CodeOutcome::Stopped, 0));
}

// spec: code-agent SB-02
#[tokio::test]
async fn a_sandbox_is_ended_when_the_work_on_it_is_dropped() {
    for millis in [100, 600] {
        // At first while the sandbox is made, then while the program runs.
        let server = Server::start(opening([Act::Late(Duration::from_millis(300))])).await;
        let (e2b, job) = (E2b::new(config(&server)).unwrap(), job("while True: pass", json!({})));
        let run = e2b.run(&job, CancellationToken::new());
        tokio::time::timeout(Duration::from_millis(millis), run).await.unwrap_err();
        drop(e2b);
        server.all_gone().await;
        assert_eq!(server.lines().last().unwrap(), "DELETE /sandboxes/i1x", "{millis}");
    }
}

// spec: code-agent SB-02
#[tokio::test]
async fn many_at_a_time_have_a_sandbox_each() {
    let server = Server::start(Script::default()).await;
    let e2b = E2b::new(config(&server)).unwrap();
    let jobs: Vec<CodeJob> = (0..8).map(|n| job("context['n'] *= 2", json!({ "n": n }))).collect();
    let runs: Vec<_> = jobs
        .into_iter()
        .map(|job| {
            let e2b = e2b.clone();
            tokio::spawn(async move { e2b.run(&job, CancellationToken::new()).await.unwrap() })
        })
        .collect();
    for (n, run) in runs.into_iter().enumerate() {
        assert_eq!(finished(&run.await.unwrap())["n"], json!(n * 2));
    }
    assert_eq!((server.seen().len(), server.open_sandboxes()), (24, 0));
}

// ---- Servers that misbehave.

#[tokio::test]
async fn refusals_of_the_service_are_told_in_plain_words() {
    let cases = [
        (401, "the access key was refused; check E2B_API_KEY"),
        (403, "the access key was refused; check E2B_API_KEY"),
        (404, "there is no template `code-interpreter-v1`"),
        (400, "no sandbox was made"),
        (500, "the service has a problem of its own; try again later"),
        (503, "the service has a problem of its own; try again later"),
        (302, "points elsewhere"),
    ];
    for (status, words) in cases {
        let (reason, lines) = fault(opening([refusing(status)])).await;
        assert!(reason.starts_with("E2B: ") && reason.contains(words), "{reason}");
        assert!(reason.contains(&format!("(status {status}")), "{reason}");
        assert!(reason.contains("so said E2B to [redacted:key]"), "{reason}");
        assert_eq!(lines, ["POST /sandboxes"]);
    }
}

// spec: code-agent SB-02
#[tokio::test]
async fn refusals_of_the_sandbox_are_told_in_plain_words_and_it_is_ended() {
    let cases = [
        (403, "did not take its own access token"),
        (404, "the sandbox is gone"),
        (502, "its template `code-interpreter-v1` does not run Python"),
        (500, "the service has a problem of its own"),
        (422, "the program was not run"),
    ];
    for (status, words) in cases {
        let (reason, lines) = fault(running([refusing(status)])).await;
        assert!(reason.contains(words), "{reason}");
        assert_eq!(lines, ["POST /sandboxes", "POST /execute", "DELETE /sandboxes/i1x"]);
    }
}

#[tokio::test]
async fn a_busy_service_is_asked_once_more_after_the_time_it_wants() {
    let busy = || Act::Answer(429, "Retry-After: 1\r\n", "{}".to_owned());
    let server = Server::start(Script { run: [busy()].into(), ..opening([busy()]) }).await;
    let begun = Instant::now();
    finished(&run_job(&server, &job("context['x'] = 1", json!({}))).await.unwrap());
    assert!(begun.elapsed() >= Duration::from_secs(2), "{:?}", begun.elapsed());
    let expected =
        ["POST /sandboxes", "POST /sandboxes", "POST /execute", "POST /execute", "DELETE /sandboxes/i1x"];
    assert_eq!(server.lines(), expected);
}

#[tokio::test]
async fn a_service_that_stays_busy_is_not_asked_a_third_time_nor_waited_for_too_long() {
    let busy = |wait| Act::Answer(429, wait, "{\"message\":\"quota\"}".to_owned());
    let (reason, lines) = fault(opening([busy("Retry-After: 0\r\n"), busy("Retry-After: 0\r\n")])).await;
    assert!(reason.contains("too many requests") && reason.contains("quota"), "{reason}");
    assert_eq!(lines.len(), 2);
    let begun = Instant::now();
    let (reason, lines) = fault(opening([busy("Retry-After: 3600\r\n")])).await;
    assert!(reason.contains("asked again in 3600 s"), "{reason}");
    assert_eq!(lines.len(), 1);
    let (reason, _) = fault(running([busy("Retry-After: 4\r\n")])).await;
    assert!(reason.contains("asked again in 4 s"), "{reason}");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

/// What kind of failure it is, and whether it passes.
fn kind(fault: &CodeFault) -> (FailureKind, Transience) {
    (fault.0.kind, fault.0.transience)
}

#[tokio::test]
async fn a_refusal_has_the_kind_of_its_status() {
    let busy = Act::Answer(429, "Retry-After: 3600\r\n", "{}".to_owned());
    for (act, expected, retry) in [
        (busy, (FailureKind::RateLimited, Transience::Transient), Some(3_600.0)),
        (refusing(403), (FailureKind::Denied, Transience::Permanent), None),
        (refusing(404), (FailureKind::Unavailable, Transience::Permanent), None),
        (refusing(503), (FailureKind::Unavailable, Transience::Transient), None),
        (
            Act::Answer(201, "", "http timeout=30s".into()),
            (FailureKind::BadOutput, Transience::Unknown),
            None,
        ),
        (Act::Cut("{\"sandbox".into()), (FailureKind::Unavailable, Transience::Unknown), None),
    ] {
        let server = Server::start(opening([act])).await;
        let fault = run_job(&server, &job("", json!({}))).await.unwrap_err();
        assert_eq!((kind(&fault), fault.0.retry_after.map(Seconds::get)), (expected, retry), "{fault}");
    }
}

#[tokio::test]
async fn answers_about_a_sandbox_that_cannot_be_used_are_told() {
    let cases = [
        (Act::Answer(201, "", "<html>".into()), "it is not JSON"),
        (Act::Answer(201, "", "{}".into()), "`sandboxID` is missing"),
        (Act::Answer(201, "", "{\"sandboxID\":\"../x\"}".into()), "`sandboxID` is missing or no name"),
        (Act::Cut("{\"sandbox".into()), "broke"),
        (Act::Endless("x".repeat(9_000)), "sent more than 65536 bytes"),
    ];
    for (act, words) in cases {
        let (reason, _) = fault(opening([act])).await;
        assert!(reason.contains(words), "{words}: {reason}");
    }
}

// spec: code-agent SB-02
#[tokio::test]
async fn a_sandbox_that_cannot_be_reached_as_told_is_ended() {
    let fields =
        [("domain", json!("evil.example/?x="), "`domain`"), ("envdAccessToken", json!("a\nb"), "no token")];
    for (field, value, words) in fields {
        let script = Script { says: [(field.to_owned(), value)].into(), ..Script::default() };
        let server = Server::start(script).await;
        let fault = run_job(&server, &job("", json!({}))).await.unwrap_err();
        assert!(fault.0.message.contains(words) && !fault.0.message.contains("evil"), "{fault}");
        server.all_gone().await;
        assert_eq!(server.lines(), ["POST /sandboxes", "DELETE /sandboxes/i1x"]);
    }
}

// spec: code-agent SB-02
#[tokio::test]
async fn a_service_that_says_nothing_is_not_waited_for_for_ever() {
    let server = Server::start(opening([Act::Late(Duration::from_secs(1))])).await;
    let mut config = config(&server);
    config.start_within = Duration::from_millis(500);
    let fault =
        E2b::new(config).unwrap().run(&job("", json!({})), CancellationToken::new()).await.unwrap_err();
    assert!(fault.0.message.contains("did not answer within 0.5 s"), "{fault}");
    assert_eq!(kind(&fault), (FailureKind::Timeout, Transience::Transient));
    // The sandbox that came too late is ended all the same.
    server.all_gone().await;
    assert_eq!(server.lines(), ["POST /sandboxes", "DELETE /sandboxes/i1x"]);
}

// spec: code-agent SB-02, SB-10
#[tokio::test]
async fn a_sandbox_that_says_nothing_is_a_fault_and_no_slow_program() {
    let begun = Instant::now();
    let (reason, lines) = fault(running([Act::Hang])).await;
    assert!(reason.contains("/ did not answer within 3 s"), "{reason}");
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    assert_eq!(lines.last().unwrap(), "DELETE /sandboxes/i1x");
}

// spec: code-agent SB-02
#[tokio::test]
async fn streams_that_end_early_or_hold_rubbish_are_faults() {
    let begun = "{\"type\":\"number_of_executions\",\"execution_count\":1}\n";
    let lost = "{\"type\":\"error\",\"name\":\"WebSocketError\",\"value\":\"lost it\",\"traceback\":\"\"}\n";
    let cases = [
        (Act::Cut(begun.to_owned()), "broke"),
        (Act::Whole(begun.to_owned()), "stopped before its end"),
        (Act::Whole(String::new()), "stopped before its end"),
        (Act::Whole(format!("{begun}{{\"type\":\"std")), "stopped before its end"),
        (Act::Whole(format!("{begun}<h1>Bad</h1>\n")), "a line is no event"),
        (Act::Endless("rubbish\n".to_owned()), "a line is no event"),
        (Act::Whole(format!("{begun}{lost}")), "lost its connection to Python (lost it)"),
    ];
    for (act, words) in cases {
        let (reason, lines) = fault(running([act])).await;
        assert!(reason.contains(words), "{words}: {reason}");
        assert_eq!(lines.last().unwrap(), "DELETE /sandboxes/i1x");
    }
}

// spec: code-agent SB-09
#[tokio::test]
async fn an_exception_that_the_service_tells_is_told_too() {
    let line = json!({ "type": "error", "name": "OSError", "value": "no", "traceback": "\u{1b}[31mOSError\u{1b}[0m" });
    let server =
        Server::start(running([Act::Whole(format!("{line}\n{{\"type\":\"end_of_execution\"}}\n"))])).await;
    let run = run_job(&server, &job("", json!({}))).await.unwrap();
    assert_eq!(raised(&run), ("OSError", "no", None, "OSError"));
}

// spec: code-agent SB-02
#[tokio::test]
async fn a_stream_without_end_is_cut_by_its_size() {
    for endless in [mebibytes(), "x".repeat(1024 * 1024)] {
        let server = Server::start(running([Act::Endless(endless)])).await;
        let run = run_job(&server, &job("", json!({}))).await.unwrap();
        let CodeOutcome::Limit { limit: CodeLimit::Output, text } = &run.outcome else {
            panic!("{:?}", run.outcome)
        };
        assert!(text.contains("more than 32 MiB"), "{text}");
        assert!(run.stdout.len() < 66_000);
        assert_eq!(server.open_sandboxes(), 0);
    }
}

// spec: code-agent SB-02
#[tokio::test]
async fn the_end_of_a_sandbox_is_asked_for_twice_and_its_failure_is_told() {
    let failing = || refusing(500);
    let server = Server::start(Script { end: [failing()].into(), ..Script::default() }).await;
    let run = run_job(&server, &job("context['x'] = 1", json!({}))).await.unwrap();
    assert_eq!((finished(&run).len(), run.warnings.len(), server.open_sandboxes()), (1, 0, 0));
    let server = Server::start(Script { end: [failing(), failing()].into(), ..Script::default() }).await;
    let run = run_job(&server, &job("context['x'] = 1", json!({}))).await.unwrap();
    assert_eq!(finished(&run).len(), 1);
    assert!(run.warnings[0].contains("could not be ended and ends by itself soon"), "{:?}", run.warnings);
    assert!(!run.warnings[0].contains(KEY), "{:?}", run.warnings);
}

// spec: code-agent SB-02
#[tokio::test]
async fn the_end_of_a_sandbox_that_hangs_is_not_waited_for_for_ever() {
    let server = Server::start(Script { end: [Act::Hang].into(), ..Script::default() }).await;
    let begun = Instant::now();
    let run = run_job(&server, &job("context['x'] = 1", json!({}))).await.unwrap();
    assert!((5.0..8.0).contains(&begun.elapsed().as_secs_f64()), "{:?}", begun.elapsed());
    assert!(run.warnings[0].contains("did not answer within 5 s"), "{:?}", run.warnings);
}

#[tokio::test]
async fn a_service_that_is_not_there_is_told_with_its_address() {
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut config = E2bConfig::new(KEY);
    config.api = format!("http://{nowhere}");
    let fault =
        E2b::new(config).unwrap().run(&job("", json!({})), CancellationToken::new()).await.unwrap_err();
    let expected = format!("E2B: cannot connect to http://{nowhere}/sandboxes: Connection refused");
    assert!(fault.0.message.starts_with(&expected), "{fault}");
    assert_eq!(kind(&fault), (FailureKind::Unavailable, Transience::Transient));
}

#[tokio::test]
async fn a_service_that_cannot_speak_tls_is_told_so() {
    let server = Server::start(opening([])).await;
    let plain = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = plain.local_addr().unwrap();
    tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        while let Ok((mut stream, _)) = plain.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let mut config = config(&server);
    config.api = format!("https://{address}");
    let fault =
        E2b::new(config).unwrap().run(&job("", json!({})), CancellationToken::new()).await.unwrap_err();
    assert!(fault.0.message.contains("no secure connection to https://127.0.0.1"), "{fault}");
    assert_eq!(kind(&fault), (FailureKind::Unavailable, Transience::Permanent));
}

#[tokio::test]
async fn a_wrong_key_is_told_and_shown_nowhere() {
    let server = Server::start(Script::default()).await;
    let mut config = config(&server);
    config.key = Secret::new("e2b_wrong_key_000\n");
    let shown = format!("{config:?}");
    let e2b = E2b::new(config).unwrap();
    let fault = e2b.run(&job("", json!({})), CancellationToken::new()).await.unwrap_err();
    assert!(
        fault.0.message.contains("check E2B_API_KEY") && fault.0.message.contains("Invalid API key"),
        "{fault}"
    );
    for text in [shown, format!("{e2b:?}"), format!("{fault:?}")] {
        assert!(!text.contains("wrong_key"), "{text}");
    }
}

#[test]
fn without_a_key_there_is_no_runner() {
    for key in ["", "  \n"] {
        let error = E2b::new(E2bConfig::new(key)).unwrap_err();
        assert_eq!(error, E2bError::NoKey);
        assert!(error.to_string().contains("E2B_API_KEY"));
    }
    assert_eq!(E2b::new(E2bConfig::new(KEY)).unwrap().name(), "e2b");
}

#[tokio::test]
async fn times_without_bounds_are_no_problem() {
    let server = Server::start(Script::default()).await;
    let (mut config, mut job) = (config(&server), job("context['x'] = 1", json!({})));
    (config.start_within, job.timeout) = (Duration::MAX, Duration::MAX);
    finished(&E2b::new(config).unwrap().run(&job, CancellationToken::new()).await.unwrap());
    assert_eq!(server.seen()[0].body["timeout"], json!(24 * 60 * 60 + 15));
}

// spec: code-agent SB-02
#[tokio::test]
async fn a_sandbox_that_is_gone_already_is_well_ended() {
    let server = Server::start(Script { end: [refusing(404)].into(), ..Script::default() }).await;
    let run = run_job(&server, &job("context['x'] = 1", json!({}))).await.unwrap();
    assert_eq!((finished(&run).len(), run.warnings.len(), server.lines().len()), (1, 0, 3));
}
