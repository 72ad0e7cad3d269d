//! A server on loopback that speaks OpenAI's embeddings, well and badly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use candor_embed::{EndpointEmbedder, EndpointError, EndpointOptions};
use candor_model::Money;
use candor_ports::Embedder;
use serde_json::{Value, json};

/// What the server was asked: the head of the request and its body.
type Asked = (String, Value);

/// Serves until the test ends, answering each body with what `answer` makes of it.
fn serve(answer: impl Fn(&Value) -> (u16, String) + Send + 'static) -> (String, Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1/", listener.local_addr().unwrap());
    let (tell, asked) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let request = read(&stream);
            let (status, body) = answer(&request.1);
            let _ = tell.send(request);
            let head =
                format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = (&stream).write_all(head.as_bytes());
            let _ = (&stream).write_all(body.as_bytes());
        }
    });
    (base, asked)
}

fn read(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let start = head.len();
        reader.read_line(&mut head).unwrap();
        let line = head[start..].trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

/// Answers as a good server does, backwards: the order is in the index.
fn good(body: &Value) -> (u16, String) {
    let texts = body["input"].as_array().unwrap();
    let embedded = |(index, text): (usize, &Value)| json!({"object": "embedding", "index": index, "embedding": [text.as_str().unwrap().len(), 0, 0]});
    let data: Vec<Value> = texts.iter().enumerate().rev().map(embedded).collect();
    (200, json!({"data": data, "usage": {"prompt_tokens": 5 * texts.len(), "total_tokens": 1}}).to_string())
}

fn options(base: &str) -> EndpointOptions {
    EndpointOptions {
        endpoint: base.into(),
        name: "e5-small".into(),
        api_key_env: None,
        price_per_million: Money::from_dollars(0.02).unwrap(),
        within: Duration::from_secs(20),
    }
}

fn texts(count: usize) -> Vec<String> {
    (1..=count).map(|length| "x".repeat(length)).collect()
}

async fn complaint(status: u16, body: &'static str) -> String {
    let (base, _asked) = serve(move |_| (status, body.into()));
    let endpoint = EndpointEmbedder::new(options(&base)).unwrap();
    endpoint.embed(&texts(2)).await.unwrap_err().to_string()
}

#[tokio::test]
async fn texts_go_out_in_batches_and_vectors_come_back_in_order() {
    let (base, asked) = serve(good);
    let endpoint = EndpointEmbedder::new(options(&base)).unwrap();
    let vectors = endpoint.embed(&texts(130)).await.unwrap();
    assert_eq!(vectors.len(), 130);
    assert!(vectors.iter().all(|vector| **vector == [1.0, 0.0, 0.0]), "vectors have length 1");
    let asked: Vec<Asked> = asked.try_iter().collect();
    let sizes: Vec<usize> = asked.iter().map(|(_, body)| body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [64, 64, 2]);
    assert!(asked[0].0.starts_with("POST /v1/embeddings "), "{}", asked[0].0);
    assert!(!asked[0].0.to_lowercase().contains("authorization"));
    assert_eq!(asked[0].1["model"], "e5-small");
    let cost = endpoint.cost();
    assert_eq!((cost.calls, cost.tokens, cost.cost.micros()), (3, 650, 13));
}

#[tokio::test]
async fn order_is_that_of_the_index_and_not_of_the_answer() {
    let backwards = r#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,0]}]}"#;
    let (base, _asked) = serve(move |_| (200, backwards.into()));
    let endpoint = EndpointEmbedder::new(options(&base)).unwrap();
    let vectors = endpoint.embed(&texts(2)).await.unwrap();
    assert_eq!((&*vectors[0], &*vectors[1]), ([1.0, 0.0].as_slice(), [0.0, 1.0].as_slice()));
    assert_eq!(endpoint.cost().tokens, 2, "a server that does not count is estimated");
}

#[tokio::test]
async fn the_key_comes_from_the_environment_and_is_not_told() {
    // The one variable that every test process has.
    let variable = "CARGO_MANIFEST_DIR";
    let (base, asked) = serve(good);
    let with_key = |name: &str| EndpointOptions { api_key_env: Some(name.into()), ..options(&base) };
    let endpoint = EndpointEmbedder::new(with_key(variable)).unwrap();
    endpoint.embed(&texts(1)).await.unwrap();
    let key = std::env::var(variable).unwrap();
    assert!(asked.recv().unwrap().0.contains(&format!("Bearer {key}")));
    assert!(!format!("{endpoint:?}").contains(&key));
    let missing = EndpointEmbedder::new(with_key("CANDOR_NO_SUCH_KEY")).unwrap_err();
    assert!(
        matches!(&missing, EndpointError::Key { variable } if variable == "CANDOR_NO_SUCH_KEY"),
        "{missing}"
    );
}

#[tokio::test]
async fn vectors_that_cannot_be_compared_are_errors() {
    // spec: planning SR-12
    let zero = r#"{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,0]}]}"#;
    assert!(complaint(200, zero).await.contains("zero vector"));
    let unequal = r#"{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0,0]}]}"#;
    assert!(complaint(200, unequal).await.contains("unequal dimensions, 2 and 3"));
    let too_few = r#"{"data":[{"index":0,"embedding":[1,0]}]}"#;
    assert!(complaint(200, too_few).await.contains("2 texts were sent and 1 vectors"));
    let twice = r#"{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}"#;
    assert!(complaint(200, twice).await.contains("came back"));
}

#[tokio::test]
async fn what_a_server_complains_of_is_told_with_advice() {
    assert!(complaint(401, "bad key").await.contains("look at the key: bad key"));
    assert!(complaint(404, "").await.contains("model's name"));
    assert!(complaint(429, "slow down").await.contains("try again later"));
    assert!(complaint(200, "<html>").await.contains("something else than embeddings"));
    assert!(complaint(200, "").await.contains("something else than embeddings"));
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let (base, _asked) = serve(|_| (200, " ".repeat(40 << 20)));
    let endpoint = EndpointEmbedder::new(options(&base)).unwrap();
    let error = endpoint.embed(&texts(1)).await.unwrap_err().to_string();
    assert!(error.contains("more than"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_or_silent_is_told_apart() {
    let nobody = EndpointEmbedder::new(options("http://127.0.0.1:1/v1")).unwrap();
    let error = nobody.embed(&texts(1)).await.unwrap_err().to_string();
    assert!(error.contains("is the server running"), "{error}");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", silent.local_addr().unwrap());
    let within = Duration::from_millis(200);
    let silent = EndpointEmbedder::new(EndpointOptions { within, ..options(&base) }).unwrap();
    let error = silent.embed(&texts(1)).await.unwrap_err().to_string();
    assert!(error.contains("did not answer within 0.2 s"), "{error}");
}

#[test]
fn an_address_that_is_none_is_refused() {
    for wrong in ["", "localhost", "ftp://host/v1", "http://"] {
        let error = EndpointEmbedder::new(options(wrong)).unwrap_err();
        assert!(matches!(error, EndpointError::Address { .. }), "{wrong}: {error}");
    }
}
