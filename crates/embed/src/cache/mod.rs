//! Vectors that were computed once are not computed again.
//!
//! Two kinds of texts are kept. Those that are pinned, agents' descriptions, are embedded once and stay for
//! as long as the process does, and between processes in a [`VectorFile`]. All others are kept for an hour,
//! in bounded memory, those that were used longest ago leaving first.

mod file;
mod recent;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_model::Money;
use candor_ports::{BoxFuture, EmbedError, Embedder, Vector, Vectors};

pub use self::file::VectorFile;
use self::recent::Recent;

/// Tells the time since a moment that stays the same.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// How much is kept, for how long, and what a text costs that is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheOptions {
    /// The most memory, in bytes.
    pub most_bytes: usize,
    /// How long a vector is kept.
    pub keep: Duration,
    /// The price of one text that has to be embedded.
    pub price_per_miss: Money,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self { most_bytes: 50_000_000, keep: Duration::from_secs(3600), price_per_miss: Money::ZERO }
    }
}

/// What a cache has been good for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheFigures {
    /// Texts whose vector was there.
    pub hits: u64,
    /// Texts that had to be embedded.
    pub misses: u64,
    /// What embedding them cost.
    pub cost: Money,
}

impl CacheFigures {
    /// The share of texts whose vector was there; 0 before the first.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        let asked = self.hits + self.misses;
        if asked == 0 { 0.0 } else { self.hits as f64 / asked as f64 }
    }
}

/// An embedder that remembers.
pub struct CachedEmbedder {
    inner: Arc<dyn Embedder>,
    options: CacheOptions,
    clock: Clock,
    kept: Mutex<Kept>,
}

struct Kept {
    pinned: HashMap<String, Vector>,
    recent: Recent,
    file: Option<VectorFile>,
    figures: CacheFigures,
}

impl CachedEmbedder {
    /// Remembers what an embedder answers.
    #[must_use]
    pub fn new(inner: Arc<dyn Embedder>, options: CacheOptions, clock: Clock) -> Self {
        let recent = Recent::new(options.most_bytes, options.keep);
        let kept = Kept { pinned: HashMap::new(), recent, file: None, figures: CacheFigures::default() };
        Self { inner, options, clock, kept: Mutex::new(kept) }
    }

    /// Keeps what is pinned in a file, too, and looks there first.
    #[must_use]
    pub fn with_file(self, file: VectorFile) -> Self {
        self.kept().file = Some(file);
        self
    }

    /// What it has been good for.
    #[must_use]
    pub fn figures(&self) -> CacheFigures {
        self.kept().figures
    }

    /// Embeds texts that will be asked for as long as the process lives, each once.
    ///
    /// A file that cannot be written is no reason to fail: the next process will embed again.
    pub async fn pin(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
        self.answer(texts, Kept::recall_pinned, |kept, text, vector, _| {
            if let Some(file) = &mut kept.file {
                file.add(text, vector);
            }
            kept.pinned.insert(text.to_owned(), vector.clone());
        })
        .await
        .inspect(|_| self.kept().file.iter_mut().for_each(VectorFile::save))
    }

    /// Takes what is remembered, embeds the rest, and remembers it.
    async fn answer(
        &self,
        texts: &[String],
        recall: impl Fn(&mut Kept, &str, &str, Duration) -> Option<Vector>,
        keep: impl Fn(&mut Kept, &str, &Vector, Duration),
    ) -> Result<Vec<Vector>, EmbedError> {
        let name = self.inner.name();
        let mut known: HashMap<&str, Vector> = HashMap::new();
        let mut missing: Vec<String> = Vec::new();
        let mut asked = HashSet::new();
        {
            let now = (self.clock)();
            let mut kept = self.kept();
            for text in texts {
                if !asked.insert(text.as_str()) {
                    kept.figures.hits += 1;
                } else if let Some(vector) = recall(&mut kept, name, text, now) {
                    kept.figures.hits += 1;
                    known.insert(text, vector);
                } else {
                    missing.push(text.clone());
                }
            }
        }
        let embedded = if missing.is_empty() { Vec::new() } else { self.embed_missing(&missing).await? };
        let now = (self.clock)();
        let mut kept = self.kept();
        for (text, vector) in missing.iter().zip(embedded) {
            keep(&mut kept, text, &vector, now);
            known.insert(text, vector);
        }
        Ok(texts.iter().filter_map(|text| known.get(text.as_str()).cloned()).collect())
    }

    async fn embed_missing(&self, missing: &[String]) -> Result<Vec<Vector>, EmbedError> {
        let vectors = self.inner.embed(missing).await?;
        if vectors.len() != missing.len() {
            let reason =
                format!("{} texts were given and {} vectors came back", missing.len(), vectors.len());
            return Err(EmbedError { model: self.inner.name().into(), reason });
        }
        let figures = &mut self.kept().figures;
        for _ in missing {
            figures.misses += 1;
            figures.cost = figures.cost + self.options.price_per_miss;
        }
        Ok(vectors)
    }

    /// What is kept; a thread that died while it held it left nothing half done.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn recall_pinned(&mut self, _: &str, text: &str, _: Duration) -> Option<Vector> {
        if let Some(vector) = self.pinned.get(text) {
            return Some(vector.clone());
        }
        let vector = self.file.as_ref()?.get(text)?;
        self.pinned.insert(text.to_owned(), vector.clone());
        Some(vector)
    }

    fn recall(&mut self, name: &str, text: &str, now: Duration) -> Option<Vector> {
        let pinned = self.pinned.get(text).cloned();
        pinned.or_else(|| self.recent.get(name, text, now))
    }
}

impl Vectors for CachedEmbedder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn at_once(&self, text: &str) -> Option<Vector> {
        let now = (self.clock)();
        let mut kept = self.kept();
        if let Some(vector) = kept.recall(self.inner.name(), text, now) {
            kept.figures.hits += 1;
            return Some(vector);
        }
        drop(kept);
        self.inner.at_once(text)
    }
}

impl Embedder for CachedEmbedder {
    fn keep<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>> {
        Box::pin(self.pin(texts))
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>> {
        let name = self.inner.name();
        Box::pin(self.answer(texts, Kept::recall, move |kept, text, vector, now| {
            kept.recent.put(name, text, vector.clone(), now);
        }))
    }
}

impl std::fmt::Debug for CachedEmbedder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("CachedEmbedder").field("model", &self.name()).finish_non_exhaustive()
    }
}
