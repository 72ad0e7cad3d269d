//! The words by which people mark the steps of a request, in English and Spanish.

use candor_text::says;

/// How a sentence or clause says that it hangs together with what came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// It says nothing.
    Silent,
    /// It opens the list: "first".
    Opens,
    /// It comes beside the others: "also".
    Beside,
    /// It comes after the one before: "then".
    After,
    /// It is the last: "finally", which may mean either.
    Last,
    /// It says more about the one before: "specifically".
    Detail,
    /// It takes the place of the one before where the condition of that does not hold: "otherwise".
    Otherwise,
}

/// Takes the connective words off the front of a sentence, and says what they mean.
pub(super) fn leading(text: &str) -> (Cue, &str) {
    let (mut cue, mut rest) = (Cue::Silent, text.trim_start());
    // "And then also": three at most, and the strongest of them speaks.
    for _ in 0..3 {
        let found = TABLES.iter().find_map(|(meaning, phrases)| Some((*meaning, strip_any(rest, phrases)?)));
        let Some((meaning, after)) = found else { break };
        if cue == Cue::Silent || meaning == Cue::After {
            cue = meaning;
        }
        rest = after;
    }
    if cue == Cue::Silent && strip_any(rest, BESIDE_OPENINGS).is_some() {
        cue = Cue::Beside;
    }
    if strip_any(rest, SUBORDINATE).is_some() {
        cue = Cue::After;
    }
    (cue, rest)
}

const TABLES: [(Cue, &[&str]); 7] = [
    (Cue::Silent, &["oh", "and", "so", "well", "y", "pues", "now", "ahora"]),
    (
        Cue::Beside,
        &[
            "additionally",
            "in addition to that",
            "in addition",
            "also",
            "furthermore",
            "moreover",
            "besides that",
            "besides",
            "plus",
            "likewise",
            "on top of that",
            "apart from that",
            "separately",
            "meanwhile",
            "at the same time",
            "in parallel",
            "además",
            "ademas",
            "también",
            "tambien",
            "asimismo",
            "por otra parte",
            "por otro lado",
            "aparte",
            "al mismo tiempo",
            "en paralelo",
            "mientras tanto",
        ],
    ),
    (
        Cue::After,
        &[
            "then",
            "after that",
            "after this",
            "after which",
            "afterwards",
            "afterward",
            "next",
            "subsequently",
            "thereafter",
            "following that",
            "following this",
            "once that is done",
            "once done",
            "when done",
            "when that is done",
            "later",
            "later on",
            "with that done",
            "second",
            "secondly",
            "third",
            "thirdly",
            "fourth",
            "fifth",
            "luego",
            "después de eso",
            "despues de eso",
            "después",
            "despues",
            "a continuación",
            "a continuacion",
            "seguidamente",
            "tras eso",
            "más tarde",
            "posteriormente",
            "una vez hecho eso",
            "en segundo lugar",
            "en tercer lugar",
            "segundo",
            "tercero",
            "entonces",
        ],
    ),
    (
        Cue::Last,
        &[
            "finally",
            "lastly",
            "last but not least",
            "last",
            "at last",
            "in the end",
            "to finish",
            "por último",
            "por ultimo",
            "finalmente",
            "para terminar",
            "al final",
        ],
    ),
    (
        Cue::Opens,
        &[
            "first of all",
            "firstly",
            "first",
            "to begin with",
            "to start with",
            "to start",
            "primero",
            "en primer lugar",
            "para empezar",
            "antes que nada",
        ],
    ),
    (Cue::Otherwise, &["otherwise", "or else", "de lo contrario", "en caso contrario"]),
    (
        Cue::Detail,
        &[
            "specifically",
            "in particular",
            "particularly",
            "more precisely",
            "for example",
            "for instance",
            "note that",
            "notice that",
            "if possible",
            "if available",
            "if needed",
            "if necessary",
            "if you can",
            "si es posible",
            "si puedes",
            "en concreto",
            "concretamente",
            "en particular",
            "específicamente",
            "especificamente",
            "por ejemplo",
        ],
    ),
];

/// Openings of a whole sentence that put it beside the others and stay part of it.
const BESIDE_OPENINGS: &[&str] = &[
    "i also",
    "i'd also",
    "i would also",
    "i'm also",
    "i am also",
    "we also",
    "we'd also",
    "we would also",
    "we're also",
    "it would also",
    "please also",
    "can you also",
    "could you also",
    "también quiero",
    "también necesito",
];

/// Openings of a clause that must come true first; the clause stays part of the step.
const SUBORDINATE: &[&str] = &[
    "only if",
    "only once",
    "only when",
    "solo si",
    "sólo si",
    "solo cuando",
    "sólo cuando",
    "once",
    "after",
    "when",
    "as soon as",
    "if",
    "upon",
    "una vez",
    "cuando",
    "tras",
    "en cuanto",
    "si",
    "después de",
    "despues de",
];

/// Sentences that only close a text.
pub(super) const CLOSINGS: &[&str] = &[
    "thank you",
    "thanks",
    "thank you very much",
    "many thanks",
    "cheers",
    "gracias",
    "muchas gracias",
    "un saludo",
    "saludos",
    "best regards",
    "regards",
];

