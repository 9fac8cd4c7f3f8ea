//! Options of the mail server connection.

use crate::sender::{Sender, bare_host};
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;
use zeroize::Zeroizing;

/// Encryption of the connection. There is no opportunistic mode, because a machine in the middle could
/// disable it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// TLS from the first byte (RFC 8314 section 3.3); preferred.
    Implicit,
    /// A mandatory STARTTLS (RFC 3207).
    StartTls,
    /// No encryption; only for a mail server on the same machine.
    None,
}

impl Encryption {
    /// Returns the default port.
    pub const fn usual_port(self) -> u16 {
        match self {
            Self::Implicit => 465,
            Self::StartTls => 587,
            Self::None => 25,
        }
    }
}

/// Credentials for the mail server; never printed.
#[derive(Clone)]
pub struct SmtpCredentials {
    /// User name.
    pub user_name: String,
    /// Password; wiped when dropped.
    pub password: Zeroizing<String>,
}

impl fmt::Debug for SmtpCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpCredentials(..)")
    }
}

/// The operator's mail settings.
#[derive(Debug, Clone)]
pub struct SmtpOptions {
    /// Name or IP address of the mail server; its certificate is checked against it.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Encryption of the connection.
    pub encryption: Encryption,
    /// Credentials; `None` for no authentication.
    pub credentials: Option<SmtpCredentials>,
    /// Sender of every message.
    pub sender: Sender,
    /// Host of the public URL, used in EHLO and in message ids.
    pub public_host: String,
    /// Timeout for opening a connection. Handing over a message may take three times as long: many servers
    /// scan for viruses before they reply, and a client that gives up then sends the message twice.
    pub timeout: Duration,
}

impl SmtpOptions {
    /// Default of `timeout`.
    pub const TIMEOUT: Duration = Duration::from_secs(10);
}

/// Returns whether a host is `localhost` or a loopback address.
pub fn is_loopback_host(host: &str) -> bool {
    let bare = bare_host(host);
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_its_names() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "::1", "[::1]"] {
            assert!(is_loopback_host(host), "{host}");
        }
        for host in [
            "",
            "localhost.example.org",
            "10.0.0.1",
            "0.0.0.0",
            "mail.example.org",
            "[::2]",
            "127.0.0.1.example",
        ] {
            assert!(!is_loopback_host(host), "{host}");
        }
    }

    #[test]
    fn debug_output_never_shows_a_password() {
        let options = SmtpOptions {
            host: "mail.example.org".to_owned(),
            port: 465,
            encryption: Encryption::Implicit,
            credentials: Some(SmtpCredentials {
                user_name: "LEAKME123".to_owned(),
                password: Zeroizing::new("LEAKME123".to_owned()),
            }),
            sender: Sender::parse("LEAKME123@example.org").unwrap(),
            public_host: "sleep.example.org".to_owned(),
            timeout: SmtpOptions::TIMEOUT,
        };
        assert!(!format!("{options:?}").contains("LEAKME123"));
    }
}
