//! What a place is for, told by the words before it.

use super::names::Name;
use crate::goal::Language;
use crate::goal::text::{Text, is_among};

/// Where a journey starts, or where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Origin,
    Destination,
    /// Named as a place and no more.
    Other,
}

/// A role, with how clearly it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) role: Role,
    pub(super) strength: u8,
}

/// Words that may stand between the telling word and the name.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "the", "la", "el", "los", "las", "beautiful", "sunny", "lovely", "scenic", "vibrant", "downtown",
    "historic", "lively", "charming", "bustling", "wonderful", "central", "stunning", "great", "nearby",
    "gorgeous", "hermosa", "bella", "preciosa", "picturesque", "magnificent", "exciting", "amazing",
];
#[rustfmt::skip]
const START_STEMS: &[&str] = &[
    "start", "begin", "originat", "commenc", "kick", "depart", "embark", "initiat", "launch", "takeoff",
    "origin",
];
#[rustfmt::skip]
const SPANISH_START_STEMS: &[&str] = &[
    "empez", "empiez", "comenz", "comienz", "inici", "sali", "salgo", "salid", "sale", "parti", "parto",
    "origen", "arranc",
];
#[rustfmt::skip]
const HOME: &[&str] = &[
    "live", "living", "based", "located", "reside", "residing", "vivo", "vivimos", "resido", "i'm", "we're",
];
#[rustfmt::skip]
const VISIT_STEMS: &[&str] = &[
    "visit", "explor", "tour", "discover", "experienc", "conoc", "recorr", "descubr", "encompass", "cover",
    "reach",
];
#[rustfmt::skip]
const PLACES_WORDS: &[&str] = &[
    "cities", "city", "towns", "town", "places", "destinations", "ciudades", "ciudad", "pueblos", "parts",
    "regions", "locations", "spots", "lugares", "locales", "destinos",
];
const LEAVE_FOR: &[&str] = &["head", "leave", "leaving", "bound", "depart", "destin", "off", "sail", "set"];
#[rustfmt::skip]
const BACK: &[&str] = &[
    "back", "return", "returning", "returns", "close", "next", "similar", "due", "thanks", "according",
    "regreso", "vuelta", "regresar", "volver", "regresando", "home", "volviendo",
];
#[rustfmt::skip]
const WAYS: &[&str] = &[
    "trip", "travel", "go", "going", "fly", "flying", "heading", "head", "flight", "flights", "journey",
    "vacation", "getaway", "trips", "viaje", "viajar", "ir", "voy", "vamos", "vuelo", "escapada", "get",
    "traveling", "travelling", "tour", "visit", "excursion", "holiday", "honeymoon", "move", "drive", "road",
    "trek", "vacaciones", "train", "tickets", "way", "adventure", "itinerary", "return", "weekend", "days",
    "viajes",
];

/// The role told by the words before a name.
pub(super) fn claim(text: &Text<'_>, name: &Name, lower: bool) -> Option<Claim> {
    if let Some(found) = by_words_after(text, name) {
        return Some(found);
    }
    if name.from == 0 {
        return by_noun_after(text, name);
    }
    let at = before_fillers(text, name.from);
    let told = text.before(name.from, name.from.saturating_sub(at));
    let found = by_word(text, name, at, told).or_else(|| by_noun_after(text, name))?;
    (!lower || is_clear_without_capitals(text, at, told)).then_some(found)
}

/// A name in a list has the role of the one before it; a list of starting points does not exist.
pub(super) fn inherited(text: &Text<'_>, previous: &Name, claim: Option<Claim>) -> Option<Claim> {
    let claim = claim.filter(|claim| claim.role == Role::Destination)?;
    text.same_sentence(previous.from, previous.next).then_some(claim)
}

