//! `get_sleep`: a line per session, and medians.

use super::answer::{Room, cut, put};
use super::days::{DayRange, days_before};
use super::session::{self, MAX_DAYS, Sessions};
use super::{ToolCall, ToolError};
use application::StorageError;
use application::night::recordings;
use application::read::PackedSleepRow;
use chrono::NaiveDate;
use domain::data_kind::DataKind;
use domain::sleep::trend::{self, SleepSpan, Spread, all_together};
use domain::time::TimeZone;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Maximum number of sources with medians.
const MAX_SOURCES: usize = 6;

pub(super) async fn run(call: &ToolCall<'_>) -> Result<Value, ToolError> {
    let access = call.admit(DataKind::Sleep).await?;
    let (zone, today) = (access.home_timezone, call.today(&access));
    let asked = DayRange::read(call.arguments(&["from", "to"])?, today, 1)?;
    let Sessions { rows, range } = session::read(call, &access, asked.latest(MAX_DAYS), false).await?;
    let dates: BTreeSet<NaiveDate> = rows.iter().map(|row| row.waking_date(zone)).collect();
    let (missing_days, missing) = range.missing(&dates, today);
    let mut answer = json!({
        "time_zone": zone.name(),
        "today": today.to_string(),
        "from": range.first.to_string(),
        "to": range.last.to_string(),
        "nights": [],
        "medians": medians(&rows, zone)?,
        "missing_days": missing_days,
        "missing": missing,
        "cut": null,
    });
    session::add_latest_date(call, &access, &rows, &mut answer).await?;
    let (nights, unshown) = fill(&rows, zone, Room::beside(&answer))?;
    put(&mut answer, "nights", Value::Array(nights));
    let first_shown = unshown.map_or(range.first, |date| date.succ_opt().unwrap_or(date));
    if let Some(next) = asked.before(first_shown) {
        let note = format!(
            "Earlier nights are left out. The medians cover {} to {}; ask for earlier dates separately.",
            range.first, range.last
        );
        put(&mut answer, "cut", cut(&note, &[next]));
    } else if unshown.is_some() {
        put(&mut answer, "cut", cut("Some sessions of the earliest date are left out.", &[]));
    }
    Ok(answer)
}

/// Returns as many lines as fit, and the latest date that is not shown in full. At least the latest date is
/// shown as far as it fits.
fn fill(
    rows: &[PackedSleepRow],
    zone: TimeZone,
    mut room: Room,
) -> Result<(Vec<Value>, Option<NaiveDate>), StorageError> {
    let mut lines = Vec::new();
    for row in rows {
        let line = session::line(row, zone)?;
        if room.take(&line) {
            lines.push((row.waking_date(zone), line));
            continue;
        }
        let unshown = row.waking_date(zone);
        if lines.iter().any(|(date, _)| *date > unshown) {
            lines.retain(|(date, _)| *date > unshown);
            return Ok((values(lines), Some(unshown)));
        }
        return Ok((values(lines), Some(days_before(unshown, 1))));
    }
    Ok((values(lines), None))
}

fn values(lines: Vec<(NaiveDate, Value)>) -> Vec<Value> {
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Returns the medians of each source's nights: the longest session of a date that is not a nap.
fn medians(rows: &[PackedSleepRow], zone: TimeZone) -> Result<Vec<Value>, StorageError> {
    let spans = spans(rows, zone)?;
    let days = trend::days(&spans, zone);
    let of_source = |source: Option<&str>| {
        let nights = trend::nights_of(&days, source);
        let all = trend::durations(&nights, all_together).first().copied()?;
        Some(json!({
            "source": source,
            "n": nights.len(),
            "in_bed_minutes": session::minutes(all.in_bed.median),
            "asleep_minutes": all.asleep.map(|asleep| session::minutes(asleep.median)),
            "asleep_n": all.asleep.map_or(0, |Spread { n, .. }| n),
        }))
    };
    let sources = trend::sources(&days).into_iter().take(MAX_SOURCES);
    Ok(sources.filter_map(|found| of_source(found.source)).collect())
}

/// Decodes what trends need of each session.
pub(super) fn spans(rows: &[PackedSleepRow], zone: TimeZone) -> Result<Vec<SleepSpan>, StorageError> {
    Ok(recordings(rows, zone)?.into_iter().map(|recording| recording.span).collect())
}
