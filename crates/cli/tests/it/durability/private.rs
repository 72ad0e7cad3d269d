//! The data folder is its owner's alone, whatever the umask.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{Candor, GENERAL, Said};

fn modes(folder: &Path, found: &mut Vec<(String, u32)>) {
    found.push((folder.display().to_string(), fs::metadata(folder).unwrap().permissions().mode() & 0o777));
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            modes(&entry.path(), found);
        } else {
            found.push((
                entry.path().display().to_string(),
                entry.metadata().unwrap().permissions().mode() & 0o777,
            ));
        }
    }
}

fn open_to_others(candor: &Candor) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    modes(&candor.path("data"), &mut found);
    assert!(found.len() > 1, "there is a log");
    found.retain(|(_, mode)| mode & 0o077 != 0);
    found
}

/// Runs the binary under a umask that hides nothing.
fn run(candor: &Candor, args: &str) -> Said {
    let script = format!("umask 000; exec {} --data data {args}", env!("CARGO_BIN_EXE_candor"));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).current_dir(candor.folder()).stdin(std::process::Stdio::null());
    Said::of(command.output().unwrap())
}

#[test]
fn everything_in_the_data_folder_is_its_owners_alone() {
    // spec: findings SE-05
    let agent = "[[agents]]\nagent_type = \"loud\"\nspecialization = \"Writes\"\ncapabilities = [\"write\"]\n\
        command = [\"sh\", \"-c\", \"cat > /dev/null; echo words >&2; echo '{\\\"outputs\\\": {\\\"thing\\\": 1}}'\"]\n";
    let candor = Candor::with_config(&format!("{GENERAL}{agent}"));
    candor.write(
        "plan.json",
        r#"{"subtasks": [{"task_id": "t", "description": "Do it", "agent_type": "loud", "expected_outputs": ["thing"]}]}"#,
    );
    run(&candor, "run --plan plan.json --run-id run_1");
    assert!(candor.path("data/logs").exists());
    assert_eq!(open_to_others(&candor), []);
}

#[test]
fn a_folder_that_others_could_read_is_repaired_and_that_is_told() {
    // spec: findings SE-05
    let candor = Candor::with_config(GENERAL);
    run(&candor, "run 'Write a short text about rivers' --run-id run_1");
    let set =
        |name: &str, mode| fs::set_permissions(candor.path(name), fs::Permissions::from_mode(mode)).unwrap();
    set("data", 0o755);
    set("data/candor.db", 0o644);
    let said = run(&candor, "list").ended_with(0);
    assert!(said.stderr.contains("other users could read"), "{}", said.stderr);
    assert_eq!(open_to_others(&candor), []);
    assert_eq!(run(&candor, "list").stderr, "", "told once");
}

#[test]
fn what_a_server_writes_is_its_owners_alone_too() {
    // spec: findings SE-05
    let candor = Candor::with_config(GENERAL);
    let server = crate::http::client::Server::start(&candor);
    let run = server.run(serde_json::json!({"goal": "Write a short text about rivers", "unattended": true}));
    server.wait_for(&run, "completed");
    assert_eq!(open_to_others(&candor), []);
}

#[test]
fn doctor_says_in_one_line_which_boundaries_hold_here() {
    // spec: findings SE-05 SE-08 SE-09
    let candor = Candor::new();
    let told = candor.run(["doctor", "--json"]).json();
    let of_sandbox = |it: &&serde_json::Value| it["check"] == "sandbox";
    let lines: Vec<_> = told["checks"].as_array().unwrap().iter().filter(of_sandbox).collect();
    assert_eq!(lines.len(), 1, "{told}");
    let message = lines[0]["message"].as_str().unwrap();
    for part in ["Landlock (files)", "seccomp", "namespaces", "memory is counted", "file modes"] {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
    assert!(!message.contains('\n'));
}
