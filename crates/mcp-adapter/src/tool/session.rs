//! A sleep session as a line of an answer.

use super::ToolCall;
use super::answer::put;
use super::days::DayRange;
use application::StorageError;
use application::access::GrantedAccess;
use application::night::NightsQuery;
use application::read::{PackedPart, PackedSleepRow};
use chrono::DateTime;
use domain::paging::PageSize;
use domain::sleep::MetricKind;
use domain::sleep::packed::MetricWalk;
use domain::time::{TimeZone, UtcOffset, format};
use http_adapter::data::gate;
use http_adapter::problem::Problem;
use serde_json::{Value, json};

/// Maximum number of days of one answer.
pub(super) const MAX_DAYS: u64 = 366;
/// Maximum number of sessions that are read for one answer.
const MAX_SESSIONS: u16 = 4_000;

/// Metrics of a line, with their names.
const LINE_METRICS: [(MetricKind, &str); 9] = [
    (MetricKind::TimeNightAsleep, "asleep_minutes"),
    (MetricKind::TimeNightAwake, "awake_minutes"),
    (MetricKind::TimeNightLight, "light_minutes"),
    (MetricKind::TimeNightDeep, "deep_minutes"),
    (MetricKind::TimeNightRem, "rem_minutes"),
    (MetricKind::SleepLatency, "latency_minutes"),
    (MetricKind::SleepEfficiency, "efficiency_percent"),
    (MetricKind::SleepWakeups, "wakeups"),
    (MetricKind::WakeupsOver15Minutes, "wakeups_over_15_minutes"),
];

/// Sessions of a range, the latest first.
pub(super) struct Sessions {
    pub(super) rows: Vec<PackedSleepRow>,
    /// The days whose sessions are all there.
    pub(super) range: DayRange,
}

/// Reads the sessions that end on the days of a range, within the concurrency limits.
pub(super) async fn read(
    call: &ToolCall<'_>,
    access: &GrantedAccess,
    range: DayRange,
    with_states: bool,
) -> Result<Sessions, Problem> {
    let zone = access.home_timezone;
    let DayRange { first, last } = range;
    let limit = PageSize::new(MAX_SESSIONS).unwrap_or(PageSize::SLEEP_DEFAULT);
    let query = NightsQuery { user_id: access.user_id, first, last, zone, with_states, limit };
    let permit = gate::begin_page(&call.state.api, access)?;
    let (mut rows, is_cut) = call.state.api.read_records.nights(access, query).await?;
    drop(permit);
    let mut complete = range;
    let date = |row: &PackedSleepRow| row.waking_date(zone);
    // The earliest day may lack sessions. If it is the only one, it is shown nevertheless.
    if let Some(earliest) = rows.last().map(date).filter(|_| is_cut) {
        if rows.first().is_some_and(|row| date(row) > earliest) {
            rows.retain(|row| date(row) > earliest);
        }
        complete.first = rows.last().map_or(first, date);
    }
    Ok(Sessions { rows, range: complete })
}

/// Adds the latest date with sleep to an answer about dates without any; `null` if nothing is recorded.
pub(super) async fn add_latest_date(
    call: &ToolCall<'_>,
    access: &GrantedAccess,
    rows: &[PackedSleepRow],
    answer: &mut Value,
) -> Result<(), StorageError> {
    if rows.is_empty() {
        let latest = call.state.nights.latest(access.user_id, access.home_timezone).await?;
        put(answer, "latest_date_on_record", json!(latest.map(|date| date.to_string())));
    }
    Ok(())
}

/// Describes a session: times in the zone of the recording, or else in that of the person.
pub(super) fn line(row: &PackedSleepRow, zone: TimeZone) -> Result<Value, StorageError> {
    let mut line = json!({
        "date": row.waking_date(zone).to_string(),
        "session_id": row.id.to_string(),
        "source": row.source,
        "start": time(row.started_at_millis, row.offset_at_start, zone),
        "end": time(row.ended_at_millis, row.offset_at_end, zone),
        "is_nap": row.is_nap,
        "in_bed_minutes": minutes(row.ended_at_millis.saturating_sub(row.started_at_millis)),
    });
    let corrupt = |_| row.corrupt(PackedPart::Metrics);
    for metric in MetricWalk::new(&row.metrics).map_err(corrupt)? {
        let (kind, value) = metric.map_err(corrupt)?;
        let named = LINE_METRICS.into_iter().find(|(named, _)| *named == kind);
        if let (Some((_, name)), Some(members)) = (named, line.as_object_mut()) {
            let value = if name.ends_with("_minutes") && kind != MetricKind::WakeupsOver15Minutes {
                tenth(value.as_f64() / 60.0)
            } else {
                tenth(value.as_f64())
            };
            members.insert(name.to_owned(), value);
        }
    }
    Ok(line)
}

/// Formats an instant with the offset of the recording, or else that of the person's zone.
pub(super) fn time(millis: i64, offset: Option<UtcOffset>, zone: TimeZone) -> String {
    let at_home = || zone.offset_at(DateTime::from_timestamp_millis(millis).unwrap_or_default());
    format::millis(millis, Some(offset.unwrap_or_else(at_home)))
}

/// Converts milliseconds to minutes, to one decimal.
pub(super) fn minutes(millis: i64) -> Value {
    // A session lasts at most a week: 32 bits of seconds are exact.
    let seconds = u32::try_from(millis / 1_000).unwrap_or(u32::MAX);
    tenth(f64::from(seconds) / 60.0)
}

/// Rounds to one decimal; whole numbers have none.
fn tenth(value: f64) -> Value {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded.fract() == 0.0 {
        format!("{rounded:.0}").parse::<i64>().map_or(Value::Null, Value::from)
    } else {
        rounded.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_have_one_decimal_unless_they_are_whole() {
        for (millis, text) in
            [(0, "0"), (60_000, "1"), (90_000, "1.5"), (100_000, "1.7"), (28_800_000, "480")]
        {
            assert_eq!(minutes(millis).to_string(), text);
        }
        assert_eq!(tenth(91.25).to_string(), "91.3");
    }
}
