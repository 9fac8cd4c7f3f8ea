//! Intake logs as JSON.
//!
//! Each log is a copy of one template line, into which its id and time are written: the other members rarely
//! change between neighbours.

use super::json;
use application::read::IntakeLogRow;
use domain::id::{SupplementId, UserId};
use domain::time::TimestampWriter;
use std::ops::Range;
use uuid::fmt::Hyphenated;

pub(super) struct LogWriter {
    timestamps: TimestampWriter,
    /// Template; its id and time are placeholders.
    line: Vec<u8>,
    supplement_id: Option<SupplementId>,
    /// Position of the supplement's id.
    supplement_position: Range<usize>,
    /// Bits of the servings in the template.
    servings: Option<u64>,
    /// Position of the servings.
    servings_position: usize,
}

/// Text before the id of a log, and after it.
const BEFORE_ID: &[u8] = b"{\"id\":\"";
const BEFORE_TIME: &[u8] = b"\",\"created_at\":\"";
/// Position of the id and of the time in a line.
const ID: Range<usize> = BEFORE_ID.len()..BEFORE_ID.len() + Hyphenated::LENGTH;
const TIME: Range<usize> = ID.end + BEFORE_TIME.len()..ID.end + BEFORE_TIME.len() + 32;

impl LogWriter {
    pub(super) fn new(user_id: UserId) -> Self {
        let mut line = BEFORE_ID.to_vec();
        line.resize(ID.end, b'0');
        line.extend_from_slice(BEFORE_TIME);
        line.resize(TIME.end, b'0');
        line.extend_from_slice(b"\",\"user_id\":");
        json::write_uuid(user_id.as_uuid(), &mut line);
        line.extend_from_slice(b",\"supplement_id\":\"");
        let supplement_position = line.len()..line.len() + Hyphenated::LENGTH;
        line.resize(supplement_position.end, b'0');
        line.extend_from_slice(b"\",\"servings\":");
        let servings_position = line.len();
        let timestamps = TimestampWriter::new();
        Self { timestamps, line, supplement_id: None, supplement_position, servings: None, servings_position }
    }

    /// Appends a log. Its servings must be a finite number.
    pub(super) fn write(&mut self, supplement_id: SupplementId, log: &IntakeLogRow, out: &mut Vec<u8>) {
        let IntakeLogRow { id, created_at_micros, servings } = log;
        if self.supplement_id != Some(supplement_id) {
            let place = self.supplement_position.clone();
            json::put_uuid(supplement_id.as_uuid(), self.line.get_mut(place));
            self.supplement_id = Some(supplement_id);
        }
        if self.servings != Some(servings.to_bits()) {
            self.line.truncate(self.servings_position);
            json::write_number(*servings, &mut self.line);
            self.line.push(b'}');
            self.servings = Some(servings.to_bits());
        }
        // The id and time are written into the copy: a copy made right after writing them would stall.
        let start = out.len();
        out.extend_from_slice(&self.line);
        if let Some(line) = out.get_mut(start..).and_then(<[u8]>::first_chunk_mut::<{ TIME.end }>) {
            json::put_uuid(id.as_uuid(), line.get_mut(ID));
            if let Some(time) = line.last_chunk_mut() {
                self.timestamps.put_micros_numeric(time, *created_at_micros);
            }
        }
    }
}
