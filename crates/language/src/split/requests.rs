//! What is asked for in a sentence, once the politeness around it is taken off.

use candor_text::{Rule, WordSet, fold};

use super::cues::{leading, strip_any};
use super::limits::{behind_condition, is_limit};
use super::verbs::{acts_on, has_clitic, tells_me};
use super::vocabulary::VERBS;
use super::wishes::WISHED_THAT;

/// How plainly a sentence asks for something to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It states something.
    Statement,
    /// It says what the person is after: "I need help with …", "I'm interested in …".
    Wish,
    /// It asks or commands.
    Request,
}

/// A sentence without its politeness.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// How plainly it asks.
    pub(super) strength: Strength,
    /// What it asks for.
    pub(super) what: &'a str,
}

/// Reads what a sentence asks for.
pub(super) fn read(sentence: &str) -> Asked<'_> {
    let mut what = after_frame(sentence.trim()).trim();
    let mut strength = Strength::Statement;
    for _ in 0..4 {
        if let Some(rest) = strip_any(what, POLITE).or_else(|| strip_any(what, WISHED_THAT)) {
            (strength, what) = (Strength::Request, rest);
        } else if let Some(rest) = strip_any(what, WISHES).or_else(|| would_be_good(what)) {
            (strength, what) = (strength.max(Strength::Wish), rest);
        } else {
            break;
        }
    }
    if strip_any(what, FORBIDDING).is_some() {
        return Asked { strength: Strength::Statement, what: sentence.trim() };
    }
    let asks = starts_with_verb(what)
        || asks_after_opening(what)
        || sentence.trim_end_matches(['"', ' ']).ends_with('?');
    let strength = if asks { strength.max(Strength::Request) } else { strength };
    // Nothing may be left: "Please help me."
    if what.chars().any(char::is_alphanumeric) {
        Asked { strength, what }
    } else {
        Asked { strength: Strength::Statement, what: sentence.trim() }
    }
}

/// "It would be lovely if you could also …" wishes what follows, whatever the adjective.
fn would_be_good(text: &str) -> Option<&str> {
    const ADJECTIVES: usize = 3;
    let rest = strip_any(text, &["it would be", "it'd be", "sería", "estaría"])?;
    let (adjective, rest) =
        [" if you could ", " if you can ", " que "].iter().find_map(|it| rest.split_once(it))?;
    let rest = strip_any(rest, &["also", "también"]).unwrap_or(rest);
    (adjective.split_whitespace().count() <= ADJECTIVES).then_some(rest)
}

/// "I'm planning a trip and would like to …": what comes before the wish is only its background.
fn after_frame(sentence: &str) -> &str {
    let lower = sentence.to_ascii_lowercase();
    if !FRAMES.iter().any(|frame| lower.starts_with(frame)) {
        return sentence;
    }
    let joint = JOINED_WISHES.iter().filter_map(|joint| Some((lower.find(joint)?, *joint))).min();
    let rest = joint.and_then(|(at, joint)| sentence.get(at + joint.len()..));
    rest.unwrap_or(sentence)
}

/// "For the party, book a band": the command comes behind a circumstance. Behind a condition a weak verb commands too:
/// "Unless the gym is closed, keep room 12 free".
fn asks_after_opening(text: &str) -> bool {
    let command = behind_opening(text);
    let what = || read(command).what;
    command.len() < text.len()
        && (starts_with_strong_verb(what())
            || (behind_condition(text).len() < text.len() && starts_with_weak_verb(what())))
}

/// What stands behind the circumstance or the condition that a text begins with; all of it if it begins with none.
pub(super) fn behind_opening(text: &str) -> &str {
    let ends = |rest: &str| [", ", ": "].iter().filter_map(|mark| rest.find(mark)).min();
    let behind = strip_any(text, CIRCUMSTANCES).and_then(|rest| rest.split_at_checked(ends(rest)? + 2));
    behind.map_or_else(|| behind_condition(text), |(_, command)| command)
}

/// What a request says at its beginning that it works with: "averages" of "using the averages, forecast the crop".
pub(super) fn given(text: &str) -> Option<&str> {
    const WITH: &[&str] = &[
        "using",
        "with",
        "from",
        "based on",
        "out of",
        "con",
        "usando",
        "a partir de",
        "según",
        "en base a",
    ];
    /// What is worked with is named by so many words at most.
    const LONGEST_GIVEN: usize = 4;
    const KNOWN: &[&str] =
        &["the", "those", "these", "that", "this", "el", "la", "los", "las", "esos", "esas"];
    let (thing, command) = strip_any(strip_any(text, WITH)?, KNOWN)?.split_once(", ")?;
    (thing.split_whitespace().count() <= LONGEST_GIVEN && starts_with_verb(command)).then_some(thing)
}

/// The background that stands before a wish: "I'm planning a party and would like to …".
pub(super) fn frame_of(sentence: &str) -> &str {
    let sentence = sentence.trim();
    sentence.get(..sentence.len() - after_frame(sentence).len()).unwrap_or_default()
}

