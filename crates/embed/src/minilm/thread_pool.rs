//! Threads that stay, and compute parts of one text together with whoever asks.
//!
//! Starting a thread for a text, and memory for it anew, would cost a quarter of what the second thread saves.

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::all_reduce::AllReduce;
use super::encoder::Encoder;
use super::part::Scratch;

/// A helper for each part but the first. Dropping it ends their threads.
pub(super) struct ThreadPool {
    helpers: Vec<Sender<Job>>,
}

/// A text to be taken through all layers.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) rows: Arc<[f32]>,
    pub(super) spans: Arc<[Range<usize>]>,
    pub(super) exchange: Arc<AllReduce>,
}

impl ThreadPool {
    /// Starts the threads; nothing if the machine has none to spare.
    pub(super) fn start(encoder: &Arc<Encoder>) -> Option<Self> {
        let helper = |part: usize| {
            let (helper, jobs) = channel();
            let encoder = Arc::clone(encoder);
            let work = move || work(&encoder, part, &jobs);
            std::thread::Builder::new().name("candor-minilm".into()).spawn(work).ok().map(|_| helper)
        };
        let helpers = (1..encoder.parts()).map(helper).collect::<Option<_>>()?;
        Some(Self { helpers })
    }

    /// Has everyone work on this. A helper that has died breaks the exchange up.
    pub(super) fn begin(&self, job: &Job) {
        for helper in &self.helpers {
            if helper.send(job.clone()).is_err() {
                job.exchange.break_up();
            }
        }
    }
}

fn work(encoder: &Encoder, part: usize, jobs: &Receiver<Job>) {
    let mut scratch = Scratch::default();
    for Job { rows, spans, exchange } in jobs {
        encoder.walk(exchange.seat(), part..part + 1, rows.to_vec(), &spans, &mut scratch);
    }
}
