//! Public URL of the server.

use domain::passkey::RelyingParty;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use url::{Host, Url};

/// Origin of the server, and issuer of its tokens: `https`, or `http` on a loopback host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicUrl {
    origin: String,
    is_loopback: bool,
    is_https: bool,
}

impl PublicUrl {
    /// Parses an origin; the error describes what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|_| "is not a URL; write it as https://host[:port]".to_owned())?;
        let is_loopback = match url.host() {
            Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        let is_https = match url.scheme() {
            "https" => true,
            "http" if is_loopback => false,
            "http" => return Err("must be https: http is allowed only for a loopback address".to_owned()),
            _ => return Err("must be https, or http on a loopback address".to_owned()),
        };
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if !is_bare || !url.username().is_empty() || url.password().is_some() {
            return Err("must be just an origin, https://host[:port], without path, query or user".to_owned());
        }
        Ok(Self { origin: url.origin().ascii_serialization(), is_loopback, is_https })
    }

    /// Returns the URL of a server on this loopback address.
    pub(crate) fn of_loopback(address: SocketAddr) -> Self {
        Self { origin: format!("http://{address}"), is_loopback: true, is_https: false }
    }

    /// Returns whether the host is a loopback host.
    pub(crate) const fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    pub(crate) const fn is_https(&self) -> bool {
        self.is_https
    }

    /// Returns the relying party of passkeys; `None` if browsers offer no passkeys at this URL.
    pub(crate) fn relying_party(&self) -> Option<RelyingParty> {
        Url::parse(&self.origin).ok().and_then(|url| RelyingParty::from_public_url(&url))
    }

    /// Returns the origin without a trailing slash.
    pub(crate) fn as_str(&self) -> &str {
        &self.origin
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

/// Returns whether an address is a loopback address.
pub(crate) fn is_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => {
            address.to_ipv4_mapped().map_or(address.is_loopback(), |v4: Ipv4Addr| v4.is_loopback())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MCP 2026-07-28, Security Considerations, Communication Security.
    #[test]
    fn an_origin_is_https_or_loopback() {
        for (text, origin) in [
            ("https://sleep.example.org", "https://sleep.example.org"),
            ("https://sleep.example.org:8443/", "https://sleep.example.org:8443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(PublicUrl::parse(text).unwrap().as_str(), origin);
        }
        for text in [
            "http://sleep.example.org",
            "http://192.168.0.7:8080",
            "https://user@sleep.example.org",
            "https://sleep.example.org/api",
            "https://sleep.example.org/?x",
            "ftp://sleep.example.org",
            "sleep.example.org",
            "",
        ] {
            assert!(PublicUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_spelling_of_a_loopback_address_is_recognised() {
        assert!(is_loopback("127.3.2.1".parse().unwrap()));
        assert!(is_loopback("::1".parse().unwrap()));
        assert!(is_loopback("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!is_loopback("0.0.0.0".parse().unwrap()));
        assert!(!is_loopback("::ffff:10.0.0.1".parse().unwrap()));
    }
}
