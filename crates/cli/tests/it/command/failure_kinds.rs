//! The kind of a failure, from the program that fails to the events of the run and what people are told of it.

use serde_json::{Value, json};

use crate::support::{Candor, Events};

/// Fails as a program does that lost nothing but a column: its log is full of words that mean something else.
const LOADER: &str = r#"
import sys
print("connecting http timeout=30s", file=sys.stderr)
print("service unavailable? no: 200 OK", file=sys.stderr)
try:
    raise ValueError("row 7 has no column 'price'")
except ValueError:
    import traceback
    traceback.print_exc()
    sys.exit(3)
"#;

/// One agent that is this command, and another one for the same kind of work.
fn with_agents(command: &Value) -> Candor {
    let candor = Candor::with_config(&format!(
        "[limits]\nagent_timeout = 2\n[limits.retry]\nbackoff_seconds = 0.05\n[[agents]]\nagent_type = \"worker\"\nspecialization = \"Does the thing\"\n\
         command = {command}\n[[agents]]\nagent_type = \"backup\"\nspecialization = \"Does the thing\"\n\
         command = [\"sh\", \"-c\", \"echo '{{\\\"outputs\\\":{{\\\"thing\\\":2}}}}'\"]\n"
    ));
    candor.write("loader.py", LOADER);
    candor
}

/// What the log says of the first failure.
fn first_failure(events: &Events) -> Value {
    events.all("task_failed").first().expect("a task failed")["feedback"]["failure"].clone()
}

#[test]
fn a_program_whose_log_speaks_of_timeouts_has_not_timed_out() {
    // spec: findings RC-01 RC-02
    let candor = with_agents(&json!(["python3", "loader.py"]));
    let (_, events) = candor.task_for("worker");
    let failure = first_failure(&events);
    assert_eq!((&failure["kind"], &failure["transience"]), (&json!("crashed"), &json!("unknown")));
    assert_eq!(failure["exit_code"], 3);
    let why = "`python3` exited with code 3: ValueError: row 7 has no column 'price'";
    assert_eq!(failure["message"], why);
    assert!(failure["detail"].as_str().unwrap().contains("Traceback (most recent call last)"), "{failure}");
    assert_eq!(events.first_reason(), why);
    assert_eq!(events.strategies(), ["RETRY_DIFFERENT_AGENT"], "the same again, and then somebody else");
    let told = events.failures_told()[0]["error_summary"].as_str().unwrap().to_owned();
    assert!(told.ends_with("ValueError: row 7 has no column 'price'"), "{told}");
    let recoveries = events.recoveries_told();
    assert!(recoveries.iter().all(|told| !told.to_string().contains("timed out")), "{recoveries:?}");
}

#[test]
fn kinds_reach_the_log_from_programs_and_from_their_own_words() {
    let answer =
        json!({ "error": { "kind": "rate_limited", "message": "quota used up", "retryable": true } });
    let unknown = json!({ "error": { "kind": "fully_booked", "message": "no room" } });
    let say = |answer: &Value| json!(["sh", "-c", format!("echo '{answer}'")]);
    let sh = |script: &str| json!(["sh", "-c", script]);
    for (command, kind, transience, message) in [
        (sh("echo busy >&2; exit 75"), "crashed", "transient", "`sh` exited with code 75: busy"),
        (sh("kill -9 $$"), "crashed", "unknown", "`sh` was killed by signal 9 (SIGKILL)"),
        (sh("sleep 20"), "timeout", "transient", "Agent timeout after 2s"),
        (json!(["/no/such/program"]), "unavailable", "permanent", "agent unavailable: cannot start"),
        (sh("echo timeout"), "bad_output", "unknown", "`sh` gave no usable answer"),
        (say(&answer), "rate_limited", "transient", "quota used up"),
        (say(&unknown), "task_error", "permanent", "no room"),
    ] {
        let (_, events) = with_agents(&command).task_for("worker");
        let failure = first_failure(&events);
        assert_eq!(
            (&failure["kind"], &failure["transience"]),
            (&json!(kind), &json!(transience)),
            "{failure}"
        );
        assert!(failure["message"].as_str().unwrap().starts_with(message), "{failure}");
        assert_eq!(failure["reported_kind"] == "fully_booked", kind == "task_error", "{failure}");
        assert_eq!(events.strategies(), ["RETRY_DIFFERENT_AGENT"], "{failure}");
        // What may pass is tried twice more, what says nothing once more, what is for good not again.
        let attempts = match transience {
            "transient" => 3,
            "unknown" => 2,
            _ => 1,
        };
        assert_eq!(events.all("task_failed").len(), attempts, "{failure}");
    }
}
