//! Quantities that are computed from quantities: "Half of the 40 hives swarmed. How many are left?"

mod maths;
mod words;

use std::collections::BTreeSet;

use candor_text::says;

use super::{Step, lists, requests, sentences::sentences, tidy};
use words::{
    ASKED_OF_ALL, AVERAGES, CHANGING, COMPARING, CONVERTING, FEES, RATES, RELATING, REMAINING, TOTALS,
    asks_for_quantity, counted_more, figures, has_figure, names,
};

pub(super) use maths::split as supposed;

/// A longer tale is no exercise; each of its sentences is looked at for each other.
const MOST_SENTENCES: usize = 40;

/// A sentence with more of them is no statement of quantities any more.
const MOST_STATEMENTS: usize = 8;

/// The steps of a question after a quantity, if what it is computed from is told before it.
///
/// Each statement that relates two quantities, changes one, or tells how much each of several has, is a calculation of its
/// own; where the last one defines what is asked, the question is that calculation. Related ones are read in their order, for
/// a later one mostly builds on an earlier one.
pub(super) fn split(text: &str) -> Option<Vec<Step>> {
    let sentences = sentences(text);
    let (question, told) = sentences.split_last()?;
    let asks =
        |sentence: &&str| requests::starts_with_verb(requests::read(sentence).what) && !is_told(sentence);
    if told.len() > MOST_SENTENCES
        || lists::blocks(text).len() != 1
        || !asks_for_quantity(question)
        || told.iter().any(asks)
    {
        return None;
    }
    let condition = condition(question);
    let quantities: Vec<&str> = told.iter().copied().filter(|sentence| has_figure(sentence)).collect();
    if let Some(steps) = converted(told.last().copied().into_iter().chain(condition), question) {
        return Some(steps);
    }
    // "How many can be sold?" is about what was told, and so is what a question supposes.
    let mut asked = names(question);
    asked.retain(|name| !TOTALS.contains(&name.as_str()));
    let about: BTreeSet<&String> =
        asked.iter().filter(|name| !ASKED_OF_ALL.contains(&name.as_str())).collect();
    let told_of = |sentence: &&str| names(sentence).iter().any(|name| about.contains(name));
    let supposes = condition.is_some_and(has_figure);
    if asked.len() > 1 && !about.is_empty() && !supposes && !quantities.iter().any(told_of) {
        return None;
    }
    let priced = priced(&quantities, question);
    let calculations = if priced.is_empty() { calculations(&quantities) } else { priced };
    let needed = needed(calculations, question, &quantities);
    (!needed.is_empty()).then(|| steps(&needed, question))
}

/// The calculations that come before the one that answers the question.
fn needed<'a>(
    mut found: Vec<Calculation<'a>>,
    question: &'a str,
    quantities: &[&str],
) -> Vec<Calculation<'a>> {
    let lower = question.to_lowercase();
    let asked = names(question);
    let total = TOTALS.iter().any(|word| says(&lower, word));
    if found.last().is_some_and(|last| answers(last, question, quantities)) {
        found.pop();
    } else if !total && figures(&lower) == 0 {
        // "Rosa is 3 times as old as Iris. … How old is Rosa?"
        let subject = |it: &Calculation<'_>| it.statement.split_whitespace().next().map(names);
        let told = |it: &Calculation<'_>| {
            it.kind == Kind::Related && subject(it).is_some_and(|it| !it.is_empty() && it.is_subset(&asked))
        };
        if let Some(at) = found.iter().position(told) {
            found.remove(at);
        }
    }
    // So many figures take one calculation less, and the last of them answers.
    let all: usize = quantities.iter().copied().chain([question]).map(|it| figures(&it.to_lowercase())).sum();
    let related = found.iter().filter(|it| it.builds()).count();
    while found.len() > all.saturating_sub(2).max(related) {
        let Some(last) = found.iter().rposition(|it| !it.builds()) else { break };
        found.remove(last);
    }
    // "Half of the remaining pages": what remains comes first.
    let rest = condition(question).filter(|it| REMAINING.iter().any(|word| says(&it.to_lowercase(), word)));
    if let Some(statement) = rest.filter(|it| has_figure(it) && !found.is_empty()) {
        found.push(Calculation { statement, kind: Kind::Remaining });
    }
    found
}

