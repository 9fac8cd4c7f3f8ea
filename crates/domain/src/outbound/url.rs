//! URLs that the server calls.

use std::fmt;
use std::net::IpAddr;
use url::{Host, Url};

/// Why a URL cannot be called; shown to the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOutboundUrl {
    /// Not an absolute URL of printable ASCII, or too long.
    #[error("must be an absolute URL of printable ASCII, at most 2000 characters")]
    Malformed,
    /// Neither https nor http to loopback.
    #[error("must be https; http is allowed only for 127.0.0.1, [::1] and localhost")]
    NotHttps,
    /// A user name, a password or a fragment.
    #[error("must not contain a user name, a password or a fragment")]
    HasCredentials,
    /// A port below 1024 other than 443, at which other protocols listen.
    #[error("must use port 443 or a port of 1024 or above")]
    Port,
}

/// An absolute `https` URL, or an `http` URL of a loopback host, without user name and fragment.
///
/// Its host may resolve to any address: [`OutboundPolicy`](super::OutboundPolicy) decides which addresses are
/// allowed.
#[derive(Clone, PartialEq, Eq)]
pub struct OutboundUrl(Url);

impl OutboundUrl {
    const MAX_BYTES: usize = 2_000;

    /// Parses a URL.
    pub fn parse(text: &str) -> Result<Self, InvalidOutboundUrl> {
        let is_printable = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        if text.len() > Self::MAX_BYTES || !is_printable {
            return Err(InvalidOutboundUrl::Malformed);
        }
        let url = Url::parse(text).map_err(|_| InvalidOutboundUrl::Malformed)?;
        let is_loopback = match url.host().ok_or(InvalidOutboundUrl::Malformed)? {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let is_https = url.scheme() == "https";
        if !(is_https || url.scheme() == "http" && is_loopback) {
            return Err(InvalidOutboundUrl::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err(InvalidOutboundUrl::HasCredentials);
        }
        if is_https && url.port().is_some_and(|port| port < 1024) {
            return Err(InvalidOutboundUrl::Port);
        }
        Ok(Self(url))
    }

    /// Returns the normalised URL.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns whether the URL uses TLS; otherwise its host is loopback.
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns the host: a name in lower case without the dot of the root, or an address (IPv6 in brackets).
    pub fn host(&self) -> &str {
        let host = self.0.host_str().unwrap_or_default();
        host.strip_suffix('.').unwrap_or(host)
    }

    /// Returns the port, also if the URL does not name one.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(443)
    }

    /// Returns the host and the port if it is not the scheme's, as in the `Host` header.
    pub fn authority(&self) -> &str {
        self.0.authority()
    }

    /// Returns path and query, as in the first line of a request.
    pub fn path_and_query(&self) -> &str {
        &self.0[::url::Position::BeforePath..]
    }

    /// Returns the address if the host is one.
    pub fn address(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }
}

/// Shows the host only: path and query may contain what the receiver keeps secret.
impl fmt::Debug for OutboundUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutboundUrl({})", self.host())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_https_or_http_to_loopback() {
        for (text, expected) in [
            ("https://Hooks.example/a?b=c", "https://hooks.example/a?b=c"),
            ("https://hooks.example:8443", "https://hooks.example:8443/"),
            ("http://127.0.0.1:80/x", "http://127.0.0.1/x"),
            ("http://[::1]:3000/", "http://[::1]:3000/"),
            ("http://localhost/", "http://localhost/"),
            ("https://0x7f.1/", "https://127.0.0.1/"),
        ] {
            assert_eq!(OutboundUrl::parse(text).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn other_urls_are_refused_with_the_reason() {
        use InvalidOutboundUrl::{HasCredentials, Malformed, NotHttps, Port};
        let long = format!("https://hooks.example/{}", "x".repeat(2_000));
        for (text, reason) in [
            ("", Malformed),
            ("/hooks", Malformed),
            ("https://", Malformed),
            ("https://hooks.example/a b", Malformed),
            ("https://hooks.example/\u{e9}", Malformed),
            ("https:\\\\hooks.example", Malformed),
            (long.as_str(), Malformed),
            ("http://hooks.example/", NotHttps),
            ("http://10.0.0.1/", NotHttps),
            ("http://localhost.example/", NotHttps),
            ("ftp://hooks.example/", NotHttps),
            ("https://user@hooks.example/", HasCredentials),
            ("https://:pass@hooks.example/", HasCredentials),
            ("https://hooks.example/#x", HasCredentials),
            ("https://hooks.example:22/", Port),
            ("https://hooks.example:0/", Port),
        ] {
            assert_eq!(OutboundUrl::parse(text), Err(reason), "{text}");
        }
    }

    #[test]
    fn a_dot_at_its_end_makes_no_other_host() {
        for (text, host) in
            [("https://VM./x", "vm"), ("https://vm", "vm"), ("https://127.0.0.1./", "127.0.0.1")]
        {
            assert_eq!(OutboundUrl::parse(text).unwrap().host(), host, "{text}");
        }
    }

    #[test]
    fn debug_output_shows_the_host_only() {
        let url = OutboundUrl::parse("https://hooks.example/secret?key=secret").unwrap();
        assert_eq!(format!("{url:?}"), "OutboundUrl(hooks.example)");
    }
}
