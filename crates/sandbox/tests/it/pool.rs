//! Pre-warmed interpreters: how many there are, what becomes of them, and what nobody notices.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_ports::{CodeOutcome, CodeRunner};
use candor_sandbox::python::{LocalPython, PythonConfig};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::fixtures::{LONG, config, context, finished, job, marked, own_word, processes};

/// Set for the process that plays a host which is killed.
const PLAY_HOST: &str = "CANDOR_TEST_PLAY_HOST";

fn pooled(pool: usize, word: &str) -> LocalPython {
    LocalPython::new(marked(PythonConfig { pool, ..config() }, word)).unwrap()
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let give_up = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < give_up, "{what} within {LONG:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The interpreters themselves, without their supervisors.
fn pythons(word: &str) -> Vec<u32> {
    let keepers = processes("__confine");
    processes(word).into_iter().filter(|pid| !keepers.contains(pid)).collect()
}

#[tokio::test]
async fn those_that_wait_are_used_and_replaced() {
    let word = own_word();
    let python = pooled(2, &word);
    assert_eq!(python.waiting(), 0);
    python.warm().await.unwrap();
    assert_eq!(python.waiting(), 2);
    let before = pythons(&word);
    assert_eq!(before.len(), 2, "{before:?}");
    for n in 0..4 {
        let code = format!("context['n'] = {n}");
        assert_eq!(context(&python, &code).await, json!({ "n": n }));
        until("another takes its place", || python.waiting() == 2).await;
    }
    // Each had one job, and is gone.
    let after = pythons(&word);
    assert!(after.len() == 2 && before.iter().all(|pid| !after.contains(pid)), "{before:?} {after:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_at_once_all_come_to_their_end() {
    let word = own_word();
    let python = Arc::new(pooled(2, &word));
    python.warm().await.unwrap();
    let began = Instant::now();
    let all: Vec<_> = (0..20)
        .map(|n| {
            let python = Arc::clone(&python);
            tokio::spawn(async move { context(&python, &format!("context['n'] = {n}")).await })
        })
        .collect();
    for (n, run) in all.into_iter().enumerate() {
        assert_eq!(run.await.unwrap(), json!({ "n": n }));
    }
    println!("twenty at once: {:?}", began.elapsed());
    until("no more wait than are wanted", || python.waiting() == 2 && pythons(&word).len() == 2).await;
}

#[tokio::test]
async fn when_the_pool_goes_all_of_it_goes() {
    let word = own_word();
    let python = pooled(2, &word);
    python.warm().await.unwrap();
    python.close();
    assert_eq!(python.waiting(), 0);
    until("closing ends them", || processes(&word).is_empty()).await;
    assert_eq!(context(&python, "context['x'] = 1").await, json!({"x": 1}));
    assert_eq!(python.waiting(), 0);
    let python = pooled(2, &word);
    python.warm().await.unwrap();
    drop(python);
    until("dropping ends them", || processes(&word).is_empty()).await;
}

#[tokio::test]
async fn one_that_died_while_it_waited_is_replaced_unnoticed() {
    let word = own_word();
    let python = pooled(2, &word);
    python.warm().await.unwrap();
    for pid in pythons(&word) {
        kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
    }
    // At once, so that the keepers may not even have noticed.
    assert_eq!(context(&python, "context['x'] = 1").await, json!({"x": 1}));
}

#[tokio::test]
async fn a_stop_ends_it_before_the_call_returns() {
    let word = own_word();
    let python = pooled(0, &word);
    let stop = CancellationToken::new();
    let job = job("print('on', flush=True)\nimport time; time.sleep(600)", json!({}));
    let asked = async {
        until("it runs", || !pythons(&word).is_empty()).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        stop.cancel();
    };
    let (run, ()) = tokio::join!(python.run(&job, stop.clone()), asked);
    assert_eq!(run.unwrap().outcome, CodeOutcome::Stopped);
    until("nothing is left", || processes(&word).is_empty()).await;
    let run = python.run(&job, stop).await.unwrap();
    assert_eq!(run.outcome, CodeOutcome::Stopped);
}

#[tokio::test]
async fn a_run_that_is_dropped_leaves_nothing_running() {
    let word = own_word();
    let python = pooled(0, &word);
    let job = job("import time; time.sleep(600)", json!({}));
    tokio::select! {
        run = python.run(&job, CancellationToken::new()) => panic!("{run:?}"),
        () = until("it runs", || !pythons(&word).is_empty()) => {}
    }
    until("nothing is left", || processes(&word).is_empty()).await;
}

#[tokio::test]
async fn what_is_missing_is_told() {
    let told = |config: PythonConfig| LocalPython::new(config).err().map(|error| error.to_string());
    let error = told(PythonConfig { python: "no-such-python".into(), ..config() }).unwrap();
    assert!(error.starts_with("Python is not installed: `no-such-python` was looked for in "), "{error}");
    let error = told(PythonConfig { python: "/bin/true".into(), ..config() }).unwrap();
    assert!(error.contains("/bin/true does not answer as a Python does"), "{error}");
    for (launcher, words) in
        [("/bin/true", "is it the right program?"), ("/no/launcher", "cannot start the launcher")]
    {
        let python =
            LocalPython::new(PythonConfig { launcher: PathBuf::from(launcher), ..config() }).unwrap();
        let fault = python.run(&job("", json!({})), CancellationToken::new()).await.unwrap_err();
        assert!(fault.0.message.contains(words), "{fault}");
        assert!(python.warm().await.is_ok(), "nothing is to be warmed");
        assert!(python.facts().await.is_err());
    }
}

#[tokio::test]
async fn libraries_from_other_folders_can_be_imported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own_library.py"), "value = 42").unwrap();
    let info = folder.path().join("own_library-1.2.dist-info");
    std::fs::create_dir(&info).unwrap();
    std::fs::write(info.join("METADATA"), "Metadata-Version: 2.1\nName: own-library\nVersion: 1.2\n")
        .unwrap();
    for own_world in [true, false] {
        let packages = vec![folder.path().to_owned()];
        let preload = vec!["own_library".to_owned(), "no_such_module".to_owned()];
        let python = LocalPython::new(PythonConfig { packages, preload, own_world, ..config() }).unwrap();
        let code = "import sys; context['there'] = 'own_library' in sys.modules\n\
                    import own_library; context['value'] = own_library.value";
        assert_eq!(context(&python, code).await, json!({"there": true, "value": 42}));
        let facts = python.facts().await.unwrap();
        assert_eq!(facts.libraries.get("own-library").map(String::as_str), Some("1.2"), "{facts:?}");
    }
}

/// A virtual environment is a folder of links to another Python; both must be found.
#[tokio::test]
async fn a_virtual_environment_works() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("venv");
    let made = Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&place).output().unwrap();
    if !made.status.success() {
        candor_testkit::skips::skipped(String::from_utf8_lossy(&made.stderr));
        return;
    }
    let python = LocalPython::new(PythonConfig { python: place.join("bin/python3"), ..config() }).unwrap();
    let code = "import sys, json, ssl; context['ok'] = sys.version_info > (3, 8)";
    assert_eq!(context(&python, code).await, json!({"ok": true}));
}