/// What stands before and behind a colon, if behind it is a command: "Plan a party: book a band and …".
pub(super) fn at_colon(text: &str) -> (&str, &str) {
    let Some((head, behind)) = text.split_once(": ") else { return ("", text) };
    let first = leading(behind).1;
    // Behind a command a weak verb is a step too: "Schedule the hearings: list the motions, …".
    let asks = starts_with_strong_verb(first) || (starts_with_verb(head) && starts_with_verb(first));
    if asks { (head, first) } else { ("", text) }
}

/// What a sentence states, and what it orders or forbids because of it: "She dislikes vanilla, so leave it out".
pub(super) fn behind_statement(sentence: &str) -> Option<(&str, &str)> {
    [": ", "; ", ", so ", ", así que "].iter().find_map(|mark| {
        let (told, order) = sentence.split_once(mark)?;
        let orders = *mark != ": " && starts_with_strong_verb(order);
        (orders || is_limit(order)).then_some((told, order))
    })
}

/// "Open a ticket otherwise" without its last word.
pub(super) fn without_otherwise(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['.', '!']);
    [" otherwise", " de lo contrario", " en caso contrario"].iter().find_map(|end| text.strip_suffix(end))
}

/// Whether the text begins with a verb that tells someone to do something.
pub(super) fn starts_with_verb(text: &str) -> bool {
    first_word(text).is_some_and(|word| is_verb(&word) || makes_a_verb(&word))
        || starts_with_unknown_verb(text)
}

/// Whether the ending of a word that no table has makes it a verb: "digitise", "notarize", "certify".
fn makes_a_verb(word: &str) -> bool {
    const NONE: &[&str] = &[
        "exercise",
        "franchise",
        "merchandise",
        "enterprise",
        "expertise",
        "premise",
        "promise",
        "otherwise",
        "likewise",
        "concise",
        "precise",
        "noise",
        "raise",
        "praise",
        "prize",
        "size",
        "paradise",
        "surprise",
        "turquoise",
        "porpoise",
    ];
    let stem = ["ise", "ize", "ify"].iter().find_map(|ending| word.strip_suffix(ending));
    stem.is_some_and(|stem| stem.len() > 2) && !NONE.contains(&word)
}

/// Whether the text begins with a verb that no table has: its object tells.
pub(super) fn starts_with_unknown_verb(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let (Some(first), Some(object)) = (words.next(), words.next()) else {
        return text.split_whitespace().next().is_some_and(|word| has_clitic(word) || tells_me(word));
    };
    // "Throw twenty bowls": behind a noun stands a number too, "room two", but no things behind that.
    let several = NUMBERS.contains(&object)
        && words.next().is_some_and(|things| things.trim_end_matches([',', '.']).ends_with('s'))
        && acts_on(first, "the");
    has_clitic(first) || tells_me(first) || several || acts_on(first, object)
}

const NUMBERS: &[&str] = &[
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty", "thirty",
    "forty", "fifty", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "doce",
    "veinte",
];

/// Whether the text begins with a verb that makes a step of its own, not a way of handing over the one before.
pub(super) fn starts_with_strong_verb(text: &str) -> bool {
    let weak = first_word(text).is_some_and(|word| WEAK_VERBS.contains(&word.as_str()) && !sets_up(text));
    starts_with_verb(text) && !weak
}

/// "Set an alert", "tell the team": with a thing or a person of their own, these weak verbs make a step.
fn sets_up(text: &str) -> bool {
    let mut words = text.split_whitespace().map(|word| fold(word).into_owned());
    let (verb, object) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let object = object.trim_end_matches([',', '.', ';']);
    let own = matches!(object, "a" | "an" | "up" | "notes" | "two" | "three" | "ten" | "quotes" | "each");
    match verb.as_str() {
        "have" => has_done(text) || text.contains(" ready"),
        "get" => own || has_done(text),
        "set" | "take" => own,
        "make" => matches!(object, "a" | "an" | "two" | "three" | "ten"),
        "list" => matches!(object, "every" | "all" | "each"),
        "let" => !matches!(object, "me" | "us" | "it") && text.contains(" know"),
        "tell" => !matches!(object, "me" | "us" | "you" | "it"),
        "present" => matches!(object, "it" | "them" | "your" | "the") || object.ends_with('s'),
        _ => false,
    }
}

/// "Have each translation reviewed", "get it signed", "have legal review it": somebody is to do it.
pub(super) fn has_done(text: &str) -> bool {
    let mut words =
        text.split_whitespace().map(|word| fold(word.trim_end_matches(['.', ',', ';'])).into_owned());
    let first = words.next().unwrap_or_default();
    let done = |word: String| (word.len() > 4 && word.ends_with("ed")) || is_verb(&word);
    matches!(first.as_str(), "have" | "get") && words.skip(1).any(done)
}

/// Whether the text begins with a verb that only says how the step before is to be done or handed over.
pub(super) fn starts_with_weak_verb(text: &str) -> bool {
    first_word(text).is_some_and(|word| WEAK_VERBS.contains(&word.as_str()))
}

