//! Words and figures of quantities.

use std::collections::BTreeSet;

use candor_text::{fold, is_stop_word, says, singular, words};

/// How a quantity is asked for.
pub(super) const ASKING: &[&str] = &[
    "how many",
    "how much",
    "how long",
    "how old",
    "how far",
    "how tall",
    "how heavy",
    "cuántos",
    "cuántas",
    "cuánto",
    "cuánta",
];
pub(super) const ASKED_NAMES: &[&str] = &[
    "total",
    "average",
    "cost",
    "price",
    "sum",
    "percentage",
    "number",
    "score",
    "balance",
    "distance",
    "weight",
    "length",
    "height",
    "age",
    "speed",
    "profit",
    "earnings",
    "salary",
    "amount",
    "difference",
    "change",
    "promedio",
    "coste",
    "precio",
    "suma",
];

/// Words that make one quantity out of another.
pub(super) const RELATING: &[&str] = &[
    "twice",
    "double",
    "triple",
    "half",
    "third",
    "quarter",
    "percent",
    "times",
    "more",
    "fewer",
    "less",
    "older",
    "younger",
    "doble",
    "triple",
    "mitad",
    "tercio",
    "cuarto",
    "por ciento",
    "veces",
    "más",
    "menos",
];

/// Words that are figures.
#[rustfmt::skip]
pub(super) const FIGURES: &[&str] =
    &["twice", "half", "double", "triple", "thrice", "quadruple", "doble", "mitad", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "quarter",
    "dozen", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "docena", "tercio"];

/// Words that say how much one of several has or costs.
#[rustfmt::skip]
pub(super) const RATES: &[&str] = &[
    "each", "every", "per", "apiece", "daily", "weekly", "monthly", "hourly", "a day", "a week", "a month", "an hour",
    "cada", "diario", "diaria", "diarios", "diarias", "al día", "a la semana", "al mes", "por hora", "por noche",
];

/// Words that ask for several quantities together.
#[rustfmt::skip]
pub(super) const TOTALS: &[&str] = &["total", "altogether", "in all", "together", "combined", "average", "promedio", "media", "juntos", "juntas"];

/// Words that ask for the average of several quantities.
pub(super) const AVERAGES: &[&str] = &["average", "mean", "promedio", "media"];

/// Verbs that add to what there is, or take from it.
#[rustfmt::skip]
pub(super) const CHANGING: &[&str] = &[
    "gave", "gives", "sold", "sells", "ate", "eats", "lost", "loses", "spent", "spends", "used", "uses", "bought", "buys",
    "found", "finds", "received", "receives", "got", "added", "adds", "joined", "joins", "broke", "donated", "donates", "threw",
    "restocked", "restocks", "withdrew", "took", "takes", "borrowed", "picked", "paid", "pays", "removed", "returned", "repaid",
    "vendió", "gastó", "perdió", "regaló", "compró", "añadió", "recibió", "comió", "usó", "donó", "tiró", "devolvió", "encontró",
];

/// Sums that are added to a price, and a share that is taken off one.
pub(super) const FEES: &[&str] =
    &["fee", "tax", "tip", "surcharge", "interest", "impuesto", "propina", "recargo", "tasa"];

/// Words that speak of what is left of something.
pub(super) const REMAINING: &[&str] =
    &["remaining", "the rest", "left over", "restante", "restantes", "el resto", "que quedan"];

/// What is asked of every quantity, and says nothing of what it is about.
#[rustfmt::skip]
pub(super) const ASKED_OF_ALL: &[&str] = &[
    "money", "cost", "costs", "pay", "paid", "spend", "spent", "earn", "earned", "make", "made", "take", "took", "total", "altogether",
    "average", "together", "combined", "left", "need", "receive", "final", "amount", "price", "dollar", "change", "sum", "distance", "profit", "balance", "salary", "income", "time", "hour", "dinero",
    "cuesta", "pagar", "gastar", "gasto", "ganar", "promedio", "media", "queda",
];

/// Words that compare only in front of "than"; without it they add or take: "5 more pears".
pub(super) const COMPARING: &[&str] = &["more", "fewer", "less", "más", "menos"];

/// Words that say how much of one measure is so much of another.
pub(super) const CONVERTING: &[&str] = &[
    "equal",
    "equals",
    "worth",
    "equivalent",
    "for every",
    "equivale",
    "equivalen",
    "valen",
    "vale",
    "por cada",
];

/// What a statement counts in terms of something else: "bottles" of "half as many bottles", "pears" of "5 more pears".
pub(super) fn counted_more(statement: &str) -> Option<&str> {
    const MORE: &[&str] = &["as many ", " more ", " fewer ", "the number of "];
    let behind = MORE.iter().find_map(|more| statement.split_once(more)).map(|(_, behind)| behind)?;
    let noun = behind.split([' ', ',', '.']).next()?;
    let plain = noun.chars().all(char::is_lowercase) && noun.len() > 2;
    (plain && !is_stop_word(noun)).then_some(noun)
}

/// What figures count in a text: "chair" of "3 chairs".
pub(super) fn counted(text: &str) -> BTreeSet<String> {
    let words: Vec<String> = words(text).map(|word| fold(word).to_lowercase()).collect();
    let figure =
        |word: &String| word.starts_with(|c: char| c.is_ascii_digit()) || FIGURES.contains(&word.as_str());
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs
        .filter(|(number, noun)| figure(number) && noun.len() > 2 && !is_stop_word(noun))
        .map(|(_, noun)| singular(noun).into_owned())
        .collect()
}

pub(super) fn asks_for_quantity(question: &str) -> bool {
    let question = question.to_lowercase();
    let says_any = |words: &[&str]| words.iter().any(|word| says(&question, word));
    question.ends_with('?') && (says_any(ASKING) || (says(&question, "what") && says_any(ASKED_NAMES)))
}

pub(super) fn has_figure(text: &str) -> bool {
    figures(&text.to_lowercase()) > 0
}

/// How many figures a text in lower case has.
pub(super) fn figures(text: &str) -> usize {
    /// Parts of a whole, behind their number; without it they say which: "the third".
    const PARTS: &[&str] = &["third", "thirds", "fourth", "fourths", "fifth", "fifths", "tenth", "tenths"];
    let bare: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let before = [""].into_iter().chain(bare.iter().copied());
    let part = |(before, word): (&str, &str)| {
        PARTS.contains(&word) && matches!(before, "a" | "one" | "two" | "three" | "four")
    };
    before
        .zip(bare.iter().copied())
        .filter(|&(before, word)| {
            word.contains(|c: char| c.is_ascii_digit()) || FIGURES.contains(&word) || part((before, word))
        })
        .count()
}

/// What a sentence is about.
pub(super) fn names(sentence: &str) -> BTreeSet<String> {
    let named = words(sentence).map(|word| fold(word).to_lowercase());
    named
        .filter(|word| !is_stop_word(word) && word.len() > 2)
        .map(|word| singular(&word).into_owned())
        .collect()
}
