//! Every command that lists something: JSON, a limit, and filters by status, project, user and date.

use serde_json::Value;

use crate::http::client::Server;
use crate::support::{Candor, Said};

/// An agent of a boatyard that reports what it costs, so that there is money to look at.
const CAULKER: &str = "[[agents]]\nagent_type = \"caulker\"\nspecialization = \"Caulks hulls of boats\"\ncapabilities = [\"caulk\"]\n\
    command = [\"sh\", \"-c\", \"cat >/dev/null; echo '{\\\"outputs\\\": {\\\"seams\\\": 7}, \\\"cost\\\": 0.25}'\"]\n";

/// One that costs money and fails.
const RIGGER: &str = "[[agents]]\nagent_type = \"rigger\"\nspecialization = \"Rigs masts of boats\"\ncapabilities = [\"rig\"]\n\
    command = [\"sh\", \"-c\", \"cat >/dev/null; echo '{\\\"error\\\": {\\\"message\\\": \\\"no rope\\\"}, \\\"cost\\\": 0.5}'\"]\n";

/// The rest of the settings.
const BOATYARD: &str = "[project]\nname = \"slipway\"\n[limits.retry]\nmax_retries = 0\n\
    [[schedules]]\nname = \"mornings\"\ncron = \"0 7 * * *\"\ngoal = \"Caulk the hull\"\n\
    [[schedules]]\nname = \"evenings\"\ncron = \"0 19 * * *\"\ngoal = \"Caulk the hull\"\n";

/// A run that succeeds in the project `slipway`, and one that fails in the project `drydock`.
fn boatyard() -> Candor {
    let candor = Candor::with_config(&format!("{BOATYARD}{CAULKER}{RIGGER}"));
    let goal = "Caulk the hull of the boat";
    candor.run(["run", goal, "--run-id", "run_caulk", "--user", "ines", "--yes"]).ended_with(0);
    // Nobody else is there to do it.
    candor.write("elsewhere.toml", format!("{BOATYARD}{RIGGER}").replace("slipway", "drydock"));
    let other = ["run", "Rig the mast of the boat", "--run-id", "run_rig", "--user", "olaf", "--yes"];
    candor.run([&["--config", "elsewhere.toml"], &other[..]].concat()).ended_with(1);
    candor
}

/// The entries of a list: the array itself, or the one under this key.
fn entries(said: &Said, key: &str) -> Vec<Value> {
    let whole = said.json();
    let found = if key.is_empty() { &whole } else { &whole[key] };
    // A report on no run leaves its empty lists out.
    if found.is_null() && whole["runs"] == 0 {
        return Vec::new();
    }
    found.as_array().unwrap_or_else(|| panic!("no list `{key}` in {whole}")).clone()
}

#[test]
fn every_list_gives_json_and_no_more_than_the_limit() {
    // spec: findings UX-10
    let candor = boatyard();
    for name in ["mast", "keel"] {
        candor.run(["token", "add", name]).ended_with(0);
    }
    // The command, where its entries are in JSON, and how many there are without a limit.
    let lists: &[(&[&str], &str, usize)] = &[
        (&["list"], "", 2),
        (&["explain", "--operation", "route_task"], "", 2),
        (&["agents"], "agents", 2),
        (&["packs"], "packs", 4),
        (&["schedules"], "schedules", 2),
        (&["token", "list"], "", 2),
        (&["cost"], "by_run", 2),
        (&["tokens"], "by_run", 2),
        (&["metrics", "--all"], "sessions", 2),
        (&["prune", "--older-than", "0h", "--dry-run"], "runs", 2),
    ];
    for (words, key, there) in lists {
        let all = candor.run([words, &["--json"][..]].concat()).ended_with(0);
        assert!(entries(&all, key).len() >= *there, "{words:?}: {}", all.stdout);
        let one = candor.run([words, &["--json", "--limit", "1"][..]].concat()).ended_with(0);
        assert_eq!(entries(&one, key).len(), 1, "{words:?}: {}", one.stdout);
        let shown = candor.run([words, &["--limit", "1"][..]].concat()).ended_with(0);
        let whole = candor.run(words.iter()).ended_with(0);
        // No model was asked, so there are no tokens to show.
        let is_shorter = shown.stdout.len() < whole.stdout.len();
        assert!(is_shorter || words == &["tokens"], "{words:?}: {}", shown.stdout);
    }
    // Lists of which a short story has at most one entry: they take the same words.
    for words in [
        &["tools"][..],
        &["models"],
        &["alerts"],
        &["trust"],
        &["effects", "run_caulk"],
        &["logs", "run_caulk"],
    ] {
        candor.run([words, &["--json", "--limit", "1"]].concat()).ended_with(0);
    }
}

