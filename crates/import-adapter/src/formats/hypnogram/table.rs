//! A table with a row per epoch, as YASA writes it: `,Stage,Confidence`, `Epoch,Stage` or `Time,Stage`.

use super::night::EPOCH_MILLIS;
use crate::input::{csv_fields, more_than_once, repeated_column};
use chrono::{DateTime, FixedOffset, NaiveDateTime, TimeDelta};

const STAGE: &str = "Stage";
const EPOCH: &str = "Epoch";
/// Required columns.
pub(crate) const NEEDED_COLUMNS: [&str; 1] = [STAGE];
/// Optional columns that also indicate such a table.
pub(crate) const KNOWN_COLUMNS: [&str; 2] = [EPOCH, "Confidence"];
const TIME_FORM: &str = "%Y-%m-%d %H:%M:%S";
const TIME_LENGTH: usize = 19;

/// Columns of a table; the first one counts or dates the epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    stage: usize,
    has_times: bool,
    repeats_stage: bool,
}

/// One row.
pub(super) struct Row {
    pub(super) stage: String,
    pub(super) position: Position,
}

/// Position of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Number(u64),
    /// Wall time.
    Time(NaiveDateTime),
    /// Neither a number nor a time.
    Unreadable,
}

impl Columns {
    /// Reads a header; `None` if it belongs to another table.
    pub(super) fn of(header: &str) -> Option<Self> {
        let header = csv_fields(header)?;
        let (first, others) = header.split_first()?;
        let has_times = first.eq_ignore_ascii_case("Time");
        if !has_times && !first.is_empty() && !first.eq_ignore_ascii_case(EPOCH) {
            return None;
        }
        let stage = others.iter().position(|name| name.eq_ignore_ascii_case(STAGE))?;
        let repeats_stage = repeated_column(others, &NEEDED_COLUMNS).is_some();
        Some(Self { stage: stage.saturating_add(1), has_times, repeats_stage })
    }

    /// Returns why the header is ambiguous, if it has the column of stages more than once.
    pub(super) fn fault(self) -> Option<String> {
        self.repeats_stage.then(|| more_than_once(STAGE))
    }

    /// Reads a row; `None` if a quoted field is not closed.
    pub(super) fn row(self, line: &str) -> Option<Row> {
        let fields = csv_fields(line)?;
        let first = fields.first().map(String::as_str).unwrap_or_default();
        let position = if self.has_times {
            let time = first.get(..TIME_LENGTH).map(|text| text.replacen('T', " ", 1));
            time.and_then(|text| NaiveDateTime::parse_from_str(&text, TIME_FORM).ok()).map(Position::Time)
        } else {
            first.parse().ok().map(Position::Number)
        };
        let position = position.unwrap_or(Position::Unreadable);
        Some(Row { stage: fields.get(self.stage).cloned().unwrap_or_default(), position })
    }
}

impl Position {
    /// Returns whether this epoch may be the first of a recording with this start.
    pub(super) fn begins(self, start: DateTime<FixedOffset>) -> bool {
        match self {
            Self::Number(_) => true,
            Self::Unreadable => false,
            Self::Time(time) => {
                time.signed_duration_since(start.naive_local()).abs() < TimeDelta::milliseconds(EPOCH_MILLIS)
            }
        }
    }

    /// Returns whether this epoch directly follows another.
    pub(super) fn follows(self, other: Self) -> bool {
        match (other, self) {
            (Self::Number(before), Self::Number(number)) => before.checked_add(1) == Some(number),
            (Self::Time(before), Self::Time(time)) => {
                time.signed_duration_since(before) == TimeDelta::milliseconds(EPOCH_MILLIS)
            }
            _ => false,
        }
    }
}
