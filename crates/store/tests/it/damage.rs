//! Opening what a crash, a bad disk or another program left behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{Place, ended, events_of, fill, numbered, open, paused, readable, run};
use candor_model::{Event, Position, RunId};
use candor_ports::{EventLog, LogError, RunFilter};
use candor_store::{OpenOptions, SqliteLog, repair, verify};
use tempfile::TempDir;

/// Copies the log with its write-ahead log, as it is on the disk at this moment.
fn snapshot(path: &Path) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("log.db");
    // The write-ahead log first: a checkpoint between the two copies then loses nothing.
    let wal = path.with_file_name("log.db-wal");
    if wal.exists() {
        std::fs::copy(&wal, folder.path().join("log.db-wal")).unwrap();
    }
    std::fs::copy(path, &copy).unwrap();
    (folder, copy)
}

/// A write-ahead log without the room behind its last commit.
fn used(mut wal: Vec<u8>) -> Vec<u8> {
    wal.truncate(wal.iter().rposition(|byte| *byte != 0).unwrap() + 1);
    wal
}

fn is_prefix(read: &[Event], written: &[Event]) -> bool {
    written.starts_with(read)
}

/// What the table of events that follow a lost one has.
fn kept_apart(place: &Place) -> i64 {
    place.raw().query_row("SELECT count(*) FROM quarantine", [], |row| row.get(0)).unwrap()
}

fn problems(place: &Place) -> Vec<String> {
    verify(&place.path).unwrap().problems
}

#[tokio::test]
async fn a_damaged_last_record_is_told_and_left_alone_until_the_log_is_repaired() {
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("a"), 3).await;
    fill(&log, &run("b"), 2).await;
    drop(log);
    place
        .raw()
        .execute("UPDATE events SET body = substr(body, 1, 20) WHERE run = 'a' AND position = 3", [])
        .unwrap();

    for _ in 0..2 {
        let (log, report) = place.open_with(OpenOptions::default());
        let found = &report.damaged[0];
        assert_eq!((found.run.as_str(), found.position), ("a", Position(3)), "told each time");
        assert!(
            found.reason.contains("checksum") && report.to_string().contains("candor repair"),
            "{report}"
        );
        assert!(readable(&log, &run("a")).await.is_err(), "a recorded success must not be done again");
        assert_eq!(readable(&log, &run("b")).await.unwrap().len(), 2);
    }
    assert!(problems(&place)[0].contains("run a, event 3"), "{:?}", problems(&place));
    let report = repair(&place.path, None).unwrap();
    let saved: Vec<_> = report.runs.iter().map(|run| (run.run.as_str(), run.saved, run.losses())).collect();
    assert_eq!(saved, [("a", 2, 1), ("b", 2, 0)]);
    assert_eq!(problems(&place), [""; 0]);
    let log = place.open();
    assert_eq!(readable(&log, &run("a")).await.unwrap(), [numbered(1), numbered(2)]);
    assert_eq!(log.append(&run("a"), Position(2), &[numbered(33)]).await.unwrap(), Position(3));
}

#[tokio::test]
async fn a_run_whose_only_record_is_damaged_is_gone_after_a_repair() {
    let place = Place::new();
    fill(&place.open(), &run("a"), 1).await;
    place.raw().execute("UPDATE events SET crc = crc + 1", []).unwrap();
    assert_eq!(place.open_with(OpenOptions::default()).1.damaged[0].position, Position(1));
    let report = repair(&place.path, None).unwrap();
    assert_eq!((report.runs[0].saved, &report.runs[0].lost[..]), (0, &[(1, 1)][..]));
    let log = place.open();
    assert!(log.runs(RunFilter::default()).await.unwrap().is_empty());
    fill(&log, &run("a"), 1).await;
}

