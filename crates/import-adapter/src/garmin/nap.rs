//! Conversion of a nap to a session.

use super::members::Nap;
use super::source;
use super::stamp::{Clock, required};
use crate::source::Notes;
use crate::totals::Sums;
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SourceTotals, TimeInBed};

/// Converts one nap, or returns why it is invalid.
pub(super) fn read(nap: &Nap, clock: &Clock, notes: &mut Notes) -> Result<SleepRecord, String> {
    let start = required("napStartTimestampGMT", &nap.start)?;
    let end = required("napEndTimestampGMT", &nap.end)?;
    let time_in_bed = TimeInBed::new(start, end, Some(clock.at_end(start)), Some(clock.at_end(end)))
        .map_err(|error| format!("time in bed: {error}"))?;
    let mut sums = Sums::default();
    let totals = SourceTotals { asleep: sums.seconds(&nap.seconds), ..SourceTotals::default() };
    let metrics = sums.metrics(&totals, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: SessionKey::derived_from(start),
        source: Some(source().map_err(|error| error.to_string())?),
        time_in_bed,
        is_nap: Some(true),
    };
    SleepRecord::from_stages_or_metrics(head, Hypnogram::empty(), metrics).map_err(|error| error.to_string())
}
