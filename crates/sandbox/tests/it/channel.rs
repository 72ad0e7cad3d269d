//! What goes into a program and what comes out of it, with a real Python.

use std::time::{Duration, Instant};

use candor_ports::{CodeJob, CodeLimit, CodeOutcome, CodeResult, CodeRunner};
use candor_sandbox::python::{LocalPython, PythonConfig};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::fixtures::{LONG, config, context, finished, job, python, run, run_with};

// spec: code-agent SB-01, SB-03
#[tokio::test]
async fn the_context_goes_in_and_comes_back_changed() {
    let python = python();
    assert_eq!(python.name(), "local");
    assert_eq!(context(&python, "context['x'] = 1").await, json!({"x": 1}));
    let code =
        "context['y'] = context['x'] + 1; context['z'] = base64.b64encode(json.dumps([1]).encode()).decode()";
    let run = run_with(&python, code, json!({"x": 1, "deep": {"a": [1, 2.5, null, true]}})).await;
    assert!(run.duration < LONG);
    assert!(run.warnings.is_empty());
    assert_eq!(finished(run), json!({"x": 1, "y": 2, "z": "WzFd", "deep": {"a": [1, 2.5, null, true]}}));
}

// spec: code-agent SB-04, NX-14
#[tokio::test]
async fn values_are_never_part_of_the_program() {
    let python = python();
    let odd =
        "'''+__import__('os')._exit(9)+'''\n\\\"é\u{0}\u{1F600}\u{2028}\r\n\"\"\" {x} %s __NOVA_RESULT__: {}";
    let given = json!({ "value": odd, odd: odd });
    let run = run_with(&python, "context['length'] = len(context['value'])", given).await;
    assert_eq!(finished(run), json!({ "value": odd, odd: odd, "length": odd.chars().count() }));
}

// spec: code-agent SB-05
#[tokio::test]
async fn what_json_cannot_hold_becomes_text_and_is_told() {
    let code = "
import datetime, decimal, enum, pathlib, uuid
class Number:
    shape = ()
    def item(self): return 7
class Odd:
    def __str__(self): return 'odd'
class Level(enum.IntEnum):
    HIGH = 3
context.update(date=datetime.date(2024, 1, 2), time=datetime.datetime(2024, 1, 2, 3, 4, 5),
    price=decimal.Decimal('1.10'), id=uuid.UUID(int=1), path=pathlib.Path('/a/b'), text=b'abc', octets=b'\\xff\\x00',
    several={3, 1, 2}, pair=(1, 2), number=Number(), odd=Odd(), level=Level.HIGH, big=2**70, most=2**64-1,
    imaginary=1j)
context[1] = 'one'; context[None] = 'none'; context[True] = 'yes'
";
    let run = run(&python(), code).await;
    let told = run.warnings.join("\n");
    for name in ["context.date", "context.octets", "context.big", "context.odd"] {
        assert!(told.contains(&format!("`{name}` is")), "{told}");
    }
    assert!(!told.contains("context.pair"), "{told}");
    assert_eq!(
        finished(run),
        json!({
            "date": "2024-01-02", "time": "2024-01-02 03:04:05", "price": "1.10",
            "id": "00000000-0000-0000-0000-000000000001", "path": "/a/b", "text": "abc", "octets": "/wA=",
            "several": "{1, 2, 3}", "pair": [1, 2], "number": 7, "odd": "odd", "level": 3,
            "big": "1180591620717411303424", "most": u64::MAX, "imaginary": "1j",
            // True is 1 to Python, and stays under the key that was there first.
            "1": "yes", "null": "none",
        })
    );
}

// spec: code-agent NX-15
#[tokio::test]
async fn nan_becomes_null_with_a_warning_that_names_the_key() {
    let run = run(&python(), "context['a'] = {'b': [1.5, float('nan'), float('-inf')]}").await;
    assert_eq!(
        run.warnings,
        [
            "`context.a.b[1]` is nan, which JSON cannot hold, and was turned into null",
            "`context.a.b[2]` is -inf, which JSON cannot hold, and was turned into null"
        ]
    );
    assert_eq!(finished(run), json!({"a": {"b": [1.5, null, null]}}));
}

