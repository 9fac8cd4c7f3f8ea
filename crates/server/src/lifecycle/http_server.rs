//! The HTTP server as actix-web runs it.

use crate::settings::Settings;
use actix_web::dev::Server;
use actix_web::{App, HttpServer};
use http_adapter::{HttpState, configure};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// Makes the server; it runs when it is awaited, and leaves signals to us.
pub(super) fn http_server(
    state: Arc<HttpState>,
    listener: TcpListener,
    settings: &Settings,
) -> std::io::Result<Server> {
    let settings = &settings.server;
    let seconds = |number: u32| Duration::from_secs(u64::from(number));
    let server = HttpServer::new(move || App::new().configure(configure(state.clone())))
        .workers(settings.worker_count())
        // Without it the last chunk of a large answer waits for an acknowledgement.
        .tcp_nodelay(true)
        .client_request_timeout(seconds(settings.request_timeout_seconds))
        .keep_alive(seconds(settings.keep_alive_seconds))
        .shutdown_timeout(u64::from(settings.drain_seconds))
        .disable_signals()
        .listen(listener)?;
    Ok(server.run())
}
