//! Stages of one night.

use super::view::{Bar, ChangeMark, Hypnogram, Lines, RowName, StageLine, TextAlternative, TextX, Tick};
use super::{scale, tick};
use crate::moment;
use chrono::{DateTime, TimeDelta, Timelike};
use domain::counted;
use domain::sleep::{ClockChange, MetricKind, NoonDay, SleepRecord, Stage, StageEntry};
use domain::time::TimeZone;

/// Width of the plot.
const WIDTH: i64 = 720;
/// Minimum distance of an hour's tick from those of the start and the end.
const TICK_DISTANCE: i64 = 130;
const ROW_HEIGHT: i64 = 32;
const BAR_HEIGHT: i64 = 12;
/// REM is emphasised.
const REM_HEIGHT: i64 = 18;
/// Maximum number of bars with tooltips; more are too narrow to point at.
const MAX_TIPS: usize = 150;
/// Maximum number of stages in the table.
const MAX_LINES: usize = 200;
/// Sleep of this length between two stages of REM separates two REM periods (Feinberg and Floyd, 1979).
const REM_PAUSE_MILLIS: i64 = 15 * 60_000;
const QUARTER_HOUR_MILLIS: i64 = 15 * 60_000;

/// Draws the stages; `None` if there are none.
pub(crate) fn hypnogram(record: &SleepRecord, zone: TimeZone) -> Option<Hypnogram> {
    let entries = record.hypnogram().entries();
    let frame = record.time_in_bed();
    let (start, end) = (frame.start_millis(), frame.end_millis());
    if entries.is_empty() {
        return None;
    }
    let rows = rows(entries);
    let bars = merged(entries, start, end);
    let has_tips = bars.len() <= MAX_TIPS;
    Some(Hypnogram {
        finding: TextAlternative { id: "hypnogram", title: "Sleep stages".to_owned(), text: finding(record) },
        height: ROW_HEIGHT * i64::try_from(rows.len()).unwrap_or_default(),
        steps: steps(&bars, &rows),
        bars: bars.iter().map(|run| bar(run, &rows, has_tips, zone)).collect(),
        rows: rows.iter().zip(0..).map(|(stage, row)| row_name(*stage, row)).collect(),
        ticks: ticks(start, end, zone),
        changes: changes(start, end, zone),
        stages: entries.iter().take(MAX_LINES).map(|entry| line(entry, zone)).collect(),
        more_stages: entries.len().saturating_sub(MAX_LINES),
    })
}

/// Returns why a night has no hypnogram.
pub(crate) fn no_stages(record: &SleepRecord) -> &'static str {
    use MetricKind::{TimeNightDeep, TimeNightLight, TimeNightRem};
    let is_known = |kind: MetricKind| record.metrics().get(kind).is_some();
    if [TimeNightLight, TimeNightDeep, TimeNightRem].into_iter().any(is_known) {
        "This source recorded how long each stage lasted, but not when."
    } else {
        "This source recorded no sleep stages."
    }
}

/// Returns the name of a stage.
pub(crate) const fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Awake => "Awake",
        Stage::Rem => "REM",
        Stage::Light => "Light",
        Stage::Deep => "Deep",
        Stage::Asleep => "Asleep",
        Stage::Unknown => "Unknown",
    }
}

/// Counts REM periods: stages of REM with less than 15 minutes of other sleep between them are one.
pub(crate) fn rem_periods(entries: &[StageEntry]) -> usize {
    let (mut periods, mut pause) = (0, i64::MAX);
    for entry in entries {
        if entry.stage() == Stage::Rem {
            periods += usize::from(pause >= REM_PAUSE_MILLIS);
            pause = 0;
        } else if entry.stage().is_asleep() {
            pause = pause.saturating_add(entry.millis());
        }
    }
    periods
}

fn finding(record: &SleepRecord) -> String {
    let entries = record.hypnogram().entries();
    let asleep = entries.iter().filter(|entry| entry.stage().is_asleep()).map(StageEntry::millis).sum();
    let in_bed = moment::duration(record.time_in_bed().millis());
    let asleep = moment::duration(asleep);
    let rem = match rem_periods(entries) {
        0 => "no REM recorded".to_owned(),
        periods => counted(periods, "REM period"),
    };
    format!("{in_bed} in bed, {asleep} asleep, {rem}.")
}

/// Returns the rows from the top: the usual four, and the others if they occur.
fn rows(entries: &[StageEntry]) -> Vec<Stage> {
    let occurs = |stage: &Stage| entries.iter().any(|entry| entry.stage() == *stage);
    let mut rows = vec![Stage::Awake, Stage::Rem, Stage::Light, Stage::Deep];
    rows.extend([Stage::Asleep, Stage::Unknown].iter().filter(|stage| occurs(stage)));
    rows
}

fn row_name(stage: Stage, row: i64) -> RowName {
    RowName { y: row * ROW_HEIGHT + ROW_HEIGHT / 2 + 5, name: stage_name(stage).to_owned() }
}

