//! The embedding model that the configuration names.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_embed::weights::KnownModel;
use candor_embed::{
    CacheOptions, CachedEmbedder, EmbeddingConfig, EndpointEmbedder, EndpointOptions, FixedEmbedder, MiniLm,
    VectorFile,
};
use candor_ports::Embedder;
use candor_text::both;

use super::App;
use crate::error::AppError;

/// How long a server may take for a batch of texts.
const WITHIN: Duration = Duration::from_secs(30);

impl App {
    /// The embedding model; nothing if words must do.
    pub fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>, AppError> {
        let inner: Arc<dyn Embedder> = match &self.config.embeddings {
            EmbeddingConfig::Words {} => return Ok(None),
            // It is as quick as any cache.
            EmbeddingConfig::Static {} => return Ok(Some(Arc::new(FixedEmbedder::new()))),
            EmbeddingConfig::MiniLm { .. } => {
                let folder = self.weights();
                let installed = KnownModel::MiniLm.installed(&folder).ok_or_else(|| {
                    AppError::usage(both!(
                        "[embeddings] model = \"minilm\": its weights are not in {}; fetch them with: candor models \
                         pull",
                        "[embeddings] model = \"minilm\": sus pesos no están en {}; descargarlos con: candor models \
                         pull",
                        folder.display()
                    ))
                })?;
                Arc::new(MiniLm::load(&installed).map_err(|error| AppError::failed(error.to_string()))?)
            }
            EmbeddingConfig::Endpoint { endpoint, name, api_key_env, price_per_million } => {
                let options = EndpointOptions {
                    endpoint: endpoint.clone(),
                    name: name.clone(),
                    api_key_env: api_key_env.clone(),
                    price_per_million: *price_per_million,
                    within: WITHIN,
                };
                let server = EndpointEmbedder::new(options)
                    .map_err(|error| AppError::usage(format!("[embeddings]: {error}")))?;
                Arc::new(server)
            }
        };
        Ok(Some(self.cached(inner)))
    }

    /// Keeps vectors in memory, and between commands in the data folder.
    fn cached(&self, inner: Arc<dyn Embedder>) -> Arc<dyn Embedder> {
        let file = VectorFile::open(&self.data.vectors(), inner.name());
        let started = Instant::now();
        let clock = Arc::new(move || started.elapsed());
        Arc::new(CachedEmbedder::new(inner, CacheOptions::default(), clock).with_file(file))
    }
}
