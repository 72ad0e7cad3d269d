//! Opening what a crash, a bad disk or another program left behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::{Place, ended, events_of, fill, full_check, numbered, open, paused, readable, run};
use candor_model::{Event, Position, RunId};
use candor_ports::{EventLog, LogError, RunFilter};
use candor_store::{OpenOptions, SqliteLog};
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

fn is_prefix(read: &[Event], written: &[Event]) -> bool {
    written.starts_with(read)
}

#[tokio::test]
async fn a_damaged_last_record_is_set_aside_and_the_log_is_usable_up_to_it() {
    let place = Place::new();
    let log = place.open();
    fill(&log, &run("a"), 3).await;
    fill(&log, &run("b"), 2).await;
    drop(log);
    place
        .raw()
        .execute("UPDATE events SET body = substr(body, 1, 20) WHERE run = 'a' AND position = 3", [])
        .unwrap();

    let (log, report) = place.open_with(OpenOptions::default());
    assert_eq!(report.quarantined.len(), 1, "{report}");
    let found = &report.quarantined[0];
    assert_eq!((found.run.as_str(), found.position), ("a", Position(3)));
    assert!(found.reason.contains("checksum"), "{found}");
    assert_eq!(readable(&log, &run("a")).await.unwrap(), [numbered(1), numbered(2)]);
    assert_eq!(readable(&log, &run("b")).await.unwrap().len(), 2);
    let heads = log.runs(RunFilter::default()).await.unwrap();
    assert_eq!(heads.iter().find(|e| e.summary.run_id == run("a")).unwrap().head, Position(2));
    assert_eq!(log.append(&run("a"), Position(2), &[numbered(33)]).await.unwrap(), Position(3));
    let kept: String = place.raw().query_row("SELECT body FROM quarantine", [], |row| row.get(0)).unwrap();
    assert_eq!(kept.len(), 20, "what was damaged is kept");
    drop(log);
    assert!(place.open_with(full_check()).1.is_clean());
}

#[tokio::test]
async fn a_run_whose_only_record_is_damaged_is_gone_from_the_list() {
    let place = Place::new();
    fill(&place.open(), &run("a"), 1).await;
    place.raw().execute("UPDATE events SET crc = crc + 1", []).unwrap();
    let (log, report) = place.open_with(OpenOptions::default());
    assert_eq!(report.quarantined[0].position, Position(1));
    assert!(log.runs(RunFilter::default()).await.unwrap().is_empty());
    fill(&log, &run("a"), 1).await;
}

