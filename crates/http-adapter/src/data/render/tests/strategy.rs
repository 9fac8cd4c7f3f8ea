//! Random sessions and supplements, with texts of any script.

use application::read::{IntakeLogRow, SupplementRecord};
use chrono::DateTime;
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::sleep::{
    Hypnogram, MetricKind, MetricValue, SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SleepSession,
    SleepSource, Stage, StageEntry, TimeInBed,
};
use domain::supplement::{Amount, Ingredient, Supplement, SupplementLabel, SupplementLabelFields};
use domain::time::UtcOffset;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::sync::Arc;
use uuid::Uuid;

/// Texts with characters that JSON must escape and characters that it need not.
fn text() -> impl Strategy<Value = String> {
    "[ -~\u{a0}-\u{2fff}\"\\\\/\u{2028}\u{1f600}-\u{1f64f}]{0,40}"
}

fn offset() -> impl Strategy<Value = Option<UtcOffset>> {
    option::of((-1_080_i16..=1_080).prop_map(|minutes| UtcOffset::from_minutes(minutes).unwrap()))
}

fn time_in_bed() -> impl Strategy<Value = TimeInBed> {
    let start = 0_i64..4_000_000_000_000;
    let length = prop_oneof![1_i64..604_800_000, (1_i64..20_160).prop_map(|units| units * 30_000)];
    (start, length, offset(), offset()).prop_map(|(start, length, at_start, at_end)| {
        let instant = |millis| DateTime::from_timestamp_millis(millis).unwrap();
        TimeInBed::new(instant(start), instant(start + length), at_start, at_end).unwrap()
    })
}

fn entries(frame: TimeInBed) -> impl Strategy<Value = Vec<StageEntry>> {
    let length = frame.millis();
    let entry = (0..Stage::ALL.len(), 0..length, 1..=length).prop_map(move |(stage, from, length)| {
        let start = frame.start() + chrono::TimeDelta::milliseconds(from);
        StageEntry::new(Stage::ALL[stage], start, start + chrono::TimeDelta::milliseconds(length)).unwrap()
    });
    vec(entry, 0..12)
}

/// Reported metrics, including percentages without an exact decimal.
fn reported() -> impl Strategy<Value = Vec<(MetricKind, MetricValue)>> {
    (0.0_f64..=100.0, 0_u32..50).prop_map(|(percent, count)| {
        vec![
            (MetricKind::SleepEfficiency, MetricValue::from_f64(percent).unwrap()),
            (
                MetricKind::PercentageNightDeep,
                MetricValue::from_f64((percent * 100.0).round() / 100.0).unwrap(),
            ),
            (MetricKind::SleepWakeups, MetricValue::from_count(count)),
        ]
    })
}

fn session() -> impl Strategy<Value = SleepSession> {
    let parts = time_in_bed().prop_flat_map(|frame| (Just(frame), entries(frame), reported()));
    let updated = 0_i64..4_000_000_000_000;
    (parts, any::<u128>(), option::of(text()), any::<Option<bool>>(), updated).prop_map(
        |((time_in_bed, entries, reported), id, source, is_nap, updated)| {
            let head = SleepRecordHead {
                key: SessionKey::derived_from(time_in_bed.start()),
                source: source.and_then(|name| SleepSource::parse(&name).ok()),
                time_in_bed,
                is_nap,
            };
            let hypnogram = Hypnogram::flatten(entries, &time_in_bed).unwrap();
            let metrics = SleepMetrics::from_reported(&time_in_bed, reported).unwrap();
            SleepSession {
                id: SleepSessionId::from_uuid(Uuid::from_u128(id)),
                record: SleepRecord::from_stages_or_metrics(head, hypnogram, metrics).unwrap(),
                updated_at: DateTime::from_timestamp_millis(updated).unwrap(),
            }
        },
    )
}

pub(super) fn sessions() -> impl Strategy<Value = Vec<SleepSession>> {
    vec(session(), 0..6)
}

fn quantity() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), (0_u32..100_000).prop_map(f64::from), 0.0_f64..1e6, 0.0_f64..1e300]
}

fn ingredient() -> impl Strategy<Value = Ingredient> {
    let amount = (quantity(), text()).prop_map(|(quantity, unit)| Amount::new(quantity, unit).ok());
    (text(), amount, any::<bool>())
        .prop_map(|(name, amount, active)| Ingredient::new(format!("x{name}"), amount, active).unwrap())
}

fn supplement() -> impl Strategy<Value = Supplement> {
    let texts = (text(), text(), text(), text());
    let imported = 0_i64..4_000_000_000_000;
    (any::<u128>(), texts, any::<bool>(), vec(ingredient(), 0..5), imported).prop_map(
        |(id, (brand, name, servings, upc), dated, ingredients, imported)| {
            let imported = DateTime::from_timestamp_millis(imported).unwrap();
            let label = SupplementLabel::new(SupplementLabelFields {
                brand,
                name: format!("x{name}"),
                servings,
                upc,
                entry_date: dated.then(|| imported.date_naive()),
                ingredients,
            });
            let id = SupplementId::from_uuid(Uuid::from_u128(id));
            Supplement::enter(id, label.unwrap(), imported)
        },
    )
}

fn log() -> impl Strategy<Value = IntakeLogRow> {
    let created = -62_135_596_800_000_000_i64..253_402_300_800_000_000;
    let servings = prop_oneof![(1_u32..=10).prop_map(f64::from), 1e-9_f64..=10_000.0, Just(0.5)];
    (any::<u128>(), created, servings).prop_map(|(id, created_at_micros, servings)| IntakeLogRow {
        id: IntakeLogId::from_uuid(Uuid::from_u128(id)),
        created_at_micros,
        servings,
    })
}

pub(super) fn records() -> impl Strategy<Value = Vec<SupplementRecord>> {
    let record = (supplement(), vec(log(), 0..5))
        .prop_map(|(supplement, logs)| SupplementRecord { supplement: Arc::new(supplement), logs });
    vec(record, 0..5)
}
