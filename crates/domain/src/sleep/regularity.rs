//! Regularity: spread of bedtimes and wake times, and the Sleep Regularity Index.

use super::noon_day::{CLOCK_MINUTES, wall_millis};
use super::trend::{DatedNight, SleepSpan, Spread, unroll};
use super::{NoonDay, Stage};
use crate::time::TimeZone;
use chrono::NaiveDate;
use std::collections::BTreeMap;

/// Number of consecutive days of data that the index needs.
const MIN_CONSECUTIVE_DAYS: usize = 7;
const DAY_MILLIS: i64 = CLOCK_MINUTES * 60_000;

/// Clock times of going to bed and getting up, in milliseconds after noon, one each for each night.
///
/// Both kinds of times are [unrolled](unroll): their order and median do not depend on the side of midnight.
/// The median of getting up is less than a day after that of going to bed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockTimes {
    /// Going to bed.
    pub bedtimes: Vec<i64>,
    /// Getting up.
    pub wake_times: Vec<i64>,
    /// Spread of both.
    pub spread: ClockSpread,
}

/// Spread of the clock times of going to bed and getting up, in milliseconds after noon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockSpread {
    /// Going to bed.
    pub bedtime: Spread,
    /// Getting up.
    pub wake_time: Spread,
}

impl ClockTimes {
    /// Computes the times of some nights by the clocks of the zone, or of the night's
    /// [own offset](SleepSpan::own_offset); `None` if there are none.
    pub fn from_nights(nights: &[DatedNight<'_>], zone: TimeZone) -> Option<Self> {
        let after_noon = |span: &SleepSpan, millis: i64| {
            let wall = match span.own_offset(zone) {
                Some(offset) => millis + i64::from(offset.seconds()) * 1_000,
                None => wall_millis(millis, zone),
            };
            wall - DAY_MILLIS / 2
        };
        let times = |instant: fn(&SleepSpan) -> i64| {
            let spans = nights.iter().map(|night| night.span);
            unroll(&spans.map(|span| after_noon(span, instant(span))).collect::<Vec<_>>())
        };
        let bedtimes = times(|span| span.start_millis);
        let mut wake_times = times(|span| span.end_millis);
        let bedtime = Spread::from_values(bedtimes.clone())?;
        let wake_median = Spread::from_values(wake_times.clone())?.median;
        let later = (wake_median - bedtime.median).rem_euclid(DAY_MILLIS);
        for time in &mut wake_times {
            *time += bedtime.median + later - wake_median;
        }
        let wake_time = Spread::from_values(wake_times.clone())?;
        Some(Self { bedtimes, wake_times, spread: ClockSpread { bedtime, wake_time } })
    }
}

/// A time of known state: asleep or awake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownState {
    /// Start, in milliseconds since 1970-01-01 UTC.
    pub start_millis: i64,
    /// End, in the same unit.
    pub end_millis: i64,
    /// Whether the person was asleep.
    pub is_asleep: bool,
}

impl KnownState {
    /// Returns the state of a stage; `None` if the stage is unknown.
    pub fn of_stage(stage: Stage, start_millis: i64, end_millis: i64) -> Option<Self> {
        (stage != Stage::Unknown).then_some(Self { start_millis, end_millis, is_asleep: stage.is_asleep() })
    }
}

/// A session with what is known of its time in bed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// The session.
    pub span: SleepSpan,
    /// Known times, in any order; empty if the source sent no stages.
    pub states: Vec<KnownState>,
}

/// The Sleep Regularity Index (Phillips et al., Scientific Reports 7, 2017): how often the state, asleep or
/// awake, is the same at the same clock time of two consecutive days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SleepRegularity {
    /// Number of pairs of consecutive days that were compared.
    pub pairs: usize,
    /// Number of minutes whose state is known on both days of a pair.
    pub compared: i64,
    /// Number of those minutes with the same state.
    pub equal: i64,
}

