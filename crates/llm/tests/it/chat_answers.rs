//! Good answers over a real socket, in every provider's form.

use crate::chat_support::{KEY, ask, ask_streaming, client, question, tier};
use candor_llm::chat::{ChatAnswer, ChatRequest, Provider, TierConfig};
use candor_model::{Seconds, TokenUse};
use candor_testkit::model_server::{Finish, ModelServer, Reply, Usage};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const ALL: [Provider; 4] =
    [Provider::Anthropic, Provider::OpenAi, Provider::OpenAiCompatible, Provider::Gemini];

#[tokio::test]
async fn every_provider_answers_whole_and_as_a_stream() {
    // spec: orchestrator AG-05
    let server = ModelServer::start().unwrap();
    server.answer("Un café, s'il vous plaît.");
    for provider in ALL {
        let client = client(tier(provider, &server));
        let whole = ask(&client).await.unwrap();
        let (streamed, heard) = ask_streaming(&client).await;
        let tokens = TokenUse { input: 12, output: 5, ..TokenUse::default() };
        let expected =
            ChatAnswer { text: "Un café, s'il vous plaît.".to_owned(), tokens, truncated: false };
        assert_eq!(whole, expected, "{provider}");
        assert_eq!(streamed.unwrap(), expected, "{provider}");
        assert!(heard.len() > 1, "{provider}: {heard:?}");
        assert_eq!(heard.concat(), expected.text, "{provider}");
    }
}

#[tokio::test]
async fn the_key_travels_in_the_providers_own_header() {
    let server = ModelServer::start().unwrap();
    for (provider, header, value) in [
        (Provider::Anthropic, "x-api-key", KEY.to_owned()),
        (Provider::OpenAi, "authorization", format!("Bearer {KEY}")),
        (Provider::Gemini, "x-goog-api-key", KEY.to_owned()),
    ] {
        ask(&client(tier(provider, &server))).await.unwrap();
        let seen = server.seen().pop().unwrap();
        assert_eq!(seen.headers[header], value);
        assert!(!seen.path.contains(KEY) && !seen.body.to_string().contains(KEY), "{provider}");
    }
    ask(&client(tier(Provider::OpenAiCompatible, &server))).await.unwrap();
    assert!(!server.seen().pop().unwrap().headers.contains_key("authorization"));
}

#[tokio::test]
async fn cached_tokens_are_counted_once_and_priced_apart() {
    // spec: orchestrator PC-04
    let server = ModelServer::start().unwrap();
    let usage = Usage { input: 100, output: 10, cached_read: 10_000, cached_write: 0 };
    server.script(vec![Reply::text("ok").with_usage(usage)]);
    let expected = TokenUse { input: 100, output: 10, cached_read: 10_000, cached_write: 0 };
    for provider in ALL {
        let client = client(tier(provider, &server));
        assert_eq!(ask(&client).await.unwrap().tokens, expected, "{provider}");
        assert_eq!(ask_streaming(&client).await.0.unwrap().tokens, expected, "{provider}, streamed");
    }
    let written = Usage { cached_read: 0, cached_write: 2_000, ..usage };
    server.script(vec![Reply::text("ok").with_usage(written)]);
    let client = client(tier(Provider::Anthropic, &server));
    let tokens = ask(&client).await.unwrap().tokens;
    assert_eq!((tokens.input, tokens.cached_write), (100, 2_000));
    assert_eq!(client.tier().token_price().cost(&tokens).micros(), 300 + 150 + 7_500);
}

#[tokio::test]
async fn only_a_long_stable_prefix_is_marked_for_the_cache() {
    // spec: orchestrator PC-01 PC-02
    let server = ModelServer::start().unwrap();
    let client = client(tier(Provider::Anthropic, &server));
    for (letters, marked) in [(1023 * 4, false), (1024 * 4, true)] {
        let long = ChatRequest::new("é".repeat(letters), "q".repeat(9_000), 8);
        client.chat(&long, Seconds::whole(20), None, CancellationToken::new()).await.unwrap();
        let body = server.seen().pop().unwrap().body;
        assert_eq!(
            body.pointer("/system/0/cache_control"),
            marked.then_some(&json!({ "type": "ephemeral" }))
        );
        assert!(!body["messages"].to_string().contains("cache_control"));
    }
    let both = server.seen();
    let system = |body: &Value| body["system"].clone();
    let again = ChatRequest::new("é".repeat(4096), "another question", 8);
    client.chat(&again, Seconds::whole(20), None, CancellationToken::new()).await.unwrap();
    assert_eq!(system(&server.seen().pop().unwrap().body), system(&both[1].body));
}

#[tokio::test]
async fn providers_without_a_cache_mark_get_none_and_show_zero() {
    // spec: orchestrator PC-03
    let server = ModelServer::start().unwrap();
    for provider in [Provider::OpenAi, Provider::OpenAiCompatible, Provider::Gemini] {
        let client = client(tier(provider, &server));
        let long = ChatRequest::new("s".repeat(9_000), "q", 8);
        let answer = client.chat(&long, Seconds::whole(20), None, CancellationToken::new()).await.unwrap();
        assert_eq!((answer.tokens.cached_read, answer.tokens.cached_write), (0, 0));
        assert!(!server.seen().pop().unwrap().body.to_string().contains("cache_control"), "{provider}");
    }
}

