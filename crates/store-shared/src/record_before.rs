//! The column `before` of a change: a record's state before an import.
//!
//! The shapes are separate from the rows of the tables, so that a renamed column leaves stored JSON readable.

use crate::ingredients::StoredIngredient;
use crate::json;
use crate::names::{key_kind_name, parse_key_kind};
use application::ports::storage::{RecordBefore, RecordReference, StorageError};
use chrono::{DateTime, NaiveDate};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::sleep::{SessionKey, SleepRecord, SleepRecordHead, SleepSession, SleepSource, TimeInBed};
use domain::supplement::{
    CatalogueKey, IntakeLog, IntakeLogRecord, Servings, Supplement, SupplementLabel, SupplementLabelFields,
};
use domain::time::UtcOffset;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use uuid::Uuid;

/// A sleep session; times in milliseconds since 1970, packed stages and metrics in hexadecimal.
#[derive(Serialize, Deserialize)]
struct StoredSession {
    id: String,
    started_at: i64,
    ended_at: i64,
    offset_at_start: Option<i16>,
    offset_at_end: Option<i16>,
    source: Option<String>,
    key_kind: String,
    natural_key: String,
    is_nap: Option<bool>,
    updated_at: i64,
    stages: String,
    metrics: String,
}

impl From<&SleepSession> for StoredSession {
    fn from(session: &SleepSession) -> Self {
        let SleepSession { id, record, updated_at } = session;
        let SleepRecordHead { key, source, time_in_bed, is_nap } = record.head();
        Self {
            id: id.as_uuid().to_string(),
            started_at: time_in_bed.start_millis(),
            ended_at: time_in_bed.end_millis(),
            offset_at_start: time_in_bed.offset_at_start().map(UtcOffset::minutes),
            offset_at_end: time_in_bed.offset_at_end().map(UtcOffset::minutes),
            source: source.as_ref().map(|source| source.as_str().to_owned()),
            key_kind: key_kind_name(key.kind()).to_owned(),
            natural_key: key.as_str().to_owned(),
            is_nap: *is_nap,
            updated_at: updated_at.timestamp_millis(),
            stages: hex(&record.packed_stages()),
            metrics: hex(&record.packed_metrics()),
        }
    }
}

impl StoredSession {
    fn into_session(self) -> Option<SleepSession> {
        let offset = |minutes: Option<i16>| match minutes {
            Some(minutes) => UtcOffset::from_minutes(minutes).map(Some),
            None => Some(None),
        };
        let time_in_bed = TimeInBed::new(
            DateTime::from_timestamp_millis(self.started_at)?,
            DateTime::from_timestamp_millis(self.ended_at)?,
            offset(self.offset_at_start)?,
            offset(self.offset_at_end)?,
        );
        let head = SleepRecordHead {
            key: SessionKey::from_parts(parse_key_kind(&self.key_kind)?, &self.natural_key).ok()?,
            source: self.source.as_deref().map(SleepSource::parse).transpose().ok()?,
            time_in_bed: time_in_bed.ok()?,
            is_nap: self.is_nap,
        };
        let (stages, metrics) = (bytes(&self.stages)?, bytes(&self.metrics)?);
        Some(SleepSession {
            id: SleepSessionId::from_uuid(Uuid::try_parse(&self.id).ok()?),
            record: SleepRecord::from_packed(head, &stages, &metrics).ok()?,
            updated_at: DateTime::from_timestamp_millis(self.updated_at)?,
        })
    }
}

/// An intake log; its time is in microseconds since 1970.
#[derive(Serialize, Deserialize)]
struct StoredLog {
    id: String,
    supplement_id: String,
    created_at: i64,
    servings: f64,
    external_key: Option<String>,
}

impl From<&IntakeLog> for StoredLog {
    fn from(log: &IntakeLog) -> Self {
        let IntakeLog { id, record } = log;
        Self {
            id: id.as_uuid().to_string(),
            supplement_id: record.supplement_id().as_uuid().to_string(),
            created_at: record.created_at().timestamp_micros(),
            servings: record.servings().get(),
            external_key: record.external_key().map(str::to_owned),
        }
    }
}

