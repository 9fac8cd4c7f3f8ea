//! Nights with totals, and those with stages in one record.

use super::SCHEMAS;
use super::member::{Body, Header, Measure};
use super::stage::Stages;
use crate::json::LooseScalar;
use crate::segments::{DUPLICATES_NOTE, SEGMENT_LIMIT, too_many};
use crate::session;
use crate::source::{Invalid, Items, Notes};
use domain::import::RecordPosition;
use domain::sleep::{
    SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SleepSource, SourceTotals, TimeInBed,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Maximum number of nights per import, at about 300 bytes each.
const NIGHT_LIMIT: usize = 100_000;

/// Maximum number of records that begin within a time in bed to which an episode is joined.
const NEAR_LIMIT: usize = 64;

/// Tolerance for a time in bed that its writer rounded.
const ROUNDING: Duration = Duration::from_mins(2);

/// One night of one source, merged from all records with its time frame.
///
/// Converters write an episode, its duration, its total sleep time and its stages as separate records.
#[derive(Debug)]
struct Night {
    /// File and number of its first record.
    at: RecordPosition,
    time_in_bed: TimeInBed,
    key: Option<SessionKey>,
    is_nap: Option<bool>,
    totals: SourceTotals,
    stages: Stages,
    /// Whether a record states that the time frame is the time in bed.
    is_bed: bool,
    /// Whether that record states less than its time frame.
    left_the_bed: bool,
    /// Whether two records contradict each other.
    differs: bool,
    /// Number of unreadable totals.
    unreadable: usize,
    /// Schemas of its records; none for a body alone.
    schemas: BTreeSet<&'static str>,
    /// Number of records that repeat another one.
    repeated: usize,
}

/// Nights by source, start and end.
#[derive(Debug, Default)]
pub(super) struct Nights {
    by_slot: BTreeMap<Slot, Night>,
    /// Number of stages of all nights.
    entries: usize,
    are_joined: bool,
}

type Slot = (SleepSource, i64, i64);

impl Nights {
    /// Adds a record; too many nights or stages reject the file.
    pub(super) fn add(
        &mut self,
        source: SleepSource,
        header: &Header,
        body: &Body,
        at: RecordPosition,
    ) -> Result<(), Invalid> {
        let night = Night::read(header, body, at)?;
        self.entries = self.entries.saturating_add(night.stages.entries.len());
        if self.entries > SEGMENT_LIMIT {
            return Err(too_many("stretches of sleep", SEGMENT_LIMIT).into());
        }
        let slot = (source, night.time_in_bed.start_millis(), night.time_in_bed.end_millis());
        if let Some(known) = self.by_slot.get_mut(&slot) {
            let before = known.summary();
            known.merge(night);
            known.repeated = known.repeated.saturating_add(usize::from(known.summary() == before));
        } else if self.by_slot.len() < NIGHT_LIMIT {
            self.by_slot.insert(slot, night);
        } else {
            return Err(too_many("nights", NIGHT_LIMIT).into());
        }
        Ok(())
    }

    /// Emits the next session; returns the file of its first record, `None` at the end.
    pub(super) fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        if !self.are_joined {
            self.join_episodes_to_beds();
            self.are_joined = true;
        }
        let ((source, ..), night) = self.by_slot.pop_first()?;
        let mut notes = Notes::default();
        let RecordPosition { file, number } = night.at;
        let place = format!("record {number}");
        let outcome = night.session(source, &mut notes);
        items.finish_session(&place, notes, outcome);
        Some(file)
    }

    /// Moves the only episode within a time in bed into it: by the schemas an episode begins when the person
    /// falls asleep.
    fn join_episodes_to_beds(&mut self) {
        let is_bed = |(_, night): &(&Slot, &Night)| night.is_bed && night.totals == SourceTotals::default();
        let beds: Vec<Slot> = self.by_slot.iter().filter(is_bed).map(|(slot, _)| slot.clone()).collect();
        for bed in beds {
            if let Some(episode) = self.only_episode_within(&bed).cloned()
                && let Some(episode) = self.by_slot.remove(&episode)
                && let Some(night) = self.by_slot.get_mut(&bed)
            {
                night.merge(episode);
            }
        }
    }

    /// Finds the only episode within a time in bed; `None` if too many records begin within it.
    fn only_episode_within(&self, bed: &Slot) -> Option<&Slot> {
        let (source, start, end) = bed;
        let from = self.by_slot.range((source.clone(), *start, i64::MIN)..).map(|(slot, _)| slot);
        let near = from.take_while(|(other, from, _)| other == source && from < end);
        let near: Vec<_> = near.filter(|slot| *slot != bed).take(NEAR_LIMIT).collect();
        let mut within = near.iter().filter(|slot| slot.2 <= *end);
        let first = within.next().filter(|_| near.len() < NEAR_LIMIT)?;
        within.next().is_none().then_some(*first)
    }
}

