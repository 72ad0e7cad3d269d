//! Which messages a rule is about.
//!
//! A rule is about a message when the message has one of its keywords *and* one of its intents. `*` among
//! the keywords and `any` among the intents stand for every message; so does an empty list.
//!
//! A keyword is a word or a phrase, in any letter case, with or without accents, and must stand by itself: `drop` is not found in
//! `dropdown`. An intent is recognised by the words of [`Intent::words`], in English and Spanish.

use candor_text::fold;
use serde::{Deserialize, Serialize};

/// The keyword that is in every message.
pub(super) const EVERY: &str = "*";

/// What a message wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Whatever it wants.
    Any,
    /// To take something away for good.
    Delete,
    /// To bring something into production.
    Deploy,
    /// To make something public.
    Publish,
    /// To spend money.
    Pay,
    /// To write to somebody.
    Send,
}

#[rustfmt::skip]
const DELETE: &[&str] = &[
    "delete", "deletes", "deleting", "deletion", "remove", "removing", "removal", "erase", "erasing",
    "wipe", "wiping", "purge", "purging", "destroy", "destroying", "drop", "truncate", "borra", "borrar",
    "elimina", "eliminar", "destruir", "vaciar",
];

#[rustfmt::skip]
const DEPLOY: &[&str] = &[
    "deploy", "deploys", "deploying", "deployment", "roll out", "rollout", "go live", "ship", "release",
    "releasing", "despliega", "desplegar", "despliegue", "lanzar",
];

#[rustfmt::skip]
const PUBLISH: &[&str] = &[
    "publish", "publishes", "publishing", "publication", "post", "posting", "announce", "announcing",
    "make public", "publica", "publicar", "anunciar",
];

#[rustfmt::skip]
const PAY: &[&str] = &[
    "pay", "pays", "paying", "payment", "buy", "buying", "purchase", "purchasing", "order", "ordering",
    "book", "booking", "transfer money", "subscribe", "paga", "pagar", "comprar", "reservar",
];

#[rustfmt::skip]
const SEND: &[&str] = &[
    "send", "sends", "sending", "email", "emailing", "e-mail", "mail", "mailing", "message", "notify",
    "notifying", "forward", "reply", "envia", "envía", "enviar", "notificar",
];

impl Intent {
    /// The words by which it is recognised.
    #[must_use]
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Any => &[],
            Self::Delete => DELETE,
            Self::Deploy => DEPLOY,
            Self::Publish => PUBLISH,
            Self::Pay => PAY,
            Self::Send => SEND,
        }
    }
}

/// The messages that a rule is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PromptTriggers {
    /// Words and phrases, one of which the message has; `*` is in every message.
    pub keywords: Vec<String>,
    /// What the message wants, one of these.
    pub intent: Vec<Intent>,
}

impl PromptTriggers {
    /// Whether nothing is said about messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keywords.is_empty() && self.intent.is_empty()
    }

    /// Whether a message is meant.
    #[must_use]
    pub fn match_prompt(&self, prompt: &str) -> bool {
        let prompt = plain(prompt);
        let has = |keyword: &String| keyword == EVERY || says(&prompt, keyword);
        let wants =
            |intent: &Intent| *intent == Intent::Any || intent.words().iter().any(|word| says(&prompt, word));
        (self.keywords.is_empty() || self.keywords.iter().any(has))
            && (self.intent.is_empty() || self.intent.iter().any(wants))
    }
}

/// Folded, with one blank between words.
fn plain(text: &str) -> String {
    fold(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a plain text has a phrase that is not a part of longer words.
fn says(text: &str, phrase: &str) -> bool {
    candor_text::says(text, &plain(phrase))
}
