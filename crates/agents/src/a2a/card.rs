//! The card of a remote agent: who it is, what it can do, and where it takes its tasks.
//!
//! A card is the peer's own word. It is read with patience (what is missing is empty), its texts are cut and
//! cleaned, and it does not decide who gets to see an access key.

use std::collections::BTreeSet;

use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

use super::A2aError;
use crate::http::address_of;
use crate::text;

/// Where a card lies if only the agent's address is known.
const WELL_KNOWN: &str = ".well-known/agent-card.json";
/// The one way of speaking that is spoken here.
const BINDING: &str = "JSONRPC";
/// How many skills are looked at.
const MAX_SKILLS: usize = 100;
/// How many words for what it can do are taken, and how many examples.
const MAX_WORDS: usize = 300;
/// How many characters of a name and of a description are kept.
const MAX_NAME_CHARS: usize = 100;
const MAX_TEXT_CHARS: usize = 1_000;

/// What a remote agent says of itself, made fit to be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Described {
    /// What it calls itself.
    pub name: String,
    /// What it is, in words.
    pub description: String,
    /// What it can do, as short names: the ids, names and tags of its skills, each once.
    pub skills: Vec<String>,
    /// What each skill is, in words.
    pub skill_descriptions: Vec<String>,
    /// What it could be asked.
    pub examples: Vec<String>,
    /// Whether it tells how far it is while it works.
    pub streaming: bool,
}

impl Described {
    /// What it is good at, in words: its own description and those of its skills.
    #[must_use]
    pub fn specialization(&self) -> String {
        let said = std::iter::once(&self.description).chain(&self.skill_descriptions);
        let said: Vec<&str> =
            said.map(|text| text.trim_end_matches(['.', ' '])).filter(|text| !text.is_empty()).collect();
        text::head_within(said.join(". ").as_bytes(), MAX_TEXT_CHARS)
    }
}

