//! Sleep sessions as JSON, directly from packed rows.

use super::page::Items;
use super::stage::{self, Night};
use super::{json, metric};
use crate::data::sleep::Include;
use application::StorageError;
use application::read::{PackedPart, PackedSleepRow};
use domain::sleep::packed::{check_metrics, check_stages};
use domain::time::{TimestampWriter, UtcOffset};
use std::vec::IntoIter;

/// Sessions of a page.
pub(in crate::data) struct SleepItems {
    rows: IntoIter<PackedSleepRow>,
    writer: SessionWriter,
    is_first: bool,
}

/// Writer of single sessions.
pub(super) struct SessionWriter {
    include: Include,
    timestamps: TimestampWriter,
}

impl SleepItems {
    pub(in crate::data) fn new(rows: Vec<PackedSleepRow>, include: Include) -> Self {
        Self { rows: rows.into_iter(), writer: SessionWriter::new(include), is_first: true }
    }

    #[cfg(test)]
    pub(super) fn rows_left(&self) -> usize {
        self.rows.len()
    }
}

impl SessionWriter {
    pub(super) fn new(include: Include) -> Self {
        Self { include, timestamps: TimestampWriter::new() }
    }

    /// Appends a session; fails if a packed part cannot be decoded.
    pub(super) fn write(&mut self, row: &PackedSleepRow, out: &mut Vec<u8>) -> Result<(), StorageError> {
        let PackedSleepRow {
            id,
            started_at_millis,
            ended_at_millis,
            offset_at_start,
            offset_at_end,
            source,
            is_nap,
            updated_at_millis,
            stages,
            metrics,
        } = row;
        out.extend_from_slice(b"{\"id\":");
        json::write_uuid(id.as_uuid(), out);
        self.write_time(b",\"time_in_bed_start\":", *started_at_millis, *offset_at_start, out);
        self.write_time(b",\"time_in_bed_end\":", *ended_at_millis, *offset_at_end, out);
        if self.include.metrics {
            metric::write_metrics(metrics, out).map_err(|_| row.corrupt(PackedPart::Metrics))?;
        }
        if self.include.stages {
            let night = Night {
                started_at_millis: *started_at_millis,
                ended_at_millis: *ended_at_millis,
                offset: *offset_at_start,
            };
            stage::write_stages(&night, stages, &mut self.timestamps, out)
                .map_err(|_| row.corrupt(PackedPart::Stages))?;
        }
        out.extend_from_slice(b",\"source\":");
        json::write(source, out);
        out.extend_from_slice(match is_nap {
            None => b",\"is_nap\":null",
            Some(true) => b",\"is_nap\":true",
            Some(false) => b",\"is_nap\":false",
        });
        self.write_time(b",\"updated_at\":", *updated_at_millis, None, out);
        out.push(b'}');
        Ok(())
    }

    fn write_time(&mut self, before: &[u8], millis: i64, offset: Option<UtcOffset>, out: &mut Vec<u8>) {
        out.extend_from_slice(before);
        out.push(b'"');
        self.timestamps.write_millis(out, millis, offset);
        out.push(b'"');
    }
}

impl Items for SleepItems {
    fn write_next(&mut self, out: &mut Vec<u8>) -> Result<bool, StorageError> {
        let Some(row) = self.rows.next() else { return Ok(false) };
        json::separate(&mut self.is_first, out);
        self.writer.write(&row, out).map(|()| true)
    }

    fn check(&self) -> Result<(), StorageError> {
        self.rows.as_slice().iter().try_for_each(|row| check(row, self.writer.include))
    }

    fn memory_size(&self) -> usize {
        self.rows.as_slice().iter().map(memory_size).sum()
    }
}

/// Estimates the memory of a row in bytes.
pub(super) fn memory_size(row: &PackedSleepRow) -> usize {
    let of_source = row.source.as_ref().map_or(0, |source| source.len());
    let of_parts = row.stages.len().saturating_add(row.metrics.len());
    size_of::<PackedSleepRow>().saturating_add(of_source).saturating_add(of_parts)
}

/// Checks that the packed parts of a row that will be rendered can be decoded.
pub(super) fn check(row: &PackedSleepRow, include: Include) -> Result<(), StorageError> {
    if include.stages {
        check_stages(row.started_at_millis, row.ended_at_millis, &row.stages)
            .map_err(|_| row.corrupt(PackedPart::Stages))?;
    }
    if include.metrics {
        check_metrics(&row.metrics).map_err(|_| row.corrupt(PackedPart::Metrics))?;
    }
    Ok(())
}
