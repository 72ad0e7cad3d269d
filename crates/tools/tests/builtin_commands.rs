//! Commands, run by the tool in the sandbox. This program is its own launcher, as Candor is.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may fail loudly, and this one prints by itself what others have printed for them"
)]

#[expect(dead_code, reason = "shared with the other tests, which use the rest")]
#[path = "it/support/mod.rs"]
mod support;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use candor_model::ToolErrorKind;
use candor_tools::ToolSource;
use candor_tools::builtin::BuiltinConfig;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::support::{LONG, bench_with, call_of, kind};

fn main() -> ExitCode {
    if let Some(code) = candor_sandbox::confine::run_if_asked() {
        return code;
    }
    // Whoever lists tests gets an empty list, and not a run.
    if std::env::args().any(|arg| arg == "--list") {
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        output_and_code_are_given().await;
        only_allowed_programs_run().await;
        the_folder_is_all_there_is().await;
        a_folder_that_may_not_be_written_is_not_by_commands_either().await;
        a_command_ends_at_its_deadline_and_when_it_is_stopped().await;
        what_is_missing_is_told().await;
    });
    println!("6 tests of run_command passed");
    ExitCode::SUCCESS
}

fn shell(config: &mut BuiltinConfig) {
    config.commands = vec!["sh".to_owned(), "/usr/bin/env".to_owned(), "no-such-program".to_owned()];
}

async fn output_and_code_are_given() {
    let bench = bench_with(shell);
    let args = json!({"command": ["sh", "-c", "cat; echo aside >&2"], "stdin": "given\n"});
    let result = bench.call("run_command", args).await;
    assert!(result.success, "{result:?}");
    assert_eq!(result.content, "given\n\n[stderr]\naside\n");
    assert_eq!(result.data.unwrap(), json!({"exit_code": 0, "stdout": "given\n", "stderr": "aside\n"}));
    let result = bench.call("run_command", json!({"command": ["sh", "-c", "echo why >&2; exit 3"]})).await;
    assert_eq!(result.error_text(), "`sh` ended with code 3: why");
    assert_eq!((kind(&result), &result.data.unwrap()["exit_code"]), (Some(ToolErrorKind::Failed), &json!(3)));
    let bench = bench_with(|config| {
        shell(config);
        config.max_output_bytes = 100;
    });
    let args = json!({"command": ["sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x"]});
    let result = bench.call("run_command", args).await;
    assert!(result.success && result.cut && result.content.len() < 200, "{result:?}");
}

async fn only_allowed_programs_run() {
    let bench = bench_with(shell);
    for program in ["cat", "/bin/sh", "./sh", "", "sh "] {
        let result = bench.call("run_command", json!({"command": [program, "x"]})).await;
        assert_eq!(kind(&result), Some(ToolErrorKind::Denied), "{program}: {result:?}");
    }
    let result = bench.call("run_command", json!({"command": []})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::InvalidArguments));
    // What is allowed by its path can be called by its name.
    for program in ["env", "/usr/bin/env"] {
        let result = bench.call("run_command", json!({"command": [program, "true"]})).await;
        assert!(result.success, "{result:?}");
    }
}

// spec: beyond BY-15
async fn the_folder_is_all_there_is() {
    let bench = bench_with(shell);
    let script = "cat ../secret; echo x > ../new; cat /etc/shadow; echo in > new";
    let result = bench.call("run_command", json!({"command": ["sh", "-c", script]})).await;
    assert_eq!(result.data.as_ref().unwrap()["stdout"], "", "{result:?}");
    assert_eq!(bench.got("new"), b"in\n");
    assert!(!bench.home.path().join("new").exists());
    let result = bench.call("run_command", json!({"command": ["env"]})).await;
    for line in result.content.lines() {
        let name = line.split('=').next().unwrap();
        assert!(["PATH", "HOME", "TMPDIR", "LANG"].contains(&name), "{line}");
    }
}

async fn a_folder_that_may_not_be_written_is_not_by_commands_either() {
    let bench = bench_with(|config| {
        shell(config);
        config.writable = false;
    });
    bench.put("note", "as it was");
    let script = "cat note; echo x > note; rm note; echo x > new; echo t > $TMPDIR/x && cat $TMPDIR/x";
    let result = bench.call("run_command", json!({"command": ["sh", "-c", script]})).await;
    assert_eq!(result.data.unwrap()["stdout"], "as it wast\n");
    assert_eq!(bench.got("note"), b"as it was");
    assert_eq!(fs::read_dir(bench.path(".")).unwrap().count(), 1);
}

// spec: beyond BY-07, BY-09
async fn a_command_ends_at_its_deadline_and_when_it_is_stopped() {
    let bench = bench_with(shell);
    let script = "trap '' TERM; echo begun > begun; sleep 1000";
    let command = json!({"command": ["sh", "-c", script], "timeout": 1});
    let result = bench.call("run_command", command).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Timeout), "{result:?}");
    assert!(result.duration_ms < 30_000);
    let call = call_of("run_command", json!({"command": ["sh", "-c", script]}));
    let result = bench.tools.call(&call, Duration::from_secs(1), CancellationToken::new()).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Timeout), "{result:?}");
    fs::remove_file(bench.path("begun")).unwrap();
    let stop = CancellationToken::new();
    let asked = async {
        while !bench.path("begun").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    };
    let (result, ()) = tokio::join!(bench.tools.call(&call, LONG, stop.clone()), asked);
    assert_eq!(kind(&result), Some(ToolErrorKind::Cancelled), "{result:?}");
}

async fn what_is_missing_is_told() {
    let bench = bench_with(shell);
    let result = bench.call("run_command", json!({"command": ["no-such-program"]})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::MissingDependency), "{result:?}");
    let bench = bench_with(|config| {
        shell(config);
        config.launcher = PathBuf::from("/no/launcher");
    });
    let result = bench.call("run_command", json!({"command": ["sh", "-c", "true"]})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::MissingDependency), "{result:?}");
    assert!(result.error_text().contains("/no/launcher"), "{result:?}");
}
