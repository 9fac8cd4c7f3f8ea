//! Why a message was not handed over.

use application::ports::system::MailStep as Step;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::response::Category;
use std::error::Error as _;
use std::io;
use std::time::Duration;

/// Returns the step's name in the protocol.
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

/// Returns whether a rejection at this step is about the message, and not about the client.
const fn concerns_the_message(step: Step) -> bool {
    match step {
        Step::Connect | Step::StartTls | Step::SignIn => false,
        Step::Sender | Step::Recipient | Step::Message => true,
    }
}

/// Why a message was not handed over; holds no address, no text and nothing else that a mail server said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The address cannot stand in a message at all.
    #[error("the recipient's address is not one that mail can be sent to")]
    NoAddress,
    /// The mail server said no, with this code.
    #[error("the mail server answered {} with code {code}", name(*.step))]
    Answered {
        /// To what.
        step: Step,
        /// Three digits.
        code: u16,
        /// Whether it is a no for good, and meant for this message.
        is_final: bool,
    },
    /// The connection, or TLS on it, failed; the text is the operating system's or the TLS library's.
    #[error("the connection to the mail server failed: {0}")]
    Connection(String),
    /// The answer is none of SMTP, or not the one that belongs there.
    #[error("the mail server's answer to {} was not understood", name(*.0))]
    Answer(Step),
    /// The mail server does not speak STARTTLS, or whoever sits between says so.
    #[error("the mail server does not offer STARTTLS, and nothing is sent without")]
    NoStartTls,
    /// The mail server offers none of the ways to sign in that are known here.
    #[error("the mail server offers neither AUTH PLAIN nor AUTH LOGIN")]
    NoSignIn,
    /// An address has letters beyond ASCII before the @, and the mail server does not take them.
    #[error("the mail server does not take addresses beyond ASCII (SMTPUTF8)")]
    NoUnicodeAddress,
    /// The mail server was too slow.
    #[error("the mail server took longer than {} s", .0.as_secs_f64())]
    TooSlow(Duration),
}

impl Failure {
    /// Keeps what may be told of an error of the library. Its own text may repeat the server's.
    pub(crate) fn at(step: Step, error: &Error) -> Self {
        if let Some(code) = error.status() {
            // 530 to 538 say that Restwell has to sign in, or in another way (RFC 4954): no fault of the message.
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
            None => Self::Answer(step),
        }
    }

    /// Returns whether the mail server will never take this message.
    pub(crate) const fn is_final(&self) -> bool {
        match self {
            Self::NoAddress => true,
            Self::Answered { is_final, .. } => *is_final,
            Self::Connection(_)
            | Self::Answer(_)
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
