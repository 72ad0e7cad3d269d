//! Questions that hide other questions: "Who leads the country where Kitgum lies?" asks first which country that is.
//!
//! What is described inside a question is a question of its own, from the innermost thing outwards; things of which none
//! is inside the other are found independently. Only single questions are read so.

mod compared;
mod ends;
mod nouns;

use candor_text::{is_stop_word, words};

use super::{Step, lists, requests::is_verb, sentences::sentences, tidy};
use ends::{AUXILIARY, before_verb, end_of_thing, is_participle, left_hanging, name_behind, settled};
use nouns::{CALLED, RELATIONS};

/// Questions nested deeper than this are not meant to be read.
const MAX_INNER: usize = 4;

/// A longer question was not asked by a person; each word is looked at for each other.
const MAX_WORDS: usize = 100;

/// Where a thing stands in a question that is described in it, as places of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Thing {
    start: usize,
    end: usize,
}

impl Thing {
    fn holds(self, other: Self) -> bool {
        self != other && self.start <= other.start && other.end <= self.end
    }
}

/// The steps of a question that has more than itself in it.
pub(super) fn split(text: &str) -> Option<Vec<Step>> {
    let sentences = sentences(text);
    let [question] = sentences.as_slice() else { return None };
    if !question.ends_with('?') || lists::blocks(text).len() != 1 {
        return None;
    }
    if let Some(steps) = compared::split(question) {
        return Some(steps);
    }
    let words: Vec<&str> = question.trim_end_matches(['?', ' ']).split_whitespace().collect();
    let read = words.len() <= MAX_WORDS && asks_for_fact(question);
    let things = if read { things(&words) } else { Vec::new() };
    (!things.is_empty()).then(|| steps(&words, &things, question))
}

/// A step for each thing behind those inside it, and one for the question.
fn steps(words: &[&str], things: &[Thing], question: &str) -> Vec<Step> {
    let identify = |thing: &Thing| {
        let named = words.get(thing.start..thing.end).unwrap_or_default().join(" ");
        format!("Identify {}", plain_article(&named).trim_end_matches(','))
    };
    // Of things inside each other the outermost are needed: they need the others.
    let needs = |within: &dyn Fn(Thing) -> bool| -> Vec<usize> {
        let inner = things.iter().enumerate().filter(|(_, thing)| within(**thing));
        let outermost =
            inner.filter(|(_, thing)| !things.iter().any(|outer| within(*outer) && outer.holds(**thing)));
        outermost.map(|(at, _)| at).collect()
    };
    let found = things.iter().map(|thing| Step::new(identify(thing), needs(&|it| thing.holds(it)), true));
    found.chain([Step::new(tidy(question), needs(&|_| true), true)]).collect()
}

/// Whether the sentence asks what is so, and not whether somebody would do something.
fn asks_for_fact(question: &str) -> bool {
    const ASKING: &[&str] = &[
        "who", "whom", "what", "when", "where", "which", "how", "whose", "quién", "quiénes", "qué", "cuándo",
        "dónde", "cuál", "cuáles",
    ];
    const PLEADING: &[&str] =
        &["can", "could", "would", "will", "please", "hey", "hi", "hello", "do", "puedes", "podrías"];
    // With its accents: "qué" asks, "que" does not.
    let words: Vec<_> = words(question).map(str::to_lowercase).collect();
    let pleads = words.first().is_some_and(|first| PLEADING.contains(&first.as_str()));
    !pleads && words.iter().any(|word| ASKING.contains(&word.as_str()))
}

/// The things that a question describes by words of their own, the innermost first.
fn things(words: &[&str]) -> Vec<Thing> {
    let mut found: Vec<Thing> = Vec::new();
    for at in (1..words.len()).rev() {
        let thing =
            described(words, at, &found).or_else(|| possessed(words, at)).or_else(|| settled_in(words, at));
        let thing = thing.or_else(|| of_title(words, at)).map(|(start, end)| Thing { start, end });
        found.extend(
            thing.filter(|thing| {
                !found.iter().any(|known| known.start == thing.start && known.end >= thing.end)
            }),
        );
        if found.len() == MAX_INNER {
            break;
        }
    }
    // A longer description of the same thing holds the shorter one, which says nothing of its own.
    found.sort_by_key(|thing| (std::cmp::Reverse(thing.start), thing.end));
    found
}

