//! Webhooks: signed, in order, at least once, and never anywhere else.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::client::Server;
use super::receiver::{Post, Receiver};
use crate::command::secrets::{VARIABLE, configured, leaky_plan, planted_in};
use crate::support::{Candor, GENERAL, until};

const SECRET: &str = "whsec_c2VjcmV0IG9mIHRoZSBiZWVz";
const VARIABLES: &[(&str, &str)] = &[("BEES_SECRET", SECRET)];

/// A receiver named `bees` at this address.
fn hook(url: &str, more: &str) -> String {
    format!(
        "[[webhooks]]\nname = \"bees\"\nurl = \"{url}/hooks/T0pS3cretPath\"\nsecret_env = \"BEES_SECRET\"\n{more}\n"
    )
}

fn start(candor: &Candor) -> Server {
    Server::start_with(candor, "127.0.0.1:0", VARIABLES)
}

fn plan() -> Value {
    let task = json!({"task_id": "t1", "description": "Count the hives", "agent_type": "collector"});
    json!({"plan": {"subtasks": [task]}, "unattended": true})
}

/// Whether the signature is the one that another implementation makes.
fn is_signed(post: &Post) -> bool {
    let script = "import sys,hmac,hashlib,base64\n\
        key=base64.b64decode(sys.argv[1]); body=sys.stdin.buffer.read()\n\
        made=hmac.new(key,(sys.argv[2]+'.'+sys.argv[3]+'.').encode()+body,hashlib.sha256).digest()\n\
        sys.exit(0 if 'v1,'+base64.b64encode(made).decode()==sys.argv[4] else 1)";
    let header = |name: &str| post.headers[name].clone();
    let mut python = Command::new("python3");
    python.args(["-c", script, SECRET.trim_start_matches("whsec_"), &header("webhook-id")]);
    python.args([header("webhook-timestamp"), header("webhook-signature")]).stdin(Stdio::piped());
    let mut python = python.spawn().unwrap();
    python.stdin.take().unwrap().write_all(&post.body).unwrap();
    python.wait().unwrap().success()
}

#[test]
fn a_receiver_is_told_of_ends_questions_and_alerts_with_a_signature_that_others_accept() {
    let receiver = Receiver::start();
    let alert = "[[kpi.alerts]]\nname = \"someone_worked\"\nwhen = \"depth > 0\"\n";
    let candor = Candor::with_config(&format!("{GENERAL}{alert}{}", hook(&receiver.url, "")));
    let server = start(&candor);
    let run = server.run(plan());
    server.wait_for(&run, "completed");
    until("the end and the alert are told", || receiver.posts().len() >= 2);
    let asking = server.run(json!({"goal": "Zzyx frobnicate the quux", "unattended": false}));
    server.wait_for(&asking, "waiting_human");
    until("the question is told", || {
        receiver.posts().iter().any(|it| it.json()["type"] == "question_opened")
    });
    let posts = receiver.posts();
    assert!(posts.iter().all(is_signed) && posts.iter().all(|post| post.path == "/hooks/T0pS3cretPath"));
    let of = |kind: &str| -> Vec<Value> {
        posts.iter().map(Post::json).filter(|body| body["type"] == kind).collect()
    };
    let ended = &of("run_ended")[0];
    assert_eq!((&ended["data"]["run_id"], &ended["data"]["status"]), (&json!(run), &json!("completed")));
    assert!(posts.iter().all(|post| post.json()["id"] == post.headers["webhook-id"].as_str()));
    assert_eq!(of("alert")[0]["data"]["name"], "someone_worked");
    let question = &of("question_opened")[0]["data"];
    assert_eq!(question["run_id"], asking);
    let gate = question["gate"].as_str().unwrap();
    assert_eq!(question["answer_at"], format!("/api/v1/runs/{asking}/questions/{gate}"));
    let ids: std::collections::BTreeSet<String> = receiver.ids().into_iter().collect();
    assert_eq!(ids.len(), posts.len(), "each once");
    // How it does is shown; its secret and the path of its address are not.
    let last =
        || server.get("/api/v1/webhooks").json()["webhooks"][0]["state"]["last_delivered"]["event"].clone();
    until("it is noted", || last() == "question_opened");
    let shown = server.get("/api/v1/webhooks").ended_with(200);
    for page in [shown.body, server.get("/schedules").body, server.get("/api/v1/config").body] {
        assert!(!page.contains("T0pS3cret") && !page.contains(SECRET), "{page}");
    }
}

