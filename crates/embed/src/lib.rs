//! Embedding models behind one trait.
//!
//! [`fixed`] comes with the program, [`minilm`] computes vectors here from [`weights`] that were fetched, [`endpoint`]
//! asks a server for them, and [`cache`] keeps what they answered. All vectors have length 1; those of different models
//! are never compared.

pub mod cache;
pub mod endpoint;
pub mod fixed;
#[cfg(feature = "minilm")]
pub mod minilm;
pub mod weights;
pub mod wordpiece;

use std::path::PathBuf;

use candor_model::Money;
use serde::{Deserialize, Serialize};

pub use self::cache::{CacheFigures, CacheOptions, CachedEmbedder, VectorFile};
pub use self::endpoint::{EmbedCost, EndpointEmbedder, EndpointError, EndpointOptions};
pub use self::fixed::FixedEmbedder;
#[cfg(feature = "minilm")]
pub use self::minilm::{MiniLm, WeightsError};

/// Which embedding model is used, as `candor.toml` says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "snake_case", deny_unknown_fields)]
pub enum EmbeddingConfig {
    /// The embedded model: nothing to fetch, microseconds per text.
    Static {},
    /// None: only words are compared.
    Words {},
    /// all-MiniLM-L6-v2: better, a few milliseconds per text, 91 MB of weights to fetch once.
    #[serde(rename = "minilm")]
    MiniLm {
        /// The folder of the weights; the data folder's if unset.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<PathBuf>,
    },
    /// A server that speaks OpenAI's embeddings.
    Endpoint {
        /// Its base address, such as `http://localhost:11434/v1`.
        endpoint: String,
        /// The model that is asked for.
        name: String,
        /// The environment variable that holds the key, if it wants one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        api_key_env: Option<String>,
        /// The price of a million tokens.
        #[serde(default)]
        price_per_million: Money,
    },
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self::Static {}
    }
}

/// A vector of length 1 in the direction of these numbers; none if they have no direction.
fn unit(numbers: &[f32]) -> Option<candor_ports::Vector> {
    let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    (length > 0.0 && length.is_finite())
        .then(|| numbers.iter().map(|number| (f64::from(*number) / length) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<EmbeddingConfig, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn each_model_is_configured_by_its_name() {
        assert_eq!(read(r#"{"model":"static"}"#).unwrap(), EmbeddingConfig::default());
        assert_eq!(read(r#"{"model":"minilm"}"#).unwrap(), EmbeddingConfig::MiniLm { weights: None });
        let endpoint = read(
            r#"{"model":"endpoint","endpoint":"http://localhost/v1","name":"e5","price_per_million":0.02}"#,
        );
        let EmbeddingConfig::Endpoint { price_per_million, api_key_env, .. } = endpoint.unwrap() else {
            panic!("an endpoint was configured");
        };
        assert_eq!((price_per_million.micros(), api_key_env), (20_000, None));
    }

    #[test]
    fn keys_that_a_model_does_not_have_are_errors() {
        for wrong in [
            r#"{"model":"static","name":"x"}"#,
            r#"{"model":"minilm","endpoint":"x"}"#,
            r#"{"model":"endpoint","endpoint":"x"}"#,
            r#"{"model":"word2vec"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_without_a_direction_have_no_vector() {
        // spec: planning SR-12
        assert!(unit(&[0.0; 4]).is_none() && unit(&[]).is_none() && unit(&[f32::NAN, 1.0]).is_none());
        assert_eq!(&*unit(&[3.0, 4.0]).unwrap(), [0.6, 0.8]);
    }
}
