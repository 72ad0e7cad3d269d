//! Questions of mathematics: what is supposed is set out first, and a chance is the favourable cases among all.

use candor_text::says;

use super::{MOST_SENTENCES, Step, requests, sentences, tidy, words::has_figure};

/// How a text introduces what it calls by a letter.
const SUPPOSING: &[&str] =
    &["let", "suppose", "assume", "given", "if", "sea", "sean", "supongamos", "dado", "si"];

/// What is left to chance.
#[rustfmt::skip]
const DRAWING: &[&str] = &[
    "random", "randomly", "chosen", "drawn", "draws", "picked", "picks", "selected", "thrown", "throws", "rolled", "rolls",
    "tossed", "flipped", "spun", "azar", "lanza", "lanzan", "saca", "sacan", "tira", "tiran",
];

/// The steps of a question about a chance, or about something that a text defines by a formula.
pub(in crate::split) fn split(text: &str) -> Option<Vec<Step>> {
    // Most texts are neither, which is quicker to see than their sentences.
    if !["robab", "$", " = ", "\\("].iter().any(|mark| text.contains(mark)) {
        return None;
    }
    let sentences = sentences(text);
    let (question, told) = sentences.split_last()?;
    if told.len() > MOST_SENTENCES {
        return None;
    }
    chance(told, question).or_else(|| defined(told, question))
}

/// A chance: all cases and the favourable ones are counted, independently.
fn chance(told: &[&str], question: &str) -> Option<Vec<Step>> {
    let lower = question.to_lowercase();
    let asks =
        question.ends_with('?') && ["probability", "probabilidad"].iter().any(|word| says(&lower, word));
    let drawn = |sentence: &&str| {
        let lower = sentence.to_lowercase();
        has_figure(sentence) && DRAWING.iter().any(|word| says(&lower, word))
    };
    let situation: Vec<&str> = told.iter().copied().filter(drawn).collect();
    if !asks || situation.is_empty() {
        return None;
    }
    let condition = [" that ", " of ", " de que ", " de "].iter().find_map(|word| question.split_once(word));
    let favourable = condition.map_or(question, |(_, favourable)| favourable).trim_end_matches('?');
    Some(vec![
        Step::new(
            format!("Calculate the number of all possible cases: {}", tidy(&situation.join(" "))),
            Vec::new(),
            true,
        ),
        Step::new(format!("Calculate the number of cases in which {}", favourable.trim()), Vec::new(), true),
        Step::new(format!("Calculate: {}", tidy(question)), vec![0, 1], true),
    ])
}

/// What is supposed in formulas is set out before the question about it is answered.
fn defined(told: &[&str], question: &str) -> Option<Vec<Step>> {
    let (inner, asked) = inner_supposition(question).unwrap_or(("", question));
    let starts = |sentence: &str| {
        let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
        SUPPOSING.contains(&first.trim_end_matches(',')) && is_formula(sentence)
    };
    // One thing that the question itself supposes is used at once.
    let several = [" and ", " y "].iter().any(|joint| inner.contains(joint));
    let supposes =
        told.iter().any(|sentence| starts(sentence)) || (told.is_empty() && several && starts(inner));
    let asks = asked.ends_with('?') || requests::starts_with_verb(asked);
    // A formula that is asked about: anything else in "if …" is a condition of work.
    if !supposes || !asks || !is_formula(question) {
        return None;
    }
    let given: Vec<&str> = told.iter().copied().chain([inner]).filter(|it| !it.is_empty()).collect();
    Some(vec![
        Step::new(format!("Set out what is given: {}", tidy(&given.join(" "))), Vec::new(), true),
        Step::new(tidy(asked), vec![0], true),
    ])
}

/// "If $f(x) = 2x$, what is …?": what is supposed, and what is asked.
fn inner_supposition(question: &str) -> Option<(&str, &str)> {
    let asks = [", then what ", ", what ", ", find ", ", how many ", ", cuál ", ", ¿cuál "];
    let at = asks.iter().filter_map(|mark| question.rfind(mark)).max()?;
    Some((question.get(..at)?, question.get(at + 2..)?))
}

/// Whether a text has a formula in it, between marks that are not those of money: the second stands behind a letter.
fn is_formula(text: &str) -> bool {
    let mut marks = text.match_indices('$').skip(1).step_by(2);
    let closes =
        |(at, _): (usize, &str)| text.get(..at).is_some_and(|before| !before.ends_with(char::is_whitespace));
    marks.any(closes) || text.contains("\\(") || text.contains(" = ")
}
