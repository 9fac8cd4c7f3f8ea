//! Records for imports; times are minutes after midnight of one day.

use crate::import::batch_writer::BATCH;
use crate::ports::import_source::{
    ImportItem, ImportedLog, ImportedProfile, ImportedSession, ImportedSupplement, Note, Rejection,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::import::RecordPosition;
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSource, Stage, StageEntry, TimeInBed,
};
use domain::supplement::{
    CatalogueKey, IntakeLogRecord, Servings, SupplementLabel, SupplementLabelFields, Upc,
};
use uuid::Uuid;

pub(super) fn minute(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(631_152_000, 0).unwrap() + TimeDelta::minutes(minute)
}

pub(super) fn session_id(number: u128) -> SleepSessionId {
    SleepSessionId::from_uuid(Uuid::from_u128(0x5e55_0000 + number))
}

pub(in crate::import) fn supplement_id(number: u128) -> SupplementId {
    SupplementId::from_uuid(Uuid::from_u128(0x5099_0000 + number))
}

pub(in crate::import) fn log_id(number: u128) -> IntakeLogId {
    IntakeLogId::from_uuid(Uuid::from_u128(0x1060_0000 + number))
}

fn record(key: Option<&str>, start: i64, end: i64, stage: Stage) -> SleepRecord {
    let time_in_bed = TimeInBed::new(minute(start), minute(end), None, None).unwrap();
    let key = match key {
        Some(key) => SessionKey::from_source(key).unwrap(),
        None => SessionKey::derived_from(time_in_bed.start()),
    };
    let source = SleepSource::parse("ring").ok();
    let head = SleepRecordHead { key, source, time_in_bed, is_nap: Some(false) };
    let entry = StageEntry::new(stage, minute(start), minute(end)).unwrap();
    SleepRecord::from_stages(head, Hypnogram::new(vec![entry], &time_in_bed).unwrap()).unwrap()
}

fn place() -> String {
    "line 3".to_owned()
}

/// Returns the record at another location.
pub(super) fn at(line: usize, item: ImportItem) -> ImportItem {
    let line = format!("line {line}");
    match item {
        ImportItem::Profile(profile) => {
            ImportItem::Profile(Box::new(ImportedProfile { place: line, ..*profile }))
        }
        ImportItem::Session(session) => {
            ImportItem::Session(Box::new(ImportedSession { place: line, ..*session }))
        }
        ImportItem::Supplement(supplement) => {
            ImportItem::Supplement(Box::new(ImportedSupplement { place: line, ..*supplement }))
        }
        ImportItem::Log(log) => ImportItem::Log(Box::new(ImportedLog { place: line, ..*log })),
        ImportItem::Rejected(rejection) => ImportItem::Rejected(Rejection { place: line, ..rejection }),
        ImportItem::Note(note) => ImportItem::Note(Note { place: line, ..note }),
        ImportItem::LabelsLeftOut => ImportItem::LabelsLeftOut,
    }
}

/// A session without a source key.
pub(super) fn derived(start: i64, end: i64) -> SleepRecord {
    record(None, start, end, Stage::Light)
}

/// A session with start and end only.
pub(super) fn derived_bare(start: i64, end: i64) -> SleepRecord {
    let head = derived(start, end).head().clone();
    SleepRecord::from_stages(head, Hypnogram::empty()).unwrap()
}

/// Like [`derived`], with other content.
pub(super) fn derived_deep(start: i64, end: i64) -> SleepRecord {
    record(None, start, end, Stage::Deep)
}

/// A session with a source key.
pub(super) fn keyed(key: &str, start: i64, end: i64) -> SleepRecord {
    record(Some(key), start, end, Stage::Light)
}

/// A session with a source key, start and end only.
pub(super) fn keyed_bare(key: &str, start: i64, end: i64) -> SleepRecord {
    let head = keyed(key, start, end).head().clone();
    SleepRecord::from_stages(head, Hypnogram::empty()).unwrap()
}

pub(super) fn session(record: SleepRecord) -> ImportItem {
    let position = RecordPosition::default();
    ImportItem::Session(Box::new(ImportedSession {
        place: place(),
        position,
        id: None,
        record,
        updated_at: None,
    }))
}

