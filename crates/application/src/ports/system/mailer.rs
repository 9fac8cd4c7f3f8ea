//! Mail: sending it, and sealing what waits to be sent.

use async_trait::async_trait;
use domain::id::MessageId;
use domain::user::Email;
#[cfg(feature = "test-support")]
use mockall::automock;
use std::fmt;

/// A message in plain text. Never printed: it is personal and may carry a one-time link.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// To whom.
    pub to: Email,
    /// Its subject, one line.
    pub subject: String,
    /// Its text; lines end with `\n`.
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
    /// The mail server will never take this message (a permanent SMTP error, 5xx).
    #[error("the mail server refused the message for good")]
    Refused,
    /// The mail server could not be reached, or asks to try later. The source holds no address and no text.
    #[error("the mail server did not take the message")]
    Unavailable(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
}

/// Sends mail.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Hands a message to the mail server; when it returns, the server has taken responsibility for it.
    async fn send(&self, mail: &Mail) -> Result<(), MailError>;
}

/// A step of handing a message to the mail server (RFC 5321), in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailStep {
    /// The connection, encrypted from the start if the settings say so, and EHLO.
    Connect,
    /// STARTTLS, if the settings ask for it.
    StartTls,
    /// AUTH, if the settings name a user.
    SignIn,
    /// MAIL FROM.
    Sender,
    /// RCPT TO.
    Recipient,
    /// DATA, and the message itself.
    Message,
}

/// A message was not handed over. The source says why; it holds no address and no text.
#[derive(Debug, thiserror::Error)]
#[error("the mail server did not accept the message")]
pub struct MailProbeError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Sends a message and reports each step.
#[async_trait]
pub trait MailProbe: Send + Sync {
    /// Hands a message to the mail server, and calls `completed` after each step that succeeds. Steps that the
    /// settings do not ask for are not reported.
    async fn send_in_steps(
        &self,
        mail: &Mail,
        completed: &(dyn Fn(MailStep) + Send + Sync),
    ) -> Result<(), MailProbeError>;
}

/// Says that a message could not be sealed, or does not open: the encryption key is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a queued message cannot be sealed or opened with the configured keys.encryption_key")]
pub struct MailSealError;

/// Seals messages that wait in the store.
#[cfg_attr(feature = "test-support", automock)]
pub trait MailSealer: Send + Sync {
    /// Seals a message, bound to its id.
    fn seal(&self, id: MessageId, mail: &Mail) -> Result<Vec<u8>, MailSealError>;
    /// Opens what was sealed for this id.
    fn open(&self, id: MessageId, sealed: &[u8]) -> Result<Mail, MailSealError>;
}
