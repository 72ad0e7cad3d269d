//! Looking at a folder: real files, real links, real commands.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use crate::common::{content, is_running};
use candor_agents::FolderInspector;
use candor_model::{CheckKind, ReadFile, Seconds};
use candor_ports::Inspector;
use tempfile::TempDir;

fn folder() -> (TempDir, FolderInspector) {
    let folder = tempfile::tempdir().unwrap();
    let inspector = FolderInspector::new(folder.path());
    (folder, inspector)
}

async fn why_not(inspector: &FolderInspector, path: &str) -> String {
    let file = inspector.read(path).await;
    assert_eq!(file.path, path);
    file.text.unwrap_err()
}

#[tokio::test]
async fn a_file_is_read_with_its_size_its_time_and_its_digest() {
    // spec: orchestrator SS-06
    let (folder, inspector) = folder();
    fs::create_dir(folder.path().join("notes")).unwrap();
    fs::write(folder.path().join("notes/a.txt"), "abc").unwrap();
    let file = inspector.read("notes/a.txt").await;
    assert_eq!(file.text.as_deref(), Ok("abc"));
    assert_eq!(file.bytes, 3);
    assert_eq!(file.hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let age = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64
        - file.modified.unwrap().as_millis();
    assert!((0..60_000).contains(&age), "{age}");
    assert_eq!(inspector.read("./notes/a.txt").await.bytes, 3);
}

#[tokio::test]
async fn nothing_outside_the_folder_is_read() {
    let (folder, inspector) = folder();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    symlink(&secret, folder.path().join("link")).unwrap();
    symlink(outside.path(), folder.path().join("door")).unwrap();
    fs::write(folder.path().join("own"), "own").unwrap();
    symlink("own", folder.path().join("inside")).unwrap();
    for path in [secret.to_str().unwrap(), "../secret", "a/../../secret", "", " "] {
        assert!(why_not(&inspector, path).await.contains("within the folder"), "{path}");
    }
    for path in ["link", "door/secret"] {
        assert!(why_not(&inspector, path).await.contains("leads out"), "{path}");
        let (passed, _) = inspector.check(&CheckKind::File(path.to_owned()), Seconds::whole(1)).await;
        assert!(!passed);
    }
    assert_eq!(inspector.read("inside").await.text.as_deref(), Ok("own"), "a link within it is fine");
}

#[tokio::test]
async fn what_is_no_text_is_said_to_be_none_and_what_is_long_is_cut() {
    let (folder, inspector) = folder();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("zero", b"a\0b");
    write("latin", b"caf\xe9");
    write("long", "é".repeat(40_000).as_bytes());
    write("odd", format!("x{}", "é".repeat(40_000)).as_bytes());
    write("exact", "e".repeat(64 * 1024).as_bytes());
    assert!(why_not(&inspector, "zero").await.contains("not text (3 bytes)"));
    assert!(why_not(&inspector, "latin").await.contains("not text"));
    assert_eq!(inspector.read("zero").await.bytes, 3);
    assert_eq!(inspector.read("zero").await.hash.len(), 64, "it is known all the same");
    for name in ["long", "odd"] {
        let file = inspector.read(name).await;
        let text = file.text.unwrap();
        assert!(text.len() < 66_000 && text.ends_with("80000 bytes …]\n") || text.contains("80001 bytes"));
        assert!(!text.contains('\u{fffd}'), "a letter was cut in two");
        assert!(file.bytes >= 80_000);
    }
    assert_eq!(inspector.read("exact").await.text.unwrap().len(), 64 * 1024, "nothing to cut");
    assert!(why_not(&inspector, "gone").await.contains("no such file"));
    assert!(why_not(&inspector, "zero/x").await.contains("no such file"));
    assert!(why_not(&inspector, ".").await.contains("a folder"));
}

#[tokio::test]
async fn a_pipe_is_not_waited_for() {
    let (folder, inspector) = folder();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
    assert!(made.success());
    assert!(why_not(&inspector, "pipe").await.contains("not a plain file"));
}

#[tokio::test]
async fn a_file_is_unchanged_while_its_size_and_time_are() {
    // spec: orchestrator SS-06
    let (folder, inspector) = folder();
    let path = folder.path().join("a");
    fs::write(&path, "one").unwrap();
    let known = inspector.read("a").await;
    assert!(inspector.unchanged(&known));
    let later = ReadFile {
        modified: known.modified.map(|at| candor_model::Timestamp::from_millis(at.as_millis() - 5)),
        ..known.clone()
    };
    assert!(!inspector.unchanged(&later), "the same size at another time");
    fs::write(&path, "three").unwrap();
    assert!(!inspector.unchanged(&known));
    let missing = inspector.read("b").await;
    assert!(inspector.unchanged(&missing), "it is still not there");
    fs::write(folder.path().join("b"), "now").unwrap();
    assert!(!inspector.unchanged(&missing));
    fs::remove_file(&path).unwrap();
    assert!(!inspector.unchanged(&known));
}

async fn check(inspector: &FolderInspector, words: &[&str]) -> (bool, String) {
    let words = words.iter().map(|&word| word.to_owned()).collect();
    inspector.check(&CheckKind::Command(words), Seconds::whole(10)).await
}

#[tokio::test]
async fn a_file_must_be_there_and_not_be_empty() {
    // spec: orchestrator DC-13 PH-14
    let (folder, inspector) = folder();
    fs::write(folder.path().join("full"), "x").unwrap();
    fs::write(folder.path().join("empty"), "").unwrap();
    let check =
        async |path: &str| inspector.check(&CheckKind::File(path.to_owned()), Seconds::whole(1)).await;
    assert_eq!(check("full").await, (true, "full: 1 bytes".to_owned()));
    assert_eq!(check("empty").await, (false, "empty: the file is empty".to_owned()));
    assert_eq!(check("gone").await, (false, "gone: there is no such file".to_owned()));
}

#[tokio::test]
async fn a_command_passes_with_0_in_the_folder_and_without_a_shell() {
    // spec: orchestrator DC-13 PH-14
    let (folder, inspector) = folder();
    fs::write(folder.path().join("here"), "x").unwrap();
    assert_eq!(
        check(&inspector, &["test", "-s", "here"]).await,
        (true, "`test` exited with code 0".to_owned())
    );
    let (passed, detail) =
        check(&inspector, &["sh", "-c", "echo one; echo two >&2; echo three; exit 3"]).await;
    assert!(!passed);
    assert_eq!(detail, "`sh` exited with code 3; the end of its output: one\ntwo\nthree");
    let (passed, detail) = check(&inspector, &["echo", "$HOME; ls"]).await;
    assert!(passed && detail.ends_with("$HOME; ls"), "{detail}");
    let (passed, detail) = check(&inspector, &["no-such-program-here"]).await;
    assert!(!passed && detail.contains("cannot run `no-such-program-here`"), "{detail}");
    assert!(!check(&inspector, &[]).await.0);
    let (passed, detail) = check(&inspector, &["sh", "-c", "kill -9 $$"]).await;
    assert!(!passed && detail.contains("SIGKILL"), "{detail}");
}

#[tokio::test]
async fn only_the_end_of_a_long_output_is_told() {
    let (_folder, inspector) = folder();
    let (passed, detail) = check(&inspector, &["sh", "-c", "yes line | head -100000; echo the end"]).await;
    assert!(passed);
    assert!(detail.ends_with("the end") && detail.len() < 2_200, "{}", detail.len());
}

#[tokio::test]
async fn a_command_that_does_not_end_is_killed_with_its_children() {
    let (folder, inspector) = folder();
    let pid = folder.path().join("pid");
    let words = ["sh", "-c", "echo begun; sleep 60 & echo $! > pid; wait"].map(str::to_owned).to_vec();
    let began = Instant::now();
    let (passed, detail) = inspector.check(&CheckKind::Command(words), Seconds::new(0.4).unwrap()).await;
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(!passed && detail.contains("had not ended after 0.4s") && detail.ends_with("begun"), "{detail}");
    assert!(!is_running(&content(&pid).await));
}

#[tokio::test]
async fn a_check_that_nobody_waits_for_any_more_is_killed() {
    let (folder, inspector) = folder();
    let pid = folder.path().join("pid");
    tokio::select! {
        _ = check(&inspector, &["sh", "-c", "sleep 60 & echo $! > pid; wait"]) => panic!("ended by itself"),
        text = content(&pid) => drop(text),
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!is_running(&content(&pid).await));
}

#[tokio::test]
async fn a_file_is_made_what_it_was_also_when_it_is_gone() {
    // spec: orchestrator SM-12
    let (folder, inspector) = folder();
    let path = folder.path().join("notes.md");
    let before = "as it was\n\u{e9}\n";
    fs::write(&path, before).unwrap();
    let read = inspector.read("notes.md").await;
    fs::write(&path, "something else").unwrap();
    inspector.restore(&read).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    fs::remove_file(&path).unwrap();
    inspector.restore(&read).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert!(
        left.iter()
            .all(|entry| { !entry.as_ref().unwrap().file_name().to_string_lossy().contains("restored") })
    );
    let outside = ReadFile { path: "../evil.md".to_owned(), ..read.clone() };
    assert!(inspector.restore(&outside).await.is_err());
    assert!(!folder.path().parent().unwrap().join("evil.md").exists());
    let cut = ReadFile { bytes: 1_000_000, ..read };
    assert!(inspector.restore(&cut).await.unwrap_err().contains("not all of it"));
}
