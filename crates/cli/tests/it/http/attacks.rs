//! Attacks on the real binary: whoever has no business here gets nothing, and others are served on.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Server;
use crate::support::{Candor, GENERAL, until};

const RUNS: &str = "/api/v1/runs";
/// Ways in that the description of the API does not list.
const OTHER_DOORS: [(&str, &str); 5] = [
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("POST", "/a2a"),
    ("GET", "/.well-known/agent-card.json"),
];

#[test]
fn nothing_but_health_is_told_without_a_token_and_a_wrong_one_does_not_help() {
    let candor = Candor::new();
    let server = Server::start(&candor);
    assert_eq!(server.send_with("GET", "/health", &[], None).ended_with(200).json()["status"], "ok");
    let openapi = server.get("/api/v1/openapi.json").ended_with(200).json();
    for (path, operations) in openapi["paths"].as_object().unwrap() {
        let path = path.replace("{run}", "run_1").replace("{gate}", "gate_1");
        for method in operations.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            let sent = |headers: &[(&str, &str)]| server.send_with(&method, &path, headers, Some(&json!({})));
            sent(&[]).refused(401, "unauthorized");
        }
    }
    for (method, path) in OTHER_DOORS {
        server.send_with(method, path, &[], Some(&json!({}))).refused(401, "unauthorized");
    }
    let zeros = format!("candor_{}", "0".repeat(64));
    for wrong in [
        format!("Bearer {zeros}"),
        format!("Bearer {}x", server.token),
        format!("Basic {}", server.token),
        "Bearer".into(),
        String::new(),
    ] {
        server.send_with("GET", RUNS, &[("Authorization", &wrong)], None).refused(401, "unauthorized");
    }
    for (method, path) in OTHER_DOORS {
        let wrong = [("Authorization", &*format!("Bearer {zeros}"))];
        server.send_with(method, path, &wrong, Some(&json!({}))).refused(401, "unauthorized");
    }
    let cookie = format!("candor_session={zeros}");
    server.send_with("GET", RUNS, &[("Cookie", &cookie)], None).refused(401, "unauthorized");
    // Guessing is slowed down, and whoever has the token is served all the same.
    let guess = || server.send_with("GET", RUNS, &[("Authorization", "Bearer x")], None).status;
    assert!((0..40).any(|_| guess() == 429));
    server.get(RUNS).ended_with(200);
    let file = candor.path("data/server.token");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!std::fs::read_to_string(candor.path("data/tokens.json")).unwrap().contains(&server.token));
}

#[test]
fn a_token_allows_what_its_scope_says_until_it_is_removed() {
    let candor = Candor::with_config(&format!("[limits]\napproval = \"always\"\n{GENERAL}"));
    let server = Server::start(&candor);
    let add = |name: &str, scope: &str| {
        let said = candor.run(["token", "add", name, "--scope", scope]).ended_with(0);
        format!("Bearer {}", said.stdout.trim())
    };
    let (reader, answerer) = (add("ana", "read"), add("bo", "answer"));
    // New tokens are known within a second.
    std::thread::sleep(Duration::from_millis(1100));
    let run = server.run(json!({"goal": "Write a letter to the beekeepers"}));
    let question = server.wait_for(&run, "waiting_human")["open_questions"][0].clone();
    let digest = server.get("/api/v1/questions").json()["questions"][0]["digest"].clone();
    let path = format!("{RUNS}/{run}/questions/{}", question["gate"].as_str().unwrap());
    let approve = json!({"decision": "approve", "digest": digest});
    let with = |token: &str, method: &str, path: &str| {
        server.send_with(method, path, &[("Authorization", token)], (method == "POST").then_some(&approve))
    };
    with(&reader, "GET", RUNS).ended_with(200);
    with(&reader, "POST", &path).refused(403, "forbidden");
    with(&answerer, "POST", RUNS).refused(403, "forbidden");
    with(&answerer, "GET", "/api/v1/audit").refused(403, "forbidden");
    with(&answerer, "POST", &path).ended_with(202);
    let audit = server.get("/api/v1/audit").json();
    assert_eq!(
        (&audit["entries"][0]["actor"], &audit["entries"][0]["action"]),
        (&json!("bo"), &json!("answer"))
    );
    candor.run(["token", "remove", "ana"]).ended_with(0);
    std::thread::sleep(Duration::from_millis(1100));
    with(&reader, "GET", RUNS).refused(401, "unauthorized");
    candor.run(["token", "list"]).ended_with(0).shows(&["bo", "answer", "local", "admin"]);
    candor.run(["token", "add", "x", "--scope", "root"]).refused(&["`root` is no scope"]);
}