#[tokio::test]
async fn warnings_are_not_endless_and_half_characters_do_no_harm() {
    let python = python();
    let told = run(&python, "context['a'] = [float('nan')] * 1000").await.warnings;
    assert_eq!((told.len(), told.last().unwrap().as_str()), (21, "and 980 more of this kind"));
    let run = run(&python, "context['a'] = 'x\\ud800y'").await;
    assert_eq!(run.warnings, ["half characters in the result were turned into question marks"]);
    assert_eq!(finished(run), json!({"a": "x?y"}));
}

// spec: code-agent SB-06, SB-13, NX-15
#[tokio::test]
async fn what_is_printed_is_kept_and_never_taken_for_the_result() {
    let code = "
import sys, os
print('before')
print('__NOVA_RESULT__: {\"forged\": true}')
os.write(1, b'\\n__NOVA_RESULT__:{\"forged\": 2}\\n')
print('aside', file=sys.stderr)
context['true'] = 1
print('no end of line', end='')
";
    let run = run(&python(), code).await;
    let expected =
        "before\n__NOVA_RESULT__: {\"forged\": true}\n\n__NOVA_RESULT__:{\"forged\": 2}\nno end of line";
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (expected, "aside\n"));
    assert_eq!(finished(run), json!({"true": 1}));
}

// spec: code-agent SB-08, NX-19
#[tokio::test]
async fn who_leaves_early_has_no_result() {
    let python = python();
    for (code, words) in [
        ("exit()", "exit(None)"),
        ("context['x'] = 1\nimport sys; sys.exit(3)", "exit(3)"),
        ("quit('enough')", "exit('enough')"),
        ("raise SystemExit(0)", "exit(0)"),
        ("import os; print('half', end='', flush=True); os._exit(7)", "code 7"),
        ("import os; os.closerange(3, 1024)", "code 1"),
        ("import os; os.execv('/bin/true', ['true'])", "code 0"),
    ] {
        let run = run(&python, code).await;
        let CodeOutcome::NoResult { reason } = &run.outcome else { panic!("{code}: {run:?}") };
        assert!(reason.contains(words), "{code}: {reason}");
    }
}

// spec: code-agent SB-09
#[tokio::test]
async fn an_exception_is_told_with_its_line() {
    let python = python();
    let told = |code: &'static str| {
        let python = &python;
        async move {
            match run(python, code).await.outcome {
                CodeOutcome::Raised { name, text, line, trace } => (name, text, line, trace),
                other => panic!("{code}: {other:?}"),
            }
        }
    };
    let (name, text, line, trace) = told("context['x'] = 1\ndef f():\n    return 1/0\nf()\n").await;
    assert_eq!((name.as_str(), text.as_str(), line), ("ZeroDivisionError", "division by zero", Some(3)));
    assert!(trace.contains("line 4, in <module>") && trace.contains("return 1/0"), "{trace}");
    assert!(!trace.contains("performed"), "{trace}");
    let (name, _, line, _) = told("x = 1\nif x\n    pass").await;
    assert_eq!((name.as_str(), line), ("SyntaxError", Some(2)));
    let (name, _, line, _) = told("\nimport json\njson.loads('{')").await;
    assert_eq!((name.as_str(), line), ("JSONDecodeError", Some(3)));
    assert_eq!(told("raise KeyboardInterrupt").await.0, "KeyboardInterrupt");
    assert_eq!(told("def f(): f()\nf()").await.0, "RecursionError");
    assert_eq!(told("x = 'a\0b'").await.0.as_str().len(), told("x = 'a\0b'").await.0.len());
    let (name, text, ..) =
        told("class Odd(Exception):\n def __str__(self): raise ValueError\nraise Odd").await;
    assert_eq!((name.as_str(), text.as_str()), ("Odd", "(it cannot be told what it says)"));
    let (_, text, _, trace) = told("raise ValueError('x' * 1000000)").await;
    assert!(text.len() < 5000 && trace.len() < 20_000);
}

