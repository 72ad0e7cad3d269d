//! Ways to a server: a program's stdin and stdout, or an address.

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::process::Stdio;

use candor_process::Group;
use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::service::{ClientInitializeError, RoleClient};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use tokio::process::{ChildStdin, ChildStdout, Command};

use super::bounded::{Bounded, Flooded, MAX_MESSAGE_BYTES};
use super::words::Words;
use crate::config::{PLAIN_VARIABLES, ServerConfig, duration};

/// The way to a program.
pub(super) type Pipes = AsyncRwTransport<RoleClient, Bounded<ChildStdout>, ChildStdin>;
/// The way to an address.
pub(super) type Http = StreamableHttpClientTransport<Client>;

/// A program that was started as a server.
pub(super) struct Program {
    pub(super) group: Group,
    /// What it says on stderr.
    pub(super) words: Words,
    /// Whether it sent more than it may.
    pub(super) flooded: Flooded,
}

/// Starts the program of a server and connects to its standard streams.
pub(super) fn start_program(words: &[String], config: &ServerConfig) -> Result<(Program, Pipes), String> {
    let name = words.first().map(String::as_str).unwrap_or_default();
    let mut command = Command::new(name);
    command.args(words.iter().skip(1)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(folder) = &config.cwd {
        command.current_dir(folder);
    }
    set_environment(&mut command, config)?;
    let (group, ends) = Group::start(&mut command).map_err(|error| cannot_start(name, config, &error))?;
    let (Some(stdin), Some(stdout)) = (ends.stdin, ends.stdout) else {
        return Err(format!("`{name}` was started without pipes"));
    };
    let words = Words::listen(ends.stderr);
    let flooded = Flooded::default();
    let pipes = AsyncRwTransport::new(Bounded::new(stdout, flooded.clone()), stdin);
    Ok((Program { group, words, flooded }, pipes))
}

/// Gets ready to speak to an address. Nothing is sent yet.
pub(super) fn reach(url: &str, config: &ServerConfig) -> Result<Http, String> {
    let mut headers = HashMap::new();
    for (name, variable) in &config.headers_env {
        let (name, value) = header(name, variable)?;
        headers.insert(name, value);
    }
    // Whoever was first has installed one already; all of them are the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A redirect could carry the headers, and the secrets in them, to somebody else.
    let client =
        Client::builder().redirect(Policy::none()).connect_timeout(duration(config.start_timeout)).build();
    let client = client.map_err(|error| format!("cannot make an HTTP client: {}", innermost(&error)))?;
    let settings = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers)
        .max_sse_event_size(MAX_MESSAGE_BYTES);
    Ok(StreamableHttpClientTransport::with_client(client, settings))
}

/// Why a server could not be greeted, in words.
pub(super) fn greeting_problem(error: &ClientInitializeError) -> String {
    if error.is_authorization_required() {
        return "it wants to know who is asking: name the environment variable with the access key under \
                headers_env.Authorization"
            .to_owned();
    }
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended the connection without a greeting".to_owned(),
        ClientInitializeError::TransportError { error, .. } => transport_problem(error.error.as_ref()),
        other => other.to_string(),
    }
}

/// Why a message could not be sent, in words.
pub(super) fn transport_problem(error: &(dyn Error + Send + Sync + 'static)) -> String {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => {
            let url = error.url().map_or_else(String::new, |url| format!("{url}: "));
            format!("{url}{}", innermost(error))
        }
        _ => innermost(error),
    }
}

/// The environment of a server: never a secret that it was not given by name.
fn set_environment(command: &mut Command, config: &ServerConfig) -> Result<(), String> {
    if !config.inherit_env {
        command.env_clear();
        let plain = PLAIN_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.envs(plain);
    }
    for name in &config.pass_env {
        let value = std::env::var_os(name);
        let value = value.ok_or_else(|| format!("pass_env: the environment variable `{name}` is not set"))?;
        command.env(name, value);
    }
    command.envs(&config.env);
    Ok(())
}

fn header(name: &str, variable: &str) -> Result<(HeaderName, HeaderValue), String> {
    let field = format!("headers_env.{name}");
    let value = std::env::var(variable)
        .map_err(|_| format!("{field}: the environment variable `{variable}` is not set"))?;
    let name = HeaderName::try_from(name).map_err(|_| format!("{field}: is not the name of a header"))?;
    // The value may be a secret and is not shown.
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| format!("{field}: the value of `{variable}` does not fit into a header"))?;
    value.set_sensitive(true);
    Ok((name, value))
}

fn cannot_start(name: &str, config: &ServerConfig, error: &io::Error) -> String {
    let folder = config.cwd.as_ref().filter(|folder| !folder.is_dir());
    match folder {
        Some(folder) => format!("cannot start `{name}`: cwd: there is no folder {}", folder.display()),
        None if error.kind() == io::ErrorKind::NotFound => {
            format!("cannot start `{name}`: there is no such program; install it, or give its full path")
        }
        None => format!("cannot start `{name}`: {error}"),
    }
}

fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
