//! The table of reports: one row for each day, with the totals of its recordings.

use super::is_header_of_reports;
use super::members::{DailyReport, value};
use super::recording::{self, RowContext};
use crate::input::{Fields, TableFormat};
use crate::source::{Items, Notes};
use domain::time::TimeZone;

/// The table of reports.
pub(super) struct DailyReports;

impl TableFormat for DailyReports {
    const COLUMNS: &'static [&'static str] = &["Tag", "Key", "Value"];

    fn is_header(columns: &[String]) -> bool {
        is_header_of_reports(columns)
    }

    /// Returns whether a row is about something else than sleep, or about more than a day.
    fn is_skipped(fields: &Fields<'_>) -> bool {
        let is_other =
            |column, expected| fields.get(column).is_some_and(|word| !word.eq_ignore_ascii_case(expected));
        is_other("Key", "sleep") || is_other("Tag", "daily_report")
    }

    fn read(fields: &Fields<'_>, zone: TimeZone, place: &str, items: &mut Items) {
        let report = match value::<DailyReport>(fields) {
            Ok(report) => report,
            Err(reason) => return items.reject(place, reason),
        };
        let segments = &report.segment_details.0;
        if segments.is_empty() {
            let has_sleep = report.total_duration.number().is_some_and(|minutes| minutes > 0.0);
            return if has_sleep {
                items.reject(place, "segment_details is missing; the times of the sleep are unknown");
            } else {
                items.note(place, "no sleep was recorded for this day");
            };
        }
        for (index, segment) in segments.iter().enumerate() {
            let place = match segments.len() {
                1 => place.to_owned(),
                _ => format!("{place}, segment {}", index.saturating_add(1)),
            };
            let mut notes = Notes::default();
            let outcome = recording::read(segment, RowContext::default(), zone, &mut notes);
            items.finish_session(&place, notes, outcome);
        }
    }
}
