//! How many people take part. Counts who is named; guesses nobody.

use super::text::{Text, is_among};
use super::{Extracted, Language, Notes, numbers, push_new};

/// A number of people, with how clearly it is said.
#[derive(Clone, Copy, Debug)]
struct Count {
    people: u32,
    strength: u8,
    next: usize,
    guessed: bool,
}

#[rustfmt::skip]
const HEADS: &[&str] = &[
    "people", "persons", "person", "travelers", "travellers", "traveler", "traveller", "adults", "adult",
    "guests", "individuals", "individual", "participants", "attendees", "passengers", "passenger", "tourists",
    "tourist", "members", "personas", "persona", "viajeros", "viajero", "adultos", "adulto", "invitados",
    "asistentes", "pasajeros", "pax", "participantes", "students", "employees", "estudiantes", "empleados",
    "ppl", "vacationers", "explorers", "amigos", "amigas", "friends",
];
#[rustfmt::skip]
const YOUNG: &[&str] = &[
    "children", "child", "kids", "kid", "infants", "infant", "ninos", "nino", "nina", "ninas", "bebe",
    "toddlers", "toddler", "hijos", "teenagers",
];
/// What an article may count.
#[rustfmt::skip]
const ONE: &[&str] = &[
    "person", "individual", "adult", "traveler", "traveller", "tourist", "passenger", "persona", "viajero",
    "adulto", "nino", "nina", "child", "kid", "infant", "toddler", "bebe", "baby",
];
/// Words for a group, right before `of four`.
#[rustfmt::skip]
const GROUPS: &[&str] = &[
    "group", "party", "family", "team", "trio", "grupo", "familia", "equipo", "crew", "squad", "household",
    "pack", "band", "groups",
];
/// One other person, as in `my wife and I`.
#[rustfmt::skip]
const COMPANIONS: &[&str] = &[
    "wife", "husband", "partner", "girlfriend", "boyfriend", "spouse", "friend", "fiance", "fiancee",
    "mother", "father", "mom", "dad", "brother", "sister", "son", "daughter", "esposa", "esposo", "marido",
    "mujer", "pareja", "novia", "novio", "amigo", "amiga", "madre", "padre", "hermano", "hermana", "hijo",
    "hija", "colleague", "buddy", "roommate",
];
#[rustfmt::skip]
const ALONE: &[&str] = &[
    "by myself", "on my own", "just me", "just myself", "only me", "for myself", "a single traveler",
    "single traveler", "single person", "lone traveler", "por mi cuenta", "yo solo", "yo sola", "a solas",
    "single individual", "lone traveller", "sole traveler", "single occupant", "unaccompanied", "for one .",
    "for one ,", "for one from", "for one with", "para mi solo", "para mi sola", "en solitario",
];
/// What may stand after `for two` for it to mean people.
#[rustfmt::skip]
const AFTER_BARE: &[&str] = &[
    "", ".", ",", "?", "!", ";", ")", "with", "from", "in", "on", "departing", "to", "starting", "and", "who",
    "leaving", "con", "desde", "en", "del", "y", "que", "saliendo", "between", "at", "during", "that",
    "traveling", "travelling", "going", "-",
];

/// Reads the number of people.
pub(super) fn fill(text: &Text<'_>, travel: bool, extracted: &mut Extracted, notes: &mut Notes) {
    let mut best: Option<Count> = None;
    let mut at = 0;
    while at < text.len() {
        let Some(found) = count(text, at, travel) else {
            at = at.saturating_add(1);
            continue;
        };
        notes.mark_used(at, found.next);
        at = found.next.max(at.saturating_add(1));
        match best {
            Some(known) if is_contrary(known, found, travel) => {
                push_new(&mut notes.doubts, conflict(known.people, found.people));
            }
            Some(known) if known.strength >= found.strength => {}
            _ => best = Some(found),
        }
    }
    let lone =
        || (travel && speaks_alone(text)).then_some(Count { people: 1, strength: 0, next: 0, guessed: true });
    let Some(best) = best.or_else(lone) else { return };
    extracted.people = Some(best.people);
    if best.guessed {
        notes.guess(format!("how many people go: {}", best.people));
    }
}

/// Whether the one who travels says "I" and never "we".
fn speaks_alone(text: &Text<'_>) -> bool {
    const I: &[&str] = &["i", "i'm", "i'll", "i've", "i'd", "viajo", "voy", "viajare", "ire", "salgo"];
    #[rustfmt::skip]
    const WE: &[&str] = &[
        "we", "we're", "we'll", "we'd", "we've", "our", "us", "family", "friends", "kids", "children",
        "group", "together", "couple", "nosotros", "nuestro", "nuestra", "familia", "amigos", "amigas",
        "hijos", "ninos", "grupo", "pareja", "team", "equipo", "my",
    ];
    let mut alone = false;
    for (at, token) in text.tokens().iter().enumerate() {
        let key = token.key.as_ref();
        let own = key == "my" && !text.is(at.saturating_add(1), COMPANIONS);
        if is_among(key, WE) && !own {
            return false;
        }
        alone |= I.contains(&key);
    }
    alone
}

