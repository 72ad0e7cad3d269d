//! Commands as agents, with real children: what they answer, and every way in which they do not.

use std::fs;
use std::time::{Duration, Instant};

use crate::common::{failure, order, perform, reason, sh};
use candor_agents::{CommandAgent, CommandLimits, LogFolder};
use candor_model::{FeedbackType, RunId, TaskId};
use candor_ports::AgentFailure;

#[tokio::test]
async fn an_order_goes_in_and_an_answer_comes_out() {
    let agent = sh(r#"read -r order; printf '{"outputs":{"order":%s},"cost":0.5}' "$order""#);
    let answer = perform(&agent, &order(10.0)).await.unwrap();
    let seen = &answer.outputs["order"];
    assert_eq!(seen, &serde_json::to_value(order(10.0)).unwrap());
    assert_eq!(seen["deadline_seconds"], 10.0);
    assert_eq!(answer.cost.unwrap().as_dollars(), 0.5);
    assert_eq!(answer.verdict(), FeedbackType::Success);
}

#[tokio::test]
async fn a_child_knows_its_attempt_and_its_own_variables_by_its_environment() {
    let script = r#"printf '{"outputs":{"a":"%s %s %s %s %s"}}' "$CANDOR_RUN_ID" "$CANDOR_TASK_ID" \
        "$CANDOR_ATTEMPT" "$CANDOR_IDEMPOTENCY_KEY" "$COLOUR""#;
    let agent = sh(script).with_env([("COLOUR".to_owned(), "blue".to_owned())]);
    let answer = perform(&agent, &order(10.0)).await.unwrap();
    assert_eq!(answer.outputs["a"], "run_1 task_001 1 run_1/task_001/1 blue");
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are_written() {
    let script = r#"printf '{"outputs":{"n":%d,"first":"%s"}}' $# "$1""#;
    let agent = CommandAgent::new(["sh", "-c", script, "sh", "two words; $HOME", ""]).unwrap();
    let answer = perform(&agent, &order(10.0)).await.unwrap();
    assert_eq!(answer.outputs["n"], 2);
    assert_eq!(answer.outputs["first"], "two words; $HOME");
}

#[tokio::test]
async fn a_child_starts_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("answer.json"), r#"{"outputs":{"here":true}}"#).unwrap();
    let agent = sh("cat answer.json").in_folder(folder.path());
    assert_eq!(perform(&agent, &order(10.0)).await.unwrap().outputs["here"], true);
    let agent = sh("cat answer.json").in_folder(folder.path().join("gone"));
    assert!(reason(&agent, &order(10.0)).await.contains("does not exist"));
}

#[tokio::test]
async fn a_failing_exit_code_quotes_the_end_of_stderr() {
    let agent = sh(r#"for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "line $n" >&2; done
        printf '{"outputs":{}}'; exit 3"#);
    let failure = failure(&agent, &order(10.0)).await;
    assert_eq!(failure.message, "`sh` exited with code 3: line 12");
    let log = failure.detail.unwrap();
    assert!(log.ends_with("line 11\nline 12") && log.contains("line 3\n"), "{log}");
    assert!(!log.contains("line 2\n"), "{log}");
}

#[tokio::test]
async fn a_death_by_signal_is_named() {
    let reason = reason(&sh("echo dying >&2; kill -9 $$"), &order(10.0)).await;
    assert!(reason.contains("was killed by signal 9 (SIGKILL)") && reason.ends_with("dying"), "{reason}");
}

#[tokio::test]
async fn an_answer_that_is_not_one_json_object_is_quoted() {
    let cases = [
        ("echo hello world", "not JSON", "`hello world`"),
        ("echo start; echo '{\"outputs\":{}}'", "not JSON", "`start {"),
        ("echo '{\"outputs\":{}} {\"outputs\":{}}'", "not JSON", "trailing"),
        ("echo '[1,2]'", "other JSON", "`[1,2]`"),
        ("echo '{\"output\":{}}'", "field `outputs`", "missing"),
        ("echo '{\"outputs\":{},\"cost\":-1}'", "field `cost`", "not negative"),
        ("printf '\\377\\376\\000'", "not text", "stdout"),
        ("true", "found nothing", "stdout"),
        ("printf '  \\n'", "found nothing", "stdout"),
        ("head -c 100000 /dev/zero | tr '\\0' '['", "not JSON", "`[[["),
    ];
    for (script, problem, quoted) in cases {
        let reason = reason(&sh(&format!("echo why >&2; {script}")), &order(10.0)).await;
        assert!(reason.contains(problem) && reason.contains(quoted), "{script}: {reason}");
        assert!(reason.ends_with("stderr: why"), "{script}: {reason}");
    }
}

#[tokio::test]
async fn a_child_that_does_not_read_or_closes_its_input_can_answer() {
    let mut order = order(10.0);
    order.description = "x".repeat(2_000_000);
    for script in ["", "exec 0<&-; sleep 0.1;", "sleep 0.1;", "head -c 10 >/dev/null;"] {
        let agent = sh(&format!(r#"{script} printf '{{"outputs":{{}}}}'"#));
        assert!(perform(&agent, &order).await.is_ok(), "{script}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named_and_called_unavailable() {
    let missing = reason(&CommandAgent::new(["no-such-program-here"]).unwrap(), &order(10.0)).await;
    assert!(missing.contains("unavailable") && missing.contains("`no-such-program-here`"), "{missing}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent.py");
    fs::write(&file, "print(1)").unwrap();
    let closed = reason(&CommandAgent::new([file.to_str().unwrap()]).unwrap(), &order(10.0)).await;
    assert!(closed.contains("chmod +x"), "{closed}");
    assert!(CommandAgent::new(Vec::<String>::new()).is_err());
    assert!(CommandAgent::new([""]).is_err());
    let odd = reason(&CommandAgent::new(["a\0b"]).unwrap(), &order(10.0)).await;
    assert!(odd.contains("cannot start"), "{odd}");
}

#[tokio::test]
async fn a_flood_on_stdout_ends_the_attempt_at_once() {
    let before = peak_memory();
    let start = Instant::now();
    let reason = reason(&sh("echo here it comes >&2; yes | head -c 1000000000"), &order(60.0)).await;
    assert!(reason.contains("printed more than 10 MB") && reason.ends_with("comes"), "{reason}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(peak_memory() - before < 60_000, "{} kB", peak_memory() - before);
}

#[tokio::test]
async fn a_flood_that_was_still_in_the_pipe_counts_too() {
    let agent = sh("head -c 2000 /dev/zero")
        .with_limits(CommandLimits { stdout_bytes: 1000, ..CommandLimits::default() });
    let reason = reason(&agent, &order(10.0)).await;
    assert!(reason.contains("printed more than 1000 bytes"), "{reason}");
}

#[tokio::test]
async fn a_huge_log_does_no_harm_and_keeps_its_beginning_and_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let logs = LogFolder(folder.path().to_owned());
    let script = r#"echo first >&2; yes | head -c 50000000 >&2; echo last >&2; printf '{"outputs":{}}'"#;
    let agent = sh(script).logging_to(logs.clone());
    assert!(perform(&agent, &order(60.0)).await.is_ok());
    let kept = logs.read(&RunId::new("run_1").unwrap(), None).unwrap();
    let [log] = kept.as_slice() else { panic!("{} logs", kept.len()) };
    assert_eq!((log.task_id.as_str(), log.attempt), ("task_001", 1));
    assert!(log.text.starts_with("first\ny\n") && log.text.ends_with("y\nlast\n"));
    assert!(log.text.contains("bytes left out") && log.text.len() < 10_100_000);
}

#[tokio::test]
async fn only_a_child_that_wrote_to_stderr_has_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let logs = LogFolder(folder.path().join("logs"));
    let run = RunId::new("run_1").unwrap();
    let quiet = sh(r#"printf '{"outputs":{}}'"#).logging_to(logs.clone());
    perform(&quiet, &order(10.0)).await.unwrap();
    assert!(!folder.path().join("logs").exists() && logs.read(&run, None).unwrap().is_empty());
    let loud = sh(r#"echo "attempt $CANDOR_ATTEMPT" >&2; exit 1"#).logging_to(logs.clone());
    for attempt in [2, 1] {
        let mut order = order(10.0);
        order.attempt = attempt;
        perform(&loud, &order).await.unwrap_err();
    }
    let texts: Vec<_> = logs.read(&run, None).unwrap().into_iter().map(|log| log.text).collect();
    assert_eq!(texts, ["attempt 1\n", "attempt 2\n"]);
    assert_eq!(logs.read(&run, Some(&TaskId::new("task_001").unwrap())).unwrap().len(), 2);
    assert!(logs.read(&run, Some(&TaskId::new("task_002").unwrap())).unwrap().is_empty());
}

#[tokio::test]
async fn a_log_that_cannot_be_written_does_not_fail_the_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let in_the_way = folder.path().join("file");
    fs::write(&in_the_way, "").unwrap();
    let agent = sh(r#"echo words >&2; printf '{"outputs":{}}'"#).logging_to(LogFolder(in_the_way));
    assert!(perform(&agent, &order(10.0)).await.is_ok());
}

#[tokio::test]
async fn a_hundred_attempts_side_by_side_all_answer() {
    let agent = std::sync::Arc::new(sh(r#"cat >/dev/null; printf '{"outputs":{}}'"#));
    let attempts: Vec<_> = (0..100)
        .map(|_| {
            let agent = agent.clone();
            tokio::spawn(async move { perform(&*agent, &order(30.0)).await })
        })
        .collect();
    for attempt in attempts {
        let result: Result<_, AgentFailure> = attempt.await.unwrap();
        assert!(result.is_ok(), "{result:?}");
    }
}

/// The most memory this process ever used, in kB.
fn peak_memory() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