impl SleepRegularity {
    /// Returns the index, -100 to 100, rounded half up: 100 for the same sleep every day, 0 for chance.
    pub const fn index(&self) -> i64 {
        (400 * self.equal + self.compared).div_euclid(2 * self.compared) - 100
    }

    /// Computes the index of the sessions of one source; `None` unless 7 consecutive days have data.
    ///
    /// Days are [noon to noon](NoonDay) and have data if the middle of a session other than a nap lies in
    /// them. Outside of sessions the person was awake. A session without stages was slept through. Minutes
    /// without a known state and minutes that a clock change skips are left out; of repeated ones the first
    /// is used.
    pub fn from_recordings(recordings: &[Recording], zone: TimeZone) -> Option<Self> {
        let days = days_with_data(recordings, zone);
        if longest_run(&days) < MIN_CONSECUTIVE_DAYS {
            return None;
        }
        let mut sum = Self { pairs: 0, compared: 0, equal: 0 };
        let mut last: Option<(NaiveDate, Vec<State>)> = None;
        for day in days.values() {
            let states = states(day, recordings);
            if let Some((date, before)) = &last
                && date.succ_opt() == Some(day.date())
            {
                sum.pairs += 1;
                for pair in before.iter().zip(&states) {
                    let is_known = *pair.0 != State::Unknown && *pair.1 != State::Unknown;
                    sum.compared += i64::from(is_known);
                    sum.equal += i64::from(is_known && pair.0 == pair.1);
                }
            }
            last = Some((day.date(), states));
        }
        (sum.compared > 0).then_some(sum)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Awake,
    Asleep,
}

fn days_with_data(recordings: &[Recording], zone: TimeZone) -> BTreeMap<NaiveDate, NoonDay> {
    let middles = recordings.iter().filter(|recording| !recording.span.is_nap()).map(|recording| {
        let SleepSpan { start_millis, .. } = recording.span;
        NoonDay::containing(start_millis.saturating_add(recording.span.in_bed_millis() / 2), zone)
    });
    middles.map(|day| (day.date(), day)).collect()
}

fn longest_run(days: &BTreeMap<NaiveDate, NoonDay>) -> usize {
    let (mut longest, mut run, mut last) = (0, 0_usize, None);
    for date in days.keys() {
        run = if last == Some(*date) { run + 1 } else { 1 };
        longest = longest.max(run);
        last = date.succ_opt();
    }
    longest
}

/// Returns the state at each minute on the clock. Of overlapping sessions, asleep wins over awake, and awake
/// over unknown.
fn states(day: &NoonDay, recordings: &[Recording]) -> Vec<State> {
    let minutes: Vec<(usize, i64)> = day.minutes().collect();
    let mut states = vec![State::Unknown; usize::try_from(CLOCK_MINUTES).unwrap_or_default()];
    let mut paint = |start: i64, end: i64, state: State| {
        let from = minutes.partition_point(|(_, instant)| *instant < start);
        let to = minutes.partition_point(|(_, instant)| *instant < end);
        for (minute, _) in minutes.get(from..to).unwrap_or_default() {
            if let Some(place) = states.get_mut(*minute) {
                *place = state;
            }
        }
    };
    paint(day.start_millis(), day.end_millis(), State::Awake);
    let here = recordings.iter().filter(|Recording { span, .. }| {
        span.start_millis < day.end_millis() && day.start_millis() < span.end_millis
    });
    let here: Vec<_> = here.collect();
    for Recording { span, .. } in here.iter().filter(|recording| !recording.states.is_empty()) {
        paint(span.start_millis, span.end_millis, State::Unknown);
    }
    for is_asleep in [false, true] {
        let state = if is_asleep { State::Asleep } else { State::Awake };
        for Recording { span, states } in &here {
            for known in states.iter().filter(|known| known.is_asleep == is_asleep) {
                paint(known.start_millis, known.end_millis, state);
            }
            if is_asleep && states.is_empty() {
                paint(span.start_millis, span.end_millis, state);
            }
        }
    }
    states
}

#[cfg(test)]
mod tests;
