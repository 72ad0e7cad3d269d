//! Wishes about lodging and transport, under the labels that travel catalogues use.
//!
//! Each wish is a word that is either wanted or refused, by the words around it. What is refused and has no
//! label of its own is handed back, to be listed with what must not be.

use super::text::{Text, is_among};
use super::{Extracted, LocalConstraint, cuisine, push_new};

#[rustfmt::skip]
const LODGING: &[&str] = &[
    "accommodation", "accommodations", "accomodation", "accomodations", "lodging", "lodgings", "room",
    "rooms", "hotel", "hotels", "airbnb", "hostel", "rental", "rentals", "alojamiento", "alojamientos",
    "hospedaje", "habitacion", "habitaciones", "apartamento",
];
/// Nouns that a room type belongs to.
#[rustfmt::skip]
const ROOMS: &[&str] = &[
    "room", "rooms", "accommodation", "accommodations", "lodging", "lodgings", "space", "spaces", "home",
    "homes", "apartment", "apartments", "place", "house", "unit", "units", "property", "habitacion",
    "habitaciones", "cuarto", "cuartos", "alojamiento", "apartamento", "casa", "quarters", "bedroom",
    "bedrooms", "suite", "suites", "ones", "piso", "lodgement", "housing", "stays", "rentals", "rental",
];
#[rustfmt::skip]
const NEGATORS: &[&str] = &[
    "no", "not", "non", "without", "never", "avoid", "avoids", "avoiding", "avoided", "exclude", "excludes",
    "excluding", "excluded", "except", "refrain", "refraining", "free", "opposed", "against", "instead",
    "rather", "other", "skip", "skipping", "rule", "ruling", "don't", "doesn't", "won't", "can't", "cannot",
    "isn't", "aren't", "shouldn't", "wouldn't", "out", "off", "dislike", "hate", "afraid", "fear", "minus",
    "sin", "evitar", "evitando", "evita", "evitemos", "nunca", "excepto", "salvo", "nada", "tampoco", "lugar",
    "descartar", "neither", "nor", "ni", "unable", "unwilling", "omit", "omitting", "bar", "eschew", "forgo",
];
const PROHIBITORS: &[&str] = &["prohibit", "ban", "forbid", "restrict", "disallow", "prohib", "against"];
const CLAUSE_ENDS: &[&str] =
    &[",", "and", "but", "y", "pero", ";", ":", "(", ")", "while", "although", "as", "since"];
#[rustfmt::skip]
const LINKS: &[&str] = &[
    "is", "are", "should", "must", "be", "isn't", "aren't", "shouldn't", "will", "won't", "would", "to", "es",
    "son", "deben", "debe", "not", "no", "-", "being", "were", "has", "have", "needs", "need", "ought",
    "quedan", "estan",
];
#[rustfmt::skip]
const WELCOMES: &[&str] = &[
    "allow", "allows", "allowed", "allowing", "permit", "permits", "permitted", "permitting", "friendly",
    "accept", "accepts", "accepting", "accepted", "welcome", "welcomes", "welcoming", "welcomed", "suitable",
    "accommodate", "accommodates", "accommodating", "permitan", "permita", "permite", "permiten", "acepten",
    "acepte", "admitan", "admita", "admiten", "apto", "suited", "okay", "ok", "fit", "appropriate",
    "tolerate",
];

/// Reads the wishes; hands back what is refused.
pub(super) fn fill(text: &Text<'_>, travel: bool, extracted: &mut Extracted) -> Vec<String> {
    let lodging = text.tokens().iter().any(|token| is_among(&token.key, LODGING));
    let mut refused = Vec::new();
    if !travel && !lodging {
        return refused;
    }
    let mut found = LocalConstraint::default();
    for at in 0..text.len() {
        if let Some((rule, wanted)) = house_rule(text, at) {
            if !wanted {
                push_new(&mut refused, rule.to_owned());
            } else if found.house_rule.is_none() {
                found.house_rule = Some(rule.to_owned());
            } else if found.house_rule.as_deref() != Some(rule) {
                push_new(&mut extracted.must, format!("{rule} allowed"));
            }
        }
        if found.room_type.is_none() {
            found.room_type = room_type(text, at).map(str::to_owned);
        }
        transport(text, at, &mut found, &mut refused);
    }
    let (wanted, unwanted) = cuisine::find(text);
    found.cuisine = wanted;
    refused.extend(unwanted.into_iter().map(|cuisine| format!("{cuisine} cuisine")));
    extracted.local_constraint = (found != LocalConstraint::default()).then_some(found);
    refused
}

