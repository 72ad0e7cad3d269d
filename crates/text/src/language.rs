//! Which of the two known languages a text is in, by its small words.

use serde::{Deserialize, Serialize};

use crate::{Rule, fold};

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English, and whatever is not seen to be Spanish.
    #[default]
    En,
    /// Spanish.
    Es,
}

/// Reading more than this many words changes no answer.
const LOOK_AT: usize = 2_000;

impl Language {
    /// Counts the small words of each language; English when neither leads.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (mut english, mut spanish) = (0_u32, 0_u32);
        let mut end = 0;
        for word in Rule::Prose.split(text).take(LOOK_AT) {
            let key = fold(word.text);
            english += u32::from(ENGLISH.contains(&key.as_ref()));
            spanish += u32::from(SPANISH.contains(&key.as_ref()));
            // The word and the marks before it.
            let whole = text.get(end..word.end()).unwrap_or_default();
            spanish += u32::from(whole.contains(['ñ', '¿', '¡']));
            end = word.end();
        }
        if spanish > english { Self::Es } else { Self::En }
    }
}

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "the", "a", "an", "of", "and", "for", "with", "to", "in", "from", "is", "my", "our", "we", "i", "by",
    "on", "that", "this", "be", "will", "must", "should", "can", "you", "please", "at", "it", "budget",
];
#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "el", "la", "los", "las", "un", "una", "de", "del", "y", "para", "con", "en", "por", "que", "es", "mi",
    "nuestro", "nuestra", "al", "se", "su", "sin", "desde", "hasta", "debe", "quiero", "queremos", "dias",
    "viaje", "presupuesto", "semana", "personas",
];