/// "The modern city …" of the beginning of a question, as it stands inside one; "del pintor" without its "de".
fn plain_article(thing: &str) -> String {
    let plain = [("The ", "the"), ("del ", "el")]
        .iter()
        .find_map(|(article, plain)| Some(format!("{plain} {}", thing.strip_prefix(article)?)));
    plain.unwrap_or_else(|| thing.to_owned())
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// "The continent containing Issy": where the thing begins and ends that the word at `at` begins to describe.
fn described(words: &[&str], at: usize, found: &[Thing]) -> Option<(usize, usize)> {
    let start = words.get(..at).and_then(article)?;
    if at < start + 2 {
        return None;
    }
    if let Some(end) = related(words, at, found) {
        return is_inner(words, start, end, at).then_some((start, end));
    }
    describes(words, start, at).then(|| (start, end_of_thing(words, start, at)))
}

/// Where "the mother of the painter of Ruth" ends, if the word at `at` joins it to a thing that is known by a description
/// or by its name: "the director of the film Ruth".
fn related(words: &[&str], at: usize, found: &[Thing]) -> Option<usize> {
    let word = *words.get(at)?;
    // "Del" has its article in it; "built by the father of …" has its verb before the "by".
    let before = words.get(at.checked_sub(1)?)?;
    let made = is_participle(word) && words.get(at + 1) == Some(&"by") && !AUXILIARY.contains(before);
    let next = if word == "del" { at } else { at + 1 + usize::from(made) };
    let known = found.iter().filter(|thing| thing.start == next).map(|thing| thing.end).min();
    if made {
        return known;
    }
    if !(matches!(word, "of" | "de" | "del") && RELATIONS.contains(before)) {
        return None;
    }
    known.or_else(|| {
        let article = matches!(*words.get(next)?, "the" | "el" | "la" | "del");
        let called = words.get(next + 1).is_some_and(|noun| !is_capital(noun));
        let named = words.get(next + 2..)?.iter().take_while(|word| is_capital(word)).count();
        (article && called && named > 0).then_some(next + 2 + named)
    })
}

/// Whether a thing is not what the whole question asks for: in "What is the capital of France?" it is, in "When was the
/// composer of Norma born?" and "Who taught the composer of Norma?" something is asked of it.
fn is_inner(words: &[&str], start: usize, end: usize, of: usize) -> bool {
    const OPENING: usize = 3;
    let relation =
        of.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| RELATIONS.contains(word));
    let verb = start.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
    let acts = start == OPENING - 1
        && !matches!(verb, "is" | "are" | "was" | "were" | "of" | "es" | "son" | "era" | "fue");
    start >= OPENING || (!asks_for(words, start) && (end < words.len() || (relation && acts)))
}

/// "Norma's composer" in "Where did Norma's composer die?": where it begins and ends, if the word at `at` has it.
fn possessed(words: &[&str], at: usize) -> Option<(usize, usize)> {
    const LONGEST: usize = 3;
    let owner = words.get(at).filter(|word| is_capital(word) && word.ends_with("'s"))?;
    let name = words.get(1..at).unwrap_or_default().iter().rev().take_while(|word| is_capital(word)).count();
    let noun = |word: &&&str| {
        word.chars().all(char::is_lowercase) && !is_stop_word(word) && !is_verb(word) && !is_participle(word)
    };
    // Where a superlative ends it, the noun was taken for a verb.
    let whole = |last: usize| words.get(last).is_none_or(|word| !word.ends_with("est"));
    let behind = words.get(at + 1..)?;
    let thing = behind.iter().take(LONGEST).take_while(noun).count();
    let start = at - name;
    let end = (at + 1 + thing).min(before_verb(words, start, at));
    let inner = end < words.len() || !asks_for(words, start);
    (thing > 0 && inner && owner.len() > 2 && whole(at + thing)).then_some((start, end))
}

/// "The state Mills Hospital is located in": a thing that is described without a word that joins, if its name is at `at`.
fn settled_in(words: &[&str], at: usize) -> Option<(usize, usize)> {
    const LONGEST: usize = 3;
    let nearest = words.get(..at).and_then(article)?;
    // "The city the Blue Jays play in": the name has an article too.
    let start = if nearest + 1 == at { words.get(..nearest).and_then(article)? } else { nearest };
    let nouns = words.get(start + 1..at)?.split(|word| *word == "the").next()?;
    let plain = |word: &&str| word.chars().all(char::is_lowercase) && !is_stop_word(word);
    let named =
        is_capital(words.get(at)?) && !nouns.is_empty() && nouns.len() <= LONGEST && nouns.iter().all(plain);
    let name = words.iter().skip(at).take_while(|word| is_capital(word)).count();
    let verb = at + name;
    let relative =
        start.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| RELATIVES.contains(word));
    let end = settled(words, verb).or_else(|| left_hanging(words, verb)).filter(|_| named && !relative)?;
    (end <= verb + LONGEST && !asks_for(words, start)).then_some((start, end))
}

