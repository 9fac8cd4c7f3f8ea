//! `restwell audit`: events and reads.

use super::argument;
use super::output::{self, PAGE, Record};
use super::user_ref::UserRef;
use crate::wiring::Services;
use application::audit::ReaderName;
use application::ports::storage::AuditFilter;
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use domain::audit::{AuditEvent, AuditKind};
use domain::id::ClientId;
use domain::read_tally::{ReadTally, Reader, RequestedRange};
use domain::time::format;
use uuid::Uuid;

/// Commands about the audit trail.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// List events about accounts, clients, grants, tokens, keys and data, latest first
    #[command(
        after_help = "Example:\n  restwell audit list --kind grant.revoked --since 2026-11-01T00:00:00Z"
    )]
    List(ListArguments),
    /// List who read a user's data, grouped by minute, latest first; never the data itself
    Reads(ReadsArguments),
}

/// Filters for events.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only events about this user (id or email address)
    #[arg(long, value_name = "USER", value_parser = UserRef::parse, allow_hyphen_values = true)]
    user: Option<UserRef>,
    /// Only events about this client
    #[arg(long, value_name = "CLIENT_ID", value_parser = ClientId::parse)]
    client: Option<ClientId>,
    /// Only events of this kind, such as `session.signed_in`
    #[arg(long, value_name = "KIND", value_parser = argument::audit_kind)]
    kind: Option<AuditKind>,
    /// Only events at or after this time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = argument::moment)]
    since: Option<DateTime<Utc>>,
    /// Maximum number of entries
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: u32,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Filters for reads.
#[derive(Debug, Args)]
pub(crate) struct ReadsArguments {
    /// User id or email address
    #[arg(value_name = "USER", value_parser = UserRef::parse)]
    user: UserRef,
    /// Maximum number of entries
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: u32,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Runs a command about the audit trail.
pub(crate) async fn run(command: AuditCommand, services: &Services) -> anyhow::Result<()> {
    match command {
        AuditCommand::List(arguments) => list(services, &arguments).await,
        AuditCommand::Reads(arguments) => reads(services, &arguments).await,
    }
}

async fn list(services: &Services, arguments: &ListArguments) -> anyhow::Result<()> {
    let ListArguments { user, client, kind, since, limit, json } = arguments;
    let user_id = UserRef::id_of(user.as_ref(), services).await?;
    let filter =
        AuditFilter { user_id, client_id: *client, kinds: kind.map(AuditKind::as_slice), since: *since };
    let (mut records, mut after) = (Vec::new(), None);
    while let Some(wanted) = remaining(*limit, records.len()) {
        let events = services.store.audit.list_events(filter, after, wanted.min(PAGE)).await?;
        let Some(last) = events.last() else { break };
        after = Some((last.at, last.id));
        records.extend(events.iter().map(event_record));
    }
    Ok(output::print_list(&records, "events", *json)?)
}

async fn reads(services: &Services, arguments: &ReadsArguments) -> anyhow::Result<()> {
    let user_id = arguments.user.id(services).await?;
    let page = services.list_reads();
    let (mut records, mut after) = (Vec::new(), None);
    while let Some(wanted) = remaining(arguments.limit, records.len()) {
        let found = page.run(user_id, after, wanted.min(PAGE)).await?;
        records.extend(found.reads.into_iter().map(|read| read_record(read.tally, read.reader_name)));
        after = found.next;
        if after.is_none() {
            break;
        }
    }
    Ok(output::print_list(&records, "reads", arguments.json)?)
}

/// Returns how many entries are still missing; `None` if the limit is reached.
fn remaining(limit: u32, have: usize) -> Option<u32> {
    let have = u32::try_from(have).unwrap_or(u32::MAX);
    limit.checked_sub(have).filter(|left| *left > 0)
}

fn event_record(event: &AuditEvent) -> Record {
    let AuditEvent { id, at, kind, actor, user_id, client_id, subject, count, scopes, address, device } =
        event;
    Record::new()
        .with("at", format::utc(*at))
        .with("kind", kind.as_str())
        .with("actor", actor.as_str())
        .with("user_id", user_id.map(|id| id.to_string()))
        .with("client_id", client_id.map(|id| id.to_string()))
        .with("subject", subject.as_ref().map(Uuid::to_string))
        .with("count", *count)
        .with("scopes", scopes.map(|scopes| scopes.to_string()))
        .with("address", address.map(|address| address.to_string()))
        .with("browser", device.map(|device| device.to_string()))
        .with_text("event_id", id)
}

fn read_record(tally: ReadTally, name: Option<ReaderName>) -> Record {
    let ReadTally { key, requests, items, range: RequestedRange { from, to } } = tally;
    let (reader, reader_id) = match key.reader {
        Reader::Client(id) => ("client", id.to_string()),
        Reader::PersonalToken(id) => ("personal_token", id.to_string()),
    };
    let name = name.map(|name| match name {
        ReaderName::Client(name) => name.as_str().to_owned(),
        ReaderName::PersonalToken(name) => name.as_str().to_owned(),
    });
    Record::new()
        .with("minute", format::utc(key.minute))
        .with("reader", reader)
        .with("reader_id", reader_id)
        .with("name", name)
        .with("read", key.kind.as_str())
        .with("requests", requests)
        .with("items", items)
        .with("from", from.map(format::utc))
        .with("to", to.map(format::utc))
}
