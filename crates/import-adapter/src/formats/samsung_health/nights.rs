//! Nights of the rows of all files: combined, each once, and joined with their stages.

use super::known::Known;
use super::parts::{by_id, span, sum};
use super::row::SOURCE;
use crate::collections::Collection;
use crate::join::{Join, JoinNames, JoinedSession, JoinedStage};
use crate::segments::{DUPLICATES_NOTE, SESSION_LIMIT, too_many};
use crate::source::{Invalid, Items, Notes};
use crate::tally::Tally;
use chrono::{DateTime, Utc};
use domain::sleep::TimeInBed;
use std::cmp::Reverse;

const NAMES: JoinNames = JoinNames {
    unit: "line",
    source: SOURCE,
    without_stages: "the nights have no stages; import the file com.samsung.health.sleep_stage of the same export \
        together with this one, or the whole zip",
};
const PARTS_NOTE: &str = "rows that are parts of a night, which the app combined, were joined";
const COMBINED_NOTE: &str = "combined nights that the table of sleep contains as well were read from there";

/// A row of the table of sleep or of combined nights.
#[derive(Debug)]
pub(super) struct NightRow {
    pub(super) id: Box<str>,
    /// Id of the combined night of which the row is a part.
    pub(super) group: Option<Box<str>>,
    pub(super) file: u32,
    pub(super) line: u64,
    pub(super) session: JoinedSession,
    /// When the row was last changed.
    pub(super) updated: Option<DateTime<Utc>>,
    pub(super) notes: Notes,
}

impl NightRow {
    /// Returns the time in bed.
    pub(super) const fn bed(&self) -> &TimeInBed {
        &self.session.time_in_bed
    }

    fn is_part_of(&self, whole: &Self) -> bool {
        self.session.source == whole.session.source && self.bed().overlaps(whole.bed())
    }

    fn count(&self, note: &'static str, tally: &mut Tally) {
        tally.add(note, self.file, &format!("line {}", self.line));
    }
}

/// Rows of all files, until the last was read.
#[derive(Debug)]
pub(crate) struct Nights {
    file: u32,
    segments: Vec<NightRow>,
    combined: Vec<NightRow>,
    join: Join,
    is_complete: bool,
    tally: Tally,
}

impl Default for Nights {
    fn default() -> Self {
        let (segments, combined, join) = (Vec::new(), Vec::new(), Join::new(NAMES));
        Self { file: 0, segments, combined, join, is_complete: false, tally: Tally::default() }
    }
}

impl Nights {
    /// Adds a row of the table of sleep; too many reject the file.
    pub(super) fn add_segment(&mut self, row: NightRow) -> Result<(), Invalid> {
        self.check_limit()?;
        self.segments.push(NightRow { file: self.file, ..row });
        Ok(())
    }

    /// Adds a row of the table of combined nights; too many reject the file.
    pub(super) fn add_combined(&mut self, row: NightRow) -> Result<(), Invalid> {
        self.check_limit()?;
        self.combined.push(NightRow { file: self.file, ..row });
        Ok(())
    }

    /// Adds a row of the table of stages; too many reject the file.
    pub(super) fn add_stage(&mut self, id: &str, line: u64, stage: JoinedStage) -> Result<(), Invalid> {
        self.join.add_stage(id, line, stage)
    }

    fn check_limit(&self) -> Result<(), Invalid> {
        let count = self.segments.len().saturating_add(self.combined.len());
        if count >= SESSION_LIMIT { Err(too_many("sessions", SESSION_LIMIT).into()) } else { Ok(()) }
    }

    /// Passes the nights on to the join, after all files were read.
    fn complete(&mut self) {
        self.is_complete = true;
        let combined = self.latest(|nights| &mut nights.combined);
        let segments = self.latest(|nights| &mut nights.segments);
        let segments = self.without_second_copies(segments);
        let (groups, mut nights) = by_id(segments, |row| row.group.clone());
        let (mut wholes, mut spare) = by_id(combined, |row| Some(row.id.clone()));
        for (id, parts) in groups {
            let wholes = wholes.get_mut(&id).map(std::mem::take).unwrap_or_default();
            nights.extend(self.combine(&id, parts, wholes, &mut spare));
        }
        spare.extend(wholes.into_values().flatten());
        let mut nights = self.with_spare(nights, spare);
        nights.sort_by_key(|row| (row.file, row.line));
        for NightRow { id, file, line, session, notes, .. } in nights {
            self.join.begin_file(file);
            // The only error is that of too many sessions, whose number is limited above.
            let _within_limit = self.join.add_session(&id, line, session, notes);
        }
    }

