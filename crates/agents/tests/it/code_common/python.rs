//! A sandbox that confines nothing: real Python in a plain process, for tests with code that is known.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use candor_ports::{BoxFuture, CodeFault, CodeJob, CodeOutcome, CodeResult, CodeRun, CodeRunner};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

const WRAPPER: &str = r#"
import base64, io, json, sys, traceback
job = json.load(sys.stdin)
real, sys.stdout = sys.stdout, io.StringIO()
space = {"__name__": "__main__", "json": json, "base64": base64, "context": job["context"]}
end = {}
try:
    exec(compile(job["code"], "<program>", "exec"), space)
    if job["insights"]:
        result = {"insights": space["insights"]} if "insights" in space else {}
    else:
        result = space["context"]
    end["result"] = json.loads(json.dumps(result, default=str))
except SystemExit:
    end["no_result"] = "it called exit()"
except BaseException as error:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<program>"]
    end["raised"] = [type(error).__name__, str(error), lines[-1] if lines else None]
end["stdout"] = sys.stdout.getvalue()
real.write(json.dumps(end))
"#;

/// Runs real Python.
#[derive(Default)]
pub(crate) struct PythonRunner {
    pub(crate) jobs: Mutex<Vec<CodeJob>>,
}

impl PythonRunner {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// The programs that were run, without the agent's own scripts.
    pub(crate) fn programs(&self) -> Vec<CodeJob> {
        let jobs = self.jobs.lock().unwrap();
        jobs.iter().filter(|job| !job.code.contains("importlib")).cloned().collect()
    }

    async fn start(job: &CodeJob) -> Result<Value, String> {
        let mut child = Command::new("python3")
            .args(["-c", WRAPPER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| error.to_string())?;
        let insights = job.result == CodeResult::Insights;
        let order = json!({ "code": job.code, "context": job.context, "insights": insights }).to_string();
        let mut stdin = child.stdin.take().unwrap();
        let writing = async move {
            let _ = stdin.write_all(order.as_bytes()).await;
            drop(stdin);
        };
        let ((), output) = tokio::join!(writing, child.wait_with_output());
        let output = output.map_err(|error| error.to_string())?;
        serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn outcome(end: &Value) -> CodeOutcome {
    if let Some(result) = end.get("result") {
        return match result.as_object() {
            Some(result) => CodeOutcome::Finished { result: result.clone() },
            None => CodeOutcome::BadResult { reason: "context is no dict".to_owned() },
        };
    }
    if let Some(raised) = end.get("raised") {
        return CodeOutcome::Raised {
            name: raised[0].as_str().unwrap().to_owned(),
            text: raised[1].as_str().unwrap().to_owned(),
            line: raised[2].as_u64().map(|line| u32::try_from(line).unwrap()),
            trace: String::new(),
        };
    }
    CodeOutcome::NoResult { reason: end["no_result"].as_str().unwrap_or_default().to_owned() }
}

impl CodeRunner for PythonRunner {
    fn run<'a>(
        &'a self,
        job: &'a CodeJob,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<CodeRun, CodeFault>> {
        self.jobs.lock().unwrap().push(job.clone());
        Box::pin(async move {
            let began = Instant::now();
            let (outcome, stdout) = tokio::select! {
                end = Self::start(job) => {
                    let end = end.map_err(CodeFault::new)?;
                    (outcome(&end), end["stdout"].as_str().unwrap_or_default().to_owned())
                }
                () = tokio::time::sleep(job.timeout.max(Duration::from_millis(1))) => {
                    (CodeOutcome::TimedOut, String::new())
                }
                () = stop.cancelled() => (CodeOutcome::Stopped, String::new()),
            };
            let duration = began.elapsed();
            Ok(CodeRun { outcome, stdout, stderr: String::new(), warnings: Vec::new(), duration })
        })
    }

    fn name(&self) -> &str {
        "local"
    }
}
