//! The socket that the server listens on.

use anyhow::Context;
use std::net::{SocketAddr, TcpListener};
use tokio::net::TcpSocket;

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// Listens on an address; returns the socket with the address that it has, whose port is never 0.
pub(crate) fn bind(address: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let bound = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?.into_std()?;
        let address = listener.local_addr()?;
        Ok::<_, std::io::Error>((listener, address))
    };
    bound().with_context(|| {
        format!("cannot listen on {address}; server.listen (or --listen) names another address")
    })
}