#[tokio::test]
async fn a_missing_last_record_and_a_wrong_end_are_found_and_repaired() {
    for (sql, left) in [
        ("DELETE FROM events WHERE run = 'a' AND position = 3", 2),
        ("UPDATE events SET body = 'x' WHERE run = 'a' AND position = 2", 1),
        ("UPDATE runs SET seq = 1", 3),
        ("UPDATE runs SET position = 7", 3),
        ("UPDATE events SET run = 'x' WHERE position = 3", 2),
        ("DELETE FROM runs; DELETE FROM summaries", 3),
        ("UPDATE summaries SET body = replace(body, 'paused', 'failed')", 3),
        ("DROP INDEX events_by_blob", 3),
        ("CREATE TABLE stranger (x)", 3),
    ] {
        let place = Place::new();
        fill(&place.open(), &run("a"), 3).await;
        place.raw().execute_batch(sql).unwrap();
        assert!(!problems(&place).is_empty(), "{sql}: not found");
        repair(&place.path, None).unwrap();
        let log = place.open();
        assert_eq!(readable(&log, &run("a")).await.unwrap().len(), left, "{sql}");
        drop(log);
        assert_eq!(problems(&place), [""; 0], "{sql}");
    }
}

#[tokio::test]
async fn a_hole_in_the_middle_is_named_by_its_position() {
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("a"), 6).await;
    place.raw().execute_batch("DELETE FROM events WHERE position = 3").unwrap();
    let Err(LogError::Hole { run: named, position }) = readable(&log, &run("a")).await else {
        panic!("no hole")
    };
    assert_eq!((named, position), (run("a"), Position(3)));
    assert_eq!(log.read(&run("a"), Position(3)).await.unwrap().len(), 3, "what comes after it is sound");
    drop(log);
    assert!(problems(&place)[0].contains("run a, event 4"), "{:?}", problems(&place));
    let log = place.open();
    assert!(readable(&log, &run("a")).await.is_err(), "nothing is made up");
}

#[tokio::test]
async fn a_damaged_record_in_the_middle_is_named_and_left_alone() {
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("a"), 6).await;
    place.raw().execute_batch("UPDATE events SET body = replace(body, 'number 3', 'number 4')").unwrap();
    let Err(LogError::Damaged { position, .. }) = readable(&log, &run("a")).await else {
        panic!("not noticed")
    };
    assert_eq!(position, Position(3));
    drop(log);
    let found = problems(&place);
    assert!(found[0].contains("run a, event 3") && found.len() == 1, "{found:?}");
    let log = place.open();
    assert_eq!(log.runs(RunFilter::default()).await.unwrap()[0].head, Position(6));
}

#[tokio::test]
async fn an_event_of_a_newer_version_is_no_damage() {
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("a"), 2).await;
    let text = r#"{"v":9,"at":"1970-01-01T00:00:00Z","event":{"run_evolved":{}}}"#;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(b"a");
    hasher.update(&2u64.to_le_bytes());
    hasher.update(text.as_bytes());
    place
        .raw()
        .execute("UPDATE events SET body = ?1, crc = ?2 WHERE position = 2", (text, hasher.finalize()))
        .unwrap();
    drop(log);
    assert_eq!(problems(&place), [""; 0]);
    repair(&place.path, None).unwrap();
    let log = place.open();
    let Err(LogError::NewerEvent { position, found, .. }) = readable(&log, &run("a")).await else {
        panic!("read")
    };
    assert_eq!((position, found), (Position(2), 9));
    place.raw().execute_batch("DELETE FROM summaries").unwrap();
    assert_eq!(log.runs(RunFilter::default()).await.unwrap()[0].head, Position(2), "it is still on the list");
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_nothing_is_touched() {
    let place = Place::new();
    fill(&place.open(), &run("a"), 1).await;
    place.raw().pragma_update(None, "user_version", 99).unwrap();
    let before = std::fs::read(&place.path).unwrap();
    let refused = SqliteLog::open(&place.path, OpenOptions::default());
    assert!(matches!(refused, Err(LogError::NewerSchema { found: 99, .. })), "{refused:?}");
    assert_eq!(std::fs::read(&place.path).unwrap(), before);
}

#[test]
fn a_database_of_another_program_is_refused_and_not_touched() {
    let place = Place::new();
    place.raw().execute_batch("CREATE TABLE recipes (name TEXT)").unwrap();
    let before = std::fs::read(&place.path).unwrap();
    let refused = SqliteLog::open(&place.path, OpenOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("another program"), "{refused}");
    assert_eq!(std::fs::read(&place.path).unwrap(), before);
}