#[test]
fn what_could_not_be_delivered_is_delivered_after_a_kill_and_under_the_same_id() {
    let receiver = Receiver::start();
    receiver.answers("503 Service Unavailable");
    let candor =
        Candor::with_config(&format!("{GENERAL}{}", hook(&receiver.url, "events = [\"run_ended\"]")));
    let server = start(&candor);
    let run = server.run(plan());
    server.wait_for(&run, "completed");
    until("it was tried twice", || receiver.posts().len() >= 2);
    assert_eq!(server.told("could not be delivered"), 1, "told once");
    let state = &server.get("/api/v1/webhooks").json()["webhooks"][0]["state"];
    assert!(
        state["failing_since"].is_string() && state["error"].as_str().unwrap().contains("503"),
        "{state}"
    );
    server.kill();
    // One more ends while no server runs.
    candor.write("plan.json", plan()["plan"].to_string());
    candor
        .run(["run", "--plan", "plan.json", "--run-id", "run_alone", "--unattended", "--yes"])
        .ended_with(0);
    let tried = receiver.posts().len();
    receiver.answers("204 No Content");
    let server = start(&candor);
    until("both were told", || receiver.posts().len() >= tried + 2);
    let ids = receiver.ids();
    assert!(ids[..=tried].iter().all(|id| id.contains(&run)), "{ids:?}");
    assert!(ids[..=tried].iter().all(|id| *id == ids[0]), "the same id each time: {ids:?}");
    assert!(ids[tried + 1].contains("run_alone"), "{ids:?}");
    until("it is noted", || server.get("/api/v1/webhooks").json()["webhooks"][0]["state"]["delivered"] == 2);
    assert_eq!(server.told("works again"), 1);
    server.kill();
    // Nothing is told again.
    let (told, server) = (receiver.posts().len(), start(&candor));
    let next = server.run(plan());
    server.wait_for(&next, "completed");
    until("the next is told", || receiver.posts().len() > told);
    assert!(receiver.ids()[told].contains(&next), "{:?}", receiver.ids());
}

#[test]
fn an_event_is_given_up_after_its_limit_and_a_redirect_leads_nowhere() {
    let (receiver, elsewhere) = (Receiver::start(), Receiver::start());
    receiver.answers(&format!("307 Temporary Redirect\r\nLocation: {}/", elsewhere.url));
    let limit = "events = [\"run_ended\"]\nmax_attempts = 2";
    let candor = Candor::with_config(&format!("{GENERAL}{}", hook(&receiver.url, limit)));
    let server = start(&candor);
    let first = server.run(plan());
    server.wait_for(&first, "completed");
    until("it is given up", || server.told("given up after 2 attempts") == 1);
    assert_eq!(receiver.posts().len(), 2);
    assert_eq!(elsewhere.posts().len(), 0, "nobody else is told");
    let doctor =
        candor.command(["--data", "data", "doctor", "--json"]).env("BEES_SECRET", SECRET).output().unwrap();
    let told = String::from_utf8(doctor.stdout).unwrap();
    assert!(told.contains("failing since") && told.contains("1 given up") && told.contains("307"), "{told}");
    receiver.answers("200 OK");
    let second = server.run(plan());
    server.wait_for(&second, "completed");
    until("the next one is told", || receiver.ids().last().unwrap().contains(&second));
    let state = || server.get("/api/v1/webhooks").json()["webhooks"][0]["state"].clone();
    until("it is noted", || state()["delivered"] == 1);
    assert_eq!((&state()["given_up"], &state()["failing_since"]), (&json!(1), &Value::Null));
}