#[test]
fn other_hosts_and_other_sites_are_refused() {
    let candor = Candor::new();
    let server = Server::start(&candor);
    let bearer = format!("Bearer {}", server.token);
    let with = |headers: &[(&str, &str)]| {
        let mut all = vec![("Authorization", bearer.as_str())];
        all.extend(headers);
        server.send_with("GET", RUNS, &all, None)
    };
    let own = format!("http://{}", server.address);
    with(&[("Origin", &own)]).ended_with(200);
    with(&[("Host", "localhost:7117")]).ended_with(200);
    for host in
        ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "127.0.0.1@evil.example", "", "[::2]"]
    {
        with(&[("Host", host)]).refused(421, "wrong-host");
    }
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "file://"] {
        with(&[("Origin", origin)]).refused(403, "forbidden");
    }
    for (method, path) in OTHER_DOORS {
        let sent = |name, value| {
            let headers = [("Authorization", bearer.as_str()), (name, value)];
            server.send_with(method, path, &headers, Some(&json!({})))
        };
        sent("Host", "evil.example").refused(421, "wrong-host");
        sent("Origin", "http://evil.example").refused(403, "forbidden");
        // A browser's cookie goes with requests of our own pages only.
        let cookie = format!("candor_session={}", server.token.trim());
        if method == "POST" {
            server
                .send_with(method, path, &[("Cookie", &cookie)], Some(&json!({})))
                .refused(403, "forbidden");
        }
    }
    let twice = format!(
        "GET {RUNS} HTTP/1.1\r\nHost: {0}\r\nHost: evil.example\r\nAuthorization: {bearer}\r\nConnection: close\r\n\r\n",
        server.address
    );
    assert!([400, 421].contains(&server.raw(twice.as_bytes()).status));
}

#[test]
fn beyond_loopback_the_server_does_not_start_without_a_proxy_and_a_name() {
    let candor = Candor::new();
    candor.run(["serve", "--listen", "0.0.0.0:0"]).refused(&["TLS", "--behind-proxy"]);
    candor.run(["serve", "--listen", "0.0.0.0:0", "--behind-proxy"]).refused(&["--host"]);
    candor.run(["serve", "--mcp", "--listen", "127.0.0.1:0"]).refused(&["cannot be used"]);
}

#[test]
fn tricks_with_paths_and_methods_lead_nowhere() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let run = server.run(json!({"goal": "Count the waves", "unattended": true}));
    for path in [
        "/api/v1/runs/..%2f..%2fserver.token",
        "/api/v1/runs/../../server.token",
        "/../../etc/passwd",
        "/api/v1/runs/%00",
        "/api/v1/runs/%2e%2e",
        "/api/v1//runs",
        "/API/v1/runs",
        "/api/v1/runs/",
        "/server.token",
        "/api/v1/runs/run_1%0d%0aSet-Cookie:%20x=1",
    ] {
        let answer = server.get(path);
        assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:") && !answer.headers.contains("set-cookie"), "{path}");
        assert!(!answer.body.contains(server.token.trim()), "{path}");
    }
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "BREW"] {
        let answer = server.send(method, &format!("{RUNS}/{run}"), None);
        assert!([400, 404, 405].contains(&answer.status), "{method}: {answer:?}");
    }
    let smuggled = format!(
        "POST {RUNS} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n",
        server.address, server.token
    );
    assert!(server.raw(smuggled.as_bytes()).status >= 400);
}

#[test]
fn a_huge_body_is_refused_without_being_read_and_a_slow_one_is_cut_off() {
    let candor = Candor::new();
    let server = Server::start(&candor);
    for path in [RUNS, "/mcp", "/a2a"] {
        takes_no_huge_body(&server, path);
    }
    std::thread::scope(|scope| {
        for path in [RUNS, "/mcp", "/a2a"] {
            scope.spawn(|| waits_for_no_slow_body(&server, path));
        }
    });
}

fn head(server: &Server, path: &str, length: u64) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nA2A-Version: 1.0\r\nContent-Length: {length}\r\n\r\n",
        server.address, server.token
    )
}

fn takes_no_huge_body(server: &Server, path: &str) {
    let mut stream = server.connect();
    stream.write_all(head(server, path, 1 << 30).as_bytes()).unwrap();
    let block = vec![b' '; 64 * 1024];
    // A gigabyte, if the server were to take it.
    let sent = (0..16 * 1024).take_while(|_| stream.write_all(&block).is_ok()).count();
    assert!(sent < 1024, "{sent} blocks were taken");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413"), "{path}: {answer}");
}

