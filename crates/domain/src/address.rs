//! Network addresses, as far as counting goes.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What counts as one address: an IPv4 address, or the /64 of an IPv6 address, which is what one household or
/// one rented machine has (decisions 2, security.md T82). An IPv4 address in IPv6 clothes counts as itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressBlock {
    /// One IPv4 address.
    V4(Ipv4Addr),
    /// A /64, by its first address.
    V6(Ipv6Addr),
}

impl AddressBlock {
    /// Returns the block that this address belongs to.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => Self::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        }
    }
}

impl fmt::Display for AddressBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(address) => address.fmt(f),
            Self::V6(address) => write!(f, "{address}/64"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_counts_as_its_64() {
        let block = |text: &str| AddressBlock::of(text.parse().unwrap());
        assert_eq!(block("2001:db8:1:2::1"), block("2001:db8:1:2:ffff::9"));
        assert_ne!(block("2001:db8:1:2::1"), block("2001:db8:1:3::1"));
        assert_eq!(block("::ffff:192.0.2.1"), block("192.0.2.1"));
        assert_ne!(block("192.0.2.1"), block("192.0.2.2"));
        assert_eq!(block("2001:db8:1:2::1").to_string(), "2001:db8:1:2::/64");
    }
}
