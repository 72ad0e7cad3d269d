//! Where E2B is, who asks, and what for.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;

/// The public service.
pub const PUBLIC_API: &str = "https://api.e2b.app";
/// Where the public service keeps its sandboxes.
pub const PUBLIC_DOMAIN: &str = "e2b.app";
/// The template with Python behind an address of its own.
pub const PUBLIC_TEMPLATE: &str = "code-interpreter-v1";
/// How long a sandbox may take to start; the public service needs less than a second.
const START_WITHIN: Duration = Duration::from_secs(30);

/// Where E2B is, who asks, and what for.
#[derive(Debug, Clone)]
pub struct E2bConfig {
    /// The address of the service: [`PUBLIC_API`], or one's own.
    pub api: String,
    /// The domain of its sandboxes, for services that do not tell it; without it [`PUBLIC_DOMAIN`].
    pub domain: Option<String>,
    /// What a sandbox is made from: [`PUBLIC_TEMPLATE`], or one's own that is built on it.
    pub template: String,
    /// The access key, from `E2B_API_KEY`.
    pub key: Secret,
    /// The address of a sandbox, if it follows another pattern than `https://{port}-{id}.<domain>`; `{port}` and
    /// `{id}` are filled in if they are there.
    pub sandbox_url: Option<String>,
    /// Whether programs can reach the internet.
    pub internet: bool,
    /// How long a sandbox may take to start. The time of a program begins afterwards.
    pub start_within: Duration,
}

impl E2bConfig {
    /// The public service, with this key.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        Self {
            api: PUBLIC_API.to_owned(),
            domain: None,
            template: PUBLIC_TEMPLATE.to_owned(),
            key: Secret::new(key),
            sandbox_url: None,
            internet: false,
            start_within: START_WITHIN,
        }
    }

    /// The same with addresses without a slash at their end, if all of it can be used.
    pub(super) fn checked(mut self) -> Result<Self, E2bError> {
        self.key.header()?;
        if self.template.trim().is_empty() {
            return Err(E2bError::NoTemplate);
        }
        if let Some(domain) = self.domain.as_ref().filter(|domain| !is_domain(domain)) {
            return Err(E2bError::Domain { domain: domain.clone() });
        }
        self.api = base("api", &self.api)?;
        self.sandbox_url = self.sandbox_url.as_deref().map(|url| base("sandbox_url", url)).transpose()?;
        Ok(self)
    }

    /// The address of the sandbox with this name.
    pub(super) fn sandbox_address(&self, id: &str, told: Option<&str>, port: u16) -> String {
        let domain = told.or(self.domain.as_deref()).unwrap_or(PUBLIC_DOMAIN);
        let usual = || format!("https://{{port}}-{{id}}.{domain}");
        let pattern = self.sandbox_url.clone().unwrap_or_else(usual);
        filled(&pattern, id, port)
    }
}

