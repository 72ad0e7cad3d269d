//! What the API, the pages and the live events show of a run whose request, inputs and agent hold a secret.

use serde_json::json;

use super::client::Server;
use crate::support::{Candor, GENERAL, VAGUE};

const SECRET: &str = "ghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T";

#[test]
fn no_endpoint_and_no_page_shows_a_secret_of_a_request_an_input_or_a_failure() {
    // spec: findings SE-04
    let leaky = format!(
        "[[agents]]\nagent_type = \"leaky\"\nspecialization = \"Logs in\"\ncapabilities = [\"log_in\"]\neffects = [\"read\"]\n\
         command = [\"sh\", \"-c\", \"cat > /dev/null; echo no login with {SECRET} >&2; exit 3\"]\n"
    );
    let candor = Candor::with_config(&format!("{GENERAL}{leaky}[limits.retry]\nmax_retries = 0\n"));
    let server = Server::start(&candor);
    let task = json!({"task_id": "t1", "description": format!("Log in with {SECRET}"), "agent_type": "leaky",
        "inputs": {"note": format!("the key is {SECRET}")}});
    let failed = server.run(json!({"plan": {"subtasks": [task]}, "unattended": true}));
    server.wait_for(&failed, "aborted");
    let asking = server.run(json!({"goal": format!("{VAGUE} with {SECRET}"), "unattended": false}));
    server.wait_for(&asking, "waiting_human");
    let mut seen = String::new();
    for run in [&failed, &asking] {
        let api = [
            "",
            "/report",
            "/explanation",
            "/timeline",
            "/events",
            "/tasks",
            "/questions",
            "/trace",
            "/postmortem",
        ];
        for path in api {
            let answer = server.get(&format!("/api/v1/runs/{run}{path}")).ended_with(200);
            assert!(!answer.body.contains(SECRET), "{path}: {}", answer.body);
            seen.push_str(&answer.body);
        }
        let page = server.get(&format!("/runs/{run}"));
        assert!(!page.body.contains(SECRET), "the page of {run}: {}", page.body);
    }
    for path in ["/api/v1/runs", "/", "/inbox"] {
        let answer = server.get(path);
        assert!(!answer.body.contains(SECRET), "{path}: {}", answer.body);
    }
    assert!(seen.contains("[redacted:github_token#"), "it was there: {seen}");
    let words = json!({"rating": 4, "text": format!("it printed {SECRET}")});
    let rated = server.post(&format!("/api/v1/runs/{failed}/feedback"), words);
    assert!(rated.status < 300 && !rated.body.contains(SECRET), "{rated:?}");
    // What was done is on record with its reason, in the audit too.
    let reason = json!({"reason": format!("{SECRET} was printed")});
    let cancelled = server.post(&format!("/api/v1/runs/{asking}/cancel"), reason);
    assert!(cancelled.status < 300 && !cancelled.body.contains(SECRET), "{cancelled:?}");
    let audit = std::fs::read_dir(candor.path("data")).unwrap().flatten();
    for file in audit.filter(|entry| entry.path().is_file()) {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{}", file.path().display());
    }
}
