//! A step of a request as words, and which of them say that something is made, told or done.

use candor_text::fold;

/// Beginnings of verbs that make a file or a text.
#[rustfmt::skip]
const MAKING: &[&str] = &[
    "write", "writ", "save", "saving", "creat", "generat", "produc", "export", "store", "dump", "convert", "render",
    "draft", "record", "compil", "translat", "summari", "escrib", "guard", "crea", "gener", "redact", "traduc",
    "resum", "rewrit",
];
/// Verbs that give an answer in words.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "list", "give", "return", "answer", "respond", "reply", "explain", "describe", "provide", "deliver", "name",
    "find", "suggest", "propose", "recommend", "identify", "brainstorm", "output", "print", "lista", "da", "dame",
    "devuelve", "responde", "explica", "describe", "nombra", "busca", "sugiere", "propon", "enumera",
];
/// Verbs after which a file is where something is put, also with `in`.
const PUTTING: &[&str] = &["save", "store", "put", "guard", "record", "dump"];
/// Verbs whose object is there before: only what it is turned into is made.
const TURNING: &[&str] = &[
    "convert", "translat", "summari", "render", "compil", "export", "traduc", "resum", "dump", "record",
    "rewrit",
];
/// Words between which and a file the file is what is made.
const TARGETS: &[&str] = &["to", "into", "as", "called", "named", "como", "llamado", "llamada"];
/// Words that may stand between a verb and its file.
const FILLERS: &[&str] = &[
    "a", "an", "the", "file", "un", "una", "el", "la", "archivo", "fichero", "new", "nuevo", "report",
    "script",
];
/// Verbs that change something outside, at the beginning of a step.
#[rustfmt::skip]
const EFFECTS: &[&str] = &[
    "send", "email", "e-mail", "mail", "post", "publish", "deploy", "notify", "tweet", "call", "pay", "buy", "order",
    "book", "reserve", "schedule", "invite", "submit", "upload", "delete", "remove", "cancel", "refund", "transfer",
    "release", "merge", "push", "reduce", "increase", "lower", "raise", "improve", "cut", "fix", "repair", "migrate",
    "install", "restart", "enable", "disable", "register", "subscribe", "hire", "sell", "ship", "close",
    "envia", "enviar", "manda", "publica", "despliega", "notifica", "paga", "compra", "reserva", "agenda", "programa",
    "sube", "borra", "elimina", "cancela", "reduce", "aumenta", "mejora", "arregla", "instala", "reinicia", "vende",
];
/// Words that make it doubtful whether something is wanted at all.
#[rustfmt::skip]
const DOUBTS: &[&str] = &[
    "not", "don't", "never", "without", "if", "unless", "whether", "avoid", "no", "sin", "nunca", "si", "evita",
    "example", "ejemplo",
];

pub(super) fn is_making(key: &str) -> bool {
    MAKING.iter().any(|verb| key.starts_with(verb))
}

pub(super) fn is_telling(key: &str) -> bool {
    TELLING.contains(&key)
}

pub(super) fn is_effect(key: &str) -> bool {
    EFFECTS.contains(&key)
}

/// A step of a request.
#[derive(Debug)]
pub(super) struct Said {
    /// As it was said.
    pub(super) text: String,
    /// Its words without the marks around them.
    pub(super) words: Vec<String>,
    /// The same in lower case and without accents.
    pub(super) keys: Vec<String>,
}

impl Said {
    pub(super) fn new(text: &str) -> Self {
        let words: Vec<String> = text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
        let keys = words.iter().map(|word| fold(word).into_owned()).collect();
        Self { text: text.trim().to_owned(), words, keys }
    }

    /// Whether what it says is wanted only under a condition, or not at all. `No more than` denies nothing.
    pub(super) fn is_doubtful(&self) -> bool {
        let next = |at: usize| self.keys.get(at + 1).map(String::as_str);
        let limit = |at| matches!(next(at), Some("more" | "less" | "fewer" | "mas" | "menos"));
        self.keys.iter().enumerate().any(|(at, key)| DOUBTS.contains(&key.as_str()) && !limit(at))
    }

    /// Whether it asks how something is done, and not that it be done.
    pub(super) fn asks_how(&self) -> bool {
        self.keys.iter().any(|key| matches!(key.as_str(), "how" | "como" | "why" | "porque"))
    }

