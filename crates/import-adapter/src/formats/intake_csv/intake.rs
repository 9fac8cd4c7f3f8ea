//! Conversion of a row to an intake.

use crate::input::{Fields, has_columns};
use crate::local_time::{LocalTime, SKIPPED_TIME_NOTE};
use crate::source::Notes;
use crate::upc::placeholder_id;
use application::ports::import_source::ImportedLog;
use chrono::{DateTime, Utc};
use domain::id::SupplementId;
use domain::supplement::{IntakeLogRecord, Servings, Upc};
use domain::time::TimeZone;

pub(super) const CREATED_AT: &str = "created_at";
pub(super) const SERVINGS: &str = "servings";
pub(super) const SUPPLEMENT_ID: &str = "supplement_id";
pub(super) const UPC: &str = "upc";

/// One row.
pub(super) struct Intake<'a>(pub(super) &'a Fields<'a>);

impl Intake<'_> {
    /// Converts the row, or returns why it is invalid; `zone` applies to times without an offset.
    pub(super) fn log(
        &self,
        place: &str,
        zone: TimeZone,
        notes: &mut Notes,
    ) -> Result<Box<ImportedLog>, String> {
        let created_at = self.created_at(zone, notes)?;
        let servings = self.required(SERVINGS)?.parse().map_err(|_| "servings is not a number".to_owned())?;
        let servings = Servings::new(servings).map_err(|error| error.to_string())?;
        let (supplement, upc) = self.supplement()?;
        let record = IntakeLogRecord::new(supplement, created_at, servings, None)
            .map_err(|error| error.to_string())?;
        Ok(Box::new(ImportedLog { place: place.to_owned(), file: 0, id: None, upc, record }))
    }

    fn required(&self, name: &str) -> Result<&str, String> {
        self.0.get(name).ok_or_else(|| format!("{name} is missing"))
    }

    /// Parses `2026-01-10T22:00:00Z` and `2026-01-10 22:00`.
    fn created_at(&self, zone: TimeZone, notes: &mut Notes) -> Result<DateTime<Utc>, String> {
        let text = self.required(CREATED_AT)?.replacen(' ', "T", 1);
        let local = LocalTime::parse(&text);
        if local.is_some_and(|local| local.is_skipped(zone)) {
            notes.add_once(SKIPPED_TIME_NOTE);
        }
        let time = local.and_then(|time| time.resolve(zone));
        time.map(|(instant, _)| instant).ok_or_else(|| {
            "created_at is not a date and time, such as 2026-01-10T22:00:00+01:00 or 2026-01-10 22:00"
                .to_owned()
        })
    }

    /// Returns the id, or a placeholder for the product code, and the code.
    fn supplement(&self) -> Result<(SupplementId, Option<Upc>), String> {
        match (self.0.get(SUPPLEMENT_ID), self.0.get(UPC)) {
            (Some(_), Some(_)) => Err("a row has supplement_id or upc, not both".to_owned()),
            (Some(id), None) => {
                let id = SupplementId::parse(id).map_err(|error| format!("supplement_id: {error}"))?;
                Ok((id, None))
            }
            (None, Some(upc)) => {
                let upc = Upc::parse(upc).map_err(|error| format!("upc: {error}"))?;
                Ok((placeholder_id(&upc), Some(upc)))
            }
            (None, None) => {
                let columns = [SUPPLEMENT_ID, UPC].into_iter();
                let columns = columns.filter(|column| has_columns(self.0.columns, &[*column]));
                Err(format!("{} is missing", columns.collect::<Vec<_>>().join(" or ")))
            }
        }
    }
}