/// Whether a word, in lower case, is a verb that tells someone to do something.
pub(crate) fn is_verb(word: &str) -> bool {
    static TABLE: WordSet = WordSet::new(&[VERBS]);
    TABLE.contains(word) || WEAK_VERBS.contains(&word)
}

pub(super) fn first_word(text: &str) -> Option<String> {
    let first = Rule::Hyphenated.split(text.trim_start()).next()?;
    (first.start == 0).then(|| first.text.to_lowercase())
}

const CIRCUMSTANCES: &[&str] = &[
    "before",
    "for",
    "in",
    "on",
    "by",
    "with",
    "to",
    "using",
    "as",
    "at",
    "from",
    "given",
    "antes",
    "para",
    "con",
    "en",
    "after",
    "después de",
    "tras",
];

/// What is not to be done is no step; it limits one.
const FORBIDDING: &[&str] = &["not", "don't", "do not", "never", "avoid", "no", "nunca", "evita"];

const FRAMES: &[&str] = &[
    "i'm ",
    "i am ",
    "we're ",
    "we are ",
    "my ",
    "our ",
    "i have ",
    "i've ",
    "as ",
    "i want to surprise",
    "estoy ",
    "soy ",
    "mi ",
    "tengo ",
    "i remember",
    "i found",
];

const JOINED_WISHES: &[&str] = &[
    " and i would like to ",
    " and would like to ",
    " and i'd like to ",
    " and i need to ",
    " and need to ",
    " and i want to ",
    " and want to ",
    " and i need ",
    " and need ",
    " and we need to ",
    " and we need ",
    " and i would like ",
    " and would like ",
    " so please ",
    ", so i need ",
    ", please ",
    " but i want to ",
    " y necesito ",
    " y quiero ",
    " y me gustaría ",
    " y quisiera ",
];

const POLITE: &[&str] = &[
    "hey",
    "hi",
    "hello",
    "hi there",
    "hello there",
    "hola",
    "please",
    "kindly",
    "could you",
    "can you",
    "would you",
    "will you",
    "could you please",
    "can you please",
    "would you mind",
    "i would like you to",
    "i'd like you to",
    "i want you to",
    "i need you to",
    "help me to",
    "help me by",
    "help me",
    "assist me by",
    "assist me in",
    "assist me with",
    "assist me to",
    "help us",
    "let's",
    "let us",
    "you need to",
    "you should",
    "we have to",
    "we must",
    "we should",
    "i should",
    "you must",
    "por favor",
    "puedes",
    "podrías",
    "podrias",
    "puede",
    "podría",
    "ayúdame a",
    "ayudame a",
    "hay que",
    "debes",
    "vamos a",
    "me puedes",
    "also",
];

const WISHES: &[&str] = &[
    "i would like to",
    "i'd like to",
    "i want to",
    "i need to",
    "i also want to",
    "i also need to",
    "i also would like to",
    "i would also like to",
    "i'd also like to",
    "we would like to",
    "we'd like to",
    "we want to",
    "we need to",
    "we also need to",
    "we also want to",
    "we would also like to",
    "i also need",
    "i also require",
    "i also want",
    "i need your help to",
    "i need your help with",
    "i need your help in",
    "i need your assistance in",
    "i need your assistance with",
    "i need your assistance to",
    "i need assistance with",
    "i need assistance in",
    "i need assistance to",
    "i need help with",
    "i need help in",
    "i need help to",
    "i require assistance with",
    "i require assistance in",
    "i am interested in",
    "i'm interested in",
    "i'm also interested in",
    "i am also interested in",
    "i am looking for",
    "i'm looking for",
    "i'm also looking for",
    "i'm curious about",
    "i am curious about",
    "i'm looking to",
    "i am looking to",
    "i require",
    "i need",
    "i want",
    "i would like",
    "i'd like",
    "i have to",
    "i must",
    "i wish to",
    "it would be helpful to",
    "it would be great to",
    "i'm trying to",
    "i am trying to",
    "i was wondering if you could",
    "we need",
    "we require",
    "we would like",
    "we want",
    "i would love to",
    "i'd love to",
    "i would appreciate it if you could",
    "i would appreciate",
    "quiero",
    "quisiera",
    "me gustaría",
    "me gustaria",
    "necesito",
    "necesitamos",
    "queremos",
    "busco",
    "tengo que",
    "me interesa",
    "your help to",
    "your help with",
    "your assistance in",
    "your assistance with",
    "assistance with",
    "assistance in",
];

/// Verbs that hand over, word or refine what another verb does.
const WEAK_VERBS: &[&str] = &[
    "provide",
    "give",
    "tell",
    "show",
    "include",
    "return",
    "indicate",
    "make",
    "ensure",
    "use",
    "consider",
    "specify",
    "let",
    "display",
    "share",
    "present",
    "keep",
    "see",
    "know",
    "be",
    "have",
    "describe",
    "explain",
    "list",
    "identify",
    "proporciona",
    "dame",
    "dime",
    "incluye",
    "indica",
    "usa",
    "muestra",
    "express",
    "round",
    "assume",
    "asegúrate",
    "considera",
    "explica",
    "get",
    "take",
    "watch",
    "set",
];