/// Plays a host for the test below, and waits to be killed.
#[tokio::test]
async fn a_host_that_waits() {
    let Ok(word) = std::env::var(PLAY_HOST) else { return };
    let python = pooled(2, &word);
    python.warm().await.unwrap();
    println!("ready");
    tokio::time::sleep(LONG).await;
}

#[tokio::test]
async fn when_the_host_is_killed_those_that_wait_end_too() {
    let word = own_word();
    let place = tempfile::tempdir().unwrap();
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["pool::a_host_that_waits", "--exact", "--nocapture"])
        .env(PLAY_HOST, &word)
        .env("TMPDIR", place.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until("they wait", || pythons(&word).len() == 2).await;
    let folders = || std::fs::read_dir(place.path()).unwrap().count();
    until("each has its folder", || folders() == 2).await;
    host.kill().unwrap();
    host.wait().unwrap();
    until("they end", || processes(&word).is_empty()).await;
    until("their folders are gone", || folders() == 0).await;
}

/// Figures for people: run with `--nocapture`, and a launcher that was built for release, to see them.
#[tokio::test]
async fn starts_are_fast() {
    let mut launcher = config();
    if let Some(path) = std::env::var_os("CANDOR_TEST_LAUNCHER") {
        launcher.launcher = path.into();
    }
    let cold = LocalPython::new(launcher.clone()).unwrap();
    let warm = LocalPython::new(PythonConfig { pool: 1, ..launcher }).unwrap();
    for (name, python) in [("cold", &cold), ("warm", &warm)] {
        let mut all = Vec::new();
        for _ in 0..10 {
            python.warm().await.unwrap();
            let began = Instant::now();
            let run = crate::fixtures::run(python, "context['x'] = 1").await;
            all.push(began.elapsed());
            assert_eq!(finished(run), json!({"x": 1}));
        }
        all.sort();
        println!("{name}: least {:?}, median {:?}, most {:?}", all[0], all[5], all[9]);
        assert!(all[0] < LONG);
    }
}
