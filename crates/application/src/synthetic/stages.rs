//! The stages of one sleep, in the shares that adults have: deep sleep mostly early, REM mostly late.

use super::random::SplitMix64;
use chrono::TimeDelta;
use domain::sleep::{Hypnogram, Stage, StageEntry, TimeInBed};

/// Length of an epoch, in which sleep is scored.
const EPOCH_MILLIS: i64 = 30_000;
/// Length of a sleep cycle: 95 minutes.
const CYCLE_EPOCHS: i64 = 190;
/// Sleep of less than an hour is light.
const SHORT_EPOCHS: i64 = 120;
/// Weights of the deep sleep of each cycle.
const DEEP: [i64; 6] = [8, 6, 3, 1, 0, 0];
/// Weights of the REM sleep of each cycle.
const REM: [i64; 6] = [1, 2, 3, 4, 4, 5];

/// Epochs in each stage.
pub(super) struct StageEpochs {
    pub(super) awake: i64,
    pub(super) light: i64,
    pub(super) deep: i64,
    pub(super) rem: i64,
}

impl StageEpochs {
    /// Between 5.5 and 9.5 percent of the time in bed is awake; 14 to 22 percent of the sleep is deep and
    /// 20.5 to 24.5 percent REM.
    pub(super) fn draw(random: &mut SplitMix64, time_in_bed: &TimeInBed) -> Self {
        let epochs = time_in_bed.millis() / EPOCH_MILLIS;
        let awake = epochs * random.between(55, 95) / 1000;
        let asleep = epochs - awake;
        let is_short = asleep < SHORT_EPOCHS;
        let mut share = |low, high| if is_short { 0 } else { asleep * random.between(low, high) / 1000 };
        let (deep, rem) = (share(140, 220), share(205, 245));
        Self { awake, light: asleep - deep - rem, deep, rem }
    }

    /// Returns the number of sleep cycles, 1 to 6.
    fn cycles(&self) -> usize {
        let asleep = self.light + self.deep + self.rem;
        let cycles = ((asleep + CYCLE_EPOCHS / 2) / CYCLE_EPOCHS).clamp(1, 6);
        usize::try_from(cycles).unwrap_or(1)
    }
}

/// Fills the time in bed with cycles of light, deep, light and REM sleep. A person falls asleep at first,
/// wakes between some cycles, and lies awake at the end.
pub(super) fn stages(random: &mut SplitMix64, time_in_bed: &TimeInBed) -> Option<Hypnogram> {
    let shares = StageEpochs::draw(random, time_in_bed);
    let cycles = shares.cycles();
    let mut vary = |weights: &[i64]| -> Vec<i64> {
        weights.iter().take(cycles).map(|weight| weight * random.between(8, 12)).collect()
    };
    let deep = split(shares.deep, &vary(&DEEP));
    let rem = split(shares.rem, &vary(&REM));
    let light = split(shares.light, &vary(&[1; 6]));
    let mut wakes = vec![12];
    wakes.extend((1..cycles).map(|_| random.between(0, 6)));
    wakes.push(4);
    let mut wakes = split(shares.awake, &wakes).into_iter();
    let mut steps = vec![(Stage::Awake, wakes.next()?)];
    for ((deep, rem), light) in deep.into_iter().zip(rem).zip(light) {
        let falling = light * 3 / 5;
        steps.extend([(Stage::Light, falling), (Stage::Deep, deep), (Stage::Light, light - falling)]);
        steps.extend([(Stage::Rem, rem), (Stage::Awake, wakes.next()?)]);
    }
    Hypnogram::new(entries(&steps, time_in_bed)?, time_in_bed).ok()
}

/// Places the steps one after another, and joins neighbours of the same stage.
fn entries(steps: &[(Stage, i64)], time_in_bed: &TimeInBed) -> Option<Vec<StageEntry>> {
    let mut joined: Vec<(Stage, i64)> = Vec::new();
    for (stage, epochs) in steps.iter().copied().filter(|(_, epochs)| *epochs > 0) {
        match joined.last_mut() {
            Some((last, length)) if *last == stage => *length += epochs,
            _ => joined.push((stage, epochs)),
        }
    }
    let mut at = time_in_bed.start();
    let placed = joined.into_iter().map(|(stage, epochs)| {
        let start = at;
        at = (start + TimeDelta::milliseconds(epochs * EPOCH_MILLIS)).min(time_in_bed.end());
        StageEntry::new(stage, start, at).ok()
    });
    placed.collect()
}

/// Splits a total in proportion to weights; the parts add up to it.
fn split(total: i64, weights: &[i64]) -> Vec<i64> {
    let sum = weights.iter().sum::<i64>().max(1);
    let (mut weight, mut given) = (0, 0);
    let mut parts = Vec::with_capacity(weights.len());
    for part in weights {
        weight += part;
        let until = total * weight / sum;
        parts.push(until - given);
        given = until;
    }
    parts
}

/// Removes the entries that a hole touches, as when a sensor lost contact.
pub(super) fn with_gap(
    random: &mut SplitMix64,
    hypnogram: &Hypnogram,
    time_in_bed: &TimeInBed,
) -> Option<Hypnogram> {
    let minutes = time_in_bed.millis() / 60_000;
    let from = time_in_bed.start() + TimeDelta::minutes(random.between(minutes / 5, minutes / 2));
    let until = from + TimeDelta::minutes(random.between(25, 80));
    let entries = hypnogram.entries().iter().filter(|entry| entry.end() <= from || entry.start() >= until);
    Hypnogram::new(entries.copied().collect(), time_in_bed).ok()
}
