//! A server in place of the data folder: the same commands over its API.
//!
//! A server gives out events as they are on the log. The command folds them itself and shows them with the same views,
//! so that a run looks the same wherever it is driven.

mod commands;

use std::ops::ControlFlow;
use std::time::Duration;

use candor_app::tokens::Tokens;
use candor_app::{DataFolder, LoadedRun};
use candor_engine::RunState;
use candor_model::{Event, Position, Recorded, RunId};
use candor_ports::RunQuery;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;

pub(crate) use self::commands::{answer, list, run, watch};
use crate::args::GlobalOptions;
use crate::failure::Failure;

/// The variable that holds the token.
const TOKEN: &str = "CANDOR_TOKEN";
/// How long to wait before a stream that broke is followed again.
const AGAIN: Duration = Duration::from_secs(1);
/// How often a stream is followed again without anything new.
const MOST_TRIES: u32 = 30;
/// How many runs a server lists at once.
const MOST_RUNS: usize = 200;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server with the token for it.
pub(crate) struct Remote {
    base: String,
    token: String,
    client: Client,
}

impl Remote {
    /// The server that the options name, if they name one.
    pub(crate) fn of(global: &GlobalOptions) -> Result<Option<Self>, Failure> {
        let Some(base) = &global.server else { return Ok(None) };
        let url =
            reqwest::Url::parse(base).map_err(|error| Failure::usage(format!("--server {base}: {error}")))?;
        let host = url.host_str().unwrap_or_default();
        let is_here = host == "localhost"
            || host.trim_matches(['[', ']']).parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        if url.scheme() != "https" && !(url.scheme() == "http" && is_here) {
            return Err(Failure::usage(say!(
                "--server {base}: a token is sent only over https, or to this machine",
                "--server {base}: un token solo se envía por https, o a esta máquina"
            )));
        }
        let set =
            std::env::var(TOKEN).ok().map(|token| token.trim().to_owned()).filter(|token| !token.is_empty());
        let kept = || {
            let data = DataFolder::find(global.data.as_deref()).ok().filter(|_| is_here)?;
            Tokens::of(data.path()).first()
        };
        let Some(token) = set.or_else(kept) else {
            return Err(Failure::usage(say!(
                "{TOKEN} is not set; it holds the token for {base}",
                "{TOKEN} no está definida; contiene el token para {base}"
            )));
        };
        let client = client()?;
        Ok(Some(Self { base: base.trim_end_matches('/').to_owned(), token, client }))
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.answered(self.client.get(self.url(path)).timeout(PATIENCE)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let request = self.client.post(self.url(path)).timeout(PATIENCE);
        self.answered(request.header("content-type", "application/json").body(body.to_string())).await
    }

    fn url(&self, path: &str) -> String {
        format!("{}/api/v1{path}", self.base)
    }

    async fn answered(&self, request: RequestBuilder) -> Result<Value, Failure> {
        let text = self.sent(request).await?.text().await.map_err(|error| self.unreachable(&error))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Sends a request; an answer that is a problem is a failure in its words.
    async fn sent(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let response =
            request.bearer_auth(&self.token).send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let problem: Value =
            response.text().await.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let detail = problem
            .get("detail")
            .and_then(Value::as_str)
            .unwrap_or(word!("the server does not say why", "el servidor no dice por qué"));
        let words = format!("{}: {detail}", self.base);
        Err(if status.is_client_error() { Failure::usage(words) } else { Failure::failed(words) })
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failure {
        use std::error::Error as _;
        let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        Failure::failed(say!(
            "could not reach {}: {cause}; is `candor serve` running there?",
            "no se pudo conectar con {}: {cause}; ¿está allí en marcha `candor serve`?",
            self.base
        ))
    }

    /// Finds a run by its name, by the beginning of its name, or as the `last` one.
    async fn find(&self, named: &str) -> Result<RunId, Failure> {
        let query =
            if named == "last" { "limit=1".to_owned() } else { format!("limit=200&q={}", encoded(named)) };
        let page = self.get(&format!("/runs?{query}")).await?;
        let names: Vec<&str> = page
            .get("runs")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|run| run.get("run_id")?.as_str())
            .filter(|id| {
                named == "last"
                    || id.strip_prefix("run_").unwrap_or(id).starts_with(named)
                    || id.starts_with(named)
            })
            .collect();
        let exact = names.iter().find(|id| **id == named);
        match (exact, names.as_slice()) {
            (Some(id), _) | (None, [id]) => RunId::new(*id).map_err(Failure::failed),
            (None, []) => Err(Failure::usage(say!(
                "there is no run {named} on {}",
                "no hay ninguna ejecución {named} en {}",
                self.base
            ))),
            (None, several) => {
                let some: Vec<&str> = several.iter().take(5).copied().collect();
                Err(Failure::usage(say!(
                    "several runs begin with {named}: {}; say more of the name",
                    "varias ejecuciones empiezan por {named}: {}; indicar más letras del nombre",
                    some.join(", ")
                )))
            }
        }
    }

    /// The runs that a query admits, at most `limit`, the most recently changed first.
    pub(crate) async fn runs(&self, query: &RunQuery, limit: usize) -> Result<Vec<Value>, Failure> {
        let statuses: Vec<&str> = query.statuses.iter().map(|status| status.as_str()).collect();
        let texts = [
            ("status", Some(statuses.join(",")).filter(|names| !names.is_empty())),
            ("q", query.text.clone()),
            ("since", query.since.map(|since| since.to_string())),
            ("until", query.until.map(|until| until.to_string())),
            ("project", query.project.clone()),
            ("user", query.user.clone()),
        ];
        let named = texts.iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
        let filters: String = named.map(|(name, text)| format!("&{name}={}", encoded(text))).collect();
        let (mut runs, mut cursor) = (Vec::new(), None);
        while runs.len() < limit {
            let from = cursor.map(|cursor: u64| format!("&cursor={cursor}")).unwrap_or_default();
            let most = (limit - runs.len()).min(MOST_RUNS);
            let page = self.get(&format!("/runs?limit={most}{filters}{from}")).await?;
            runs.extend(page.get("runs").and_then(Value::as_array).cloned().unwrap_or_default());
            cursor = page.get("next").and_then(Value::as_u64);
            if cursor.is_none() {
                break;
            }
        }
        Ok(runs)
    }

    /// The address of the page on a run.
    pub(crate) async fn page(&self, named: &str) -> Result<String, Failure> {
        Ok(format!("{}/runs/{}", self.base, self.find(named).await?))
    }

    /// Reads a run and folds it.
    pub(crate) async fn load(&self, named: &str) -> Result<LoadedRun, Failure> {
        let run = self.find(named).await?;
        let mut loaded = LoadedRun { records: Vec::new(), state: RunState::new(run.clone()) };
        let mut after = Some(0);
        while let Some(from) = after {
            let page = self.get(&format!("/runs/{run}/events?after={from}")).await?;
            let events = page.get("events").and_then(Value::as_array).cloned().unwrap_or_default();
            take(&mut loaded, events)?;
            after = page.get("next").and_then(Value::as_u64);
        }
        Ok(loaded)
    }

    /// Follows a run from where it is known, until `see` has seen enough. A stream that breaks is followed again.
    async fn follow(
        &self,
        loaded: &mut LoadedRun,
        mut see: impl AsyncFnMut(&mut LoadedRun, usize) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<(), Failure> {
        let mut tries = 0;
        loop {
            let before = loaded.records.len();
            match self.follow_once(loaded, &mut see).await {
                Ok(ControlFlow::Break(())) => return Ok(()),
                Ok(ControlFlow::Continue(())) => {}
                Err(failure) if tries >= MOST_TRIES => return Err(failure),
                Err(_) => {}
            }
            tries = if loaded.records.len() > before { 0 } else { tries + 1 };
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn follow_once(
        &self,
        loaded: &mut LoadedRun,
        see: &mut impl AsyncFnMut(&mut LoadedRun, usize) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<ControlFlow<()>, Failure> {
        let run = loaded.state.run_id().clone();
        let request = self.client.get(self.url(&format!("/runs/{run}/events/stream")));
        let last = loaded.state.position().0.to_string();
        let mut response = self.sent(request.header("last-event-id", last)).await?;
        let mut waiting = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            waiting.extend_from_slice(&chunk);
            let Some(end) = waiting.iter().rposition(|byte| *byte == b'\n') else { continue };
            let rest = waiting.split_off(end + 1);
            let lines = String::from_utf8_lossy(&waiting).into_owned();
            waiting = rest;
            let data = lines.lines().filter_map(|line| line.strip_prefix("data: "));
            let events: Result<Vec<Value>, _> = data.map(serde_json::from_str).collect();
            let known = loaded.records.len();
            take(loaded, events?)?;
            if see(loaded, known).await?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A client for HTTP.
pub(crate) fn client() -> Result<Client, Failure> {
    // Whoever was first has installed the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().build().map_err(Failure::failed)
}

/// Takes events of a server over, as if they had been read from the log.
fn take(loaded: &mut LoadedRun, events: Vec<Value>) -> Result<(), Failure> {
    let mut new = Vec::with_capacity(events.len());
    for event in events {
        let position = Position(event.get("position").and_then(Value::as_u64).unwrap_or_default());
        let Value::Object(mut fields) = event else { continue };
        ["run_id", "position", "seq"].iter().for_each(|name| _ = fields.remove(*name));
        let event = Event::from_json(&Value::Object(fields).to_string()).map_err(Failure::failed)?;
        new.push(Recorded { position, event });
    }
    loaded.state.catch_up(&new).map_err(candor_app::AppError::from)?;
    loaded.records.extend(new);
    Ok(())
}

/// A text as a value of a query.
pub(crate) fn encoded(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(letter).collect()
}
