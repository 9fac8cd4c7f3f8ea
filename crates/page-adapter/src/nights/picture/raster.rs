//! Nights of several weeks, a row per day.

use super::view::{Bar, LaneName, Raster, RowName, SleepLine, TextAlternative, Tick};
use super::{dates, source_name, tick};
use crate::moment::{self, OwnTimes};
use chrono::NaiveDate;
use domain::counted;
use domain::sleep::NoonDay;
use domain::sleep::trend::{SleepDay, SleepSpan, sources};
use domain::time::TimeZone;

/// Width of the plot: minutes on the clock from noon to noon.
const WIDTH: i64 = 24 * 60;
const ROW_HEIGHT: i64 = 18;
const BAR_HEIGHT: i64 = 14;
/// Maximum number of lanes of a row; further sources share the last one.
const MAX_LANES: usize = 3;
/// Maximum number of bars with tooltips.
const MAX_TIPS: usize = 150;
/// Maximum number of sessions per day and source in the table.
const MAX_LINES_A_DAY: usize = 4;
/// Maximum number of sessions in the table.
const MAX_LINES: usize = 80;

/// Dates of a picture, and the zone of its times.
#[derive(Clone, Copy)]
pub(crate) struct Weeks {
    pub(crate) first: NaiveDate,
    pub(crate) last: NaiveDate,
    pub(crate) zone: TimeZone,
}

impl Weeks {
    /// Lists the dates.
    pub(super) fn dates(self) -> impl Iterator<Item = NaiveDate> {
        self.first.iter_days().take_while(move |date| *date <= self.last)
    }
}

/// Draws sessions; `days` has those of these weeks.
pub(crate) fn raster(days: &[SleepDay<'_>], weeks: Weeks) -> Raster {
    let lanes: Vec<_> = sources(days).iter().map(|found| found.source).collect();
    let spans: Vec<_> = all(days).collect();
    let rows: Vec<_> = weeks.dates().map(|date| NoonDay::new(date, weeks.zone)).collect();
    let has_tips = spans.len() <= MAX_TIPS;
    let mut bars = Vec::new();
    for span in &spans {
        bars.extend(span_bars(span, &rows, &lanes, has_tips, weeks.zone));
    }
    // On top, because people mostly sleep through a change.
    let changes: Vec<_> = rows.iter().zip(0..).filter_map(|(day, row)| change_bar(day, row)).collect();
    let has_changes = !changes.is_empty();
    bars.extend(changes);
    let (listed, more_lines) = lines(days, weeks.zone);
    Raster {
        finding: finding(days, weeks),
        height: ROW_HEIGHT * i64::try_from(rows.len()).unwrap_or_default(),
        rows: rows.iter().zip(0..).map(|(day, row)| name(row, moment::short_day(day.date()))).collect(),
        bars,
        ticks: ticks(),
        notes: rows.iter().zip(0..).filter_map(|(day, row)| Some(name(row, hours(day)?))).collect(),
        lanes: lane_names(&lanes),
        has_naps: spans.iter().any(|span| span.is_nap()),
        has_changes,
        lines: listed,
        more_lines,
    }
}

fn all<'s>(days: &[SleepDay<'s>]) -> impl Iterator<Item = &'s SleepSpan> {
    let sources = days.iter().flat_map(|day| &day.sources);
    sources.flat_map(|source| source.night.into_iter().chain(source.others.iter().copied()))
}

