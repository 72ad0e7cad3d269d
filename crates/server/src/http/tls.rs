//! The server's own TLS: a certificate and its key in PEM files, read again when they have changed.
//!
//! Files are looked at when a connection comes, at most once a second: an idle server looks at nothing, and whoever renews
//! a certificate need not restart it. Files that cannot be used leave the earlier certificate in place.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use candor_app::{both, tell};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use tokio_rustls::TlsAcceptor;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Where the certificate and its key are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those that vouch for it, in PEM.
    pub cert: PathBuf,
    /// Its private key, in PEM.
    pub key: PathBuf,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or is no PEM.
    #[error("the TLS {what} {} cannot be read: {problem}", path.display())]
    File {
        /// Which of the two.
        what: &'static str,
        /// Path as it was given.
        path: PathBuf,
        /// Cause in words.
        problem: String,
    },
    /// A file has nothing of what it should have.
    #[error("{} has no {what} in PEM form; expected lines between -----BEGIN … and -----END …", path.display())]
    Missing {
        /// What it should have.
        what: &'static str,
        /// Path as it was given.
        path: PathBuf,
    },
    /// The two do not belong together, or cannot be used.
    #[error("{} and {} cannot be used: {source}; is the key that of the certificate?", files.cert.display(), files.key.display())]
    Unusable {
        /// Paths of the pair that does not fit.
        files: TlsFiles,
        /// Error of the TLS library.
        #[source]
        source: rustls::Error,
    },
}

/// A certificate that is in use.
pub(super) struct Certificates {
    files: TlsFiles,
    acceptor: TlsAcceptor,
    changed_at: [Option<SystemTime>; 2],
    looked_at: Instant,
}

impl Certificates {
    /// Reads certificate and key.
    pub(super) fn read(files: TlsFiles) -> Result<Self, TlsError> {
        // Looked at first: what changes while it is read is read again.
        let changed_at = files.changed_at();
        Ok(Self { acceptor: files.acceptor()?, files, changed_at, looked_at: Instant::now() })
    }

    /// What shakes hands, with the files as they are now.
    pub(super) fn acceptor(&mut self) -> TlsAcceptor {
        if self.looked_at.elapsed() >= LOOK {
            self.looked_at = Instant::now();
            self.refresh();
        }
        self.acceptor.clone()
    }

    fn refresh(&mut self) {
        let changed_at = self.files.changed_at();
        if changed_at == self.changed_at {
            return;
        }
        // Whether they can be used or not: they are not read again before they change again.
        self.changed_at = changed_at;
        match self.files.acceptor() {
            Ok(acceptor) => self.acceptor = acceptor,
            Err(error) => tell(&both!(
                "the earlier certificate stays in use: {error}",
                "sigue en uso el certificado anterior: {error}"
            )),
        }
    }
}

impl TlsFiles {
    fn changed_at(&self) -> [Option<SystemTime>; 2] {
        [&self.cert, &self.key].map(|path| path.metadata().and_then(|file| file.modified()).ok())
    }

    fn acceptor(&self) -> Result<TlsAcceptor, TlsError> {
        let chain = CertificateDer::pem_file_iter(&self.cert).and_then(Iterator::collect);
        let chain: Vec<_> = chain.map_err(|error| unread("certificate", &self.cert, error))?;
        if chain.is_empty() {
            return Err(TlsError::Missing { what: "certificate", path: self.cert.clone() });
        }
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| unread("key", &self.key, error))?;
        let unusable = |source| TlsError::Unusable { files: self.clone(), source };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(unusable)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn unread(what: &'static str, path: &Path, error: pem::Error) -> TlsError {
    let path = path.to_owned();
    match error {
        pem::Error::NoItemsFound => TlsError::Missing { what, path },
        pem::Error::Io(error) => TlsError::File { what, path, problem: error.to_string() },
        error => TlsError::File { what, path, problem: error.to_string() },
    }
}