/// What is wrong with an [`E2bConfig`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum E2bError {
    /// There is no key.
    #[error(
        "E2B needs an access key, and there is none; put the key of your account into the environment variable \
         E2B_API_KEY, or run programs on this machine instead"
    )]
    NoKey,
    /// The key cannot be sent.
    #[error(
        "the E2B key holds line breaks or other characters that no key has; copy it into E2B_API_KEY once more"
    )]
    OddKey,
    /// An address is none.
    #[error("`{field}` of E2B is not an address: {problem}; expected something like {PUBLIC_API}")]
    Address {
        /// Which one.
        field: &'static str,
        /// What is wrong with it. The address itself is not shown: it may hold a password.
        problem: String,
    },
    /// The domain is none.
    #[error("`{domain}` is not a domain of E2B sandboxes; expected something like {PUBLIC_DOMAIN}")]
    Domain {
        /// What was written.
        domain: String,
    },
    /// There is no template.
    #[error("E2B needs the name of a template, such as {PUBLIC_TEMPLATE}")]
    NoTemplate,
}

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text from being shown. Spaces and line breaks around it do not belong to it.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into().trim().to_owned())
    }

    /// For the header that it is sent in, which does not show it either.
    pub(super) fn header(&self) -> Result<HeaderValue, E2bError> {
        if self.0.is_empty() {
            return Err(E2bError::NoKey);
        }
        let is_plain = self.0.bytes().all(|byte| byte.is_ascii_graphic());
        let value = HeaderValue::try_from(&self.0).ok().filter(|_| is_plain);
        let mut value = value.ok_or(E2bError::OddKey)?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// What somebody said, without this in it.
    pub(super) fn taken_out_of(&self, said: &str) -> String {
        if self.0.is_empty() { said.to_owned() } else { said.replace(&self.0, "[redacted:key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret([redacted:key])")
    }
}

/// Whether this can stand in an address behind the name of a sandbox, and nothing else.
pub(super) fn is_domain(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    (1..=253).contains(&text.len()) && text.bytes().all(is_part)
}

/// An address without a slash at its end, if it is one when it is filled in.
fn base(field: &'static str, pattern: &str) -> Result<String, E2bError> {
    let wrong = |problem: String| E2bError::Address { field, problem };
    let url = Url::parse(&filled(pattern, "id", 1)).map_err(|error| wrong(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it begins with neither http:// nor https://".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(wrong("it holds a user, a password or a `?`".to_owned()));
    }
    Ok(pattern.trim_end_matches('/').to_owned())
}

fn filled(pattern: &str, id: &str, port: u16) -> String {
    pattern.replace("{id}", id).replace("{port}", &port.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(change: impl FnOnce(&mut E2bConfig)) -> String {
        let mut config = E2bConfig::new("e2b_0123456789");
        change(&mut config);
        config.checked().unwrap_err().to_string()
    }

    #[test]
    fn a_sandbox_is_where_the_service_says_or_where_it_was_said_to_be() {
        let mut config = E2bConfig::new("key").checked().unwrap();
        assert_eq!(config.sandbox_address("i1", None, 49_999), "https://49999-i1.e2b.app");
        assert_eq!(config.sandbox_address("i1", Some("x.dev"), 49_999), "https://49999-i1.x.dev");
        config.domain = Some("own.example".to_owned());
        assert_eq!(config.sandbox_address("i1", None, 49_999), "https://49999-i1.own.example");
        config.sandbox_url = Some("http://{id}.here:8{port}/".to_owned());
        let config = config.checked().unwrap();
        assert_eq!(config.sandbox_address("i1", Some("x.dev"), 1), "http://i1.here:81");
    }

    #[test]
    fn what_cannot_be_used_is_told_at_once() {
        assert!(wrong(|config| config.key = Secret::new(" \n")).contains("E2B_API_KEY"));
        assert!(wrong(|config| config.key = Secret::new("a\nb")).contains("line breaks"));
        assert!(wrong(|config| config.api = "api.e2b.app".into()).contains("`api` of E2B is not an address"));
        assert!(wrong(|config| config.api = "ftp://api".into()).contains("neither http:// nor https://"));
        assert!(wrong(|config| config.domain = Some("a/b".into())).contains("`a/b` is not a domain"));
        assert!(wrong(|config| config.template = String::new()).contains(PUBLIC_TEMPLATE));
        let with_password = wrong(|config| config.sandbox_url = Some("http://me:hunter2@x".into()));
        assert!(
            with_password.contains("sandbox_url") && !with_password.contains("hunter2"),
            "{with_password}"
        );
    }

    #[test]
    fn the_key_is_shown_nowhere() {
        let config = E2bConfig::new("e2b_0123456789");
        let shown = format!("{config:?} {:?}", config.key.header().unwrap());
        assert!(!shown.contains("0123"), "{shown}");
        assert_eq!(config.key.taken_out_of("bad key e2b_0123456789!"), "bad key [redacted:key]!");
    }
}
