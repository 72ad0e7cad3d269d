//! How long MiniLM takes for a sentence.
//!
//! `minilm_bench FOLDER FILE` prints microseconds per sentence of the file, alone and in company;
//! `minilm_bench FOLDER --serve` takes a JSON list of sentences in each line and answers with the time that each
//! took and its vector, so that a peer can be measured in turn (`benches/peers/minilm_peer.py`).

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use candor_embed::MiniLm;

const ROUNDS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file] = words.as_slice() else {
        return Err("usage: minilm_bench FOLDER FILE, or minilm_bench FOLDER --serve".into());
    };
    let started = Instant::now();
    let model = MiniLm::load(Path::new(folder))?;
    if file == "--serve" {
        return serve(&model);
    }
    println!("loaded in {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
    let text = std::fs::read_to_string(file)?;
    let sentences: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    alone(&model, &sentences);
    together(&model, &sentences);
    Ok(())
}

fn serve(model: &MiniLm) -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lock().lines() {
        let sentences: Vec<String> = serde_json::from_str(&line?)?;
        let answers: Vec<_> = sentences.iter().map(|sentence| embedded(model, sentence)).collect();
        let answer = serde_json::Value::from(answers);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn embedded(model: &MiniLm, sentence: &str) -> serde_json::Value {
    let started = Instant::now();
    let vectors = model.embed_here(&[sentence]);
    let micros = started.elapsed().as_secs_f64() * 1e6;
    serde_json::json!({ "micros": micros, "vector": vectors.first().map(|vector| &**vector) })
}

fn alone(model: &MiniLm, sentences: &[&str]) {
    let times = (0..=ROUNDS).map(|_| sentences.iter().map(|sentence| micros(model, &[sentence])).collect());
    // The first round warms up.
    let mut times: Vec<f64> = times.skip(1).flat_map(|round: Vec<f64>| round).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((share * times.len() as f64) as usize).copied().unwrap_or_default();
    println!("alone: median {:.0} µs, 90th percentile {:.0} µs", at(0.5), at(0.9));
}

fn together(model: &MiniLm, sentences: &[&str]) {
    let mut times: Vec<f64> = (0..ROUNDS).map(|_| micros(model, sentences)).collect();
    times.sort_by(f64::total_cmp);
    let each = times.get(ROUNDS / 2).copied().unwrap_or_default() / sentences.len().max(1) as f64;
    println!("{} together: {each:.0} µs each, {:.0} per second", sentences.len(), 1e6 / each);
}

fn micros(model: &MiniLm, sentences: &[&str]) -> f64 {
    let started = Instant::now();
    std::hint::black_box(model.embed_here(sentences));
    started.elapsed().as_secs_f64() * 1e6
}
