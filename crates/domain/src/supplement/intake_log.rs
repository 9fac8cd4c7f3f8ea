//! What a person took, and when.

use super::InvalidText;
use super::text::name;
use crate::id::{IntakeLogId, SupplementId};
use chrono::{DateTime, Datelike, Utc};

/// Number of servings taken at once: finite, more than 0, at most 10,000.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Servings(f64);

/// Servings are finite, so equality is total.
impl Eq for Servings {}

/// Says that a number of servings is not more than 0 and at most 10,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("servings is not a number above 0 and up to 10000")]
pub struct InvalidServings;

impl Servings {
    /// The most servings of one log entry.
    pub const MAX: f64 = 10_000.0;

    /// Takes a number of servings; halves and the like are normal.
    pub fn new(servings: f64) -> Result<Self, InvalidServings> {
        if servings > 0.0 && servings <= Self::MAX { Ok(Self(servings)) } else { Err(InvalidServings) }
    }

    /// Returns the number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// Entry of a person's intake log under its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeLog {
    /// Id of the entry.
    pub id: IntakeLogId,
    /// What was taken.
    pub record: IntakeLogRecord,
}

/// Intake as it comes from an app or a file, before it has an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeLogRecord {
    supplement_id: SupplementId,
    created_at: DateTime<Utc>,
    servings: Servings,
    external_key: Option<String>,
}

/// Says why an intake is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidIntakeLog {
    /// The time lies outside the years 0001 to 9999, which the API can print.
    #[error("created_at is not in the years 0001 to 9999")]
    CreatedAt,
    /// The client's own key is blank, too long, or holds a control character.
    #[error(transparent)]
    ExternalKey(#[from] InvalidText),
}

impl IntakeLogRecord {
    /// The most characters of a client's own key.
    pub const MAX_EXTERNAL_KEY: usize = 200;

    /// Makes a record of an intake.
    ///
    /// The time is kept to the microsecond, a finer fraction is cut off. `external_key` is the client's or
    /// the source's own key of the entry, unique within the person: not blank, without control characters,
    /// at most 200 characters.
    pub fn new(
        supplement_id: SupplementId,
        created_at: DateTime<Utc>,
        servings: Servings,
        external_key: Option<String>,
    ) -> Result<Self, InvalidIntakeLog> {
        if !(1..=9999).contains(&created_at.year()) {
            return Err(InvalidIntakeLog::CreatedAt);
        }
        let created_at = microseconds(created_at).ok_or(InvalidIntakeLog::CreatedAt)?;
        let external_key =
            external_key.map(|key| name("external_id", key, Self::MAX_EXTERNAL_KEY)).transpose()?;
        Ok(Self { supplement_id, created_at, servings, external_key })
    }

    /// Returns the supplement that was taken, in the version of its label at that time.
    pub const fn supplement_id(&self) -> SupplementId {
        self.supplement_id
    }

    /// Returns the time of the intake, in whole microseconds.
    pub const fn created_at(&self) -> DateTime<Utc> {
        self.created_at
    }

    /// Returns the servings taken.
    pub const fn servings(&self) -> Servings {
        self.servings
    }

    /// Returns the client's or the source's own key of the entry.
    pub fn external_key(&self) -> Option<&str> {
        self.external_key.as_deref()
    }

    /// Returns the same intake of another version of the supplement, or of the id by which the store knows it.
    #[must_use]
    pub fn of_supplement(self, supplement_id: SupplementId) -> Self {
        Self { supplement_id, ..self }
    }

    /// Gives the entry its id.
    pub const fn with_id(self, id: IntakeLogId) -> IntakeLog {
        IntakeLog { id, record: self }
    }
}

/// Cuts an instant to whole microseconds.
fn microseconds(instant: DateTime<Utc>) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_micros(instant.timestamp_micros())
}

#[cfg(test)]
mod tests;