impl Night {
    fn read(header: &Header, body: &Body, at: RecordPosition) -> Result<Self, String> {
        let time_in_bed = body.time_frame()?;
        let in_bed = body.time_in_bed.as_ref().and_then(Measure::length);
        let mut sums = Sums { of: body.sums(), unreadable: 0 };
        let totals = sums.totals(&time_in_bed);
        Ok(Self {
            at,
            time_in_bed,
            key: key(header)?,
            is_nap: body.is_main_sleep.as_flag().map(|main| !main),
            totals,
            stages: Stages::read(&body.sleep_stage_episodes.0),
            is_bed: body.time_in_bed.is_some(),
            left_the_bed: in_bed.is_some_and(|in_bed| in_bed < length(&time_in_bed).saturating_sub(ROUNDING)),
            differs: false,
            unreadable: sums.unreadable,
            schemas: SCHEMAS
                .into_iter()
                .filter(|name| header.schema_id.name.as_str() == Some(name))
                .collect(),
            repeated: 0,
        })
    }

    /// Returns what a further record of the same night changes, unless it repeats another one.
    fn summary(&self) -> impl PartialEq + use<> {
        let Self { key, is_nap, totals, stages, is_bed, left_the_bed, differs, schemas, .. } = self;
        let flags = [key.is_some(), stages.entries.is_empty(), *is_bed, *left_the_bed, *differs];
        (flags, *is_nap, *totals, schemas.len())
    }

    /// Merges another record of the same night; existing values win.
    fn merge(&mut self, other: Self) {
        let Self { key, is_nap, totals, stages, is_bed, left_the_bed, differs, unreadable, .. } = other;
        self.at = self.at.min(other.at);
        self.schemas.extend(other.schemas);
        self.repeated = self.repeated.saturating_add(other.repeated);
        self.key = self.key.take().or(key);
        self.left_the_bed |= left_the_bed;
        self.unreadable = self.unreadable.saturating_add(unreadable);
        self.is_bed |= is_bed;
        let known = &mut self.totals;
        self.differs |= [
            differs,
            take(&mut self.is_nap, is_nap),
            take(&mut known.asleep, totals.asleep),
            take(&mut known.awake, totals.awake),
            take(&mut known.light, totals.light),
            take(&mut known.deep, totals.deep),
            take(&mut known.rem, totals.rem),
            take(&mut known.latency, totals.latency),
            take(&mut known.awake_after_onset, totals.awake_after_onset),
            take(&mut known.wakeups, totals.wakeups),
            self.stages.merge(stages),
        ]
        .contains(&true);
    }

    fn session(self, source: SleepSource, notes: &mut Notes) -> Result<SleepRecord, String> {
        let Self { time_in_bed, key, is_nap, totals, stages, left_the_bed, differs, unreadable, .. } = self;
        notes.count(self.repeated, DUPLICATES_NOTE);
        if left_the_bed {
            notes.add("time_in_bed is shorter than its time frame; the time frame was used");
        }
        notes.count(unreadable, "totals that are neither a duration nor a count were left out");
        notes.count(stages.unreadable, "stages without a valid time interval were left out");
        notes.count(stages.unknown, "stages with an unknown state were stored as UNKNOWN");
        if differs {
            notes.add("another record of the same night has different values, which were skipped");
        }
        let head = SleepRecordHead {
            key: key.unwrap_or_else(|| SessionKey::derived_from(time_in_bed.start())),
            source: Some(source),
            time_in_bed,
            is_nap,
        };
        let hypnogram = session::hypnogram(stages.entries, &time_in_bed, notes)?;
        let metrics = metrics(totals, &time_in_bed, notes);
        session::with_stages(head, hypnogram, metrics, notes)
    }
}

