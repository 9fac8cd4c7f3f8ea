//! Restwell's own line format: the members of the API, `type`, and the keys by which an import recognizes the
//! record.

use crate::data::profile::ProfileDto;
use crate::data::sleep::{Include, SleepSessionDto};
use crate::data::supplements::{SupplementDetailsDto, SupplementLogDto};
use application::export::{ExportItem, ExportNotWritten, ExportSection, ExportWriter};
use domain::id::UserId;
use domain::scope::ScopeSet;
use domain::sleep::{SessionKeyKind, SleepSession};
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::User;
use serde::Serialize;

/// One line: the type and the members.
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
    // Scopes granted to apps are not the person's data.
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

/// Writer of lines.
pub struct NdjsonExport {
    user_id: UserId,
    bytes: Vec<u8>,
}

impl NdjsonExport {
    /// Creates the writer for a person.
    pub const fn new(user_id: UserId) -> Self {
        Self { user_id, bytes: Vec::new() }
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), ExportNotWritten> {
        serde_json::to_writer(&mut self.bytes, line).map_err(|error| ExportNotWritten(error.to_string()))?;
        self.bytes.push(b'\n');
        Ok(())
    }
}

impl ExportWriter for NdjsonExport {
    /// A supplement precedes its logs, so that an import can resolve it.
    fn sections(&self) -> &'static [ExportSection] {
        &[ExportSection::Profile, ExportSection::Supplements, ExportSection::Sessions, ExportSection::Logs]
    }

    fn begin(&mut self, _: ExportSection) -> Result<(), ExportNotWritten> {
        Ok(())
    }

    fn write(&mut self, item: &ExportItem) -> Result<(), ExportNotWritten> {
        match item {
            ExportItem::Profile(user) => self.line(&profile(user)),
            ExportItem::Session(found) => self.line(&session(found)),
            ExportItem::Supplement(found) => self.line(&supplement(&found.0, &found.1)),
            ExportItem::Log(found) => self.line(&log(found, self.user_id)),
        }
    }

    fn finish(&mut self) -> Result<(), ExportNotWritten> {
        Ok(())
    }

    fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}