fn finding(days: &[SleepDay<'_>], weeks: Weeks) -> TextAlternative {
    let nights = days.iter().filter(|day| day.sources.iter().any(|source| source.night.is_some())).count();
    let naps = all(days).filter(|span| span.is_nap()).count();
    let total = weeks.dates().count();
    let mut text = format!("Nights on {nights} of {}", counted(total, "day"));
    if naps > 0 {
        text = format!("{text}, {}", counted(naps, "nap"));
    }
    let sources = sources(days).len();
    if sources > 1 {
        text = format!("{text}, from {}", counted(sources, "source"));
    }
    let title = format!("Sleep from {}", dates(weeks.first, weeks.last));
    TextAlternative { id: "raster", title, text: format!("{text}.") }
}

fn name(row: i64, name: String) -> RowName {
    RowName { y: row * ROW_HEIGHT + ROW_HEIGHT / 2 + 4, name }
}

fn hours(day: &NoonDay) -> Option<String> {
    day.change()?;
    let minutes = (day.end_millis() - day.start_millis()) / 60_000;
    let half = if minutes % 60 == 0 { "" } else { "½" };
    Some(format!("{}{half} h day", minutes / 60))
}

/// Draws the time that a clock change skips or repeats.
fn change_bar(day: &NoonDay, row: i64) -> Option<Bar> {
    let change = day.change()?;
    let (class, from, to) = if change.forward > 0 {
        ("skipped", change.minute, change.minute + change.forward)
    } else {
        ("repeated", change.minute + change.forward, change.minute)
    };
    let [first, last] = [from, to].map(|minute| moment::after_noon(minute * 60_000));
    let tip = format!("{first} to {last} {}", if change.forward > 0 { "skipped" } else { "twice" });
    let y = row * ROW_HEIGHT;
    Some(Bar { class, x: from, y, width: to - from, height: ROW_HEIGHT, tip: Some(tip) })
}

/// Draws a session, by its own clock, in each row that it reaches into.
fn span_bars<'a>(
    span: &'a SleepSpan,
    rows: &'a [NoonDay],
    lanes: &[Option<&str>],
    has_tip: bool,
    zone: TimeZone,
) -> impl Iterator<Item = Bar> + 'a {
    let count = i64::try_from(lanes.len().clamp(1, MAX_LANES)).unwrap_or(1);
    let lane = lane_of(lanes, span.source.as_deref());
    let height = BAR_HEIGHT / count;
    let class = class(lane, span.is_nap());
    let tip = move || {
        let (date, time) = (span.date(zone), moment::span(span, zone));
        let length = moment::duration(span.in_bed_millis());
        let nap = if span.is_nap() { "nap, " } else { "" };
        format!("{}, {time}, {nap}{length}", moment::weekday_and_day(date))
    };
    let OwnTimes { start_millis: start, end_millis: end, zone: shown, .. } = moment::own_times(span, zone);
    rows.iter().zip(0..).filter_map(move |(day, row)| {
        let day = if shown == zone { *day } else { NoonDay::new(day.date(), shown) };
        let is_here = start < day.end_millis() && day.start_millis() < end;
        let minute = |millis| (day.clock_millis(millis) / 60_000).clamp(0, WIDTH);
        // A session that began before the row, or ends after it, reaches to its edge.
        let from = if start < day.start_millis() { 0 } else { minute(start) };
        let to = if end >= day.end_millis() { WIDTH } else { minute(end) };
        let y = row * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2 + i64::try_from(lane).ok()? * height;
        let width = (to - from).max(2);
        let gap = i64::from(count > 1);
        let tip = has_tip.then(tip);
        is_here.then(|| Bar { class, x: from, y, width, height: height - gap, tip })
    })
}

/// Returns the lane of a source.
pub(crate) fn lane_of(lanes: &[Option<&str>], source: Option<&str>) -> usize {
    lanes.iter().position(|lane| *lane == source).unwrap_or_default().min(MAX_LANES - 1)
}

const fn class(lane: usize, is_nap: bool) -> &'static str {
    match (lane, is_nap) {
        (0, false) => "one",
        (0, true) => "one nap",
        (1, false) => "two",
        (1, true) => "two nap",
        (_, false) => "three",
        (_, true) => "three nap",
    }
}

fn lane_names(lanes: &[Option<&str>]) -> Vec<LaneName> {
    let named = lanes.iter().take(MAX_LANES).zip(0..).map(|(source, lane)| {
        let others = if lane + 1 == MAX_LANES { lanes.len().saturating_sub(MAX_LANES) } else { 0 };
        let name = source_name(*source);
        let name = if others > 0 { format!("{name} and {}", counted(others, "other")) } else { name };
        LaneName { class: class(lane, false), name }
    });
    named.collect()
}

fn ticks() -> Vec<Tick> {
    (0..=4)
        .map(|quarter| quarter * WIDTH / 4)
        .map(|x| tick(x, WIDTH, moment::after_noon(x * 60_000)))
        .collect()
}

/// Lists the sessions, latest first, and counts those that are left out.
fn lines(days: &[SleepDay<'_>], zone: TimeZone) -> (Vec<SleepLine>, usize) {
    let mut lines = Vec::new();
    for day in days.iter().rev() {
        for source in &day.sources {
            let spans = source.night.into_iter().chain(source.others.iter().copied());
            let room = MAX_LINES_A_DAY.min(MAX_LINES.saturating_sub(lines.len()));
            lines.extend(spans.take(room).map(|span| sleep_line(span, zone)));
        }
    }
    let left_out = all(days).count() - lines.len();
    (lines, left_out)
}

/// Describes a session in a table.
pub(crate) fn sleep_line(span: &SleepSpan, zone: TimeZone) -> SleepLine {
    let date = span.date(zone);
    let own = moment::own_times(span, zone);
    SleepLine {
        id: span.id.to_string(),
        day: crate::view::Moment { text: moment::weekday_and_day(date), machine: date.to_string() },
        time: moment::span(span, zone),
        in_bed: moment::duration(span.in_bed_millis()),
        asleep: span.asleep_millis.map(moment::duration),
        source: source_name(span.source.as_deref()),
        is_nap: span.is_nap(),
        change: clock_change(own.start_millis, own.end_millis, own.zone),
    }
}

/// Describes a change of the clocks between two instants.
pub(crate) fn clock_change(start_millis: i64, end_millis: i64, zone: TimeZone) -> Option<&'static str> {
    let changes = NoonDay::changes_between(start_millis, end_millis, zone);
    changes.first().map(
        |(change, _)| {
            if change.forward > 0 { "clocks went forward" } else { "clocks went back" }
        },
    )
}
