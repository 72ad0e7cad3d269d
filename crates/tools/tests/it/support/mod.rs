//! Calls of built-in tools, for tests.

use std::fs;
use std::path::Path;
use std::time::Duration;

use candor_model::{Carried, ToolCall, ToolErrorKind, ToolResult};
use candor_tools::ToolSource;
use candor_tools::builtin::{Builtin, BuiltinConfig};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The tools, in a folder with a secret next to it.
pub(crate) struct Bench {
    pub(crate) home: TempDir,
    pub(crate) tools: Builtin,
}

pub(crate) fn bench() -> Bench {
    bench_with(|_| {})
}

pub(crate) fn bench_with(change: impl FnOnce(&mut BuiltinConfig)) -> Bench {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("work")).unwrap();
    fs::write(home.path().join("secret"), "the secret").unwrap();
    let folder = Some(home.path().join("work"));
    let mut config = BuiltinConfig { folder, writable: true, ..BuiltinConfig::default() };
    change(&mut config);
    Bench { home, tools: Builtin::new(config).unwrap() }
}

pub(crate) fn call_of(tool: &str, arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    ToolCall { key: "run/task/1/call/1".to_owned(), tool: tool.to_owned(), arguments }
}

impl Bench {
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> std::path::PathBuf {
        self.home.path().join("work").join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn got(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.tools.call(&call_of(tool, arguments), LONG, CancellationToken::new()).await
    }

    pub(crate) async fn verify(&self, tool: &str, arguments: Value) -> Carried {
        self.tools.verify(&call_of(tool, arguments), LONG, CancellationToken::new()).await
    }

    /// Carries out what a result says undoes it.
    pub(crate) async fn undo(&self, result: &ToolResult) -> ToolResult {
        let undo = result.undo.clone().unwrap();
        self.call(&undo.tool, Value::Object(undo.arguments)).await
    }

    pub(crate) async fn names(&self) -> Vec<String> {
        self.tools.tools().await.iter().map(|spec| spec.name.clone()).collect()
    }
}

pub(crate) fn kind(result: &ToolResult) -> Option<ToolErrorKind> {
    result.error.as_ref().map(|problem| problem.kind)
}
