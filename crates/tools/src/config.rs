//! A server as it is described in `candor.toml`, under `[tools.servers.NAME]`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use candor_model::{BreakerSettings, FollowUp, Seconds, ToolHints};
use reqwest::Url;
use reqwest::header::HeaderName;
use serde::{Deserialize, Serialize};

/// Headers that belong to the protocol itself.
const RESERVED_HEADERS: [&str; 5] =
    ["accept", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id"];

/// The variables that every server may see: where programs and files are, and how people write. None of them
/// holds a secret.
pub(crate) const PLAIN_VARIABLES: [&str; 14] = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR",
    "TMP", "TEMP", "TZ",
];

/// How an MCP server is reached, and within which bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerConfig {
    /// A program and its arguments; it is spoken to over stdin and stdout. Either this or `url`.
    pub command: Option<Vec<String>>,
    /// The folder in which the program runs; that of Candor if nothing is said.
    pub cwd: Option<PathBuf>,
    /// What is added to the program's environment. Secrets do not belong here, but into `pass_env`.
    pub env: BTreeMap<String, String>,
    /// Variables of Candor's own environment that the program gets as well, by name: its access keys.
    pub pass_env: Vec<String>,
    /// Whether the program sees the whole environment of Candor, with every secret in it. Otherwise it sees only
    /// where programs and files are and how people write (`PATH`, `HOME`, `LANG`, `TMPDIR`, `TZ` and the like),
    /// `env` and `pass_env`.
    pub inherit_env: bool,
    /// The address of a server that speaks streamable HTTP. Either this or `command`.
    pub url: Option<String>,
    /// Headers of every request to `url`: the header's name, and the environment variable that holds its value.
    pub headers_env: BTreeMap<String, String>,
    /// How long it may take to start and to say which tools it has.
    pub start_timeout: Seconds,
    /// How long a call may take at most.
    pub call_timeout: Seconds,
    /// How long it may take to answer a ping; a server that takes longer is taken for hung and ended.
    pub ping_timeout: Seconds,
    /// How often a server without work is asked whether it is still there.
    pub ping_every: Seconds,
    /// How much of a result is kept.
    pub max_output_bytes: usize,
    /// The tools that are offered, by the server's names for them; all if nothing is said.
    pub tools: Option<Vec<String>>,
    /// What is known better than the server says it, by the server's names for its tools.
    pub overrides: BTreeMap<String, ToolOverride>,
    /// When a failing server's circuit opens, and for how long.
    pub breaker: BreakerSettings,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            command: None,
            cwd: None,
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            inherit_env: false,
            url: None,
            headers_env: BTreeMap::new(),
            start_timeout: Seconds::whole(20),
            call_timeout: Seconds::whole(30),
            ping_timeout: Seconds::whole(5),
            ping_every: Seconds::whole(30),
            max_output_bytes: 64 * 1024,
            tools: None,
            overrides: BTreeMap::new(),
            breaker: BreakerSettings::default(),
        }
    }
}

/// What is known of a tool better than its server says it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolOverride {
    /// What it does to the world.
    pub hints: Option<HintOverride>,
    /// How a call is undone; the tool with its full name.
    pub undo: Option<FollowUp>,
    /// How it is found out whether a call was carried out: a read-only tool, with its full name.
    pub check: Option<FollowUp>,
    /// How long a call may take, instead of the server's `call_timeout`.
    pub timeout: Option<Seconds>,
}

/// The hints that are said; the others stay as the server says them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HintOverride {
    /// The tool only reads.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// The same call twice does no more than once.
    pub idempotent: Option<bool>,
}

impl HintOverride {
    /// The hints with what is said here put in.
    #[must_use]
    pub fn over(self, hints: ToolHints) -> ToolHints {
        let read_only = self.read_only.unwrap_or(hints.read_only_hint);
        ToolHints {
            read_only_hint: read_only,
            // What changes nothing destroys nothing, and twice nothing is nothing.
            destructive_hint: self.destructive.unwrap_or(hints.destructive_hint && !read_only),
            idempotent_hint: self.idempotent.unwrap_or(hints.idempotent_hint || read_only),
            ..hints
        }
    }
}

