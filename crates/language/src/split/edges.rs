//! Edges that no connective says: a step that works on the thing that an earlier one makes.

use std::collections::BTreeMap;

use super::{Step, requests::first_word};

/// Verbs that bring something new into being.
const MAKING: &[&str] = &[
    "create",
    "draw",
    "plot",
    "dibuja",
    "dibujar",
    "make",
    "build",
    "write",
    "draft",
    "generate",
    "design",
    "compose",
    "develop",
    "produce",
    "record",
    "prepare",
    "compile",
    "establish",
    "set",
    "crea",
    "crear",
    "escribe",
    "escribir",
    "redacta",
    "redactar",
    "genera",
    "generar",
    "diseña",
    "diseñar",
    "prepara",
    "preparar",
    "construye",
    "construir",
    "haz",
    "hacer",
];

const NEW: &[&str] = &["a", "an", "new", "un", "una", "nuevo", "nueva"];
const KNOWN: &[&str] = &["the", "that", "this", "el", "la", "ese", "esa", "este", "esta"];

/// Lets "add a song to the playlist" wait for "create a playlist".
pub(super) fn link_made_things(steps: &mut [Step]) {
    let mut made = BTreeMap::<String, usize>::new();
    for (place, step) in steps.iter_mut().enumerate() {
        let words = words(&step.description);
        if step.depends_on.is_empty() {
            let maker = things(&words, KNOWN).find_map(|thing| made.get(thing).copied());
            step.guessed |= maker.is_some();
            step.depends_on.extend(maker);
        }
        let makes = first_word(&step.description).is_some_and(|verb| MAKING.contains(&verb.as_str()));
        if let Some(thing) = things(&words, NEW).next().filter(|_| makes) {
            made.insert(thing.to_owned(), place);
        }
    }
}

fn words(text: &str) -> Vec<String> {
    candor_text::words(text).map(str::to_lowercase).collect()
}

/// The words right behind one of the markers; "a new playlist" is about the playlist.
fn things<'a>(words: &'a [String], markers: &'a [&str]) -> impl Iterator<Item = &'a str> {
    words.iter().zip(words.iter().skip(1)).filter_map(move |(marker, thing)| {
        let marked = markers.contains(&marker.as_str()) && !NEW.contains(&thing.as_str());
        (marked && thing.chars().count() > 2).then_some(thing.as_str())
    })
}
