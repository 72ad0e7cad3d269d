//! Pairs that exclude each other wherever they stand: cheap, and money no object.

use super::super::words::Words;
use super::{between, has};

/// Two ways to say the opposite of each other.
struct Opposites {
    one: &'static [&'static str],
    other: &'static [&'static str],
    /// What the words must be about to count, if they are about something; anything if empty.
    about: &'static [&'static str],
}

#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "answer", "answers", "reply", "response", "summary", "text", "report", "essay", "article", "story", "email", "mail",
    "letter", "description", "explanation", "overview", "note", "message", "document", "post", "guide", "tone", "style",
    "respuesta", "resumen", "texto", "informe", "ensayo", "articulo", "carta", "descripcion", "explicacion", "mensaje",
    "documento", "correo", "tono", "estilo",
];

#[rustfmt::skip]
const PAIRS: &[Opposites] = &[
    Opposites {
        one: &[
            "cheap", "cheaply", "cheapest", "low-cost", "as cheap as possible", "as little as possible", "tight budget",
            "low budget", "barato", "barata", "baratos", "baratas", "economico", "economica", "lo mas barato",
        ],
        other: &[
            "money no object", "money is no object", "money doesn't matter", "money does not matter", "price no object",
            "price doesn't matter", "price does not matter", "cost doesn't matter", "cost does not matter",
            "spare no expense", "sparing no expense", "no matter the cost", "no matter the price", "regardless of cost",
            "regardless of price", "whatever it costs", "el dinero no importa", "el precio no importa",
            "sin importar el precio", "sin importar el coste", "cueste lo que cueste",
        ],
        about: &[],
    },
    Opposites {
        one: &[
            "short", "brief", "briefly", "concise", "concisely", "in one sentence", "as short as possible", "breve",
            "brevemente", "corto", "corta", "conciso", "concisa", "en una frase",
        ],
        other: &[
            "in great detail", "in full detail", "in every detail", "in detail", "very detailed", "extremely detailed",
            "exhaustive", "exhaustively", "as detailed as possible", "as long as possible", "con todo detalle",
            "con gran detalle", "con todo lujo de detalles", "muy detallado", "muy detallada", "exhaustivo", "exhaustiva",
        ],
        about: TEXTS,
    },
    Opposites {
        one: &["formal", "formally", "formalmente"],
        other: &["informal", "informally", "casual", "casually", "informalmente"],
        about: TEXTS,
    },
    Opposites {
        one: &["one-way", "one way ticket", "one way flight", "solo ida"],
        other: &["round-trip", "round trip", "return flight", "return ticket", "ida y vuelta"],
        about: &[],
    },
];

/// A phrase that was found, and what it is about.
struct Said {
    text: String,
    about: Option<String>,
    at: usize,
}

pub(super) fn find(words: &Words<'_>) -> Vec<String> {
    PAIRS.iter().filter_map(|pair| clash(words, pair)).collect()
}

fn clash(words: &Words<'_>, pair: &Opposites) -> Option<String> {
    let one = said(words, pair.one, pair.about);
    let other = said(words, pair.other, pair.about);
    let clashing =
        |one: &Said| other.iter().find(|other| exclude(words, one, other)).map(|other| other.text.clone());
    let (one, other) = one.iter().find_map(|one| Some((one.text.clone(), clashing(one)?)))?;
    Some(format!("“{one}” and “{other}” cannot both hold"))
}

fn said(words: &Words<'_>, phrases: &[&str], about: &[&str]) -> Vec<Said> {
    let mut found = Vec::new();
    for at in
        (0..words.len()).filter(|at| !has(&["not", "no", "too", "never", "demasiado"], words.before(*at)))
    {
        let Some(end) = words.any_phrase(at, phrases) else { continue };
        let last = end.saturating_sub(1);
        let noun = (!words.ends(last) && words.is_content(end)).then(|| words.key(end).to_owned());
        if noun.as_ref().is_some_and(|noun| !about.is_empty() && !has(about, noun)) {
            continue;
        }
        let text = (at..end).filter_map(|at| words.all().get(at)).map(|word| word.text).collect::<Vec<_>>();
        found.push(Said { text: text.join(" "), about: noun, at });
        if found.len() >= super::MOST {
            break;
        }
    }
    found
}

/// Two different texts may be of two kinds, and so may what two verbs ask for.
fn exclude(words: &Words<'_>, one: &Said, other: &Said) -> bool {
    let apart = matches!((&one.about, &other.about), (Some(one), Some(other)) if one != other);
    let (from, to) = (one.at.min(other.at), one.at.max(other.at));
    let of_it = between(words, from.saturating_sub(3), from, &["it", "this", "everything", "todo", "esto"]);
    let another_verb = (from + 1..to).any(|at| words.is_command(at)) && !of_it;
    !apart && !another_verb
}