/// What is wrong with the description of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tool server `{server}`: {field}: {problem}")]
pub struct ConfigError {
    /// Server whose section is wrong.
    pub server: String,
    /// Which field of it.
    pub field: String,
    /// What is wrong, and what was expected.
    pub problem: String,
}

impl ServerConfig {
    /// Says what is wrong with the description, or nothing.
    pub fn check(&self, server: &str) -> Result<(), ConfigError> {
        let wrong =
            |(field, problem): (String, String)| ConfigError { server: server.to_owned(), field, problem };
        check_name(server).map_err(wrong)?;
        self.check_reach().map_err(wrong)?;
        self.check_fields().map_err(wrong)?;
        self.check_bounds().map_err(wrong)
    }

    /// How long a call of this tool may take.
    pub(crate) fn call_timeout_of(&self, tool: &str) -> Duration {
        let own = self.overrides.get(tool).and_then(|known| known.timeout);
        duration(own.unwrap_or(self.call_timeout))
    }

    fn check_reach(&self) -> Result<(), Wrong> {
        match (&self.command, &self.url) {
            (None, None) => {
                wrong("command", "is missing; give a program and its arguments, or the `url` of a server")
            }
            (Some(_), Some(_)) => wrong("url", "is given beside `command`; a server has one of the two"),
            (Some(words), None) if words.first().is_none_or(String::is_empty) => {
                wrong("command", "is empty; its first word is the program")
            }
            (Some(_), None) => Ok(()),
            (None, Some(url)) => check_url(url),
        }
    }

    /// Fields that mean nothing for this kind of server are somebody's mistake.
    fn check_fields(&self) -> Result<(), Wrong> {
        if self.url.is_some() {
            let said = [
                ("cwd", self.cwd.is_some()),
                ("env", !self.env.is_empty()),
                ("pass_env", !self.pass_env.is_empty()),
                ("inherit_env", self.inherit_env),
            ];
            let extra = said.into_iter().find(|(_, said)| *said);
            return match extra {
                Some((field, _)) => wrong(field, "is for servers with a `command`; this one has a `url`"),
                None => self.headers_env.iter().try_for_each(|(name, variable)| check_header(name, variable)),
            };
        }
        if !self.headers_env.is_empty() {
            return wrong("headers_env", "is for servers with a `url`; this one has a `command`");
        }
        let names = self.env.keys().map(|name| ("env", name));
        let passed = self.pass_env.iter().map(|name| ("pass_env", name));
        names.chain(passed).try_for_each(|(field, name)| check_variable(field, name))
    }

    fn check_bounds(&self) -> Result<(), Wrong> {
        let own = self.overrides.iter().filter_map(|(tool, known)| Some((tool, known.timeout?)));
        let times = [
            ("start_timeout".to_owned(), self.start_timeout),
            ("call_timeout".to_owned(), self.call_timeout),
            ("ping_timeout".to_owned(), self.ping_timeout),
            ("ping_every".to_owned(), self.ping_every),
        ];
        let times =
            times.into_iter().chain(own.map(|(tool, time)| (format!("overrides.{tool}.timeout"), time)));
        for (field, time) in times {
            if time.as_millis() == 0 {
                return wrong(&field, "must be above 0 seconds");
            }
        }
        if self.max_output_bytes == 0 { wrong("max_output_bytes", "must be above 0") } else { Ok(()) }
    }
}

/// A field, and what is wrong with it.
type Wrong = (String, String);

fn wrong<T>(field: &str, problem: &str) -> Result<T, Wrong> {
    Err((field.to_owned(), problem.to_owned()))
}

