//! The demo's 90 nights and some naps.

use super::id_of;
use super::random::Sequence;
use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use domain::id::SleepSessionId;
use domain::sleep::{
    Hypnogram, SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SleepSession, SleepSource,
    SourceTotals, Stage, StageEntry, TimeInBed,
};
use domain::time::{Fold, TimeZone};
use std::time::Duration;

/// Number of nights, one every evening from [`first_evening`].
const NIGHTS: u64 = 90;
/// Number of days between afternoon naps.
const DAYS_BETWEEN_NAPS: u64 = 9;
/// The night of a device that reports totals only.
const NIGHT_WITHOUT_STAGES: u64 = 40;

/// Evening of the first night. Daylight saving time starts in New York in the 67th night.
fn first_evening() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, 1).unwrap_or_default()
}

/// Returns the demo's sessions in time order: 90 nights, one with a clock change and one without stages, and
/// a nap every ninth day.
pub fn demo_sessions(zone: TimeZone) -> Vec<SleepSession> {
    (0..NIGHTS)
        .flat_map(|day| {
            let nap = (day % DAYS_BETWEEN_NAPS == 4).then(|| nap(zone, day)).flatten();
            [nap, night(zone, day)]
        })
        .flatten()
        .collect()
}

fn night(zone: TimeZone, day: u64) -> Option<SleepSession> {
    let mut random = Sequence::new(day);
    let evening =
        first_evening().checked_add_days(Days::new(day))?.and_time(NaiveTime::from_hms_opt(22, 20, 0)?);
    let start = evening + TimeDelta::seconds(30 * random.between(0, 160));
    let minutes = random.between(390, 525);
    let key = SessionKey::given(&format!("night-{}", evening.date())).ok()?;
    let time_in_bed = time_in_bed(zone, start, minutes)?;
    if day == NIGHT_WITHOUT_STAGES {
        let head = head("demo-phone", key, time_in_bed, false)?;
        let (metrics, _) = SleepMetrics::from_totals(&time_in_bed, &totals(minutes));
        return Some(session(SleepRecord::from_metrics(head, metrics).ok()?));
    }
    let stages = stages(&mut random, &time_in_bed, &NIGHT_CYCLE);
    let head = head("demo-ring", key, time_in_bed, false)?;
    Some(session(SleepRecord::from_stages(head, stages?).ok()?))
}

fn nap(zone: TimeZone, day: u64) -> Option<SleepSession> {
    let mut random = Sequence::new(1000 + day);
    let noon = first_evening().checked_add_days(Days::new(day))?.and_time(NaiveTime::from_hms_opt(13, 0, 0)?);
    let start = noon + TimeDelta::minutes(random.between(0, 120));
    let key = SessionKey::given(&format!("nap-{}", noon.date())).ok()?;
    let time_in_bed = time_in_bed(zone, start, random.between(20, 75))?;
    let stages = stages(&mut random, &time_in_bed, &NAP_CYCLE);
    let head = head("demo-ring", key, time_in_bed, true)?;
    Some(session(SleepRecord::from_stages(head, stages?).ok()?))
}

fn time_in_bed(zone: TimeZone, start: NaiveDateTime, minutes: i64) -> Option<TimeInBed> {
    let start = zone.resolve(start, Fold::First);
    let end = start + TimeDelta::minutes(minutes);
    TimeInBed::new(start, end, Some(zone.offset_at(start)), Some(zone.offset_at(end))).ok()
}

fn head(source: &str, key: SessionKey, time_in_bed: TimeInBed, is_nap: bool) -> Option<SleepRecordHead> {
    let source = SleepSource::parse(source).ok()?;
    Some(SleepRecordHead { key, source: Some(source), time_in_bed, is_nap: Some(is_nap) })
}

/// Creates a session that was last changed 15 minutes after its end, when its device uploaded it.
fn session(record: SleepRecord) -> SleepSession {
    let updated_at: DateTime<Utc> = record.time_in_bed().end() + TimeDelta::minutes(15);
    let id = SleepSessionId::from_uuid(id_of(&format!("session/{}", record.key().as_str())));
    SleepSession { id, record, updated_at }
}

/// Totals that a phone under the pillow reports.
fn totals(minutes: i64) -> SourceTotals {
    let part = |percent: i64| Duration::from_secs(u64::try_from(minutes * 60 * percent / 100).unwrap_or(0));
    SourceTotals {
        asleep: Some(part(90)),
        awake: Some(part(10)),
        latency: Some(part(3)),
        ..SourceTotals::default()
    }
}

/// Step of a sleep cycle: stage, minimum and maximum length in half minutes.
type Step = (Stage, i64, i64);

const NIGHT_CYCLE: [Step; 6] = [
    (Stage::Light, 20, 50),
    (Stage::Deep, 30, 70),
    (Stage::Light, 16, 40),
    (Stage::Rem, 16, 56),
    (Stage::Light, 4, 16),
    (Stage::Awake, 1, 9),
];
const NAP_CYCLE: [Step; 2] = [(Stage::Light, 20, 50), (Stage::Awake, 1, 4)];

/// Fills the time in bed with cycles, after some minutes awake.
fn stages(random: &mut Sequence, time_in_bed: &TimeInBed, cycle: &[Step]) -> Option<Hypnogram> {
    let mut entries = Vec::new();
    let mut at = time_in_bed.start();
    let falling_asleep = [(Stage::Awake, 6, 50)];
    for (stage, shortest, longest) in falling_asleep.iter().chain(cycle.iter().cycle()).copied() {
        if at >= time_in_bed.end() {
            break;
        }
        // Not every cycle ends with a wake-up.
        if stage == Stage::Awake && !entries.is_empty() && !random.once_in(2) {
            continue;
        }
        let end = at + TimeDelta::seconds(30 * random.between(shortest, longest));
        entries.push(StageEntry::new(stage, at, end.min(time_in_bed.end())).ok()?);
        at = end;
    }
    Hypnogram::new(entries, time_in_bed).ok()
}
