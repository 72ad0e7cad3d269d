//! The sandbox: a warm start, a cold one, and twenty at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_ports::{CodeJob, CodeOutcome, CodeResult, CodeRunner};
use candor_sandbox::python::{LocalPython, PythonConfig};
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::percentile;

const WARM_TARGET_MS: f64 = 15.0;
const COLD_TARGET_MS: f64 = 150.0;
const TIMES: usize = 30;
const AT_ONCE: usize = 20;

pub(super) fn measure() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let Ok(cold) = LocalPython::new(PythonConfig { pool: 0, ..config() }) else {
            println!("running: skipped, programs cannot be confined here or there is no python3");
            return;
        };
        // The first one asks the interpreter where its libraries are.
        once(&cold).await;
        tell("cold start to first result", &series(&cold, false).await, COLD_TARGET_MS);
        let warm = Arc::new(LocalPython::new(PythonConfig { pool: 2, ..config() }).unwrap());
        tell("warm start to first result", &series(&warm, true).await, WARM_TARGET_MS);
        crowd(&warm).await;
    });
}

fn config() -> PythonConfig {
    PythonConfig::new("/proc/self/exe")
}

async fn once(python: &LocalPython) -> f64 {
    let job = CodeJob {
        code: "context['sum'] = context['a'] + context['b']".to_owned(),
        context: json!({ "a": 1, "b": 2 }).as_object().unwrap().clone(),
        result: CodeResult::Context,
        timeout: Duration::from_secs(60),
    };
    let began = Instant::now();
    let run = python.run(&job, CancellationToken::new()).await.unwrap();
    let took = began.elapsed().as_secs_f64() * 1e3;
    assert!(matches!(run.outcome, CodeOutcome::Finished { .. }), "{run:?}");
    took
}

async fn series(python: &LocalPython, warm: bool) -> Vec<f64> {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        if warm {
            python.warm().await.unwrap();
        }
        times.push(once(python).await);
    }
    times
}

async fn crowd(python: &Arc<LocalPython>) {
    python.warm().await.unwrap();
    let began = Instant::now();
    let mut all = JoinSet::new();
    for _ in 0..AT_ONCE {
        let python = Arc::clone(python);
        all.spawn(async move { once(&python).await });
    }
    let times = all.join_all().await;
    println!(
        "running: {AT_ONCE} at once: all done within {:.0} ms, half of them within {:.0} ms",
        began.elapsed().as_secs_f64() * 1e3,
        percentile(times, 0.5)
    );
}

fn tell(what: &str, times: &[f64], target: f64) {
    let (half, most) = (percentile(times.to_vec(), 0.5), percentile(times.to_vec(), 0.95));
    let verdict = if half < target { "met" } else { "MISSED" };
    println!("running: {what}: {half:.1} ms, 95 of 100 within {most:.1} ms (target {target}: {verdict})");
}
