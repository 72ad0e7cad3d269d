//! Vectors are computed once: for an hour, for the life of a process, and between processes.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_embed::cache::Clock;
use candor_embed::{CacheOptions, CachedEmbedder, VectorFile};
use candor_model::Money;
use candor_ports::{BoxFuture, EmbedError, Embedder, Vector, Vectors};

/// Embeds a text by its letters, and counts how often it is asked.
#[derive(Default)]
struct Counting {
    calls: AtomicUsize,
    texts: Mutex<Vec<String>>,
}

impl Counting {
    fn seen(&self) -> usize {
        self.texts.lock().unwrap().len()
    }
}

impl Vectors for Counting {
    fn name(&self) -> &str {
        "letters"
    }

    fn at_once(&self, _: &str) -> Option<Vector> {
        None
    }
}

impl Embedder for Counting {
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.texts.lock().unwrap().extend_from_slice(texts);
        let vector = |text: &String| match text.as_str() {
            "fail" => Err(EmbedError { model: "letters".into(), reason: "told to".into() }),
            text => Ok([text.len() as f32, 1.0].into()),
        };
        Box::pin(std::future::ready(texts.iter().map(vector).collect()))
    }
}

fn cached(options: CacheOptions) -> (Arc<Counting>, Arc<AtomicU64>, CachedEmbedder) {
    let (inner, seconds) = (Arc::new(Counting::default()), Arc::new(AtomicU64::new(0)));
    let told = seconds.clone();
    let clock: Clock = Arc::new(move || Duration::from_secs(told.load(Ordering::Relaxed)));
    (inner.clone(), seconds, CachedEmbedder::new(inner, options, clock))
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[tokio::test]
async fn a_text_is_embedded_once_an_hour() {
    // spec: planning SR-08
    let (inner, seconds, cache) = cached(CacheOptions::default());
    let task = texts(&["book a flight"]);
    assert_eq!(cache.at_once("book a flight"), None);
    let first = cache.embed(&task).await.unwrap();
    seconds.store(3600, Ordering::Relaxed);
    assert_eq!(cache.embed(&task).await.unwrap(), first);
    assert_eq!(cache.at_once("book a flight").as_ref(), first.first());
    assert_eq!(inner.seen(), 1);
    seconds.store(3601, Ordering::Relaxed);
    assert_eq!(cache.at_once("book a flight"), None);
    cache.embed(&task).await.unwrap();
    assert_eq!(inner.seen(), 2);
}

#[tokio::test]
async fn the_whole_text_is_the_key() {
    // spec: planning SR-08
    let (inner, _, cache) = cached(CacheOptions::default());
    cache.embed(&texts(&["find a hotel. Expected: price"])).await.unwrap();
    cache.embed(&texts(&["find a hotel. Expected: address"])).await.unwrap();
    assert_eq!(inner.seen(), 2);
}

#[tokio::test]
async fn eight_repeats_in_ten_cost_a_fifth() {
    // spec: planning SR-08 SR-09
    let price_per_miss = Money::from_dollars(0.0001).unwrap();
    let (_, _, cache) = cached(CacheOptions { price_per_miss, ..CacheOptions::default() });
    for routing in 0..10 {
        cache.embed(&texts(&[if routing % 5 == 0 { ["a", "b"][routing / 5] } else { "a" }])).await.unwrap();
    }
    let figures = cache.figures();
    assert_eq!((figures.hits, figures.misses, figures.cost.micros()), (8, 2, 200));
    assert!((figures.hit_rate() - 0.8).abs() < 1e-12);
}

#[tokio::test]
async fn a_text_that_is_asked_twice_at_once_is_embedded_once() {
    // spec: planning SR-08
    let (inner, _, cache) = cached(CacheOptions::default());
    let vectors = cache.embed(&texts(&["a", "bb", "a", "bb", "ccc"])).await.unwrap();
    let lengths: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
    assert_eq!(lengths, [1.0, 2.0, 1.0, 2.0, 3.0]);
    assert_eq!((inner.seen(), inner.calls.load(Ordering::Relaxed)), (3, 1));
}

#[tokio::test]
async fn agents_are_embedded_once_and_never_again() {
    // spec: planning SR-01
    let (inner, seconds, cache) = cached(CacheOptions { most_bytes: 0, ..CacheOptions::default() });
    let agents = texts(&["Flights. Capabilities: search, book", "Hotels. Capabilities: search"]);
    let vectors = cache.pin(&agents).await.unwrap();
    seconds.store(1_000_000, Ordering::Relaxed);
    assert_eq!(cache.pin(&agents).await.unwrap(), vectors);
    assert_eq!(cache.embed(&agents).await.unwrap(), vectors);
    assert_eq!((inner.seen(), inner.calls.load(Ordering::Relaxed)), (2, 1));
}

#[tokio::test]
async fn agents_are_not_embedded_again_by_the_next_process() {
    // spec: planning SR-01
    let folder = tempfile::tempdir().unwrap();
    let agents: Vec<String> = (0..199).map(|number| format!("agent {number}")).collect();
    let mut embedded = Vec::new();
    for process in 0..3 {
        let (inner, _, cache) = cached(CacheOptions::default());
        let cache = cache.with_file(VectorFile::open(folder.path(), "letters"));
        embedded.push(cache.pin(&agents).await.unwrap());
        assert_eq!(inner.seen(), if process == 0 { 199 } else { 0 });
    }
    assert!(embedded.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test]
async fn a_failure_is_told_and_not_remembered() {
    // spec: planning SR-12
    let (inner, _, cache) = cached(CacheOptions::default());
    for _ in 0..2 {
        let error = cache.embed(&texts(&["a", "fail"])).await.unwrap_err();
        assert_eq!(error.reason, "told to");
    }
    assert_eq!((inner.seen(), cache.figures().misses), (4, 0));
}
