//! Address of a caller (ADR 28). No other code determines it.
//!
//! No other header of a proxy is trusted: links, the issuer and cookies depend on the settings alone.

mod forwarded;
mod node;
#[cfg(test)]
mod tests;
mod trusted;

pub use trusted::{ClientAddressHeader, InvalidProxy, TrustedProxies};

use crate::HttpState;
use actix_web::HttpRequest;
use actix_web::http::header::{HeaderValue, USER_AGENT};
use actix_web::web::Data;
use domain::address::AddressBlock;
use domain::grant::{AgentName, UsedFrom};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Returns the address of the caller: the peer, or the address that a trusted proxy reports. Without a peer
/// address (Unix socket) all callers share one.
pub fn address(request: &HttpRequest) -> IpAddr {
    let Some(peer) = request.peer_addr() else { return IpAddr::V4(Ipv4Addr::UNSPECIFIED) };
    let peer = peer.ip().to_canonical();
    let Some(state) = request.app_data::<Data<HttpState>>() else { return peer };
    let proxies = &state.settings.proxies;
    let lines: Vec<&[u8]> =
        request.headers().get_all(proxies.header_name()).map(HeaderValue::as_bytes).collect();
    proxies.caller(peer, &lines)
}

/// What a server saw of the caller of a request, for `restwell doctor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCaller {
    /// The address that limits and records use.
    pub address: IpAddr,
    /// The other end of the connection.
    pub peer: IpAddr,
    /// Whether the request has the client address header of the settings.
    pub has_header: bool,
    /// Whether the peer is a trusted proxy.
    pub is_trusted: bool,
}

/// Describes the caller of a request; `None` without a peer address.
pub(crate) fn seen(request: &HttpRequest, proxies: &TrustedProxies) -> Option<SeenCaller> {
    let peer = request.peer_addr()?.ip().to_canonical();
    let has_header = request.headers().contains_key(proxies.header_name());
    Some(SeenCaller { address: address(request), peer, has_header, is_trusted: proxies.is_trusted(peer) })
}

/// Returns the peer of a request with the header, unless the peer is a trusted proxy.
pub(crate) fn unnamed_proxy(request: &HttpRequest, proxies: &TrustedProxies) -> Option<IpAddr> {
    if !request.headers().contains_key(proxies.header_name()) {
        return None;
    }
    let peer = request.peer_addr()?.ip().to_canonical();
    (!proxies.is_trusted(peer)).then_some(peer)
}

/// Returns the caller of a connection from `peer` with these lines of the configured header, for fuzzing.
#[cfg(any(test, feature = "test-support"))]
pub fn named_caller(proxies: &TrustedProxies, peer: IpAddr, lines: &[&[u8]]) -> IpAddr {
    proxies.caller(peer, lines)
}

/// Returns the address and user agent of a request, for display to the person.
pub fn used_from(request: &HttpRequest) -> UsedFrom {
    let agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    UsedFrom {
        address: AddressBlock::containing(address(request)),
        agent: agent.and_then(AgentName::from_header),
    }
}

/// Minimum time between two warnings.
const WARNING_INTERVAL: Duration = Duration::from_hours(1);

/// Time of the last warning; shared by all workers.
#[derive(Debug, Default)]
pub struct UnnamedProxyWarning(Mutex<Option<Duration>>);

impl UnnamedProxyWarning {
    pub(crate) fn is_due(&self, now: Duration) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| now.saturating_sub(last) >= WARNING_INTERVAL);
        if is_due {
            *last = Some(now);
        }
        is_due
    }
}