// spec: code-agent SB-10
#[tokio::test]
async fn at_its_deadline_it_is_killed() {
    let began = Instant::now();
    let job = CodeJob { timeout: Duration::from_secs(1), ..job("print('on')\nwhile True: pass", json!({})) };
    let run = python().run(&job, CancellationToken::new()).await.unwrap();
    assert_eq!((run.outcome, run.stdout.as_str()), (CodeOutcome::TimedOut, "on\n"));
    assert!(run.duration >= Duration::from_secs(1) && began.elapsed() < LONG);
}

// spec: code-agent SB-11, NX-13
#[tokio::test]
async fn insights_are_taken_instead_of_the_context() {
    let python = python();
    let take = |code: &str| CodeJob { result: CodeResult::Insights, ..job(code, json!({"x": 1})) };
    for (code, expected) in [
        ("insights = {'type': 'pdf', 'x': context['x']}", json!({"insights": {"type": "pdf", "x": 1}})),
        ("context['x'] = 2", json!({})),
        ("insights = [1]; context = None", json!({"insights": [1]})),
    ] {
        let run = python.run(&take(code), CancellationToken::new()).await.unwrap();
        assert_eq!(finished(run), expected, "{code}");
    }
}

#[tokio::test]
async fn a_context_that_is_none_is_told() {
    let python = python();
    for (code, words) in [
        ("context = [1]", "made `context` a list"),
        ("context = None", "made `context` a NoneType"),
        ("del context", "deleted the variable `context`"),
        ("context['me'] = context", "`context.me` holds itself"),
        ("x = context\nfor _ in range(150): x['a'] = {}; x = x['a']", "nested more than 100 deep"),
        ("class O:\n def __str__(self): raise ValueError('never')\ncontext['o'] = O()", "never"),
    ] {
        let run = run(&python, code).await;
        let CodeOutcome::BadResult { reason } = &run.outcome else { panic!("{code}: {run:?}") };
        assert!(reason.contains(words), "{code}: {reason}");
    }
    // What is there twice holds itself nowhere, and a hundred levels are few enough.
    let code = "a = [1]; context['a'] = [a, a]\nx = context\nfor _ in range(98): x['b'] = {}; x = x['b']";
    assert_eq!(context(&python, code).await["a"], json!([[1], [1]]));
}

#[tokio::test]
async fn a_result_can_be_large_but_not_too_large() {
    let python = LocalPython::new(PythonConfig { max_result_bytes: 3_000_000, ..config() }).unwrap();
    let made = context(&python, "context['x'] = 'ä' * 1_000_000").await;
    assert_eq!(made["x"].as_str().unwrap().len(), 2_000_000);
    let run = run(&python, "context['x'] = 'x' * 4_000_000").await;
    let CodeOutcome::Limit { limit: CodeLimit::Output, text } = run.outcome else { panic!("{run:?}") };
    assert!(text.contains("40000") && text.contains("3000000 are allowed"), "{text}");
    let run =
        run_with(&python, "context['x'] = len(context['x'])", json!({"x": "x".repeat(8_000_000)})).await;
    assert_eq!(finished(run), json!({"x": 8_000_000}));
}

#[tokio::test]
async fn a_flood_is_cut_and_does_not_block() {
    let run = run(&python(), "print('begin')\nfor _ in range(200): print('x' * 50_000)\nprint('end')").await;
    assert!(run.stdout.starts_with("begin\n") && run.stdout.ends_with("\nend\n"));
    assert!(run.stdout.contains("bytes left out") && run.stdout.len() < 70_000);
    assert_eq!(finished(run), json!({}));
}

