//! Sending email, and encrypting queued messages.

use async_trait::async_trait;
use domain::id::MessageId;
use domain::user::Email;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::fmt;

/// A plain-text message. Never logged: it is personal and may contain a one-time link.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// Recipient.
    pub to: Email,
    /// Subject, one line.
    pub subject: String,
    /// Text; lines end with `\n`.
    pub text: String,
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mail(..)")
    }
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The mail server permanently rejected this message (SMTP 5xx).
    #[error("the mail server permanently rejected the message")]
    Refused,
    /// The mail server cannot be reached, or asks for a retry. The source contains no address and no text.
    #[error("the mail server cannot be reached or asks for a retry")]
    Unavailable(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
}

/// Sends email.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends a message; on success the mail server has accepted responsibility for it.
    async fn send(&self, mail: &Mail) -> Result<(), MailError>;
}

/// A step of sending a message (RFC 5321), in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailStep {
    /// The connection, encrypted from the start if so configured, and EHLO.
    Connect,
    /// STARTTLS, if configured.
    StartTls,
    /// AUTH, if a user name is configured.
    SignIn,
    /// MAIL FROM.
    Sender,
    /// RCPT TO.
    Recipient,
    /// DATA and the message.
    Message,
}

/// A message was not sent. The source contains the reason, but no address and no text.
#[derive(Debug, thiserror::Error)]
#[error("the mail server did not accept the message")]
pub struct MailProbeError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Tries the mail server and reports each step.
#[async_trait]
pub trait MailProbe: Send + Sync {
    /// Sends a message, and calls `completed` after each successful step. Steps that are not configured are
    /// not reported.
    async fn send_in_steps(
        &self,
        mail: &Mail,
        completed: &(dyn Fn(MailStep) + Send + Sync),
    ) -> Result<(), MailProbeError>;
    /// Connects, encrypts and signs in as for a message, and sends none.
    async fn sign_in(&self, completed: &(dyn Fn(MailStep) + Send + Sync)) -> Result<(), MailProbeError>;
}

/// A message could not be encrypted, or cannot be decrypted with the configured key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a queued message cannot be sealed or opened with the configured keys.encryption_key")]
pub struct MailSealError;

/// Encrypts queued messages.
#[cfg_attr(feature = "test-support", automock)]
pub trait MailSealer: Send + Sync {
    /// Encrypts a message, bound to its id.
    fn seal(&self, id: MessageId, mail: &Mail) -> Result<Vec<u8>, MailSealError>;
    /// Decrypts the message with this id.
    fn open(&self, id: MessageId, sealed: &[u8]) -> Result<Mail, MailSealError>;
}
