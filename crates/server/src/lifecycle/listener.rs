//! The listening socket.

use anyhow::Context;
use std::net::{SocketAddr, TcpListener};
use tokio::net::TcpSocket;

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Binds an address; returns the socket with its actual address, whose port is never 0. An error names the
/// setting or option that configured the address.
pub(crate) fn bind(address: SocketAddr, set_by: &str) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let bound = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?.into_std()?;
        let address = listener.local_addr()?;
        Ok::<_, std::io::Error>((listener, address))
    };
    bound().with_context(|| format!("cannot listen on {address} (set by {set_by})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_used_address_is_reported_with_its_setting() {
        let (_listener, address) = bind("127.0.0.1:0".parse().unwrap(), "server.listen").unwrap();
        assert_ne!(address.port(), 0);
        let message = bind(address, "server.listen").unwrap_err().to_string();
        assert!(message.contains(&address.to_string()) && message.contains("server.listen"), "{message}");
    }
}
