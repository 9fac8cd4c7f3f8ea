//! Conversion of a row to a night or a nap.

use crate::input::Fields;
use crate::session;
use crate::source::Notes;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, Stage, StageEntry};
use domain::time::UtcOffset;

const SOURCE: &str = "sleepmeter";

/// Converts a row, or returns why it is invalid.
pub(super) fn read(row: &Fields<'_>, notes: &mut Notes) -> Result<SleepRecord, String> {
    let (bedtime, sleep, wake) = (time(row, "bedtime")?, time(row, "sleep")?, time(row, "wake")?);
    let time_in_bed = session::time_in_bed(bedtime, wake)?;
    if !(bedtime.0..=wake.0).contains(&sleep.0) {
        return Err("sleep is not between bedtime and wake".to_owned());
    }
    let mut entries = awake_periods(row, sleep.0, wake.0, notes)?;
    // Equal times mean a time of no length; if sleep is wake, there was no sleep at all.
    entries.extend(StageEntry::new(Stage::Awake, bedtime.0, sleep.0));
    entries.extend(StageEntry::new(Stage::Asleep, sleep.0, wake.0));
    let hypnogram = Hypnogram::flatten(entries, &time_in_bed).map_err(|error| error.to_string())?;
    let head = SleepRecordHead {
        key: SessionKey::derived_from(time_in_bed.start()),
        source: session::source(SOURCE)?,
        time_in_bed,
        is_nap: is_nap(row, notes),
    };
    SleepRecord::from_stages(head, hypnogram).map_err(|error| error.to_string())
}

fn time(row: &Fields<'_>, name: &str) -> Result<(DateTime<Utc>, Option<UtcOffset>), String> {
    let text = row.get(name).ok_or_else(|| format!("{name} is missing"))?;
    let wrong = || format!("{name} is not a date and time with an offset, such as 2026-03-08 23:10+0100");
    let time = DateTime::parse_from_str(text, "%Y-%m-%d %H:%M%z").map_err(|_| wrong())?;
    let offset = UtcOffset::from_seconds(time.offset().local_minus_utc()).ok_or_else(wrong)?;
    Ok((time.to_utc(), Some(offset)))
}

fn is_nap(row: &Fields<'_>, notes: &mut Notes) -> Option<bool> {
    match row.get("type") {
        Some("NAP") => Some(true),
        Some("NIGHT_SLEEP") => Some(false),
        None => None,
        Some(_) => {
            notes.add("type is neither NIGHT_SLEEP nor NAP");
            None
        }
    }
}

/// Reads `holes`: pairs of minutes after falling asleep, from waking to falling asleep again.
fn awake_periods(
    row: &Fields<'_>,
    sleep: DateTime<Utc>,
    wake: DateTime<Utc>,
    notes: &mut Notes,
) -> Result<Vec<StageEntry>, String> {
    let Some(text) = row.get("holes") else { return Ok(Vec::new()) };
    if text.split('|').count() > Hypnogram::MAX_ENTRIES.saturating_sub(2) {
        return Err(format!("holes has more than {} entries", Hypnogram::MAX_ENTRIES.saturating_sub(2)));
    }
    let mut omitted = 0_usize;
    let mut entries = Vec::new();
    for pair in text.split('|') {
        match awake_period(pair, sleep).filter(|entry| entry.end() <= wake) {
            Some(entry) => entries.push(entry),
            None => omitted = omitted.saturating_add(1),
        }
    }
    notes.count(omitted, "entries of holes that are not two minutes of the sleep in order were omitted");
    Ok(entries)
}

fn awake_period(pair: &str, sleep: DateTime<Utc>) -> Option<StageEntry> {
    let (start, end) = pair.split_once('-')?;
    let at = |minutes: &str| {
        let minutes = minutes.bytes().all(|byte| byte.is_ascii_digit()).then(|| minutes.parse().ok())??;
        sleep.checked_add_signed(TimeDelta::try_minutes(minutes)?)
    };
    StageEntry::new(Stage::Awake, at(start)?, at(end)?).ok()
}
