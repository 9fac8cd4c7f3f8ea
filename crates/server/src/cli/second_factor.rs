//! `restwell user second-factor`: recovery for people who lost their second factor.

use super::output::{self, Record};
use super::user::OneArguments;
use crate::wiring::Services;
use anyhow::Context;
use application::second_factor::reset_second_factor;
use application::session::EndedSignIns;
use clap::Subcommand;

/// Commands about the second factor of a user.
#[derive(Debug, Subcommand)]
pub(crate) enum SecondFactorCommand {
    /// Turn off the second factor of a user who lost it; end all sign-ins and unused password links
    #[command(after_help = "Example:\n  restwell user second-factor reset ada@example.org\n\n\
        The password stays the same. Verify who is asking before you run this.")]
    Reset(OneArguments),
}

/// Runs a command about second factors.
pub(super) async fn run(command: SecondFactorCommand, services: &Services) -> anyhow::Result<()> {
    let SecondFactorCommand::Reset(OneArguments { user, json }) = command;
    let user_id = user.id(services).await?;
    let mail = services.queue_mail().await?;
    let ended = reset_second_factor(&services.audited(), mail.as_ref(), user_id).await;
    let EndedSignIns { sessions, links } = ended.context("nothing was reset")?;
    let record = Record::new()
        .with_text("user_id", user_id)
        .with("sessions_ended", sessions)
        .with("password_links_ended", links);
    Ok(output::print(&record, json)?)
}
