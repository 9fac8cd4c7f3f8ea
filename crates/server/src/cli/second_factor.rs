//! `restwell user second-factor`: recovery for people who lost their second factor.

use super::output::{self, Record};
use super::password::mail_parts;
use super::user_ref::UserRef;
use crate::settings::Settings;
use crate::wiring::Session;
use anyhow::Context;
use application::account::EndedSignIns;
use application::second_factor::reset_second_factor;
use clap::{Args, Subcommand};

/// Commands about the second factor of a user.
#[derive(Debug, Subcommand)]
pub(crate) enum SecondFactorCommand {
    /// Turn off the second factor of a user who lost it; end all sign-ins and unused password links
    #[command(after_help = "Example:\n  restwell user second-factor reset ada@example.org\n\n\
        The password stays the same. Verify who is asking before you run this.")]
    Reset(ResetArguments),
}

/// User whose second factor is reset.
#[derive(Debug, Args)]
pub(crate) struct ResetArguments {
    /// User id or email address
    #[arg(value_name = "USER", value_parser = UserRef::parse)]
    user: UserRef,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs a command about second factors.
pub(super) async fn run(
    command: SecondFactorCommand,
    session: &Session,
    settings: &Settings,
) -> anyhow::Result<()> {
    let SecondFactorCommand::Reset(ResetArguments { user, json }) = command;
    let user_id = user.id(session).await?;
    let mail = mail_parts(session, settings).await?.map(|mail| mail.queue);
    let ended = reset_second_factor(&session.audited(), mail.as_ref(), user_id).await;
    let EndedSignIns { sessions, links } = ended.context("nothing was reset")?;
    let record = Record::new()
        .with_text("user_id", user_id)
        .with("sessions_ended", sessions)
        .with("password_links_ended", links);
    Ok(output::print(&record, json)?)
}
