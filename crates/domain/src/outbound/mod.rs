//! Requests that the server sends to hosts that others chose: which URLs and addresses are allowed.

mod address;
mod url;

pub use address::AddressScope;
pub use url::{InvalidOutboundUrl, OutboundUrl};

use std::net::IpAddr;

crate::named_enum! {
    /// Why there is no response. The names are stored in delivery logs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
    pub enum OutboundError {
        /// The URL, or an address of its host, is not allowed by the policy.
        #[error("the address is not allowed")]
        Forbidden = "forbidden",
        /// The host's name has no address.
        #[error("the host was not found")]
        NotFound = "not_found",
        /// No connection.
        #[error("the host did not accept the connection")]
        Unreachable = "unreachable",
        /// The TLS handshake failed; often a certificate that is not trusted.
        #[error("no TLS connection: the certificate is not accepted, or the host does not speak TLS")]
        Tls = "tls",
        /// The connection closed before the response ended, or the response was not HTTP/1.
        #[error("the host closed the connection or sent no valid response")]
        Broken = "broken",
        /// No response in time.
        #[error("the host did not respond in time")]
        TimedOut = "timed_out",
    }
}

/// Policy on hosts without public addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutboundPolicy {
    /// Whether this machine is allowed, also without TLS; only for a server that is itself on loopback.
    pub allow_loopback: bool,
    /// Whether private networks are allowed (`outbound.allow_private_networks`), for receivers of webhooks
    /// that the operator reviewed.
    pub allow_private_networks: bool,
}

impl OutboundPolicy {
    /// Returns the policy for hosts that the operator has not reviewed: those of client metadata documents,
    /// which anyone can make the server fetch, and of developers' webhooks.
    #[must_use]
    pub const fn for_unreviewed(self) -> Self {
        Self { allow_private_networks: false, ..self }
    }

    /// Returns whether a connection to this address is allowed.
    pub fn allows(self, address: IpAddr) -> bool {
        match AddressScope::classify(address) {
            AddressScope::Public => true,
            AddressScope::Loopback => self.allow_loopback,
            AddressScope::Private => self.allow_private_networks,
            AddressScope::Reserved => false,
        }
    }

    /// Returns whether a request to this URL may be sent, as far as the URL alone shows.
    pub fn allows_url(self, url: &OutboundUrl) -> bool {
        (url.is_https() || self.allow_loopback) && url.address().is_none_or(|address| self.allows(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(policy: OutboundPolicy, url: &str) -> bool {
        policy.allows_url(&OutboundUrl::parse(url).unwrap())
    }

    /// RFC 6890.
    #[test]
    fn by_default_only_public_addresses_are_allowed() {
        let policy = OutboundPolicy::default();
        for (address, is_allowed) in
            [("9.9.9.9", true), ("127.0.0.1", false), ("10.0.0.1", false), ("0.0.0.0", false)]
        {
            assert_eq!(policy.allows(address.parse().unwrap()), is_allowed, "{address}");
        }
        assert!(allowed(policy, "https://hooks.example/x"));
        for url in ["https://127.0.0.1/", "https://[::1]/", "http://localhost:3000/", "https://192.168.1.2/"]
        {
            assert!(!allowed(policy, url), "{url}");
        }
    }

    /// RFC 6890.
    #[test]
    fn a_server_on_loopback_may_call_its_machine_without_tls() {
        let policy = OutboundPolicy { allow_loopback: true, ..OutboundPolicy::default() };
        assert!(allowed(policy, "http://127.0.0.1:3000/"));
        assert!(policy.allows("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!allowed(policy, "https://10.0.0.1/"));
    }

    /// RFC 6890.
    #[test]
    fn private_networks_can_be_allowed_but_never_reserved_addresses() {
        let policy = OutboundPolicy { allow_private_networks: true, ..OutboundPolicy::default() };
        assert!(allowed(policy, "https://192.168.1.2/"));
        for address in ["169.254.169.254", "fd00:ec2::254", "224.0.0.1", "127.0.0.1"] {
            assert!(!policy.allows(address.parse().unwrap()), "{address}");
        }
    }

    /// CIMD section 6.5.
    #[test]
    fn documents_are_never_fetched_from_private_networks() {
        let webhooks = OutboundPolicy { allow_private_networks: true, allow_loopback: true };
        let url = "https://192.168.1.2/client.json";
        assert!(allowed(webhooks, url) && !allowed(webhooks.for_unreviewed(), url));
        assert!(allowed(webhooks.for_unreviewed(), "https://127.0.0.1/client.json"));
    }
}