    /// The files that it says are to be made: right after a verb of making, or where something is to be put.
    pub(super) fn made_files(&self) -> Vec<String> {
        let is_verb = |key: &String| is_making(key) || PUTTING.contains(&key.as_str());
        let Some(verb) = self.keys.iter().position(is_verb) else { return Vec::new() };
        let after = (verb + 1..self.words.len()).filter(|&at| self.is_file(at));
        let made = after.filter(|&at| self.is_target(verb, at));
        made.filter_map(|at| Some(self.words.get(at)?.trim_start_matches("./").to_owned())).collect()
    }

    fn is_file(&self, at: usize) -> bool {
        let Some(word) = self.words.get(at) else { return false };
        // A file that lies elsewhere cannot be looked at.
        let inside = !word.starts_with(['/', '~']) && !word.contains("..");
        inside && !word.contains('*') && super::super::evaluate::files_named_in(word).len() == 1
    }

    fn is_target(&self, verb: usize, at: usize) -> bool {
        let between = self.keys.get(verb + 1..at).unwrap_or_default();
        let filler = |key: &String| FILLERS.contains(&key.as_str());
        // `Convert a.csv` names what is there; `write a.csv` what comes into being.
        let turns = self.keys.get(verb).is_some_and(|key| TURNING.iter().any(|turn| key.starts_with(turn)));
        if between.iter().all(filler) {
            return !turns;
        }
        let before = between
            .iter()
            .rev()
            .find(|key| !["file", "archivo", "fichero", "the", "el"].contains(&key.as_str()));
        let puts = self.keys.get(verb).is_some_and(|key| PUTTING.iter().any(|put| key.starts_with(put)));
        before
            .is_some_and(|key| TARGETS.contains(&key.as_str()) || puts && matches!(key.as_str(), "in" | "en"))
    }

    /// The format that the result is wanted in: `as CSV`, `in JSON format`, `en formato JSON`.
    pub(super) fn format(&self) -> Option<&'static str> {
        self.keys.iter().enumerate().find_map(|(at, key)| {
            let format = match key.as_str() {
                "json" => "json",
                "csv" => "csv",
                _ => return None,
            };
            let before = at.checked_sub(1).and_then(|at| self.keys.get(at)).map(String::as_str);
            let after = self.keys.get(at + 1).map(String::as_str);
            let said = matches!(before, Some("as" | "como" | "formato"))
                || matches!((before, after), (Some("in"), Some("format")))
                || matches!((before, after), (Some("a" | "valid"), Some("object" | "array" | "list")));
            said.then_some(format)
        })
    }

    /// The language that the result is wanted in, if only one is named.
    pub(super) fn language(&self) -> Option<&'static str> {
        let mut named = (0..self.keys.len()).filter_map(|at| Some((at, language(self.keys.get(at)?)?)));
        let (at, found) = named.next()?;
        let before = |back: usize| at.checked_sub(back).and_then(|at| self.keys.get(at)).map(String::as_str);
        let into = matches!(before(1), Some("in" | "into" | "en" | "al"))
            || (before(1) == Some("to") && self.keys.iter().any(|key| key.starts_with("translat")));
        // `documents written in English` says what they are, and not what is wanted.
        let described = matches!(
            before(2),
            Some("written" | "articles" | "texts" | "documents" | "escrito" | "escritos")
        );
        (into && !described && named.next().is_none()).then_some(found)
    }
}

fn language(key: &str) -> Option<&'static str> {
    Some(match key {
        "english" | "ingles" => "english",
        "spanish" | "espanol" | "castellano" => "spanish",
        "german" | "aleman" => "German",
        "french" | "frances" => "French",
        "italian" | "italiano" => "Italian",
        "portuguese" | "portugues" => "Portuguese",
        "dutch" | "neerlandes" => "Dutch",
        "chinese" | "chino" => "Chinese",
        "japanese" | "japones" => "Japanese",
        _ => return None,
    })
}

/// A word without the marks around it; a file keeps its points and slashes.
fn bare(word: &str) -> String {
    let marks =
        |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '~' | '.' | '*' | '%' | '$' | '€'));
    word.trim_matches(marks).trim_end_matches('.').trim_matches(marks).to_owned()
}