/// Words inside a step that say that it works on what an earlier one gave.
const REFERENCES: &[&str] = &[
    "the result",
    "the results",
    "based on that",
    "based on this",
    "based on these",
    "based on those",
    "based on the",
    "with that",
    "using that",
    "using those",
    "using these",
    "using this",
    "using it",
    "use it to",
    "use them to",
    "use that",
    "the resulting",
    "the extracted",
    "the filtered",
    "the retrieved",
    "the generated",
    "the above",
    "each of them",
    "each of those",
    "for each one",
    "el resultado",
    "los resultados",
    "con eso",
    "con ello",
    "con esto",
    "a partir de eso",
    "en base a eso",
    "según eso",
];

/// Whether the step says that it works on what an earlier one gave.
pub(super) fn refers_back(text: &str) -> bool {
    let lower = text.to_lowercase();
    REFERENCES.iter().any(|phrase| says(&lower, phrase))
}

/// Whether the step acts on something that only the one before it names: "send it to Ana".
pub(super) fn acts_on_previous(text: &str) -> bool {
    const POINTERS: &[&str] = &[
        "it", "its", "them", "their", "both", "these", "those", "lo", "los", "ambos", "ambas", "estos",
        "esos",
    ];
    let object =
        text.split_whitespace().nth(1).map(|word| word.trim_end_matches([',', '.', '?']).to_lowercase());
    object.is_some_and(|object| POINTERS.contains(&object.as_str()))
}

/// The marks of a further step inside a sentence, with what they mean.
pub(super) const INNER: &[(&str, Cue)] = &[
    (", and then ", Cue::After),
    (" and then ", Cue::After),
    (", then ", Cue::After),
    ("; then ", Cue::After),
    (" then ", Cue::After),
    (" and after that ", Cue::After),
    (", after that ", Cue::After),
    (", and finally ", Cue::After),
    (" and finally ", Cue::After),
    (", finally ", Cue::After),
    (" and subsequently ", Cue::After),
    (" and based on that, ", Cue::After),
    (" and based on that ", Cue::After),
    (" y por ultimo ", Cue::After),
    (" y luego ", Cue::After),
    (", luego ", Cue::After),
    (" y después ", Cue::After),
    (", después ", Cue::After),
    (" y finalmente ", Cue::After),
    (" y por último ", Cue::After),
    (", and also ", Cue::Beside),
    (" and also ", Cue::Beside),
    ("; also ", Cue::Beside),
    (", as well as ", Cue::Beside),
    (" y también ", Cue::Beside),
    (" y además ", Cue::Beside),
    ("; otherwise ", Cue::Otherwise),
    (", otherwise ", Cue::Otherwise),
    ("; otherwise, ", Cue::Otherwise),
    (", or else ", Cue::Otherwise),
    (" and otherwise ", Cue::Otherwise),
    (", and otherwise ", Cue::Otherwise),
    (" and, otherwise, ", Cue::Otherwise),
    (" y, en caso contrario, ", Cue::Otherwise),
    (" y en caso contrario ", Cue::Otherwise),
    (", en caso contrario, ", Cue::Otherwise),
    ("; en caso contrario, ", Cue::Otherwise),
    ("; en caso contrario ", Cue::Otherwise),
    (" y, de lo contrario, ", Cue::Otherwise),
    (" y de lo contrario ", Cue::Otherwise),
    ("; de lo contrario, ", Cue::Otherwise),
    (", de lo contrario, ", Cue::Otherwise),
    ("; de lo contrario ", Cue::Otherwise),
    (", de lo contrario ", Cue::Otherwise),
    ("; si no, ", Cue::Otherwise),
    (", si no, ", Cue::Otherwise),
    ("; ", Cue::Beside),
];

/// The marks behind which a sentence may go on with what must not be.
pub(super) const LIMITING: &[&str] =
    &[", but ", " but ", "; ", ", and ", " and ", ", ", ", pero ", " pero ", " y ", ", y ", " – ", " — "];

/// The marks at which a sentence may go on with a further verb.
pub(super) const JOINTS: &[&str] = &[", and ", " and, ", " and ", ", ", ", y ", " y, ", " y ", " e "];

/// Takes any of the phrases off the front, with the marks and spaces behind it.
pub(super) fn strip_any<'a>(text: &'a str, phrases: &[&str]) -> Option<&'a str> {
    // Most phrases differ in their first letter, and this is asked thousands of times.
    let first = text.bytes().next()?;
    let alike = |phrase: &&&str| phrase.bytes().next().is_some_and(|byte| byte.eq_ignore_ascii_case(&first));
    phrases.iter().filter(alike).filter_map(|phrase| strip_phrase(text, phrase)).min_by_key(|rest| rest.len())
}

fn strip_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let (front, rest) = text.split_at_checked(phrase.len())?;
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '-');
    (ends && front.eq_ignore_ascii_case(phrase))
        .then(|| rest.trim_start_matches([',', ':', ' ', '\t', '—', '–']))
}
