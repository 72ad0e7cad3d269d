//! 1c, the prompt-quality scorer: how well a request says what is wanted, from 100 downwards.
//!
//! It judges how the request is put, never what it asks for. A text in a language that the tables do not know
//! is judged by its length alone: not to understand a request is no fault of the request.

use candor_model::PromptQuality;
use candor_text::is_stop_word;

use super::keywords::Keywords;
use super::references;
use super::tables::{self, has};
use super::wording::Bare;
use super::words::{Words, with_pronoun};
use crate::goal::{Extracted, Reading};

/// A request of fewer words is too short.
const ENOUGH_WORDS: usize = 6;
/// Things that are named in particular count as context from so many on, where nothing else does.
const ENOUGH_THINGS: usize = 2;
/// A text of so many words is in a language that the tables know if one in so many of them is a small word.
const TELLING_WORDS: usize = 4;
const SMALL_WORDS: usize = 5;

/// What can be wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Issue {
    Vague,
    NoContext,
    TooShort,
    NoResult,
    Pronoun,
    Contradiction,
    Unreadable,
    Attachment,
    Reference,
}

impl Issue {
    const fn code(self) -> &'static str {
        match self {
            Self::Vague => super::VAGUE,
            Self::NoContext => super::NO_CONTEXT,
            Self::TooShort => super::TOO_SHORT,
            Self::NoResult => super::NO_RESULT,
            Self::Pronoun => super::PRONOUN,
            Self::Contradiction => super::CONTRADICTION,
            Self::Unreadable => super::UNREADABLE,
            Self::Attachment => super::NO_ATTACHMENT,
            Self::Reference => super::UNKNOWN_REFERENCE,
        }
    }

    const fn cost(self) -> u8 {
        match self {
            Self::Vague => 25,
            Self::NoContext => 20,
            Self::TooShort | Self::NoResult => 15,
            Self::Pronoun => 10,
            // A person is asked about it in any case.
            Self::Contradiction => 30,
            // Nobody can work on these as they stand, however well the rest is put: each alone is below the line.
            Self::Attachment | Self::Reference => 35,
            Self::Unreadable => 70,
        }
    }
}

/// A request, with what was found in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heard<'h> {
    /// The person's own words, as far as they are looked at.
    pub(super) text: &'h str,
    pub(super) words: &'h Words<'h>,
    pub(super) bare: &'h Bare<'h>,
    pub(super) reading: &'h Reading,
    pub(super) found: &'h Keywords,
    /// Whether it is about a journey.
    pub(super) journey: bool,
}

/// Scores how clear and complete a request is, from 0 to 100, and says what is wrong with it.
pub(super) fn judge(heard: &Heard<'_>, contradictions: Vec<String>) -> PromptQuality {
    let look = Look::new(heard);
    let Heard { bare, reading, found, .. } = *heard;
    let checks = [
        (look.is_vague(), Issue::Vague),
        (!look.has_context(reading, found), Issue::NoContext),
        (bare.words < ENOUGH_WORDS && !look.is_long_without_spaces(), Issue::TooShort),
        (!look.tells_result(&reading.extracted), Issue::NoResult),
        (look.has_undefined_pronoun(), Issue::Pronoun),
        (!contradictions.is_empty(), Issue::Contradiction),
        (references::is_unreadable(heard.words), Issue::Unreadable),
        (references::lacks_attachment(heard.words, found, heard.text), Issue::Attachment),
        (references::is_unknown(heard.words, heard.text), Issue::Reference),
    ];
    let issues: Vec<Issue> = checks.into_iter().filter(|(wrong, _)| *wrong).map(|(_, issue)| issue).collect();
    let cost = issues.iter().fold(0_u8, |cost, issue| cost.saturating_add(issue.cost()));
    PromptQuality {
        score: 100_u8.saturating_sub(cost),
        issues: issues.iter().map(|issue| issue.code().to_owned()).collect(),
        contradictions,
    }
}

