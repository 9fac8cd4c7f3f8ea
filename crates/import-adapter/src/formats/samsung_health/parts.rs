//! Nights of several parts: their rows, time and totals.

use super::nights::NightRow;
use domain::sleep::{SourceTotals, TimeInBed};
use std::collections::BTreeMap;
use std::time::Duration;

/// Rows by an id.
type Groups = BTreeMap<Box<str>, Vec<NightRow>>;

/// Groups rows by an id; also returns the rows without one.
pub(super) fn by_id(rows: Vec<NightRow>, id: fn(&NightRow) -> Option<Box<str>>) -> (Groups, Vec<NightRow>) {
    let (mut groups, mut others) = (Groups::new(), Vec::new());
    for row in rows {
        match id(&row) {
            Some(id) => groups.entry(id).or_default().push(row),
            None => others.push(row),
        }
    }
    (groups, others)
}

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
