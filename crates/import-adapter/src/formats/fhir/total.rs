//! Totals of parts of nights, collected until the nights are known.

use super::code::Kind;
use crate::segments::too_many;
use crate::session::Sums;
use crate::source::Notes;
use application::ports::import_source::ImportRefusal;
use domain::sleep::{SleepRecord, SleepRecordHead, SleepSource, SourceTotals, Stage, TimeInBed};
use std::collections::HashMap;
use std::time::Duration;

/// Maximum number of totals per import, at 32 bytes each.
const TOTAL_LIMIT: usize = 1_000_000;

/// A total of a period, in milliseconds or in the unit of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Total {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) kind: Kind,
    pub(super) amount: i64,
}

/// Totals by source.
#[derive(Debug, Default)]
pub(super) struct Totals {
    held: HashMap<String, Vec<Total>>,
    count: usize,
    is_sorted: bool,
}

impl Totals {
    pub(super) fn add(&mut self, source: &SleepSource, total: Total) -> Result<(), ImportRefusal> {
        if self.count >= TOTAL_LIMIT {
            return Err(too_many("sums", TOTAL_LIMIT));
        }
        self.count = self.count.saturating_add(1);
        self.held.entry(source.as_str().to_owned()).or_default().push(total);
        Ok(())
    }

    /// Returns the session with totals in place of stages if they are more detailed.
    pub(super) fn applied(&mut self, record: &SleepRecord, notes: &mut Notes) -> Result<SleepRecord, String> {
        let bed = record.time_in_bed();
        let mut totals = self.within(record.source(), bed);
        let record = with_kind_of_sleep(record, &mut totals, notes)?;
        if totals.is_empty() || !are_more_detailed(&record, &totals) {
            return Ok(record);
        }
        let bed = record.time_in_bed();
        let Some(totals) = add_up(&totals) else {
            notes.add("totals of overlapping periods contradict each other and were dropped");
            return Ok(record);
        };
        let metrics = Sums::default().metrics(&totals, bed, notes);
        SleepRecord::from_metrics(record.head().clone(), metrics).map_err(|error| error.to_string())
    }

    /// Returns the distinct totals whose periods lie within a night of the source.
    fn within(&mut self, source: Option<&SleepSource>, bed: &TimeInBed) -> Vec<Total> {
        if !self.is_sorted {
            self.held.values_mut().for_each(|totals| totals.sort_unstable());
            self.is_sorted = true;
        }
        let Some(totals) = source.and_then(|source| self.held.get(source.as_str())) else {
            return Vec::new();
        };
        let first = totals.partition_point(|total| total.start < bed.start_millis());
        let mut found: Vec<Total> = totals
            .iter()
            .skip(first)
            .take_while(|total| total.start < bed.end_millis())
            .filter(|total| total.end <= bed.end_millis())
            .copied()
            .collect();
        found.sort_unstable_by_key(|total| (total.kind, total.start, total.end, total.amount));
        found.dedup();
        found
    }
}

/// Removes the main-sleep flags from the totals and marks the session as a nap or not.
fn with_kind_of_sleep(
    record: &SleepRecord,
    totals: &mut Vec<Total>,
    notes: &mut Notes,
) -> Result<SleepRecord, String> {
    let flags: Vec<bool> = totals
        .extract_if(.., |total| total.kind == Kind::IsMainSleep)
        .map(|total| total.amount == 1)
        .collect();
    let Some(is_main) = flags.first().copied() else { return Ok(record.clone()) };
    if flags.iter().any(|flag| *flag != is_main) {
        notes.add("Observations of this session contradict each other on isMainSleep, which was left out");
        return Ok(record.clone());
    }
    let head = SleepRecordHead { is_nap: Some(!is_main), ..record.head().clone() };
    SleepRecord::from_stages(head, record.hypnogram().clone()).map_err(|error| error.to_string())
}

/// Returns whether the totals are more detailed than the stages: there are no stages, or only sleep durations
/// read as one interval each, while the totals distinguish stages.
fn are_more_detailed(record: &SleepRecord, totals: &[Total]) -> bool {
    let entries = record.hypnogram().entries();
    let of_kind = |kinds: &[Kind]| totals.iter().filter(|total| kinds.contains(&total.kind)).count();
    let only_durations = entries.iter().all(|entry| entry.stage() == Stage::Asleep)
        && entries.len() <= of_kind(&[Kind::Asleep]);
    entries.is_empty() || only_durations && of_kind(&[Kind::Light, Kind::Deep, Kind::Rem]) > 0
}

/// Adds up consecutive periods; `None` if two totals of the same kind overlap.
fn add_up(totals: &[Total]) -> Option<SourceTotals> {
    let mut sums = SourceTotals::default();
    for (index, total) in totals.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| totals.get(before));
        if before.is_some_and(|before| before.kind == total.kind && before.end > total.start) {
            return None;
        }
        let more = u64::try_from(total.amount).unwrap_or_default();
        let sum = match total.kind {
            Kind::Asleep => &mut sums.asleep,
            Kind::Light => &mut sums.light,
            Kind::Deep => &mut sums.deep,
            Kind::Rem => &mut sums.rem,
            Kind::Latency => &mut sums.latency,
            Kind::AwakeAfterOnset => &mut sums.awake_after_onset,
            Kind::Wakeups => {
                let more = u32::try_from(more).unwrap_or(u32::MAX);
                sums.wakeups = Some(sums.wakeups.unwrap_or_default().saturating_add(more));
                continue;
            }
            Kind::IsMainSleep => continue,
        };
        *sum = Some(sum.unwrap_or_default().saturating_add(Duration::from_millis(more)));
    }
    Some(sums)
}
