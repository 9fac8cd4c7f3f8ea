//! The section `mail`.

use super::problem::Problem;
use super::public_url::PublicUrl;
use super::secret_text::SecretText;
use super::section::{SettingValue, section};
use serde::Deserialize;
use smtp_adapter::{Encryption, Sender, SmtpCredentials, SmtpOptions, is_loopback_host};
use std::net::IpAddr;
use std::path::PathBuf;
use url::{Host, Url};
use zeroize::Zeroizing;

section! {
    /// The email server that sends password links and account notices.
    MailSettings("mail") {
        /// Email server; its certificate must be for this name. Without it no email is sent.
        host: Option<String> = None, "name or IP address", "smtp.example.org";
        /// Default: 465 with `implicit`, 587 with `starttls`, 25 with `none`.
        port: Option<u16> = None, "port", "587";
        /// TLS from the start (`implicit`), by a STARTTLS that must succeed (`starttls`), or `none`, which
        /// requires an email server on this machine.
        tls: MailEncryption = Some("implicit"), "implicit, starttls or none", "starttls";
        /// User name at the email server, if it requires one.
        username: Option<String> = None, "text", "restwell";
        /// Password of `mail.username`.
        password: Option<SecretText> = None, "text", "...";
        /// File that contains `mail.password`.
        password_file: Option<PathBuf> = None, "path", "/run/secrets/restwell-mail-password";
        /// Sender. Default: `Restwell <restwell@HOST>` with the host of `server.public_url`; required if that
        /// is an IP address.
        from: Option<String> = None, "address or Name <address>", "Restwell <no-reply@example.org>";
    }
}

/// Encryption of the connection to the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MailEncryption {
    /// TLS from the start.
    Implicit,
    /// STARTTLS.
    StartTls,
    /// No encryption.
    None,
}

impl SettingValue for MailEncryption {
    const KIND: &'static str = "implicit, starttls or none";

    fn format_value(&self) -> String {
        match self {
            Self::Implicit => "implicit".to_owned(),
            Self::StartTls => "starttls".to_owned(),
            Self::None => "none".to_owned(),
        }
    }
}

impl MailEncryption {
    const fn to_option(self) -> Encryption {
        match self {
            Self::Implicit => Encryption::Implicit,
            Self::StartTls => Encryption::StartTls,
            Self::None => Encryption::None,
        }
    }
}

impl MailSettings {
    /// Returns whether a mail server is configured.
    pub(crate) fn is_set(&self) -> bool {
        self.server().is_some()
    }

    fn server(&self) -> Option<&str> {
        self.host.as_deref().filter(|host| !host.is_empty())
    }

    /// Returns the options for sending email, for a server with this public URL; `None` if no mail server is
    /// configured.
    pub(crate) fn options(&self, public_url: &PublicUrl) -> Result<Option<SmtpOptions>, Problem> {
        let Some(host) = self.server() else { return Ok(None) };
        let encryption = self.tls.to_option();
        let public_host = host_of(public_url);
        let sender = match &self.from {
            Some(from) => {
                Sender::parse(from).map_err(|error| Problem::new("mail.from", format!("is {error}")))?
            }
            None => Sender::for_host(&public_host).map_err(|_| {
                let text =
                    "must be set, because the host of the public URL is not a name that email can be sent from";
                Problem::new("mail.from", text)
            })?,
        };
        Ok(Some(SmtpOptions {
            host: host.to_owned(),
            port: self.port.unwrap_or(encryption.usual_port()),
            encryption,
            credentials: self.credentials()?,
            sender,
            public_host,
            timeout: SmtpOptions::TIMEOUT,
        }))
    }

    fn credentials(&self) -> Result<Option<SmtpCredentials>, Problem> {
        match (&self.username, &self.password) {
            (Some(user_name), Some(password)) => Ok(Some(SmtpCredentials {
                user_name: user_name.clone(),
                password: Zeroizing::new(password.expose().to_owned()),
            })),
            (None, None) => Ok(None),
            (Some(_), None) => Err(Problem::new("mail.password", "must be set, since mail.username is")),
            (None, Some(_)) => Err(Problem::new("mail.username", "must be set, since mail.password is")),
        }
    }

    /// Returns the invalid settings; none if no mail server is configured.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let Some(host) = self.server() else { return Vec::new() };
        let is_host = host.parse::<IpAddr>().is_ok() || Host::parse(host).is_ok();
        let no_host =
            || Problem::new("mail.host", "is neither a name nor an IP address; the port is mail.port");
        let is_readable_on_the_way = self.tls == MailEncryption::None && !is_loopback_host(host);
        let in_clear = || Problem::new("mail.tls", "can be none only for a mail server on this machine");
        let from = self.from.as_deref().and_then(|from| Sender::parse(from).err());
        [
            (!is_host).then(no_host),
            (self.port == Some(0)).then(|| Problem::new("mail.port", "must be between 1 and 65535")),
            is_readable_on_the_way.then(in_clear),
            self.credentials().err(),
            from.map(|error| Problem::new("mail.from", format!("is {error}"))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

fn host_of(public_url: &PublicUrl) -> String {
    let url = Url::parse(public_url.as_str()).ok();
    url.as_ref().and_then(Url::host_str).unwrap_or("localhost").to_owned()
}

#[cfg(test)]
mod tests;
