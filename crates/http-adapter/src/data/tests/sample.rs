//! Sample sessions and supplements.

use application::read::{IntakeLogRow, PackedSleepRow, SupplementRecord};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSession, SleepSource, Stage, StageEntry,
    TimeInBed,
};
use domain::supplement::{Amount, Ingredient, Supplement, SupplementLabel, SupplementLabelFields};
use domain::time::UtcOffset;
use std::sync::Arc;
use uuid::Uuid;

/// 2026-01-01 23:10 in New York.
const FIRST_NIGHT: i64 = 1_767_327_000;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(FIRST_NIGHT + seconds, 0).unwrap()
}

/// Returns a night of eight hours with three stages, `number` days after the first. The clocks go
/// forward in it.
pub(in crate::data) fn night(number: u32) -> SleepSession {
    let day = i64::from(number) * 86_400;
    let offset = |minutes| UtcOffset::from_minutes(minutes);
    let time_in_bed = TimeInBed::new(at(day), at(day + 28_800), offset(-300), offset(-240)).unwrap();
    let entry = |stage, from, to| StageEntry::new(stage, at(day + from), at(day + to)).unwrap();
    let entries =
        vec![entry(Stage::Awake, 0, 600), entry(Stage::Light, 600, 9_000), entry(Stage::Rem, 9_000, 28_800)];
    let head = SleepRecordHead {
        key: SessionKey::from_source(&format!("night {number}")).unwrap(),
        source: SleepSource::parse("made-up-tracker").ok(),
        time_in_bed,
        is_nap: Some(false),
    };
    SleepSession {
        id: SleepSessionId::from_uuid(Uuid::from_u128(u128::from(number) + 1)),
        record: SleepRecord::from_stages(head, Hypnogram::new(entries, &time_in_bed).unwrap()).unwrap(),
        updated_at: DateTime::from_timestamp_millis(1_768_003_200_250).unwrap(),
    }
}

/// Packs a session as a store returns it.
pub(in crate::data) fn packed(session: &SleepSession) -> PackedSleepRow {
    let record = &session.record;
    let time = record.time_in_bed();
    PackedSleepRow {
        id: session.id,
        started_at_millis: time.start_millis(),
        ended_at_millis: time.end_millis(),
        offset_at_start: time.offset_at_start(),
        offset_at_end: time.offset_at_end(),
        source: record.source().map(|source| source.as_str().into()),
        is_nap: record.is_nap(),
        updated_at_millis: session.updated_at.timestamp_millis(),
        stages: record.packed_stages().into(),
        metrics: record.packed_metrics().into(),
    }
}

/// Returns a supplement with this many hourly logs of one and a half servings.
pub(in crate::data) fn record(number: u32, logs: u32) -> SupplementRecord {
    let ingredient = |name: &str, amount, active| Ingredient::new(name.to_owned(), amount, active).unwrap();
    let amount = Amount::new(60.0, "mg".to_owned()).unwrap();
    let label = SupplementLabel::new(SupplementLabelFields {
        brand: String::new(),
        name: "Night Calm".to_owned(),
        servings: "60".to_owned(),
        upc: "0 12345 67890 5".to_owned(),
        entry_date: NaiveDate::from_ymd_opt(2024, 2, 1),
        ingredients: vec![ingredient("Magnesium", Some(amount), true), ingredient("Cellulose", None, false)],
    });
    let id = SupplementId::from_uuid(Uuid::from_u128(u128::from(number)));
    let log = |hour: u32| IntakeLogRow {
        id: IntakeLogId::from_uuid(Uuid::from_u128(u128::from(number) * 1_000 + u128::from(hour))),
        created_at_micros: 1_767_312_000_000_001 + i64::from(hour) * 3_600_000_000,
        servings: 1.5,
    };
    SupplementRecord {
        supplement: Arc::new(Supplement::enter(id, label.unwrap(), at(0) + TimeDelta::days(1))),
        logs: (0..logs).map(log).collect(),
    }
}
