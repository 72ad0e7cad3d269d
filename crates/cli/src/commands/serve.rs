//! `candor serve`: Candor for other programs. Standard output carries the protocol and nothing else.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use candor_app::{App, ModelUse, Service};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::args::{GlobalOptions, ServeArgs};
use crate::failure::{Failure, code};

pub(crate) async fn serve(global: &GlobalOptions, args: ServeArgs) -> Result<u8, Failure> {
    if !args.mcp {
        return Err(Failure::usage(
            "say how to serve: `candor serve --mcp` is an MCP server on standard input and output. Serving over \
             HTTP comes with a later version.",
        ));
    }
    let app = App::build(global)?.discover_agents().await;
    super::prune::retain(&app.data, &app.config.retention).await;
    let service = Arc::new(Service::open(app, ModelUse::from(&args.models))?);
    tell!("candor: serving MCP; runs are kept in {}", service.folder().display());
    if io::stdin().is_terminal() {
        tell!("candor: this speaks JSON-RPC, and is meant to be started by an MCP client; Ctrl-C ends it");
    }
    let stop = CancellationToken::new();
    let signalled = tokio::spawn(stop_on_signals(stop.clone())?);
    let served = candor_server::serve(Arc::clone(&service), io::stdin(), io::stdout(), stop).await;
    for run in service.leave().await {
        let more = global.words();
        tell!("candor: run {run} rests; nothing is lost. Go on with: candor resume {run}{more}");
    }
    signalled.abort();
    served.map(|()| code::DONE).map_err(Failure::failed)
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
