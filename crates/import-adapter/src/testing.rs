//! Test utilities for all formats.

use crate::{FileContext, Format, open};
use application::ports::import_source::{ImportFile, ImportItem, ImportRefusal};
use domain::id::UserId;
use domain::sleep::{MetricKind, MetricValue, SleepRecord};
use domain::time::TimeZone;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) const USER: &str = "6f0c5a1e-93d4-4b7c-8a52-1d2e3f405162";

pub(crate) fn context(zone: &str) -> FileContext {
    FileContext {
        zone: TimeZone::parse(zone).unwrap(),
        start: chrono::DateTime::parse_from_rfc3339("2026-01-10T22:30:00+01:00").ok(),
        user_id: Some(UserId::parse(USER).unwrap()),
        most_unpacked: u64::MAX,
        scratch: None,
    }
}

/// Reads a file with this content to its end, in batches of three.
pub(crate) fn read(
    bytes: &[u8],
    format: impl Into<Option<Format>>,
    zone: &str,
) -> Result<Vec<ImportItem>, ImportRefusal> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    read_path(file.path(), format, zone).map(|(_, items)| items)
}

/// Reads a path to its end in batches of three; also returns the name of its first format. Checking MUST
/// reject whatever reading rejects.
pub(crate) fn read_path(
    path: &Path,
    format: impl Into<Option<Format>>,
    zone: &str,
) -> Result<(&'static str, Vec<ImportItem>), ImportRefusal> {
    let file = open(path, format.into(), context(zone))?;
    let checked = file.open().and_then(|mut source| source.check(&mut |_| ControlFlow::Continue(())));
    let read = read_file(file.as_ref());
    assert_eq!(checked, read.as_ref().map(|_| ()).map_err(Clone::clone), "what is checked is what is read");
    read.map(|items| (file.formats()[0], items))
}

fn read_file(file: &dyn ImportFile) -> Result<Vec<ImportItem>, ImportRefusal> {
    let mut source = file.open()?;
    let (mut items, mut bytes) = (Vec::new(), 0);
    loop {
        let batch = source.next_batch(3)?;
        assert!(batch.len() <= 3 && source.bytes_read() >= bytes);
        bytes = source.bytes_read();
        if batch.is_empty() {
            assert_eq!(Some(bytes), file.size());
            return Ok(items);
        }
        items.extend(batch);
    }
}

/// Returns the format that a file with this content is recognised as.
pub(crate) fn recognised(text: &str) -> Result<&'static str, ImportRefusal> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    open(file.path(), None, context("UTC")).map(|file| file.formats()[0])
}

/// Reads a file whose records are all accepted.
pub(crate) fn items(text: &str, format: impl Into<Option<Format>>, zone: &str) -> Vec<ImportItem> {
    read(text.as_bytes(), format, zone).unwrap()
}

pub(crate) fn sessions(items: &[ImportItem]) -> Vec<SleepRecord> {
    items
        .iter()
        .filter_map(|item| match item {
            ImportItem::Session(session) => Some(session.record.clone()),
            _ => None,
        })
        .collect()
}

/// Returns the only session of a file without rejections and notes.
pub(crate) fn only_session(items: &[ImportItem]) -> SleepRecord {
    assert_eq!(notes(items), Vec::<String>::new());
    accepted_session(items)
}

/// Returns the only session of a file without rejections.
pub(crate) fn accepted_session(items: &[ImportItem]) -> SleepRecord {
    assert_eq!(rejections(items), Vec::<String>::new());
    let [record] = <[SleepRecord; 1]>::try_from(sessions(items)).unwrap();
    record
}

/// Returns position and reason of each rejection.
pub(crate) fn rejections(items: &[ImportItem]) -> Vec<String> {
    let texts = items.iter().filter_map(|item| match item {
        ImportItem::Rejected(one) => Some(format!("{}: {}", one.place, one.reason)),
        _ => None,
    });
    texts.collect()
}

/// Returns position, reason and count of each note.
pub(crate) fn notes(items: &[ImportItem]) -> Vec<String> {
    let texts = items.iter().filter_map(|item| match item {
        ImportItem::Note(note) => {
            let amount = note.amount.map(|amount| format!(": {amount}")).unwrap_or_default();
            Some(format!("{}: {}{amount}", note.place, note.reason))
        }
        _ => None,
    });
    texts.collect()
}

/// Formats stages as `LIGHT 00:10-00:20`, in the offset at the start.
pub(crate) fn stages(record: &SleepRecord) -> Vec<String> {
    let shift = record.time_in_bed().offset_at_start().map_or(0, |offset| i64::from(offset.seconds()));
    let clock = |instant: chrono::DateTime<chrono::Utc>| {
        (instant.naive_utc() + chrono::TimeDelta::seconds(shift)).format("%H:%M").to_string()
    };
    let entries = record.hypnogram().entries().iter();
    entries
        .map(|one| format!("{} {}-{}", one.stage().as_str(), clock(one.start()), clock(one.end())))
        .collect()
}

/// Formats the time in bed as in the API.
pub(crate) fn frame(record: &SleepRecord) -> String {
    let bed = record.time_in_bed();
    let print = domain::time::format::millis;
    let start = print(bed.start_millis(), bed.offset_at_start());
    format!("{start} {}", print(bed.end_millis(), bed.offset_at_end()))
}

/// Returns one metric of a session in its own unit.
pub(crate) fn metric(record: &SleepRecord, kind: MetricKind) -> Option<f64> {
    record.metrics().get(kind).map(MetricValue::as_f64)
}
