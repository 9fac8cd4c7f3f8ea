//! Where a request comes from.

use actix_web::HttpRequest;
use actix_web::http::header::USER_AGENT;
use domain::address::AddressBlock;
use domain::grant::{AgentName, UsedFrom};
use std::net::{IpAddr, Ipv4Addr};

/// Returns where the connection comes from; never what a header claims. Without one (a Unix socket) all callers
/// count as one address.
pub(crate) fn address(request: &HttpRequest) -> IpAddr {
    request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip())
}

/// Returns where a request comes from and what the program calls itself, for the person to see.
pub(crate) fn used_from(request: &HttpRequest) -> UsedFrom {
    let agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    UsedFrom { address: AddressBlock::of(address(request)), agent: agent.and_then(AgentName::from_header) }
}