#[tokio::test]
async fn an_answer_at_its_limit_says_that_it_is_cut() {
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::text("{\"half\": ").with_finish(Finish::Length)]);
    for provider in ALL {
        let client = client(tier(provider, &server));
        assert!(ask(&client).await.unwrap().truncated, "{provider}");
        assert!(ask_streaming(&client).await.0.unwrap().truncated, "{provider}, streamed");
    }
}

#[tokio::test]
async fn an_empty_answer_is_an_answer_without_words() {
    let server = ModelServer::start().unwrap();
    server.answer("");
    for provider in ALL {
        let client = client(tier(provider, &server));
        assert_eq!(ask(&client).await.unwrap().text, "", "{provider}");
        let (streamed, heard) = ask_streaming(&client).await;
        assert_eq!((streamed.unwrap().text.as_str(), heard.len()), ("", 0), "{provider}");
    }
}

#[tokio::test]
async fn a_second_try_tells_the_model_what_was_wrong() {
    // spec: orchestrator FD-01
    let server = ModelServer::start().unwrap();
    for provider in ALL {
        let again = |answer: &str| ChatRequest {
            earlier: Some((answer.to_owned(), "That is not JSON.".to_owned())),
            ..question()
        };
        let client = client(tier(provider, &server));
        client.chat(&again("nonsense"), Seconds::whole(20), None, CancellationToken::new()).await.unwrap();
        let words: Vec<_> =
            server.seen().pop().unwrap().messages().into_iter().map(|(_, words)| words).collect();
        assert_eq!(
            words,
            ["You are brief.", "Say something.", "nonsense", "That is not JSON."],
            "{provider}"
        );
        client.chat(&again(" "), Seconds::whole(20), None, CancellationToken::new()).await.unwrap();
        let seen = server.seen().pop().unwrap().messages();
        assert_eq!(seen.len(), 2, "{provider}: {seen:?}");
    }
}

#[tokio::test]
async fn the_schema_goes_where_the_provider_keeps_to_it() {
    let server = ModelServer::start().unwrap();
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let request =
        ChatRequest { schema: Some(schema.clone()), schema_name: "parse goal!".to_owned(), ..question() };
    let body = async |tier: TierConfig| {
        client(tier).chat(&request, Seconds::whole(20), None, CancellationToken::new()).await.unwrap();
        server.seen().pop().unwrap().body
    };
    let openai = body(tier(Provider::OpenAi, &server)).await;
    let format = &openai["response_format"]["json_schema"];
    assert_eq!((&format["name"], &format["strict"]), (&json!("parsegoal"), &json!(true)));
    assert_eq!(format["schema"]["required"], json!(["n"]));
    assert_eq!(format["schema"]["properties"]["n"]["type"], json!(["integer", "null"]));
    assert_eq!((&openai["max_completion_tokens"], &openai["temperature"]), (&json!(64), &json!(0.0)));
    let own = body(tier(Provider::OpenAiCompatible, &server)).await;
    assert_eq!((&own["response_format"]["json_schema"]["schema"], &own["max_tokens"]), (&schema, &json!(64)));
    let gemini = body(tier(Provider::Gemini, &server)).await;
    assert_eq!(gemini["generationConfig"]["responseJsonSchema"], schema);
    let anthropic = body(tier(Provider::Anthropic, &server)).await;
    assert!(anthropic.get("tools").is_none());
    let forced = TierConfig { structured: Some(true), ..tier(Provider::Anthropic, &server) };
    assert_eq!(body(forced).await["tools"][0]["input_schema"], schema);
    let plain = TierConfig { structured: Some(false), ..tier(Provider::OpenAi, &server) };
    assert!(body(plain).await.get("response_format").is_none());
    let reasoning = TierConfig { model: "o3-mini".to_owned(), ..tier(Provider::OpenAi, &server) };
    assert!(body(reasoning).await.get("temperature").is_none());
}

#[tokio::test]
async fn a_server_that_cannot_stream_is_heard_at_once() {
    let server = ModelServer::start().unwrap();
    let whole = json!({ "choices": [{ "message": { "content": "all of it" }, "finish_reason": "stop" }] });
    server.script(vec![Reply::body(whole.to_string())]);
    let (answer, heard) = ask_streaming(&client(tier(Provider::OpenAiCompatible, &server))).await;
    assert_eq!((answer.unwrap().text.as_str(), heard), ("all of it", vec!["all of it".to_owned()]));
}

#[tokio::test]
async fn a_probe_says_whether_how_fast_and_at_what_price() {
    let server = ModelServer::start().unwrap();
    let probe = client(tier(Provider::Anthropic, &server)).probe().await;
    assert!(probe.answered && probe.problem.is_none());
    assert_eq!(probe.cost.micros(), 12 * 3 + 5 * 15);
    assert!(server.seen()[0].says("ready") && server.seen()[0].body["max_tokens"] == json!(8));
}