/// What is needed of a card to speak to its agent.
#[derive(Debug, Clone)]
pub(super) struct Card {
    pub(super) described: Described,
    /// Where it takes its tasks.
    pub(super) endpoint: Url,
    /// What it wants to be told along with everything.
    pub(super) tenant: Option<String>,
    /// Whether it reads data, not only text.
    pub(super) takes_data: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    supported_interfaces: Option<Vec<Interface>>,
    #[serde(default)]
    capabilities: Value,
    #[serde(default)]
    default_input_modes: Option<Vec<String>>,
    #[serde(default)]
    skills: Option<Vec<Skill>>,
    /// Only cards of older versions have it.
    #[serde(default)]
    protocol_version: Option<String>,
    #[serde(default)]
    url: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Interface {
    url: String,
    protocol_binding: String,
    protocol_version: String,
    tenant: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Skill {
    id: Option<String>,
    name: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    examples: Option<Vec<String>>,
}

/// The address of the card, whether this is it or the agent's own.
pub(super) fn card_address(url: &str) -> Result<Url, A2aError> {
    let wrong = |problem: String| A2aError::Url { url: text::head(url.as_bytes()), problem };
    let mut parsed = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(wrong(format!("`{}` is neither http nor https", parsed.scheme())));
    }
    if !parsed.path().ends_with(".json") {
        let path = format!("{}/{WELL_KNOWN}", parsed.path().trim_end_matches('/'));
        parsed.set_path(&path);
    }
    Ok(parsed)
}

/// Reads a card that lay at this address.
pub(super) fn read(at: &Url, bytes: &[u8]) -> Result<Card, A2aError> {
    let card: Written = serde_json::from_slice(bytes).map_err(|error| A2aError::NotACard {
        address: address_of(at),
        problem: error.to_string(),
        said: text::head(bytes),
    })?;
    let (endpoint, tenant) = interface(at, &card)?;
    let reads = |mode: &String| matches!(mode.as_str(), "application/json" | "application/*" | "*/*");
    let takes_data = card.default_input_modes.as_ref().is_none_or(|it| it.is_empty() || it.iter().any(reads));
    Ok(Card { described: describe(&card), endpoint, tenant, takes_data })
}

/// The first way of speaking on the card that is spoken here.
fn interface(at: &Url, card: &Written) -> Result<(Url, Option<String>), A2aError> {
    let offered = card.supported_interfaces.as_deref().unwrap_or_default();
    let spoken = |it: &&Interface| {
        let version = it.protocol_version.trim();
        it.protocol_binding.eq_ignore_ascii_case(BINDING)
            && (version.is_empty() || version.split('.').next() == Some("1"))
    };
    let Some(found) = offered.iter().find(spoken) else {
        return Err(A2aError::Interface { address: address_of(at), offered: offers(card) });
    };
    // An address on the card may be written from where the card lies.
    let endpoint = at.join(&found.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let endpoint = endpoint.ok_or_else(|| A2aError::Interface {
        address: address_of(at),
        offered: format!("{BINDING} at `{}`, which is no address", text::head(found.url.as_bytes())),
    })?;
    Ok((endpoint, found.tenant.clone().filter(|tenant| !tenant.is_empty())))
}

/// What a card offers, in words.
fn offers(card: &Written) -> String {
    let listed: Vec<String> = card
        .supported_interfaces
        .iter()
        .flatten()
        .take(10)
        .map(|it| text::head(format!("{} {}", it.protocol_binding, it.protocol_version).trim().as_bytes()))
        .collect();
    match (&card.url, listed.is_empty()) {
        (_, false) => listed.join(", "),
        (Some(_), true) => {
            let version = card.protocol_version.as_deref().unwrap_or("0.3 or older");
            format!("protocol version {}", text::head(version.as_bytes()))
        }
        (None, true) => "nothing".to_owned(),
    }
}

fn describe(card: &Written) -> Described {
    let skills = || card.skills.iter().flatten().take(MAX_SKILLS);
    let long = |text: &String| text::head_within(text.as_bytes(), MAX_TEXT_CHARS);
    let words =
        skills().flat_map(|skill| skill.id.iter().chain(&skill.name).chain(skill.tags.iter().flatten()));
    let examples = skills().flat_map(|skill| skill.examples.iter().flatten());
    Described {
        name: text::head_within(card.name.as_bytes(), MAX_NAME_CHARS),
        description: card.description.as_ref().map(long).unwrap_or_default(),
        skills: once_each(words),
        skill_descriptions: skills()
            .filter_map(|skill| skill.description.as_ref())
            .map(long)
            .filter(|text| !text.is_empty())
            .collect(),
        examples: examples.take(MAX_WORDS).map(long).filter(|text| !text.is_empty()).collect(),
        streaming: card.capabilities.get("streaming").and_then(Value::as_bool).unwrap_or(false),
    }
}

/// Every word once, whatever its case, in order.
fn once_each<'a>(words: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let words = words.take(MAX_WORDS).map(|word| text::head_within(word.as_bytes(), MAX_NAME_CHARS));
    words.filter(|word| !word.is_empty() && seen.insert(word.to_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn url() -> Url {
        card_address("http://h:1/x/").unwrap()
    }

    #[test]
    fn the_card_is_found_from_either_address() {
        assert_eq!(url().as_str(), "http://h:1/x/.well-known/agent-card.json");
        assert_eq!(card_address("http://h:1").unwrap().as_str(), "http://h:1/.well-known/agent-card.json");
        assert_eq!(
            card_address("https://h/cards/one.json?k=1").unwrap().as_str(),
            "https://h/cards/one.json?k=1"
        );
        for wrong in ["", "h", "ftp://h/x", "file:///etc/passwd"] {
            assert!(card_address(wrong).unwrap_err().to_string().contains("http://127.0.0.1"), "{wrong}");
        }
    }

    #[test]
    fn a_card_is_read_with_patience() {
        let card = json!({ "name": "A\u{1b}[31mB", "supportedInterfaces": [
            { "url": "grpc://h", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
            { "url": "/rpc", "protocolBinding": "jsonrpc", "protocolVersion": "1.0", "tenant": "t" }],
            "skills": [{ "id": "echo", "name": "Echo", "tags": ["repeat"] }, { "description": "Sums." }] });
        let card = read(&url(), card.to_string().as_bytes()).unwrap();
        assert_eq!(card.endpoint.as_str(), "http://h:1/rpc");
        assert_eq!(card.tenant.as_deref(), Some("t"));
        assert_eq!(card.described.name, "AB");
        assert_eq!(card.described.skills, ["echo", "repeat"]);
        assert_eq!(card.described.specialization(), "Sums");
        assert!(card.takes_data && !card.described.streaming);
    }

    #[test]
    fn a_card_that_offers_something_else_is_refused_with_what_it_offers() {
        let told = |card: Value| read(&url(), card.to_string().as_bytes()).unwrap_err().to_string();
        let old = told(
            json!({ "name": "a", "url": "http://h/", "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC" }),
        );
        assert!(old.contains("0.3.0") && old.contains("JSON-RPC"), "{old}");
        let grpc = told(
            json!({ "name": "a", "supportedInterfaces": [{ "url": "h", "protocolBinding": "GRPC", "protocolVersion": "1.0" }] }),
        );
        assert!(grpc.contains("GRPC 1.0"), "{grpc}");
        let next = told(
            json!({ "name": "a", "supportedInterfaces": [{ "url": "h", "protocolBinding": "JSONRPC", "protocolVersion": "2.0" }] }),
        );
        assert!(next.contains("JSONRPC 2.0"), "{next}");
        assert!(told(json!({ "name": "a" })).contains("nothing"));
        assert!(told(json!("<html>")).contains("html"));
    }
}
