//! Wishes for the whole plan: one at a time, in parallel, cheaper.

use candor_model::ExecutionStrategy;

use super::Edit;
use super::cursor::around;
use super::words::Word;

/// Words that may stand beside such a wish and say nothing more.
const PLAIN: &[&str] = &[
    "do",
    "run",
    "make",
    "it",
    "them",
    "everything",
    "all",
    "the",
    "tasks",
    "plan",
    "carry",
    "out",
    "use",
    "agents",
    "execute",
    "work",
    "be",
    "should",
    "as",
    "is",
    "possible",
    "a",
    "at",
    "in",
    "one",
    "by",
    "after",
    "other",
    "another",
    "time",
    "mode",
    "strategy",
    "with",
    "cost",
    "costs",
    "price",
    "money",
    "haz",
    "hazlo",
    "todo",
    "toda",
    "todas",
    "las",
    "los",
    "tareas",
    "ejecuta",
    "ejecutalo",
    "usa",
    "agentes",
    "mas",
    "que",
    "sea",
    "de",
    "la",
    "el",
    "en",
    "a",
    "por",
    "vez",
    "una",
    "uno",
    "tras",
    "otra",
    "otro",
    "lo",
    "coste",
    "costo",
    "costes",
    "precio",
    "dinero",
    "posible",
    "go",
    "for",
];

/// One task after the other.
const SEQUENTIAL: &[&[&str]] = &[
    &["one", "at", "a", "time"],
    &["one", "by", "one"],
    &["one", "after", "the", "other"],
    &["one", "after", "another"],
    &["sequentially"],
    &["sequential"],
    &["in", "sequence"],
    &["una", "a", "una"],
    &["uno", "a", "uno"],
    &["una", "por", "una"],
    &["uno", "por", "uno"],
    &["una", "tras", "otra"],
    &["uno", "tras", "otro"],
    &["en", "secuencia"],
    &["secuencial"],
    &["secuencialmente"],
    &["de", "una", "en", "una"],
    &["de", "uno", "en", "uno"],
];

/// As many at once as possible.
const PARALLEL: &[&[&str]] = &[
    &["in", "parallel"],
    &["parallel"],
    &["at", "the", "same", "time"],
    &["all", "at", "once"],
    &["side", "by", "side"],
    &["en", "paralelo"],
    &["paralelo"],
    &["a", "la", "vez"],
    &["al", "mismo", "tiempo"],
];

/// Both, each where it fits.
const HYBRID: &[&[&str]] = &[&["hybrid"], &["hibrido"], &["hibrida"]];

/// Ask for the cheapest agents that fit.
const CHEAPER: &[&[&str]] = &[
    &["cheaper"],
    &["cheapest"],
    &["cheap"],
    &["reduce", "cost"],
    &["reduce", "the", "cost"],
    &["reduce", "costs"],
    &["lower", "the", "cost"],
    &["save", "money"],
    &["less", "expensive"],
    &["barato"],
    &["baratos"],
    &["barata"],
    &["economico"],
    &["reduce", "el", "coste"],
    &["reduce", "el", "costo"],
    &["ahorra", "dinero"],
    &["ahorra"],
];

/// The wish, if the words are one and nothing else.
pub(super) fn edit(said: &[Word]) -> Option<Edit> {
    let cues: [(&[&[&str]], Edit); 4] = [
        (CHEAPER, Edit::Cheaper),
        (SEQUENTIAL, Edit::Strategy(ExecutionStrategy::Sequential)),
        (PARALLEL, Edit::Strategy(ExecutionStrategy::Parallel)),
        (HYBRID, Edit::Strategy(ExecutionStrategy::Hybrid)),
    ];
    let says = |phrase: &[&str]| {
        let rest = around(said, phrase);
        rest.is_some_and(|(before, after)| before.iter().chain(after).all(|word| word.is_any(PLAIN)))
    };
    cues.into_iter().find(|(phrases, _)| phrases.iter().any(|phrase| says(phrase))).map(|(_, edit)| edit)
}
