//! Google Fit: `*_SLEEP.json`, sessions of its Takeout export.
//!
//! The rules are in `README.md` next to this file.

mod file_name;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod members;
mod night;

use crate::formats::{Format, FormatInfo};
use crate::input::Cursor;
use crate::json::{Document, Layout, decode};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use file_name::NamedStart;
use members::Session;
use night::Clock;

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "google-fit",
    file: "a Google Fit file",
    maker: "Google Fit",
    steps: &[
        "Open takeout.google.com with your Google account.",
        "Choose “Deselect all”, then select “Fit”.",
        "Choose “Next step”, then “Export once” as .zip, with the largest size.",
        "When the email arrives, download the ZIP file and upload it as it is.",
    ],
    files: "`*_SLEEP.json` of the folder of all sessions, the Takeout zip",
    result: "nights with stages (asleep, awake)",
    recognise,
    tables: &[],
    others: &[],
};

/// Activity of a session of sleep.
const SLEEP: &str = "sleep";

/// Recognises a session of sleep; those of other activities have the same members.
fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let sketch = seen.json()?;
    let activity = sketch.member("fitnessActivity").and_then(Sketch::text)?;
    let is_sleep = activity.trim().eq_ignore_ascii_case(SLEEP);
    if !is_sleep || !(sketch.has("startTime") || sketch.has("endTime")) {
        return None;
    }
    let named_start = NamedStart::parse(seen.json_name());
    Some(RecognisedFile::new(Format::GoogleFit, move |bytes, context| {
        let document = Document::new(Cursor::new(bytes)?, Layout::Row);
        Ok(SessionReader { document, clock: Clock { zone: context.zone, named_start } })
    }))
}

/// Reads a file of one session, or of several in sequence.
struct SessionReader {
    document: Document,
    clock: Clock,
}

impl RecordReader for SessionReader {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(record) = self.document.next_record()? else { return Ok(false) };
        let place = record.place();
        match decode::<Session>(record.text) {
            Err(reason) => items.reject(&place, reason),
            Ok(session) if session.activity.word().as_deref() != Some(SLEEP) => {
                items.reject(&place, "fitnessActivity is not sleep");
            }
            Ok(session) => {
                let mut notes = Notes::default();
                let outcome = night::read(&session, self.clock, &mut notes);
                items.finish_session(&place, notes, outcome);
            }
        }
        Ok(true)
    }

    fn check_record(&mut self) -> Result<bool, ImportRefusal> {
        Ok(self.document.next_record()?.is_some())
    }

    fn bytes_read(&self) -> u64 {
        self.document.bytes_read()
    }
}

#[cfg(test)]
mod tests;
