//! Connections: accepted one by one, bounded in number, and cut off when they are slow to say what they want.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::limits;
use super::patient::Patient;
use super::tls::Certificates;

/// How long a request under way may take when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// How long to wait when the system has no more connections to give.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// The other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) SocketAddr);

/// Serves connections until the server is stopped.
pub(super) async fn accept(
    listener: TcpListener,
    router: Router,
    mut tls: Option<Certificates>,
    stop: CancellationToken,
) {
    let room = Arc::new(Semaphore::new(limits::CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let (stream, peer) = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Too many files are open, or the peer has gone again: others are served on.
                Err(_) => {
                    tokio::time::sleep(EXHAUSTED).await;
                    continue;
                }
            },
        };
        // Beyond the limit a connection is closed at once: waiting ones would keep others out.
        while connections.try_join_next().is_some() {}
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else { continue };
        let crowded = room.available_permits() < limits::CONNECTIONS / 2;
        let patience = if crowded { limits::HURRIED_HEAD } else { limits::HEAD };
        // Events are small and are to arrive at once.
        let _ = stream.set_nodelay(true);
        let (router, stop) = (router.clone(), stop.clone());
        let acceptor = tls.as_mut().map(Certificates::acceptor);
        connections.spawn(async move {
            match acceptor {
                None => serve(stream, peer, patience, router, stop).await,
                Some(acceptor) => {
                    // Whoever is slow to shake hands is let go as one who is slow to say what it wants.
                    let shaken = tokio::time::timeout(patience, acceptor.accept(stream)).await;
                    if let Ok(Ok(stream)) = shaken {
                        serve(stream, peer, patience, router, stop).await;
                    }
                }
            }
            drop(permit);
        });
    }
    // Whoever is slower than this is cut off.
    let _ = tokio::time::timeout(LAST_WORDS, connections.join_all()).await;
}

async fn serve<S>(stream: S, peer: SocketAddr, patience: Duration, router: Router, stop: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        router.clone().oneshot(request.map(Body::new))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .serve_connection(TokioIo::new(Patient::new(stream, limits::UNREAD)), service);
    tokio::pin!(connection);
    // A connection that breaks is nobody's concern but its peer's.
    tokio::select! {
        _ = &mut connection => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
