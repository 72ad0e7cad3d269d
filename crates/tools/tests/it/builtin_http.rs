//! Fetching pages from a real server on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use candor_model::ToolErrorKind;
use candor_tools::ToolSource;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, LONG, bench_with, call_of, kind};

/// A server that tells which requests it got.
struct Server {
    port: u16,
    requests: Receiver<String>,
}

/// Answers each request by its path; `other` is where `/away` sends on to.
fn serve(other: String) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (other, sender) = (other.clone(), sender.clone());
            std::thread::spawn(move || answer(stream, &other, &sender));
        }
    });
    Server { port, requests }
}

fn answer(mut stream: TcpStream, other: &str, sender: &Sender<String>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or("/").to_owned();
    let _ = sender.send(head.join("\n"));
    let to = |place: &str| {
        format!("HTTP/1.1 302 Found\r\nlocation: {place}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
    };
    let page = |status: &str, body: &str| {
        format!(
            "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let text = match path.as_str() {
        "/near" => to("/page"),
        "/away" => to(other),
        "/round" => to("/round"),
        "/file" => to("file:///etc/passwd"),
        "/large" => page("200 OK", &"x".repeat(1_000_000)),
        "/binary" => page("200 OK", "a\0b"),
        "/gone" => page("404 Not Found", "nothing here"),
        "/slow" => return std::thread::sleep(LONG),
        _ => page("200 OK", "the page"),
    };
    let _ = stream.write_all(text.as_bytes());
}

fn allowed(server: &Server) -> Bench {
    let host = format!("127.0.0.1:{}", server.port);
    bench_with(|config| {
        config.http_hosts = vec![host, "example.org".to_owned()];
        config.max_read_bytes = 10_000;
    })
}

impl Server {
    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn is_untouched(&self) -> bool {
        self.requests.try_recv().is_err()
    }
}

#[tokio::test]
async fn a_page_of_an_allowed_host_is_fetched() {
    let server = serve(String::new());
    let bench = allowed(&server);
    let args = json!({"url": server.url("/page?q=1"), "headers": {"X-Key": "v"}});
    let result = bench.call("http_get", args).await;
    assert_eq!((result.success, result.content.as_str()), (true, "the page"), "{result:?}");
    assert_eq!(result.data.unwrap()["status"], 200);
    let request = server.requests.recv_timeout(LONG).unwrap().to_lowercase();
    assert!(request.starts_with("get /page?q=1 ") && request.contains("x-key: v"), "{request}");
    let result = bench.call("http_get", json!({"url": server.url("/near")})).await;
    assert_eq!(result.content, "the page", "{result:?}");
}

#[tokio::test]
async fn other_hosts_are_refused_before_anything_is_sent() {
    let (server, other) = (serve(String::new()), serve(String::new()));
    let bench = allowed(&server);
    for url in [
        other.url("/page"),
        format!("http://localhost:{}/", server.port),
        "https://example.org:444/".to_owned(),
        "https://example.org.evil.test/".to_owned(),
        "https://evil.test/?example.org".to_owned(),
        "https://example.org@evil.test/".to_owned(),
        format!("http://user:word@127.0.0.1:{}/", server.port),
        "file:///etc/passwd".to_owned(),
        "ftp://example.org/".to_owned(),
    ] {
        let result = bench.call("http_get", json!({"url": url})).await;
        assert_eq!(kind(&result), Some(ToolErrorKind::Denied), "{url}: {result:?}");
    }
    assert!(server.is_untouched() && other.is_untouched());
    let result = bench.call("http_get", json!({"url": "no address"})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::InvalidArguments));
    let result = bench.call("http_get", json!({"url": server.url("/"), "headers": {"Host": "x"}})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::InvalidArguments));
}

#[tokio::test]
async fn nobody_is_sent_on_to_a_host_that_is_not_allowed() {
    let other = serve(String::new());
    let server = serve(other.url("/page"));
    let bench = allowed(&server);
    let result = bench.call("http_get", json!({"url": server.url("/away")})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Denied), "{result:?}");
    assert!(result.error_text().contains("sent on by"), "{result:?}");
    assert!(other.is_untouched());
    let result = bench.call("http_get", json!({"url": server.url("/file")})).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Denied), "{result:?}");
    let result = bench.call("http_get", json!({"url": server.url("/round")})).await;
    assert!(result.error_text().contains("more than 5 times"), "{result:?}");
}

#[tokio::test]
async fn headers_are_not_carried_to_another_host() {
    let other = serve(String::new());
    let server = serve(other.url("/page"));
    let hosts = vec![format!("127.0.0.1:{}", server.port), format!("127.0.0.1:{}", other.port)];
    let bench = bench_with(|config| config.http_hosts = hosts);
    let args = json!({"url": server.url("/away"), "headers": {"Authorization": "secret"}});
    let result = bench.call("http_get", args).await;
    assert_eq!(result.content, "the page", "{result:?}");
    assert!(server.requests.recv_timeout(LONG).unwrap().contains("secret"));
    assert!(!other.requests.recv_timeout(LONG).unwrap().contains("secret"));
}

// spec: beyond BY-09
#[tokio::test]
async fn large_binary_missing_and_slow_pages_are_told() {
    let server = serve(String::new());
    let bench = allowed(&server);
    let result = bench.call("http_get", json!({"url": server.url("/large")})).await;
    assert!(result.success && result.cut && result.content.len() < 10_100);
    let result = bench.call("http_get", json!({"url": server.url("/binary")})).await;
    assert_eq!(result.content, "(3 bytes that are not text)");
    let result = bench.call("http_get", json!({"url": server.url("/gone")})).await;
    assert_eq!((result.success, result.content.as_str()), (false, "nothing here"));
    assert!(result.error_text().contains("404"), "{result:?}");
    let call = call_of("http_get", json!({"url": server.url("/slow")}));
    let result = bench.tools.call(&call, Duration::from_millis(300), CancellationToken::new()).await;
    assert_eq!(kind(&result), Some(ToolErrorKind::Timeout), "{result:?}");
    let stop = CancellationToken::new();
    let asked = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.cancel();
    };
    let (result, ()) = tokio::join!(bench.tools.call(&call, LONG, stop.clone()), asked);
    assert_eq!(kind(&result), Some(ToolErrorKind::Cancelled), "{result:?}");
}

#[tokio::test]
async fn a_host_that_does_not_answer_is_told() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let bench = bench_with(|config| config.http_hosts = vec![format!("127.0.0.1:{port}")]);
    let result = bench.call("http_get", json!({"url": format!("http://127.0.0.1:{port}/")})).await;
    assert!(result.error_text().starts_with("cannot connect to"), "{result:?}");
}
