//! Which mail server, and how it is reached.

use crate::sender::Sender;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;
use zeroize::Zeroizing;

/// How the connection is encrypted. There is no "if the server can": whoever sits between could say that it cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// From the first byte (RFC 8314 section 3.3), the better choice.
    Implicit,
    /// After a STARTTLS that must succeed (RFC 3207).
    StartTls,
    /// Not at all: for a mail server on the same machine only.
    None,
}

impl Encryption {
    /// Returns the port on which a mail server is reached this way when nobody says otherwise.
    pub const fn usual_port(self) -> u16 {
        match self {
            Self::Implicit => 465,
            Self::StartTls => 587,
            Self::None => 25,
        }
    }
}

/// With what Restwell signs in to the mail server; never printed.
#[derive(Clone)]
pub struct SmtpCredentials {
    /// The user name.
    pub user_name: String,
    /// The password; wiped when dropped.
    pub password: Zeroizing<String>,
}

impl fmt::Debug for SmtpCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpCredentials(..)")
    }
}

/// What the operator says about mail.
#[derive(Debug, Clone)]
pub struct SmtpOptions {
    /// The name or the IP address of the mail server; its certificate is checked against it.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is encrypted.
    pub encryption: Encryption,
    /// With what to sign in, if at all.
    pub credentials: Option<SmtpCredentials>,
    /// From whom messages come.
    pub sender: Sender,
    /// The host of the public URL, by which Restwell introduces itself and in which message ids end.
    pub public_host: String,
    /// How long the connection may take until the mail server is ready for a message. It may take three times as
    /// long over the message: many servers look for viruses before they answer, and whoever gives up then sends it
    /// twice.
    pub timeout: Duration,
}

impl SmtpOptions {
    /// The usual `timeout`.
    pub const TIMEOUT: Duration = Duration::from_secs(10);
}

/// Returns whether a host is this machine: `localhost`, or a loopback address.
pub fn is_loopback_host(host: &str) -> bool {
    let bare = bare_host(host);
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns a host without the brackets in which an IPv6 address may stand.
pub(crate) fn bare_host(host: &str) -> &str {
    host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host)
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