#[test]
fn lists_of_runs_are_filtered_by_status_project_user_and_date() {
    let candor = boatyard();
    let runs = |words: &[&str], key: &str, field: &str| {
        let said = candor.run([words, &["--json"]].concat()).ended_with(0);
        let rows = entries(&said, key).into_iter();
        let mut names: Vec<String> =
            rows.map(|row| row.get(field).unwrap_or(&row).as_str().unwrap().to_owned()).collect();
        names.dedup();
        names
    };
    let lists: &[(&[&str], &str, &str)] = &[
        (&["list"], "", "run_id"),
        (&["explain", "--operation", "route_task"], "", "run_id"),
        (&["cost"], "by_run", "name"),
        (&["tokens"], "by_run", "name"),
        (&["metrics", "--all"], "sessions", "run"),
    ];
    for (words, key, field) in lists {
        let with = |more: &[&str]| runs(&[words, more].concat(), key, field);
        assert_eq!(with(&[]).len(), 2, "{words:?}");
        assert_eq!(with(&["--status", "completed"]), ["run_caulk"], "{words:?}");
        assert_eq!(with(&["--project", "drydock"]), ["run_rig"], "{words:?}");
        assert_eq!(with(&["--user", "ines"]), ["run_caulk"], "{words:?}");
        assert_eq!(with(&["--project", "drydock", "--user", "ines"]), Vec::<String>::new(), "{words:?}");
        assert_eq!(with(&["--since", "1h"]).len(), 2, "{words:?}");
        assert_eq!(with(&["--until", "1h"]), Vec::<String>::new(), "{words:?}");
        candor.run([words, &["--since", "whenever"][..]].concat()).refused(&["whenever", "2026-05-31"]);
    }
    let old = ["prune", "--older-than", "0h", "--dry-run"];
    assert_eq!(runs(&[&old[..], &["--project", "slipway"]].concat(), "runs", ""), ["run_caulk"]);
    candor.run(["prune", "--older-than", "0h", "--project", "slipway"]).refused(&["--dry-run"]);
    assert_eq!(runs(&["list"], "", "run_id").len(), 2, "nothing was removed");
    candor.run(["cost", "run_rig", "--project", "drydock"]).refused(&["leave RUN out"]);
    candor.run(["metrics", "--kpi", "--project", "drydock"]).refused(&["key figures"]);
}

