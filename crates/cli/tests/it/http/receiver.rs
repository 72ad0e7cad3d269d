//! A receiver of posts on a real socket, which keeps what it gets and answers as it is told.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// What was posted.
#[derive(Debug, Clone)]
pub struct Post {
    pub path: String,
    /// Their names in small letters.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Post {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A receiver on a port of its own.
pub struct Receiver {
    pub url: String,
    posts: Arc<Mutex<Vec<Post>>>,
    answer: Arc<Mutex<String>>,
}

impl Receiver {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (posts, answer) = (Arc::default(), Arc::new(Mutex::new("200 OK".to_owned())));
        let receiver = Self { url, posts: Arc::clone(&posts), answer: Arc::clone(&answer) };
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (posts, answer) = (Arc::clone(&posts), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &posts, &answer));
            }
        });
        receiver
    }

    /// Answers with this status line, and headers after it, from now on.
    pub fn answers(&self, status: &str) {
        *self.answer.lock().unwrap() = status.to_owned();
    }

    pub fn posts(&self) -> Vec<Post> {
        self.posts.lock().unwrap().clone()
    }

    pub fn ids(&self) -> Vec<String> {
        self.posts().iter().map(|post| post.headers["webhook-id"].clone()).collect()
    }
}

fn serve(stream: TcpStream, posts: &Mutex<Vec<Post>>, answer: &Mutex<String>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let _ = reader.read_line(&mut line);
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() || path.is_empty() {
        return;
    }
    posts.lock().unwrap().push(Post { path, headers, body });
    let status = answer.lock().unwrap().clone();
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let _ = reader.get_mut().write_all(answer.as_bytes());
}
