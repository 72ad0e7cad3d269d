//! all-MiniLM-L6-v2 on the processor, with nothing but its weights: no framework, no graph, no session.
//!
//! It owns the reading of the three files of the model, its tokenizer and its forward pass. Where the weights
//! come from is the business of [`crate::weights`].

mod all_reduce;
mod attention;
mod encoder;
mod linear;
mod math;
mod norm;
mod part;
mod shape;
mod tensors;
mod thread_pool;

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use candor_ports::{BoxFuture, EmbedError, Embedder, Vector, Vectors};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use self::encoder::Encoder;
use self::shape::Shape;
use self::tensors::Tensors;
pub use self::tensors::WeightsError;
use self::thread_pool::ThreadPool;
use crate::wordpiece::WordPiece;

/// The name of the model, as its vectors are labelled.
pub const NAME: &str = "all-MiniLM-L6-v2";
/// The most pieces of a text that are looked at; the model was not taught on longer ones.
const MOST_PIECES: usize = 256;
/// The pieces that are taken through the model at once: enough to read each weight seldom, few enough for
/// what is computed to stay near the processor.
const PIECES_AT_ONCE: usize = 512;

/// The threads that compute a text that comes alone. With more of them each would have less to do between two
/// meetings, and a meeting costs the same.
const PARTS: usize = 2;

/// all-MiniLM-L6-v2, ready to embed.
#[derive(Clone)]
pub struct MiniLm(Arc<Model>);

struct Model {
    vocabulary: WordPiece,
    encoder: Arc<Encoder>,
    /// Who helps with a text that comes alone; nobody before the first one.
    company: Mutex<Option<ThreadPool>>,
    most_pieces: usize,
}

impl MiniLm {
    /// Reads `config.json`, `tokenizer.json` and `model.safetensors` in a folder.
    pub fn load(folder: &Path) -> Result<Self, WeightsError> {
        let config = folder.join("config.json");
        let shape: Shape = read_json(&config)?;
        if let Some(problem) = shape.problem() {
            return Err(WeightsError { path: config, problem });
        }
        let tokenizer: Tokenizer = read_json(&folder.join("tokenizer.json"))?;
        let mut tensors = Tensors::open(&folder.join("model.safetensors"))?;
        let most_pieces = MOST_PIECES.min(shape.max_position_embeddings);
        let encoder = Arc::new(Encoder::read(&mut tensors, &shape, PARTS.min(processors()))?);
        let (vocabulary, company) = (tokenizer.vocabulary(), Mutex::new(None));
        Ok(Self(Arc::new(Model { vocabulary, encoder, company, most_pieces })))
    }

    /// The numbers in a vector.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.encoder.width()
    }

    /// Embeds texts on this thread and as many others as there are processors, in their order.
    #[must_use]
    pub fn embed_here<T: AsRef<str>>(&self, texts: &[T]) -> Vec<Vector> {
        let model = &*self.0;
        let pieces: Vec<Vec<u32>> =
            texts.iter().map(|text| model.vocabulary.framed(text.as_ref(), model.most_pieces)).collect();
        model.embed(&pieces)
    }
}

impl Model {
    /// One batch is computed together with others, unless they are busy: then whoever asks does it alone.
    fn embed_alone(&self, batch: &[Vec<u32>]) -> Vec<Vector> {
        let Ok(mut company) = self.company.try_lock() else { return self.encoder.embed(batch) };
        if company.is_none() {
            *company = ThreadPool::start(&self.encoder);
        }
        match &*company {
            Some(company) => self.encoder.embed_with(company, batch),
            None => self.encoder.embed(batch),
        }
    }

    /// Texts of like length go together, so that no batch is much longer than another.
    fn embed(&self, pieces: &[Vec<u32>]) -> Vec<Vector> {
        let threads = processors();
        let batches = batches(pieces, threads);
        if let [only] = batches.as_slice() {
            return self.embed_alone(only);
        }
        let share = batches.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let work = |part: &[&[Vec<u32>]]| -> Vec<Vector> {
                part.iter().flat_map(|batch| self.encoder.embed(batch)).collect()
            };
            let workers: Vec<_> =
                batches.chunks(share).map(|part| (part, scope.spawn(move || work(part)))).collect();
            // A worker that died leaves its share to this thread, which then fails as the worker did.
            workers
                .into_iter()
                .flat_map(|(part, worker)| worker.join().unwrap_or_else(|_| work(part)))
                .collect()
        })
    }
}

/// How many threads can run at once.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Cuts texts into batches, at least one for each thread where there are enough of them.
fn batches(texts: &[Vec<u32>], threads: usize) -> Vec<&[Vec<u32>]> {
    let total: usize = texts.iter().map(Vec::len).sum();
    let most = PIECES_AT_ONCE.min(total.div_ceil(threads.max(1)));
    let mut pieces = 0;
    texts
        .chunk_by(|before, _| {
            pieces += before.len();
            let goes_on = pieces < most;
            if !goes_on {
                pieces = 0;
            }
            goes_on
        })
        .collect()
}

impl Vectors for MiniLm {
    fn name(&self) -> &str {
        NAME
    }

    fn at_once(&self, _: &str) -> Option<Vector> {
        None
    }
}

impl Embedder for MiniLm {
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vector>, EmbedError>> {
        let (model, texts) = (self.clone(), texts.to_vec());
        Box::pin(async move {
            let failed = |reason: String| EmbedError { model: NAME.into(), reason };
            let embedded = tokio::task::spawn_blocking(move || model.embed_here(&texts)).await;
            let vectors = embedded.map_err(|error| failed(error.to_string()))?;
            match vectors.iter().flat_map(|vector| vector.iter()).all(|number| number.is_finite()) {
                true => Ok(vectors),
                false => Err(failed("its weights gave no number; fetch them again".into())),
            }
        })
    }
}

impl std::fmt::Debug for MiniLm {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MiniLm").field("width", &self.width()).finish_non_exhaustive()
    }
}

/// What is needed of `tokenizer.json`; the rest of it describes what [`WordPiece`] does.
#[derive(Deserialize)]
struct Tokenizer {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    vocab: HashMap<String, u32>,
}

impl Tokenizer {
    fn vocabulary(&self) -> WordPiece {
        let mut pieces: Vec<_> = self.model.vocab.iter().map(|(piece, id)| (*id, piece.as_str())).collect();
        pieces.sort_unstable();
        WordPiece::new(pieces.into_iter().map(|(_, piece)| piece))
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, WeightsError> {
    let broken = |problem: String| WeightsError { path: path.to_owned(), problem };
    let text = std::fs::read(path).map_err(|error| broken(error.to_string()))?;
    serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))
}

/// Some of the rows of a matrix.
fn within(rows: &[f32], span: Range<usize>, width: usize) -> &[f32] {
    rows.get(span.start * width..span.end * width).unwrap_or_default()
}