/// The position of the word that tells the role, stepping back over articles and praise.
fn before_fillers(text: &Text<'_>, from: usize) -> usize {
    let mut at = from.saturating_sub(1);
    while at > 0 && text.is(at, FILLERS) {
        at = at.saturating_sub(1);
    }
    let of = text.is(at, &["of", "de"])
        && text.is(at.saturating_sub(1), &["city", "state", "town", "ciudad", "estado"]);
    if of && at >= 2 {
        at = at.saturating_sub(2);
        while at > 0 && text.is(at, FILLERS) {
            at = at.saturating_sub(1);
        }
    }
    at
}

fn by_word(text: &Text<'_>, name: &Name, at: usize, told: &str) -> Option<Claim> {
    let earlier = text.before(at, 1);
    let origin = |strength| Some(Claim { role: Role::Origin, strength });
    let destination = |strength| Some(Claim { role: Role::Destination, strength });
    match told {
        "from" | "desde" => {
            if is_among(earlier, BACK) {
                None
            } else {
                origin(3)
            }
        }
        "to" | "into" | "toward" | "towards" | "hacia" | "hasta" | "al" => towards(earlier),
        "a" if text.language == Language::Es => towards(earlier),
        "de" => out_of_spanish(text, name, at),
        "in" | "at" | "en" => inside(text, at),
        "departing" | "leaving" | "depart" | "leave" | "origin" | "origen" | "out" => origin(3),
        "destination" | "destino" => destination(4),
        "for" => bound_for(earlier),
        "para" => destination(1),
        "of" => match earlier {
            "out" => origin(3),
            earlier if is_among(earlier, PLACES_WORDS) => destination(4),
            "tour" | "exploration" | "visit" | "heart" | "streets" => destination(3),
            _ => None,
        },
        "near" | "cerca" | "around" | "across" | "through" | "throughout" | "within" | "por"
        | "alrededor" => destination(2),
        "between" | "entre" => origin(2),
        "and" | "y" => text
            .is(at.saturating_sub(2), &["between", "entre"])
            .then_some(Claim { role: Role::Destination, strength: 2 }),
        "via" => Some(Claim { role: Role::Other, strength: 1 }),
        "is" | "being" | ":" | "es" | "sera" | "as" | "will" | "be" => defined(text, at),
        "see" | "seeing" | "ver" => destination(3),
        told if VISIT_STEMS.iter().any(|stem| told.starts_with(stem)) => destination(3),
        _ => None,
    }
}

fn towards(earlier: &str) -> Option<Claim> {
    let role = if is_among(earlier, BACK) { Role::Other } else { Role::Destination };
    Some(Claim { role, strength: 3 })
}

fn bound_for(earlier: &str) -> Option<Claim> {
    if LEAVE_FOR.iter().any(|stem| earlier.starts_with(stem)) {
        return Some(Claim { role: Role::Destination, strength: 3 });
    }
    let planned =
        ["itinerary", "plan", "trip", "guide", "vacation", "tour", "tickets", "visa", "getaway", "holiday"];
    planned.contains(&earlier).then_some(Claim { role: Role::Destination, strength: 1 })
}

/// `saliendo de Lima`, `viaje de Lima a Cusco`, `tres ciudades de Italia`.
fn out_of_spanish(text: &Text<'_>, name: &Name, at: usize) -> Option<Claim> {
    let earlier = text.before(at, 1);
    if is_among(earlier, PLACES_WORDS) {
        return Some(Claim { role: Role::Destination, strength: 4 });
    }
    let leaves = (1..=3).any(|back| {
        let key = text.before(at, back);
        SPANISH_START_STEMS.iter().any(|stem| key.starts_with(stem))
    });
    let goes_on = text.is(name.next, &["a", "hasta", "hacia", "para"]);
    (leaves || goes_on).then_some(Claim { role: Role::Origin, strength: 3 })
}

/// `in Paris`: an origin if a start is spoken of just before, else where the journey goes.
fn inside(text: &Text<'_>, at: usize) -> Option<Claim> {
    if PLACES_WORDS.contains(&text.before(at, 1)) {
        return Some(starts(text, at).unwrap_or(Claim { role: Role::Destination, strength: 4 }));
    }
    Some(starts(text, at).unwrap_or(Claim { role: Role::Destination, strength: 2 }))
}

