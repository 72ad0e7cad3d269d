//! Texts whose meaning a phase waits for: embedded outside the driver, once, and then at hand.

use candor_engine::Input;
use candor_model::{AskKey, AskStep, Consulted, Phase, Tier};
use candor_phases::Unknown;
use candor_ports::Embedder;
use tokio::sync::mpsc;

use super::Shared;
use super::actor::{Actor, Message};
use super::batch::Batch;
use super::book::EMBED;

/// What is to be embedded, and how it goes.
#[derive(Default)]
pub(super) struct Embedding {
    wanted: Unknown,
    by: Option<(Phase, u32)>,
    under_way: bool,
    /// It was tried and did not work; this driver does not try again.
    failed: bool,
}

impl Embedding {
    /// Remembers what is wanted, and which phase waits for it.
    pub(super) fn want(&mut self, texts: Unknown, by: Option<(Phase, u32)>) {
        if !self.under_way {
            (self.wanted, self.by) = (texts, by);
        }
    }

    pub(super) const fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// Who can be asked, for phases that do not note it when nobody can.
    pub(super) fn usable<'s>(&self, shared: &'s Shared) -> Option<&'s dyn Embedder> {
        shared.meaning.as_deref().filter(|_| !self.failed)
    }

    const fn is_wanted(&self) -> bool {
        !self.wanted.lasting.is_empty() || !self.wanted.passing.is_empty()
    }

    /// Has what is wanted embedded; the end is mailed.
    pub(super) fn begin(&mut self, shared: &Shared, mail: &mpsc::Sender<Message>) {
        let Some(meaning) = shared.meaning.clone().filter(|_| !self.under_way && self.is_wanted()) else {
            return;
        };
        self.under_way = true;
        let (texts, mail) = (std::mem::take(&mut self.wanted), mail.clone());
        tokio::spawn(async move {
            let result = texts.fetch(&*meaning).await;
            // A driver that is gone has nobody left to tell.
            let _ = mail.send(Message::Embedded(result)).await;
        });
    }
}

impl Actor {
    /// Takes into account that texts were embedded, or that only words can be compared.
    pub(super) fn embedded(&mut self, result: Result<(), String>, batch: &mut Batch) {
        self.embedding.under_way = false;
        let Err(reason) = result else { return };
        self.embedding.failed = true;
        let Some((phase, attempt)) = self.embedding.by.take() else { return };
        let outcome = AskStep::GiveUp { from: Tier::Fast, reason };
        let step = Box::new(Consulted { call: None, outcome });
        let ask = AskKey { phase, attempt, step: EMBED.to_owned() };
        self.take(Input::Consulted { ask, number: 1, step }, None, batch);
    }
}