impl StoredLog {
    fn into_log(self) -> Option<IntakeLog> {
        let Self { id, supplement_id, created_at, servings, external_key } = self;
        let supplement_id = SupplementId::from_uuid(Uuid::try_parse(&supplement_id).ok()?);
        let created_at = DateTime::from_timestamp_micros(created_at)?;
        let servings = Servings::new(servings).ok()?;
        let record = IntakeLogRecord::new(supplement_id, created_at, servings, external_key).ok()?;
        Some(record.with_id(IntakeLogId::from_uuid(Uuid::try_parse(&id).ok()?)))
    }
}

/// A version of a label with its catalogue key; the time of entry is in microseconds since 1970.
#[derive(Serialize, Deserialize)]
struct StoredLabel {
    catalogue_source: String,
    catalogue_key: String,
    id: String,
    brand: String,
    name: String,
    servings: String,
    upc: String,
    label_date: Option<String>,
    entry_date: i64,
    ingredients: Vec<StoredIngredient>,
}

impl From<&(CatalogueKey, Supplement)> for StoredLabel {
    fn from((key, version): &(CatalogueKey, Supplement)) -> Self {
        let Supplement { id, label, entry_date } = version;
        let (catalogue_source, catalogue_key) = key.clone().into_parts();
        let SupplementLabelFields { brand, name, servings, upc, entry_date: label_date, ingredients } =
            label.clone().into_fields();
        Self {
            catalogue_source,
            catalogue_key,
            id: id.as_uuid().to_string(),
            brand,
            name,
            servings,
            upc,
            label_date: label_date.map(|date| date.to_string()),
            entry_date: entry_date.timestamp_micros(),
            ingredients: ingredients.iter().map(StoredIngredient::from).collect(),
        }
    }
}

impl StoredLabel {
    fn into_label(self) -> Option<(CatalogueKey, Supplement)> {
        let label = SupplementLabel::new(SupplementLabelFields {
            brand: self.brand,
            name: self.name,
            servings: self.servings,
            upc: self.upc,
            entry_date: self.label_date.map(|date| date.parse::<NaiveDate>()).transpose().ok()?,
            ingredients: self
                .ingredients
                .into_iter()
                .map(StoredIngredient::into_ingredient)
                .collect::<Option<_>>()?,
        });
        let version = Supplement {
            id: SupplementId::from_uuid(Uuid::try_parse(&self.id).ok()?),
            label: label.ok()?,
            entry_date: DateTime::from_timestamp_micros(self.entry_date)?,
        };
        Some((CatalogueKey::new(self.catalogue_source, self.catalogue_key).ok()?, version))
    }
}

/// Serializes a record's previous state.
pub(crate) fn write_before(before: &RecordBefore) -> Result<String, StorageError> {
    match before {
        RecordBefore::Session(session) => json::write(&StoredSession::from(&**session)),
        RecordBefore::Log(log) => json::write(&StoredLog::from(&**log)),
        RecordBefore::Label(label) => json::write(&StoredLabel::from(&**label)),
    }
}

/// Parses the previous state of a record of this kind.
pub(crate) fn read_before(record: RecordReference, json: &str) -> Option<RecordBefore> {
    Some(match record {
        RecordReference::Session(_) => {
            let stored: StoredSession = serde_json::from_str(json).ok()?;
            RecordBefore::Session(Box::new(stored.into_session()?))
        }
        RecordReference::Log(_) => {
            let stored: StoredLog = serde_json::from_str(json).ok()?;
            RecordBefore::Log(Box::new(stored.into_log()?))
        }
        RecordReference::Label(_) => {
            let stored: StoredLabel = serde_json::from_str(json).ok()?;
            RecordBefore::Label(Box::new(stored.into_label()?))
        }
    })
}

/// Writes two digits per byte.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len().saturating_mul(2)), |mut text, byte| {
        // Writing to a `String` never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Parses the result of [`hex`].
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hex.chars().map(|digit| digit.to_digit(16)?.try_into().ok()).collect();
    let digits = digits?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::{bytes, hex};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(all: Vec<u8>) {
            prop_assert_eq!(bytes(&hex(&all)), Some(all));
        }
    }

    #[test]
    fn text_that_is_not_hexadecimal_is_rejected() {
        assert_eq!(hex(&[0, 1, 0xab]), "0001ab");
        for text in ["0", "0g", "+1", "é0"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
