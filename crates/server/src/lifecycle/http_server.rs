//! The HTTP server as actix-web runs it.

use super::open_files::room_for;
use crate::settings::Settings;
use actix_web::dev::Server;
use actix_web::{App, HttpServer};
use http_adapter::{HttpState, configure};
use rustls::ServerConfig;
use socket2::SockRef;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// How long a connection lives whose other end takes nothing of what was sent.
const UNREAD: Duration = Duration::from_mins(1);
/// How long a client may take to agree on TLS.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// Makes the server, by TLS when that is configured; it runs when it is awaited, and leaves signals to us.
pub(super) fn http_server(
    state: Arc<HttpState>,
    listener: TcpListener,
    tls: Option<ServerConfig>,
    settings: &Settings,
) -> std::io::Result<Server> {
    let settings = &settings.server;
    let seconds = |number: u32| Duration::from_secs(u64::from(number));
    // What callers do not acknowledge or take off their sockets for so long ends their connection; connections have
    // it from the socket that they were accepted on.
    SockRef::from(&listener).set_tcp_user_timeout(Some(UNREAD))?;
    let workers = settings.worker_count();
    let connections = usize::try_from(room_for(settings.max_connections)).unwrap_or(usize::MAX);
    let connections = connections.div_ceil(workers);
    let server = HttpServer::new(move || App::new().configure(configure(state.clone())))
        .workers(workers)
        .max_connections(connections)
        // As many may shake hands: those that connect and say nothing must not keep out all others.
        .max_connection_rate(connections)
        .tls_handshake_timeout(HANDSHAKE)
        // Without it the last chunk of a large answer waits for an acknowledgement.
        .tcp_nodelay(true)
        .client_request_timeout(seconds(settings.request_timeout_seconds))
        .keep_alive(seconds(settings.keep_alive_seconds))
        .shutdown_timeout(u64::from(settings.stop_seconds))
        .disable_signals();
    let server = match tls {
        Some(config) => server.listen_rustls_0_23(listener, config),
        None => server.listen(listener),
    }?;
    Ok(server.run())
}
