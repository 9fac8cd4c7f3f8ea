//! Name lookups.

use async_trait::async_trait;
use std::net::SocketAddr;
use tokio::net::lookup_host;

/// Looks up the addresses of a host.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Returns the addresses of a name, in the order in which to try them; none if there are none.
    async fn addresses(&self, name: &str, port: u16) -> Vec<SocketAddr>;
}

/// The operating system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, name: &str, port: u16) -> Vec<SocketAddr> {
        lookup_host((name, port)).await.map(Iterator::collect).unwrap_or_default()
    }
}
