//! Faults of the store.

use redis::{ErrorKind, RedisError};

/// Fault of the store, without anything sent to it and without its own text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The reply did not arrive in time.
    #[error("timed out")]
    NoAnswer,
    /// The connection was refused.
    #[error("connection refused")]
    Refused,
    /// The connection was lost.
    #[error("the connection was lost")]
    Lost,
    /// Name resolution, the network or TLS failed.
    #[error("cannot connect: network, name or certificate")]
    Network,
    /// The password or the user name is wrong.
    #[error("authentication failed")]
    Credentials,
    /// The server replied with this error code, such as `READONLY` or `OOM`.
    #[error("error {0}")]
    ErrorReply(String),
    /// The reply is not a count.
    #[error("invalid reply")]
    Protocol,
}

/// Longest error code that is kept; those of Redis are shorter.
const LONGEST_CODE: usize = 16;

impl From<RedisError> for Fault {
    fn from(error: RedisError) -> Self {
        match error.kind() {
            ErrorKind::AuthenticationFailed => Self::Credentials,
            ErrorKind::Server(_) | ErrorKind::Extension => Self::answer(error.code()),
            ErrorKind::Parse | ErrorKind::UnexpectedReturnType => Self::Protocol,
            _ if error.is_timeout() => Self::NoAnswer,
            _ if error.is_connection_refusal() => Self::Refused,
            _ if error.is_connection_dropped() => Self::Lost,
            _ => Self::Network,
        }
    }
}

impl Fault {
    /// Keeps a text only if it looks like an error code, because another server might repeat what it
    /// received.
    fn answer(code: Option<&str>) -> Self {
        let is_code =
            |code: &&str| code.len() <= LONGEST_CODE && code.bytes().all(|byte| byte.is_ascii_uppercase());
        match code.filter(is_code) {
            Some("WRONGPASS" | "NOAUTH") => Self::Credentials,
            Some(code) => Self::ErrorReply(code.to_owned()),
            None => Self::Protocol,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn network_errors_are_distinguished() {
        let fault = |kind: io::ErrorKind| Fault::from(RedisError::from(io::Error::from(kind)));
        assert_eq!(fault(io::ErrorKind::TimedOut), Fault::NoAnswer);
        assert_eq!(fault(io::ErrorKind::ConnectionRefused), Fault::Refused);
        assert_eq!(fault(io::ErrorKind::BrokenPipe), Fault::Lost);
        assert_eq!(fault(io::ErrorKind::InvalidData), Fault::Network);
    }

    #[test]
    fn a_code_is_repeated_and_other_words_are_not() {
        assert_eq!(Fault::answer(Some("READONLY")), Fault::ErrorReply("READONLY".to_owned()));
        assert_eq!(Fault::answer(Some("NOAUTH")), Fault::Credentials);
        for words in ["LEAKME123", "restwell:rate:1:x", "AVERYLONGWORDTHATISNOCODE"] {
            assert_eq!(Fault::answer(Some(words)), Fault::Protocol, "{words}");
        }
    }
}
