//! Email over SMTP: [`SmtpMailer`] hands messages to the operator's mail server (RFC 5321, RFC 8314).
//!
//! Mail servers repeat what they receive, so errors keep only reply codes: no address, text or password.

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
