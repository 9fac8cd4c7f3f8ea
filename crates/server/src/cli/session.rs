//! `restwell session`: signed-in browsers.

use super::credentials::{self, ExposedAccount};
use super::output::{self, Record};
use super::user_ref::UserRef;
use crate::wiring::Services;
use anyhow::bail;
use application::session::{AccountActor, EndedSignIns};
use clap::{Args, Subcommand};
use domain::id::SessionId;
use domain::time::format;

/// Commands about sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List the browsers in which a user is signed in
    List(ListArguments),
    /// Sign a user out of one browser, or of all, with unused password links; prints what stays valid
    #[command(after_help = "Example:\n  restwell session revoke ada@example.org")]
    Revoke(RevokeArguments),
}

/// User whose sessions are listed.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// User id or email address
    #[arg(value_name = "USER", value_parser = UserRef::parse)]
    user: UserRef,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Sessions to revoke.
#[derive(Debug, Args)]
pub(crate) struct RevokeArguments {
    /// User id or email address
    #[arg(value_name = "USER", value_parser = UserRef::parse)]
    user: UserRef,
    /// Only this session, an id from `restwell session list`
    #[arg(long, value_name = "SESSION_ID", value_parser = SessionId::parse)]
    id: Option<SessionId>,
    /// Also remove all passkeys, if somebody else may have signed in
    #[arg(long, conflicts_with = "id")]
    remove_passkeys: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs a command about sessions.
pub(crate) async fn run(command: SessionCommand, services: &Services) -> anyhow::Result<()> {
    match command {
        SessionCommand::List(arguments) => list(services, &arguments).await,
        SessionCommand::Revoke(arguments) => revoke(services, &arguments).await,
    }
}

async fn list(services: &Services, arguments: &ListArguments) -> anyhow::Result<()> {
    let sessions = services.sessions().list(arguments.user.id(services).await?).await?;
    let records: Vec<Record> = sessions
        .iter()
        .map(|found| {
            Record::new()
                .with_text("session_id", found.id)
                .with("method", found.method.as_str())
                .with("browser", found.device.map(|device| device.to_string()))
                .with("address", found.address.map(|address| address.to_string()))
                .with("first_seen_at", format::utc(found.first_seen_at))
                .with("signed_in_at", format::utc(found.authenticated_at))
                .with("last_seen_at", format::utc(found.last_seen_at))
        })
        .collect();
    Ok(output::print_list(&records, "sign-ins", arguments.json)?)
}

async fn revoke(services: &Services, arguments: &RevokeArguments) -> anyhow::Result<()> {
    let user_id = arguments.user.id(services).await?;
    let (service, actor) = (services.sessions(), AccountActor::Operator(user_id));
    let EndedSignIns { sessions, links } = if let Some(id) = arguments.id {
        if !service.end(actor, id).await? {
            bail!("user {user_id} has no session {id}; see `restwell session list {user_id}`");
        }
        EndedSignIns { sessions: 1, links: 0 }
    } else {
        let Some(ended) = service.end_all(actor, None).await? else {
            bail!("there is no user {user_id}; see `restwell user list`");
        };
        ended
    };
    let record = Record::new().with("revoked", sessions).with("password_links_ended", links);
    // After the sessions: their number is that of all.
    let record = if arguments.remove_passkeys {
        credentials::remove_passkeys(services, user_id, record).await?
    } else {
        record
    };
    let account = ExposedAccount { user_id, is_password_known: true };
    let record = credentials::with_remaining(services, account, record).await?;
    Ok(output::print(&record, arguments.json)?)
}
