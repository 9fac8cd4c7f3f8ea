//! The mail port over SMTP.

use crate::failure::Failure;
use crate::message;
use crate::options::{Encryption, SmtpOptions, is_loopback_host};
use crate::sender::bare_host;
use application::ports::system::{
    Clock, Entropy, Mail, MailError, MailProbe, MailProbeError, MailStep as Step, Mailer,
};
use async_trait::async_trait;
use lettre::address::Address;
use lettre::message::Message;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail as MailCommand, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use url::Host;

/// Timeout for handing over a message, as a multiple of the connection timeout.
const MESSAGE_TIMEOUTS: u32 = 3;

/// Timeout for QUIT. The message is already accepted by then.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Why the options cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SmtpSetupError {
    /// Addresses, one-time links and the password could be read in transit.
    #[error("unencrypted mail is allowed only to a mail server on this machine")]
    ClearText,
    /// No root certificates are installed, so no server certificate could be verified.
    #[error("this machine has no root certificates (Debian's package is ca-certificates)")]
    NoRootCertificates,
    /// The TLS library rejected the configuration.
    #[error("TLS cannot be set up")]
    Tls,
    /// The public host is neither a name nor an IP address.
    #[error("the public host is neither a name nor an IP address")]
    PublicHost,
}

/// How a connection is encrypted.
#[derive(Clone)]
pub(crate) enum Security {
    Implicit(TlsParameters),
    StartTls(TlsParameters),
    None,
}

impl Security {
    fn new(options: &SmtpOptions) -> Result<Self, SmtpSetupError> {
        match options.encryption {
            Encryption::Implicit => trusting_this_machines_roots(&options.host).map(Self::Implicit),
            Encryption::StartTls => trusting_this_machines_roots(&options.host).map(Self::StartTls),
            Encryption::None if is_loopback_host(&options.host) => Ok(Self::None),
            Encryption::None => Err(SmtpSetupError::ClearText),
        }
    }
}

fn trusting_this_machines_roots(host: &str) -> Result<TlsParameters, SmtpSetupError> {
    // The library would accept an empty list and then trust no server.
    if rustls_native_certs::load_native_certs().certs.is_empty() {
        return Err(SmtpSetupError::NoRootCertificates);
    }
    TlsParameters::builder(bare_host(host).to_owned()).build_rustls().map_err(|_| SmtpSetupError::Tls)
}

/// Receives each completed step.
type StepObserver<'a> = &'a (dyn Fn(Step) + Send + Sync);