/// Outside of journeys a smaller number is part of the larger: "for 8 people; two guests are late".
fn is_contrary(known: Count, found: Count, travel: bool) -> bool {
    known.strength == found.strength
        && known.people != found.people
        && (travel || found.people > known.people)
}

fn conflict(one: u32, other: u32) -> String {
    format!("Two numbers of people are named: {one} and {other}.")
}

fn count(text: &Text<'_>, at: usize, travel: bool) -> Option<Count> {
    group(text, at)
        .or_else(|| heads(text, at))
        .or_else(|| companions(text, at))
        .or_else(|| couple(text, at))
        .or_else(|| alone(text, at))
        .or_else(|| bare(text, at, travel))
}

/// `group of 4`, `family of four`, `party of 5`, `a group consisting of 3`, `familia de cuatro`.
fn group(text: &Text<'_>, at: usize) -> Option<Count> {
    if !text.is(at, GROUPS) {
        return None;
    }
    let after = at.saturating_add(1);
    let of = text.any_phrase(
        after,
        &[
            "of",
            "de",
            "consisting of",
            "comprising",
            "size of",
            "with",
            "formado por",
            "made up of",
            "totaling",
            "totalling",
            "size :",
            "size is",
            "comprised of",
            "composed of",
        ],
    )?;
    let number = numbers::read(text, of)?;
    let people = number.whole().filter(|&people| people > 0)?;
    let next = number.next.saturating_add(usize::from(text.is(number.next, HEADS)));
    Some(Count { people, strength: 5, next, guessed: false })
}

/// `2 people`, `two adults and a child`, `one person`, `three of us`, `with 3 friends`.
fn heads(text: &Text<'_>, at: usize) -> Option<Count> {
    let (mut people, mut next, unit) = counted_heads(text, at)?;
    let friends = matches!(unit, "friends" | "amigos" | "amigas");
    let with = matches!(text.before(at, 1), "with" | "con");
    if friends && (with || text.is(at.saturating_sub(1), &["my"])) {
        people = people.checked_add(1)?;
    }
    while let Some((more, after)) = more_heads(text, next) {
        people = people.checked_add(more)?;
        next = after;
    }
    // "children under 10" tells an age and "per person" a rate.
    let young_alone = is_among(unit, YOUNG) && next == at.saturating_add(2);
    if young_alone
        || matches!(text.before(at, 1), "per" | "por" | "each" | "every") && unit.ends_with("person")
    {
        return None;
    }
    Some(Count { people, strength: 4, next, guessed: false })
}

fn counted_heads<'a>(text: &'a Text<'_>, at: usize) -> Option<(u32, usize, &'a str)> {
    let number = numbers::read_or_article(text, at)?;
    let hyphen = usize::from(text.key(number.next) == "-" && text.is_glued(number.next));
    let mut unit = number.next.saturating_add(hyphen);
    let adjective = [
        "solo",
        "single",
        "young",
        "adult",
        "lone",
        "other",
        "different",
        "older",
        "senior",
        "adventurous",
        "independent",
        "small",
    ];
    if text.is(unit, &adjective)
        && (text.is(unit.saturating_add(1), HEADS) || text.is(unit.saturating_add(1), YOUNG))
    {
        unit = unit.saturating_add(1);
    }
    let of_us = text.any_phrase(unit, &["of us", "de nosotros", "of you"]);
    let people = number.whole().filter(|&people| people > 0)?;
    if let Some(next) = of_us {
        return Some((people, next, "us"));
    }
    let key = text.key(unit);
    let article = text.is(at, &["a", "an", "un", "una"]);
    let known = is_among(key, HEADS) || is_among(key, YOUNG);
    // "a person" may be one; "a friends" is a slip, and "a family" is counted elsewhere.
    let vague = article && !is_among(key, ONE);
    (known && !vague).then_some((people, unit.saturating_add(1), key))
}

fn more_heads(text: &Text<'_>, at: usize) -> Option<(u32, usize)> {
    let joint = text.any_phrase(at, &[", and", "and", ",", "y", "plus", "with", "con", "mas", "+", "&"])?;
    let (people, next, _) = counted_heads(text, joint)?;
    Some((people, next))
}

