//! Users and their profiles.

mod biology;
mod email;
mod profile_change;
mod profile_source;

pub use biology::*;
pub use email::{Email, InvalidEmail};
pub use profile_change::{ProfileChange, ProfileChanges, ProfileField, ProfileValue};
pub use profile_source::{ProfileOrigin, ProfileSource};

use crate::id::UserId;
use crate::time::TimeZone;
use chrono::{DateTime, Utc};

/// Status of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserStatus {
    /// Apps can read what the person granted.
    Active,
    /// Nothing can be read and no code can be redeemed until the operator unlocks the account.
    Locked {
        /// When it was locked.
        at: DateTime<Utc>,
    },
}

impl UserStatus {
    /// Returns whether the account is active.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Active)
    }
}

/// A user.
#[derive(Debug, Clone, PartialEq)]
pub struct User {
    /// The contract's `user_id`.
    pub id: UserId,
    /// Sign-in address; never returned by the API (decisions 6).
    pub email: Email,
    /// Zone for the person's dates (decisions 5).
    pub home_timezone: TimeZone,
    /// When the profile was created, in microseconds.
    pub created_at: DateTime<Utc>,
    /// Status of the account.
    pub status: UserStatus,
    /// Biological part of the profile.
    pub biology: Biology,
}

impl User {
    /// Creates an active user with an empty profile.
    pub fn new(id: UserId, email: Email, home_timezone: TimeZone, created_at: DateTime<Utc>) -> Self {
        Self { id, email, home_timezone, created_at, status: UserStatus::Active, biology: Biology::default() }
    }
}
