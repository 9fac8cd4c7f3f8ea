//! The fetcher, and the name lookups that it checks.

use crate::connection::{connect, encrypt, exchange};
use application::ports::system::{Fetcher, OutboundError, OutboundRequest, OutboundResponse};
use async_trait::async_trait;
use domain::outbound::{OutboundPolicy, OutboundUrl};
use rustls::ClientConfig;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use tls_trust::{Authorities, Trust, client_config};
use tokio::net::lookup_host;
use tokio::sync::Semaphore;
use tokio::time::timeout;

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

/// Sends requests to allowed addresses only.
pub struct GuardedFetcher {
    policy: OutboundPolicy,
    resolver: Arc<dyn Resolver>,
    /// Loaded at the first request with TLS: the authorities of an operating system take memory.
    tls: OnceLock<Arc<ClientConfig>>,
    slots: Semaphore,
}

impl GuardedFetcher {
    /// Maximum number of requests at a time; further ones wait, and their time limit begins afterwards.
    pub const MAX_CONCURRENT: usize = 64;

    /// Creates a fetcher that trusts the certificate authorities of the operating system.
    pub fn new(policy: OutboundPolicy, resolver: Arc<dyn Resolver>) -> Self {
        Self { policy, resolver, tls: OnceLock::new(), slots: Semaphore::new(Self::MAX_CONCURRENT) }
    }

    /// Creates a fetcher that trusts these certificate authorities.
    #[cfg(test)]
    pub(crate) fn trusting(self, authorities: Authorities) -> Self {
        let config = client_config(Trust::Authorities(authorities)).map(Arc::new);
        Self { tls: config.map(OnceLock::from).unwrap_or_default(), ..self }
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, OutboundError> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let authorities = Authorities::from_system().map_err(|_| OutboundError::Tls)?;
        let config = client_config(Trust::Authorities(authorities)).map_err(|_| OutboundError::Tls)?;
        Ok(Arc::clone(self.tls.get_or_init(|| Arc::new(config))))
    }

    async fn send(&self, request: OutboundRequest) -> Result<OutboundResponse, OutboundError> {
        let policy = if request.is_reviewed { self.policy } else { self.policy.for_unreviewed() };
        let stream = connect(&self.allowed_addresses(&request.url, policy).await?).await?;
        if request.url.is_https() {
            exchange(encrypt(stream, self.tls()?, request.url.host()).await?, request).await
        } else {
            exchange(stream, request).await
        }
    }

    /// Returns the host's addresses, at least one; fails if one of them is not allowed.
    async fn allowed_addresses(
        &self,
        url: &OutboundUrl,
        policy: OutboundPolicy,
    ) -> Result<Vec<SocketAddr>, OutboundError> {
        if !policy.allows_url(url) {
            return Err(OutboundError::Forbidden);
        }
        let addresses = self.addresses(url).await;
        if addresses.is_empty() {
            return Err(OutboundError::NotFound);
        }
        let are_allowed = addresses.iter().all(|address| {
            let is_this_machine = address.ip().to_canonical().is_loopback();
            policy.allows(address.ip()) && (url.is_https() || is_this_machine)
        });
        if are_allowed { Ok(addresses) } else { Err(OutboundError::Forbidden) }
    }

    async fn addresses(&self, url: &OutboundUrl) -> Vec<SocketAddr> {
        let port = url.port();
        match (url.address(), url.host()) {
            (Some(address), _) => vec![SocketAddr::new(address, port)],
            // RFC 6761 section 6.3: never resolved by a name server.
            (None, "localhost") => [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()]
                .map(|ip| SocketAddr::new(ip, port))
                .into(),
            (None, name) => self.resolver.addresses(name, port).await,
        }
    }
}

#[async_trait]
impl Fetcher for GuardedFetcher {
    async fn fetch(&self, request: OutboundRequest) -> Result<OutboundResponse, OutboundError> {
        let _slot = self.slots.acquire().await.map_err(|_| OutboundError::TimedOut)?;
        let limit = request.timeout;
        timeout(limit, self.send(request)).await.map_err(|_| OutboundError::TimedOut)?
    }
}
