//! Where a thing ends that a question describes: with a name, with its own clause, or before the verb of the question.

use candor_text::is_stop_word;

use super::is_capital;
use crate::split::requests::is_verb;

pub(super) const AUXILIARY: &[&str] =
    &["is", "are", "was", "were", "been", "has", "have", "had", "did", "does", "will"];

/// Words behind which a place or a time may follow that belongs to the verb before them.
const PREPOSITIONS: &[&str] =
    &["in", "on", "at", "from", "to", "into", "near", "with", "by", "for", "en", "de", "a"];

/// Where the thing that begins at `start` ends, which the word at `at` begins to describe: "of" ends with its name, a clause
/// with its verb or the question, or before the verb of the question.
pub(super) fn end_of_thing(words: &[&str], start: usize, at: usize) -> usize {
    if let Some(from) = name_behind(words, at) {
        return end_of_name(words, from);
    }
    // "…the barrels that we filled in May, and what do they hold?" goes on with something else.
    let comma = words.iter().skip(at).position(|word| word.ends_with(',')).map(|comma| at + comma + 1);
    let settled = if matches!(*words.get(at).unwrap_or(&""), "where" | "which" | "that" | "donde") {
        settled(words, at + 1)
    } else {
        None
    };
    comma.into_iter().chain(settled).fold(before_verb(words, start, at), usize::min)
}

/// Where a name ends that begins at `from`. Small words are in it where names go on behind them, and verbs and all others in
/// a title that is a sentence: "This is the Time".
fn end_of_name(words: &[&str], from: usize) -> usize {
    let sentence = words.get(from).is_some_and(|word| is_capital(word) && is_stop_word(&word.to_lowercase()));
    let named = |word: &&&str| {
        is_capital(word)
            || matches!(**word, "of" | "the" | "de" | "la" | "del" | "and")
            || (sentence && is_stop_word(word))
    };
    let name = words.iter().skip(from).take_while(named).count();
    let small = words.get(..from + name).unwrap_or_default().iter().rev();
    let small = small.take_while(|word| !is_capital(word)).count();
    (from + name).saturating_sub(small)
}

/// Where a clause ends that says where something is or was: "where Baum died", "in which the abbey is located".
///
/// It begins behind `from`; a place or a year behind its verb belongs to it, and so does a preposition without one.
pub(super) fn settled(words: &[&str], from: usize) -> Option<usize> {
    const STAYING: &[&str] = &["died", "lived", "lies", "lay", "stands", "stood", "lives"];
    #[rustfmt::skip]
    const BEING: &[&str] = &[
        "located", "situated", "born", "based", "headquartered", "buried", "found", "set", "held", "filmed", "from", "spoken",
        "signed", "crowned", "killed",
    ];
    let verb = (from..words.len()).find(|&at| {
        let auxiliary =
            at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| AUXILIARY.contains(word));
        words.get(at).is_some_and(|word| STAYING.contains(word) || (auxiliary && BEING.contains(word)))
    })?;
    let behind = verb + 1;
    if !words.get(behind).is_some_and(|word| PREPOSITIONS.contains(word)) {
        return Some(behind);
    }
    let place = |word: &&&str| is_capital(word) || word.starts_with(|c: char| c.is_ascii_digit());
    Some(behind + 1 + words.iter().skip(behind + 1).take_while(place).count())
}

/// Where a clause ends whose preposition closes the question: "the club Bale plays for".
pub(super) fn left_hanging(words: &[&str], verb: usize) -> Option<usize> {
    let plain = |word: &&str| word.chars().all(char::is_lowercase) && !is_stop_word(word);
    let hangs = words.get(verb).is_some_and(plain)
        && words.get(verb + 1).is_some_and(|word| PREPOSITIONS.contains(word));
    (hangs && verb + 2 == words.len()).then_some(verb + 2)
}