#[test]
fn a_place_where_no_log_can_be_is_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let is_folder = SqliteLog::open(folder.path(), OpenOptions::default()).unwrap_err();
    assert!(is_folder.to_string().contains("it is a folder"), "{is_folder}");
    std::fs::write(folder.path().join("file"), "x").unwrap();
    let below_file = SqliteLog::open(&folder.path().join("file/log.db"), OpenOptions::default()).unwrap_err();
    assert!(below_file.to_string().contains("file"), "{below_file}");
    // Tests may run as root, for whom no folder is read-only; nobody can make files here.
    let read_only = SqliteLog::open(Path::new("/proc/log.db"), OpenOptions::default()).unwrap_err();
    assert!(read_only.to_string().contains("/proc/log.db"), "{read_only}");
}

#[tokio::test]
async fn an_empty_file_is_a_new_log_and_missing_folders_are_made() {
    let place = Place::new();
    std::fs::write(&place.path, "").unwrap();
    let (log, report) = place.open_with(OpenOptions::default());
    assert!(report.created && report.is_clean());
    fill(&log, &run("a"), 1).await;
    drop(log);
    assert!(!place.open_with(OpenOptions::default()).1.created);
    let (_, report) = open(&place.folder.path().join("new/folder/log.db"));
    assert!(report.created);
}

#[tokio::test]
async fn a_damaged_file_is_refused_with_what_helps_and_never_replaced() {
    // spec: findings DU-02
    let place = Place::new();
    fill(&place.open(), &run("a"), 3).await;
    let mut bytes = std::fs::read(&place.path).unwrap();
    bytes[100..200].fill(0xA5);
    std::fs::write(&place.path, &bytes).unwrap();
    for _ in 0..2 {
        let refused = SqliteLog::open(&place.path, OpenOptions::default()).unwrap_err();
        let told = refused.to_string();
        assert!(matches!(refused, LogError::DamagedFile { .. }), "{told}");
        assert!(told.contains("candor doctor") && told.contains("candor repair"), "{told}");
    }
    assert_eq!(std::fs::read(&place.path).unwrap(), bytes, "it is as it was");
    let report = repair(&place.path, None).unwrap();
    assert_eq!(report.runs[0].saved, 3);
    assert_eq!(std::fs::read(report.kept_as.unwrap()).unwrap(), bytes, "the damaged file is kept");
    assert_eq!(readable(&place.open(), &run("a")).await.unwrap().len(), 3);
}

#[test]
fn a_file_that_is_no_database_has_nothing_to_save() {
    let place = Place::new();
    std::fs::write(&place.path, "not a database".repeat(100)).unwrap();
    assert!(SqliteLog::open(&place.path, OpenOptions::default()).is_err());
    assert!(!problems(&place).is_empty());
    assert_eq!(repair(&place.path, None).unwrap().runs, []);
    std::fs::remove_file(&place.path).unwrap();
    assert!(repair(&place.path, None).is_err(), "there is no log");
}

/// A log with several runs, some ended, some with large payloads; returns what each run has.
async fn rich(place: &Place) -> Vec<(RunId, Vec<Event>)> {
    let log = place.open();
    let mut written = Vec::new();
    for round in 0..12u64 {
        for n in 0..8u64 {
            let name = run(&format!("run_{n}"));
            let mut event = numbered(round * 8 + n);
            if n == 3 && round % 4 == 0 {
                event = paused(round, &"large ".repeat(7_000));
            }
            if n == 5 && round == 11 {
                event = ended(5);
            }
            log.append(&name, Position(round), std::slice::from_ref(&event)).await.unwrap();
            if round == 0 {
                written.push((name, Vec::new()));
            }
            written[n as usize].1.push(event);
        }
    }
    written
}