/// "Bill buys 4 crates": a name at the beginning of a sentence that is a verb as well. "Ship orders to 3 towns" is a command.
fn is_told(sentence: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "Art", "Bill", "Bob", "Chase", "Dale", "Dean", "Drew", "Frank", "Grace", "Grant", "Harry", "Hope", "Jack", "Joy", "Josh",
        "Mark", "Mike", "Miles", "Nick", "Pat", "Peg", "Pierce", "Ray", "Rob", "Rose", "Sue", "Wade", "Ward", "Will",
    ];
    const TELLING: &[&str] =
        &["has", "had", "is", "was", "does", "can", "will", "and", "bought", "made", "got", "sold", "ate"];
    let mut words = sentence.split_whitespace();
    let (name, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let third = || verb.strip_suffix('s').is_some_and(requests::is_verb) || verb.ends_with("ed");
    NAMES.contains(&name) && (TELLING.contains(&verb) || third())
}

/// What a question supposes before it asks: "if 3 chairs are broken" of "If 3 chairs are broken, how many are left?"
fn condition(question: &str) -> Option<&str> {
    let lower = question.to_lowercase();
    let opens = ["if ", "si "].iter().any(|word| lower.starts_with(word));
    let asks =
        [", how ", ", what ", ", cuánt", ", ¿cuánt"].iter().filter_map(|mark| lower.find(mark)).max()?;
    question.get(..asks).filter(|_| opens)
}

/// How a statement makes a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Out of another one: "twice as many".
    Related,
    /// By adding to one or taking from it: "sold 5 of them".
    Changed,
    /// Out of its own figures: "40 rows of 20".
    Multiplied,
    /// By taking all that was computed from what there was: "half of the remaining pages".
    Remaining,
}

/// A statement that has something to be calculated.
#[derive(Debug, Clone, Copy)]
struct Calculation<'a> {
    statement: &'a str,
    kind: Kind,
}

impl Calculation<'_> {
    /// Whether it builds on the calculation before it.
    fn builds(&self) -> bool {
        self.kind != Kind::Multiplied
    }

    fn description(&self) -> String {
        let what = match self.kind {
            Kind::Related => {
                counted_more(self.statement).map(|noun| format!(" the number of {noun}")).unwrap_or_default()
            }
            Kind::Changed => " the total after".to_owned(),
            Kind::Multiplied => " the total".to_owned(),
            Kind::Remaining => " what remains".to_owned(),
        };
        format!("Calculate{what}: {}", tidy(self.statement))
    }
}

/// The calculations that the statements hold, in their order.
fn calculations<'a>(quantities: &[&'a str]) -> Vec<Calculation<'a>> {
    let mut found = Vec::new();
    for (at, sentence) in quantities.iter().enumerate() {
        let before = quantities.get(..at).unwrap_or_default();
        for statement in statements(sentence) {
            let (kind, parts) = if changes(statement, before) {
                (Kind::Changed, vec![statement])
            } else if relates(&statement) {
                (Kind::Related, vec![statement])
            } else {
                let parts = combined(statement);
                let rate = parts.len() < 2 && has_rate(statement, before);
                (Kind::Multiplied, if rate { vec![statement] } else { parts })
            };
            found.extend(parts.into_iter().map(|statement| Calculation { statement, kind }));
        }
    }
    found
}