fn length(time_in_bed: &TimeInBed) -> Duration {
    Duration::from_millis(u64::try_from(time_in_bed.millis()).unwrap_or_default())
}

/// Reads the sums of a body, and counts those that are not durations.
struct Sums<'a> {
    of: &'a Body,
    unreadable: usize,
}

impl Sums<'_> {
    fn totals(&mut self, time_in_bed: &TimeInBed) -> SourceTotals {
        let body = self.of;
        let (total, duration) =
            (self.length(body.total_sleep_time.as_ref()), self.length(body.sleep_duration.as_ref()));
        SourceTotals {
            asleep: total.or(duration).or_else(|| self.asleep_by_efficiency(time_in_bed)),
            awake: self.length(body.awake_duration.as_ref()),
            light: self.length(body.light_sleep_duration.as_ref()),
            deep: self.length(body.deep_sleep_duration.as_ref()),
            rem: self.length(body.rem_sleep_duration.as_ref()),
            latency: self.length(body.latency_to_sleep_onset.as_ref()),
            awake_after_onset: self.length(body.wake_after_sleep_onset.as_ref()),
            wakeups: self.checked(!body.number_of_awakenings.is_absent(), count(&body.number_of_awakenings)),
            ..SourceTotals::default()
        }
    }

    fn length(&mut self, measure: Option<&Measure>) -> Option<Duration> {
        self.checked(measure.is_some(), measure.and_then(Measure::length))
    }

    /// Returns the time asleep from the efficiency, for records that state no total.
    fn asleep_by_efficiency(&mut self, time_in_bed: &TimeInBed) -> Option<Duration> {
        let efficiency = &self.of.sleep_efficiency_percentage;
        let asleep = efficiency.as_ref().and_then(|efficiency| efficiency.percentage_of(length(time_in_bed)));
        self.checked(efficiency.is_some(), asleep)
    }

    fn checked<T>(&mut self, is_given: bool, sum: Option<T>) -> Option<T> {
        self.unreadable = self.unreadable.saturating_add(usize::from(is_given && sum.is_none()));
        sum
    }
}

/// Builds metrics from the totals.
///
/// By the schemas the time frame begins at sleep onset, so the latency precedes it; most writers use the time
/// in bed, so it lies within. A latency that does not fit within is left out.
fn metrics(totals: SourceTotals, time_in_bed: &TimeInBed, notes: &mut Notes) -> SleepMetrics {
    let without = SourceTotals { latency: None, ..totals };
    let is_dropped = |totals| SleepMetrics::from_totals(time_in_bed, totals).1;
    if totals.latency.is_some() && is_dropped(&totals) && !is_dropped(&without) {
        notes.add("the time frame begins with sleep onset; the latency before it was left out");
        return session::metrics(&without, time_in_bed, notes);
    }
    session::metrics(&totals, time_in_bed, notes)
}

/// Fills a missing value; returns whether it contradicts an existing one.
fn take<T: PartialEq + Copy>(known: &mut Option<T>, other: Option<T>) -> bool {
    match (&known, other) {
        (Some(known), Some(other)) => *known != other,
        (Some(_), None) => false,
        (None, other) => {
            *known = other;
            false
        }
    }
}

/// Returns the record's key at the source. The data point's own id changes with every conversion.
fn key(header: &Header) -> Result<Option<SessionKey>, String> {
    let provenance = &header.acquisition_provenance;
    let id = provenance.source_data_point_id.identifier().or_else(|| provenance.external_id.identifier());
    let key = id.as_deref().map(SessionKey::from_source).transpose();
    key.map_err(|error| format!("source_data_point_id: {error}"))
}

fn count(value: &LooseScalar) -> Option<u32> {
    value.identifier()?.parse().ok()
}