fn waits_for_no_slow_body(server: &Server, path: &str) {
    // One byte a second: others are served meanwhile, and it ends.
    let (begun, mut stream) = (Instant::now(), server.connect());
    stream.write_all(head(server, path, 1000).as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut answer = [0_u8; 64];
    let read = loop {
        let _ = stream.write_all(b" ");
        match stream.read(&mut answer) {
            Ok(read) => break read,
            Err(_) => server.get(RUNS).ended_with(200),
        };
        assert!(begun.elapsed() < Duration::from_secs(60), "a slow body is waited for");
    };
    assert!(read == 0 || answer.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&answer));
}

#[test]
fn a_crowd_that_says_nothing_is_let_go_and_others_are_served() {
    let candor = Candor::new();
    let server = Server::start(&candor);
    let mut silent: Vec<_> = (0..600).map(|_| server.connect()).collect();
    server.get(RUNS).ended_with(200);
    let mut first = silent.swap_remove(0);
    first.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
    let mut answer = Vec::new();
    first.read_to_end(&mut answer).expect("closed by the server, not waited for");
}

#[test]
fn ten_thousand_connections_are_bounded_and_others_are_served_meanwhile() {
    // In a process of its own, which has a table of open files of its own.
    let script = "import socket,sys,resource,time,urllib.request\n\
        resource.setrlimit(resource.RLIMIT_NOFILE,(resource.getrlimit(resource.RLIMIT_NOFILE)[1],)*2)\n\
        host,port=sys.argv[1].split(':'); held=[]; refused=0\n\
        for nth in range(10000):\n\
        \x20   it=socket.socket(); it.settimeout(5)\n\
        \x20   try: it.connect((host,int(port))); held.append(it)\n\
        \x20   except OSError: refused+=1; it.close()\n\
        print('held',len(held),'refused',refused,flush=True); sys.stdin.read()";
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let mut crowd = Command::new("python3")
        .args(["-c", script, &server.address])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(crowd.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("held "), "{said}");
    let status = std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count();
    assert!(status < 4096 + 200, "{status} files are open");
    // A place is free within a second or two, while the crowd holds on.
    let begun = Instant::now();
    while server.get(RUNS).status != 200 {
        assert!(begun.elapsed() < Duration::from_secs(10), "nobody else is served");
        std::thread::sleep(Duration::from_millis(50));
    }
    let task = json!({"task_id": "t1", "description": "Count the waves", "agent_type": "collector"});
    let run = server.run(json!({"plan": {"subtasks": [task]}, "unattended": true}));
    until("runs go on", || {
        let shown = server.get(&format!("{RUNS}/{run}"));
        shown.status == 200 && shown.json()["status"] == "completed"
    });
    assert!(crowd.try_wait().unwrap().is_none(), "the crowd held on meanwhile");
    crowd.kill().unwrap();
    crowd.wait().unwrap();
}

#[test]
fn a_form_of_another_site_does_nothing_even_with_the_cookie_of_a_session() {
    let candor = Candor::with_config(&format!("[limits]\napproval = \"always\"\n{GENERAL}"));
    let server = Server::start(&candor);
    let link = server.link.split_once("/login").map(|(_, rest)| format!("/login{rest}")).unwrap();
    let entered = server.send_with("GET", &link, &[], None).ended_with(200);
    let cookie = entered.headers.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    // The headers were put in lower case, and the secret is in it already.
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let run = server.run(json!({"goal": "Write a letter to the beekeepers"}));
    server.wait_for(&run, "waiting_human");
    let asked = server.get("/api/v1/questions").json()["questions"][0].clone();
    let (gate, digest) = (asked["gate"].as_str().unwrap(), asked["digest"].as_str().unwrap());
    let answer = format!("decision=reject&digest={digest}");
    let forms = [
        ("/runs".to_owned(), "goal=Delete+everything".to_owned()),
        (format!("/runs/{run}/cancel"), String::new()),
        (format!("/runs/{run}/pause"), String::new()),
        (format!("/runs/{run}/questions/{gate}"), answer),
        ("/alerts/high_cost/ack".to_owned(), String::new()),
        ("/logout".to_owned(), String::new()),
    ];
    let own = format!("http://{}", server.address);
    let post = |path: &str, form: &str, origin: Option<&str>| {
        let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
        let (host, length) = (&server.address, form.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{origin}Connection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{form}"
        );
        server.raw(head.as_bytes()).status
    };
    for (path, form) in &forms {
        for origin in [Some("http://evil.example"), Some("null"), None] {
            // A session may be ended by anybody who has its cookie; no page of another site has it.
            if path != "/logout" || origin.is_some() {
                assert_eq!(post(path, form, origin), 403, "{path} from {origin:?}");
            }
        }
    }
    let runs = server.get(RUNS).json()["runs"].as_array().unwrap().clone();
    assert_eq!((runs.len(), &runs[0]["status"]), (1, &json!("waiting_human")), "nothing was done");
    // The same form from our own page does what it says: the cookie was a real one.
    assert_eq!(post(&forms[1].0, "", Some(&own)), 303);
    server.wait_for(&run, "cancelled");
}