/// A session of Restwell's own export.
pub(super) fn own_session(number: u128, record: SleepRecord) -> ImportItem {
    let imported = ImportedSession {
        place: place(),
        position: RecordPosition::default(),
        id: Some(session_id(number)),
        record,
        updated_at: Some(minute(2_000)),
    };
    ImportItem::Session(Box::new(imported))
}

pub(super) fn label(name: &str) -> SupplementLabel {
    SupplementLabel::new(SupplementLabelFields { name: name.to_owned(), ..SupplementLabelFields::default() })
        .unwrap()
}

pub(super) fn key(key: &str) -> CatalogueKey {
    CatalogueKey::new("dsld".to_owned(), key.to_owned()).unwrap()
}

pub(super) fn supplement(at: &str, name: &str) -> ImportItem {
    let imported = ImportedSupplement {
        place: place(),
        file: 0,
        id: None,
        key: key(at),
        label: label(name),
        entry_date: None,
    };
    ImportItem::Supplement(Box::new(imported))
}

/// A label with a product code.
pub(super) fn supplement_with_code(at: &str, name: &str, upc: &str) -> ImportItem {
    let (name, upc) = (name.to_owned(), upc.to_owned());
    let fields = SupplementLabelFields { name, upc, ..SupplementLabelFields::default() };
    let label = SupplementLabel::new(fields).unwrap();
    let imported =
        ImportedSupplement { place: place(), file: 0, id: None, key: key(at), label, entry_date: None };
    ImportItem::Supplement(Box::new(imported))
}

/// A label of Restwell's own export.
pub(super) fn own_supplement(number: u128, at: &str, name: &str) -> ImportItem {
    let imported = ImportedSupplement {
        place: place(),
        file: 0,
        id: Some(supplement_id(number)),
        key: key(at),
        label: label(name),
        entry_date: Some(minute(3)),
    };
    ImportItem::Supplement(Box::new(imported))
}

/// Like [`own_supplement`], without a catalogue's key, so that the id is the key.
pub(super) fn own_supplement_without_key(number: u128, name: &str) -> ImportItem {
    let key = CatalogueKey::new("restwell".to_owned(), supplement_id(number).to_string()).unwrap();
    match own_supplement(number, "17", name) {
        ImportItem::Supplement(supplement) => {
            ImportItem::Supplement(Box::new(ImportedSupplement { key, ..*supplement }))
        }
        item => item,
    }
}

pub(in crate::import) fn intake(
    supplement: SupplementId,
    at: i64,
    servings: f64,
    external_key: Option<&str>,
) -> IntakeLogRecord {
    let servings = Servings::new(servings).unwrap();
    IntakeLogRecord::new(supplement, minute(at), servings, external_key.map(str::to_owned)).unwrap()
}

pub(super) fn log(record: IntakeLogRecord) -> ImportItem {
    ImportItem::Log(Box::new(ImportedLog { place: place(), file: 0, id: None, upc: None, record }))
}

/// A log that identifies its supplement by product code; the record's id is derived from the code.
pub(super) fn log_by_code(upc: &str, record: IntakeLogRecord) -> ImportItem {
    let upc = Some(Upc::parse(upc).unwrap());
    ImportItem::Log(Box::new(ImportedLog { place: place(), file: 0, id: None, upc, record }))
}

/// A log of Restwell's own export.
pub(super) fn own_log(number: u128, record: IntakeLogRecord) -> ImportItem {
    ImportItem::Log(Box::new(ImportedLog {
        place: place(),
        file: 0,
        id: Some(log_id(number)),
        upc: None,
        record,
    }))
}

/// Returns enough notes that the items after them are in a later batch.
pub(super) fn batch_of_notes() -> impl Iterator<Item = ImportItem> {
    (0..BATCH).map(|number| ImportItem::Note(rejection(number).into()))
}

pub(super) fn rejection(number: usize) -> Rejection {
    Rejection { place: format!("record {number}"), reason: "the end is not after the start".to_owned() }
}
