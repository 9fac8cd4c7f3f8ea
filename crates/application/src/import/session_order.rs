//! Order in which the sessions of a batch are stored.

use super::batch::Numbered;
use super::run::Origin;
use crate::ports::import_source::ImportedSession;
use std::cmp::Reverse;

/// Sorts the records of a file: those with a source's id, then those without ids, then those of an own
/// export. The items of a request are stored in their order.
pub(super) fn in_order_of_precedence(
    origin: Origin,
    imported: Vec<Numbered<&ImportedSession>>,
) -> Vec<Numbered<&ImportedSession>> {
    if origin == Origin::Request {
        return imported;
    }
    let (own, others): (Vec<_>, Vec<_>) = imported.into_iter().partition(|(_, session)| session.id.is_some());
    let (mut sorted, mut unnamed): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(_, session)| session.record.key().is_given());
    sort_overlapping(&mut unnamed);
    sorted.extend(unnamed);
    sorted.extend(own);
    sorted
}

/// Exchanges records that overlap, so that the ones that are kept come first: a record then loses only to one
/// that is stored.
fn sort_overlapping(records: &mut [Numbered<&ImportedSession>]) {
    let of = |(_, (_, session)): &(usize, Numbered<&ImportedSession>)| {
        let (source, bed) = (session.record.source().cloned(), session.record.time_in_bed());
        (source, bed.start(), bed.end())
    };
    let mut by_start: Vec<_> = records.iter().copied().enumerate().collect();
    by_start.sort_by_cached_key(of);
    let mut rest = by_start.as_slice();
    while let Some(first) = rest.first() {
        let (source, _, mut latest_end) = of(first);
        let overlaps = |next: &&(usize, Numbered<&ImportedSession>)| {
            let (other, start, end) = of(next);
            let overlaps = other == source && start < latest_end;
            latest_end = latest_end.max(end);
            overlaps
        };
        let count = rest.iter().take_while(overlaps).count();
        let (cluster, others) = rest.split_at(count.max(1));
        let mut slots: Vec<usize> = cluster.iter().map(|(slot, _)| *slot).collect();
        slots.sort_unstable();
        let mut members: Vec<_> = cluster.iter().map(|(_, member)| *member).collect();
        members.sort_by_key(|(_, session)| {
            let record = &session.record;
            Reverse((record.detail(), record.time_in_bed().millis(), session.position))
        });
        for (slot, member) in slots.into_iter().zip(members) {
            if let Some(record) = records.get_mut(slot) {
                *record = member;
            }
        }
        rest = others;
    }
}