/// `my wife and I`, `me and my friend`, `with my partner`, `mi esposa y yo`.
fn companions(text: &Text<'_>, at: usize) -> Option<Count> {
    if !text.is(at, &["my", "mi", "a"]) {
        return None;
    }
    let companion = at.saturating_add(1);
    let other = (companion..=companion.saturating_add(1)).find(|&near| text.is(near, COMPANIONS))?;
    let after = other.saturating_add(1);
    let mut people = 2_u32;
    let mut next = after;
    while let Some((more, end)) = more_company(text, next) {
        people = people.checked_add(more)?;
        next = end;
    }
    let me_after =
        text.any_phrase(next, &["and i", "and me", "and myself", "y yo", ", and i", ", and myself"]);
    let me_before =
        matches!((text.before(at, 2), text.before(at, 1)), ("me" | "myself", "and") | ("yo", "y"));
    let with = matches!(text.before(at, 1), "with" | "con");
    if me_after.is_some() || me_before {
        return Some(Count { people, strength: 4, next: me_after.unwrap_or(next), guessed: false });
    }
    with.then_some(Count { people, strength: 3, next, guessed: true })
}

/// `, our two kids`, `and two children`.
fn more_company(text: &Text<'_>, at: usize) -> Option<(u32, usize)> {
    let joint = text.any_phrase(at, &[", and", "and", ",", "y", "con", "with"])?;
    let own = usize::from(text.is(joint, &["our", "my", "nuestros", "mis", "mi", "nuestras"]));
    let number_at = joint.saturating_add(own);
    if own == 1 && text.is(number_at, COMPANIONS) {
        return Some((1, number_at.saturating_add(1)));
    }
    let (people, next, _) = counted_heads(text, number_at)?;
    Some((people, next))
}

/// `a couple` that is not `a couple of days`, `a pair of travelers`, `en pareja`, `a honeymoon`.
fn couple(text: &Text<'_>, at: usize) -> Option<Count> {
    let two = |strength, next, guessed| Some(Count { people: 2, strength, next, guessed });
    if let Some(next) = text.any_phrase(
        at,
        &[
            "couple of people",
            "pair of travelers",
            "pair of friends",
            "couple of friends",
            "pair of people",
            "couple of travelers",
            "en pareja",
            "both of us",
            "nosotros dos",
            "duo",
            "los dos",
            "couple of adults",
            "pair of adults",
        ],
    ) {
        return two(4, next, false);
    }
    let next = at.saturating_add(1);
    let article = matches!(
        text.before(at, 1),
        "a" | "una" | "as" | "the" | "married" | "our" | "young" | "elderly" | "retired"
    );
    if article && text.is(at, &["couple", "pareja"]) && !text.is(next, &["of", "de"]) {
        return two(3, next, false);
    }
    if text.phrase(at, "luna de miel").is_some() || text.is(at, &["honeymoon", "newlyweds"]) {
        return two(1, next, true);
    }
    None
}

fn alone(text: &Text<'_>, at: usize) -> Option<Count> {
    let one = |next| Some(Count { people: 1, strength: 3, next, guessed: false });
    if let Some(next) = text.any_phrase(at, ALONE) {
        return one(next);
    }
    let next = at.saturating_add(1);
    match (text.key(at), text.language) {
        ("solo" | "alone", Language::En) if text.before(at, 1) != "let" => one(next),
        // In Spanish "solo" is also "only": it must stand beside the journey or end its clause.
        ("solo" | "sola", Language::Es) if is_lone_traveller(text, at) => one(next),
        _ => None,
    }
}

fn is_lone_traveller(text: &Text<'_>, at: usize) -> bool {
    let before = text.before(at, 1);
    let journey = before.starts_with("viaj") || matches!(before, "voy" | "ire" | "ir" | "yo" | "persona");
    let from = text.window_start(at, 4);
    let near = (from..at).any(|near| text.key(near).starts_with("viaj"));
    journey || (near && text.is(at.saturating_add(1), &[",", ".", "", "con", "y", "desde", "de"]))
}

/// `for two`, `somos cuatro`, `we are 3`, `party size: 4`, `people: 4`.
fn bare(text: &Text<'_>, at: usize, travel: bool) -> Option<Count> {
    let leads = [
        "somos",
        "we are",
        "we're",
        "there are",
        "there will be",
        "seremos",
        "vamos",
        "people :",
        "travelers :",
        "personas :",
        "viajamos",
        "viajeros :",
        "number of people :",
        "party size :",
        "party :",
        "group :",
    ];
    let strict = ["for", "para"];
    let lead = text.any_phrase(at, &leads);
    let start = lead.or_else(|| text.any_phrase(at, &strict))?;
    let number = numbers::read(text, start)?;
    let people = number.whole().filter(|&people| people > 0 && people <= 1_000)?;
    let words = !text.is_number(start);
    let ends = text.is(number.next, AFTER_BARE)
        || number.next >= text.len()
        || !text.same_sentence(start, number.next);
    let sets_out = text.is(number.next, &["from", "departing", "starting", "leaving", "traveling"]);
    let fits = if lead.is_some() {
        ends || text.is(number.next, &["traveling", "of"])
    } else {
        (words && ends) || sets_out || (travel && ends && people < 30)
    };
    fits.then_some(Count { people, strength: 2, next: number.next, guessed: false })
}
