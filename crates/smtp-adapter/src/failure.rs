//! Delivery failures.

use application::ports::system::MailStep as Step;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::response::Category;
use std::error::Error as _;
use std::io;
use std::time::Duration;

const fn name(step: Step) -> &'static str {
    match step {
        Step::Connect => "the connection",
        Step::StartTls => "STARTTLS",
        Step::SignIn => "AUTH",
        Step::Sender => "MAIL FROM",
        Step::Recipient => "RCPT TO",
        Step::Message => "DATA",
    }
}

/// Returns whether a rejection at this step concerns the message rather than the client.
const fn concerns_the_message(step: Step) -> bool {
    match step {
        Step::Connect | Step::StartTls | Step::SignIn => false,
        Step::Sender | Step::Recipient | Step::Message => true,
    }
}

/// Why a message was not delivered. Contains no address, message text or server reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The recipient's address cannot be written into a message.
    #[error("invalid recipient address")]
    NoAddress,
    /// The mail server rejected a step with this code.
    #[error("the mail server rejected {} with code {code}", name(*.step))]
    Answered {
        /// The rejected step.
        step: Step,
        /// Three digits.
        code: u16,
        /// Whether the rejection is permanent and concerns this message.
        is_final: bool,
    },
    /// The connection or its TLS failed; the text comes from the operating system or the TLS library.
    #[error("the connection to the mail server failed: {0}")]
    Connection(String),
    /// The reply is not SMTP or does not belong to this step.
    #[error("invalid reply from the mail server to {}", name(*.0))]
    UnexpectedReply(Step),
    /// The mail server, or a machine in the middle, does not offer STARTTLS.
    #[error("the mail server does not offer STARTTLS, which is required")]
    NoStartTls,
    /// The mail server offers no supported authentication mechanism.
    #[error("the mail server offers neither AUTH PLAIN nor AUTH LOGIN")]
    NoSignIn,
    /// The address has characters beyond ASCII before the @, which the mail server does not support.
    #[error("the mail server does not support addresses beyond ASCII (SMTPUTF8)")]
    NoUnicodeAddress,
    /// The mail server exceeded the timeout.
    #[error("the mail server took longer than {} s", .0.as_secs_f64())]
    TooSlow(Duration),
}

impl Failure {
    /// Keeps the parts of a library error that are safe to log; its text may repeat the server's reply.
    pub(crate) fn at(step: Step, error: &Error) -> Self {
        if let Some(code) = error.status() {
            // 530 to 538 concern authentication (RFC 4954), not the message.
            let is_about_signing_in = code.category == Category::Unspecified3;
            let is_final = error.is_permanent() && concerns_the_message(step) && !is_about_signing_in;
            let code = code.severity as u16 * 100 + code.category as u16 * 10 + code.detail as u16;
            return Self::Answered { step, code, is_final };
        }
        if error.is_client() && step == Step::SignIn {
            return Self::NoSignIn;
        }
        match io_text(error) {
            Some(text) => Self::Connection(text),
            None => Self::UnexpectedReply(step),
        }
    }

    /// Returns whether the mail server will never accept this message.
    pub(crate) const fn is_final(&self) -> bool {
        match self {
            Self::NoAddress => true,
            Self::Answered { is_final, .. } => *is_final,
            Self::Connection(_)
            | Self::UnexpectedReply(_)
            | Self::NoStartTls
            | Self::NoSignIn
            | Self::NoUnicodeAddress
            | Self::TooSlow(_) => false,
        }
    }
}

fn io_text(error: &Error) -> Option<String> {
    let mut source = error.source();
    while let Some(found) = source {
        if let Some(io) = found.downcast_ref::<io::Error>() {
            return Some(io.to_string());
        }
        source = found.source();
    }
    None
}