/// The parts of a statement that have several figures each, which make one: "60 km an hour for 3 hours and 40 for 2 hours".
fn combined(statement: &str) -> Vec<&str> {
    const JOINTS: &[&str] = &[", and ", " and then ", " and ", ", ", " y luego ", " y "];
    let (mut found, mut start) = (Vec::new(), 0);
    let joints = JOINTS.iter().flat_map(|joint| statement.match_indices(joint));
    let mut cuts: Vec<(usize, usize)> = joints.map(|(at, joint)| (at, at + joint.len())).collect();
    cuts.sort_unstable();
    let several = |part: Option<&str>| part.is_some_and(|part| figures(&part.to_lowercase()) > 1);
    for (end, next) in cuts {
        if end >= start && several(statement.get(start..end)) && several(statement.get(next..)) {
            found.extend(statement.get(start..end));
            start = next;
        }
    }
    found.extend(statement.get(start..).filter(|rest| several(Some(rest))));
    found
}

/// What is related to another quantity needs the calculation before it; the question needs what nothing else does. An average
/// is taken of a total.
fn steps(calculations: &[Calculation<'_>], question: &str) -> Vec<Step> {
    let builds = |at: usize| calculations.get(at).is_some_and(Calculation::builds);
    let mut steps: Vec<Step> = calculations
        .iter()
        .enumerate()
        .map(|(at, it)| {
            let needs = at.checked_sub(1).filter(|_| it.builds());
            Step::new(it.description(), needs.into_iter().collect(), true)
        })
        .collect();
    let mut last: Vec<usize> = (0..steps.len()).filter(|&at| !builds(at + 1)).collect();
    if AVERAGES.iter().any(|word| says(&question.to_lowercase(), word)) {
        steps.push(Step::new(format!("Calculate the total: {}", tidy(question)), last, true));
        last = vec![steps.len() - 1];
    }
    steps.push(Step::new(format!("Calculate: {}", tidy(question)), last, true));
    steps
}

/// Things of which the price is told and the number: "Pears cost $2 and figs $3. How much are 4 pears and 5 figs?" Each price
/// is a calculation.
fn priced<'a>(quantities: &[&'a str], question: &str) -> Vec<Calculation<'a>> {
    const MONEY: &[char] = &['$', '€', '£'];
    let pieces = |text: &'a str| text.split(" and ").flat_map(|piece| piece.split(" y ")).collect::<Vec<_>>();
    let prices: Vec<&str> = quantities
        .iter()
        .flat_map(|told| pieces(told))
        .filter(|piece| piece.contains(MONEY) && figures(&piece.to_lowercase()) == 1 && !relates(piece))
        .collect();
    let rest = quantities.iter().copied().filter(|told| !told.contains(MONEY)).chain([question]);
    let counted: BTreeSet<String> = rest.flat_map(words::counted).collect();
    let matched = |piece: &&&str| !names(piece).is_disjoint(&counted);
    let found: Vec<&str> = prices.iter().filter(matched).copied().collect();
    let all = found.len() > 1 && found.len() == prices.len();
    let priced = |statement| Calculation { statement, kind: Kind::Multiplied };
    if all { found.into_iter().map(priced).collect() } else { Vec::new() }
}

/// A quantity that is converted from one measure to the next: "If 3 bushels are worth 5 sacks and 2 sacks are worth 7 pecks,
/// how many bushels are worth 210 pecks?" begins where the figure of the question is.
fn converted<'a>(told: impl Iterator<Item = &'a str>, question: &str) -> Option<Vec<Step>> {
    let converts = |piece: &&str| {
        CONVERTING.iter().any(|word| says(&piece.to_lowercase(), word)) && figures(&piece.to_lowercase()) == 2
    };
    let mut pieces: Vec<&str> = told
        .flat_map(|told| told.split([',', ';']))
        .flat_map(|it| it.split(" and "))
        .filter(converts)
        .collect();
    let asked = question.rsplit_once(", ").map_or(question, |(_, asked)| asked);
    let known = words::counted(asked);
    if pieces.len() < 2 || known.is_empty() {
        return None;
    }
    if pieces.last().is_some_and(|last| !names(last).is_disjoint(&known)) {
        pieces.reverse();
    }
    // The last measure is the one that is asked for.
    pieces.pop();
    let first = pieces.into_iter().map(|statement| Calculation { statement, kind: Kind::Related });
    Some(steps(&first.collect::<Vec<_>>(), question))
}

