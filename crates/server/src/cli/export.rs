//! `restwell export`: everything that is kept of a person, in Restwell's own lines.
//!
//! A line has the members of the API, `type`, and the keys by which `restwell import` recognises the record.

use super::argument;
use crate::settings::Settings;
use crate::wiring::Session;
use anyhow::{Context, anyhow};
use application::export::{ExportItem, ExportRecords, ExportRecordsError, ExportSink, OutputClosed};
use clap::Args;
use domain::id::UserId;
use domain::scope::ScopeSet;
use domain::sleep::{SessionKeyKind, SleepSession};
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::User;
use http_adapter::data::dto::{Include, ProfileDto, SleepSessionDto, SupplementDetailsDto, SupplementLogDto};
use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// Whose data.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  restwell export --user USER_ID > ada.ndjson\n\n\
    docs/import/ndjson.md describes the lines.")]
pub(crate) struct ExportArguments {
    /// The person
    #[arg(long, value_name = "USER_ID", value_parser = argument::user_id)]
    user: UserId,
}

/// Writes the lines to standard output.
pub(crate) async fn run(arguments: &ExportArguments, settings: &Settings) -> anyhow::Result<()> {
    let Session { store, clock: _, entropy: _ } = Session::open(settings).await?;
    let export = ExportRecords::new(store.profiles, store.sleep, store.supplements);
    let mut lines = Lines { user_id: arguments.user, out: BufWriter::new(io::stdout()), failure: None };
    match export.run(arguments.user, &mut lines).await {
        Ok(()) => Ok(lines.out.flush()?),
        Err(ExportRecordsError::Closed(closed)) => {
            Err(lines.failure.map_or_else(|| anyhow!(closed), anyhow::Error::from))
                .context("the export is not complete")
        }
        Err(error) => Err(error).context("the export is not complete"),
    }
}

/// A line: what it is, and its members.
#[derive(Serialize)]
struct Line<T> {
    r#type: &'static str,
    #[serde(flatten)]
    members: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id_kind: Option<&'static str>,
}

impl<T> Line<T> {
    const fn new(r#type: &'static str, members: T) -> Self {
        Self { r#type, members, external_id: None, external_source: None, external_id_kind: None }
    }
}

fn profile(user: &User) -> Line<ProfileDto> {
    // What an app was granted is not the person's data.
    Line::new("profile", ProfileDto::new(user, ScopeSet::EMPTY))
}

fn session(session: &SleepSession) -> Line<SleepSessionDto> {
    let key = session.record.key();
    let kind = match key.kind() {
        SessionKeyKind::Given => "given",
        SessionKeyKind::Derived => "derived",
    };
    Line {
        external_id: Some(key.as_str().to_owned()),
        external_id_kind: Some(kind),
        ..Line::new("sleep_session", SleepSessionDto::new(session, Include::ALL))
    }
}

fn supplement(key: &CatalogueKey, supplement: &Supplement) -> Line<SupplementDetailsDto> {
    Line {
        external_id: Some(key.key().to_owned()),
        external_source: Some(key.source().to_owned()),
        ..Line::new("supplement", SupplementDetailsDto::new(supplement))
    }
}

fn log(log: &IntakeLog, user_id: UserId) -> Line<SupplementLogDto> {
    Line {
        external_id: log.record.external_key().map(str::to_owned),
        ..Line::new("supplement_log", SupplementLogDto::new(log, user_id))
    }
}

/// Writes records as lines.
struct Lines {
    user_id: UserId,
    out: BufWriter<io::Stdout>,
    failure: Option<io::Error>,
}

impl Lines {
    fn line(&mut self, line: &impl Serialize) -> Result<(), OutputClosed> {
        let written = serde_json::to_writer(&mut self.out, line).map_err(io::Error::from);
        written.and_then(|()| self.out.write_all(b"\n")).map_err(|error| {
            self.failure = Some(error);
            OutputClosed
        })
    }
}

impl ExportSink for Lines {
    fn write(&mut self, item: ExportItem) -> Result<(), OutputClosed> {
        match item {
            ExportItem::Profile(user) => self.line(&profile(&user)),
            ExportItem::Session(found) => self.line(&session(&found)),
            ExportItem::Supplement(found) => self.line(&supplement(&found.0, &found.1)),
            ExportItem::Log(found) => {
                let user_id = self.user_id;
                self.line(&log(&found, user_id))
            }
        }
    }
}
