//! What phases have looked up outside the run: criteria that are really checked, files that are read once.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_agents::FolderInspector;
use candor_model::{CheckKind, CheckResult, EventBody, Plan, ReadFile, Recorded, RunStatus, Seconds};
use candor_ports::{BoxFuture, Inspector};

use super::block_on;
use super::crew::{Crew, plan};

fn with_criteria(mut plan: Plan, criteria: &[&str]) -> Plan {
    for (task, criterion) in plan.subtasks.iter_mut().zip(criteria) {
        task.metadata.validation = Some((*criterion).to_owned());
    }
    plan
}

fn checked(log: &[Recorded]) -> Vec<CheckResult> {
    let all = log.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::ResultsChecked { results } => Some(results.clone()),
        _ => None,
    });
    all.flatten().collect()
}

#[test]
fn a_file_and_a_command_are_really_checked_and_only_what_failed_is_done_again() {
    // spec: orchestrator DC-13 PH-14
    block_on(async {
        let crew = Crew::new()
            .with("writer", r#"open("report.txt", "w").write("all is well"); done(output_1="report.txt")"#)
            .with(
                "counter",
                r#"open("count.txt", "w").write("1" if order["attempt"] == 1 else "2"); done(output_2="count.txt")"#,
            );
        let criteria = ["file exists: report.txt", "command: grep -q 2 count.txt"];
        let log = crew.complete(with_criteria(plan(&[("writer", &[]), ("counter", &[])]), &criteria)).await;
        let checked = checked(&log);
        let files: Vec<&CheckResult> =
            checked.iter().filter(|result| matches!(result.check.kind, CheckKind::File(_))).collect();
        assert!(!files.is_empty() && files.iter().all(|result| result.passed), "{checked:?}");
        assert_eq!(files[0].detail, "report.txt: 11 bytes");
        let commands: Vec<bool> = checked
            .iter()
            .filter(|result| matches!(result.check.kind, CheckKind::Command(_)))
            .map(|result| result.passed)
            .collect();
        assert_eq!(commands, [false, true], "the first count was wrong");
        let dispatched = |task: &str| {
            let is = |body: &EventBody| matches!(body, EventBody::TaskDispatched { task_id, .. } if task_id.as_str() == task);
            log.iter().filter(|recorded| is(&recorded.event.body)).count()
        };
        assert_eq!((dispatched("task_001"), dispatched("task_002")), (1, 2));
    });
}

#[test]
fn a_check_ends_when_the_driver_leaves() {
    // spec: orchestrator PH-14
    block_on(async {
        let crew = Crew::new().with("worker", r#"done(output_1="x")"#);
        fs::write(crew.folder().join("check.sh"), "sleep 60 &\necho $! > pid\nwait\n").unwrap();
        let run = crew.start(with_criteria(plan(&[("worker", &[])]), &["command: sh check.sh"])).await;
        let pid = crew.folder().join("pid");
        for _ in 0..2_000 {
            if fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let pid = fs::read_to_string(&pid).unwrap();
        run.leave().await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "it runs on: {stat}");
        // Taken up again, the check is made again.
        fs::write(crew.folder().join("check.sh"), "exit 0\n").unwrap();
        let run = crew.runtime().resume(super::crew::run_id(), None, None).await.unwrap();
        assert_eq!(run.ended().await.unwrap(), RunStatus::Completed);
        assert!(checked(&crew.read().await)[0].passed);
    });
}

/// An inspector that remembers what it has read.
struct Counting {
    inner: FolderInspector,
    read: Mutex<Vec<String>>,
}

impl Inspector for Counting {
    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, ReadFile> {
        self.read.lock().unwrap().push(path.to_owned());
        self.inner.read(path)
    }

    fn unchanged(&self, known: &ReadFile) -> bool {
        self.inner.unchanged(known)
    }

    fn check<'a>(&'a self, check: &'a CheckKind, within: Seconds) -> BoxFuture<'a, (bool, String)> {
        self.inner.check(check, within)
    }
}

fn texts(log: &[Recorded]) -> Vec<(String, Result<String, String>)> {
    let all = log.iter().filter_map(|recorded| match &recorded.event.body {
        EventBody::FilesRead { files } => Some(files.clone()),
        _ => None,
    });
    all.flatten().map(|file| (file.path, file.text)).collect()
}

#[test]
fn a_file_is_read_once_and_again_when_an_agent_has_changed_it() {
    // spec: orchestrator SS-05 SS-06
    block_on(async {
        let crew = Crew::new();
        let inner = FolderInspector::new(crew.folder());
        let counting = Arc::new(Counting { inner, read: Mutex::default() });
        fs::write(crew.folder().join("notes.txt"), "first words").unwrap();
        fs::write(crew.folder().join("sources.txt"), "kept as they are").unwrap();
        let crew = crew
            .looked_at_by(Arc::clone(&counting) as Arc<dyn Inspector>)
            .asked_to("Rewrite notes.txt by what sources.txt says and send it to the team")
            .with("writer", r#"open("notes.txt", "w").write("other words"); done(output_1="notes.txt")"#);
        let log = crew.complete(plan(&[("writer", &[])])).await;
        let texts = texts(&log);
        let of = |path: &str| {
            let found = texts.iter().filter(|(name, _)| name == path);
            found.map(|(_, text)| text.clone().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(of("notes.txt"), ["first words", "other words"], "{texts:?}");
        assert_eq!(of("sources.txt"), ["kept as they are"]);
        let read = counting.read.lock().unwrap().clone();
        assert_eq!(read.iter().filter(|path| *path == "notes.txt").count(), 2, "{read:?}");
        assert_eq!(
            read.iter().filter(|path| *path == "sources.txt").count(),
            1,
            "no second look at what is known"
        );
    });
}
