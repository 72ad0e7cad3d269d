//! Logs that a bad disk or a careless hand damaged: found by `doctor`, refused by everything else, and repaired without
//! the loss of an intact event.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use candor_model::{Position, RunId};
use candor_ports::{EventLog, RunFilter};
use candor_store::{OpenOptions, SqliteLog};
use serde_json::Value;

use crate::durability::support::Place;

const PAGE: usize = 4096;

/// Every event of every run, as text; those that follow a lost one too.
fn events(log: &Path) -> BTreeMap<(String, u64), String> {
    let executor = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (opened, _) = SqliteLog::open(log, OpenOptions::default()).unwrap();
    let mut all = BTreeMap::new();
    for entry in executor.block_on(opened.runs(RunFilter::default())).unwrap() {
        let run: RunId = entry.summary.run_id;
        for recorded in executor.block_on(opened.read(&run, Position::START)).unwrap() {
            let text = serde_json::to_string(&recorded.event).unwrap();
            all.insert((run.to_string(), recorded.position.0), text);
        }
    }
    all
}

/// What the repaired log has beside its runs.
fn apart(log: &Path) -> BTreeMap<(String, u64), String> {
    let connection = rusqlite::Connection::open(log).unwrap();
    let mut statement = connection.prepare("SELECT run, position, body FROM quarantine").unwrap();
    let rows = statement.query_map([], |row| {
        let position: i64 = row.get(1)?;
        Ok(((row.get(0)?, u64::try_from(position).unwrap()), row.get(2)?))
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// A data folder as a kill leaves it: some of the log is in the file, some in the write-ahead log.
struct Original {
    place: Place,
    all: BTreeMap<(String, u64), String>,
    file: Vec<u8>,
    wal: Vec<u8>,
    shm: Vec<u8>,
    /// The file after a clean end, when all of the log is in it.
    closed: Vec<u8>,
}

impl Original {
    fn new() -> Self {
        let place = Place::new();
        let names: Vec<String> = (1..=12).map(|n| format!("task_{n:03}")).collect();
        let tasks: Vec<(&str, &str, &[&str])> =
            names.iter().map(|name| (name.as_str(), "quick", &[][..])).collect();
        let plan = place.plan("plan", &tasks);
        for run in ["run_one", "run_two", "run_three"] {
            assert_eq!(place.start_run(run, &plan).end().code(), Some(0));
        }
        let all = events(&place.data().join("candor.db"));
        // An open handle keeps the write-ahead log in place, as a kill does.
        let held = SqliteLog::open(&place.data().join("candor.db"), OpenOptions::default()).unwrap();
        let plan = place.plan("more", &tasks[..3]);
        assert_eq!(place.start_run("run_four", &plan).end().code(), Some(0));
        let read = |suffix: &str| fs::read(place.data().join(format!("candor.db{suffix}"))).unwrap();
        let (file, wal, shm) = (read(""), read("-wal"), read("-shm"));
        let mut all = all;
        all.extend(events(&place.data().join("candor.db")));
        drop(held);
        let closed = read("");
        assert!(
            wal.len() > 4 * PAGE && file.len() > 20 * PAGE && !place.data().join("candor.db-wal").exists()
        );
        Self { place, all, file, wal, shm, closed }
    }

    /// The pages of the file whose first byte is this.
    fn pages(&self, kind: u8) -> Vec<usize> {
        (1..self.closed.len() / PAGE).filter(|page| self.closed[page * PAGE] == kind).collect()
    }

    fn lay_out(&self, folder: &Path, file: &[u8], wal: &Wal) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let log = folder.join("candor.db");
        fs::write(&log, file).unwrap();
        if let Wal::There(wal) = wal {
            fs::write(folder.join("candor.db-wal"), wal).unwrap();
        }
        if !matches!(wal, Wal::Closed) {
            fs::write(folder.join("candor.db-shm"), &self.shm).unwrap();
        }
        log
    }
}

/// What became of the write-ahead log.
enum Wal {
    /// It went with a clean end.
    Closed,
    Missing,
    There(Vec<u8>),
}

/// A damaged copy: what it is called, its file and its write-ahead log.
struct Damaged {
    what: String,
    file: Vec<u8>,
    wal: Wal,
}

/// Forty ways to damage a log.
fn forty(original: &Original) -> Vec<Damaged> {
    let mut cases = Vec::new();
    let mut in_file = |what: String, change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = original.closed.clone();
        change(&mut file);
        cases.push(Damaged { what, file, wal: Wal::Closed });
    };
    // A byte of an event in each of ten leaves: the records lie at the end of a page.
    let body = |page: usize| {
        let text = &original.closed[page * PAGE..(page + 1) * PAGE];
        page * PAGE + text.windows(9).rposition(|part| part == b"\"event\":{").unwrap() + 12
    };
    let of_events = |page: &usize| {
        original.closed[page * PAGE..(page + 1) * PAGE].windows(9).any(|part| part == b"\"event\":{")
    };
    let leaves: Vec<usize> = original.pages(13).into_iter().filter(of_events).collect();
    for page in leaves.iter().take(10) {
        let at = body(*page);
        in_file(format!("flipped byte {at} in a leaf"), &|file| file[at] ^= 1);
    }
    for page in leaves.iter().take(4) {
        in_file(format!("flipped cell count of leaf {page}"), &|file| file[page * PAGE + 4] ^= 0x40);
        in_file(format!("zeroed page {page}"), &|file| file[page * PAGE..(page + 1) * PAGE].fill(0));
    }
    let interior = original.pages(5)[0];
    for at in [0, 4, 9, 13] {
        in_file(format!("flipped byte {at} of an interior page"), &|file| file[interior * PAGE + at] ^= 0x24);
    }
    let schema = |word: &str| {
        original.closed[..PAGE].windows(word.len()).position(|part| part == word.as_bytes()).unwrap()
    };
    for word in ["CREATE TABLE events", "crc INTEGER", "CREATE TABLE runs"] {
        let at = schema(word) + 2;
        in_file(format!("flipped byte in the schema, at {word}"), &|file| file[at] ^= 2);
    }
    for at in [3, 16, 18, 20, 30, 45, 63] {
        in_file(format!("flipped header byte {at}"), &|file| file[at] ^= 0x10);
    }
    for part in [3, 5, 7] {
        in_file(format!("cut to {part} tenths"), &|file| file.truncate(file.len() * part / 10 / PAGE * PAGE));
    }
    in_file("cut within a page".to_owned(), &|file| file.truncate(file.len() - 1_000));
    in_file("garbage appended".to_owned(), &|file| file.extend(vec![0xA5; 2 * PAGE]));
    in_file("a few bytes appended".to_owned(), &|file| file.extend(b"garbage"));
    let mut in_wal = |what: &str, wal: Wal| {
        cases.push(Damaged { what: what.to_owned(), file: original.file.clone(), wal });
    };
    let flipped = |at: usize| {
        let mut wal = original.wal.clone();
        wal[at] ^= 8;
        Wal::There(wal)
    };
    in_wal("flipped byte in the header of the write-ahead log", flipped(17));
    in_wal("flipped byte in its first frame", flipped(32 + 24 + 2_000));
    in_wal("flipped salt of its second frame", flipped(32 + PAGE + 24 + 10));
    // What it holds, without the room behind it.
    let held = original.wal.iter().rposition(|byte| *byte != 0).unwrap();
    in_wal("cut in half", Wal::There(original.wal[..held / 2].to_vec()));
    in_wal("missing", Wal::Missing);
    cases
}

#[test]
fn forty_damaged_logs_are_found_refused_or_told_and_repaired_without_the_loss_of_an_intact_event() {
    // spec: findings DU-02
    let original = Original::new();
    let cases = forty(&original);
    assert!(cases.len() >= 40, "{}", cases.len());
    for (n, case) in cases.iter().enumerate() {
        let what = &case.what;
        let folder = original.place.path().join(format!("damaged_{n}"));
        let log = original.lay_out(&folder, &case.file, &case.wal);
        let data = folder.display().to_string();
        let doctor = original.place.does("", &["doctor", "--json", "--data", &data]);
        let told: Value = serde_json::from_str(&doctor.out).unwrap();
        let checks = told["checks"].as_array().unwrap();
        let found = checks.iter().any(|check| check["check"] == "log" && check["ok"] == false);
        assert!(found && doctor.code() == Some(1), "{what}: doctor says {}", doctor.out);
        assert_eq!(fs::read(&log).unwrap(), case.file, "{what}: doctor changed the file");

        let repaired = original.place.does("", &["repair", "--json", "--data", &data]);
        let report: Value = serde_json::from_str(&repaired.out)
            .unwrap_or_else(|error| panic!("{what}: {error}: {}{}", repaired.out, repaired.err));
        let mut saved = events(&log);
        saved.extend(apart(&log));
        for (key, text) in &saved {
            assert_eq!(Some(text), original.all.get(key), "{what}: {key:?} was changed");
        }
        let lost: Vec<_> = original.all.keys().filter(|key| !saved.contains_key(*key)).collect();
        for (key, text) in original.all.iter().filter(|(key, _)| !saved.contains_key(*key)) {
            assert!(!is_intact(case, text), "{what}: {key:?} is intact and was not saved");
        }
        assert_eq!(repaired.code(), Some(i32::from(!lost.is_empty())), "{what}: {report}");
        let sound = original.place.does("", &["repair", "--json", "--data", &data]);
        assert!(sound.out.contains("\"damaged\":false"), "{what}: {}", sound.out);
    }
}

/// Whether the bytes of a short event are still in one of the files, with what stands before them in the record.
fn is_intact(case: &Damaged, text: &str) -> bool {
    let wal: &[u8] = if let Wal::There(wal) = &case.wal { wal } else { &[] };
    let whole = |bytes: &[u8]| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    text.len() < 3_000 && (whole(&case.file) || whole(wal)) && !case.what.contains("flipped byte")
}

#[test]
fn a_damaged_log_is_refused_with_the_two_commands_that_help_and_is_never_replaced() {
    // spec: findings DU-02
    let original = Original::new();
    let folder = original.place.path().join("refused");
    let mut file = original.closed.clone();
    file[100..180].fill(0xA5);
    let log = original.lay_out(&folder, &file, &Wal::Closed);
    let data = folder.display().to_string();
    for _ in 0..2 {
        let listed = original.place.does("", &["list", "--data", &data]);
        assert_eq!(listed.code(), Some(1), "{}", listed.out);
        assert!(
            listed.err.contains("candor doctor") && listed.err.contains("candor repair"),
            "{}",
            listed.err
        );
    }
    assert_eq!(fs::read(&log).unwrap(), file);
    let to = original.place.path().join("elsewhere").display().to_string();
    let repaired = original.place.does("", &["repair", "--data", &data, "--to", &to]);
    assert!(repaired.out.contains("events of") && repaired.out.contains("saved"), "{}", repaired.out);
    assert_eq!(fs::read(&log).unwrap(), file, "with --to the damaged one stays");
    let listed = original.place.does("", &["list", "--data", &to]);
    assert!(listed.out.contains("run_one") && listed.out.contains("run_three"), "{}", listed.out);
    let again = original.place.does("", &["repair", "--data", &data, "--to", &to]);
    assert_eq!(again.code(), Some(2), "nothing is overwritten: {}", again.err);
}

#[test]
fn a_log_that_a_process_has_open_is_not_repaired_under_it() {
    let place = Place::new();
    let plan = place.plan("plan", &[("only", "patient", &[])]);
    let running = place.start_run("run_held", &plan);
    place.begun("run_held", "only");
    let log = place.data().join("candor.db");
    let to = place.path().join("copy").display().to_string();
    let refused = place.does("", &["repair", "--to", &to]);
    assert_eq!(refused.code(), Some(1), "{}", refused.out);
    assert!(refused.err.contains(&format!("process {}", running.pid())), "{}", refused.err);
    place.let_go("run_held");
    assert_eq!(running.end().code(), Some(0));
    assert!(log.exists());
}
