//! Length of each night, with the median of each week.

use super::view::{Bar, Durations, Lines, MedianMark, NightLine, RowName, TextAlternative, TextX, Tick};
use super::{dates, period_line, raster::Weeks, scale, tick};
use crate::moment;
use chrono::{Datelike, Days, NaiveDate};
use domain::counted;
use domain::sleep::trend::{DatedNight, PeriodDurations, all_together, durations as summarize, week_of};

const HEIGHT: i64 = 180;
/// Width of the place of one night.
const SLOT: i64 = 20;
const HOUR_MILLIS: i64 = 3_600_000;
/// Minimum number of days for which a week is labelled.
const MIN_LABELLED_DAYS: i64 = 4;
/// Minimum value of the top of the axis, in hours.
const MIN_TOP_HOURS: i64 = 10;

/// Draws the nights of one source.
pub(crate) fn durations(nights: &[DatedNight<'_>], weeks: Weeks) -> Durations {
    let longest = nights.iter().map(|night| night.span.in_bed_millis()).max().unwrap_or_default();
    let top = ((longest + 2 * HOUR_MILLIS - 1) / (2 * HOUR_MILLIS) * 2).max(MIN_TOP_HOURS);
    let has_asleep = nights.iter().any(|night| night.span.asleep_millis.is_some());
    let step = if top > 48 {
        24
    } else if top > 14 {
        4
    } else {
        2
    };
    let hours: Vec<i64> = (0..=top).step_by(step).collect();
    let y = |millis: i64| HEIGHT - scale(millis, 0, top * HOUR_MILLIS, HEIGHT);
    // A median of a partial week would be mistaken for that of a whole week.
    let periods: Vec<_> =
        summarize(nights, week_of).into_iter().filter(|period| period.first >= weeks.first).collect();
    Durations {
        finding: finding(nights, weeks),
        width: width(weeks),
        height: HEIGHT,
        rows: hours
            .iter()
            .map(|hour| RowName { y: y(hour * HOUR_MILLIS) + 4, name: format!("{hour} h") })
            .collect(),
        lines: hours.iter().map(|hour| y(hour * HOUR_MILLIS)).collect(),
        bars: nights.iter().flat_map(|night| bars(night, weeks, y)).collect(),
        medians: periods.iter().map(|period| median(period, nights, weeks, has_asleep, y)).collect(),
        ticks: ticks(weeks),
        has_asleep,
        nights: nights.iter().map(line).collect(),
        weeks: periods.iter().map(|period| period_line(week_name(period.first), None, period)).collect(),
    }
}

fn width(weeks: Weeks) -> i64 {
    SLOT * i64::try_from(weeks.dates().count()).unwrap_or(1)
}

fn place(date: NaiveDate, weeks: Weeks) -> i64 {
    SLOT * (date - weeks.first).num_days()
}

fn week_name(first: NaiveDate) -> String {
    dates(first, first.checked_add_days(Days::new(6)).unwrap_or(first))
}

fn finding(nights: &[DatedNight<'_>], weeks: Weeks) -> TextAlternative {
    let title = format!("Length of nights from {}", dates(weeks.first, weeks.last));
    let all = summarize(nights, all_together);
    let text = match all.first() {
        None => "No nights.".to_owned(),
        Some(PeriodDurations { in_bed, asleep: None, .. }) => {
            format!("Median of {}: {} in bed.", counted(in_bed.n, "night"), moment::duration(in_bed.median))
        }
        Some(PeriodDurations { in_bed, asleep: Some(asleep), .. }) => {
            let known =
                if asleep.n == in_bed.n { String::new() } else { format!(" (known for {})", asleep.n) };
            format!(
                "Median of {}: {} asleep{known}, {} in bed.",
                counted(in_bed.n, "night"),
                moment::duration(asleep.median),
                moment::duration(in_bed.median),
            )
        }
    };
    TextAlternative { id: "durations", title, text }
}

/// Draws a night: the time in bed as an outline, the time asleep within.
fn bars(night: &DatedNight<'_>, weeks: Weeks, y: impl Fn(i64) -> i64) -> Vec<Bar> {
    let (in_bed, asleep) = (night.span.in_bed_millis(), night.span.asleep_millis);
    let day = moment::short_day(night.date);
    let tip = match asleep {
        Some(asleep) => {
            format!("{day}: {} asleep, {} in bed", moment::duration(asleep), moment::duration(in_bed))
        }
        None => format!("{day}: {} in bed", moment::duration(in_bed)),
    };
    let bar = |class, millis, tip| {
        let top = y(millis);
        let height = (HEIGHT - top).max(1);
        Bar { class, x: place(night.date, weeks) + 3, y: top, width: SLOT - 6, height, tip }
    };
    let asleep = asleep.map(|asleep| bar("slept", asleep, Some(tip.clone())));
    std::iter::once(bar("in-bed", in_bed, Some(tip))).chain(asleep).collect()
}

fn line(night: &DatedNight<'_>) -> NightLine {
    NightLine {
        day: moment::short_day(night.date),
        in_bed: moment::duration(night.span.in_bed_millis()),
        asleep: night.span.asleep_millis.map(moment::duration),
    }
}

/// Draws the median of a week over the days that it is of.
fn median(
    period: &PeriodDurations,
    nights: &[DatedNight<'_>],
    weeks: Weeks,
    has_asleep: bool,
    y: impl Fn(i64) -> i64,
) -> MedianMark {
    let of_asleep = period.asleep.filter(|_| has_asleep);
    let spread = of_asleep.unwrap_or(period.in_bed);
    let x = place(period.first, weeks);
    let last = period.first.checked_add_days(Days::new(6)).unwrap_or(period.first).min(weeks.last);
    let end = place(last, weeks) + SLOT;
    let used = nights.iter().filter(|night| {
        week_of(night.date) == period.first && (of_asleep.is_none() || night.span.asleep_millis.is_some())
    });
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for x in used.map(|night| place(night.date, weeks)) {
        match runs.last_mut() {
            Some((_, end)) if *end == x => *end += SLOT,
            _ => runs.push((x, x + SLOT)),
        }
    }
    let middle = runs.first().zip(runs.last()).map_or(x, |(first, last)| i64::midpoint(first.0, last.1));
    let mut line = Lines::default();
    for (from, to) in runs {
        line.horizontal(y(spread.median), from, to);
    }
    MedianMark {
        line: line.into_path(),
        text_x: TextX::above(middle, width(weeks)),
        label: (end - x >= MIN_LABELLED_DAYS * SLOT).then(|| moment::short_duration(spread.median)),
        n: spread.n,
    }
}

fn ticks(weeks: Weeks) -> Vec<Tick> {
    let mondays = weeks.dates().filter(|date| week_of(*date) == *date);
    let label = |date: NaiveDate| format!("{} {}", date.day(), date.format("%b"));
    mondays.map(|date| tick(place(date, weeks) + SLOT / 2, width(weeks), label(date))).collect()
}