/// Hands messages to one mail server over a new connection each, because messages are few.
pub struct SmtpMailer {
    options: SmtpOptions,
    security: Security,
    hello: ClientId,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl SmtpMailer {
    /// Creates a mailer and reads the root certificates of this machine; does not connect.
    pub fn new(
        options: SmtpOptions,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, SmtpSetupError> {
        let security = Security::new(&options)?;
        Self::with_security(options, security, clock, entropy)
    }

    pub(crate) fn with_security(
        options: SmtpOptions,
        security: Security,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, SmtpSetupError> {
        let hello = match Host::parse(&options.public_host) {
            Ok(Host::Domain(name)) => ClientId::Domain(name),
            Ok(Host::Ipv4(address)) => ClientId::Ipv4(address),
            Ok(Host::Ipv6(address)) => ClientId::Ipv6(address),
            Err(_) => return Err(SmtpSetupError::PublicHost),
        };
        Ok(Self { options, security, hello, clock, entropy })
    }

    /// Delivers a message and reports each completed step.
    async fn deliver(&self, mail: &Mail, completed: StepObserver<'_>) -> Result<(), Failure> {
        // RFC 5322 section 3.6.4 recommends a host name on the right side of a message id.
        let id = format!("<{}@{}>", self.entropy.uuid().simple(), self.hello);
        let message = message::write(mail, &self.options.sender, id, self.clock.now())?;
        let mut connection = within(self.options.timeout, self.open(completed)).await?;
        let limit = self.options.timeout.saturating_mul(MESSAGE_TIMEOUTS);
        let handed_over = within(limit, send_message(&mut connection, &message, completed)).await;
        self.quit(connection).await;
        handed_over
    }

    async fn quit(&self, mut connection: AsyncSmtpConnection) {
        let _ = timeout(self.options.timeout.min(QUIT_TIMEOUT), connection.quit()).await;
    }

    /// Connects, encrypts, then authenticates: nothing secret is sent before the connection is encrypted.
    async fn open(&self, completed: StepObserver<'_>) -> Result<AsyncSmtpConnection, Failure> {
        let server = (bare_host(&self.options.host), self.options.port);
        let from_the_start = match &self.security {
            Security::Implicit(parameters) => Some(parameters.clone()),
            Security::StartTls(_) | Security::None => None,
        };
        let connecting = AsyncSmtpConnection::connect_tokio1(server, None, &self.hello, from_the_start, None);
        let mut connection = connecting.await.map_err(|error| Failure::at(Step::Connect, &error))?;
        completed(Step::Connect);
        if let Security::StartTls(parameters) = &self.security {
            if !connection.can_starttls() {
                return Err(Failure::NoStartTls);
            }
            let encrypting = connection.starttls(parameters.clone(), &self.hello).await;
            encrypting.map_err(|error| Failure::at(Step::StartTls, &error))?;
            completed(Step::StartTls);
        }
        if let Some(credentials) = &self.options.credentials {
            let credentials =
                Credentials::new(credentials.user_name.clone(), credentials.password.to_string());
            expect(Step::SignIn, 235, connection.auth(DEFAULT_MECHANISMS, &credentials).await)?;
            completed(Step::SignIn);
        }
        Ok(connection)
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let Err(failure) = self.deliver(mail, &|_| {}).await else { return Ok(()) };
        tracing::warn!(reason = %failure, "could not hand a message to the mail server");
        if failure.is_final() {
            Err(MailError::Refused)
        } else {
            Err(MailError::Unavailable(Some(failure.into())))
        }
    }
}

#[async_trait]
impl MailProbe for SmtpMailer {
    async fn send_in_steps(
        &self,
        mail: &Mail,
        completed: &(dyn Fn(Step) + Send + Sync),
    ) -> Result<(), MailProbeError> {
        self.deliver(mail, completed).await.map_err(|failure| MailProbeError(failure.into()))
    }

    async fn sign_in(&self, completed: &(dyn Fn(Step) + Send + Sync)) -> Result<(), MailProbeError> {
        let opened = within(self.options.timeout, self.open(completed)).await;
        self.quit(opened.map_err(|failure| MailProbeError(failure.into()))?).await;
        Ok(())
    }
}

/// Sends one message over an open connection (RFC 5321 section 3.3). On success the mail server is
/// responsible for it.
async fn send_message(
    connection: &mut AsyncSmtpConnection,
    message: &Message,
    completed: StepObserver<'_>,
) -> Result<(), Failure> {
    let envelope = message.envelope();
    let mut parameters = Vec::new();
    let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
    if !envelope.from().into_iter().chain(envelope.to()).all(is_ascii) {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Err(Failure::NoUnicodeAddress);
        }
        // The address appears in the header too, and both need SMTPUTF8 (RFC 6531 section 3.1).
        parameters.push(MailParameter::SmtpUtfEight);
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let sender = MailCommand::new(envelope.from().cloned(), parameters);
    expect(Step::Sender, 250, connection.command(sender).await)?;
    completed(Step::Sender);
    for address in envelope.to() {
        let answer = connection.command(Rcpt::new(address.clone(), Vec::new())).await;
        expect(Step::Recipient, 250, answer)?;
        completed(Step::Recipient);
    }
    expect(Step::Message, 354, connection.command(Data).await)?;
    expect(Step::Message, 250, connection.message(&message.formatted()).await)?;
    completed(Step::Message);
    Ok(())
}

/// Reads the one reply to a step. A reply injected before encryption began would shift all others by one and
/// be noticed.
fn expect(
    step: Step,
    code: u16,
    answer: Result<Response, lettre::transport::smtp::Error>,
) -> Result<(), Failure> {
    match answer {
        Ok(response) if response.has_code(code) => Ok(()),
        // 251: the recipient has moved, and the server forwards the message.
        Ok(response) if step == Step::Recipient && response.has_code(251) => Ok(()),
        Ok(_) => Err(Failure::UnexpectedReply(step)),
        Err(error) => Err(Failure::at(step, &error)),
    }
}

async fn within<T>(limit: Duration, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    timeout(limit, work).await.unwrap_or(Err(Failure::TooSlow(limit)))
}

#[cfg(test)]
mod tests;
