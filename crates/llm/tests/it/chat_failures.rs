//! Everything that can go wrong on a real socket: its kind, its message, and how soon it ends.

use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::chat_support::{KEY, ask, ask_streaming, client, priced, question, tier};
use candor_llm::chat::{ChatClient, Provider, TierConfig};
use candor_llm::record::Channel;
use candor_model::{ModelErrorKind as Kind, ModelFailure, Seconds};
use candor_testkit::model_server::{Cut, Fault, Finish, ModelServer, Reply};
use tokio_util::sync::CancellationToken;

const FORMS: [Provider; 3] = [Provider::Anthropic, Provider::OpenAi, Provider::Gemini];

/// Asks whole and as a stream: the failure must be of the same kind.
async fn failure(tier: TierConfig) -> ModelFailure {
    let client = client(tier);
    let whole = ask(&client).await.unwrap_err();
    let streamed = ask_streaming(&client).await.0.unwrap_err();
    assert_eq!(streamed.kind, whole.kind, "{streamed}");
    for failure in [&whole, &streamed] {
        assert!(!failure.message.contains(KEY), "{failure}");
    }
    whole
}

#[tokio::test]
async fn no_key_names_the_variable_to_set() {
    // spec: orchestrator FD-02
    for (provider, variable) in [
        (Provider::Anthropic, "ANTHROPIC_API_KEY"),
        (Provider::OpenAi, "OPENAI_API_KEY"),
        (Provider::Gemini, "GEMINI_API_KEY"),
    ] {
        for nothing in [None, Some("  ".to_owned())] {
            let environment = |_: &str| nothing.clone();
            let client = ChatClient::with_environment(priced(provider), Channel::Live, &environment).unwrap();
            let failure = ask(&client).await.unwrap_err();
            assert_eq!(failure.kind, Kind::Auth);
            assert!(
                failure.message.contains(variable) && failure.message.contains("api_key_env"),
                "{failure}"
            );
        }
    }
}

#[tokio::test]
async fn each_refusal_has_its_kind_and_says_what_to_do() {
    // spec: orchestrator FD-02
    let server = ModelServer::start().unwrap();
    for provider in FORMS {
        for (fault, kind, hint) in [
            (Fault::WrongKey, Kind::Auth, "API_KEY"),
            (Fault::Forbidden, Kind::Auth, "rights"),
            (Fault::UnknownModel, Kind::UnknownModel, "scripted-1"),
            (Fault::ContextTooLong, Kind::ContextTooLong, "shorten"),
            (Fault::ContentFilter, Kind::ContentFilter, "differently"),
            (Fault::BadRequest, Kind::Protocol, "settings"),
            (Fault::RateLimit, Kind::RateLimit, "again"),
            (Fault::Server, Kind::Transient, "later"),
            (Fault::Overloaded, Kind::Transient, "later"),
        ] {
            server.script(vec![Reply::fault(fault)]);
            let failure = failure(tier(provider, &server)).await;
            assert_eq!(failure.kind, kind, "{provider} {fault:?}: {failure}");
            assert!(failure.message.contains(hint), "{provider} {fault:?}: {failure}");
        }
    }
    server.script(vec![Reply::fault(Fault::WrongKey).with_status(400)]);
    assert_eq!(failure(tier(Provider::Gemini, &server)).await.kind, Kind::Auth);
}

#[tokio::test]
async fn an_error_under_the_status_of_a_success_is_an_error() {
    let server = ModelServer::start().unwrap();
    for (provider, fault, kind) in [
        (Provider::OpenAi, Fault::ContextTooLong, Kind::ContextTooLong),
        (Provider::Anthropic, Fault::Overloaded, Kind::Transient),
        (Provider::Gemini, Fault::RateLimit, Kind::RateLimit),
    ] {
        server.script(vec![Reply::fault(fault).with_status(200)]);
        assert_eq!(failure(tier(provider, &server)).await.kind, kind, "{provider}");
    }
}

#[tokio::test]
async fn an_answer_that_the_filter_stopped_is_none() {
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::text("half").with_finish(Finish::ContentFilter)]);
    for provider in FORMS {
        assert_eq!(failure(tier(provider, &server)).await.kind, Kind::ContentFilter, "{provider}");
    }
}