/// Whether the word from `at` up to `next` is refused: an odd number of words that say no around it.
fn is_refused(text: &Text<'_>, at: usize, next: usize) -> bool {
    let mut noes = 0_u32;
    let from = text.window_start(at, 8);
    for near in (from..at).rev() {
        if text.is(near, CLAUSE_ENDS) {
            break;
        }
        noes += says_no(text, near);
    }
    // "no smoking restrictions" says no twice.
    noes += u32::from(forbids(text.key(next)));
    // What follows "pet-friendly" is about something else.
    let welcome = text.any_phrase(next, &["- friendly", "friendly"]).is_some();
    if !welcome && (text.is(next, LINKS) || text.is(next, &["free"])) {
        for near in next..text.window_end(next, 6) {
            if text.is(near, CLAUSE_ENDS) {
                break;
            }
            noes += says_no(text, near);
        }
    }
    noes % 2 == 1
}

fn says_no(text: &Text<'_>, at: usize) -> u32 {
    let key = text.key(at);
    // "not only" and "no problem with" refuse nothing; "other" needs its "than".
    let harmless = text.is(at.saturating_add(1), &["only", "problem", "issue", "solo", "just", "mind"])
        || (matches!(key, "other" | "rather") && !text.is(at.saturating_add(1), &["than", "not", "avoid"]))
        || (key == "rather" && text.is(at.saturating_add(1), &["not", "avoid"]))
        || (key == "lugar" && text.before(at, 1) != "en")
        || (key == "free" && text.before(at, 1) != "-")
        || (key == "out" && !text.is(at.saturating_add(1), &["of", ".", "", ","]))
        || (key == "bar" && !text.is(at.saturating_add(1), &["any"]));
    u32::from((is_among(key, NEGATORS) || forbids(key)) && !harmless)
}

fn forbids(key: &str) -> bool {
    PROHIBITORS.iter().any(|stem| key.starts_with(stem))
}

/// The label of a house rule, and whether it is to be allowed.
fn house_rule(text: &Text<'_>, at: usize) -> Option<(&'static str, bool)> {
    let next = at.saturating_add(1);
    let label = match text.key(at) {
        "pet" | "pets" | "dog" | "dogs" | "cat" | "cats" | "mascota" | "mascotas" | "perro" | "perros"
        | "gato" | "furry" | "puppy" => "pets",
        "smoke" | "smoking" | "smokers" | "smoker" | "fumar" | "fumadores" | "cigarettes" | "smokes" => {
            "smoking"
        }
        "parties" | "fiestas" if text.before(at, 1) != "third" => "parties",
        "party" | "fiesta" if is_feast(text, at) => "parties",
        "partying" => "parties",
        "visitor" | "visitors" | "visitantes" | "visitas"
            if is_welcome(text, at) || is_received(text, at) =>
        {
            "visitors"
        }
        "children" | "kids" | "child" | "kid" | "ninos" | "infants" | "toddlers" | "youngsters"
            if is_young(text, at) || is_welcome(text, at) =>
        {
            "children under 10"
        }
        _ => return None,
    };
    Some((label, !is_refused(text, at, next)))
}

/// `throw a party`, `party-friendly`, but not `party of five`.
fn is_feast(text: &Text<'_>, at: usize) -> bool {
    let friendly = text.any_phrase(at.saturating_add(1), &["- friendly", "friendly", "is allowed"]).is_some();
    let hosts = [
        "host",
        "hosting",
        "throw",
        "throwing",
        "have",
        "hold",
        "holding",
        "allow",
        "hacer",
        "organizar",
        "having",
    ];
    let from = text.window_start(at, 3);
    friendly
        || (!text.is(at.saturating_add(1), &["of", "size", "de"])
            && (from..at).any(|near| text.is(near, &hosts)))
}

/// `have visitors over`, `receive visitors`.
fn is_received(text: &Text<'_>, at: usize) -> bool {
    let hosts =
        ["rule", "rules", "have", "host", "hosting", "receive", "receiving", "invite", "having", "recibir"];
    (text.window_start(at, 3)..at).any(|near| text.is(near, &hosts))
}

