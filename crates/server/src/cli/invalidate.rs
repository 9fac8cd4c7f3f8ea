//! `restwell invalidate`: invalidation of everything issued before a given time.

use super::argument;
use super::output::{self, Record};
use crate::settings::Settings;
use crate::wiring::{Services, SharedClock};
use anyhow::bail;
use application::credential::{Credentials, InvalidationError, InvalidationReport};
use chrono::{DateTime, Utc};
use clap::Args;

/// Time of the invalidation.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  restwell invalidate --before 2026-11-21T08:00:00Z --yes\n\n\
    Run it after restoring a backup, because anything revoked since the backup is valid again, or if someone may \
    have read the database. People then sign in and connect their apps again; passwords and client secrets stay \
    valid. It is safe to run it again.")]
pub(crate) struct InvalidateArguments {
    /// Time (RFC 3339); defaults to now
    #[arg(long, value_name = "TIME", value_parser = argument::moment)]
    before: Option<DateTime<Utc>>,
    /// Confirm the operation
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Invalidates everything issued before the time.
pub(crate) async fn run(
    arguments: &InvalidateArguments,
    settings: Settings,
    clock: SharedClock,
) -> anyhow::Result<()> {
    if !arguments.yes {
        bail!(
            "this invalidates every grant, session, personal token, code, link and signing key created before that time; \
             add --yes to confirm"
        );
    }
    let services = Services::open(settings, clock).await?;
    let ring = services.keys().await?.ring;
    let before = arguments.before.unwrap_or_else(|| services.clock.now());
    let credentials =
        Credentials { keys: services.signing_keys(), profiles: services.store.profiles.clone() };
    let report = credentials.invalidate(&*ring, before).await;
    let InvalidationReport { keys, sessions, password_links, consents, codes, grants, personal_tokens } =
        report.map_err(explained)?;
    let retired = keys.map_or(0, |rotation| rotation.retired.len());
    let record = Record::new()
        .with("grants", grants)
        .with("personal_tokens", personal_tokens)
        .with("sessions", sessions)
        .with("codes", codes)
        .with("password_links", password_links)
        .with("remembered_consents", consents)
        .with("signing_keys", retired);
    Ok(output::print(&record, arguments.json)?)
}

/// Adds advice to an error: a time in the future changed nothing; after any other error a part may be
/// invalidated.
fn explained(error: InvalidationError) -> anyhow::Error {
    let is_half_done = matches!(error, InvalidationError::Storage(_));
    let error = anyhow::Error::from(error);
    if is_half_done {
        error.context("not everything was invalidated; run the command again")
    } else {
        error.context("nothing was invalidated")
    }
}
