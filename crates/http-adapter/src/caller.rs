//! Where a request comes from: the one place that names the address of a caller (ADR 28).
//!
//! Of everything that proxies write into headers, this is the only thing that is ever believed. Links, the issuer and
//! cookies follow from the settings alone.

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
use std::net::{IpAddr, Ipv4Addr};

/// Returns where a request comes from: where its connection does, unless that is a proxy which the operator trusts;
/// then whom the proxy names. Without an address (a Unix socket) all callers count as one.
pub(crate) fn address(request: &HttpRequest) -> IpAddr {
    let Some(peer) = request.peer_addr() else { return IpAddr::V4(Ipv4Addr::UNSPECIFIED) };
    let peer = peer.ip().to_canonical();
    let Some(state) = request.app_data::<Data<HttpState>>() else { return peer };
    let proxies = &state.settings.proxies;
    let lines: Vec<&[u8]> =
        request.headers().get_all(proxies.header_name()).map(HeaderValue::as_bytes).collect();
    proxies.caller(peer, &lines)
}

/// Returns the peer of a request with a header that names the caller, unless the peer is a trusted proxy.
pub(crate) fn unnamed_proxy(request: &HttpRequest, proxies: &TrustedProxies) -> Option<IpAddr> {
    if !request.headers().contains_key(proxies.header_name()) {
        return None;
    }
    let peer = request.peer_addr()?.ip().to_canonical();
    (!proxies.is_trusted(peer)).then_some(peer)
}

/// Names the caller of a connection from `peer` with these lines of the chosen header, for fuzzing.
#[cfg(any(test, feature = "test-support"))]
pub fn named_caller(proxies: &TrustedProxies, peer: IpAddr, lines: &[&[u8]]) -> IpAddr {
    proxies.caller(peer, lines)
}

/// Returns where a request comes from and what the program calls itself, for the person to see.
pub(crate) fn used_from(request: &HttpRequest) -> UsedFrom {
    let agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    UsedFrom { address: AddressBlock::of(address(request)), agent: agent.and_then(AgentName::from_header) }
}