/// Time in one stage, with its place on the axis.
struct Run {
    stage: Stage,
    start_millis: i64,
    end_millis: i64,
    from: i64,
    to: i64,
}

/// Joins adjacent equal stages, and drops what is narrower than the resolution.
fn merged(entries: &[StageEntry], start: i64, end: i64) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for entry in entries {
        let (start_millis, end_millis) = (entry.start_millis(), entry.end_millis());
        let [from, to] = [start_millis, end_millis].map(|at| scale(at, start, end, WIDTH));
        match runs.last_mut() {
            Some(last) if last.stage == entry.stage() && last.end_millis == start_millis => {
                (last.end_millis, last.to) = (end_millis, to);
            }
            _ if from == to => {}
            _ => runs.push(Run { stage: entry.stage(), start_millis, end_millis, from, to }),
        }
    }
    runs
}

fn middle(stage: Stage, rows: &[Stage]) -> i64 {
    let row = rows.iter().zip(0..).find(|(row, _)| **row == stage).map_or(0, |(_, row)| row);
    row * ROW_HEIGHT + ROW_HEIGHT / 2
}

fn bar(run: &Run, rows: &[Stage], has_tip: bool, zone: TimeZone) -> Bar {
    let height = if run.stage == Stage::Rem { REM_HEIGHT } else { BAR_HEIGHT };
    let time = || moment::from_to(run.start_millis, run.end_millis, zone);
    Bar {
        class: class(run.stage),
        x: run.from,
        y: middle(run.stage, rows) - height / 2,
        width: run.to - run.from,
        height,
        tip: has_tip.then(|| format!("{}, {}", stage_name(run.stage), time())),
    }
}

const fn class(stage: Stage) -> &'static str {
    match stage {
        Stage::Awake => "awake",
        Stage::Rem => "rem",
        Stage::Light => "light",
        Stage::Deep => "deep",
        Stage::Asleep => "asleep",
        Stage::Unknown => "unknown",
    }
}

/// Draws the line from each stage to the next; there is none over a gap.
fn steps(runs: &[Run], rows: &[Stage]) -> String {
    let mut lines = Lines::default();
    for (run, next) in runs.iter().zip(runs.iter().skip(1)) {
        if run.to == next.from && run.stage != next.stage {
            lines.vertical(next.from, middle(run.stage, rows), middle(next.stage, rows));
        }
    }
    lines.into_path()
}

/// Returns the start, at most about five full hours, and the end.
fn ticks(start: i64, end: i64, zone: TimeZone) -> Vec<Tick> {
    let hours = (end - start) / (4 * QUARTER_HOUR_MILLIS);
    let step = match hours {
        0..=4 => 1,
        5..=11 => 2,
        12..=23 => 4,
        24..=72 => 12,
        _ => 24,
    };
    let first = start.div_euclid(QUARTER_HOUR_MILLIS) + 1;
    let quarters = (first..).map(|quarter| quarter * QUARTER_HOUR_MILLIS).take_while(|at| *at < end);
    let shown = quarters.filter_map(|at| {
        let utc = DateTime::from_timestamp_millis(at)?;
        let local = utc.naive_utc() + TimeDelta::seconds(i64::from(zone.offset_at(utc).seconds()));
        let is_shown = local.minute() == 0 && local.hour().is_multiple_of(step);
        let x = scale(at, start, end, WIDTH);
        let has_room = (TICK_DISTANCE..=WIDTH - TICK_DISTANCE).contains(&x);
        (is_shown && has_room).then(|| tick(x, WIDTH, local.format("%H:%M").to_string()))
    });
    let edge = |x, at| std::iter::once(tick(x, WIDTH, moment::clock(at, zone)));
    edge(0, start).chain(shown).chain(edge(WIDTH, end)).collect()
}

/// Marks the clock changes within the night: the first instant after skipped time, or the whole repeated
/// time.
fn changes(start: i64, end: i64, zone: TimeZone) -> Vec<ChangeMark> {
    let mark = |(change, at): (ClockChange, i64)| {
        let (before, after) = (moment::after_noon(change.minute * 60_000), moment::clock(at, zone));
        let (label, until) = if change.forward > 0 {
            (format!("{before} to {after} skipped"), at)
        } else {
            (format!("{after} to {before} twice"), at - change.forward * 60_000)
        };
        let x = scale(at, start, end, WIDTH);
        let width = scale(until.min(end), start, end, WIDTH) - x;
        ChangeMark { x, width, text_x: TextX::above(x, WIDTH), label }
    };
    NoonDay::changes_between(start, end, zone).into_iter().map(mark).collect()
}

fn line(entry: &StageEntry, zone: TimeZone) -> StageLine {
    StageLine {
        stage: stage_name(entry.stage()),
        time: moment::from_to(entry.start_millis(), entry.end_millis(), zone),
        length: length(entry.millis()),
    }
}

/// Formats the length of a stage; short ones in seconds.
fn length(millis: i64) -> String {
    if millis < 60_000 { format!("{} s", (millis + 500) / 1_000) } else { moment::duration(millis) }
}