#[tokio::test]
async fn a_rate_limit_says_when_to_come_again() {
    // spec: orchestrator FD-02
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::rate_limit("7")]);
    for provider in FORMS {
        assert_eq!(failure(tier(provider, &server)).await.retry_after, Some(Seconds::whole(7)), "{provider}");
    }
    let soon = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 30;
    let date = jiff::Timestamp::from_second(i64::try_from(soon).unwrap()).unwrap();
    let date = jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&date).unwrap();
    server.script(vec![Reply::rate_limit(date)]);
    let wait = failure(tier(Provider::OpenAi, &server)).await.retry_after.unwrap().get();
    assert!((25.0..=30.0).contains(&wait), "{wait}");
}

#[tokio::test]
async fn an_endpoint_that_is_down_may_come_back() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let failure = failure(TierConfig { endpoint: Some(endpoint.clone()), ..priced(Provider::OpenAi) }).await;
    assert_eq!(failure.kind, Kind::Transient);
    assert!(failure.message.contains(&endpoint) && failure.message.contains("running"), "{failure}");
}

#[tokio::test]
async fn plain_http_behind_https_is_a_matter_of_tls() {
    let server = ModelServer::start().unwrap();
    let endpoint = server.openai_url().replace("http://", "https://");
    let failure = failure(TierConfig { endpoint: Some(endpoint), ..priced(Provider::OpenAi) }).await;
    assert_eq!(failure.kind, Kind::Tls, "{failure}");
    assert!(failure.message.contains("http://"), "{failure}");
}

#[tokio::test]
async fn a_server_that_hangs_up_on_tls_is_a_matter_of_tls_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("https://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten().take(2) {
            let _ = stream.read(&mut [0; 1024]);
        }
    });
    let failure = failure(TierConfig { endpoint: Some(endpoint), ..priced(Provider::OpenAi) }).await;
    assert_eq!(failure.kind, Kind::Tls, "{failure}");
}

/// What a call may have taken of an answer that is far too long: the limit, and what lay on the way.
const TAKEN: u64 = 16_000_000;

#[tokio::test]
async fn fifty_megabytes_are_not_read() {
    for reply in [Reply::huge(50_000_000), Reply::endless(), Reply::body("x".repeat(50_000_000))] {
        for provider in FORMS {
            let server = ModelServer::start().unwrap();
            server.script(vec![reply.clone()]);
            let failure = ask(&client(tier(provider, &server))).await.unwrap_err();
            assert_eq!(failure.kind, Kind::TooLarge, "{provider}");
            assert!(failure.message.contains("2 MB"), "{failure}");
            assert!(server.sent() < TAKEN, "{provider}: {}", server.sent());
        }
    }
}

#[tokio::test]
async fn fifty_megabytes_are_not_heard_either() {
    let one_event = Reply::body(format!("data: {}", "x".repeat(50_000_000))).with_media("text/event-stream");
    for reply in [Reply::huge(50_000_000), Reply::endless(), one_event] {
        for provider in FORMS {
            let server = ModelServer::start().unwrap();
            server.script(vec![reply.clone()]);
            let (outcome, heard) = ask_streaming(&client(tier(provider, &server))).await;
            assert_eq!(outcome.unwrap_err().kind, Kind::TooLarge, "{provider}, streamed");
            assert!(heard.concat().len() < 3_000_000 && server.sent() < TAKEN, "{provider}");
        }
    }
}

#[tokio::test]
async fn a_huge_refusal_is_cut_and_still_understood() {
    let server = ModelServer::start().unwrap();
    let body = format!("{{\"error\":{{\"message\":\"{}\"}}}}", "no ".repeat(15_000_000));
    server.script(vec![Reply::body(body).with_status(401)]);
    let failure = ask(&client(tier(Provider::OpenAi, &server))).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Auth);
    assert!(failure.message.len() < 1_000, "{}", failure.message.len());
    assert!(server.sent() < TAKEN, "{}", server.sent());
}

#[tokio::test]
async fn a_dropped_connection_may_hold_next_time() {
    let server = ModelServer::start().unwrap();
    for cut in [Cut::BeforeHeaders, Cut::MidBody] {
        server.script(vec![Reply::text("one two three four").with_cut(cut)]);
        for provider in FORMS {
            assert_eq!(failure(tier(provider, &server)).await.kind, Kind::Transient, "{provider} {cut:?}");
        }
    }
}

#[tokio::test]
async fn a_stream_without_the_end_of_its_answer_was_cut() {
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::text("one two").with_cut(Cut::BeforeEnd)]);
    for provider in FORMS {
        let (outcome, heard) = ask_streaming(&client(tier(provider, &server))).await;
        assert_eq!(outcome.unwrap_err().kind, Kind::Transient, "{provider}");
        assert_eq!(heard.concat(), "one two");
    }
}

