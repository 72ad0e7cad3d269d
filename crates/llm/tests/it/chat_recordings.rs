//! Recordings: what is kept, and that it comes back byte for byte.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::chat_support::{KEY, ask, ask_streaming, client_on, priced, question, tier};
use candor_llm::chat::{ChatClient, ChatRequest, Provider, TierConfig};
use candor_llm::record::{Channel, Recorder, Replayer};
use candor_model::{ModelErrorKind, Seconds};
use candor_testkit::model_server::{Fault, ModelServer, Reply, Usage};
use tokio_util::sync::CancellationToken;

fn recording(dir: &Path) -> Channel {
    Channel::Recording(Arc::new(Recorder::new(dir).unwrap()))
}

fn replaying(dir: &Path) -> Channel {
    Channel::Replaying(Arc::new(Replayer::new(dir).unwrap()))
}

/// A client without key and network.
fn offline(tier: TierConfig, dir: &Path) -> ChatClient {
    let nowhere = TierConfig { endpoint: Some("http://127.0.0.1:1/".to_owned()), ..tier };
    ChatClient::with_environment(nowhere, replaying(dir), &|_| None).unwrap()
}

#[tokio::test]
async fn what_was_recorded_is_played_back_without_key_or_network() {
    let dir = tempfile::tempdir().unwrap();
    let server = ModelServer::start().unwrap();
    let usage = Usage { input: 1, output: 2, cached_read: 3, cached_write: 4 };
    server.script(vec![
        Reply::text("first \u{1f600}\r\n\t \"quoted\"").with_usage(usage),
        Reply::text("second"),
        Reply::rate_limit("9"),
    ]);
    let live = client_on(tier(Provider::Anthropic, &server), recording(dir.path()));
    let mut recorded = Vec::new();
    for _ in 0..3 {
        recorded.push(ask(&live).await);
    }
    assert_eq!(recorded[2].as_ref().unwrap_err().retry_after, Some(Seconds::whole(9)));
    assert_eq!(recorded[0].as_ref().unwrap().tokens.cached_read, 3);
    let again = offline(priced(Provider::Anthropic), dir.path());
    for expected in &recorded {
        assert_eq!(&ask(&again).await, expected);
    }
    assert_eq!(server.seen().len(), 3);
    let streamed = offline(priced(Provider::Anthropic), dir.path());
    let (answer, heard) = ask_streaming(&streamed).await;
    assert_eq!(answer.unwrap().text, heard.concat());
}

#[tokio::test]
async fn a_missing_recording_says_which_step_it_lacks() {
    let dir = tempfile::tempdir().unwrap();
    let client = offline(priced(Provider::OpenAi), dir.path());
    let request = ChatRequest { schema_name: "parse_goal".to_owned(), ..question() };
    let failure = client.chat(&request, Seconds::whole(1), None, CancellationToken::new()).await.unwrap_err();
    assert_eq!(failure.kind, ModelErrorKind::Protocol);
    assert!(failure.message.contains("parse_goal") && failure.message.contains("lacks"), "{failure}");
    assert!(Replayer::new(dir.path().join("nowhere")).unwrap_err().contains("nowhere"));
}

#[tokio::test]
async fn secrets_are_in_no_recording_and_the_recording_is_still_found() {
    let dir = tempfile::tempdir().unwrap();
    let server = ModelServer::start().unwrap();
    let secret = "sk-ant-api03-abcdefghijklmnop123456";
    server.script(vec![
        Reply::text(format!("your key is {secret} or {KEY}")),
        Reply::body(format!("{{\"error\":\"bad key {KEY}\"}}")).with_status(401),
    ]);
    let live = client_on(tier(Provider::OpenAi, &server), recording(dir.path()));
    let request = ChatRequest::new("system", format!("my key is {secret}, password=hunter22"), 8);
    let chat = async |client: &ChatClient| {
        client.chat(&request, Seconds::whole(20), None, CancellationToken::new()).await
    };
    let recorded = [chat(&live).await, chat(&live).await];
    let files: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 2);
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        for hidden in [secret, KEY, "hunter22"] {
            assert!(!text.contains(hidden), "{text}");
        }
        assert!(text.contains("duration_seconds"), "{text}");
        assert!(file.file_name().unwrap().to_str().unwrap().starts_with(&live.digest(&request)));
    }
    let again = offline(priced(Provider::OpenAi), dir.path());
    assert_eq!([chat(&again).await, chat(&again).await], recorded);
    assert_eq!(recorded[0].as_ref().unwrap().text, "your key is [redacted:anthropic_key] or [redacted:key]");
}

#[tokio::test]
async fn a_recording_that_was_touched_is_refused_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::fault(Fault::Server)]);
    let _ = ask(&client_on(tier(Provider::OpenAi, &server), recording(dir.path()))).await;
    let file = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
    fs::write(&file, "{ \"provider\": \"acme\" }").unwrap();
    let failure = ask(&offline(priced(Provider::OpenAi), dir.path())).await.unwrap_err();
    assert_eq!(failure.kind, ModelErrorKind::Protocol);
    assert!(failure.message.contains("provider") && failure.message.contains(".json"), "{failure}");
}

#[tokio::test]
async fn a_recording_that_cannot_be_kept_costs_no_answer() {
    // spec: orchestrator FD-07
    let dir = tempfile::tempdir().unwrap();
    let recorder = Arc::new(Recorder::new(dir.path().join("gone")).unwrap());
    fs::remove_dir(dir.path().join("gone")).unwrap();
    let server = ModelServer::start().unwrap();
    let client = client_on(tier(Provider::OpenAi, &server), Channel::Recording(Arc::clone(&recorder)));
    assert_eq!((ask(&client).await.unwrap().text.as_str(), server.seen().len()), ("ready", 1));
    assert!(recorder.problem().is_some_and(|problem| problem.contains("gone")));
    assert!(Recorder::new("/dev/null/x").unwrap_err().contains("/dev/null/x"));
}

#[tokio::test]
async fn a_second_recording_goes_on_after_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let server = ModelServer::start().unwrap();
    for text in ["one", "two"] {
        server.answer(text);
        ask(&client_on(tier(Provider::Gemini, &server), recording(dir.path()))).await.unwrap();
    }
    let again = offline(priced(Provider::Gemini), dir.path());
    assert_eq!(ask(&again).await.unwrap().text, "one");
    assert_eq!(ask(&again).await.unwrap().text, "two");
}
