//! Parsing of one hop.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Parses an element of `X-Forwarded-For`: an address, an address with a port, or an IPv6 address with or
/// without brackets. Anything else, such as `unknown`, is `None`.
pub(super) fn of_list_element(element: &str) -> Option<IpAddr> {
    let element = element.trim_matches([' ', '\t']);
    let bare = element.parse::<Ipv6Addr>().ok().map(|address| IpAddr::V6(address).to_canonical());
    bare.or_else(|| of_node(element))
}

/// Parses a node of RFC 7239 section 6: an IPv4 address or an IPv6 address in brackets, each with an optional
/// port. `unknown` and obfuscated identifiers are `None`.
pub(super) fn of_node(node: &str) -> Option<IpAddr> {
    if let Some(rest) = node.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        let port = if port.is_empty() { None } else { Some(port.strip_prefix(':')?) };
        let address: Ipv6Addr = address.parse().ok()?;
        return port.is_none_or(is_port).then(|| IpAddr::V6(address).to_canonical());
    }
    let (address, port) = match node.split_once(':') {
        Some((address, port)) => (address, Some(port)),
        None => (node, None),
    };
    let address: Ipv4Addr = address.parse().ok()?;
    port.is_none_or(is_port).then_some(IpAddr::V4(address))
}

/// Returns whether a text is a port or an obfuscated port (RFC 7239 section 6).
fn is_port(text: &str) -> bool {
    match text.strip_prefix('_') {
        Some(name) => {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        }
        None => (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}