#[test]
fn no_endpoint_and_no_page_gives_out_a_planted_secret() {
    let secret = "sk-ant-api03-zzzzyyyyxxxxwwwwvvvvuuuuttttssss";
    let script = format!(
        "cat > /dev/null; echo '{{\"outputs\":{{\"note\":\"the key is {secret}\"}}}}'; echo {secret} >&2"
    );
    let agent = "[[agents]]\nagent_type = \"teller\"\nspecialization = \"Tells\"\n";
    let candor = Candor::with_config(&format!("{agent}command = [\"sh\", \"-c\", {}]\n", json!(script)));
    let server = Server::start(&candor);
    let task = json!({"task_id": "t1", "description": format!("Tell the key {secret}"), "agent_type": "teller",
        "inputs": {"key": secret}});
    let body = json!({"goal": format!("Use {secret}"), "plan": {"subtasks": [task]}, "unattended": true});
    let run = server.run(body);
    until("it has ended", || server.get(&format!("{RUNS}/{run}")).json()["driver"] == "nobody");
    let artifacts = server.get(&format!("{RUNS}/{run}/artifacts")).json();
    let artifact = artifacts["artifacts"][0]["artifact_id"].as_str().unwrap().to_owned();
    let openapi = server.get("/api/v1/openapi.json").json();
    let mut paths: Vec<String> = openapi["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(path, operations)| operations.get("get").is_some() && !path.ends_with("/stream"))
        .map(|(path, _)| path.replace("{run}", &run).replace("{artifact}", &artifact))
        .collect();
    assert!(paths.len() > 25, "{paths:?}");
    paths
        .extend([format!("{RUNS}/{run}/trace?content=true"), format!("{RUNS}/{run}/plans/diff?from=1&to=1")]);
    paths.extend(
        ["/", "/inbox", "/agents", "/tools", "/config", "/kpis", "/cost", "/alerts", "/schedules"]
            .map(str::to_owned),
    );
    paths.extend([
        format!("/runs/{run}"),
        "/.well-known/agent-card.json".to_owned(),
        "/kpis/depth".to_owned(),
    ]);
    for path in paths {
        let answer = server.get(&path);
        assert!(answer.status < 500, "{path}: {answer:?}");
        assert!(!answer.body.contains(secret), "{path} gives it out: {}", answer.body);
    }
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": run}});
    let bearer = format!("Bearer {}", server.token);
    let headers = [("Authorization", bearer.as_str()), ("A2A-Version", "1.0")];
    let task = server.send_with("POST", "/a2a", &headers, Some(&call)).ended_with(200);
    assert!(task.body.contains("\"artifacts\"") && !task.body.contains(secret), "{task:?}");
    let events = server.follow(&format!("{RUNS}/{run}/events/stream"), None, |events| events.len() > 10);
    assert!(!format!("{events:?}").contains(secret));
}

#[test]
fn every_answer_has_the_headers_that_keep_browsers_safe_and_none_has_a_secret() {
    let candor = Candor::with_config(GENERAL);
    let server = Server::start(&candor);
    let secret = "sk-ant-api03-aaaabbbbccccddddeeeeffffgggghhhh";
    let run =
        server.run(json!({"goal": format!("Write a letter with the key {secret}"), "unattended": true}));
    for path in [
        "/health",
        RUNS,
        "/nowhere",
        &format!("{RUNS}/{run}"),
        &format!("{RUNS}/{run}/events"),
        "/api/v1/config",
        "/api/v1/audit",
    ] {
        let answer = server.get(path);
        for header in [
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "content-security-policy: default-src 'none'",
            "cache-control: no-store",
            "referrer-policy: same-origin",
        ] {
            assert!(answer.headers.contains(header), "{path}: {header}");
        }
        assert!(!answer.body.contains(secret) && !answer.body.contains(server.token.trim()), "{path}");
        assert!(!answer.headers.contains("access-control"), "{path}");
    }
}
