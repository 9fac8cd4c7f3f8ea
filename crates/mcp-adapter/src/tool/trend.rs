//! `get_sleep_trend`: medians and quartiles per week or month.

use super::answer::{cut, put};
use super::argument::InvalidArgument;
use super::days::DayRange;
use super::session::{self, MAX_DAYS, Sessions};
use super::sleep::spans;
use super::{ToolCall, ToolError};
use chrono::{NaiveDate, NaiveTime, TimeDelta};
use domain::data_kind::DataKind;
use domain::deceptive_text::without_deceptive;
use domain::sleep::regularity::ClockTimes;
use domain::sleep::trend::{
    self, DatedNight, SourceNights, Spread, all_together, durations, month_of, week_of,
};
use domain::time::TimeZone;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Days of a range without `from`: four weeks.
const USUAL_DAYS: u64 = 28;
/// Longest range that is summarized by week.
const MAX_DAYS_BY_WEEK: i64 = 182;
/// Maximum number of sources that are named.
const MAX_SOURCES: usize = 6;

pub(super) async fn run(call: &ToolCall<'_>) -> Result<Value, ToolError> {
    let access = call.admit(DataKind::Sleep).await?;
    let (zone, today) = (access.home_timezone, call.today(&access));
    let arguments = call.arguments(&["from", "to", "source"])?;
    let asked = DayRange::read(arguments, today, USUAL_DAYS)?;
    let wanted = arguments.text("source")?;
    let Sessions { rows, range } = session::read(call, &access, asked.latest(MAX_DAYS), false).await?;
    let spans = spans(&rows, zone)?;
    let days = trend::days(&spans, zone);
    let sources = trend::sources(&days);
    let chosen = choose(&sources, wanted)?;
    let nights = chosen.map(|chosen| trend::nights_of(&days, chosen.source)).unwrap_or_default();
    let by_week = range.days() <= MAX_DAYS_BY_WEEK;
    let first_of = if by_week { week_of } else { month_of };
    let dates: BTreeSet<NaiveDate> = nights.iter().map(|night| night.date).collect();
    let (missing_days, missing) = range.missing(&dates, today);
    let named = sources.iter().take(MAX_SOURCES);
    let mut answer = json!({
        "time_zone": zone.name(),
        "today": today.to_string(),
        "from": range.first.to_string(),
        "to": range.last.to_string(),
        "sources": named.map(|found| json!({ "source": found.source, "nights": found.nights })).collect::<Vec<_>>(),
        "source": chosen.and_then(|chosen| chosen.source),
        "n": nights.len(),
        "all": summary(&nights, all_together, zone).pop().map(|(_, all)| all),
        "period": if by_week { "week" } else { "month" },
        "periods": periods(&nights, first_of, zone),
        "missing_days": missing_days,
        "missing": missing,
        "cut": null,
    });
    session::add_latest_date(call, &access, &rows, &mut answer).await?;
    if let Some(mut next) = asked.before(range.first) {
        if let Some(source) = wanted {
            put(&mut next, "source", source.into());
        }
        put(&mut answer, "cut", cut("A trend covers at most 366 days; earlier ones are left out.", &[next]));
    }
    Ok(answer)
}

/// Returns the requested source, or the one with the most nights.
fn choose<'s>(
    sources: &[SourceNights<'s>],
    wanted: Option<&str>,
) -> Result<Option<SourceNights<'s>>, InvalidArgument> {
    let Some(wanted) = wanted else { return Ok(sources.first().copied()) };
    // The empty text means sessions without a source. Answers contain sanitized sources.
    let found = sources.iter().find(|found| without_deceptive(found.source.unwrap_or_default()) == wanted);
    let unknown =
        || InvalidArgument("source must be one that this tool returned for these dates.".to_owned());
    found.copied().map(Some).ok_or_else(unknown)
}

/// Returns the summary of each period by its first date, the earliest first.
fn periods(nights: &[DatedNight<'_>], first_of: fn(NaiveDate) -> NaiveDate, zone: TimeZone) -> Vec<Value> {
    let dated = |(first, mut summary): (NaiveDate, Value)| {
        put(&mut summary, "first", first.to_string().into());
        summary
    };
    summary(nights, first_of, zone).into_iter().map(dated).collect()
}

fn summary(
    nights: &[DatedNight<'_>],
    first_of: fn(NaiveDate) -> NaiveDate,
    zone: TimeZone,
) -> Vec<(NaiveDate, Value)> {
    let of_period = |period: trend::PeriodDurations| {
        let of_period: Vec<_> =
            nights.iter().filter(|night| first_of(night.date) == period.first).copied().collect();
        let clock = ClockTimes::from_nights(&of_period, zone).map(|times| times.spread);
        let summary = json!({
            "in_bed_minutes": spread(period.in_bed, session::minutes),
            "asleep_minutes": period.asleep.map(|asleep| spread(asleep, session::minutes)),
            "bedtime": clock.map(|clock| spread(clock.bedtime, after_noon)),
            "wake_time": clock.map(|clock| spread(clock.wake_time, after_noon)),
        });
        (period.first, summary)
    };
    durations(nights, first_of).into_iter().map(of_period).collect()
}

fn spread(spread: Spread, format: fn(i64) -> Value) -> Value {
    let Spread { n, lower, median, upper } = spread;
    json!({ "n": n, "lower": format(lower), "median": format(median), "upper": format(upper) })
}

/// Formats milliseconds after noon as a time of day.
fn after_noon(millis: i64) -> Value {
    let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or_default();
    noon.overflowing_add_signed(TimeDelta::milliseconds(millis)).0.format("%H:%M").to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_after_noon_are_times_of_day() {
        for (hours, text) in
            [(0.0, "12:00"), (11.5, "23:30"), (12.0, "00:00"), (19.25, "07:15"), (24.0, "12:00")]
        {
            #[expect(clippy::cast_possible_truncation, reason = "a few hours in milliseconds")]
            let millis = (hours * 3_600_000.0) as i64;
            assert_eq!(after_noon(millis), text);
        }
    }

    #[test]
    fn a_source_is_the_one_asked_for_or_the_one_with_most_nights() {
        let sources =
            [SourceNights { source: Some("Ring"), nights: 3 }, SourceNights { source: None, nights: 1 }];
        let chosen = |wanted| choose(&sources, wanted).map(|chosen| chosen.map(|chosen| chosen.nights));
        assert_eq!(chosen(None), Ok(Some(3)));
        assert_eq!(chosen(Some("")), Ok(Some(1)));
        assert!(chosen(Some("Watch")).is_err());
        let deceptive = [SourceNights { source: Some("Ri\u{200b}ng"), nights: 3 }];
        assert!(choose(&deceptive, Some("Ring")).is_ok_and(|chosen| chosen.is_some()));
        assert_eq!(choose(&[], None), Ok(None));
    }
}