/// What a first look at the words shows.
struct Look<'h> {
    words: &'h Words<'h>,
    text: &'h str,
    /// It asks to know something.
    question: bool,
    /// It says what to do, with a verb that means something.
    command: bool,
    /// It has a verb after which it is clear when it is done.
    closed: bool,
    /// It names what is wanted without a verb: `a weekend in Rome`.
    implied: bool,
    /// How many words name something, and how many of them something in particular.
    things: usize,
    particular: usize,
    /// It is in a language that the tables do not know.
    foreign: bool,
}

impl<'h> Look<'h> {
    fn new(heard: &Heard<'h>) -> Self {
        let Heard { text, words, reading, found, journey, .. } = *heard;
        let places = || 0..words.len();
        let commands: Vec<usize> = places().filter(|at| words.is_command(*at)).collect();
        let means = |at: &&usize| !tables::EMPTY_VERBS.contains(words.key(**at));
        let unknown_verb = opens_like_a_command(words);
        let particular = places().filter(|at| words.is_specific(*at)).count();
        let named =
            !found.files.is_empty() || !found.identifiers.is_empty() || !found.technologies.is_empty();
        let closed = |at: &usize| {
            let key = words.key(*at);
            !tables::OPEN_VERBS.contains(key) && (!tables::EMPTY_VERBS.contains(key) || particular > 0)
        };
        Self {
            words,
            text,
            question: is_question(words, text),
            command: commands.iter().any(|at| means(&at))
                || unknown_verb
                || (particular > 0 && !commands.is_empty()),
            closed: commands.iter().any(closed) || unknown_verb || makes_something(words),
            implied: journey
                || names_a_stay(&reading.extracted)
                || words.all().iter().any(|word| tables::DELIVERABLES.contains(&word.key)),
            things: places().filter(|at| words.is_content(*at) || has_digit(words.key(*at))).count()
                + usize::from(named),
            particular,
            foreign: is_foreign(words, text, &commands),
        }
    }

    fn is_vague(&self) -> bool {
        !self.foreign && (self.things == 0 || !(self.question || self.command || self.implied))
    }

    /// Whether any concrete fact is named. A question is about what it names; a request about code needs a
    /// file, a component or a technology.
    fn has_context(&self, reading: &Reading, found: &Keywords) -> bool {
        let names = [&found.files, &found.identifiers, &found.technologies, &found.entities];
        let fact = names.iter().any(|names| !names.is_empty())
            || self.words.all().iter().any(|word| has_digit(word.text))
            || has_quote(self.text)
            || reading.extracted != Extracted::default();
        if fact || self.foreign || (self.question && self.things > 0) {
            return true;
        }
        if self.words.all().iter().any(|word| tables::CODE.contains(&word.key)) {
            return names_component(self.words);
        }
        self.closed && self.particular >= ENOUGH_THINGS
    }

    fn tells_result(&self, extracted: &Extracted) -> bool {
        let said = (0..self.words.len()).any(|at| self.words.any_phrase(at, tables::OUTCOMES).is_some());
        let asked = self.things > 0 && (self.question || self.closed || self.implied);
        self.foreign || asked || said || !extracted.must.is_empty()
    }

    /// Whether it speaks of `it` without having said of what.
    fn has_undefined_pronoun(&self) -> bool {
        let mut named = false;
        for (at, word) in self.words.all().iter().enumerate() {
            if !named && self.is_pronoun(at) && !word.points && !has_quote(self.text) {
                return true;
            }
            named |= self.words.is_content(at);
        }
        false
    }

    fn is_pronoun(&self, at: usize) -> bool {
        let (key, next) = (self.words.key(at), self.words.key(at + 1));
        if with_pronoun(key) {
            return true;
        }
        let points_at_something = !self.words.ends(at) && self.words.is_specific(at + 1);
        let weather = key == "it"
            && (matches!(next, "is" | "was" | "takes") || matches!(self.words.before(at), "is" | "was"));
        let filling = key == "lo" && has(&["antes", "mas", "mejor", "que", "siguiente"], next);
        let named_so =
            matches!(key, "this" | "that" | "these" | "those") && matches!(next, "is" | "means" | "text");
        tables::PRONOUNS.contains(key) && !points_at_something && !weather && !filling && !named_so
    }

