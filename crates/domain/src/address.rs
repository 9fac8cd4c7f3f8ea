//! Network addresses as rate limits and the audit trail group them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Address used for counting: an IPv4 address, or the /64 of an IPv6 address, which is what one household or
/// one rented machine has (decisions 2, security.md T82). An IPv4-mapped IPv6 address is treated as IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressBlock {
    /// IPv4 address.
    V4(Ipv4Addr),
    /// First address of an IPv6 /64.
    V6(Ipv6Addr),
}

impl From<IpAddr> for AddressBlock {
    fn from(address: IpAddr) -> Self {
        Self::containing(address)
    }
}

impl AddressBlock {
    /// Returns the block of an address.
    pub fn containing(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => Self::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        }
    }
}

/// The text is not an address block as printed by `Display`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an IPv4 address or an IPv6 network of 64 bits")]
pub struct InvalidAddressBlock;

impl AddressBlock {
    /// Parses the output of `Display`.
    pub fn parse(text: &str) -> Result<Self, InvalidAddressBlock> {
        let address = text.strip_suffix("/64").unwrap_or(text).parse().map_err(|_| InvalidAddressBlock)?;
        let block = Self::containing(address);
        if block.to_string() == text { Ok(block) } else { Err(InvalidAddressBlock) }
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
    fn an_ipv6_address_is_counted_as_its_64() {
        let block = |text: &str| AddressBlock::containing(text.parse().unwrap());
        assert_eq!(block("2001:db8:1:2::1"), block("2001:db8:1:2:ffff::9"));
        assert_ne!(block("2001:db8:1:2::1"), block("2001:db8:1:3::1"));
        assert_eq!(block("::ffff:192.0.2.1"), block("192.0.2.1"));
        assert_ne!(block("192.0.2.1"), block("192.0.2.2"));
        assert_eq!(block("2001:db8:1:2::1").to_string(), "2001:db8:1:2::/64");
    }

    #[test]
    fn a_printed_block_parses_to_itself_and_nothing_else_does() {
        for text in ["192.0.2.1", "2001:db8:1:2::/64"] {
            assert_eq!(AddressBlock::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "192.0.2.1/64", "2001:db8:1:2::1", "2001:db8:1:2::1/64", "owl"] {
            assert_eq!(AddressBlock::parse(text), Err(InvalidAddressBlock), "{text}");
        }
    }
}
