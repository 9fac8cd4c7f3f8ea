//! Trusted proxies and the header that they write.

use super::{forwarded, node};
use actix_web::http::header::{FORWARDED, HeaderName, X_FORWARDED_FOR};
use ipnet::IpNet;
use std::net::IpAddr;

/// Header in which the operator's proxies report the caller's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientAddressHeader {
    /// `X-Forwarded-For`: addresses separated by commas.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// Invalid entry in a list of proxies; the error does not repeat its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("entry {number} is not an IP address or a network such as 10.0.0.0/8, or it matches every address")]
pub struct InvalidProxy {
    /// Position in the list, from 1.
    pub number: usize,
}

/// Addresses whose header with the caller's address is trusted; none by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    header: ClientAddressHeader,
}

impl TrustedProxies {
    /// Parses a list of addresses and networks.
    ///
    /// An entry that covers every address is rejected: any caller could then claim any address.
    pub fn parse(entries: &[String], header: ClientAddressHeader) -> Result<Self, InvalidProxy> {
        let network = |(entry, number): (&String, usize)| network(entry).ok_or(InvalidProxy { number });
        let networks = entries.iter().zip(1..).map(network).collect::<Result<_, _>>()?;
        Ok(Self { networks, header })
    }

    /// Returns the name of the header that is read; all others are ignored.
    pub(super) fn header_name(&self) -> HeaderName {
        match self.header {
            ClientAddressHeader::XForwardedFor => X_FORWARDED_FOR,
            ClientAddressHeader::Forwarded => FORWARDED,
        }
    }

    /// Returns the caller: the first address that is not a trusted proxy's, from the peer backwards through
    /// the lines of the header, which form one list.
    ///
    /// A hop without an address ends the search, because anything before it may be forged. The last trusted
    /// hop is then the caller.
    pub(super) fn caller(&self, peer: IpAddr, lines: &[&[u8]]) -> IpAddr {
        let mut caller = peer.to_canonical();
        if !self.is_trusted(caller) {
            return caller;
        }
        for line in lines.iter().rev() {
            for hop in self.hops(line).into_iter().rev() {
                let Some(address) = hop else { return caller };
                caller = address;
                if !self.is_trusted(caller) {
                    return caller;
                }
            }
        }
        caller
    }

    /// Parses the hops of one line; a malformed line is a single hop without an address.
    fn hops(&self, line: &[u8]) -> Vec<Option<IpAddr>> {
        let text = |bytes| std::str::from_utf8(bytes).ok();
        match self.header {
            ClientAddressHeader::XForwardedFor => line
                .split(|byte| *byte == b',')
                .map(|element| node::of_list_element(text(element)?))
                .collect(),
            ClientAddressHeader::Forwarded => {
                text(line).and_then(forwarded::hops).unwrap_or_else(|| vec![None])
            }
        }
    }

    pub(super) fn is_trusted(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(&address))
    }
}

/// Parses an address or a network. IPv4-mapped IPv6 is rejected: addresses of callers are never in that form.
fn network(entry: &str) -> Option<IpNet> {
    let network = entry.parse::<IpNet>().or_else(|_| entry.parse::<IpAddr>().map(IpNet::from)).ok()?;
    let is_mapped = matches!(network, IpNet::V6(network) if network.addr().to_ipv4_mapped().is_some());
    (network.prefix_len() > 0 && !is_mapped).then_some(network.trunc())
}
