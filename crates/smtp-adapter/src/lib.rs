//! Mail by SMTP: [`SmtpMailer`] hands messages to the operator's mail server (RFC 5321, RFC 8314).
//!
//! Nothing that it says of a failure holds an address, a text or a password: the replies of a mail server repeat
//! what they were given, so only their codes are kept.

mod failure;
mod mailer;
mod message;
mod options;
mod sender;
#[cfg(test)]
mod testing;

pub use mailer::{SmtpMailer, SmtpSetupError};
pub use options::{Encryption, SmtpCredentials, SmtpOptions, is_loopback_host};
pub use sender::{InvalidSender, Sender};
