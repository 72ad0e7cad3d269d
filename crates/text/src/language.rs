//! Which of the two known languages a text is in, by its small words.

use serde::{Deserialize, Serialize};

use crate::{Rule, WordSet, fold};

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
    /// The language of a code or a locale, such as `es` or `es_MX.UTF-8`; nothing for one that is not known.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let name = code.split(['_', '-', '.', '@']).next().unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "en" => Some(Self::En),
            "es" => Some(Self::Es),
            _ => None,
        }
    }

    /// Its code: `en`, `es`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
        }
    }

    /// Counts the small words of each language; English when neither leads.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (mut english, mut spanish) = (0_u32, 0_u32);
        let mut end = 0;
        for word in Rule::Prose.split(text).take(LOOK_AT) {
            let key = fold(word.text);
            english += u32::from(ENGLISH.contains(&key));
            spanish += u32::from(SPANISH.contains(&key));
            // The word and the marks before it.
            let whole = text.get(end..word.end()).unwrap_or_default();
            spanish += u32::from(!whole.is_ascii() && whole.contains(['ñ', '¿', '¡']));
            end = word.end();
        }
        if spanish > english { Self::Es } else { Self::En }
    }

    /// The language of a text that is long enough to tell, and nothing if neither of the two clearly leads. Words
    /// that other languages share with Spanish do not count.
    #[must_use]
    pub fn told(text: &str) -> Option<Self> {
        let count = |known: &WordSet| {
            let words = Rule::Prose.split(text).take(LOOK_AT);
            words.filter(|word| known.contains(&fold(word.text))).count()
        };
        let (english, spanish) = (count(&ENGLISH_ONLY), count(&SPANISH_ONLY));
        match (english, spanish) {
            (english, spanish) if english >= ENOUGH && english >= 3 * spanish => Some(Self::En),
            (english, spanish) if spanish >= ENOUGH && spanish >= 3 * english => Some(Self::Es),
            _ => None,
        }
    }
}

/// So many small words of a language make sure that a text is in it.
const ENOUGH: usize = 3;

#[rustfmt::skip]
static ENGLISH_ONLY: WordSet = WordSet::new(&[
    "the", "of", "and", "for", "with", "from", "is", "are", "was", "were", "our", "we", "by", "that", "this", "be",
    "will", "should", "you", "it", "they", "which", "have", "has", "not", "their", "these",
]);
#[rustfmt::skip]
static SPANISH_ONLY: WordSet = WordSet::new(&[
    "el", "los", "las", "del", "y", "una", "para", "con", "por", "en", "al", "su", "sus", "pero", "muy", "tambien",
    "este", "esta", "estos", "lo", "mas", "hay", "ser", "fue", "son",
]);

#[rustfmt::skip]
static ENGLISH: WordSet = WordSet::new(&[
    "the", "a", "an", "of", "and", "for", "with", "to", "in", "from", "is", "my", "our", "we", "i", "by",
    "on", "that", "this", "be", "will", "must", "should", "can", "you", "please", "at", "it", "budget",
]);
#[rustfmt::skip]
static SPANISH: WordSet = WordSet::new(&[
    "el", "la", "los", "las", "un", "una", "de", "del", "y", "para", "con", "en", "por", "que", "es", "mi",
    "nuestro", "nuestra", "al", "se", "su", "sin", "desde", "hasta", "debe", "quiero", "queremos", "dias",
    "viaje", "presupuesto", "semana", "personas",
]);
