//! `restwell mail`: test of the mail server.

use super::output::{self, Record};
use crate::settings::Settings;
use crate::wiring;
use anyhow::{Context, bail};
use application::ports::system::{MailProbeError, MailStep};
use clap::{Args, Subcommand};
use domain::user::Email;
use smtp_adapter::{Encryption, SmtpOptions};

/// Commands about email.
#[derive(Debug, Subcommand)]
pub(crate) enum MailCommand {
    /// Send a test message through the configured mail server, and report each step
    #[command(after_help = "Example:\n  restwell mail test ada@example.org\n\n\
        Needs no store and no running server. The exit code is 0 if the mail server accepted the message.")]
    Test(TestArguments),
}

/// Recipient of the test message.
#[derive(Debug, Args)]
pub(crate) struct TestArguments {
    /// Email address of the recipient
    #[arg(value_name = "ADDRESS", value_parser = Email::parse)]
    address: Email,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs a command about email.
pub(crate) async fn run(command: MailCommand, settings: &Settings) -> anyhow::Result<()> {
    let MailCommand::Test(TestArguments { address, json }) = command;
    let public_url = settings.server.public_url()?;
    let Some(options) = settings.mail.options(&public_url)? else {
        bail!("no mail server is configured; set mail.host");
    };
    let server = format!("{}:{}", options.host, options.port);
    let report = |step| output::note(sentence(step, &options, &server));
    let test = wiring::test_mail(options.clone(), settings, &public_url)?;
    let sent = test.run(&address, &report).await;
    sent.map_err(|MailProbeError(reason)| anyhow::Error::from_boxed(reason))
        .context("the test message was not sent")?;
    Ok(output::print(&Record::new().with("accepted_by", server), json)?)
}

/// Describes a completed step.
fn sentence(step: MailStep, options: &SmtpOptions, server: &str) -> String {
    match step {
        MailStep::Connect if options.encryption == Encryption::Implicit => {
            format!("connected to {server}, encrypted")
        }
        MailStep::Connect => format!("connected to {server}"),
        MailStep::StartTls => "encrypted the connection with STARTTLS".to_owned(),
        MailStep::SignIn => "signed in".to_owned(),
        MailStep::Sender => format!("the mail server accepts the sender {}", options.sender),
        MailStep::Recipient => "the mail server accepts the recipient".to_owned(),
        MailStep::Message => "the mail server accepted the message".to_owned(),
    }
}
