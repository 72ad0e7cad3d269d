//! Numbers in digits and in words, in both languages. Knows nothing of what is being counted.

use super::Language;
use super::text::Text;

/// Words for a larger number are read as several; it keeps a run of number words from becoming one.
const LARGEST: f64 = 1e15;

/// A number, and the position after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    pub(super) next: usize,
}

impl Number {
    /// The number as a whole count, if it is one.
    pub(super) fn whole(self) -> Option<u32> {
        let fits = self.value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&self.value);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
        fits.then_some(self.value as u32)
    }
}

/// The number at a position, in digits or words, with a multiplier such as `million` or `k`.
pub(super) fn read(text: &Text<'_>, at: usize) -> Option<Number> {
    if !text.get(at)?.counts {
        return None;
    }
    if !text.is_number(at) {
        return in_words(text, at);
    }
    let value = digits(text.get(at)?.text, text.language)?;
    Some(multiplied(text, Number { value, next: at.saturating_add(1) }))
}

/// The same, with a leading article counting as one: `a week`, `una semana`.
pub(super) fn read_or_article(text: &Text<'_>, at: usize) -> Option<Number> {
    let article = text.is(at, &["a", "an", "un", "una", "uno"]);
    let one = Number { value: 1.0, next: at.saturating_add(1) };
    read(text, at).or_else(|| article.then_some(one))
}

/// Digits with separators: `3,000`, `1.500`, `2 000,50`. A lone separator before three digits groups
/// thousands, except a point in English that may well be decimal outside money (`money` reads its own).
pub(super) fn digits(written: &str, language: Language) -> Option<f64> {
    let seps: Vec<char> = written.chars().filter(|character| !character.is_ascii_digit()).collect();
    let Some(&last) = seps.last() else { return written.parse().ok() };
    let (head, tail) = written.rsplit_once(last)?;
    let lone_english_point = last == '.' && seps.len() == 1 && language == Language::En;
    if is_grouped(written) && !lone_english_point {
        return plain(written);
    }
    let mixed = seps.iter().any(|&sep| sep != last);
    let repeated = seps.iter().filter(|&&sep| sep == last).count() > 1;
    if repeated || (mixed && !is_grouped(head)) {
        return None;
    }
    Some(plain(head)? + format!("0.{tail}").parse::<f64>().ok()?)
}

/// Digits in an amount of money, where three digits after a point are always thousands.
pub(super) fn money_digits(written: &str, language: Language) -> Option<f64> {
    if is_grouped(written) { plain(written) } else { digits(written, language) }
}

/// One to three digits that are not all zero, then groups of three, all with the same separator.
fn is_grouped(written: &str) -> bool {
    let Some(sep) = written.chars().find(|character| !character.is_ascii_digit()) else { return true };
    let mut groups = written.split(sep);
    let first = groups.next().unwrap_or("");
    let head = (1..=3).contains(&first.len()) && !first.starts_with('0');
    head && groups.all(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()))
}