/// `under 10`, `younger than ten`, `menores de 10`.
fn is_young(text: &Text<'_>, at: usize) -> bool {
    let near = text.window_end(at, 9);
    let age = (at..near).any(|next| text.is(next, &["10", "ten", "diez"]));
    let below = (at..near)
        .any(|next| text.is(next, &["under", "below", "younger", "less", "menores", "than", "age", "aged"]));
    age && below
}

fn is_welcome(text: &Text<'_>, at: usize) -> bool {
    let from = text.window_start(at, 8);
    let spoken = |near: usize| text.is(near, WELCOMES) || forbids(text.key(near));
    (from..at).any(spoken) || (at..text.window_end(at, 8)).any(spoken)
}

fn room_type(text: &Text<'_>, at: usize) -> Option<&'static str> {
    let next = at.saturating_add(1);
    match text.key(at) {
        "entire" | "whole" | "entera" | "entero" | "enteras" | "completa" | "completo"
            if is_room_near(text, at, 2) =>
        {
            Some("entire room")
        }
        "private" | "privada" | "privadas" | "privado" | "privados" if is_room_near(text, at, 4) => {
            (!is_refused(text, at, next)).then_some("private room")
        }
        "shared" | "compartida" | "compartidas" | "compartido" | "compartidos" | "communal"
            if is_room_near(text, at, 4) =>
        {
            Some(if is_refused(text, at, next) { "not shared room" } else { "shared room" })
        }
        "share" | "sharing" | "compartir" if is_room_near(text, at, 5) => {
            Some(if is_refused(text, at, next) { "not shared room" } else { "shared room" })
        }
        "unshared" => Some("not shared room"),
        "to" if text.is(next, &["ourselves", "myself", "yourself"]) && is_room_near(text, at, 5) => {
            Some("entire room")
        }
        _ => None,
    }
}

/// Whether a room is spoken of up to `reach` tokens ahead, or a little farther behind.
fn is_room_near(text: &Text<'_>, at: usize, reach: usize) -> bool {
    let ahead = (at..text.window_end(at, reach.saturating_add(1))).any(|near| text.is(near, ROOMS));
    let behind = (text.window_start(at, reach.saturating_add(4))..at)
        .any(|near| text.is(near, ROOMS) && !text.is(near, &["place", "home"]));
    ahead || behind
}

fn transport(text: &Text<'_>, at: usize, found: &mut LocalConstraint, refused: &mut Vec<String>) {
    let Some((label, next)) = means(text, at) else { return };
    let over = matches!(text.before(at, 1), "over") && text.window_start(at, 8) < at;
    if !is_refused(text, at, next) && !over {
        return;
    }
    match found.transportation.as_deref() {
        None => found.transportation = Some(label.to_owned()),
        Some(known) if known == label => {}
        Some(_) => push_new(refused, label.trim_start_matches("no ").to_owned()),
    }
}

/// The label of refusing the means of transport named here, and the position after its name.
fn means(text: &Text<'_>, at: usize) -> Option<(&'static str, usize)> {
    #[rustfmt::skip]
    const FLIGHTS: &[&str] = &[
        "flight", "flights", "flying", "fly", "airplane", "airplanes", "plane", "planes", "air travel",
        "air transportation", "airlines", "airline transportation", "airline travel", "airline", "air transport", "aircraft", "vuelo", "vuelos", "avion", "aviones",
        "volar", "airfare", "via aerea",
    ];
    #[rustfmt::skip]
    const DRIVES: &[&str] = &[
        "self - driving", "self driving", "self - drive", "self - driven", "selfdriving", "self drive",
        "driving", "drive", "rental car", "rental cars", "conducir", "manejar", "alquilar coche",
        "alquilar un coche", "coche", "carro", "car rental", "rent a car", "car", "cars", "auto",
    ];
    if let Some(next) = text.any_phrase(at, FLIGHTS) {
        return Some(("no flight", next));
    }
    // "driving" in "self-driving" was read with its first word.
    if text.is(at, &["driving", "drive"])
        && matches!((text.before(at, 2), text.before(at, 1)), (_, "self") | ("self", "-"))
    {
        return None;
    }
    text.any_phrase(at, DRIVES).map(|next| ("no self-driving", next))
}
