//! The sender of messages.

use lettre::address::Address;
use lettre::message::Mailbox;
use std::fmt;
use std::net::IpAddr;

/// A text is not a valid sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid sender; write an address, or Name <address>")]
pub struct InvalidSender;

/// Sender address with an optional display name.
#[derive(Clone, PartialEq, Eq)]
pub struct Sender(Mailbox);

impl Sender {
    /// Parses `address` or `Name <address>` (RFC 5322 section 3.4).
    pub fn parse(text: &str) -> Result<Self, InvalidSender> {
        if text.chars().any(char::is_control) {
            return Err(InvalidSender);
        }
        text.parse().map(Self).map_err(|_| InvalidSender)
    }

    /// Returns the default sender, `Restwell <restwell@HOST>`; on a loopback host `restwell@localhost`. A
    /// server that is reached by IP address must configure a sender: most mail servers reject address
    /// literals (RFC 5321 section 4.1.3).
    pub fn for_host(host: &str) -> Result<Self, InvalidSender> {
        let host = match bare_host(host).parse::<IpAddr>() {
            Ok(address) if address.is_loopback() => "localhost",
            Ok(_) => return Err(InvalidSender),
            Err(_) => host,
        };
        let address = Address::new("restwell", host).map_err(|_| InvalidSender)?;
        Ok(Self(Mailbox::new(Some("Restwell".to_owned()), address)))
    }

    pub(crate) const fn mailbox(&self) -> &Mailbox {
        &self.0
    }
}

/// Formats the sender as in a message.
impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Omits the address.
impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender(..)")
    }
}

/// Strips the brackets of an IPv6 address.
pub(crate) fn bare_host(host: &str) -> &str {
    host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_an_address_with_or_without_a_name() {
        for text in [
            "restwell@example.org",
            "Restwell <restwell@example.org>",
            "\"Restwell, Inc.\" <restwell@example.org>",
            "Schlafgut Zürich <post@example.org>",
        ] {
            assert!(Sender::parse(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "Restwell",
            "restwell@",
            "<restwell@example.org",
            "a@b.example, c@d.example",
            "a@b\r\nBcc: c@d",
        ] {
            assert_eq!(Sender::parse(text), Err(InvalidSender), "{text}");
        }
    }

    #[test]
    fn the_sender_of_a_host_is_known_for_names_and_for_this_machine() {
        for (host, address) in [
            ("sleep.example.org", "restwell@sleep.example.org"),
            ("localhost", "restwell@localhost"),
            ("127.0.0.1", "restwell@localhost"),
            ("[::1]", "restwell@localhost"),
        ] {
            assert_eq!(Sender::for_host(host).unwrap().mailbox().email.to_string(), address);
        }
        assert!(Sender::for_host("a b").is_err());
        assert!(Sender::for_host("192.0.2.1").is_err());
    }
}
