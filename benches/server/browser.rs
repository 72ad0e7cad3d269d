//! Chromium, logged in to a server.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::client::Server;
use crate::processor_time;

/// A profile that is logged in.
pub(crate) struct Browser {
    profile: PathBuf,
}

impl Browser {
    /// Logs in by the server's link; says so and gives none where there is no Chromium.
    pub(crate) fn find(server: &Server, folder: &Path) -> Result<Option<Self>> {
        if Command::new("chromium").arg("--version").stdout(Stdio::null()).status().is_err() {
            println!("server:   not measured in Chromium: there is no `chromium`");
            return Ok(None);
        }
        let browser = Self { profile: folder.join("browser") };
        browser.open(&server.link, "")?;
        Ok(Some(browser))
    }

    fn command(&self, url: &str) -> Command {
        let mut command = Command::new("chromium");
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]);
        command.arg(format!("--user-data-dir={}", self.profile.display())).arg(url);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    /// How long it takes to start, show a page that has these words, and end, in milliseconds.
    pub(crate) fn open(&self, url: &str, words: &str) -> Result<f64> {
        let began = Instant::now();
        let output = self.command(url).arg("--dump-dom").output()?;
        let took = began.elapsed().as_secs_f64() * 1e3;
        ensure!(output.status.success(), "chromium ended with {}", output.status);
        ensure!(
            String::from_utf8_lossy(&output.stdout).contains(words),
            "{url} is not the page that is meant"
        );
        Ok(took)
    }

    /// A browser that stays on a page.
    pub(crate) fn stay(&self, url: &str) -> Result<Staying> {
        let mut command = self.command(url);
        command.arg("--remote-debugging-port=0").stdout(Stdio::null()).process_group(0);
        Ok(Staying { child: command.spawn()? })
    }
}

/// A browser that is open. Its processes are a group of their own, and end with it.
pub(crate) struct Staying {
    child: Child,
}

impl Staying {
    /// What all its processes have used, in seconds.
    pub(crate) fn processor_time(&self) -> Result<f64> {
        let group = self.child.id().to_string();
        let mut used = 0.0;
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            // A process may end while it is looked at.
            let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
            let after = stat.rsplit(')').next().unwrap_or_default();
            if after.split_whitespace().nth(2) == Some(group.as_str()) {
                used += processor_time(process).unwrap_or(0.0);
            }
        }
        ensure!(used > 0.0, "chromium has ended");
        Ok(used)
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        let group = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
