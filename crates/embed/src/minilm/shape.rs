//! The shape of an encoder, as the model's `config.json` says it.

use serde::Deserialize;

/// The numbers of the model's `config.json` that shape the encoder.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Shape {
    pub(super) hidden_size: usize,
    pub(super) intermediate_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    pub(super) max_position_embeddings: usize,
    pub(super) vocab_size: usize,
    pub(super) layer_norm_eps: f32,
    pub(super) hidden_act: String,
}

impl Shape {
    /// Says what cannot be computed about this shape.
    pub(super) fn problem(&self) -> Option<String> {
        // Far above any model of this kind; it keeps a broken file from asking for all memory.
        const LARGEST: usize = 1 << 20;
        let sides = [
            self.hidden_size,
            self.intermediate_size,
            self.num_hidden_layers,
            self.num_attention_heads,
            self.max_position_embeddings,
            self.vocab_size,
        ];
        if sides.iter().any(|side| !(1..LARGEST).contains(side)) {
            return Some("its sizes must be between 1 and a million".into());
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let Self { hidden_size, num_attention_heads, .. } = self;
            return Some(format!("hidden_size {hidden_size} is no multiple of {num_attention_heads} heads"));
        }
        (self.hidden_act != "gelu")
            .then(|| format!("hidden_act is `{}`; only gelu is known", self.hidden_act))
    }

    /// The numbers of a head.
    pub(super) fn head(&self) -> usize {
        self.hidden_size / self.num_attention_heads
    }
}