    /// Chinese and Japanese have no spaces: their words cannot be counted by them.
    fn is_long_without_spaces(&self) -> bool {
        self.foreign
            && self.text.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count() >= ENOUGH_WORDS
    }
}

/// A place with a time or an amount: `from Austin to Boston, March 3 to 5, $2500`.
fn names_a_stay(extracted: &Extracted) -> bool {
    let place = extracted.destination.is_some() || extracted.origin.is_some() || !extracted.places.is_empty();
    let limit = extracted.dates.is_some() || extracted.duration_days.is_some() || extracted.budget.is_some();
    place && limit
}

/// A question that wants to know something; `can you …` only asks politely for something to be done.
fn is_question(words: &Words<'_>, text: &str) -> bool {
    let polite = matches!(words.key(0), "can" | "could" | "would" | "will" | "puedes" | "podrias" | "puede");
    let asks = tables::ASKING.contains(words.key(0))
        && !words.is_command(0)
        && !matches!(words.key(0), "do" | "have");
    asks || is_sum(text) || (!polite && (text.trim_end().ends_with('?') || text.contains('¿')))
}

/// `2 + 2`: whoever writes a sum wants to know what it makes.
fn is_sum(text: &str) -> bool {
    has_digit(text)
        && text.contains(['+', '*', '/', '^', '×', '÷', '='])
        && !text.contains(char::is_alphabetic)
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// `Prune the trees`: a word that no table knows is a verb when it opens the request and an article follows.
fn opens_like_a_command(words: &Words<'_>) -> bool {
    let first = (0..words.len()).find(|at| !tables::POLITE.contains(words.key(*at)));
    first.is_some_and(|at| {
        let known_noun =
            tables::DETERMINERS.contains(words.key(at)) || tables::PREPOSITIONS.contains(words.key(at));
        let next = words.key(at + 1);
        words.is_specific(at) && !known_noun && !words.ends(at) && tables::DETERMINERS.contains(next)
    })
}

/// `Make a cake`: to make is to say what comes out, when something is named that comes out.
fn makes_something(words: &Words<'_>) -> bool {
    (0..words.len()).any(|at| {
        let thing = at + 1 + usize::from(has(&["me", "us"], words.key(at + 1)));
        matches!(words.key(at), "make" | "haz" | "hazme" | "hacer")
            && has(&["a", "an", "the", "un", "una", "el", "la"], words.key(thing))
            && (words.is_specific(thing + 1) || words.is_specific(thing + 2))
    })
}

/// Whether a component is named: `the login form`, but not `the full form`.
fn names_component(words: &Words<'_>) -> bool {
    (1..words.len()).any(|at| {
        tables::COMPONENTS.contains(words.key(at)) && words.is_specific(at - 1) && !words.ends(at - 1)
    })
}

pub(super) fn has_quote(text: &str) -> bool {
    let pairs = [('“', '”'), ('«', '»'), ('"', '"'), ('`', '`')];
    pairs.iter().any(|(open, close)| {
        let inner = text.split_once(*open).and_then(|(_, rest)| rest.split_once(*close));
        inner.is_some_and(|(inner, _)| inner.chars().any(char::is_alphanumeric))
    })
}

/// Whether most letters are of another script, or hardly a small word is one that the tables know.
fn is_foreign(words: &Words<'_>, text: &str, commands: &[usize]) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (mut all, mut other) = (0_usize, 0_usize);
    for letter in letters {
        all += 1;
        // Latin letters with their accents end here.
        other += usize::from(letter > '\u{24f}');
    }
    let small = words.all().iter().filter(|word| is_stop_word(&word.key)).count();
    let unknown = words.len() >= TELLING_WORDS && small * SMALL_WORDS < words.len() && commands.is_empty();
    other * 2 > all || unknown
}
