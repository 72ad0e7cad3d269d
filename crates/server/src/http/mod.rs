//! The HTTP server: API and live events on one port, driving runs in the same process.
//!
//! Safe by default: it binds to loopback, needs a token for everything but `/health` and `/ready`, checks Host and
//! Origin, and bounds sizes, times and rates. One table (`endpoints`) has every endpoint with its scope: the router and
//! the OpenAPI document are both made of it.

mod a2a;
mod audit;
mod auth;
mod control;
mod endpoints;
mod extract;
mod guard;
mod inspect;
mod limits;
mod listen;
mod mcp;
mod observe;
mod openapi;
mod pages;
mod patient;
mod problem;
mod runs;
mod sse;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use candor_app::tokens::Tokens;
use candor_app::{Service, both, tell};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::audit::Audit;
pub(crate) use self::auth::Caller;
use self::auth::Doorkeeper;
pub(crate) use self::control::note;
use self::limits::Limits;
pub use self::openapi::openapi;
pub use self::tls::TlsFiles;
use self::tls::{Certificates, TlsError};

/// How a server is reached.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Address and port; port 0 takes any that is free.
    pub listen: SocketAddr,
    /// Whether a proxy in front of it speaks TLS.
    pub behind_proxy: bool,
    /// The names under which it is reached, beside those of loopback.
    pub hosts: Vec<String>,
    /// The certificate with which it speaks TLS itself.
    pub tls: Option<TlsFiles>,
}

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// It would be reachable from elsewhere without protection.
    #[error(
        "{listen} can be reached from other machines, and this server has no TLS; listen on 127.0.0.1, or give it a \
         certificate with --tls-cert and --tls-key, or put a proxy with TLS in front of it and say --behind-proxy; \
         both need --host NAME"
    )]
    Exposed {
        /// Where it should have listened.
        listen: SocketAddr,
    },
    /// Nobody could reach it under a name that it accepts.
    #[error("a server for other machines needs --host NAME: the name under which it or its proxy is reached")]
    NoHost,
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address cannot be had.
    #[error("could not listen on {listen}: {source}; choose another port with --listen")]
    Bind {
        /// Address and port that could not be had.
        listen: SocketAddr,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// A server that is bound and not serving yet.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Certificates>,
    shared: Shared,
}

/// What all requests share.
pub(crate) struct Server {
    service: Arc<Service>,
    doorkeeper: Doorkeeper,
    limits: Limits,
    audit: Audit,
    stop: CancellationToken,
    ready: AtomicBool,
}

pub(crate) type Shared = Arc<Server>;

impl Server {
    /// What MCP needs of it: the service, and what is cancelled when the server stops.
    pub(crate) fn for_mcp(&self) -> (Arc<Service>, CancellationToken) {
        (Arc::clone(&self.service), self.stop.child_token())
    }

    /// Whether interrupted runs were looked for.
    fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// How its addresses begin.
    fn scheme(&self) -> &'static str {
        if self.doorkeeper.is_secure() { "https" } else { "http" }
    }
}

impl HttpServer {
    /// Binds the address. Nothing is served before [`Self::serve`].
    pub async fn bind(
        service: Arc<Service>,
        options: HttpOptions,
        stop: CancellationToken,
    ) -> Result<Self, HttpError> {
        let HttpOptions { listen, behind_proxy, hosts, tls } = options;
        let exposed = !listen.ip().is_loopback();
        if exposed && !behind_proxy && tls.is_none() {
            return Err(HttpError::Exposed { listen });
        }
        if (behind_proxy || exposed) && hosts.is_empty() {
            return Err(HttpError::NoHost);
        }
        let tls = tls.map(Certificates::read).transpose()?;
        let bind = |source| HttpError::Bind { listen, source };
        let listener = TcpListener::bind(listen).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let doorkeeper = Doorkeeper::new(Tokens::of(service.folder()), hosts, behind_proxy || tls.is_some());
        let audit = Audit::of(&service);
        let (limits, ready) = (Limits::new(), AtomicBool::new(false));
        let shared = Arc::new(Server { service, doorkeeper, limits, audit, stop, ready });
        Ok(Self { listener, address, tls, shared })
    }

    /// Address and port, also where any free port was asked for.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// How it is reached on this machine. A proxy in front of it has an address of its own.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", if self.tls.is_some() { "https" } else { "http" }, self.address)
    }

    /// A link that logs a browser in, once.
    #[must_use]
    pub fn login_link(&self) -> Option<String> {
        let code = self.shared.doorkeeper.login_code()?;
        Some(format!("{}/login?code={code}", self.url()))
    }

    /// Resumes the runs that have no active driver, and serves until the server is stopped.
    pub async fn serve(self) {
        let shared = Arc::clone(&self.shared);
        let taking_up = tokio::spawn(async move {
            match shared.service.take_up_interrupted().await {
                Ok(0) => {}
                Ok(1) => tell(&both!("1 interrupted run goes on", "sigue 1 ejecución interrumpida")),
                Ok(count) => {
                    tell(&both!(
                        "{count} interrupted runs go on",
                        "siguen {count} ejecuciones interrumpidas"
                    ));
                }
                Err(error) => tell(&both!(
                    "interrupted runs could not be looked for: {error}",
                    "no se pudieron buscar ejecuciones interrumpidas: {error}"
                )),
            }
            if let Err(error) = shared.audit.import().await {
                tell(&both!(
                    "audit.jsonl could not be taken over: {error}",
                    "no se pudo incorporar audit.jsonl: {error}"
                ));
            }
            if let Err(error) = shared.service.start_workers(&shared.stop) {
                tell(&error.message);
            }
            shared.ready.store(true, Ordering::Release);
        });
        let router = endpoints::router(&self.shared);
        listen::accept(self.listener, router, self.tls, self.shared.stop.clone()).await;
        taking_up.abort();
    }
}
