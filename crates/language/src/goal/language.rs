//! Which of the two languages a text is in, by its small words. Knows English and Spanish, nothing else.

use super::Language;
use super::text::{Text, is_among};

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
/// Reading more than this many words changes no answer.
const LOOK_AT: usize = 2_000;

/// Counts the small words of each language; English when neither leads.
pub(super) fn detect(text: &Text<'_>) -> Language {
    let (mut english, mut spanish) = (0_u32, 0_u32);
    for token in text.tokens().iter().take(LOOK_AT) {
        english += u32::from(is_among(&token.key, ENGLISH));
        spanish += u32::from(is_among(&token.key, SPANISH));
        spanish += u32::from(token.text.contains(['ñ', '¿', '¡']));
    }
    if spanish > english { Language::Es } else { Language::En }
}
