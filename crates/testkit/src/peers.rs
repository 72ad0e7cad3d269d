//! Real MCP servers and A2A agents, where they are at hand.
//!
//! The environment variable `CANDOR_TEST_PEERS` names a folder that `peers/fetch.sh` has prepared. Nothing is
//! fetched from here: without the folder there are no peers, and the caller is told why.

use std::path::{Path, PathBuf};

/// The variable that names the folder.
pub const FOLDER_VARIABLE: &str = "CANDOR_TEST_PEERS";

/// The programs of the folder.
#[derive(Debug, Clone)]
pub struct Peers {
    folder: PathBuf,
}

impl Peers {
    /// Finds the folder, or says why there is none.
    ///
    /// # Panics
    /// If the variable is set and the folder is not complete: whoever sets it means it.
    pub fn find() -> Result<Self, String> {
        let folder = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from).ok_or_else(|| {
            format!("{FOLDER_VARIABLE} is not set: run crates/testkit/peers/fetch.sh FOLDER first")
        })?;
        for needed in ["npm.done", "python/requirements.txt", "sandbox/requirements.txt"] {
            let path = folder.join(needed);
            assert!(path.exists(), "{} is not there: run crates/testkit/peers/fetch.sh", path.display());
        }
        Ok(Self { folder })
    }

    /// The folder itself, which has `node_modules` with `playwright-core` and `axe-core`.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The program that tries an HTTP API against its description, or why it is not there.
    pub fn schemathesis(&self) -> Result<PathBuf, String> {
        let path = self.folder.join("api/bin/schemathesis");
        if path.exists() { Ok(path) } else { Err(format!("{} is not there", path.display())) }
    }

    /// The program that checks what Prometheus reads, or why it is not there.
    pub fn promtool(&self) -> Result<PathBuf, String> {
        let path = self.folder.join("promtool");
        if path.exists() { Ok(path) } else { Err(format!("{} is not there", path.display())) }
    }

    /// The reference server with a tool of every kind, over stdio.
    #[must_use]
    pub fn everything(&self) -> Vec<String> {
        self.node("server-everything", &["stdio"])
    }

    /// The same over streamable HTTP; the port comes from the variable `PORT`.
    #[must_use]
    pub fn everything_http(&self) -> Vec<String> {
        self.node("server-everything", &["streamableHttp"])
    }

    /// A server for the files of a folder.
    #[must_use]
    pub fn filesystem(&self, folder: &Path) -> Vec<String> {
        self.node("server-filesystem", &[&folder.to_string_lossy()])
    }

    /// A server with a knowledge graph; the file comes from the variable `MEMORY_FILE_PATH`.
    #[must_use]
    pub fn memory(&self) -> Vec<String> {
        self.node("server-memory", &[])
    }

    /// A server that knows the time.
    #[must_use]
    pub fn time(&self) -> Vec<String> {
        self.module("mcp_server_time", &["--local-timezone", "Europe/Madrid"])
    }

    /// A server for a git repository.
    #[must_use]
    pub fn git(&self, repository: &Path) -> Vec<String> {
        self.module("mcp_server_git", &["--repository", &repository.to_string_lossy()])
    }

    /// A Python that has `a2a-sdk`, `mcp` and `langgraph`.
    #[must_use]
    pub fn python(&self) -> PathBuf {
        self.folder.join("python/bin/python")
    }

    /// The sandbox's Python, with pandas, PyMuPDF, pypdf and Pillow.
    #[must_use]
    pub fn sandbox_python(&self) -> PathBuf {
        self.folder.join("sandbox/bin/python")
    }

    fn node(&self, name: &str, arguments: &[&str]) -> Vec<String> {
        let script = self.folder.join("node_modules/@modelcontextprotocol").join(name).join("dist/index.js");
        let words = ["node".to_owned(), script.display().to_string()];
        words.into_iter().chain(arguments.iter().map(|&word| word.to_owned())).collect()
    }

    fn module(&self, name: &str, arguments: &[&str]) -> Vec<String> {
        let words = [self.python().display().to_string(), "-m".to_owned(), name.to_owned()];
        words.into_iter().chain(arguments.iter().map(|&word| word.to_owned())).collect()
    }
}
