//! Classification of addresses by the special-purpose registries of IANA (RFC 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Network that an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressScope {
    /// The internet.
    Public,
    /// This machine.
    Loopback,
    /// A private network (RFC 1918, RFC 4193) or the shared space of a provider (RFC 6598).
    Private,
    /// Anything else that is not the internet: link-local, multicast, documentation, addresses of the
    /// metadata services of clouds, and so on.
    Reserved,
}

/// Metadata services of clouds whose addresses are in public, private or shared space.
const METADATA: [IpAddr; 4] = [
    // Amazon.
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    // Google.
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
    // Alibaba.
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    // Azure.
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
];

/// Networks that are not public: first address, prefix length and scope. The first match applies.
const V4: [(Ipv4Addr, u32, AddressScope); 17] = {
    use AddressScope::{Loopback, Private, Reserved};
    [
        (Ipv4Addr::UNSPECIFIED, 8, Reserved),
        (Ipv4Addr::new(10, 0, 0, 0), 8, Private),
        (Ipv4Addr::new(100, 64, 0, 0), 10, Private),
        (Ipv4Addr::new(127, 0, 0, 0), 8, Loopback),
        (Ipv4Addr::new(169, 254, 0, 0), 16, Reserved),
        (Ipv4Addr::new(172, 16, 0, 0), 12, Private),
        (Ipv4Addr::new(192, 0, 0, 0), 24, Reserved),
        (Ipv4Addr::new(192, 0, 2, 0), 24, Reserved),
        (Ipv4Addr::new(192, 31, 196, 0), 24, Reserved),
        (Ipv4Addr::new(192, 52, 193, 0), 24, Reserved),
        (Ipv4Addr::new(192, 88, 99, 0), 24, Reserved),
        (Ipv4Addr::new(192, 168, 0, 0), 16, Private),
        (Ipv4Addr::new(192, 175, 48, 0), 24, Reserved),
        (Ipv4Addr::new(198, 18, 0, 0), 15, Reserved),
        (Ipv4Addr::new(198, 51, 100, 0), 24, Reserved),
        (Ipv4Addr::new(203, 0, 113, 0), 24, Reserved),
        // Multicast, class E and broadcast.
        (Ipv4Addr::new(224, 0, 0, 0), 3, Reserved),
    ]
};

impl AddressScope {
    /// Classifies an address. An IPv6 address that stands for an IPv4 address (mapped, NAT64) is classified
    /// as that one. One that is tunnelled to an IPv4 address (ISATAP) is public only if both are.
    pub fn classify(address: IpAddr) -> Self {
        if METADATA.contains(&address.to_canonical()) {
            return Self::Reserved;
        }
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => match embedded_v4(address) {
                Some(inner) => Self::classify(IpAddr::V4(inner)),
                None if isatap_v4(address)
                    .is_some_and(|inner| Self::classify(inner.into()) != Self::Public) =>
                {
                    Self::Reserved
                }
                None => of_v6(address),
            },
        }
    }
}

fn of_v4(address: Ipv4Addr) -> AddressScope {
    let matches = |network: Ipv4Addr, length: u32| {
        let shift = 32 - length;
        address.to_bits() >> shift == network.to_bits() >> shift
    };
    let found = V4.iter().find(|(network, length, _)| matches(*network, *length));
    found.map_or(AddressScope::Public, |(_, _, scope)| *scope)
}

fn join(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low))
}

/// Returns the IPv4 address to which an ISATAP router tunnels, whatever the prefix and the bits that say
/// whether it is unique (RFC 5214 section 6.1).
fn isatap_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [_, _, _, _, flags, 0x5efe, high, low] if flags & !0x0300 == 0 => Some(join(high, low)),
        _ => None,
    }
}

/// Returns the IPv4 address in an IPv6 address that routers translate to it.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        // IPv4-mapped, and NAT64 (RFC 6052).
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join(high, low)),
        _ => None,
    }
}