/// Whether a statement counts things of which it or one before it tells how much each is: "40 rows of 20 chairs each".
fn has_rate(statement: &str, before: &[&str]) -> bool {
    let lower = statement.to_lowercase();
    let own = names(statement);
    let counted = || before.iter().any(|told| !names(told).is_disjoint(&own));
    RATES.iter().any(|word| says(&lower, word))
        && (figures(&lower) > 1 || (figures(&lower) == 1 && counted()))
}

/// Whether a statement adds to a quantity that is told before it, or takes from it: "She sold 5 of the pears", "3 more came".
fn changes(statement: &str, before: &[&str]) -> bool {
    let lower = statement.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| says(&lower, word));
    let relating = |word: &&&str| !COMPARING.contains(word) && says(&lower, word);
    let than = has(&["than", "que"]) || lower.contains('%') || RELATING.iter().any(|word| relating(&word));
    if !has_figure(statement) || before.is_empty() || than {
        return false;
    }
    let own = names(statement);
    let same = || before.iter().any(|told| names(told).iter().any(|name| own.contains(name)));
    let pronoun = || ["he ", "she ", "they ", "it ", "we "].iter().any(|word| lower.starts_with(word));
    has(COMPARING) || has(FEES) || (has(CHANGING) && (same() || pronoun()))
}

/// Whether a statement defines what is asked: the question has no figure of its own, asks for no total of several, and
/// shares a name with the statement that nothing before it has. "30 percent of the does are white. How many white does …?"
///
/// What is left after the last change is what that change makes.
fn answers(last: &Calculation<'_>, question: &str, quantities: &[&str]) -> bool {
    let lower = question.to_lowercase();
    let asked = names(question);
    let own = quantities.iter().position(|it| it.contains(last.statement)).unwrap_or_default();
    let front =
        quantities.get(own).and_then(|it| it.split_once(last.statement)).map_or("", |(front, _)| front);
    let told = quantities.get(..own).unwrap_or_default().iter().copied().chain([front]);
    let before: BTreeSet<String> = told.flat_map(names).collect();
    let defined = names(last.statement).iter().any(|name| asked.contains(name) && !before.contains(name));
    // "Sold 5 at noon and 7 later" is summed first.
    let count = figures(&last.statement.to_lowercase());
    let latest = own + 1 == quantities.len() && count == 1;
    let answering = match last.kind {
        Kind::Related => defined && count < 3,
        Kind::Changed => latest,
        Kind::Multiplied | Kind::Remaining => defined && latest,
    };
    figures(&lower) == 0 && !TOTALS.iter().any(|word| says(&lower, word)) && answering
}

/// Whether a statement makes one quantity out of another.
fn relates(statement: &&str) -> bool {
    let lower = statement.to_lowercase();
    // "10 points higher than John".
    let than = || {
        lower
            .split_once(" than ")
            .is_some_and(|(before, _)| before.split_whitespace().any(|it| it.ends_with("er")))
    };
    has_figure(statement) && (lower.contains('%') || RELATING.iter().any(|word| says(&lower, word)) || than())
}

/// The statements of a sentence: "half of them are red and 30 percent of those are small" has two.
fn statements(sentence: &str) -> Vec<&str> {
    const JOINTS: &[&str] = &[", while ", ", and ", " and ", "; ", " y ", ", mientras "];
    let (mut found, mut rest) = (Vec::new(), sentence);
    while found.len() < MOST_STATEMENTS {
        let cut = JOINTS.iter().find_map(|joint| {
            let (head, tail) = rest.split_once(joint)?;
            (relates(&head) && relates(&tail)).then_some((head, tail))
        });
        let Some((head, tail)) = cut else { break };
        found.push(head);
        rest = tail;
    }
    found.push(rest);
    found
}
