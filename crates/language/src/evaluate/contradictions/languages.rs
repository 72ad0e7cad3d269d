//! Two languages, one of them alone.

use super::super::words::Words;
use super::{between, has};

#[rustfmt::skip]
const LANGUAGES: &[(&str, &str)] = &[
    ("english", "English"), ("spanish", "Spanish"), ("french", "French"), ("german", "German"), ("italian", "Italian"),
    ("portuguese", "Portuguese"), ("chinese", "Chinese"), ("japanese", "Japanese"), ("russian", "Russian"),
    ("arabic", "Arabic"), ("dutch", "Dutch"), ("korean", "Korean"), ("hindi", "Hindi"), ("catalan", "Catalan"),
    ("ingles", "English"), ("espanol", "Spanish"), ("castellano", "Spanish"), ("frances", "French"),
    ("aleman", "German"), ("italiano", "Italian"), ("portugues", "Portuguese"), ("chino", "Chinese"),
    ("japones", "Japanese"), ("ruso", "Russian"),
];
const ONLY: &[&str] = &["only", "exclusively", "solo", "solamente", "unicamente", "exclusivamente"];
const IN: &[&str] = &["in", "en"];
/// Words that ask for several languages.
#[rustfmt::skip]
const SEVERAL: &[&str] = &[
    "i18n", "internationalisation", "internationalization", "internationalise", "internationalize", "multilingual", "multi-language",
    "internacionalizacion", "internacionaliza", "multilingue", "multiidioma",
];

/// A language that is wanted.
struct Wanted {
    at: usize,
    name: &'static str,
    only: bool,
    /// What is wanted in it, if that is said.
    of: Option<String>,
}

pub(super) fn find(words: &Words<'_>) -> Vec<String> {
    let translates = |key: &str| key.starts_with("translat") || key.starts_with("traduc");
    if words.all().iter().any(|word| translates(&word.key)) {
        return Vec::new();
    }
    let wanted: Vec<Wanted> = (0..words.len()).filter_map(|at| read(words, at)).take(super::MOST).collect();
    let pairs = wanted.iter().zip(wanted.iter().skip(1));
    let told = pairs.filter(|(one, other)| exclude(words, one, other)).map(|(one, other)| told(one, other));
    told.chain(several(words, &wanted)).collect()
}

/// "Add i18n to the page, only English": several languages are asked for, and one alone.
fn several(words: &Words<'_>, wanted: &[Wanted]) -> Option<String> {
    let several = words.all().iter().find(|word| has(SEVERAL, &word.key))?;
    let [one] = wanted else { return None };
    (one.only && one.of.is_none()).then(|| format!("{} is asked for, and only {}", several.text, one.name))
}

fn read(words: &Words<'_>, at: usize) -> Option<Wanted> {
    let (_, name) = LANGUAGES.iter().find(|(key, _)| *key == words.key(at))?;
    let mut from = at;
    let (mut only, mut inside) = (has(ONLY, words.key(at + 1)) && !words.ends(at), false);
    while has(ONLY, words.before(from)) || has(IN, words.before(from)) {
        only |= has(ONLY, words.before(from));
        inside |= has(IN, words.before(from));
        from -= 1;
    }
    let of = from.checked_sub(1).filter(|before| words.is_content(*before) && !words.ends(*before));
    (only || inside).then(|| Wanted { at, name, only, of: of.map(|before| words.key(before).to_owned()) })
}

fn exclude(words: &Words<'_>, one: &Wanted, other: &Wanted) -> bool {
    let joined = between(words, one.at, other.at, &["and", "y", "e"])
        && !between(words, one.at, other.at, ONLY)
        && other.at - one.at <= 3;
    let apart = matches!((&one.of, &other.of), (Some(one), Some(other)) if one != other);
    one.name != other.name && (one.only || other.only) && !joined && !apart
}

fn told(one: &Wanted, other: &Wanted) -> String {
    let said = |wanted: &Wanted| {
        if wanted.only { format!("only in {}", wanted.name) } else { format!("in {}", wanted.name) }
    };
    format!("it is wanted {} and {}", said(one), said(other))
}
