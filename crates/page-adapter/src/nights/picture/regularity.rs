//! Spread of bedtimes and wake times.

use super::view::{Bar, IndexLine, Lines, Regularity, RowName, SpreadLine, TextAlternative, Tick};
use super::{dates, raster::Weeks, tick};
use crate::moment;
use domain::counted;
use domain::sleep::regularity::{ClockSpread, ClockTimes, SleepRegularity};
use domain::sleep::trend::{DatedNight, Spread};

const MINUTE_MILLIS: i64 = 60_000;
const HOUR: i64 = 60;
const ROW_HEIGHT: i64 = 56;
const BOX_TOP: i64 = 8;
const BOX_HEIGHT: i64 = 20;
/// Below the box, each night is a short line.
const NIGHTS_TOP: i64 = 36;
const NIGHTS_HEIGHT: i64 = 12;

/// Draws the spread of the nights of one source; `None` if there are none.
pub(crate) fn regularity(
    nights: &[DatedNight<'_>],
    index: Option<SleepRegularity>,
    weeks: Weeks,
) -> Option<Regularity> {
    let ClockTimes { bedtimes, wake_times, spread } = ClockTimes::from_nights(nights, weeks.zone)?;
    let all = || bedtimes.iter().chain(&wake_times).copied();
    let hour = HOUR * MINUTE_MILLIS;
    let from = all().min()?.div_euclid(hour) * HOUR;
    let to = (all().max()?.div_euclid(hour) + 1) * HOUR;
    let x = |millis: i64| millis.div_euclid(MINUTE_MILLIS) - from;
    let (mut dots, mut medians) = (Lines::default(), Lines::default());
    for (row, times) in [(0, &bedtimes), (1, &wake_times)] {
        let top = row * ROW_HEIGHT + NIGHTS_TOP;
        for at in times {
            dots.vertical(x(*at), top, top + NIGHTS_HEIGHT);
        }
    }
    for (row, spread) in [(0, spread.bedtime), (1, spread.wake_time)] {
        let top = row * ROW_HEIGHT + BOX_TOP;
        medians.vertical(x(spread.median), top - 3, top + BOX_HEIGHT + 3);
    }
    Some(Regularity {
        finding: finding(&spread, weeks),
        width: to - from,
        rows: [("Bedtime", 0), ("Wake-up", 1)].map(|(name, row)| row_name(name, row)).to_vec(),
        boxes: vec![quartiles(spread.bedtime, 0, x), quartiles(spread.wake_time, 1, x)],
        nights: dots.into_path(),
        medians: medians.into_path(),
        ticks: ticks(from, to),
        lines: vec![line("Bedtime", spread.bedtime), line("Wake-up", spread.wake_time)],
        index: index.map(|index| IndexLine { value: index.index(), pairs: index.pairs }),
    })
}

fn finding(spread: &ClockSpread, weeks: Weeks) -> TextAlternative {
    let clock = moment::after_noon;
    let title = format!("Bedtimes and wake-up times from {}", dates(weeks.first, weeks.last));
    let (bed, wake) = (spread.bedtime, spread.wake_time);
    if bed.n == 1 {
        let text =
            format!("One night: it began at {} and ended at {}.", clock(bed.median), clock(wake.median));
        return TextAlternative { id: "regularity", title, text };
    }
    let text = format!(
        "Half of {} began between {} and {} and ended between {} and {}.",
        counted(bed.n, "night"),
        clock(bed.lower),
        clock(bed.upper),
        clock(wake.lower),
        clock(wake.upper)
    );
    TextAlternative { id: "regularity", title, text }
}

fn row_name(name: &str, row: i64) -> RowName {
    RowName { y: row * ROW_HEIGHT + BOX_TOP + 15, name: name.to_owned() }
}

fn quartiles(spread: Spread, row: i64, x: impl Fn(i64) -> i64) -> Bar {
    let (from, to) = (x(spread.lower), x(spread.upper));
    let y = row * ROW_HEIGHT + BOX_TOP;
    Bar { class: "half", x: from, y, width: (to - from).max(2), height: BOX_HEIGHT, tip: None }
}

fn ticks(from: i64, to: i64) -> Vec<Tick> {
    let step = match (to - from) / HOUR {
        0..=6 => HOUR,
        7..=12 => 2 * HOUR,
        13..=24 => 4 * HOUR,
        _ => 12 * HOUR,
    };
    let first = (from + step - 1).div_euclid(step);
    let minutes = (first..).map(|number| number * step).take_while(|minute| *minute <= to);
    minutes.map(|minute| tick(minute - from, to - from, moment::after_noon(minute * MINUTE_MILLIS))).collect()
}

fn line(name: &'static str, spread: Spread) -> SpreadLine {
    let clock = moment::after_noon;
    SpreadLine {
        name,
        median: clock(spread.median),
        middle_half: format!("{} to {}", clock(spread.lower), clock(spread.upper)),
        n: spread.n,
    }
}
