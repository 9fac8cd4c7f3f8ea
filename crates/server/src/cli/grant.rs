//! `restwell grant`: listing and revoking grants.

use super::output::{self, PAGE, Record};
use super::user_ref::UserRef;
use crate::settings::Settings;
use crate::wiring::{Services, SharedClock};
use anyhow::bail;
use application::ports::storage::GrantFilter;
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use domain::grant::{Grant, GrantState};
use domain::id::{ClientId, GrantId};
use domain::scope::Scope;
use domain::time::format;
use serde_json::Value;

/// Commands about grants.
#[derive(Debug, Subcommand)]
pub(crate) enum GrantCommand {
    /// List grants, active and revoked
    #[command(
        after_help = "last_used_at is the latest refresh (to the hour) or read (to the minute). Reads are recorded \
        per app, not per grant. If an app has several grants for a person, a read is attributed to a grant that \
        was never refreshed only within an hour of its creation, and to a revoked grant only within an hour of its \
        last token."
    )]
    List(GrantArguments),
    /// Revoke grants; their tokens are rejected within two seconds
    #[command(after_help = "Example:\n  restwell grant revoke --client 3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48")]
    Revoke(GrantArguments),
}

/// Filters for grants; all given filters must match.
#[derive(Debug, Args)]
pub(crate) struct GrantArguments {
    /// Only grants of this user (id or email address)
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: Option<UserRef>,
    /// Only grants of this client
    #[arg(long, value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client: Option<ClientId>,
    /// Only this grant
    #[arg(long, value_name = "GRANT_ID", value_parser = GrantId::parse)]
    id: Option<GrantId>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl GrantArguments {
    const fn selects_all(&self) -> bool {
        self.user.is_none() && self.client.is_none() && self.id.is_none()
    }

    async fn filter(&self, services: &Services) -> anyhow::Result<GrantFilter> {
        let user_id = UserRef::id_of(self.user.as_ref(), services).await?;
        Ok(GrantFilter { user_id, client_id: self.client, id: self.id, created_before: None })
    }
}

/// Runs a command about grants.
pub(crate) async fn run(command: GrantCommand, settings: Settings, clock: SharedClock) -> anyhow::Result<()> {
    match command {
        GrantCommand::List(arguments) => list(&Services::open(settings, clock).await?, &arguments).await,
        GrantCommand::Revoke(arguments) if arguments.selects_all() => {
            bail!("choose the grants to revoke with --user, --client or --id")
        }
        GrantCommand::Revoke(arguments) => revoke(&Services::open(settings, clock).await?, &arguments).await,
    }
}

async fn list(services: &Services, arguments: &GrantArguments) -> anyhow::Result<()> {
    let filter = arguments.filter(services).await?;
    let grants = services.grants();
    let mut records = Vec::new();
    let mut after = None;
    loop {
        let page = grants.reader.list_grants(filter, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        let uses = grants.last_uses(&page).await?;
        records.extend(page.iter().zip(uses).map(|(grant, last_use)| record(grant, last_use)));
    }
    Ok(output::print_list(&records, "grants", arguments.json)?)
}

async fn revoke(services: &Services, arguments: &GrantArguments) -> anyhow::Result<()> {
    let grants = services.grants();
    let filter = arguments.filter(services).await?;
    let revoked = grants.revoke(filter).await?;
    // Grants that are already revoked are no error; a mistyped id is one.
    if revoked == 0 && grants.reader.list_grants(filter, None, 1).await?.is_empty() {
        bail!("no grant matches, so nothing was revoked; see `restwell grant list`");
    }
    Ok(output::print(&Record::new().with("revoked", revoked), arguments.json)?)
}

fn record(grant: &Grant, last_use: Option<DateTime<Utc>>) -> Record {
    let scopes: Vec<&str> = grant.scopes.iter().map(Scope::as_str).collect();
    let (status, revoked_at, reason) = match grant.state {
        GrantState::Live => ("live", Value::Null, Value::Null),
        GrantState::Revoked { at, reason } => ("revoked", format::utc(at).into(), reason.as_str().into()),
    };
    Record::new()
        .with_text("grant_id", grant.id)
        .with_text("client_id", grant.client_id)
        .with_text("user_id", grant.user_id)
        .with("scopes", scopes)
        .with("status", status)
        .with("created_at", format::utc(grant.created_at))
        .with("last_used_at", last_use.map(format::utc))
        .with("revoked_at", revoked_at)
        .with("reason", reason)
}
