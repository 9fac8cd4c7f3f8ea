//! From whom messages come.

use crate::options::bare_host;
use lettre::address::Address;
use lettre::message::Mailbox;
use std::fmt;
use std::net::IpAddr;

/// Says that a text is no sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a sender; write an address, or Name <address>")]
pub struct InvalidSender;

/// The sender of every message: an address, with or without a name before it.
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

    /// Returns the sender of a server that is told no other: `Restwell <restwell@HOST>`; on this machine alone
    /// `restwell@localhost`. A server that others reach by an IP address has to be told one: an address literal
    /// (RFC 5321 section 4.1.3) is refused by most mail servers, and by the library when it reads it back.
    pub fn of_host(host: &str) -> Result<Self, InvalidSender> {
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

/// Prints the sender as it stands in a message.
impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Prints no address.
impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender(..)")
    }
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
            assert_eq!(Sender::of_host(host).unwrap().mailbox().email.to_string(), address);
        }
        assert!(Sender::of_host("a b").is_err());
        assert!(Sender::of_host("192.0.2.1").is_err());
    }
}