#[tokio::test]
async fn an_event_in_no_known_form_is_quoted() {
    let server = ModelServer::start().unwrap();
    for (body, kind) in
        [("data: {half\n\n", Kind::Protocol), ("no event\n\n", Kind::Transient), ("", Kind::Transient)]
    {
        server.script(vec![Reply::body(body).with_media("text/event-stream; charset=utf-8")]);
        for provider in FORMS {
            let (outcome, _) = ask_streaming(&client(tier(provider, &server))).await;
            assert_eq!(outcome.unwrap_err().kind, kind, "{provider} {body}");
        }
    }
}

#[tokio::test]
async fn a_body_in_no_known_form_is_quoted() {
    let server = ModelServer::start().unwrap();
    for body in
        ["{\"choices\": [", "<html>502</html>", "", "[]", "null", "{}", "{\"choices\": []}", "\u{0}\u{7f}"]
    {
        server.script(vec![Reply::body(body)]);
        for provider in FORMS {
            let failure = failure(tier(provider, &server)).await;
            assert_eq!(failure.kind, Kind::Protocol, "{provider} {body}: {failure}");
            assert!(failure.message.contains("endpoint"), "{failure}");
        }
    }
    server.script(vec![Reply::body("<html>")]);
    assert!(failure(tier(Provider::OpenAi, &server)).await.message.contains("<html>"));
}

#[tokio::test]
async fn a_slow_model_is_left_at_the_deadline() {
    // spec: orchestrator FD-02
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::text("late").after(Duration::from_secs(30))]);
    let client = client(tier(Provider::OpenAi, &server));
    let started = Instant::now();
    let outcome = client.chat(&question(), Seconds::from_millis(200), None, CancellationToken::new()).await;
    assert_eq!(outcome.unwrap_err().kind, Kind::Timeout);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn the_tiers_own_limit_holds_within_a_longer_one_and_in_a_stream() {
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::endless().part_every(Duration::from_millis(20))]);
    let short = TierConfig { timeout: Seconds::from_millis(300), ..tier(Provider::Anthropic, &server) };
    let started = Instant::now();
    let (outcome, heard) = ask_streaming(&client(short)).await;
    assert_eq!(outcome.unwrap_err().kind, Kind::Timeout);
    assert!(!heard.is_empty() && started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn an_order_to_stop_ends_the_call() {
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::text("late").after(Duration::from_secs(30))]);
    let client = client(tier(Provider::Gemini, &server));
    let stop = CancellationToken::new();
    let trigger = stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        trigger.cancel();
    });
    let started = Instant::now();
    let failure = client.chat(&question(), Seconds::whole(20), None, stop).await.unwrap_err();
    assert!(failure.message.contains("stopped"), "{failure}");
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn no_more_calls_are_under_way_than_the_tier_allows() {
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::text("ok").after(Duration::from_millis(300))]);
    let narrow = TierConfig { max_concurrent: 1, ..tier(Provider::OpenAi, &server) };
    let client = client(narrow);
    let started = Instant::now();
    let (first, second) = tokio::join!(ask(&client), ask(&client));
    assert!(first.is_ok() && second.is_ok());
    assert!(started.elapsed() >= Duration::from_millis(600), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_provider_that_repeats_the_key_does_not_make_us_repeat_it() {
    let server = ModelServer::start().unwrap();
    let body = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}\"}}}}");
    for status in [401, 400, 500, 200] {
        server.script(vec![Reply::body(body.clone()).with_status(status)]);
        for provider in FORMS {
            let failure = failure(tier(provider, &server)).await;
            assert!(failure.message.contains("[redacted:key]"), "{failure}");
        }
    }
    let shown = format!("{:?}", client(tier(Provider::OpenAi, &server)));
    assert!(!shown.contains(KEY), "{shown}");
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_named_and_not_shown() {
    let bad = "abc\ndefghijkl";
    let client =
        ChatClient::with_environment(priced(Provider::OpenAi), Channel::Live, &|_| Some(bad.to_owned()));
    let failure = ask(&client.unwrap()).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Auth);
    assert!(
        failure.message.contains("OPENAI_API_KEY") && !failure.message.contains("defghijkl"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let (server, other) = (ModelServer::start().unwrap(), ModelServer::start().unwrap());
    server.script(vec![Reply::redirect(format!("{}chat/completions", other.openai_url()))]);
    let failure = failure(tier(Provider::OpenAi, &server)).await;
    assert_eq!((failure.kind, other.seen().len()), (Kind::Protocol, 0));
    assert!(failure.message.contains("elsewhere"), "{failure}");
}