#[test]
fn a_server_does_not_start_without_the_secret_and_settings_are_checked() {
    let candor = Candor::with_config(&hook("http://127.0.0.1:9", ""));
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    candor.run(serve).refused(&["bees", "BEES_SECRET is not set"]);
    for (wrong, words) in [
        (hook("http://example.org", ""), "plain_http"),
        (hook("ftp://example.org", ""), "neither https nor http"),
        (hook("https://example.org", "events = [\"run_begun\"]"), "run_begun"),
        (hook("https://example.org", "max_attempts = 0"), "max_attempts"),
        (hook("https://example.org", "") + &hook("https://example.org", ""), "a name of its own"),
        (hook("https://example.org", "secert = 1"), "secert"),
    ] {
        candor.write("candor.toml", wrong);
        candor.run(serve).refused(&[words]);
    }
}

#[test]
fn a_receiver_gets_no_secret_of_a_request_a_question_or_a_failure() {
    // spec: findings SE-04
    const PLANTED: &str = "ghp_a8Kd02mVbQ71xZpLw3Rt9YcNf5Hs6Je4Uo8T";
    let receiver = Receiver::start();
    let agent = format!(
        "[[agents]]\nagent_type = \"leaky\"\nspecialization = \"Fails\"\ncapabilities = [\"fail\"]\n\
         command = [\"sh\", \"-c\", \"cat > /dev/null; echo no login with {PLANTED} >&2; exit 3\"]\n"
    );
    let candor = Candor::with_config(&format!("{GENERAL}{agent}{}", hook(&receiver.url, "")));
    let server = start(&candor);
    let task =
        json!({"task_id": "t1", "description": format!("Log in with {PLANTED}"), "agent_type": "leaky"});
    server.run(json!({"plan": {"subtasks": [task]}, "unattended": true}));
    server.run(json!({"goal": format!("Zzyx frobnicate the quux with {PLANTED}"), "unattended": false}));
    let told = |kind: &str| receiver.posts().iter().any(|it| it.json()["type"] == kind);
    until("end and question are told", || told("run_ended") && told("question_opened"));
    let bodies: String =
        receiver.posts().iter().map(|post| String::from_utf8_lossy(&post.body).into_owned()).collect();
    assert!(!bodies.contains(PLANTED), "{bodies}");
}

#[test]
fn a_receiver_gets_nothing_that_an_agent_printed() {
    // spec: findings SE-04
    let receiver = Receiver::start();
    let alert = "[[kpi.alerts]]\nname = \"someone_worked\"\nwhen = \"depth > 0\"\n";
    let candor = configured(&format!("{alert}{}", hook(&receiver.url, "")));
    let server = Server::start_with(&candor, "127.0.0.1:0", &[VARIABLES[0], VARIABLE]);
    // The agent prints every secret, in answers, on standard error and in its last words.
    server.run(json!({"plan": leaky_plan(), "unattended": false}));
    let told = |kind: &str| receiver.posts().iter().any(|it| it.json()["type"] == kind);
    until("a person is asked", || told("question_opened"));
    let run = server.get("/api/v1/questions").json()["questions"][0]["run_id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/runs/{run}/cancel"), json!({"reason": "enough"}));
    until("the end and the alert are told", || told("run_ended") && told("alert"));
    let bodies: String =
        receiver.posts().iter().map(|post| String::from_utf8_lossy(&post.body).into_owned()).collect();
    assert_eq!(planted_in(bodies.as_bytes()), [""; 0], "{bodies}");
    let events = server.get(&format!("/api/v1/runs/{run}/events")).ended_with(200).body;
    assert!(events.contains("[redacted:github_token#"), "it was there: {events}");
    assert_eq!(planted_in(events.as_bytes()), [""; 0], "{events}");
}