/// The name stands before the dot in the names of the tools.
fn check_name(server: &str) -> Result<(), Wrong> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !server.is_empty() && server.bytes().all(fits) {
        return Ok(());
    }
    wrong("name", "holds something else than letters, digits, `_` and `-`, or nothing at all")
}

fn check_url(url: &str) -> Result<(), Wrong> {
    match Url::parse(url) {
        Ok(parsed) if matches!(parsed.scheme(), "http" | "https") => Ok(()),
        Ok(parsed) => wrong("url", &format!("`{}` is neither http nor https", parsed.scheme())),
        Err(error) => wrong(
            "url",
            &format!("is not an address ({error}); expected something like http://127.0.0.1:3001/mcp"),
        ),
    }
}

fn check_header(name: &str, variable: &str) -> Result<(), Wrong> {
    let field = format!("headers_env.{name}");
    let Ok(header) = HeaderName::try_from(name) else {
        return wrong(&field, "is not the name of a header; names hold letters, digits and `-`");
    };
    if RESERVED_HEADERS.contains(&header.as_str()) {
        return wrong(&field, "belongs to the protocol and cannot be set");
    }
    check_variable(&field, variable)
}

fn check_variable(field: &str, name: &str) -> Result<(), Wrong> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return wrong(field, &format!("`{name}` is not the name of an environment variable"));
    }
    Ok(())
}

/// A time of the configuration, as the clock takes it.
pub(crate) fn duration(time: Seconds) -> Duration {
    Duration::from_millis(time.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        let config: ServerConfig = toml::from_str(text).unwrap();
        config.check("files").unwrap_err().to_string()
    }

    #[test]
    fn a_command_alone_is_enough_and_has_the_usual_bounds() {
        let config: ServerConfig = toml::from_str("command = ['server']").unwrap();
        assert_eq!(config.check("files"), Ok(()));
        let bounds = (config.start_timeout, config.call_timeout, config.max_output_bytes);
        assert_eq!(bounds, (Seconds::whole(20), Seconds::whole(30), 65_536));
        assert!(!config.inherit_env);
    }

    #[test]
    fn exactly_one_way_to_the_server_and_the_field_is_named() {
        assert!(problem("").contains("command: is missing"));
        assert!(problem("command = ['a']\nurl = 'http://h/'").contains("url: is given beside"));
        assert!(problem("command = []").contains("command: is empty"));
        assert!(problem("url = 'ftp://h/'").contains("url: `ftp` is neither"));
        assert!(problem("url = 'nowhere'").contains("url: is not an address"));
        assert!(problem("url = 'http://h/'\ncwd = '/'").contains("cwd: is for servers with a `command`"));
        assert!(problem("command = ['a']\nheaders_env = { x = 'Y' }").contains("headers_env: is for"));
        assert!(problem("url = 'http://h/'\nheaders_env = { Accept = 'Y' }").contains("headers_env.Accept"));
        assert!(problem("command = ['a']\ncall_timeout = 0").contains("call_timeout: must be above 0"));
        assert!(problem("command = ['a']\nmax_output_bytes = 0").contains("max_output_bytes"));
        assert!(problem("command = ['a']\n[overrides.x]\ntimeout = 0").contains("overrides.x.timeout"));
        let named = ServerConfig { command: Some(vec!["a".to_owned()]), ..ServerConfig::default() };
        assert!(named.check("a.b").unwrap_err().to_string().contains("name: holds something else"));
        assert!(toml::from_str::<ServerConfig>("comand = ['a']").is_err());
    }

    #[test]
    fn hints_are_replaced_one_by_one() {
        let hints = ToolHints::default();
        let kind = HintOverride { destructive: Some(false), ..HintOverride::default() }.over(hints);
        assert_eq!(kind, ToolHints { destructive_hint: false, ..hints });
        let reads = HintOverride { read_only: Some(true), ..HintOverride::default() }.over(hints);
        assert!(!reads.changes() && !reads.destructive_hint && reads.idempotent_hint);
    }
}
