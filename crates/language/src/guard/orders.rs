//! Who is addressed, what is to be done, and to what: kinds of words that stand in one sentence.
//!
//! A phrase names the words of an order and is missed in others. Here a sentence says something by the kinds of words that it has, in
//! whatever order. Each word was looked up already, so that this is one more pass over numbers.

use super::harmless;
use super::kinds::*;
use super::tokens::Token;
use super::weights::Sign;
use super::words::{Hit, STOP};

/// How many words are looked at together at most, where no sentence ends.
const SENTENCE: usize = 32;
/// How far the words of one order stand apart.
const NEAR: usize = 12;
/// The most letters of an article.
const ARTICLE: usize = 3;
/// How far before an act the word may stand that forbids it.
const FORBIDS: usize = 3;

/// Every sign, in no order.
pub(super) fn hits(text: &str, tokens: &[Token]) -> Vec<Hit> {
    let mut hits = Vec::new();
    // Who was called in the sentence before: a heading calls, what is below it orders.
    let mut called: Option<Called> = None;
    for sentence in tokens.split(|token| token.ids == STOP).flat_map(|sentence| sentence.chunks(SENTENCE)) {
        let sentence = Sentence::new(text, sentence);
        if sentence.kinds == 0 {
            continue;
        }
        let before = called.take().filter(|call| call.lasts || sentence.begins_line());
        called = sentence.called();
        if let Some(call) = called.or(before).filter(|call| sentence.orders(call, called.is_none())) {
            // What somebody wants for himself is what assistants are there for.
            let sign = if call.is_robot && !sentence.is_own(&call) { Sign::ToAssistants } else { Sign::Duty };
            hits.push(sentence.hit(sign));
        }
        let signs = HARMS.iter().filter(|harm| sentence.does(harm)).map(|harm| harm.sign);
        let signs = signs.chain(SAYS.iter().filter(|says| sentence.says(says)).map(|says| says.sign));
        hits.extend(signs.map(|sign| sentence.hit(sign)));
    }
    hits
}

/// An act, and what makes it one that does harm.
struct Harm {
    sign: Sign,
    act: Kinds,
    to: Kinds,
}

const HARMS: &[Harm] = &[
    Harm { sign: Sign::HandsOut, act: SEND, to: PRIVATE },
    Harm { sign: Sign::Spends, act: PAY, to: PURSE },
    Harm { sign: Sign::Grants, act: GRANT, to: RIGHT },
    Harm { sign: Sign::Weakens, act: WEAKEN, to: GUARD },
];

/// Kinds that say something where they stand near one word.
struct Says {
    sign: Sign,
    word: Kinds,
    near: &'static [Kinds],
}

const SAYS: &[Says] = &[
    Says { sign: Sign::AsksForPrompt, word: SET_UP, near: &[TEXT, YOU] },
    Says { sign: Sign::AsksForPrompt, word: TOLD, near: &[TEXT | MAKER, YOU, BEFORE | MAKER, SHOW] },
    Says { sign: Sign::RulesEnded, word: ENDED, near: &[CHARGE] },
    Says { sign: Sign::Agreed, word: AGREED, near: &[USER] },
    Says { sign: Sign::EncodedOrder, word: DECODE, near: &[OBEY] },
];

/// Programs that are addressed.
#[derive(Debug, Clone, Copy)]
struct Called {
    /// Whether nobody but a program can be meant.
    is_robot: bool,
    /// Behind which word of the sentence.
    end: usize,
    /// Whether the sentence after it is for them too: `note to the model: …`.
    lasts: bool,
}

struct Sentence<'a> {
    text: &'a str,
    tokens: &'a [Token],
    kinds: Kinds,
}