/// "The Green Hills performer": a relation behind a title.
fn of_title(words: &[&str], at: usize) -> Option<(usize, usize)> {
    RELATIONS.contains(words.get(at)?).then_some(())?;
    let start = (0..at).rev().take(MAX_TITLE).find(|&at| words.get(at) == Some(&"the"))?;
    let title = words.get(start + 1..at)?;
    let titled =
        title.first().zip(title.last()).is_some_and(|(first, last)| is_capital(first) && is_capital(last));
    (titled && !asks_for(words, start)).then_some((start, at + 1))
}

/// The most words of a title.
const MAX_TITLE: usize = 8;

/// Whether the word at `at` begins a description of the thing that begins at `start`.
fn describes(words: &[&str], start: usize, at: usize) -> bool {
    /// Words in "-ing" that describe nothing before them.
    const NONE: &[&str] = &["during", "including", "regarding", "according", "concerning", "following"];
    let Some((word, behind)) = words.get(at..).and_then(<[_]>::split_first) else { return false };
    // "The team she led in 1990": the clause has no word that joins it.
    let joins = || at == start + 2 && matches!(*word, "he" | "she" | "they" | "we" | "I");
    let clause = (RELATIVES.contains(word) || joins()) && behind.len() >= 2 && !asks_for(words, start);
    let participle = word.len() > 5 && word.ends_with("ing") && !behind.is_empty() && !NONE.contains(word);
    // "The first woman to sail round the Horn", "the only lake larger than Como".
    let singled = words.get(start..at).unwrap_or_default().iter().any(|word| SINGLING.contains(word));
    let than = || behind.first() == Some(&"than") && word.ends_with("er");
    let only = singled && behind.len() >= 2 && (*word == "to" || than()) && !asks_for(words, start);
    // "The island of Chiloé" and "the Gulf of Corinth" are names of places.
    let called = at
        .checked_sub(1)
        .and_then(|at| words.get(at))
        .is_some_and(|noun| CALLED.contains(noun) || is_capital(noun));
    let joins = matches!(*word, "of" | "de");
    let of_name = name_behind(words, at)
        .is_some_and(|from| words.get(from).is_some_and(|name| is_capital(name)))
        && (joins || at == start + 2)
        && !(joins && called)
        && is_inner(words, start, end_of_thing(words, start, at), at);
    clause || participle || only || of_name
}

/// Whether the thing that begins at `start` is what the whole question asks for: "Who is the painter that …".
fn asks_for(words: &[&str], start: usize) -> bool {
    let opening: Vec<String> = words
        .get(..start)
        .unwrap_or_default()
        .iter()
        .map(|it| it.trim_start_matches('¿').to_lowercase())
        .collect();
    matches!(
        opening.iter().map(String::as_str).collect::<Vec<_>>().as_slice(),
        ["what" | "who" | "which", "is" | "are" | "was" | "were" | "of"]
            | ["quién" | "cuál" | "qué", "es" | "era" | "fue"]
    )
}

const RELATIVES: &[&str] = &[
    "where",
    "that",
    "which",
    "who",
    "whose",
    "having",
    "whom",
    "donde",
    "que",
    "featuring",
    "containing",
    "originating",
];

/// Words that single one thing out, which what follows describes.
const SINGLING: &[&str] =
    &["first", "second", "third", "last", "only", "next", "latest", "earliest", "oldest", "youngest"];

/// Where the noun phrase right before a relative word begins: at most four words with their article.
fn article(before: &[&str]) -> Option<usize> {
    const LONGEST: usize = 5;
    let least = before.len().saturating_sub(LONGEST);
    // A capital article inside a question is part of a name: "The Battle of New Orleans".
    (least..before.len()).rev().find(|&at| {
        before.get(at).is_some_and(|word| {
            matches!(*word, "the" | "a" | "an" | "el" | "la" | "un" | "una" | "del")
                || (at == 0 && *word == "The")
        })
    })
}
