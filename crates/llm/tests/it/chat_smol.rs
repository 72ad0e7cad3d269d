//! One question to a real small model, where its weights are at hand.
use candor_llm::chat::{ChatClient, ChatRequest, Provider, TierConfig, estimate_tokens};
use candor_llm::record::Channel;
use candor_model::Seconds;
use candor_testkit::skips::or_skipped;
use candor_testkit::smol::SmolServer;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_real_model_answers_in_the_shape_that_is_asked_for() {
    let Some(server) = or_skipped(SmolServer::start()) else { return };
    let tier = TierConfig {
        endpoint: Some(server.url().to_owned()),
        timeout: Seconds::whole(60),
        ..TierConfig::new(Provider::OpenAiCompatible, "smollm2")
    };
    let client = ChatClient::new(tier, Channel::Live).unwrap();
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string", "maxLength": 12 }, "big": { "type": "boolean" } },
        "required": ["city", "big"], "additionalProperties": false,
    });
    let request = ChatRequest {
        schema: Some(schema),
        schema_name: "capital".to_owned(),
        ..ChatRequest::new("Answer in JSON.", "What is the capital of France?", 48)
    };
    let answer = client.chat(&request, Seconds::whole(60), None, CancellationToken::new()).await.unwrap();
    let value: Value = serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{answer:?}"));
    assert!(value["city"].is_string() && value["big"].is_boolean(), "{value}");
    assert!(answer.tokens.input > 0 && answer.tokens.output > 0, "{answer:?}");
    let guess = estimate_tokens(&request.system) + estimate_tokens(&request.question) + 24;
    assert!(answer.tokens.input <= guess, "{} tokens, guessed {guess}", answer.tokens.input);
}
