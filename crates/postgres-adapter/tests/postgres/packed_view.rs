//! The SQL views of packed data, compared with the domain's decoder.

use crate::made_up::*;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{
    Hypnogram, MetricKind, MetricValue, SleepMetrics, SleepRecord, SleepRecordHead, SleepSession, Stage,
    StageEntry, TimeInBed,
};
use postgres_adapter::test_support::TestDatabase;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use uuid::Uuid;

/// A night in units of a millisecond, a second or half a minute, with gaps, in any stage.
fn night() -> impl Strategy<Value = (i64, i64, Vec<(usize, i64, i64)>)> {
    let stretch = (0_usize..6, prop_oneof![Just(0_i64), 1_i64..400], 1_i64..3_000);
    (0_i64..1_000, prop_oneof![Just(1_i64), Just(1_000), Just(30_000)], prop::collection::vec(stretch, 0..60))
}

fn session_of_night(
    number: u128,
    (offset, unit, stretches): (i64, i64, Vec<(usize, i64, i64)>),
) -> SleepSession {
    let start = at(0) + TimeDelta::days(i64::try_from(number).unwrap()) + TimeDelta::milliseconds(offset);
    let mut cursor = start;
    let mut entries = Vec::new();
    for (stage, gap, length) in stretches {
        let from = cursor + TimeDelta::milliseconds(gap * unit);
        cursor = from + TimeDelta::milliseconds(length * unit);
        if cursor - start > TimeDelta::days(6) {
            break;
        }
        entries.push(StageEntry::new(Stage::ALL[stage], from, cursor).unwrap());
    }
    let end = entries.last().map_or(start, StageEntry::end) + TimeDelta::seconds(1);
    let time_in_bed = TimeInBed::new(start, end, None, None).unwrap();
    let hypnogram = Hypnogram::new(entries, &time_in_bed).unwrap();
    session_of(number, time_in_bed, hypnogram)
}

/// A session with these metrics, some of which have no short decimal form.
fn session_of_numbers(number: u128, values: &[f64]) -> SleepSession {
    let frame = session(u32::try_from(number).unwrap());
    let time_in_bed = *frame.record.time_in_bed();
    let kinds = MetricKind::ALL.into_iter().filter(|kind| *kind != MetricKind::TimeNightInBed);
    let reported = kinds.zip(values).filter_map(|(kind, value)| {
        let value = MetricValue::from_f64(*value)?;
        kind.accepts(value).then_some((kind, value))
    });
    let metrics = SleepMetrics::from_reported(&time_in_bed, reported.collect()).unwrap();
    let head = SleepRecordHead { time_in_bed, ..frame.record.head().clone() };
    SleepSession { record: SleepRecord::from_metrics(head, metrics).unwrap(), ..frame }
}

async fn stages_of(client: &tokio_postgres::Client, id: Uuid) -> Vec<(String, DateTime<Utc>, DateTime<Utc>)> {
    let sql = "SELECT stage, (extract(epoch FROM started_at) * 1000)::bigint,
        (extract(epoch FROM ended_at) * 1000)::bigint FROM sleep_stage WHERE session_id::text = $1 ORDER BY place";
    let instant = |millis: i64| DateTime::from_timestamp_millis(millis).unwrap();
    let rows = client.query(sql, &[&id.to_string()]).await.unwrap();
    rows.iter().map(|row| (row.get(0), instant(row.get(1)), instant(row.get(2)))).collect()
}

async fn metrics_of(client: &tokio_postgres::Client, id: Uuid) -> Vec<(String, f64)> {
    let sql = "SELECT metric, value FROM sleep_metric WHERE session_id::text = $1";
    let rows = client.query(sql, &[&id.to_string()]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

async fn assert_decoded_alike(client: &tokio_postgres::Client, session: &SleepSession) {
    let id = session.id.as_uuid();
    let entries = session.record.hypnogram().entries();
    let expected: Vec<_> =
        entries.iter().map(|entry| (entry.stage().as_str().to_owned(), entry.start(), entry.end())).collect();
    assert_eq!(stages_of(client, id).await, expected);
    let metrics = session.record.metrics().iter();
    let expected: Vec<_> = metrics.map(|(kind, value)| (kind.as_str().to_owned(), value.as_f64())).collect();
    assert_eq!(metrics_of(client, id).await, expected);
}

#[tokio::test]
async fn random_nights_are_decoded_in_sql_as_in_rust() {
    let database = TestDatabase::create().await;
    let (store, client) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let mut runner = TestRunner::deterministic();
    let sessions: Vec<_> = (1..=60)
        .map(|number| session_of_night(number, night().new_tree(&mut runner).unwrap().current()))
        .collect();
    let mut unit = begin(&store).await;
    unit.sleep().insert(user_id(1), &sessions).await.unwrap();
    unit.commit().await.unwrap();
    for session in &sessions {
        assert_decoded_alike(&client, session).await;
    }
    let all =
        number(&client, "SELECT count(*) FROM sleep_session_decoded WHERE jsonb_typeof(stages) = 'array'");
    assert_eq!(all.await, 60);
}

#[tokio::test]
async fn numbers_that_no_short_decimal_names_are_decoded_in_sql_to_the_last_bit() {
    let database = TestDatabase::create().await;
    let (store, client) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let values = [
        [0.1 + 0.2, 1.0 / 3.0, f64::MIN_POSITIVE, 5e-324, 2.5e-310, 12.345_678_9, 99.999_999_999, 33.3, 1e-9],
        [f64::EPSILON, 7_000.000_1, 0.000_012_3, 1_234.5, 0.0, 50.0, 100.0, 66.666_666_666_666_67, 0.07],
    ];
    let sessions: Vec<_> =
        (1..).zip(&values).map(|(number, values)| session_of_numbers(number, values)).collect();
    let mut unit = begin(&store).await;
    unit.sleep().insert(user_id(1), &sessions).await.unwrap();
    unit.commit().await.unwrap();
    for session in &sessions {
        assert!(session.record.metrics().iter().count() > 5);
        assert_decoded_alike(&client, session).await;
    }
}

#[tokio::test]
async fn bytes_that_are_not_in_the_format_are_refused() {
    let database = TestDatabase::create().await;
    let client = bystander(&database).await;
    for call in [
        r"restwell_sleep_stages(now(), '\x2302')",
        r"restwell_sleep_stages(now(), '\x14')",
        r"restwell_sleep_stages(now(), '\x130E01')",
        r"restwell_sleep_stages(now(), '\x1302')",
        r"restwell_sleep_stages(now(), '\x1302FF')",
        r"restwell_sleep_metrics('\x')",
        r"restwell_sleep_metrics('\x2008')",
        r"restwell_sleep_metrics('\x100F0102')",
        r"restwell_sleep_metrics('\x100D01')",
    ] {
        let refused = client.query(&format!("SELECT * FROM {call}"), &[]).await.unwrap_err();
        assert_eq!(refused.code().map(tokio_postgres::error::SqlState::code), Some("XX001"), "{call}");
    }
}
