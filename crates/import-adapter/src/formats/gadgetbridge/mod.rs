//! Gadgetbridge: the tables of sleep in its exported database.
//!
//! The rules are in `README.md` next to this file.

mod family;
#[cfg(any(test, feature = "test-support"))]
pub(super) mod fixtures;
mod garmin;
mod huami;
mod load;
mod night;
mod stage;

use crate::database::{Database, Schema};
use crate::formats::{Format, FormatInfo};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::source::{Items, Notes, RecordReader};
use application::ports::import_source::ImportRefusal;
use domain::time::TimeZone;
use family::Family;
use load::{Devices, Loaded};

/// The format.
pub(super) const FORMAT: FormatInfo = FormatInfo {
    name: "gadgetbridge",
    file: "a Gadgetbridge database",
    maker: "Gadgetbridge",
    steps: &[
        "In Gadgetbridge’s menu, open Data management, then Export and Import.",
        "Export the data. The page names the folder.",
        "Upload the file Gadgetbridge from that folder.",
    ],
    files: "the exported database, or the zip",
    result: "nights with stages",
    recognise,
    tables: &[],
    others: &[],
};

/// Recognises the tables of devices and users, and those of at least one kind of watch.
fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let schema = seen.database()?;
    let has_sleep = Family::ALL.iter().any(|family| schema.has(family.table()));
    (schema.has("DEVICE") && schema.has("USER") && has_sleep).then(|| {
        RecognisedFile::new(Format::Gadgetbridge, |bytes, context| {
            let database = Database::open(bytes, context.scratch.as_deref())?;
            let schema = database.schema()?;
            let devices = Devices::load(&database, &schema)?;
            let families = Family::ALL.iter();
            let loaded = Loaded::default();
            Ok(Tables { database, schema, devices, zone: context.zone, families, loaded, number: 0 })
        })
    })
}

/// Reads the tables of one kind of watch after the other.
struct Tables {
    database: Database,
    schema: Schema,
    devices: Devices,
    zone: TimeZone,
    families: std::slice::Iter<'static, Family>,
    loaded: Loaded,
    /// Number of sessions so far.
    number: u64,
}

impl Tables {
    /// Loads the tables of the next kind of watch; `false` after the last.
    fn load_next(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        self.loaded.stages.report(items);
        let Some(family) = self.families.next() else {
            if self.number == 0 {
                self.database.note_no_record(items);
                items.note(
                    "the database",
                    "it has no sleep of a kind of watch that can be imported; synchronise the watch, then export again",
                );
            }
            return Ok(false);
        };
        self.loaded = Loaded::load(*family, &self.database, &self.schema)?;
        Ok(true)
    }
}

impl RecordReader for Tables {
    fn read_record(&mut self, items: &mut Items) -> Result<bool, ImportRefusal> {
        let Some(night) = self.loaded.next_night() else {
            return self.load_next(items);
        };
        self.number = self.number.saturating_add(1);
        let mut notes = Notes::default();
        let outcome = night::read(&night, &mut self.loaded.stages, &self.devices, self.zone, &mut notes);
        items.finish_session(&format!("record {}", self.number), notes, outcome);
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        self.database.size()
    }
}

#[cfg(test)]
mod tests;