#[tokio::test]
async fn a_missing_last_record_and_a_wrong_end_are_put_in_order() {
    for (sql, left) in [
        ("DELETE FROM events WHERE run = 'a' AND position = 3", 2),
        ("DELETE FROM events WHERE run = 'a' AND position = 2", 1),
        ("UPDATE runs SET seq = 1", 3),
        ("UPDATE runs SET position = 7", 3),
        ("UPDATE events SET run = 'x' WHERE position = 3", 2),
    ] {
        let place = Place::new();
        fill(&place.open(), &run("a"), 3).await;
        place.raw().execute_batch(sql).unwrap();
        let (log, report) = place.open_with(OpenOptions::default());
        assert!(!report.quarantined.is_empty(), "{sql}: not told");
        assert_eq!(readable(&log, &run("a")).await.unwrap().len(), left, "{sql}");
        fill(&log, &run("a"), 1).await;
        drop(log);
        assert!(place.open_with(full_check()).1.is_clean(), "{sql}");
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
    let (log, report) = place.open_with(full_check());
    assert_eq!(report.damaged[0].position, Position(4));
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
    let (log, report) = place.open_with(full_check());
    assert_eq!(report.damaged.len(), 1, "{report}");
    assert_eq!(report.damaged[0].position, Position(3));
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
    let (log, report) = place.open_with(full_check());
    assert!(report.is_clean(), "{report}");
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
    assert!(matches!(refused, Err(LogError::NewerSchema { found: 99, known: 6 })), "{refused:?}");
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
async fn a_file_that_is_no_database_is_kept_aside_and_told() {
    let place = Place::new();
    for n in 1..=2 {
        std::fs::write(&place.path, format!("not a database, number {n}").repeat(100)).unwrap();
        let (log, report) = place.open_with(OpenOptions::default());
        let salvage = report.salvage.unwrap();
        assert!(salvage.kept_as.to_string_lossy().ends_with(&format!("log.db.damaged-{n}")));
        let kept = std::fs::read_to_string(&salvage.kept_as).unwrap();
        assert!(kept.contains(&format!("number {n}")));
        assert_eq!((salvage.events, salvage.runs), (0, 0));
        fill(&log, &run("a"), 1).await;
    }
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

/// Opens a damaged log: it never panics, and what can be read of a run is a prefix of what was written.
async fn survives(path: &Path, written: &[(RunId, Vec<Event>)], what: &str, full: bool) -> u64 {
    let options = OpenOptions { full_check: full, ..OpenOptions::default() };
    let Ok((log, report)) = SqliteLog::open(path, options) else {
        return 0;
    };
    let mut events = 0;
    for (run, written) in written {
        match readable(&log, run).await {
            Ok(read) => {
                assert!(is_prefix(&read, written), "{what}: {run} has {} events", read.len());
                assert!(read.len() == written.len() || !report.is_clean(), "{what}: {run} was cut silently");
                events += read.len() as u64;
            }
            Err(
                LogError::Damaged { .. }
                | LogError::Hole { .. }
                | LogError::Storage { .. }
                | LogError::NewerEvent { .. },
            ) => {}
            Err(error) => panic!("{what}: {error}"),
        }
    }
    let _ = log.runs(RunFilter::default()).await;
    let _ = log.append(&run("after"), Position::START, &[numbered(1)]).await;
    events
}

#[tokio::test]
async fn a_file_cut_at_any_length_opens_with_a_prefix_of_every_run() {
    let place = Place::new();
    let written = rich(&place).await;
    let bytes = std::fs::read(&place.path).unwrap();
    let mut saved = 0;
    for step in 1..40 {
        let length = bytes.len() * step / 40 + (step * 37) % 100;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        std::fs::write(&path, &bytes[..length.min(bytes.len())]).unwrap();
        saved += survives(&path, &written, &format!("cut at {length}"), step % 2 == 0).await;
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
        saved += survives(&path, &written, &format!("bit flipped at {at}"), step % 3 == 0).await;
    }
    assert!(saved > 1_000, "only {saved} events were readable");
}

#[tokio::test]
async fn overwritten_pages_are_salvaged_around() {
    let place = Place::new();
    let written = rich(&place).await;
    let bytes = std::fs::read(&place.path).unwrap();
    let pages = bytes.len() / 4096;
    let (mut salvaged, mut saved) = (0, 0);
    for page in 1..pages {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        let mut damaged = bytes.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xA5);
        std::fs::write(&path, &damaged).unwrap();
        saved += survives(&path, &written, &format!("page {page} overwritten"), true).await;
        salvaged += u64::from(folder.path().join("log.db.damaged-1").exists());
    }
    assert!(salvaged > 0 && saved > 0);
}

#[tokio::test]
async fn a_salvage_keeps_every_event_up_to_a_gap_and_sets_the_rest_aside() {
    for lost in ["runs", "floor", "summaries"] {
        let place = Place::new();
        let log = place.open();
        fill(&log, &run("a"), 5).await;
        fill(&log, &run("b"), 3).await;
        log.append(&run("c"), Position::START, &[paused(1, &"large ".repeat(9_000)), ended(9)])
            .await
            .unwrap();
        drop(log);
        let raw = place.raw();
        raw.execute_batch(&format!("DELETE FROM events WHERE run = 'a' AND position = 3; DROP TABLE {lost}"))
            .unwrap();
        drop(raw);
        let (log, report) = place.open_with(OpenOptions::default());
        assert_eq!(report.quarantined, [], "what was saved is sound");
        let salvage = report.salvage.unwrap();
        assert_eq!((salvage.events, salvage.runs, salvage.set_aside), (7, 3, 2), "{lost}: {salvage}");
        assert_eq!(readable(&log, &run("a")).await.unwrap(), [numbered(1), numbered(2)]);
        assert_eq!(readable(&log, &run("b")).await.unwrap().len(), 3);
        assert_eq!(readable(&log, &run("c")).await.unwrap()[0], paused(1, &"large ".repeat(9_000)));
        let unfinished = RunFilter { unfinished_only: true, limit: None };
        assert_eq!(log.runs(unfinished).await.unwrap().len(), 2, "{lost}: the ended run is ended");
        drop(log);
        assert!(place.open_with(full_check()).1.is_clean());
    }
}

#[tokio::test]
async fn a_salvage_that_was_interrupted_is_finished_by_the_next_open() {
    let place = Place::new();
    fill(&place.open(), &run("a"), 3).await;
    let path = |suffix: &str| place.folder.path().join(format!("log.db{suffix}"));
    // The new log is complete; the damaged one and its write-ahead log are still in place.
    std::fs::rename(path(""), path(".salvaged")).unwrap();
    std::fs::write(path(""), "damaged").unwrap();
    std::fs::write(path("-wal"), "of the damaged one").unwrap();
    let (log, report) = place.open_with(OpenOptions::default());
    assert_eq!(report.salvage.unwrap().events, 3);
    assert_eq!(readable(&log, &run("a")).await.unwrap().len(), 3);
    assert_eq!(std::fs::read_to_string(path(".damaged-1")).unwrap(), "damaged");
    assert!(path(".damaged-1-wal").exists());
    drop(log);
    // Interrupted a moment later: the damaged one has its new name, the new log not yet.
    std::fs::rename(path(""), path(".salvaged")).unwrap();
    let (log, report) = place.open_with(OpenOptions::default());
    assert!(report.salvage.unwrap().kept_as.ends_with("log.db.damaged-1"));
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
    let wal = std::fs::read(place.folder.path().join("log.db-wal")).unwrap();
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
async fn an_ended_run_that_is_damaged_is_found_by_a_full_check_only() {
    let place = Place::new();
    place.open().append(&run("a"), Position::START, &[numbered(1), ended(2)]).await.unwrap();
    place.raw().execute_batch("UPDATE events SET crc = 0 WHERE position = 2").unwrap();
    assert!(place.open_with(OpenOptions::default()).1.is_clean());
    let (log, report) = place.open_with(full_check());
    assert_eq!(report.quarantined[0].position, Position(2));
    assert_eq!(readable(&log, &run("a")).await.unwrap(), [numbered(1)]);
}

#[tokio::test]
async fn a_run_that_is_missing_from_the_list_is_put_back_by_a_full_check() {
    let place = Place::new();
    fill(&place.open(), &run("a"), 3).await;
    place.raw().execute_batch("DELETE FROM runs; DELETE FROM summaries").unwrap();
    let (log, report) = place.open_with(full_check());
    assert_eq!(report.damaged[0].position, Position(3));
    assert_eq!(readable(&log, &run("a")).await.unwrap().len(), 3);
    assert_eq!(log.runs(RunFilter::default()).await.unwrap().len(), 1);
}
