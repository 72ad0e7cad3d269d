//! The tools that come with Candor: files of one folder, commands in the sandbox, pages of some hosts, a person.
//!
//! Which of them there are is a matter of [`BuiltinConfig`]. Arguments are checked against a tool's schema before
//! anything is done. [`ASK_PERSON`](candor_model::ASK_PERSON) is only declared here: whoever leads the talk with an agent takes the call and
//! puts the question to somebody.

mod ask;
mod command;
mod config;
mod folder;
mod glob;
mod http;
mod list;
mod patience;
mod read;
mod remove;
mod search;
mod walk;
mod write;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_model::{Carried, JsonMap, ToolCall, ToolErrorKind, ToolHints, ToolProblem, ToolResult, ToolSpec};
use candor_ports::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use self::config::BuiltinConfig;
use self::folder::Folder;
use self::patience::Patience;
use crate::ToolSource;

/// The source of these tools has no name: they are called by their own.
const NAME: &str = "";

/// How a call went, before it is told.
type Outcome = Result<ToolResult, ToolProblem>;

/// What is wrong with the settings of the built-in tools.
#[derive(Debug, thiserror::Error)]
pub enum BuiltinError {
    /// The folder cannot be used.
    #[error("tools.folder: {} cannot be used: {source}; expected a folder that exists", folder.display())]
    Folder {
        /// Setting as it was written.
        folder: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
    /// A host is none.
    #[error(
        "tools.http_hosts: `{host}` is not a host; expected something like example.org or example.org:8080"
    )]
    Host {
        /// Setting as it was written.
        host: String,
    },
}

/// Whether commands get namespaces of their own with these settings; if not, why. Nothing if there are no commands.
pub async fn commands_own_world(config: &BuiltinConfig) -> Option<Result<(), String>> {
    let folder = config.folder.as_ref().filter(|_| !config.commands.is_empty())?;
    let folder = Folder::open(folder).ok()?;
    Some(command::own_world(config, &folder).await)
}

/// Tools that come with Candor and run in its process.
pub struct Builtin {
    specs: Vec<Arc<ToolSpec>>,
    config: BuiltinConfig,
    folder: Option<Arc<Folder>>,
    http: http::Fetcher,
}

impl Builtin {
    /// The tools that these settings allow.
    pub fn new(config: BuiltinConfig) -> Result<Self, BuiltinError> {
        let folder = match &config.folder {
            None => None,
            Some(path) => {
                let told = |source| BuiltinError::Folder { folder: path.clone(), source };
                Some(Arc::new(Folder::open(path).map_err(told)?))
            }
        };
        let http = http::Fetcher::new(&config.http_hosts, config.max_read_bytes)?;
        let specs = specs(&config).into_iter().map(Arc::new).collect();
        Ok(Self { specs, config, folder, http })
    }

    async fn outcome(&self, call: &ToolCall, within: Duration, stop: CancellationToken) -> Outcome {
        let spec = self.specs.iter().find(|spec| spec.name == call.tool).ok_or_else(|| self.unknown(call))?;
        let arguments = Value::Object(call.arguments.clone());
        let problems = candor_schema::problems(&arguments, &spec.input_schema);
        if !problems.is_empty() {
            return Err(problem(ToolErrorKind::InvalidArguments, problems.join("; ")));
        }
        if stop.is_cancelled() {
            return Err(problem(ToolErrorKind::Cancelled, "it was asked to stop before it began"));
        }
        let patience = Patience::new(within, stop);
        let most = self.config.max_read_bytes;
        match call.tool.as_str() {
            read::NAME => self.with_files(patience, call, move |at, args| read::call(at, args, most)).await,
            list::NAME => self.with_files(patience, call, list::call).await,
            search::NAME => {
                self.with_files(patience, call, move |at, args| search::call(at, args, most)).await
            }
            write::NAME => self.with_files(patience, call, write::call).await,
            write::APPEND => self.with_files(patience, call, write::append).await,
            remove::NAME => self.with_files(patience, call, remove::call).await,
            command::NAME => self.run(call, &patience).await,
            http::NAME => self.http.call(taken(&call.arguments)?, &patience).await,
            _ => Err(ask::not_here()),
        }
    }

