//! `[serve]`: how much a server takes on, and the certificate with which it speaks TLS.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use candor_text::both;

use crate::error::AppError;

/// How much a server takes on, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Serve {
    /// How many runs are driven at once; at least one. Further runs wait in a queue.
    pub max_active_runs: usize,
    /// How many runs may wait; what is beyond is refused.
    pub max_queued_runs: usize,
    /// The certificate with which it speaks TLS, in PEM, with those that vouch for it; relative to the file.
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM; relative to the file.
    pub tls_key: Option<PathBuf>,
}

impl Default for Serve {
    fn default() -> Self {
        Self { max_active_runs: 32, max_queued_runs: 10_000, tls_cert: None, tls_key: None }
    }
}

impl Serve {
    /// The same with paths from the folder of the configuration; a certificate comes with its key.
    pub(super) fn in_folder(self, path: &Path, folder: &Path) -> Result<Self, AppError> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            return Err(AppError::usage(both!(
                "{}, [serve]: tls_cert and tls_key belong together; set both or neither",
                "{}, [serve]: tls_cert y tls_key van juntos; indicar los dos o ninguno",
                path.display()
            )));
        }
        let placed = |file: Option<PathBuf>| file.map(|file| folder.join(file));
        Ok(Self { tls_cert: placed(self.tls_cert), tls_key: placed(self.tls_key), ..self })
    }
}