#[test]
fn lists_of_other_things_are_filtered_by_what_they_have() {
    let candor = boatyard();
    let logs =
        |more: &[&str]| candor.run([&["logs", "run_rig", "--json"], more].concat()).ended_with(0).lines();
    assert!(logs(&["--status", "failed"]).iter().all(|it| it["outcome"] == "failed"));
    assert!(!logs(&["--status", "failed"]).is_empty());
    assert!(logs(&["--status", "succeeded"]).is_empty() && logs(&["--until", "1h"]).is_empty());
    candor.run(["logs", "run_rig", "--status", "sunk"]).refused(&["sunk", "succeeded"]);
    candor.run(["schedules", "pause", "evenings"]).ended_with(0);
    let names = |words: &[&str], key: &str, pointer: &str| {
        let said = candor.run([words, &["--json"]].concat()).ended_with(0);
        let rows = entries(&said, key).into_iter();
        rows.map(|row| row.pointer(pointer).unwrap().as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["schedules", "--status", "paused"], "schedules", "/name"), ["evenings"]);
    assert_eq!(names(&["schedules", "--status", "active"], "schedules", "/name"), ["mornings"]);
    let open = names(&["agents", "--status", "open"], "agents", "/declared/agent_type");
    let closed = names(&["agents", "--status", "closed"], "agents", "/declared/agent_type");
    assert!(open.is_empty(), "one failure opens no circuit: {open:?}");
    assert!(closed.contains(&"rigger".to_owned()) && closed.contains(&"caulker".to_owned()), "{closed:?}");
    candor.run(["token", "add", "keel"]).ended_with(0);
    assert_eq!(names(&["token", "list", "--status", "active"], "", "/name"), ["keel"]);
    assert!(names(&["token", "list", "--status", "expired"], "", "/name").is_empty());
    assert_eq!(
        candor.run(["alerts", "--all", "--since", "1h", "--json"]).ended_with(0).json()["history"],
        serde_json::json!([])
    );
}

#[test]
fn a_server_filters_as_the_folder_does() {
    // spec: findings UX-12
    let candor = boatyard();
    let server = Server::start(&candor);
    let away = Candor::new();
    let there = |words: &[&str]| {
        let mut command = away.command(words);
        command.env("CANDOR_TOKEN", &server.token).env("CANDOR_SERVER", format!("http://{}", server.address));
        Said::of(command.output().unwrap())
    };
    for words in [
        &["list"][..],
        &["list", "--status", "completed"],
        &["list", "--project", "drydock"],
        &["list", "--user", "ines"],
        &["list", "--since", "1h"],
        &["list", "--until", "1h"],
        &["list", "--since", "1999-12-31", "--limit", "1"],
        &["list", "--request", "RUN_RIG"],
        &["list", "--unfinished"],
    ] {
        let ids = |said: Said| {
            let rows = entries(&said.ended_with(0), "").into_iter();
            rows.map(|row| row["run_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let words = [words, &["--json"]].concat();
        assert_eq!(ids(there(&words)), ids(candor.run(&words)), "{words:?}");
    }
    for words in
        [&["explain", "--operation", "route_task"][..], &["explain", "--project", "slipway", "--limit", "3"]]
    {
        let words = [words, &["--json"]].concat();
        let here = candor.run(&words).ended_with(0).json();
        assert!(!here.as_array().unwrap().is_empty());
        assert_eq!(there(&words).ended_with(0).json(), here, "{words:?}");
    }
    let listed =
        |query: &str| server.get(&format!("/api/v1/runs?{query}")).ended_with(200).json()["runs"].clone();
    let ids =
        |runs: &Value| runs.as_array().unwrap().iter().map(|run| run["run_id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&listed("project=slipway&since=1h")), ["run_caulk"]);
    assert_eq!(ids(&listed("user=olaf&until=2199-01-01T00:00:00Z")), ["run_rig"]);
    server.get("/api/v1/runs?since=soon").refused(400, "bad-request");
    let page = server.get("/?project=slipway").ended_with(200).body;
    assert!(page.contains("run_caulk") && !page.contains("run_rig"), "{page}");
}

#[test]
fn an_agent_without_attempts_has_no_figures() {
    // spec: findings UX-05
    let candor = boatyard();
    let shown = candor.run(["agents"]).ended_with(0).stdout;
    let row = |agent: &str| {
        let line = shown.lines().find(|line| line.starts_with(agent));
        let line = line.unwrap_or_else(|| panic!("{agent}: {shown}"));
        line.split_whitespace().skip(1).take(4).collect::<Vec<_>>().join(" ")
    };
    assert!(row("caulker").starts_with("100% "), "{shown}");
    assert_eq!(row("data_profiler"), "– – – 0", "{shown}");
}