    /// Does something with files, which may take its time, where it holds up nobody else.
    async fn with_files<A: DeserializeOwned + Send + 'static, T: Send + 'static>(
        &self,
        patience: Patience,
        call: &ToolCall,
        work: impl FnOnce(&Place, &A) -> Result<T, ToolProblem> + Send + 'static,
    ) -> Result<T, ToolProblem> {
        let folder = self.folder.clone().ok_or_else(|| self.unknown(call))?;
        let args: A = taken(&call.arguments)?;
        let place = Place { folder, patience };
        // It looks at the clock and the stop by itself, so that it does not run on.
        let done = tokio::task::spawn_blocking(move || work(&place, &args)).await;
        done.unwrap_or_else(|error| Err(problem(ToolErrorKind::Failed, format!("it broke: {error}"))))
    }

    async fn run(&self, call: &ToolCall, patience: &Patience) -> Outcome {
        let folder = self.folder.as_ref().ok_or_else(|| self.unknown(call))?;
        command::call(&self.config, folder, taken(&call.arguments)?, patience).await
    }

    fn unknown(&self, call: &ToolCall) -> ToolProblem {
        let names: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        let there = names.join(", ");
        problem(ToolErrorKind::Unavailable, format!("there is no tool `{}`; there are {there}", call.tool))
    }
}

impl ToolSource for Builtin {
    fn name(&self) -> &str {
        NAME
    }

    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>> {
        Box::pin(async { self.specs.clone() })
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let began = Instant::now();
            let result = self.outcome(call, within, stop).await;
            let mut result =
                result.unwrap_or_else(|problem| ToolResult::failed(problem.kind, problem.message));
            result.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            result
        })
    }

    fn verify<'a>(
        &'a self,
        call: &'a ToolCall,
        within: Duration,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Carried> {
        Box::pin(async move {
            let patience = Patience::new(within, stop);
            let found = match call.tool.as_str() {
                write::NAME => self.with_files(patience, call, write::verify).await,
                write::APPEND => self.with_files(patience, call, write::verify_append).await,
                remove::NAME => self.with_files(patience, call, remove::verify).await,
                _ => Ok(Carried::Unknown),
            };
            found.unwrap_or(Carried::Unknown)
        })
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// Where a tool for files works, and for how long.
struct Place {
    folder: Arc<Folder>,
    patience: Patience,
}

fn specs(config: &BuiltinConfig) -> Vec<ToolSpec> {
    let mut specs = vec![ask::spec()];
    if config.folder.is_some() {
        specs.extend([read::spec(), list::spec(), search::spec()]);
        if config.writable {
            specs.extend([write::spec(), write::append_spec(), remove::spec()]);
        }
        if !config.commands.is_empty() {
            specs.push(command::spec(&config.commands));
        }
    }
    if !config.http_hosts.is_empty() {
        specs.push(http::spec(&config.http_hosts));
    }
    specs
}

/// A tool whose arguments are an `A`.
fn spec_of<A: JsonSchema>(name: &str, description: impl Into<String>, hints: ToolHints) -> ToolSpec {
    let input_schema = Arc::new(schemars::schema_for!(A).to_value());
    ToolSpec {
        name: name.to_owned(),
        description: description.into(),
        input_schema,
        hints,
        undo: None,
        check: None,
    }
}

/// The arguments as their type. Those that keep to the schema do so here too.
fn taken<A: DeserializeOwned>(arguments: &JsonMap) -> Result<A, ToolProblem> {
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| problem(ToolErrorKind::InvalidArguments, error.to_string()))
}

fn problem(kind: ToolErrorKind, message: impl Into<String>) -> ToolProblem {
    ToolProblem { kind, message: message.into() }
}