fn starts(text: &Text<'_>, at: usize) -> Option<Claim> {
    for back in 1..=8 {
        let key = text.before(at, back);
        // The comma of "March 3, 2022" ends no clause.
        let in_date = key == "," && text.before(at, back.saturating_sub(1)).parse::<u16>().is_ok();
        if in_date {
            continue;
        }
        let spanish =
            text.language == Language::Es && SPANISH_START_STEMS.iter().any(|stem| key.starts_with(stem));
        if spanish || START_STEMS.iter().any(|stem| key.starts_with(stem)) {
            return Some(Claim { role: Role::Origin, strength: 3 });
        }
        if is_among(key, HOME) {
            return Some(Claim { role: Role::Origin, strength: 2 });
        }
        if matches!(
            key,
            "" | "," | "for" | "to" | "with" | "and" | "y" | "con" | "para" | "cities" | "ciudades"
        ) {
            return None;
        }
    }
    None
}

/// `our destination is Rome`, `departure city: Oslo`.
fn defined(text: &Text<'_>, at: usize) -> Option<Claim> {
    for back in 1..=5 {
        match text.before(at, back) {
            "destination" | "destino" | "goal" | "to" => {
                return Some(Claim { role: Role::Destination, strength: 4 });
            }
            "origin" | "departure" | "starting" | "start" | "origen" | "salida" | "partida" | "home"
            | "base" | "from" => {
                return Some(Claim { role: Role::Origin, strength: 4 });
            }
            "" => return None,
            _ => {}
        }
    }
    None
}

/// `with Oslo as the starting point`, `Rome being our destination`.
fn by_words_after(text: &Text<'_>, name: &Name) -> Option<Claim> {
    let after = text.any_phrase(name.next, &["as", "being", "is", "como", "es", "will be", "sera"])?;
    let noun = text
        .any_phrase(after, &["the", "our", "my", "a", "el", "la", "mi", "nuestro", "nuestra"])
        .unwrap_or(after);
    let role = match text.key(noun) {
        "starting" | "start" | "departure" | "origin" | "base" | "origen" | "salida" | "partida"
        | "punto" => Role::Origin,
        "destination" | "final" | "destino" | "goal" => Role::Destination,
        _ => return None,
    };
    Some(Claim { role, strength: 4 })
}

/// `a Paris trip`, `our Tokyo itinerary`.
fn by_noun_after(text: &Text<'_>, name: &Name) -> Option<Claim> {
    let hyphen = usize::from(text.is(name.next, &["-"]));
    let noun = text.is(
        name.next.saturating_add(hyphen),
        &["trip", "vacation", "getaway", "itinerary", "holiday", "adventure", "bound"],
    );
    let ordinary = text
        .is(name.from, &["solo", "business", "family", "road", "round", "day", "weekend", "travel", "craft"]);
    (noun && name.from > 0 && !ordinary).then_some(Claim { role: Role::Destination, strength: 1 })
}

/// Without capitals only words that speak of going make a place.
fn is_clear_without_capitals(text: &Text<'_>, at: usize, told: &str) -> bool {
    match told {
        "from" | "desde" | "visiting" | "departing" | "hacia" | "visitar" | "destination" | "exploring"
        | "explore" => true,
        "to" | "a" => (1..=4).any(|back| {
            WAYS.contains(&text.before(at, back)) || matches!(text.before(at, back), "from" | "de" | "desde")
        }),
        "in" | "en" => (1..=2).any(|back| {
            WAYS.contains(&text.before(at, back))
                || PLACES_WORDS.contains(&text.before(at, back))
                || text.before(at, back).starts_with("start")
        }),
        "de" => (1..=2).any(|back| {
            matches!(text.before(at, back), "viaje" | "saliendo" | "partiendo" | "vuelo" | "viajar")
        }),
        _ => false,
    }
}
