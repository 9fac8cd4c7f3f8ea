//! Time and totals of a night of several parts.

use super::nights::NightRow;
use domain::sleep::{SourceTotals, TimeInBed};
use std::time::Duration;

/// Returns the time from the first start to the last end.
pub(super) fn span(parts: &[NightRow]) -> Option<TimeInBed> {
    let first = parts.iter().map(NightRow::bed).min_by_key(|bed| bed.start())?;
    let last = parts.iter().map(NightRow::bed).max_by_key(|bed| bed.end())?;
    TimeInBed::new(first.start(), last.end(), first.offset_at_start(), last.offset_at_end()).ok()
}

/// Sums the totals that all parts state.
pub(super) fn sum(parts: &[NightRow]) -> SourceTotals {
    let total = |of: fn(&SourceTotals) -> Option<Duration>| {
        let totals = parts.iter().map(|part| of(&part.session.totals));
        totals.reduce(|sum, total| sum?.checked_add(total?)).flatten()
    };
    SourceTotals {
        light: total(|totals| totals.light),
        rem: total(|totals| totals.rem),
        ..SourceTotals::default()
    }
}