/// Looks at a damaged log in every way: nothing panics, what can be read of a run is a prefix of what was written, no
/// loss is silent, and a repair keeps at least as much. Returns how many events the repaired log has.
async fn survives(path: &Path, written: &[(RunId, Vec<Event>)], what: &str) -> u64 {
    let found = verify(path).unwrap().problems;
    let mut before = 0;
    if let Ok((log, _)) = SqliteLog::open(path, OpenOptions::default()) {
        for (run, written) in written {
            match readable(&log, run).await {
                Ok(read) => {
                    assert!(is_prefix(&read, written), "{what}: {run} has {} events", read.len());
                    assert!(
                        read.len() == written.len() || !found.is_empty(),
                        "{what}: {run} was cut silently"
                    );
                    before += read.len();
                }
                Err(LogError::Stale { .. } | LogError::Empty { .. } | LogError::Closed) => panic!("{what}"),
                Err(_) => assert!(!found.is_empty(), "{what}: {run} cannot be read, and nothing was found"),
            }
        }
        let _ = log.runs(RunFilter::default()).await;
    }
    let report = repair(path, None).unwrap();
    let (log, opened) = open(path);
    assert!(opened.is_clean(), "{what}: {opened}");
    let mut saved = 0;
    for (run, written) in written {
        let read = readable(&log, run).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(is_prefix(&read, written), "{what}: {run} has {} events", read.len());
        let told = report.runs.iter().find(|told| told.run == run.as_str());
        assert_eq!(told.map_or(0, |told| told.saved), read.len() as u64, "{what}: {run}");
        saved += read.len();
    }
    assert!(saved >= before, "{what}: {saved} of {before} events");
    drop(log);
    assert_eq!(verify(path).unwrap().problems, [""; 0], "{what}");
    saved as u64
}

#[tokio::test]
async fn a_file_cut_at_any_length_is_repaired_to_a_prefix_of_every_run() {
    let place = Place::new();
    let written = rich(&place).await;
    let bytes = std::fs::read(&place.path).unwrap();
    let mut saved = 0;
    for step in 1..40 {
        let length = bytes.len() * step / 40 + (step * 37) % 100;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        std::fs::write(&path, &bytes[..length.min(bytes.len())]).unwrap();
        saved += survives(&path, &written, &format!("cut at {length}")).await;
    }
    assert!(saved > 0, "nothing was ever saved");
}

#[tokio::test]
async fn flipped_bits_anywhere_never_panic_and_never_change_an_event() {
    let place = Place::new();
    let written = rich(&place).await;
    let bytes = std::fs::read(&place.path).unwrap();
    let mut saved = 0;
    for step in 0..150usize {
        // The header and the first pages are the most delicate: they get every second hit.
        let range = if step % 2 == 0 { 8_192 } else { bytes.len() };
        let at = (step * 7_919 + step * step * 31) % range;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (step % 8);
        std::fs::write(&path, &damaged).unwrap();
        saved += survives(&path, &written, &format!("bit flipped at {at}")).await;
    }
    assert!(saved > 150 * 85, "only {saved} of {} events were saved", 150 * 96);
}

#[tokio::test]
async fn overwritten_pages_are_repaired_around() {
    let place = Place::new();
    let written = rich(&place).await;
    let bytes = std::fs::read(&place.path).unwrap();
    let pages = bytes.len() / 4096;
    let mut saved = 0;
    for page in 1..pages {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        let mut damaged = bytes.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xA5);
        std::fs::write(&path, &damaged).unwrap();
        saved += survives(&path, &written, &format!("page {page} overwritten")).await;
    }
    assert!(saved > 0);
}

#[tokio::test]
async fn a_repair_keeps_every_event_up_to_a_gap_and_the_rest_apart() {
    for lost in ["runs", "floor", "summaries", "events"] {
        let place = Place::new();
        let log = place.open();
        fill(&log, &run("a"), 5).await;
        fill(&log, &run("b"), 3).await;
        log.append(&run("c"), Position::START, &[paused(1, &"large ".repeat(9_000)), ended(9)])
            .await
            .unwrap();
        drop(log);
        let raw = place.raw();
        raw.execute_batch("DELETE FROM events WHERE run = 'a' AND position = 3").unwrap();
        raw.pragma_update(None, "secure_delete", "OFF").unwrap();
        raw.execute_batch(&format!("DROP TABLE {lost}")).unwrap();
        drop(raw);
        assert!(SqliteLog::open(&place.path, OpenOptions::default()).is_err(), "{lost}");
        let report = repair(&place.path, None).unwrap();
        let told: Vec<_> = report.runs.iter().map(|run| (run.saved, run.apart, run.lost.clone())).collect();
        assert_eq!(told, [(2, 2, vec![(3, 3)]), (3, 0, vec![]), (2, 0, vec![])], "{lost}");
        assert_eq!(kept_apart(&place), 2);
        let log = place.open();
        assert_eq!(readable(&log, &run("a")).await.unwrap(), [numbered(1), numbered(2)]);
        assert_eq!(readable(&log, &run("b")).await.unwrap().len(), 3);
        assert_eq!(readable(&log, &run("c")).await.unwrap()[0], paused(1, &"large ".repeat(9_000)));
        let unfinished = RunFilter { unfinished_only: true, limit: None };
        assert_eq!(log.runs(unfinished).await.unwrap().len(), 2, "{lost}: the ended run is ended");
        drop(log);
        assert_eq!(problems(&place), [""; 0]);
    }
}

