//! Restwell's NDJSON: one object per line, with `type` and the members of the API.
//!
//! The format is defined in `README.md` next to this file.

#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod intake_log;
mod invalid_item;
mod line;
mod member;
mod owner;
mod profile;
mod session;
mod supplement;
mod user;

pub(crate) use invalid_item::InvalidItem;

use crate::formats::{Format, FormatInfo};
use crate::input::{Cursor, Position};
use crate::json::{LooseScalar, check};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::{ImportItem, ImportRefusal};
use application::ports::ingest_source::IngestedUser;
use domain::id::UserId;
use line::read_members;
use serde::Deserialize;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "ndjson",
    file: "a Restwell export (ndjson)",
    maker: "Another Restwell server",
    steps: &[
        "Sign in to the other Restwell server.",
        "Download your data there as JSON lines.",
        "Upload that file here.",
    ],
    files: "what `restwell export` writes, except its zip of tables",
    result: "everything",
    recognise,
    tables: &[],
    others: &[],
};

const PROFILE: &str = "profile";
const SESSION: &str = "sleep_session";
const SUPPLEMENT: &str = "supplement";
const LOG: &str = "supplement_log";

/// Recognises lines by the `type` of the first.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let is_own = |text: &str| [PROFILE, SESSION, SUPPLEMENT, LOG].contains(&text);
    let first_is_own = |line: &Sketch| line.member("type").and_then(Sketch::text).is_some_and(is_own);
    let is_lines = match seen {
        FilePreview::Json(line @ Sketch::Object(_), _) => named || first_is_own(line),
        FilePreview::Empty => named,
        _ => false,
    };
    is_lines.then(|| {
        RecognisedFile::new(Format::Ndjson, |bytes, context| {
            Ok(Ndjson::new(Cursor::new(bytes)?, context.user_id))
        })
    })
}

/// Reads lines.
pub(crate) struct Ndjson {
    cursor: Cursor,
    user_id: Option<UserId>,
    line: Vec<u8>,
}

impl Ndjson {
    pub(crate) const fn new(cursor: Cursor, user_id: Option<UserId>) -> Self {
        Self { cursor, user_id, line: Vec::new() }
    }

    /// Reads the next non-blank line and returns its position; `None` at the end of the file.
    fn next_line(&mut self) -> Result<Option<Position>, ImportRefusal> {
        loop {
            let start = self.cursor.place();
            if self.cursor.read_line(&mut self.line)?.is_none() {
                return Ok(None);
            }
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(start));
            }
        }
    }

    fn read_line(&self, start: Position, items: &mut Items) -> Result<(), ImportRefusal> {
        let place = format!("line {}", start.line);
        if let Some((session, notes)) = session_at_once(&self.line, self.user_id, &place) {
            items.finish(&place, notes, Ok(session));
            return Ok(());
        }
        let text = check(&self.line, start)?;
        owner::refuse_other(text, start, self.user_id)?;
        let mut notes = Notes::default();
        let outcome = self.item(text, &place, &mut notes).map_err(|invalid| invalid.reason);
        items.finish(&place, notes, outcome);
        Ok(())
    }

    fn item(&self, text: &str, place: &str, notes: &mut Notes) -> Result<ImportItem, InvalidItem> {
        if !text.trim_start().starts_with('{') {
            return Err(InvalidItem::not_an_object());
        }
        let kind: Kind =
            serde_json::from_str(text).map_err(|error| InvalidItem::of_types::<Kind>(&error, text))?;
        match kind.r#type.as_str() {
            Some(PROFILE) => read_profile(text, self.user_id, place, notes),
            Some(SESSION) => read_session(text, self.user_id, place, notes),
            Some(SUPPLEMENT) => read_supplement(text, place, notes),
            Some(LOG) => read_log(text, self.user_id, place, notes),
            _ => Err(invalid_item::at("type")(format!(
                "type is not one of {PROFILE}, {SESSION}, {SUPPLEMENT} and {LOG}"
            ))),
        }
    }
}

/// Parses a line that begins as a session and is valid; `None` for any other line.
///
/// Sessions are by far the most and the longest lines, so this fast path skips the check for unknown members.
fn session_at_once(line: &[u8], user_id: Option<UserId>, place: &str) -> Option<(ImportItem, Notes)> {
    let text = std::str::from_utf8(line).ok()?;
    let member = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"type\"")?;
    let value = member.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    value.strip_prefix(SESSION).filter(|rest| rest.starts_with('"'))?;
    let mut notes = Notes::default();
    let session = read_session(text, user_id, place, &mut notes).ok()?;
    Some((session, notes))
}

/// Parses a profile.
pub(crate) fn read_profile(
    text: &str,
    user_id: Option<UserId>,
    place: &str,
    notes: &mut Notes,
) -> Result<ImportItem, InvalidItem> {
    profile::read(&read_members(text, notes)?, user_id, place).map(ImportItem::Profile)
}

/// Parses a session.
pub(crate) fn read_session(
    text: &str,
    user_id: Option<UserId>,
    place: &str,
    notes: &mut Notes,
) -> Result<ImportItem, InvalidItem> {
    let line = match session::known_members(text) {
        Some(line) => line,
        None => read_members(text, notes)?,
    };
    session::read(&line, user_id, place, notes).map(ImportItem::Session)
}

/// Parses a label.
pub(crate) fn read_supplement(text: &str, place: &str, notes: &mut Notes) -> Result<ImportItem, InvalidItem> {
    supplement::read(read_members(text, notes)?, place).map(ImportItem::Supplement)
}

/// Parses an intake.
pub(crate) fn read_log(
    text: &str,
    user_id: Option<UserId>,
    place: &str,
    notes: &mut Notes,
) -> Result<ImportItem, InvalidItem> {
    intake_log::read(read_members(text, notes)?, user_id, place).map(ImportItem::Log)
}

/// Parses a person.
pub(crate) fn read_user(text: &str, notes: &mut Notes) -> Result<Box<IngestedUser>, InvalidItem> {
    user::read(&read_members(text, notes)?)
}

/// The member with the line's type.
#[derive(Debug, Deserialize)]
struct Kind {
    #[serde(default)]
    r#type: LooseScalar,
}

impl RecordReader for Ndjson {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(start) = self.next_line()? else { return Ok(false) };
        self.read_line(start, items)?;
        Ok(true)
    }

    /// Reads only `user_id`: a file is rejected as a whole only for invalid JSON and for another person's
    /// lines.
    fn check_record(&mut self) -> Result<bool, ImportRefusal> {
        let Some(start) = self.next_line()? else { return Ok(false) };
        let text = check(&self.line, start)?;
        owner::refuse_other(text, start, self.user_id).map(|()| true)
    }

    fn bytes_read(&self) -> u64 {
        self.cursor.total()
    }
}

#[cfg(test)]
mod tests;
