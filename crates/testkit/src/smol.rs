//! A real small model behind an OpenAI-compatible endpoint, where its weights are at hand.
//!
//! The environment variable `CANDOR_TEST_MODELS` names a folder that `smol/fetch.sh` has prepared. Nothing is
//! fetched from here: without the folder there is no model, and the caller is told why.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The variable that names the folder.
pub const FOLDER_VARIABLE: &str = "CANDOR_TEST_MODELS";
const WEIGHTS: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
/// Loading takes a second or two; a busy machine needs more.
const START: Duration = Duration::from_secs(60);

/// A running model. It ends when it is dropped.
pub struct SmolServer {
    process: Child,
    url: String,
}

impl SmolServer {
    /// Starts the model, or says why that is not possible here.
    pub fn start() -> Result<Self, String> {
        let folder = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from).ok_or_else(|| {
            format!("{FOLDER_VARIABLE} is not set: run crates/testkit/smol/fetch.sh FOLDER first")
        })?;
        let weights = folder.join(WEIGHTS);
        for needed in [&weights, &folder.join("node_modules/node-llama-cpp")] {
            if !needed.exists() {
                return Err(format!("{} is not there: run crates/testkit/smol/fetch.sh", needed.display()));
            }
        }
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("smol/server.mjs");
        let mut process = Command::new("node")
            .arg(server)
            .arg(weights)
            .env(FOLDER_VARIABLE, &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("node cannot be started: {error}"))?;
        match first_line(&mut process) {
            Some(url) => Ok(Self { process, url }),
            None => {
                end(&mut process);
                Err(format!("the model did not start within {} s", START.as_secs()))
            }
        }
    }

    /// The base address, with its trailing slash.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for SmolServer {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

fn first_line(process: &mut Child) -> Option<String> {
    let out = process.stdout.take()?;
    let (told, line) = mpsc::channel();
    thread::spawn(move || {
        if let Some(Ok(line)) = BufReader::new(out).lines().next() {
            let _ = told.send(line);
        }
    });
    line.recv_timeout(START).ok()
}

fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
}