#[tokio::test]
async fn a_repair_that_was_interrupted_is_finished_by_the_next_open() {
    let place = Place::new();
    fill(&place.open(), &run("a"), 3).await;
    let path = |suffix: &str| place.folder.path().join(format!("log.db{suffix}"));
    // The new log is complete; the damaged one and its write-ahead log are still in place.
    std::fs::rename(path(""), path(".repaired")).unwrap();
    std::fs::write(path(""), "damaged").unwrap();
    std::fs::write(path("-wal"), "of the damaged one").unwrap();
    let (log, report) = place.open_with(OpenOptions::default());
    assert!(report.repaired.is_some());
    assert_eq!(readable(&log, &run("a")).await.unwrap().len(), 3);
    assert_eq!(std::fs::read_to_string(path(".damaged-1")).unwrap(), "damaged");
    assert!(path(".damaged-1-wal").exists());
    drop(log);
    // Interrupted a moment later: the damaged one has its new name, the new log not yet.
    std::fs::rename(path(""), path(".repaired")).unwrap();
    let (log, report) = place.open_with(OpenOptions::default());
    assert!(report.repaired.unwrap().ends_with("log.db.damaged-1"));
    assert_eq!(readable(&log, &run("a")).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_at_any_moment_loses_nothing_that_was_acknowledged() {
    // spec: beyond BY-01 BY-02
    let place = Place::new();
    let log = place.open();
    let acknowledged: Arc<Vec<AtomicU64>> = Arc::new((0..8).map(|_| AtomicU64::new(0)).collect());
    let writers: Vec<_> = (0..8)
        .map(|n| {
            let (log, acknowledged) = (log.clone(), Arc::clone(&acknowledged));
            tokio::spawn(async move {
                let (run, mut position) = (run(&format!("run_{n}")), Position::START);
                for step in 1..=150u64 {
                    let batch = [numbered(step * 2 - 1), numbered(step * 2)];
                    position = log.append(&run, position, &batch).await.unwrap();
                    acknowledged[n].store(position.0, Ordering::SeqCst);
                }
            })
        })
        .collect();
    for _ in 0..12 {
        let before: Vec<u64> = acknowledged.iter().map(|n| n.load(Ordering::SeqCst)).collect();
        let (_folder, path) = snapshot(&place.path);
        let (copy, _) = open(&path);
        for (n, before) in before.iter().enumerate() {
            let read = readable(&copy, &run(&format!("run_{n}"))).await.unwrap();
            let expected: Vec<Event> = (1..=300).map(numbered).collect();
            assert!(is_prefix(&read, &expected));
            assert!(read.len() as u64 >= *before, "{before} were acknowledged, {} are there", read.len());
            assert_eq!(read.len() % 2, 0, "an append was torn apart");
        }
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    for writer in writers {
        writer.await.unwrap();
    }
}

#[tokio::test]
async fn a_write_ahead_log_cut_at_any_length_gives_a_prefix() {
    // spec: beyond BY-01
    let place = Place::new();
    let log = place.open();
    for n in 0..30 {
        let run = run(&format!("run_{}", n % 3));
        log.append(&run, Position(n / 3), &[numbered(n / 3 + 1)]).await.unwrap();
    }
    let wal = used(std::fs::read(place.folder.path().join("log.db-wal")).unwrap());
    let main = std::fs::read(&place.path).unwrap();
    let (mut shorter, written) = (0, (1..=10).map(numbered).collect::<Vec<_>>());
    for step in 0..60 {
        let length = wal.len() * step / 60 + step % 7;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        std::fs::write(&path, &main).unwrap();
        std::fs::write(folder.path().join("log.db-wal"), &wal[..length]).unwrap();
        let (copy, _) = open(&path);
        for n in 0..3 {
            let read = events_of(&copy.read(&run(&format!("run_{n}")), Position::START).await.unwrap());
            assert!(is_prefix(&read, &written), "cut at {length}");
            shorter += u64::from(read.len() < 10);
        }
    }
    assert!(shorter > 0);
}

#[tokio::test]
async fn an_ended_run_that_is_damaged_is_found_by_verifying_only() {
    let place = Place::new();
    place.open().append(&run("a"), Position::START, &[numbered(1), ended(2)]).await.unwrap();
    place.raw().execute_batch("UPDATE events SET crc = 0 WHERE position = 2").unwrap();
    assert!(place.open_with(OpenOptions::default()).1.is_clean());
    assert!(problems(&place)[0].contains("run a, event 2"), "{:?}", problems(&place));
    repair(&place.path, None).unwrap();
    assert_eq!(readable(&place.open(), &run("a")).await.unwrap(), [numbered(1)]);
}

/// A log whose last commits are in its write-ahead log, and what it has.
async fn unfinished_wal(folder: &Path) -> (PathBuf, usize) {
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("a"), 40).await;
    let copy = folder.join("log.db");
    for suffix in ["-wal", "-shm", ""] {
        std::fs::copy(
            place.folder.path().join(format!("log.db{suffix}")),
            format!("{}{suffix}", copy.display()),
        )
        .unwrap();
    }
    (copy, 40)
}

#[tokio::test]
async fn commits_that_are_missing_from_the_write_ahead_log_are_noticed_before_it_is_too_late() {
    // spec: findings DU-02
    for keep in [0.0, 0.3, 0.7] {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = unfinished_wal(folder.path()).await;
        let wal_path = folder.path().join("log.db-wal");
        let wal = used(std::fs::read(&wal_path).unwrap());
        if keep == 0.0 {
            std::fs::remove_file(&wal_path).unwrap();
        } else {
            std::fs::write(&wal_path, &wal[..(wal.len() as f64 * keep) as usize]).unwrap();
        }
        let refused = SqliteLog::open(&path, OpenOptions::default()).unwrap_err().to_string();
        assert!(refused.contains("write-ahead log") && refused.contains("candor repair"), "{refused}");
        for _ in 0..2 {
            assert!(!verify(&path).unwrap().problems.is_empty(), "looking at it hides nothing");
        }
        assert!(repair(&path, None).unwrap().unknown_loss.is_some());
    }
}

#[tokio::test]
async fn commits_that_were_overwritten_with_zeros_are_noticed() {
    // spec: findings DU-02
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = unfinished_wal(folder.path()).await;
    let wal_path = folder.path().join("log.db-wal");
    let mut wal = std::fs::read(&wal_path).unwrap();
    let end = used(wal.clone()).len();
    wal[end / 2..end].fill(0);
    std::fs::write(&wal_path, &wal).unwrap();
    let refused = SqliteLog::open(&path, OpenOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("overwritten") && refused.contains("candor repair"), "{refused}");
}

#[tokio::test]
async fn a_damaged_frame_hides_no_event_from_a_repair() {
    // spec: findings DU-02
    let folder = tempfile::tempdir().unwrap();
    let (path, count) = unfinished_wal(folder.path()).await;
    let wal_path = folder.path().join("log.db-wal");
    let mut wal = std::fs::read(&wal_path).unwrap();
    assert_eq!(verify(&path).unwrap().problems, [""; 0], "whole, it is sound");
    // The salt of the second of many frames: SQLite would ignore all that follow.
    wal[32 + 4120 + 9] ^= 4;
    std::fs::write(&wal_path, &wal).unwrap();
    let found = verify(&path).unwrap().problems;
    assert!(found[0].contains("write-ahead log is damaged at frame 2"), "{found:?}");
    let report = repair(&path, None).unwrap();
    assert_eq!(report.runs[0].saved, count as u64, "{report:?}");
}
