//! Intakes of supplements.

use super::InvalidText;
use super::text::name;
use crate::id::{FormId, IntakeLogId, SupplementId};
use crate::time::is_in_the_future;
use chrono::{DateTime, Datelike, Utc};

/// Number of servings taken at once: finite, more than 0, at most 10,000.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Servings(f64);

/// Servings are finite, so equality is total.
impl Eq for Servings {}

/// The number of servings is not more than 0 and at most 10,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("servings is not a number above 0 and up to 10000")]
pub struct InvalidServings;

impl Servings {
    /// Maximum servings of one log entry.
    pub const MAX: f64 = 10_000.0;

    /// Checks a number of servings; fractions such as a half are normal.
    pub fn new(servings: f64) -> Result<Self, InvalidServings> {
        if servings > 0.0 && servings <= Self::MAX { Ok(Self(servings)) } else { Err(InvalidServings) }
    }

    /// Returns the number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// A stored intake with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeLog {
    /// Id of the entry.
    pub id: IntakeLogId,
    /// What was taken.
    pub record: IntakeLogRecord,
}

/// An intake from an app or a file, before it has an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeLogRecord {
    supplement_id: SupplementId,
    created_at: DateTime<Utc>,
    servings: Servings,
    external_key: Option<String>,
}

/// Why an intake is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidIntakeLog {
    /// The time is outside the years 0001 to 9999, which the API can print.
    #[error("created_at is not in the years 0001 to 9999")]
    CreatedAt,
    /// The external key is blank, too long, or contains a control character.
    #[error(transparent)]
    ExternalKey(#[from] InvalidText),
}

impl IntakeLogRecord {
    /// Maximum length of an external key in characters.
    pub const MAX_EXTERNAL_KEY: usize = 200;
    /// Beginning of the keys of entries that the person made on the page. The key survives an export, so that
    /// a restored entry can still be changed by hand.
    const BY_HAND: &str = "by-hand:";

    /// Creates a record of an intake.
    ///
    /// The time is truncated to microseconds. `external_key` is the client's or source's own key of the
    /// entry, unique within the person: not blank, without control characters, at most 200 characters.
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

    /// Creates a record of an intake that the person enters on the page; `entry` is the id of the form.
    pub fn by_hand(
        supplement_id: SupplementId,
        created_at: DateTime<Utc>,
        servings: Servings,
        entry: FormId,
    ) -> Result<Self, InvalidIntakeLog> {
        Self::new(supplement_id, created_at, servings, Some(format!("{}{entry}", Self::BY_HAND)))
    }

    /// Returns whether the person entered this intake on the page.
    pub fn is_by_hand(&self) -> bool {
        self.external_key().is_some_and(|key| key.starts_with(Self::BY_HAND))
    }

    /// Returns the supplement, in the version of its label at that time.
    pub const fn supplement_id(&self) -> SupplementId {
        self.supplement_id
    }

    /// Returns the time of the intake, in whole microseconds.
    pub const fn created_at(&self) -> DateTime<Utc> {
        self.created_at
    }

    /// Returns whether the intake is in the future, as recorded by a clock that was wrong.
    pub fn is_in_the_future(&self, now: DateTime<Utc>) -> bool {
        is_in_the_future(self.created_at, now)
    }

    /// Returns the servings taken.
    pub const fn servings(&self) -> Servings {
        self.servings
    }

    /// Returns the client's or source's own key of the entry.
    pub fn external_key(&self) -> Option<&str> {
        self.external_key.as_deref()
    }

    /// Returns this record of a stored intake, with the stored key if it has none.
    #[must_use]
    pub fn of_intake(self, stored: &Self) -> Self {
        let external_key = self.external_key.or_else(|| stored.external_key.clone());
        Self { external_key, ..self }
    }

    /// Returns the same intake without its key.
    #[must_use]
    pub fn without_key(self) -> Self {
        Self { external_key: None, ..self }
    }

    /// Returns the same intake with another supplement id.
    #[must_use]
    pub fn of_supplement(self, supplement_id: SupplementId) -> Self {
        Self { supplement_id, ..self }
    }

    /// Adds the id.
    pub const fn with_id(self, id: IntakeLogId) -> IntakeLog {
        IntakeLog { id, record: self }
    }
}

/// Truncates an instant to microseconds.
fn microseconds(instant: DateTime<Utc>) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_micros(instant.timestamp_micros())
}

#[cfg(test)]
mod tests;
