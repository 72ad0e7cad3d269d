//! What the tests of the chat client share.
use std::sync::{Arc, Mutex};

use candor_llm::chat::{ChatAnswer, ChatClient, ChatRequest, Day, Price, Provider, TierConfig};
use candor_llm::record::Channel;
use candor_model::{ModelFailure, Money, Seconds};
use candor_ports::Words;
use candor_testkit::model_server::ModelServer;
use tokio_util::sync::CancellationToken;

/// The key of every test. No message and no file may hold it.
pub(crate) const KEY: &str = "test-key-that-nobody-may-see-0123456789";

/// A tier with a price that points to a server.
pub(crate) fn tier(provider: Provider, server: &ModelServer) -> TierConfig {
    let endpoint = match provider {
        Provider::Anthropic => server.anthropic_url(),
        Provider::OpenAi | Provider::OpenAiCompatible => server.openai_url(),
        Provider::Gemini => server.gemini_url(),
    };
    TierConfig { endpoint: Some(endpoint), ..priced(provider) }
}

/// A tier with a price.
pub(crate) fn priced(provider: Provider) -> TierConfig {
    let price = Price {
        input: Money::from_dollars(3.0).unwrap(),
        output: Money::from_dollars(15.0).unwrap(),
        cached_read: None,
        cached_write: Some(Money::from_dollars(3.75).unwrap()),
        as_of: Day::new("2026-11-01").unwrap(),
    };
    TierConfig { price: Some(price), ..TierConfig::new(provider, "scripted-1") }
}

/// A live client whose key is in its environment.
pub(crate) fn client(tier: TierConfig) -> ChatClient {
    client_on(tier, Channel::Live)
}

/// A client whose key is in its environment.
pub(crate) fn client_on(tier: TierConfig, channel: Channel) -> ChatClient {
    ChatClient::with_environment(tier, channel, &|_| Some(KEY.to_owned())).unwrap()
}

/// A small question.
pub(crate) fn question() -> ChatRequest {
    ChatRequest::new("You are brief.", "Say something.", 64)
}

/// Asks within a generous time.
pub(crate) async fn ask(client: &ChatClient) -> Result<ChatAnswer, ModelFailure> {
    client.chat(&question(), Seconds::whole(20), None, CancellationToken::new()).await
}

/// Asks, and listens to the words as they come.
pub(crate) async fn ask_streaming(client: &ChatClient) -> (Result<ChatAnswer, ModelFailure>, Vec<String>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&heard);
    let words: Words = Arc::new(move |text| ears.lock().unwrap().push(text.to_owned()));
    let outcome = client.chat(&question(), Seconds::whole(20), Some(words), CancellationToken::new()).await;
    let heard = heard.lock().unwrap().clone();
    (outcome, heard)
}