fn plain(written: &str) -> Option<f64> {
    written.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// Applies the multipliers that follow: `2k`, `1,2 millones`, `3 thousand`.
pub(super) fn multiplied(text: &Text<'_>, number: Number) -> Number {
    let factor = match text.key(number.next) {
        "k" if text.is_glued(number.next) => 1e3,
        "thousand" | "grand" | "mil" => 1e3,
        "million" | "millions" | "millon" | "millones" => 1e6,
        "hundred" => 1e2,
        _ => return number,
    };
    multiplied(text, Number { value: number.value * factor, next: number.next.saturating_add(1) })
}

/// Tells whether a word is part of a number in either language.
pub(super) fn is_word(key: &str) -> bool {
    part(key, Language::Es).is_some()
}

/// What a number word does to the number being read.
enum Part {
    Add(f64),
    Hundred,
    Scale(f64),
}

fn in_words(text: &Text<'_>, at: usize) -> Option<Number> {
    let (mut total, mut current) = (0.0_f64, 0.0_f64);
    let mut next = at;
    let mut open = true;
    loop {
        let from = skip_joint(text, next, at, current);
        let Some(part) = part(text.key(from), text.language) else { break };
        match part {
            Part::Add(value) if fits(current, value, open) => current += value,
            Part::Add(_) => break,
            Part::Hundred if current < 100.0 => current = current.max(1.0) * 100.0,
            Part::Hundred => break,
            Part::Scale(scale) if (total + current) * scale > LARGEST => break,
            Part::Scale(scale) => {
                total += (total + current).max(1.0).mul_add(scale, -total);
                current = 0.0;
            }
        }
        open = current == 0.0;
        next = from.saturating_add(1);
    }
    (next > at).then_some(Number { value: total + current, next })
}

/// Whether a small number may be added: `twenty` + `five`, `two hundred` + `thirty`, not `two` + `three`.
fn fits(current: f64, value: f64, open: bool) -> bool {
    let tens = current % 100.0;
    let after_tens = tens >= 20.0 && tens % 10.0 == 0.0 && value < 10.0;
    let after_hundreds = current > 0.0 && tens == 0.0 && value < 100.0;
    open || after_tens || after_hundreds
}

/// Steps over the joint inside a number: `twenty-five`, `hundred and ten`, `treinta y cinco`.
fn skip_joint(text: &Text<'_>, at: usize, start: usize, current: f64) -> usize {
    let joint = match text.key(at) {
        "-" => current >= 20.0 && text.is_glued(at),
        "and" => current >= 100.0,
        "y" => (20.0..100.0).contains(&(current % 100.0)),
        _ => false,
    };
    let after = at.saturating_add(1);
    let small = matches!(part(text.key(after), text.language), Some(Part::Add(value)) if value < 100.0);
    if at > start && joint && small { after } else { at }
}

fn part(key: &str, language: Language) -> Option<Part> {
    Some(match key {
        "hundred" => Part::Hundred,
        "thousand" | "mil" => Part::Scale(1e3),
        "million" | "millon" | "millones" => Part::Scale(1e6),
        // "once" is eleven in Spanish and an adverb in English.
        "once" if language == Language::En => return None,
        other => {
            let (_, value) = SMALL.iter().find(|(word, _)| *word == other)?;
            Part::Add(f64::from(*value))
        }
    })
}

#[rustfmt::skip]
const SMALL: &[(&str, u16)] = &[
    ("zero", 0), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6), ("seven", 7),
    ("eight", 8), ("nine", 9), ("ten", 10), ("eleven", 11), ("twelve", 12), ("thirteen", 13),
    ("fourteen", 14), ("fifteen", 15), ("sixteen", 16), ("seventeen", 17), ("eighteen", 18), ("nineteen", 19),
    ("twenty", 20), ("thirty", 30), ("forty", 40), ("fifty", 50), ("sixty", 60), ("seventy", 70),
    ("eighty", 80), ("ninety", 90), ("cero", 0), ("dos", 2), ("tres", 3), ("cuatro", 4), ("cinco", 5),
    ("seis", 6), ("siete", 7), ("ocho", 8), ("nueve", 9), ("diez", 10), ("once", 11), ("doce", 12),
    ("trece", 13), ("catorce", 14), ("quince", 15), ("dieciseis", 16), ("diecisiete", 17), ("dieciocho", 18),
    ("diecinueve", 19), ("veinte", 20), ("veintiun", 21), ("veintiuno", 21), ("veintidos", 22),
    ("veintitres", 23), ("veinticuatro", 24), ("veinticinco", 25), ("veintiseis", 26), ("veintisiete", 27),
    ("veintiocho", 28), ("veintinueve", 29), ("treinta", 30), ("cuarenta", 40), ("cincuenta", 50),
    ("sesenta", 60), ("setenta", 70), ("ochenta", 80), ("noventa", 90), ("cien", 100), ("ciento", 100),
    ("doscientos", 200), ("trescientos", 300), ("cuatrocientos", 400), ("quinientos", 500),
    ("seiscientos", 600), ("setecientos", 700), ("ochocientos", 800), ("novecientos", 900),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        read(&Text::new(text), 0).map(|number| number.value)
    }

    #[test]
    fn numbers_in_words_are_read_in_both_languages() {
        for (words, expected) in [
            ("twenty-five", 25.0),
            ("two thousand five hundred", 2500.0),
            ("a", f64::NAN),
            ("mil", 1000.0),
            ("dos mil quinientos", 2500.0),
            ("treinta y cinco días", 35.0),
            ("two three", 2.0),
            ("one hundred and ten people", 110.0),
            ("veintiún", 21.0),
            ("1,2 millones", 1_200_000.0),
            ("five and six", 5.0),
            ("2k", 2000.0),
            ("three million", 3e6),
        ] {
            assert_eq!(value(words).unwrap_or(f64::NAN).to_bits(), expected.to_bits(), "{words}");
        }
    }

    #[test]
    fn separators_follow_the_language_and_the_money() {
        assert_eq!(digits("3,000", Language::En), Some(3000.0));
        assert_eq!(digits("7.125", Language::En), Some(7.125));
        assert_eq!(digits("1.500", Language::Es), Some(1500.0));
        assert_eq!(money_digits("1.500", Language::En), Some(1500.0));
        assert_eq!(digits("1.500,75", Language::Es), Some(1500.75));
        assert_eq!(digits("99.9", Language::En), Some(99.9));
        assert_eq!(digits("192.168.1.1", Language::En), None);
    }
}
