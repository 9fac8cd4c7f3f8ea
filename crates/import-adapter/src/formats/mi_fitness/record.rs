//! The table of records: one row for each recording, with its stages.

use super::members::{Recording, value};
use super::recording::{self, RowContext};
use super::{clock, is_header_of_records};
use crate::input::{Fields, TableFormat};
use crate::json::LooseScalar;
use crate::source::{Items, Notes};
use domain::time::TimeZone;

const SLEEP: &str = "sleep";
/// Keys of the older app.
const OLD_NIGHT: &str = "watch_night_sleep";
const OLD_NAP: &str = "watch_daytime_sleep";

/// The table of records.
pub(super) struct Records;

impl TableFormat for Records {
    const COLUMNS: &'static [&'static str] = &["Key", "Time", "Value"];

    fn is_header(columns: &[String]) -> bool {
        is_header_of_records(columns)
    }

    /// Returns whether a row is about something else than sleep, such as steps.
    fn is_skipped(fields: &Fields<'_>) -> bool {
        let is_sleep =
            |key: &str| [SLEEP, OLD_NIGHT, OLD_NAP].iter().any(|name| name.eq_ignore_ascii_case(key));
        fields.get("Key").is_some_and(|key| !is_sleep(key))
    }

    fn read(fields: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        let mut notes = Notes::default();
        let outcome = value::<Recording>(fields).and_then(|recording| {
            let key = fields.get("Key").map(str::to_ascii_lowercase).ok_or("Key is missing")?;
            let is_nap = match key.as_str() {
                OLD_NIGHT => Some(false),
                OLD_NAP => Some(true),
                _ => None,
            };
            let time =
                fields.get("Time").map_or(LooseScalar::Absent, |time| LooseScalar::Text(time.to_owned()));
            let row = RowContext { end: clock::instant(&time), is_nap, is_old: key != SLEEP };
            recording::read(&recording, row, zone, &mut notes)
        });
        items.finish_session(place, notes, outcome);
    }
}
