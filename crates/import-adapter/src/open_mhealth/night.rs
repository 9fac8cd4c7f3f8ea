//! Nights with totals only.

use super::member::{Body, Header, Measure};
use crate::json::LooseScalar;
use crate::segments::too_many;
use crate::session;
use crate::source::{Invalid, Items, Notes};
use domain::sleep::{
    SessionKey, SleepMetrics, SleepRecord, SleepRecordHead, SleepSource, SourceTotals, TimeInBed,
};
use std::collections::BTreeMap;

/// Maximum number of nights per file, at about 300 bytes each.
const NIGHT_LIMIT: usize = 100_000;

/// One night of one source, merged from all records with its time frame.
///
/// Converters write an episode, its duration and its total sleep time as three records.
#[derive(Debug)]
struct Night {
    at: u64,
    time_in_bed: TimeInBed,
    key: Option<SessionKey>,
    is_nap: Option<bool>,
    totals: SourceTotals,
    /// Whether two records contradict each other.
    differs: bool,
    /// Number of unreadable totals.
    unreadable: usize,
}

/// Nights by source, start and end.
#[derive(Debug, Default)]
pub(super) struct Nights {
    nights: BTreeMap<(SleepSource, i64, i64), Night>,
}

impl Nights {
    /// Adds a record; too many nights reject the file.
    pub(super) fn add(
        &mut self,
        source: SleepSource,
        header: &Header,
        body: &Body,
        at: u64,
    ) -> Result<(), Invalid> {
        let night = Night::read(header, body, at)?;
        let slot = (source, night.time_in_bed.start_millis(), night.time_in_bed.end_millis());
        if let Some(known) = self.nights.get_mut(&slot) {
            known.merge(night);
        } else if self.nights.len() < NIGHT_LIMIT {
            self.nights.insert(slot, night);
        } else {
            return Err(too_many("nights", NIGHT_LIMIT).into());
        }
        Ok(())
    }

    /// Emits the next session; `false` at the end.
    pub(super) fn next_session(&mut self, items: &mut Items) -> bool {
        let Some(((source, ..), night)) = self.nights.pop_first() else { return false };
        let mut notes = Notes::default();
        let place = format!("record {}", night.at);
        let outcome = night.session(source, &mut notes);
        items.finish_session(&place, notes, outcome);
        true
    }
}

impl Night {
    fn read(header: &Header, body: &Body, at: u64) -> Result<Self, String> {
        let time_in_bed = body.time_in_bed()?;
        let mut unreadable = 0_usize;
        let mut length = |measure: &Option<Measure>| {
            let length = measure.as_ref().map(Measure::length);
            unreadable = unreadable.saturating_add(usize::from(length == Some(None)));
            length.flatten()
        };
        let (total, duration) = (length(&body.total_sleep_time), length(&body.sleep_duration));
        let totals = SourceTotals {
            asleep: total.or(duration),
            latency: length(&body.latency_to_sleep_onset),
            awake_after_onset: length(&body.wake_after_sleep_onset),
            wakeups: count(&body.number_of_awakenings),
            ..SourceTotals::default()
        };
        if totals.wakeups.is_none() && !body.number_of_awakenings.is_absent() {
            unreadable = unreadable.saturating_add(1);
        }
        Ok(Self {
            at,
            time_in_bed,
            key: key(header)?,
            is_nap: body.is_main_sleep.as_flag().map(|main| !main),
            totals,
            differs: false,
            unreadable,
        })
    }

    /// Merges another record of the same night; existing values win.
    fn merge(&mut self, other: Self) {
        let Self { at: _, time_in_bed: _, key, is_nap, totals, differs: _, unreadable } = other;
        self.key = self.key.take().or(key);
        self.unreadable = self.unreadable.saturating_add(unreadable);
        let mut differs = take(&mut self.is_nap, is_nap);
        differs |= take(&mut self.totals.asleep, totals.asleep);
        differs |= take(&mut self.totals.latency, totals.latency);
        differs |= take(&mut self.totals.awake_after_onset, totals.awake_after_onset);
        differs |= take(&mut self.totals.wakeups, totals.wakeups);
        self.differs |= differs;
    }

    fn session(self, source: SleepSource, notes: &mut Notes) -> Result<SleepRecord, String> {
        let Self { at: _, time_in_bed, key, is_nap, totals, differs, unreadable } = self;
        notes.count(unreadable, "totals that are neither a duration nor a count were left out");
        if differs {
            notes.add("another record of the same night has different values, which were skipped");
        }
        let head = SleepRecordHead {
            key: key.unwrap_or_else(|| SessionKey::derived_from(time_in_bed.start())),
            source: Some(source),
            time_in_bed,
            is_nap,
        };
        let metrics = metrics(totals, &time_in_bed, notes);
        session::without_stages(head, metrics)
    }
}

/// Builds metrics from the totals.
///
/// By the schemas the time frame begins at sleep onset, so the latency precedes it; most writers use the time
/// in bed, so it lies within. A latency that does not fit within is left out.
fn metrics(totals: SourceTotals, time_in_bed: &TimeInBed, notes: &mut Notes) -> SleepMetrics {
    let (metrics, dropped) = SleepMetrics::from_totals(time_in_bed, &totals);
    if dropped && totals.latency.is_some() {
        let without = SourceTotals { latency: None, ..totals };
        let (metrics, dropped) = SleepMetrics::from_totals(time_in_bed, &without);
        if !dropped {
            notes.add("the time frame begins with sleep onset; the latency before it was left out");
            return metrics;
        }
    }
    if dropped {
        notes.add("the totals contradict the time in bed and were dropped");
    }
    metrics
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
