//! Names of places as they are written. Whether a name is a place is for the words before it to say.

use crate::goal::text::{Kind, Text, is_among};
use crate::goal::{calendar, gazetteer};

/// A name, as written and as a key, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) key: String,
    pub(super) from: usize,
    /// The position after the name, and after the region that follows it: `Austin, Texas,`.
    pub(super) next: usize,
}

/// Capitalized words that are no places, and small words that titles write with a capital.
#[rustfmt::skip]
const NO_NAMES: &[&str] = &[
    "i", "i'm", "i'd", "i'll", "i've", "we", "we're", "we'll", "we'd", "our", "my", "the", "a", "an", "and",
    "or", "to", "in", "on", "at", "for", "with", "from", "of", "by", "over", "is", "are", "it", "this",
    "that", "budget", "please", "can", "could", "would", "plan", "trip", "visit", "day", "days", "week",
    "usd", "eur", "gbp", "mxn", "american", "mexican", "chinese", "italian", "indian", "mediterranean",
    "french", "spanish", "japanese", "thai", "english", "german", "greek", "korean", "airbnb", "el", "la",
    "los", "las", "un", "una", "de", "del", "y", "con", "para", "en", "por", "mi", "nuestro", "presupuesto",
    "quiero", "queremos", "necesito", "sin", "desde", "hasta", "saliendo", "planifica", "christmas", "easter",
    "navidad", "starting", "departing", "leaving", "traveling", "travelling", "he", "she", "they", "you",
    "me", "us", "as", "if", "also", "then", "when", "during", "between", "through", "no", "not", "only",
    "all", "people", "person", "organiza", "viaje", "viajar", "be", "will", "must", "should", "nosotros",
    "somos", "soy", "al", "que", "se", "su", "o", "e", "monday", "ok", "pm", "am", "ai", "q1", "q2", "q3",
    "q4",
];
/// Lower-case words that may join the words of a name.
const JOINTS: &[&str] =
    &["of", "de", "del", "la", "las", "los", "el", "da", "do", "di", "the", "upon", "sur", "y"];
/// Words that end a name in a text without capitals.
#[rustfmt::skip]
const LOWER_ENDS: &[&str] = &[
    "go", "be", "see", "do", "have", "get", "eat", "stay", "travel", "explore", "make", "book", "spend",
    "try", "take", "find", "keep", "next", "somewhere", "anywhere", "there", "here", "home", "work", "who",
    "which", "where", "while", "about", "around", "under", "up", "within", "without", "before", "after",
    "until", "till", "per", "each", "every", "alone", "solo", "trip", "trips", "vacation", "flight", "hotel",
    "using", "three", "two", "one", "four", "five", "six", "seven", "ten", "help", "like", "enjoy", "durante",
    "unos", "cities", "city", "different", "some", "any", "visiting", "heading", "going", "returning",
    "exploring", "including", "but", "so", "because", "maybe", "plus", "than", "just", "viaje", "ir", "ver",
    "semana", "dias", "mismo", "cabo", "partir", "dos", "tres", "cuatro", "cinco", "sola", "bajo", "menos",
    "mas", "antes", "fin", "finales", "mediados", "principios", "pie", "tiempo",
];
/// Short forms that open a name: `St. Louis`.
const OPENERS: &[&str] = &["st", "ste", "ft", "mt", "pt"];
const LONGEST: usize = 6;

/// Tells whether a text is written without capitals, so that names cannot be told by theirs.
pub(super) fn is_lower(text: &Text<'_>) -> bool {
    let mut inside = text.tokens().windows(2).filter_map(|pair| match pair {
        [before, token] if before.sentence == token.sentence && token.kind == Kind::Word => Some(token),
        _ => None,
    });
    !inside.any(|token| {
        let capital = token.text.starts_with(char::is_uppercase);
        capital && token.key != "i" && !token.key.starts_with("i'") && !is_calendar_word(&token.key)
    })
}

fn is_calendar_word(key: &str) -> bool {
    calendar::weekday(key).is_some() || calendar::is_month_name(key)
}

/// The name that starts here, if one can.
pub(super) fn read(text: &Text<'_>, at: usize, lower: bool) -> Option<Name> {
    let mut next = part(text, at, lower)?;
    while let Some(after) = more(text, next, lower).filter(|after| after.saturating_sub(at) <= LONGEST) {
        next = after;
    }
    let written = text.slice(at, next);
    let written = written.strip_suffix("'s").or_else(|| written.strip_suffix("’s")).unwrap_or(written);
    let key = (at..next).map(|token| text.key(token)).collect::<Vec<_>>().join(" ");
    let key = key.replace(" .", ".").replace(" - ", "-");
    let region = region_after(text, next).unwrap_or(next);
    let next = if gazetteer::is_region(&key) { next } else { region };
    Some(Name { text: written.to_owned(), key, from: at, next })
}

