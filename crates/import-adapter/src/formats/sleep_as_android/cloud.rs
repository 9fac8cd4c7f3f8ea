//! Answers of the app's cloud: the records of the export as JSON, with the same ids.

use super::clock::Zone;
use super::record::is_rounded;
use super::{SOURCE, event};
use crate::formats::Format;
use crate::json::{Bounded, Layout, LooseScalar, Page, Record, decode};
use crate::recognised::RecognisedFile;
use crate::session;
use crate::sketch::Sketch;
use crate::source::{Items, Notes};
use chrono::{DateTime, Utc};
use domain::sleep::{SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SourceTotals};
use domain::time::TimeZone;
use serde::Deserialize;

/// A record; unused members are omitted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Sleep {
    #[serde(rename = "fromTime")]
    from: LooseScalar,
    #[serde(rename = "toTime")]
    to: LooseScalar,
    timezone: LooseScalar,
    labels: Bounded<Label>,
}

/// An event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Label {
    timestamp: LooseScalar,
    label: LooseScalar,
}

/// Recognises JSON by the times of a record.
pub(super) fn recognise(sketch: &Sketch, named: bool) -> Option<RecognisedFile> {
    match sketch.member("sleeps")? {
        Sketch::List(Some(first)) if first.has("fromTime") && first.has("toTime") => {}
        Sketch::List(None) if named => {}
        _ => return None,
    }
    let page = Page::new(sketch, Layout::Wrapped("sleeps"), "cursor");
    Some(RecognisedFile::new(Format::SleepAsAndroid, move |bytes, context| page.open(bytes, &context, read)))
}

/// Adds the session of a record.
fn read(record: &Record<'_>, zone: TimeZone, items: &mut Items) {
    let mut notes = Notes::default();
    let outcome = decode::<Sleep>(record.text).and_then(|sleep| convert(&sleep, zone, &mut notes));
    items.finish_session(&record.place(), notes, outcome);
}

fn convert(sleep: &Sleep, zone: TimeZone, notes: &mut Notes) -> Result<SleepRecord, String> {
    let (start, end) = (instant("fromTime", &sleep.from)?, instant("toTime", &sleep.to)?);
    let zone = sleep.timezone.as_str().and_then(Zone::parse).unwrap_or_else(|| {
        if !sleep.timezone.is_blank() {
            notes.add("timezone is not a known time zone; the given zone was used");
        }
        Zone::Named(zone)
    });
    let with_offset = |instant| (instant, Some(zone.offset_at(instant)));
    let time_in_bed = session::time_in_bed(with_offset(start), with_offset(end))?;
    let events: Vec<_> = sleep.labels.0.iter().map(event_of).collect();
    let hypnogram = event::hypnogram(events.iter().map(String::as_str), &time_in_bed, notes)?;
    let id = sleep.from.identifier().filter(|id| !is_rounded(id));
    let key = match id {
        Some(id) if !hypnogram.is_empty() => {
            SessionKey::from_source(&id).map_err(|error| format!("fromTime: {error}"))?
        }
        // Without stages it is no correction of the record that the export may have under this id.
        _ => SessionKey::derived_from(start),
    };
    let (metrics, _) = SleepMetrics::from_totals(&time_in_bed, &SourceTotals::default());
    let head = SleepRecordHead { key, source: session::source(SOURCE)?, time_in_bed, is_nap: None };
    SleepRecord::from_stages_or_metrics(head, hypnogram, metrics).map_err(|error| error.to_string())
}

/// Writes a label as the export writes events.
fn event_of(label: &Label) -> String {
    let text = |value: &LooseScalar| value.identifier().unwrap_or_default();
    format!("{}-{}", text(&label.label), text(&label.timestamp))
}

fn instant(name: &str, value: &LooseScalar) -> Result<DateTime<Utc>, String> {
    if value.is_blank() {
        return Err(format!("{name} is missing"));
    }
    let millis = value.identifier().and_then(|millis| millis.parse().ok()).filter(|millis| *millis > 0);
    let instant = millis.and_then(DateTime::from_timestamp_millis);
    instant.ok_or_else(|| format!("{name} is not a time in milliseconds"))
}
