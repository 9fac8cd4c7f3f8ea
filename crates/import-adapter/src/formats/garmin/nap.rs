//! Conversion of a nap to a session.

use super::SOURCE;
use super::members::Nap;
use super::stamp::{Clock, required};
use crate::session::{self, Sums};
use crate::source::Notes;
use domain::sleep::{Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SourceTotals};

/// Converts one nap, or returns why it is invalid.
pub(super) fn read(nap: &Nap, clock: &Clock, notes: &mut Notes) -> Result<SleepRecord, String> {
    let start = required("napStartTimestampGMT", &nap.start)?;
    let end = required("napEndTimestampGMT", &nap.end)?;
    let time_in_bed =
        session::time_in_bed((start, Some(clock.at_end(start))), (end, Some(clock.at_end(end))))?;
    let mut sums = Sums::default();
    let totals = SourceTotals { asleep: sums.seconds(&nap.seconds), ..SourceTotals::default() };
    let metrics = sums.metrics(&totals, &time_in_bed, notes);
    let head = SleepRecordHead {
        key: SessionKey::derived_from(start),
        source: session::source(SOURCE)?,
        time_in_bed,
        is_nap: Some(true),
    };
    SleepRecord::from_stages_or_metrics(head, Hypnogram::empty(), metrics).map_err(|error| error.to_string())
}
