//! The proxies whose word counts, and what they say.

use super::{forwarded, node};
use actix_web::http::header::{FORWARDED, HeaderName, X_FORWARDED_FOR};
use ipnet::IpNet;
use std::net::IpAddr;

/// Which header the proxies of an operator write the caller's address into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientAddressHeader {
    /// `X-Forwarded-For`: addresses with commas in between.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// Says which entry of a list names no proxy; never repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("entry {number} is no IP address and no network such as 10.0.0.0/8, or it is every address there is")]
pub struct InvalidProxy {
    /// Its place in the list, from 1.
    pub number: usize,
}

/// The addresses from which a header with the caller's address is believed; none by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustedProxies {
    networks: Vec<IpNet>,
    header: ClientAddressHeader,
}

impl TrustedProxies {
    /// Reads a list of addresses and networks. One that holds every address is refused: whoever calls could call
    /// himself what he likes.
    pub fn parse(entries: &[String], header: ClientAddressHeader) -> Result<Self, InvalidProxy> {
        let network = |(entry, number): (&String, usize)| network(entry).ok_or(InvalidProxy { number });
        let networks = entries.iter().zip(1..).map(network).collect::<Result<_, _>>()?;
        Ok(Self { networks, header })
    }

    /// Returns the name of the header that is read; every other is ignored.
    pub(super) fn header_name(&self) -> HeaderName {
        match self.header {
            ClientAddressHeader::XForwardedFor => X_FORWARDED_FOR,
            ClientAddressHeader::Forwarded => FORWARDED,
        }
    }

    /// Returns who calls: the first address that is no trusted proxy's, from the connection backwards through the lines
    /// of the header, which together are one list. A hop that names no address ends the search: what stands before
    /// it may have been written by anybody, so the last trusted hop counts as the caller.
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

    /// Reads the hops of one line; one that cannot be read is a single hop that names nobody.
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

/// Reads an address or a network; IPv4 in IPv6 clothes is refused, since no caller has such an address here.
fn network(entry: &str) -> Option<IpNet> {
    let network = entry.parse::<IpNet>().or_else(|_| entry.parse::<IpAddr>().map(IpNet::from)).ok()?;
    let is_mapped = matches!(network, IpNet::V6(network) if network.addr().to_ipv4_mapped().is_some());
    (network.prefix_len() > 0 && !is_mapped).then_some(network.trunc())
}
