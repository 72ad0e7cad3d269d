//! `candor serve`: Candor for other programs and for browsers. With `--mcp`, standard output carries the protocol and
//! nothing else.

use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use candor_app::tokens::Tokens;
use candor_app::{App, ModelUse, Service};
use candor_ports::private;
use candor_server::{HttpOptions, HttpServer, TlsFiles};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::args::{GlobalOptions, ServeArgs};
use crate::failure::{Failure, code};

/// Where HTTP is served if nobody says.
const USUAL_ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7117);
/// The file of a data folder that holds the address of its server while one runs.
const ADDRESS_FILE: &str = "server.url";
/// How long a server may take to say that it is there.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// How many runs are named that have not ended when the server does.
const TOLD: usize = 20;

pub(crate) async fn serve(global: &GlobalOptions, args: ServeArgs) -> Result<u8, Failure> {
    let app = App::build(global)?.discover_agents().await;
    let configured = app.config.serve.clone();
    super::prune::retain(&app.data, &app.config.retention).await;
    let service = Arc::new(Service::open(app, ModelUse::from(&args.models))?);
    let stop = CancellationToken::new();
    let signalled = tokio::spawn(stop_on_signals(stop.clone())?);
    let served = if args.mcp {
        mcp(&service, stop).await
    } else {
        let options = HttpOptions {
            listen: args.listen.unwrap_or(USUAL_ADDRESS),
            behind_proxy: args.behind_proxy,
            hosts: args.host,
            tls: args
                .tls_cert
                .zip(args.tls_key)
                .or(configured.tls_cert.zip(configured.tls_key))
                .map(tls_files),
        };
        http(&service, options, stop).await
    };
    let (left, more) = (service.leave().await, global.words());
    for run in left.iter().take(TOLD) {
        tell!(
            "candor: run {run} rests; nothing is lost. Go on with: candor resume {run}{more}",
            "candor: la ejecución {run} queda en reposo; no se ha perdido nada. Continuar con: candor resume {run}{more}"
        );
    }
    if let hidden @ 1.. = left.len().saturating_sub(TOLD) {
        tell!(
            "candor: {hidden} more runs rest; `candor list{more}` shows them",
            "candor: {hidden} ejecuciones más quedan en reposo; `candor list{more}` las muestra"
        );
    }
    signalled.abort();
    served.map(|()| code::DONE)
}

fn tls_files((cert, key): (PathBuf, PathBuf)) -> TlsFiles {
    TlsFiles { cert, key }
}

async fn mcp(service: &Arc<Service>, stop: CancellationToken) -> Result<(), Failure> {
    tell!(
        "candor: serving MCP; runs are kept in {}",
        "candor: sirviendo MCP; las ejecuciones se guardan en {}",
        service.folder().display()
    );
    if io::stdin().is_terminal() {
        tell!(
            "candor: this speaks JSON-RPC, and is meant to be started by an MCP client; Ctrl-C ends it",
            "candor: esto habla JSON-RPC, y está pensado para que lo inicie un cliente MCP; Ctrl-C lo termina"
        );
    }
    let served = candor_server::serve(Arc::clone(service), io::stdin(), io::stdout(), stop).await;
    served.map_err(Failure::failed)
}

async fn http(service: &Arc<Service>, options: HttpOptions, stop: CancellationToken) -> Result<(), Failure> {
    allow_many_connections();
    service.check_workers()?;
    let server = HttpServer::bind(Arc::clone(service), options, stop).await.map_err(Failure::usage)?;
    let token = Tokens::of(service.folder()).ensure_first(candor_runtime::wall())?;
    tell!(
        "candor: serving {}; runs are kept in {}",
        "candor: sirviendo {}; las ejecuciones se guardan en {}",
        server.url(),
        service.folder().display()
    );
    tell!(
        "candor: the token for programs is in {}",
        "candor: el token para programas está en {}",
        token.display()
    );
    if let Some(link) = server.login_link() {
        tell!(
            "candor: open in a browser (the link works once): {link}",
            "candor: abrir en un navegador (el enlace funciona una vez): {link}"
        );
    }
    let address = service.folder().join(ADDRESS_FILE);
    // Without it `candor open` shows the report in place of the server's page.
    let _ = private::write(&address, server.url());
    server.serve().await;
    let _ = std::fs::remove_file(&address);
    Ok(())
}

/// The address of the server that works on a data folder, if one answers.
pub(super) async fn running(folder: &Path) -> Option<String> {
    let url = std::fs::read_to_string(folder.join(ADDRESS_FILE)).ok()?;
    // A server that was killed leaves its address behind.
    let client = crate::remote::client().ok()?;
    let health = client.get(format!("{url}/health")).timeout(ANSWERS_WITHIN).send().await.ok()?;
    health.status().is_success().then_some(url)
}

/// Every connection is an open file, and the usual limit is made for programs that have few.
fn allow_many_connections() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // A limit that cannot be raised stays; the server then serves fewer.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Listens for signals from here on, so that nobody is killed while runs are left in order.
fn stop_on_signals(stop: CancellationToken) -> Result<impl Future<Output = ()>, Failure> {
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    let mut hangups = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = terminations.recv() => {}
            _ = hangups.recv() => {}
        }
        stop.cancel();
    })
}