/// Where a clause ends before the verb of the question: "The city that he left was taken in which year?", "What does the
/// state that he left mean?", "When was the state that he left founded?"
pub(super) fn before_verb(words: &[&str], start: usize, at: usize) -> usize {
    let end = words.len();
    if start == 0 {
        let verb = words.iter().skip(at + 2).rposition(|word| AUXILIARY.contains(word));
        return verb.map_or(end, |verb| at + 2 + verb);
    }
    let opening = words.get(..start).unwrap_or_default();
    let (last, before) =
        (words.last().copied().unwrap_or_default(), words.get(end - 2).copied().unwrap_or_default());
    let does = opening.iter().position(|word| matches!(*word, "do" | "does" | "did"));
    // "Where did Chopin live in the city where …": the verb is there already.
    let said = does
        .and_then(|does| opening.get(does + 2..))
        .is_some_and(|rest| rest.iter().any(|word| is_main(word)));
    if said {
        return end;
    }
    let inner = does.and_then(|_| {
        let plain = |verb: &usize| is_plain_verb(words, *verb);
        let verb = (at + 2..end).find(|&verb| goes_on(words, verb) && is_plain_verb(words, verb));
        // "… that parses dates handle leap years".
        verb.or_else(|| (at + 3..end).rev().find(plain))
    });
    if let Some(verb) = inner {
        return verb;
    }
    let is = opening.iter().any(|word| AUXILIARY.iter().take(4).any(|it| it == word));
    let verb = (does.is_some() && last.chars().all(char::is_lowercase)) || (is && is_participle(last));
    let bare = !is_stop_word(before) && !matches!(before, "last" | "next" | "this" | "that" | "each");
    // "The town where the band was from founded".
    let hanging = is && matches!(before, "from" | "in" | "on" | "at");
    if verb && (bare || hanging) && at + 2 < end { end - 1 } else { end }
}

/// Whether what follows the word at `at` may be its object or its place.
fn goes_on(words: &[&str], at: usize) -> bool {
    words.get(at + 1).is_some_and(|next| OBJECTS.contains(next) || PREPOSITIONS.contains(next))
}

/// Whether the word at `at` is the plain form of a verb: "the team that won the last match play in Rome". Behind an article or
/// a preposition it is a noun.
fn is_plain_verb(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
    let noun = [OBJECTS, PREPOSITIONS, AUXILIARY].iter().any(|words| words.contains(&before))
        || before.ends_with("'s");
    !noun && words.get(at).is_some_and(|word| is_main(word))
}

/// Words with which an object begins.
const OBJECTS: &[&str] = &["a", "an", "the", "his", "her", "its", "their", "against", "up", "out"];

/// Whether a word is a verb in its plain form.
fn is_main(word: &str) -> bool {
    #[rustfmt::skip]
    const MAIN: &[&str] = &[
        "become", "begin", "belong", "break", "bring", "come", "conquer", "create", "defeat", "die", "end", "fight", "form", "give",
        "go", "grow", "join", "lead", "leave", "live", "lose", "marry", "mean", "meet", "move", "open", "play", "reach",
        "retire", "serve", "start", "study", "teach", "visit", "win", "work", "write",
    ];
    MAIN.contains(&word) || is_verb(word)
}

/// Where a name begins that describes a thing: behind "of", "on" or "by", and behind "known for" or "directed by".
pub(super) fn name_behind(words: &[&str], at: usize) -> Option<usize> {
    let word = words.get(at)?;
    let from = if is_participle(word) && words.get(at + 1).is_some_and(|next| LINKS.contains(next)) {
        at + 2
    } else {
        at + 1
    };
    let named = words.get(from).is_some_and(|name| is_capital(name));
    let joins = matches!(*word, "of") || (*word == "de" && named);
    (joins || (named && (from == at + 2 || matches!(*word, "on" | "by" | "behind")))).then_some(from)
}

/// Whether a word may say what was done to a thing: "founded", "known".
pub(super) fn is_participle(word: &str) -> bool {
    const STRONG: &[&str] = &[
        "known", "born", "built", "made", "held", "won", "written", "sung", "sold", "led", "given", "shown",
    ];
    (word.len() > 4 && word.ends_with("ed")) || STRONG.contains(&word)
}

/// What stands between such a word and the name.
const LINKS: &[&str] = &["by", "for", "in", "on", "at", "after", "as", "from"];