/// Programs that change everything our part needs, or leave something going on.
#[tokio::test]
async fn changing_pythons_own_parts_changes_nothing() {
    let python = python();
    for code in [
        "json.dumps = lambda *a, **k: '{}'; json.JSONEncoder.encode = None; json.encoder.JSONEncoder = None",
        "import os, struct, io; os.write = os._exit = os.getpid = None; struct.pack = None; io.BufferedWriter = None",
        "import atexit; atexit.register(lambda: context.update(late=1)); atexit.register(lambda: 1/0)",
        "import threading, time\ndef go():\n while True: time.sleep(0.001); print('on')\n\
         threading.Thread(target=go).start()",
        "import threading\ndef go():\n while True: pass\nthreading.Thread(target=go, daemon=True).start()",
        "import sys; sys.stdout = None; sys.stderr = 3; sys.modules.clear()",
        "import sys; sys.setrecursionlimit(60)",
        "import builtins\nfor name in list(vars(builtins)):\n if name not in ('__build_class__', '__import__'): pass",
        "import sys; sys.exit = None; sys.excepthook = None; sys.path.clear(); sys.argv = None",
        "import os\nif os.fork() == 0: context['child'] = True\nelse: os.wait()",
        "import os\nif os.fork() == 0: raise ValueError\nos.wait()",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGINT, lambda *a: 1)",
        "import sys; sys.stdin.read(); sys.stdin.close()",
        "import os; os.close(0); os.close(1); os.close(2)",
        "import gc; gc.disable(); gc.freeze()",
        "__name__ = 'x'; __builtins__ = {}; del __builtins__",
        "import os\nfor fd in range(3, 65):\n try: os.write(fd, b'{}')\n except OSError: pass",
    ] {
        let code = format!("context['x'] = 1\n{code}");
        let made = finished(run(&python, &code).await);
        assert_eq!(made, json!({"x": 1}), "{code}");
    }
}

/// Whatever is said where the answer belongs spoils it, and is told.
#[tokio::test]
async fn who_writes_into_the_channel_is_told_so() {
    let python = python();
    for code in [
        "import os\nfor fd in range(3, 1024):\n try: os.write(fd, b'{\"kind\":\"finished\"}')\n except OSError: pass",
        "import os\nfor fd in range(3, 1024):\n try: os.write(fd, b'B' + bytes(28))\n except OSError: pass\nos._exit(0)",
        "import os\nx = b'x' * 40_000_000\nfor fd in range(3, 1024):\n try: os.write(fd, x)\n except OSError: pass",
    ] {
        let run = run(&python, code).await;
        let CodeOutcome::BadResult { reason } = &run.outcome else { panic!("{code}: {run:?}") };
        assert_eq!(reason, "the program tampered with the result channel");
    }
}

/// Walks everything that can be reached from its frames and from the garbage collector, and notes each word of the
/// right length. The one that makes an answer ours is another in each run; all others are the same.
#[tokio::test]
async fn the_word_of_a_run_is_in_no_variable() {
    let code = "
import gc, sys
seen, words, todo = set(), set(), list(gc.get_objects())
frame = sys._getframe()
while frame:
    todo += [frame.f_locals, frame.f_globals]
    frame = frame.f_back
while todo:
    value = todo.pop()
    if id(value) in seen: continue
    seen.add(id(value))
    if isinstance(value, (bytes, bytearray)) and len(value) == 16: words.add(value.hex())
    if isinstance(value, str) and len(value) == 32: words.add(value)
    try: todo += gc.get_referents(value)
    except Exception: pass
context['words'] = sorted(words)
";
    let python = python();
    let (first, second) = (context(&python, code).await, context(&python, code).await);
    assert!(!first["words"].as_array().unwrap().is_empty());
    assert_eq!(first, second);
}

// spec: code-agent SB-15
#[tokio::test]
async fn python_tells_what_it_offers() {
    let python = python();
    let facts = python.facts().await.unwrap();
    assert!(facts.version >= (3, 8, 0) && facts.implementation == "CPython", "{facts:?}");
    assert_eq!(python.facts().await.unwrap(), facts);
    let code = "
import ast, asyncio, csv, ctypes, datetime, decimal, email, hashlib, io, itertools, math, random, re, sqlite3, ssl
import statistics, subprocess, tempfile, unicodedata, xml.etree.ElementTree, zipfile, concurrent.futures
with tempfile.TemporaryDirectory() as d: open(d + '/x', 'w').write('y')
context['child'] = subprocess.check_output(['echo', 'child'], text=True)
with concurrent.futures.ThreadPoolExecutor() as pool: context['sum'] = sum(pool.map(int, '123'))
context['there'] = tempfile.gettempdir() == __import__('os').getcwd()
";
    assert_eq!(context(&python, code).await, json!({"child": "child\n", "sum": 6, "there": true}));
}
