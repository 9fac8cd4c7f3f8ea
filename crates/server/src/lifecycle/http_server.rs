//! The actix-web server.

use super::open_files::room_for;
use crate::wiring::Application;
use actix_web::dev::Server;
use actix_web::{App, HttpServer};
use rustls::ServerConfig;
use socket2::SockRef;
use std::net::TcpListener;
use std::time::Duration;

/// Time after which a connection with unacknowledged data is closed.
const UNREAD: Duration = Duration::from_mins(1);
/// Timeout of a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// Builds the server, with TLS if configured. It runs when awaited, and installs no signal handlers.
pub(super) fn http_server(
    application: &Application,
    listener: TcpListener,
    tls: Option<ServerConfig>,
) -> std::io::Result<Server> {
    let settings = &application.services.settings.server;
    let seconds = |number: u32| Duration::from_secs(u64::from(number));
    // Accepted connections inherit this timeout for unacknowledged data from the listening socket.
    SockRef::from(&listener).set_tcp_user_timeout(Some(UNREAD))?;
    let workers = settings.worker_count();
    let connections = usize::try_from(room_for(settings.max_connections)).unwrap_or(usize::MAX);
    let connections = connections.div_ceil(workers);
    let (api, mcp) = (application.api.clone(), application.mcp.clone());
    let pages = application.pages.clone();
    let app = move || {
        App::new()
            .configure(http_adapter::configure(api.clone()))
            .configure(mcp_adapter::configure(mcp.clone()))
            .configure(page_adapter::configure(pages.clone()))
    };
    let server = HttpServer::new(app)
        .workers(workers)
        .max_connections(connections)
        // As many handshakes as connections: silent clients must not block all others.
        .max_connection_rate(connections)
        .tls_handshake_timeout(HANDSHAKE)
        // Without it the last chunk of a large response waits for an acknowledgement.
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
