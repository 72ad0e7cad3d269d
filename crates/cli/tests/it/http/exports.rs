//! Traces out of a server: at least once, and told once when they cannot be.

use serde_json::json;

use super::client::Server;
use super::receiver::Receiver;
use crate::support::{Candor, GENERAL, until};

#[test]
fn runs_are_exported_when_they_end_also_after_the_place_was_down() {
    // spec: orchestrator OB-07 OB-08
    let receiver = Receiver::start();
    receiver.answers("503 Service Unavailable");
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url.as_str())];
    let candor = Candor::with_config(GENERAL);
    let server = Server::start_with(&candor, "127.0.0.1:0", &variables);
    let run = |server: &Server| {
        let run = server.run(json!({"goal": "Write a report on the tides", "unattended": true}));
        until("it ends", || {
            let status = server.get(&format!("/api/v1/runs/{run}")).json()["status"].clone();
            status == "completed" || status == "failed"
        });
        run
    };
    run(&server);
    until("it is tried again", || receiver.posts().len() >= 2);
    assert_eq!(server.told("could not send the trace"), 1, "told once");
    receiver.answers("200 OK");
    until("it works again", || server.told("traces are sent again") == 1);
    let sent = receiver.posts().len();
    run(&server);
    until("the next run is sent", || receiver.posts().len() > sent);
    let posts = receiver.posts();
    assert!(posts.iter().all(|post| post.path == "/v1/traces"));
    let text = |body: &[u8]| String::from_utf8_lossy(body).into_owned();
    assert!(posts.iter().all(|post| text(&post.body).contains("orchestrator_workflow")));
    assert!(posts.iter().all(|post| !text(&post.body).contains("report on the tides")), "no text of people");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    let settled = receiver.posts().len();
    server.kill();
    let server = Server::start_with(&candor, "127.0.0.1:0", &variables);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(receiver.posts().len(), settled, "what was delivered is not sent again");
    drop(server);
}