    /// Takes rows without the earlier states of those with the same id and mostly the same time.
    fn latest(&mut self, rows: fn(&mut Self) -> &mut Vec<NightRow>) -> Vec<NightRow> {
        let mut rows = std::mem::take(rows(self));
        rows.sort_by(|one, other| {
            let key = |row: &NightRow| (row.bed().start(), row.bed().end(), row.file, row.line);
            one.id.cmp(&other.id).then_with(|| key(one).cmp(&key(other)))
        });
        rows.dedup_by(|next, latest| {
            let is_state = next.id == latest.id && next.bed().shares_half_of_longer(latest.bed());
            if is_state {
                if next.updated > latest.updated {
                    std::mem::swap(next, latest);
                }
                next.count(DUPLICATES_NOTE, &mut self.tally);
            }
            is_state
        });
        rows
    }

    /// Removes rows with the start and end of another one of the same source, which the app synchronised
    /// twice; the stages of both are those of one session.
    fn without_second_copies(&mut self, mut rows: Vec<NightRow>) -> Vec<NightRow> {
        rows.sort_by(|one, other| {
            let key = |row: &NightRow| {
                let is_alone = row.group.is_none();
                (row.bed().start(), row.bed().end(), is_alone, Reverse(row.updated), row.file, row.line)
            };
            one.session.source.cmp(&other.session.source).then_with(|| key(one).cmp(&key(other)))
        });
        rows.dedup_by(|next, first| {
            let bounds = |row: &NightRow| (row.bed().start(), row.bed().end());
            let is_copy = next.session.source == first.session.source && bounds(next) == bounds(first);
            if is_copy {
                self.unite(&next.id, &first.id);
                next.count(DUPLICATES_NOTE, &mut self.tally);
            }
            is_copy
        });
        rows
    }

    fn unite(&mut self, id: &str, with: &str) {
        // The only error is that of too many ids, whose rows are limited above.
        let _within_limit = self.join.unite(id, with);
    }

    /// Joins the parts of a night, whose bounds are those of the row of the combined night if there is one;
    /// also returns the parts that do not fit. Adds rows of combined nights without parts to `spare`.
    fn combine(
        &mut self,
        id: &str,
        mut parts: Vec<NightRow>,
        wholes: Vec<NightRow>,
        spare: &mut Vec<NightRow>,
    ) -> Vec<NightRow> {
        let mut nights = Vec::new();
        for whole in wholes {
            let (joined, others) = parts.into_iter().partition::<Vec<_>, _>(|part| part.is_part_of(&whole));
            parts = others;
            if joined.is_empty() {
                spare.push(whole);
                continue;
            }
            let totals = sum(&joined);
            let is_silent = whole.session.totals.are_silent();
            let totals = if is_silent { totals } else { whole.session.totals };
            self.join_parts(id, joined);
            nights.push(NightRow { session: JoinedSession { totals, ..whole.session }, ..whole });
        }
        let Some(first) = parts.first() else { return nights };
        let (source, bed) = (first.session.source.clone(), span(&parts));
        if parts.len() > 1
            && let Some(time_in_bed) = bed.filter(|_| nights.is_empty())
            && parts.iter().all(|part| part.session.source == source)
        {
            let session = JoinedSession { time_in_bed, source, is_nap: None, totals: sum(&parts) };
            let (file, line) = (first.file, first.line);
            self.join_parts(id, parts);
            let (id, notes) = (id.into(), Notes::default());
            nights.push(NightRow { id, group: None, file, line, session, updated: None, notes });
            return nights;
        }
        nights.extend(parts);
        nights
    }

    fn join_parts(&mut self, id: &str, parts: Vec<NightRow>) {
        for part in parts {
            part.count(PARTS_NOTE, &mut self.tally);
            self.unite(&part.id, id);
        }
    }

    /// Adds the combined nights that no row names and no night of the same source overlaps.
    fn with_spare(&mut self, mut nights: Vec<NightRow>, spare: Vec<NightRow>) -> Vec<NightRow> {
        let mut known = Known::default();
        for night in &nights {
            known.add(night);
        }
        known.sort();
        for row in spare {
            if known.overlaps(&row) {
                row.count(COMBINED_NOTE, &mut self.tally);
            } else {
                nights.push(row);
            }
        }
        nights
    }
}

impl Collection for Nights {
    fn begin_file(&mut self, file: u32) {
        self.file = file;
        self.join.begin_file(file);
    }

    fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        if !self.is_complete {
            self.complete();
        }
        self.join.next_session(items).or_else(|| self.tally.emit(items))
    }
}