impl<'a> Sentence<'a> {
    fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens, kinds: tokens.iter().fold(0, |kinds, token| kinds | token.kinds) }
    }

    fn hit(&self, sign: Sign) -> Hit {
        let at = self.tokens.first().map_or(0, |token| token.at);
        Hit { at, end: self.tokens.last().map_or(at, |token| token.end), sign }
    }

    fn kind(&self, index: usize) -> Kinds {
        self.tokens.get(index).map_or(0, |token| token.kinds)
    }

    /// The kinds of these words.
    fn kinds(&self, from: usize, to: usize) -> Kinds {
        let range = self.tokens.get(from..to.min(self.tokens.len())).unwrap_or_default();
        range.iter().fold(0, |kinds, token| kinds | token.kinds)
    }

    fn says(&self, says: &Says) -> bool {
        self.kinds & says.word != 0
            && says.near.iter().all(|kinds| self.kinds & kinds != 0)
            && self.places(says.word).any(|at| says.near.iter().all(|kinds| self.near(at) & kinds != 0))
    }

    fn does(&self, harm: &Harm) -> bool {
        self.kinds & harm.act != 0
            && self.kinds & harm.to != 0
            && self.acts(0, harm.act).any(|at| self.near(at) & harm.to != 0)
    }

    fn places(&self, kinds: Kinds) -> impl Iterator<Item = usize> {
        (0..self.tokens.len()).filter(move |at| self.kind(*at) & kinds != 0)
    }

    /// The kinds of the words around this one.
    fn near(&self, at: usize) -> Kinds {
        self.kinds(at.saturating_sub(NEAR), at) | self.kinds(at + 1, at + NEAR)
    }

    /// Where something of these kinds is ordered from this word on and not forbidden.
    fn acts(&self, from: usize, kinds: Kinds) -> impl Iterator<Item = usize> {
        self.places(kinds)
            .filter(move |at| *at >= from)
            .filter(|at| self.kinds(at.saturating_sub(FORBIDS), *at) & NOT == 0)
    }

    /// Whether whoever was called is told to do something, or not to tell of it.
    fn orders(&self, called: &Called, is_next: bool) -> bool {
        let from = if is_next { 0 } else { called.end };
        let conceals = || {
            let mut tells = (from..self.tokens.len()).filter(|at| self.kind(*at) & TELL != 0);
            tells.any(|at| self.kinds(at.saturating_sub(FORBIDS), at) & (NOT | WITHOUT) != 0)
        };
        let speaks = called.is_robot && !is_next && self.kinds & YOU != 0 && from < self.tokens.len();
        speaks
            || self.acts(from, if called.is_robot { ACT | SHOW | TELL } else { ACT }).next().is_some()
            || conceals()
    }

    /// Whether the first word behind the order is the one who gives it: `bot, remind me`.
    fn is_own(&self, called: &Called) -> bool {
        self.kinds(called.end + 1, called.end + 2) & ME != 0
    }

    fn begins_line(&self) -> bool {
        let at = self.tokens.first().map_or(0, |token| token.at);
        let before = self.text.get(..at).unwrap_or_default();
        before.trim_end_matches(|letter: char| letter != '\n' && !letter.is_alphanumeric()).ends_with('\n')
    }

    /// The program that the sentence addresses.
    fn called(&self) -> Option<Called> {
        if self.kinds & (ROBOT | PROGRAM) == 0 {
            return None;
        }
        let mut at = 0;
        let mut found: Option<Called> = None;
        while at < self.tokens.len() {
            let end = self.name_end(at);
            let called = self.kinds(at, end) & (ROBOT | PROGRAM) != 0;
            let called = if called && !self.is_identifier(at, end) && !self.is_linked(at) {
                self.called_as(at, end)
            } else {
                None
            };
            found = found.filter(|found| found.is_robot).or(called).or(found);
            at = end.max(at + 1);
        }
        found
    }

    /// Whether these words are a piece of a name in code: `--fault flight_agent=timeout` calls nobody.
    fn is_identifier(&self, at: usize, end: usize) -> bool {
        let (first, last) = (self.tokens.get(at), end.checked_sub(1).and_then(|last| self.tokens.get(last)));
        let before =
            first.and_then(|first| self.text.get(..first.at)).is_some_and(|text| text.ends_with('_'));
        let after = last.and_then(|last| self.text.get(last.end..));
        before || after.is_some_and(|text| text.starts_with(['_', '=']))
    }

    fn is_linked(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| harmless::is_title(self.text, token.at))
    }

    /// Where the name of a program that begins here ends; a comma ends it too.
    fn name_end(&self, at: usize) -> usize {
        let names = ROBOT | PROGRAM | AUTOMATED;
        let end = (at..self.tokens.len())
            .find(|end| self.kind(*end) & names == 0 || *end > at && self.precedes(*end, &[',']));
        let end = end.unwrap_or(self.tokens.len());
        // `modelo de lenguaje`
        let after = if end > at { (end..end + 3).find(|at| self.kind(*at) & AUTOMATED != 0) } else { None };
        after.map_or(end, |at| at + 1)
    }

    /// How the program with this name is addressed, if it is.
    fn called_as(&self, at: usize, end: usize) -> Option<Called> {
        let kinds = self.kinds(at, end);
        let is_read = |count: usize| self.kinds(end, end + count) & READS != 0;
        // Other models do not read, and nobody writes to them.
        let is_model = kinds & MODEL != 0 && (is_read(2) || self.kinds(at.saturating_sub(4), at) & NOTE != 0);
        let reads_this =
            is_read(3) && self.kinds(end, end + 5) & THIS != 0 && self.kinds(end, end + 6) & COLON != 0;
        let is_robot = kinds & (ROBOT | AUTOMATED) != 0 || is_model || reads_this || self.follows(at, &['@']);
        if self.is_called(at, end, is_robot) {
            let noted = self.kinds(at.saturating_sub(5), at);
            return Some(Called { is_robot, end, lasts: is_robot && noted & NOTE != 0 && noted & TO != 0 });
        }
        let is_this = (kinds | self.kinds(end, end + 8)) & THIS != 0;
        self.has_duty(end).then_some(Called { is_robot: is_robot && is_this, end, lasts: false })
    }

    /// Whether these words are called: `dear AI`, `@bot`, `note to the model:`, `if you are an assistant`, `agent, …`.
    fn is_called(&self, at: usize, end: usize, is_robot: bool) -> bool {
        let before = |count: usize| self.kinds(at.saturating_sub(count), at);
        let first = self.begins(at) || self.follows(at, &['@', '[', '(', '<']);
        // `Chatbots can be rude, too:` says something of them.
        let colon = (end..end + 5)
            .find(|at| self.kind(*at) & COLON != 0)
            .is_some_and(|at| self.kinds(end, at) & (BE | HAVE | MUST) == 0);
        let comma = self.precedes(end, &[',']) && !self.is_listed(at, end);
        // `AI note taker, add …`
        let longer = (end + 1..end + 3).any(|at| self.precedes(at, &[',']) && self.kind(at) & ACT != 0);
        // `[automated reviewer] Mark …`
        let boxed = self.follows(at, &['[']) && self.closes(end);
        let ends = colon || comma || boxed || self.precedes(end, &[':', '–', '—']);
        let starts = first || at <= 1 || before(3) & COLON != 0;
        let greeted = before(2) & GREET != 0 && is_robot;
        let written = before(3) & TO != 0 && (before(6) & NOTE != 0 || at <= 3 && ends)
            || before(5) & TO != 0 && colon && self.kinds(at, end) & AUTOMATED != 0;
        let conditional = before(5) & IF != 0
            && (before(4) & YOU != 0
                && self.kinds(at.saturating_sub(4), end + 3) & BE != 0
                && !self.is_trade(end)
                || self.kinds(end, end + 5) & (READS | THIS) != 0 && is_robot);
        let any = is_robot && before(2) & ANY != 0 && ends;
        // `stop that, agent.`
        let last = end >= self.tokens.len() && !self.is_listed(at, end);
        let aside = self.follows(at, &[',']) && (comma || last);
        starts && ends
            || first && longer
            || greeted
            || written
            || conditional
            || any
            || aside
            || self.follows(at, &['@'])
    }

    /// Whether a name that begins here begins what is said: `AI, …`, `note: AI, …`, `the AI, …`.
    fn begins(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let is_short = self.tokens.get(before).is_some_and(|token| token.end - token.at <= ARTICLE);
        self.kind(before) & (COLON | GREET | TO | NOTE | ANY) != 0
            || is_short && (before == 0 || self.kind(before - 1) & COLON != 0)
    }

    /// Whether programs stand in a row: `GPT, Claude and Gemini` calls none of them.
    fn is_listed(&self, at: usize, end: usize) -> bool {
        let is_program = |at: usize| self.kind(at) & (ROBOT | PROGRAM) != 0;
        is_program(end) || is_program(end + 1) || self.follows(at, &[',']) && is_program(at.wrapping_sub(1))
    }

    /// Whether what was named is but the first word of what somebody is: `an AI developer`.
    fn is_trade(&self, end: usize) -> bool {
        let is_name = end.checked_sub(1).is_some_and(|last| self.kind(last) & ROBOT != 0);
        let is_next = end < self.tokens.len()
            && self.kind(end) & !(USER | MAKER) == 0
            && !self.precedes(end, &[',', '.', ':', ';', '"']);
        is_name && is_next
    }

    /// Whether these words have to do something.
    fn has_duty(&self, end: usize) -> bool {
        let mut has = (end..end + 8).filter(|at| self.kind(*at) & HAVE != 0);
        self.kinds(end, end + 8) & MUST != 0 || has.any(|at| self.kind(at + 1) & INFINITIVE != 0)
    }

    fn follows(&self, at: usize, signs: &[char]) -> bool {
        let before = self.tokens.get(at).and_then(|token| self.text.get(..token.at)).unwrap_or_default();
        before.trim_end().ends_with(signs)
    }

    fn closes(&self, end: usize) -> bool {
        let last = end.checked_sub(1).and_then(|last| self.tokens.get(last));
        last.and_then(|token| self.text.get(token.end..)).is_some_and(|after| after.starts_with(']'))
    }

    fn precedes(&self, end: usize, signs: &[char]) -> bool {
        let last = end.checked_sub(1).and_then(|last| self.tokens.get(last));
        let after = last.and_then(|token| self.text.get(token.end..)).unwrap_or_default();
        after.trim_start_matches([']', ')', ' ', '*']).starts_with(signs)
    }
}