/// Only `2000::/3` is assigned to the internet; parts of it are reserved.
fn of_v6(address: Ipv6Addr) -> AddressScope {
    let [first, second, ..] = address.segments();
    if address.is_loopback() {
        AddressScope::Loopback
    } else if first & 0xfe00 == 0xfc00 {
        AddressScope::Private
    } else if first & 0xe000 != 0x2000
        // `2001::/23`: protocol assignments, Teredo, ORCHID.
        || (first == 0x2001 && second < 0x200)
        || (first == 0x2001 && second == 0xdb8)
        // 6to4 (RFC 3056).
        || first == 0x2002
        || (first == 0x2620 && second == 0x4f)
        || (first == 0x3fff && second < 0x1000)
    {
        AddressScope::Reserved
    } else {
        AddressScope::Public
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scope(text: &str) -> AddressScope {
        AddressScope::classify(text.parse().unwrap())
    }

    /// RFC 6890.
    #[test]
    fn the_bounds_of_each_network_and_their_neighbours_are_classified() {
        use AddressScope::{Loopback, Private, Public, Reserved};
        for (text, expected) in [
            ("0.0.0.0", Reserved),
            ("0.255.255.255", Reserved),
            ("1.0.0.0", Public),
            ("9.255.255.255", Public),
            ("10.0.0.0", Private),
            ("10.255.255.255", Private),
            ("11.0.0.0", Public),
            ("100.63.255.255", Public),
            ("100.64.0.0", Private),
            ("100.100.100.200", Reserved),
            ("100.127.255.255", Private),
            ("100.128.0.0", Public),
            ("127.0.0.1", Loopback),
            ("127.255.255.255", Loopback),
            ("169.253.255.255", Public),
            ("169.254.169.254", Reserved),
            ("172.15.255.255", Public),
            ("172.16.0.0", Private),
            ("172.31.255.255", Private),
            ("172.32.0.0", Public),
            ("192.0.0.8", Reserved),
            ("192.0.2.1", Reserved),
            ("192.88.99.1", Reserved),
            ("192.168.0.0", Private),
            ("192.169.0.0", Public),
            ("198.17.255.255", Public),
            ("198.18.0.0", Reserved),
            ("198.19.255.255", Reserved),
            ("198.20.0.0", Public),
            ("198.51.100.7", Reserved),
            ("203.0.113.7", Reserved),
            ("223.255.255.255", Public),
            ("224.0.0.1", Reserved),
            ("240.0.0.1", Reserved),
            ("255.255.255.255", Reserved),
            ("::", Reserved),
            ("::1", Loopback),
            ("::2", Reserved),
            ("100::1", Reserved),
            ("2001::1", Reserved),
            ("2001:1ff:ffff::", Reserved),
            ("2001:200::1", Public),
            ("2001:db8::1", Reserved),
            ("2002:808:808::1", Reserved),
            ("2606:4700::1111", Public),
            ("3fff::1", Reserved),
            ("3fff:1000::", Public),
            ("fbff::1", Reserved),
            ("fc00::1", Private),
            ("fd00:ec2::254", Reserved),
            ("fd00:ec2::253", Private),
            ("fd20:ce::254", Reserved),
            ("fe80::1", Reserved),
            ("fec0::1", Reserved),
            ("ff02::1", Reserved),
        ] {
            assert_eq!(scope(text), expected, "{text}");
        }
    }

    /// RFC 5214.
    #[test]
    fn an_isatap_address_of_a_private_ipv4_address_is_not_public() {
        for prefix in ["2606:4700:1:2", "2a00:1450:4001:80e", "fd00:1:2:3", "fe80::"] {
            for flags in ["0", "200", "100", "300"] {
                for inner in ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.2", "100.100.100.200"] {
                    let text = format!("{prefix}:{flags}:5efe:{inner}").replace(":::", "::");
                    assert_eq!(scope(&text), AddressScope::Reserved, "{text}");
                }
            }
        }
        assert_eq!(scope("2606:4700:1:2:200:5efe:9.9.9.9"), AddressScope::Public);
        assert_eq!(scope("fd00:1:2:3:200:5efe:9.9.9.9"), AddressScope::Private);
        assert_eq!(scope("2606:4700:1:2:400:5efe:10.0.0.1"), AddressScope::Public);
    }

    #[test]
    fn no_transition_form_of_a_private_ipv4_address_is_public() {
        for text in [
            // Compatible, mapped, and translated (RFC 2765).
            "::10.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:10.0.0.1",
            // NAT64: well-known and local prefixes (RFC 6052, RFC 8215).
            "64:ff9b::10.0.0.1",
            "64:ff9b::1:10.0.0.1",
            "64:ff9b:1::10.0.0.1",
            "64:ff9b:1:a00:0:100::",
            "64:ff9b:1:ffff:ffff:ffff:10.0.0.1",
            // 6to4, and Teredo with the address as the server and, inverted, as the client.
            "2002:a00:1::1",
            "2001:0:a00:1::1",
            "2001::f5ff:fffe",
        ] {
            assert_ne!(scope(text), AddressScope::Public, "{text}");
        }
    }

    proptest! {
        /// RFC 6890.
        #[test]
        fn an_embedded_ipv4_address_is_classified_as_itself(bits in any::<u32>()) {
            let v4 = Ipv4Addr::from_bits(bits);
            let [a, b, c, d] = v4.octets();
            let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            for v6 in [v4.to_ipv6_mapped(), Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low)] {
                prop_assert_eq!(AddressScope::classify(v6.into()), AddressScope::classify(v4.into()));
            }
        }
    }
}