/// One word of a name.
fn part(text: &Text<'_>, at: usize, lower: bool) -> Option<usize> {
    let token = text.get(at).filter(|token| token.kind == Kind::Word)?;
    let key = token.key.as_ref();
    if article_of_name(text, at) {
        return Some(at.saturating_add(1));
    }
    if is_among(key, NO_NAMES) || is_calendar_word(key) || calendar::month(text, at).is_some() {
        return None;
    }
    let named = text.is_capital(at) || (lower && !is_among(key, LOWER_ENDS));
    named.then_some(at.saturating_add(1))
}

/// `Los Angeles`, `El Paso`: an article that belongs to the name, by its capital or because it is known.
fn article_of_name(text: &Text<'_>, at: usize) -> bool {
    let after = at.saturating_add(1);
    if !text.is(at, &["los", "las", "el", "la"]) {
        return false;
    }
    let first = at.checked_sub(1).is_none_or(|before| !text.same_sentence(before, at));
    let known = gazetteer::is_known(&format!("{} {}", text.key(at), text.key(after)));
    known || (!first && text.is_capital(at) && text.is_capital(after))
}

/// The position after one more word of the same name.
fn more(text: &Text<'_>, at: usize, lower: bool) -> Option<usize> {
    if !text.same_sentence(at.saturating_sub(1), at) {
        return None;
    }
    let after = at.saturating_add(1);
    match text.key(at) {
        "." if text.is(at.saturating_sub(1), OPENERS) => part(text, after, lower),
        "-" | "/" if text.is_glued(at) && text.is_glued(after) => {
            part(text, after, lower).filter(|_| text.is_capital(after))
        }
        "of" | "de" | "del" | "la" | "las" | "los" | "el" | "da" | "do" | "di" | "upon" | "sur" if !lower => {
            joined(text, at)
        }
        _ => part(text, at, lower),
    }
}

/// `Rio de Janeiro`, `San Juan de la Cruz`; a joint must lead to another capital.
fn joined(text: &Text<'_>, at: usize) -> Option<usize> {
    let mut next = at;
    for _ in 0..2 {
        if text.is(next, JOINTS) && !text.is_capital(next) {
            next = next.saturating_add(1);
        }
    }
    // "de Madrid" after a city starts the next place, as in "ir a Roma de Madrid"; known names decide.
    let whole = (at.saturating_sub(1)..=next).map(|token| text.key(token)).collect::<Vec<_>>().join(" ");
    let longer = (at.saturating_sub(2)..=next).map(|token| text.key(token)).collect::<Vec<_>>().join(" ");
    let known = gazetteer::is_known(&whole) || gazetteer::is_known(&longer);
    let short = matches!(
        text.before(at, 1),
        "san"
            | "santa"
            | "santiago"
            | "isle"
            | "playa"
            | "ciudad"
            | "puerto"
            | "palma"
            | "rio"
            | "lake"
            | "jerez"
            | "cabo"
            | "bay"
            | "gulf"
            | "islas"
            | "costa"
            | "villa"
            | "mar"
            | "city"
            | "university"
            | "cape"
            | "fort"
            | "coast"
    );
    let cape = text.is(at, &["del"]);
    (text.is_capital(next) && (known || short || cape)).then(|| part(text, next, false)).flatten()
}

/// Steps over `, Texas` and `, D.C.` after a city, and the comma that closes it.
fn region_after(text: &Text<'_>, at: usize) -> Option<usize> {
    let region = at.saturating_add(1);
    if text.key(at) != "," {
        return None;
    }
    if let Some(next) = text.any_phrase(region, &["d . c .", "d . c"]) {
        return Some(next);
    }
    let two = format!("{} {}", text.key(region), text.key(region.saturating_add(1)));
    let next = if gazetteer::is_region(&two) {
        region.saturating_add(2)
    } else if is_one_word_region(text, region) {
        region.saturating_add(1)
    } else {
        return None;
    };
    // "Paris, Italy and Spain" is a list; "Austin, Texas" is not.
    let listed = text.is(next, &["and", "y", ","]) && text.is_capital(next.saturating_add(1));
    (!listed).then_some(next)
}

fn is_one_word_region(text: &Text<'_>, at: usize) -> bool {
    let upper = text.get(at).is_some_and(|token| token.text.chars().all(char::is_uppercase));
    let key = text.key(at);
    let short = key.len() <= 3;
    text.is_capital(at) && gazetteer::is_locator(key) && (!short || upper)
}
